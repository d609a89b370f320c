//! A large wafer whose columns and rows repeat, run as a small one.
//!
//! Nobody can see the difference. A small wafer, which has some of the repetitions only, runs cycle by
//! cycle. If all that routers do there in one repetition, they do in the same cycles in the one before
//! and in the one behind it, then any number of equal repetitions may stand between: each of them sees
//! at its borders what this one sees, and PEs and routers do nothing but answer to what they see. So
//! their cycles are known without running them. Their memories are not: they may hold other words.
//! Therefore the PEs of the small wafer write down what their operations do to memory ([`Script`]), and
//! that is done on the memories of all PEs, many elements at a time. Should code look at a word that may
//! differ from PE to PE, or should anything happen that no script describes, the wafer runs as a whole.

mod axis;
mod plan;
mod replay;
mod slab;
mod twins;

pub use replay::Folded;

use super::agenda::Agenda;
use super::{Progress, Wafer};
use crate::arch::{Color, PeCoord};
use crate::image::code::{Intrinsic, Op};
use crate::image::{ColorConfig, ExportKind, Program, RouteTable, TaskKind, TileImage};
use crate::pe::{Pe, Script};
use axis::Axis;
use plan::{Folding, Plan};
use replay::{Replay, Start};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;
use twins::Twins;

/// It is worth it if the small wafer has so many times fewer PEs: it is recorded, and may be in vain.
const TIMES_FEWER: usize = 8;
/// Cycles between two looks at whether the repetitions are still alike.
const CYCLES_BETWEEN_LOOKS: u64 = 32;
/// Wavelets of the small wafer of which the origin is kept: about a gigabyte.
const MOST_WAVELETS: u64 = 40_000_000;

/// Why a small wafer cannot stand for a large one.
enum Misfit {
    /// One with more repetitions might.
    TooSmall,
    /// None can.
    Never,
}

/// What of memory the host has written before the start, or comptime has.
struct Written {
    /// For each tile, the words in which its PEs differ.
    foreign: Vec<Vec<Range<usize>>>,
    /// For each tile, how many words its PEs have at most.
    words: Vec<usize>,
}

impl Wafer {
    /// Runs to the end at once, if a small wafer can stand for this one; before anything runs. False
    /// if it cannot: then nothing has happened.
    pub fn run_folded(&mut self, limit: u64) -> bool {
        let is_fresh = self.now == 0 && self.launches.is_empty() && self.folds;
        let is_seen = self.recorder.is_some() || self.follower.is_some() || self.cells.maker.seed.is_some();
        if !is_fresh || is_seen || !is_describable(&self.program) {
            return false;
        }
        // What happens at the borders is felt the farther inside the longer it takes.
        for margin in (0..usize::BITS).map(|n| 1 << n) {
            let (columns, rows) = axes(&self.program, margin);
            if columns.folded() * rows.folded() * TIMES_FEWER > self.program.place.len() {
                return false;
            }
            match self.run_small(columns, rows, limit) {
                Ok(()) => return true,
                Err(Misfit::TooSmall) => {}
                Err(Misfit::Never) => return false,
            }
        }
        false
    }

    fn run_small(&mut self, columns: Axis, rows: Axis, limit: u64) -> Result<(), Misfit> {
        let written = self.written();
        let mut small = Small::new(self, columns, rows, &written);
        small.run(limit)?;
        self.unfold(small, &written)
    }

    /// Becomes what the small wafer says.
    fn unfold(&mut self, mut small: Small, written: &Written) -> Result<(), Misfit> {
        let reach = small.twins.settle(&mut small.columns, &mut small.rows).ok_or(Misfit::TooSmall)?;
        let mut pes = small.take_pes();
        let scripts = pes.iter_mut().map(|pe| match pe {
            Some(pe) => pe.take_script().map(Some).ok_or(Misfit::Never),
            None => Ok(None),
        });
        let scripts: Vec<Option<Script>> = scripts.collect::<Result<_, _>>()?;
        let Small { wafer, columns, rows, twins } = small;
        let folding = Folding { columns: &columns, rows: &rows, reach };
        let plan = Plan::new(scripts, &twins, &folding, self.cells.made().next().is_some())?;
        let words: Vec<usize> = (pes.iter().zip(&wafer.program.place))
            .map(|(pe, tile)| match pe {
                Some(pe) => pe.memory().words().len().max(written.words[*tile as usize]),
                None => 0,
            })
            .collect();
        let replay = Replay {
            plan: &plan,
            start: self.start(),
            columns: &columns,
            rows: &rows,
            words: &words,
            threads: self.desks.len(),
            stop: self.stop,
        };
        // Whoever has stopped it finds the wafer before its start.
        let memories = replay.run().ok_or(Misfit::Never)?;
        self.fabric.count_hops(in_all(&twins.hops, &columns, &rows));
        self.agenda = Agenda::new(self.program.place.len());
        (self.now, self.reached) = (wafer.now, wafer.reached);
        self.log.asserts_held.extend(wafer.log.asserts_held);
        // It has run, even if that took no cycle.
        self.folds = false;
        self.cells.fold(Folded::new(columns, rows, pes, memories));
        Ok(())
    }

    fn start(&self) -> Start<'_> {
        Start { program: &self.program, cells: &self.cells }
    }

    fn written(&self) -> Written {
        let tiles = &self.program.tiles;
        let mut written = Written {
            foreign: vec![Vec::new(); tiles.len()],
            words: tiles.iter().map(|tile| tile.data.len()).collect(),
        };
        if self.cells.made().next().is_none() {
            return written;
        }
        let mut firsts: Vec<Option<&[u16]>> = vec![None; tiles.len()];
        let mut differs: Vec<Vec<bool>> = vec![Vec::new(); tiles.len()];
        for (index, tile) in self.program.place.iter().enumerate() {
            let tile = *tile as usize;
            let Some(first) = firsts.get_mut(tile) else { continue };
            let words = self.start().words(index);
            let first = *first.get_or_insert(words);
            written.words[tile] = written.words[tile].max(words.len());
            if first != words {
                note_differences(first, words, &mut differs[tile]);
            }
        }
        written.foreign = differs.iter().map(|differs| ranges(differs)).collect();
        written
    }
}

/// Marks the words in which two memories differ; what is not there is zero.
fn note_differences(one: &[u16], other: &[u16], differs: &mut Vec<bool>) {
    let length = one.len().max(other.len());
    differs.resize(length.max(differs.len()), false);
    let word = |words: &[u16], at: usize| words.get(at).copied().unwrap_or(0);
    for (at, differs) in differs.iter_mut().enumerate().take(length) {
        *differs |= word(one, at) != word(other, at);
    }
}

/// Where it is true.
fn ranges(all: &[bool]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (at, _) in all.iter().enumerate().filter(|(_, is)| **is) {
        match ranges.last_mut() {
            Some(last) if last.end == at => last.end += 1,
            _ => ranges.push(at..at + 1),
        }
    }
    ranges
}

/// A number of each PE of the small wafer, summed over all that it stands for.
fn in_all(numbers: &[u64], columns: &Axis, rows: &Axis) -> u64 {
    let (columns, rows) = (columns.counts(), rows.counts());
    let times = |pe: usize| columns[pe % columns.len()] * rows[pe / columns.len()];
    numbers.iter().enumerate().map(|(pe, number)| number * times(pe)).sum()
}

/// A wafer that stands for a large one.
struct Small {
    wafer: Wafer,
    columns: Axis,
    rows: Axis,
    twins: Twins,
}

impl Small {
    fn new(large: &Wafer, columns: Axis, rows: Axis, written: &Written) -> Small {
        let program = Arc::new(fold_program(&large.program, &columns, &rows));
        let mut wafer = Wafer::new(&program, large.cells.maker.options);
        wafer.limit_links(large.fabric.link_depth());
        wafer.fabric.record();
        wafer.stop = large.stop;
        for (index, tile) in program.place.iter().enumerate() {
            let Some(pe) = wafer.cells.pe(index) else { continue };
            let at = example(&program, index, &columns, &rows);
            if let Some(made) = large.cells.get(large.program.pe_index(at)) {
                let words = made.memory().words();
                pe.write_words(0, words).expect("memories of one tile have one size");
            }
            pe.write_script(&written.foreign[*tile as usize]);
        }
        let twins = Twins::new(&columns, &rows);
        Small { wafer, columns, rows, twins }
    }

    /// Runs to the end, or until it is clear that it cannot stand for the large one.
    fn run(&mut self, limit: u64) -> Result<(), Misfit> {
        let mut next_look = CYCLES_BETWEEN_LOOKS;
        loop {
            let progress = self.wafer.cycle();
            let events = self.wafer.fabric.events().map(std::mem::take).unwrap_or_default();
            let cells = &self.wafer.cells;
            let axes = (&self.columns, &self.rows);
            let seen = self.twins.look(&events, &self.wafer.program, axes, |pe| cells.get(pe)?.script());
            seen.ok_or(Misfit::Never)?;
            match progress {
                Progress::Moving if self.wafer.now < limit => {}
                Progress::Quiet => break,
                Progress::Moving | Progress::Trapped | Progress::Interrupted => return Err(Misfit::Never),
            }
            if self.wafer.now >= next_look {
                self.still_stands()?;
                next_look = self.wafer.now + CYCLES_BETWEEN_LOOKS;
            }
        }
        self.still_stands()?;
        let log = &self.wafer.log;
        let is_silent = log.printed.is_empty() && log.traced.is_empty() && log.warnings().is_empty();
        let is_over = self.wafer.stall_report(Vec::new()).is_none() && self.wafer.leftovers().is_empty();
        if is_silent && is_over { Ok(()) } else { Err(Misfit::Never) }
    }

    fn still_stands(&self) -> Result<(), Misfit> {
        let settled = self.twins.settle(&mut self.columns.clone(), &mut self.rows.clone());
        settled.ok_or(Misfit::TooSmall)?;
        let describes = |(_, _, pe): (usize, PeCoord, &Pe)| pe.script().is_some();
        let holds = self.twins.wavelets() < MOST_WAVELETS && self.wafer.cells.made().all(describes);
        if holds { Ok(()) } else { Err(Misfit::Never) }
    }

    /// The PEs to which something has happened.
    fn take_pes(&mut self) -> Vec<Option<Pe>> {
        let program = &self.wafer.program;
        let has_run = |index: usize| program.tiles[program.place[index] as usize].active != 0;
        let come = &self.twins.come;
        let was_met =
            |index: usize| come.range((index, Color(0))..).next().is_some_and(|((pe, _), _)| *pe == index);
        let pes = self.wafer.cells.take_all().into_iter().enumerate();
        pes.map(|(index, pe)| pe.filter(|_| has_run(index) || was_met(index)).map(|pe| *pe)).collect()
    }
}

/// A place of the large wafer that one of the small wafer is like.
fn example(small: &Program, index: usize, columns: &Axis, rows: &Axis) -> PeCoord {
    let PeCoord { x, y } = small.pe_coord(index);
    PeCoord { x: columns.example(x.into()) as u16, y: rows.example(y.into()) as u16 }
}

/// The program with fewer columns and rows.
fn fold_program(program: &Program, columns: &Axis, rows: &Axis) -> Program {
    let (width, height) = (columns.folded(), rows.folded());
    let mut small = Program {
        width: width as u16,
        height: height as u16,
        routes: RouteTable::new(width * height),
        place: vec![0; width * height],
        ..program.clone()
    };
    for index in 0..width * height {
        let from = program.pe_index(example(&small, index, columns, rows));
        small.place[index] = program.place[from];
        for (color, number) in program.routes.row(from) {
            let declared = &program.routes.declared()[*number as usize];
            small.routes.set(index, *color, declared.config.clone(), declared.span);
        }
    }
    small
}

/// What repeats in columns and rows. PEs are of one kind if they have the same code and routes.
fn axes(program: &Program, margin: usize) -> (Axis, Axis) {
    let (width, height) = (usize::from(program.width), usize::from(program.height));
    let kind = |index: usize| (program.place[index], program.routes.row_number(index));
    let column = |x: usize| (0..height).map(|y| kind(y * width + x)).collect();
    let row = |y: usize| (0..width).map(|x| kind(y * width + x)).collect();
    let (columns, rows) = (numbered((0..width).map(column)), numbered((0..height).map(row)));
    (Axis::new(&columns, margin), Axis::new(&rows, margin))
}

/// Equal lines get equal numbers.
fn numbered(lines: impl Iterator<Item = Vec<(u32, u32)>>) -> Vec<u32> {
    let mut numbers: FxHashMap<Vec<(u32, u32)>, u32> = FxHashMap::default();
    let mut number = |line| {
        let next = numbers.len() as u32;
        *numbers.entry(line).or_insert(next)
    };
    lines.map(&mut number).collect()
}

/// Whether scripts may describe what the program does: no host that goes on with it, no commands to
/// routers, nothing that depends on the place of a PE.
fn is_describable(program: &Program) -> bool {
    let is_launched = program.exports.iter().any(|export| matches!(export.kind, ExportKind::Fn { .. }));
    let routes = program.routes.declared().iter().all(|declared| is_fixed(&declared.config));
    program.memcpy.is_none() && !is_launched && routes && program.tiles.iter().all(|tile| is_plain(tile))
}

fn is_fixed(config: &ColorConfig) -> bool {
    let ColorConfig { rx: _, tx: _, swap_x, swap_y, switches, filter, teardown, inject } = config;
    let is_plain = switches.is_none() && filter.is_none() && inject.is_none();
    is_plain && !swap_x && !swap_y && !teardown
}

fn is_plain(tile: &TileImage) -> bool {
    let has_nothing = tile.maps.is_empty() && tile.fifos.is_empty() && tile.handlers.is_empty();
    let has_tasks = tile.tasks.iter().all(|task| task.kind == TaskKind::Local);
    let is_known = |op: &Op| match op {
        Op::Intrinsic { id, .. } => matches!(
            id,
            Intrinsic::TscEnable
                | Intrinsic::TscReset
                | Intrinsic::TscRead
                | Intrinsic::Random16
                | Intrinsic::SetActivePrng
                | Intrinsic::SeedPrng
                | Intrinsic::Math32
                | Intrinsic::Math16
        ),
        _ => true,
    };
    let code = tile.functions.iter().flat_map(|function| &function.code);
    has_nothing
        && has_tasks
        && !tile.has_memcpy
        && tile.initial_config.is_empty()
        && code.into_iter().all(is_known)
}
