//! What a run leaves behind: variables and printed lines, to be compared with those of another run.

use super::Runner;
use crate::arch::PeCoord;
use crate::image::{ExportTarget, Scalar, Symbol, TileImage};
use crate::source::Span;
use crate::wafer::{Chosen, WriteLog};
use std::hash::{Hash, Hasher};

/// A variable of one PE at the end of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FinalVariable {
    /// The PE.
    pub pe: PeCoord,
    /// The name under which it is exported, or its own.
    pub name: String,
    /// The type of its elements; words if they have no type in common.
    pub scalar: Scalar,
    /// Whether it is one value.
    pub single: bool,
    /// First word in the memory of the PE.
    pub addr: usize,
    /// Words per element.
    pub words: usize,
    /// The bits of its elements.
    pub values: Vec<u64>,
}

/// A write of a word that was watched.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SeenWrite {
    /// When, as an estimate.
    pub cycle: u64,
    /// The code; `None` for the host.
    pub span: Option<Span>,
}

/// A choice of a PE, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenChoice {
    /// When, as an estimate.
    pub cycle: u64,
    /// What was chosen, such as "task `one` starts".
    pub chosen: String,
    /// What could have been chosen instead, each as a name.
    pub others: Vec<String>,
}

impl Runner {
    /// The exported variables of all PEs, or all variables if a PE exports none, in the order of PEs and exports.
    pub fn final_variables(&mut self) -> Vec<FinalVariable> {
        let program = self.program.clone();
        let mut all = Vec::new();
        for index in 0..program.place.len() {
            let at = program.pe_coord(index);
            let Some(tile) = program.tile_at(at) else { continue };
            for (name, symbol) in variables(tile) {
                let Some(words) = self.memory(at, tile.data_end.into()) else { continue };
                let (addr, count) = (usize::from(symbol.addr), usize::from(symbol.words));
                let Some(words) = words.get(addr..addr + count) else { continue };
                let scalar = symbol.element.unwrap_or(Scalar::U16);
                all.push(FinalVariable {
                    pe: at,
                    name: name.to_string(),
                    scalar,
                    single: symbol.dims.is_empty(),
                    addr,
                    words: if symbol.is_bytes(scalar) { 1 } else { scalar.words().into() },
                    values: symbol.values(words, scalar),
                });
            }
        }
        all
    }

    /// The lines that each PE has printed, in its order.
    pub fn final_lines(&mut self) -> Vec<(PeCoord, String)> {
        let mut lines: Vec<_> = self.printed().iter().map(|line| (line.pe, line.text.clone())).collect();
        lines.sort_by_key(|(pe, _)| (pe.y, pe.x));
        lines
    }

    /// A hash of [`Runner::final_variables`] and [`Runner::final_lines`].
    pub fn final_hash(&mut self) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        self.final_variables().hash(&mut hasher);
        self.final_lines().hash(&mut hasher);
        hasher.finish()
    }

    /// From now on notes who writes some words of a PE, and what all PEs choose. Call it before anything runs.
    pub fn watch_words(&mut self, at: PeCoord, addr: usize, words: usize) {
        self.wafer.note_choices();
        if let Some(pe) = self.wafer.pe(at) {
            pe.watch(WriteLog::new(addr, words));
        }
    }

    /// Who has written the words that are watched.
    pub fn seen_writes(&mut self, at: PeCoord) -> Vec<SeenWrite> {
        let Some(pe) = self.wafer.pe(at) else { return Vec::new() };
        pe.noted_writes().iter().map(|write| SeenWrite { cycle: write.cycle, span: write.span }).collect()
    }

    /// What a PE has chosen: tasks (`true`) or microthreads.
    pub fn seen_choices(&self, at: PeCoord, tasks: bool) -> Vec<SeenChoice> {
        let Some((_, pe)) = self.wafer.made().find(|(other, _)| *other == at) else { return Vec::new() };
        let Some(tile) = self.program.tile_at(at) else { return Vec::new() };
        let of = |chosen: &Chosen| match chosen {
            Chosen::Task { function, others } if tasks => {
                let name = &tile.functions[function.0 as usize].name;
                let names = others.iter().map(|id| match tile.tasks.iter().find(|task| task.id == *id) {
                    Some(task) => format!("`{}`", task.name),
                    None => format!("task {id}"),
                });
                Some((format!("task `{name}` starts"), names.collect()))
            }
            Chosen::Thread { number, others } if !tasks => {
                let name = |n: u8| if n == 8 { "the main thread".into() } else { format!("microthread {n}") };
                let others = (0..9).filter(|n| others & 1 << n != 0).map(name);
                Some((format!("{} does an element", name(*number)), others.collect()))
            }
            Chosen::Task { .. } | Chosen::Thread { .. } => None,
        };
        let seen = pe.choices().iter().filter_map(|choice| {
            let (chosen, others) = of(&choice.chosen)?;
            Some(SeenChoice { cycle: choice.cycle, chosen, others })
        });
        seen.collect()
    }
}

/// The exported variables of a tile, or all of its own.
fn variables(tile: &TileImage) -> Vec<(&str, &Symbol)> {
    let exported = tile.exports.iter().filter_map(|export| {
        let addr = match export.target {
            ExportTarget::Data(addr) => addr,
            ExportTarget::Pointer(p) => tile.data.get(usize::from(p)).copied().unwrap_or(0),
            ExportTarget::Fn(_) => return None,
        };
        let holds = |s: &&Symbol| (s.addr..s.addr.saturating_add(s.words)).contains(&addr);
        Some((export.name.as_str(), tile.symbols.iter().find(holds)?))
    });
    let exported: Vec<_> = exported.collect();
    if !exported.is_empty() {
        return exported;
    }
    // A name with a dot is that of a variable in an imported module.
    let own = tile.symbols.iter().filter(|s| s.mutable && !s.name.contains('.'));
    own.map(|s| (s.name.as_str(), s)).collect()
}
