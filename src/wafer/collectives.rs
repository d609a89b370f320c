//! Whether the PEs of a row or column agree on their collective operations.
//!
//! The data of an operation are wavelets, and nothing in them says what they belong to: PEs that
//! disagree would wait for ever or take the wrong data.

use super::findings::Findings;
use crate::arch::PeCoord;
use crate::diagnostics::rules::run::{COLLECTIVE_COUNT, COLLECTIVE_MISMATCH, COLLECTIVE_ROOT};
use crate::diagnostics::{Diag, Moment};
use crate::image::Program;
use crate::pe::CollectiveCall;
use crate::source::{SourceMap, Span};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Display;

/// What `Intrinsic::Collective` calls the operations.
const KINDS: [&str; 5] = ["broadcast", "scatter", "gather", "reduce_fadds", "reduce_faddh"];

/// A row or column with the colors of one import of the library: is it a column, which, color.
type Line = (bool, u16, u16);

/// The operations that not all PEs of their line have begun.
#[derive(Clone, Debug, Default)]
pub struct Collectives {
    lines: BTreeMap<Line, LineState>,
}

/// An operation that some PEs of a line have begun and others have not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IncompleteCollective {
    /// The line, the operation and the PE that was first.
    pub text: String,
    /// The first PEs that have not called it.
    pub missing: Vec<PeCoord>,
    /// How many more there are.
    pub more: usize,
    /// The call of the first PE.
    pub span: Option<Span>,
}

/// More PEs that have not joined an operation than this are counted, not named.
const MOST_MISSING: usize = 4;

#[derive(Clone, Debug, Default)]
struct LineState {
    /// Operations before the first of `open`.
    closed: u64,
    /// The operations that some PEs have begun.
    open: Vec<OpenOperation>,
    /// Operations that each PE has begun, by its place in the line.
    begun: BTreeMap<u16, u64>,
}

#[derive(Clone, Debug)]
struct OpenOperation {
    /// The call of whoever has begun it first.
    first: CollectiveCall,
    /// How many PEs have begun it.
    count: u16,
    /// Warnings about buffers.
    small: Vec<(PeCoord, Diag)>,
}

impl Collectives {
    /// Notes the collective operations that PEs have begun in a cycle.
    #[inline]
    pub(super) fn step(&mut self, findings: &mut Findings, program: &Program) {
        let joined = findings.take_joined();
        if joined.is_empty() {
            return;
        }
        self.join(joined, program).into_iter().for_each(|(pe, diag)| findings.hazard(pe, diag));
    }

    /// Notes operations that PEs have begun. Returns errors about those that do not match, each with its PE, and warnings
    /// about the buffers of those that all PEs have begun alike.
    fn join(&mut self, mut joined: Vec<CollectiveCall>, program: &Program) -> Vec<(PeCoord, Diag)> {
        joined.sort_by_key(|j| (j.cycle, j.pe.y, j.pe.x));
        let mut diags = Vec::new();
        for j in joined {
            let pe = j.pe;
            match j.root >= j.size {
                true => diags.push((pe, bad_root(&j, &program.sources))),
                false => diags.extend(self.join_one(j, program)),
            }
        }
        diags
    }

    /// Operations that not all PEs of a line have begun: the oldest one of each line.
    pub fn unjoined(&self, sources: &SourceMap) -> Vec<IncompleteCollective> {
        self.lines.values().filter_map(|state| state.unjoined(sources)).collect()
    }

    fn join_one(&mut self, j: CollectiveCall, program: &Program) -> Vec<(PeCoord, Diag)> {
        let (line, place) = if j.is_column { (j.pe.x, j.pe.y) } else { (j.pe.y, j.pe.x) };
        let state = self.lines.entry((j.is_column, line, j.color)).or_default();
        let begun = state.begun.entry(place).or_default();
        let at = (*begun - state.closed) as usize;
        *begun += 1;
        let number = *begun;
        let mut small = too_small(&j, program);
        let Some(open) = state.open.get_mut(at) else {
            state.open.push(OpenOperation { first: j, count: 1, small });
            return state.close();
        };
        let first = &open.first;
        let differs = (first.kind, first.root, first.count) != (j.kind, j.root, j.count);
        open.count += 1;
        if !differs {
            open.small.append(&mut small);
            return state.close();
        }
        let diag = mismatch(first, &j, number, &program.sources);
        // The wrong count is one mistake.
        open.small.clear();
        state.close();
        vec![(j.pe, diag)]
    }
}

impl LineState {
    fn unjoined(&self, sources: &SourceMap) -> Option<IncompleteCollective> {
        let first = &self.open.first()?.first;
        let pe = |place| match first.is_column {
            true => PeCoord { x: first.pe.x, y: place },
            false => PeCoord { x: place, y: first.pe.y },
        };
        let is_missing = |place: &u16| self.begun.get(place).is_none_or(|begun| *begun <= self.closed);
        let mut missing: Vec<PeCoord> = (0..first.size).filter(is_missing).map(pe).collect();
        let more = missing.len().saturating_sub(MOST_MISSING);
        missing.truncate(MOST_MISSING);
        let text = format!("{}: {} has called {}", line_word(first), first.pe, told(first));
        Some(IncompleteCollective { text, missing, more, span: call(first, sources) })
    }

    /// Forgets operations that all PEs have begun; the warnings about their buffers.
    fn close(&mut self) -> Vec<(PeCoord, Diag)> {
        let mut small = Vec::new();
        while self.open.first().is_some_and(|open| open.count == open.first.size) {
            small.extend(self.open.remove(0).small);
            self.closed += 1;
        }
        small
    }
}

/// `broadcast, root 0, 4 elements`
fn told(j: &CollectiveCall) -> String {
    let kind = KINDS[usize::from(j.kind)];
    format!("{kind}, root {}, {} elements", j.root, j.count)
}

/// Where the program calls the library.
fn call(j: &CollectiveCall, sources: &SourceMap) -> Option<Span> {
    sources.outside_library(&j.calls)
}

fn moment(pe: PeCoord, cycle: u64) -> Moment {
    Moment { x: pe.x, y: pe.y, cycle }
}

fn line_word(j: &CollectiveCall) -> String {
    if j.is_column { format!("column {}", j.pe.x) } else { format!("row {}", j.pe.y) }
}

fn mismatch(first: &CollectiveCall, j: &CollectiveCall, number: u64, sources: &SourceMap) -> Diag {
    let mut c = COLLECTIVE_MISMATCH.because(&[
        ("line", &line_word(j)),
        ("number", &number),
        ("pe", &j.pe),
        ("this", &told(j)),
    ]);
    if let Some(span) = call(j, sources) {
        c = c.at(span);
    }
    c = match call(first, sources).filter(|span| Some(*span) != call(j, sources)) {
        Some(span) => c.also(span, format!("{}: {}", first.pe, told(first))),
        None => c.note(format!("{}: {}", first.pe, told(first))),
    };
    c.help("all PEs of the line must call the same operation with the same root and count")
        .on(moment(j.pe, j.cycle))
}

/// The warnings about buffers that a PE gives an operation and that are smaller than what it moves there.
fn too_small(j: &CollectiveCall, program: &Program) -> Vec<(PeCoord, Diag)> {
    let place = if j.is_column { j.pe.y } else { j.pe.x };
    let blocks = if place == j.root { u32::from(j.size) } else { 0 };
    let blocks = match KINDS[usize::from(j.kind)] {
        "broadcast" => [1, 0],
        "scatter" => [blocks, 1],
        "gather" => [1, blocks],
        _ => [1, blocks.min(1)],
    };
    let Some(tile) = program.tile_at(j.pe) else { return Vec::new() };
    let words = if KINDS[usize::from(j.kind)] == "reduce_faddh" { 1 } else { 2 };
    let buffers = j.buffers.into_iter().zip(blocks);
    let found = buffers.filter_map(|(address, blocks)| {
        let symbol =
            tile.symbols.iter().find(|s| (s.addr..s.addr.saturating_add(s.words)).contains(&address))?;
        let end = u32::from(symbol.addr) + u32::from(symbol.words);
        let have = (end - u32::from(address)) / words;
        let want = blocks * u32::from(j.count);
        (want > have).then(|| {
            let facts: [(&str, &dyn Display); 4] =
                [("this", &told(j)), ("want", &want), ("name", &symbol.name), ("have", &have)];
            let diag = COLLECTIVE_COUNT.because(&facts).also(symbol.span, "declared here");
            let diag = match call(j, &program.sources) {
                Some(span) => diag.at(span),
                None => diag,
            };
            let each = have / blocks;
            let help = format!("give a count of at most {each}, or make `{}` larger", symbol.name);
            (j.pe, diag.help(help).on(moment(j.pe, j.cycle)))
        })
    });
    found.collect()
}

fn bad_root(j: &CollectiveCall, sources: &SourceMap) -> Diag {
    let c = COLLECTIVE_ROOT.because(&[("root", &j.root), ("line", &line_word(j)), ("size", &j.size)]);
    let c = match call(j, sources) {
        Some(span) => c.at(span),
        None => c,
    };
    c.help(format!("the root is the position of a PE in the line: 0 to {}", j.size - 1))
        .on(moment(j.pe, j.cycle))
}
