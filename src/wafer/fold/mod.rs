//! A large wafer whose columns and rows repeat, run as a small one.
//!
//! Nobody can see the difference. A small wafer, which has some of the repetitions only, runs cycle by
//! cycle. If on both sides of some place all that routers do there, they do in the same cycles in the next
//! repetition, then any number of equal repetitions may stand between: each of them sees at its borders
//! what this one sees, and PEs and routers do nothing but answer to what they see. So their cycles are
//! known without running them. Their memories are not: they may hold other words.
//! Therefore the PEs of the small wafer write down what their operations do to memory ([`Script`]), and
//! that is done on the memories of all PEs, many elements at a time. Should code look at a word that may
//! differ from PE to PE, or should anything happen that no script describes, the wafer runs as a whole.

mod axis;
mod passage;
mod pieces;
mod plan;
mod replay;
mod slab;
mod twins;

pub use replay::Folded;

use super::{Progress, Wafer};
use crate::arch::PeCoord;
use crate::image::code::{Intrinsic, Op};
use crate::image::{ColorConfig, ExportKind, Program, RouteTable, TaskKind, TileImage};
use crate::pe::{Kept, Pe, Ready, Script, Values, ranges};
use axis::Axis;
use indexmap::IndexSet;
use plan::{Folding, Plan};
use replay::{Replay, Start};
use rustc_hash::FxBuildHasher;
use slab::Ahead;
use std::ops::Range;
use std::sync::Arc;
use twins::Twins;

/// It is worth it if the small wafer has so many times fewer PEs: it is recorded, and may be in vain.
const TIMES_FEWER: usize = 8;
/// Repetitions at each end that may differ from those between, one attempt after the other.
const MARGINS: [usize; 14] = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096];
/// The cycle of the first look: what PEs keep is known for the most part when their operations have begun.
const FIRST_LOOK: u64 = 8;
/// Cycles between two looks at whether the repetitions are still alike.
const CYCLES_BETWEEN_LOOKS: u64 = 32;
/// A chunk of rows has so many times the PEs that are enough for a thread in a cycle: what is given to
/// threads side by side, they then seldom have to fetch from each other.
const SHARES_OF_A_CHUNK: usize = 24;
/// Words for which memory is asked for before they are needed.
const WORTH_ASKING: u64 = 8 << 20;
/// Wavelets of the small wafer of which the origin is kept: about a gigabyte.
const MOST_WAVELETS: u64 = 40_000_000;

/// Why a small wafer cannot stand for a large one.
enum Misfit {
    /// One with more repetitions might.
    TooSmall,
    /// None can.
    Never,
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
        let (columns, rows) = kinds(&self.program);
        // What happens at the borders is felt the farther inside the longer it takes.
        for margin in MARGINS {
            let (columns, rows) = (Axis::new(&columns, margin), Axis::new(&rows, margin));
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
        let mut small = Small::new(self, columns, rows, &self.foreign());
        small.run(limit)?;
        self.unfold(small)
    }

    /// Becomes what the small wafer says.
    fn unfold(&mut self, mut small: Small) -> Result<(), Misfit> {
        let reach = small.twins.settle(&mut small.columns, &mut small.rows).ok_or(Misfit::TooSmall)?;
        let mut pes = small.take_pes();
        let scripts = pes.iter_mut().map(|pe| match pe {
            Some(pe) => pe.take_script().map(Some).ok_or(Misfit::Never),
            None => Ok(None),
        });
        let scripts: Vec<Option<Script>> = scripts.collect::<Result<_, _>>()?;
        let Small { wafer, columns, rows, twins, ahead, .. } = small;
        let folding = Folding { columns: &columns, rows: &rows, reach };
        let (kept, acts) = self.prepare(&scripts, &pes, (&columns, &rows));
        let keeps = kept.iter().any(|kept| kept.count() > 0);
        let plan = Plan::new(&scripts, acts, &twins, &folding, keeps)?;
        let replay = Replay {
            plan: &plan,
            start: self.start(),
            columns: &columns,
            rows: &rows,
            kept: &kept,
            crew: &self.crew,
            pes_of_a_chunk: SHARES_OF_A_CHUNK * self.pes_of_a_thread,
            stop: self.stop,
        };
        // Whoever has stopped it finds the wafer before its start.
        let memories = replay.run(ahead).ok_or(Misfit::Never)?;
        self.fabric.count_hops(in_all(&twins.hops, &columns, &rows));
        self.agenda.clear();
        (self.now, self.reached) = (wafer.now, wafer.reached);
        self.log.asserts_held.extend(wafer.log.asserts_held);
        // It has run, even if that took no cycle.
        self.folds = false;
        self.cells.fold(Folded::new((columns, rows), pes, kept, memories));
        Ok(())
    }

    /// What each PE of the small wafer keeps, and its acts.
    fn prepare(
        &self,
        scripts: &[Option<Script>],
        pes: &[Option<Pe>],
        (columns, rows): (&Axis, &Axis),
    ) -> (Vec<Kept>, Vec<Vec<Ready>>) {
        let mut values = Values::default();
        let prepared = scripts.iter().zip(pes).enumerate().map(|(index, (script, pe))| {
            let (Some(script), Some(pe)) = (script, pe) else { return Default::default() };
            let at = example(index, columns, rows);
            let words = self.start().words(self.program.pe_index(at));
            script.prepare(words, pe.memory().words().len(), &mut values)
        });
        prepared.unzip()
    }

    fn start(&self) -> Start<'_> {
        Start { program: &self.program, cells: &self.cells }
    }

    /// For each tile, the words in which its PEs differ before anything runs.
    fn foreign(&self) -> Vec<Vec<Range<usize>>> {
        let tiles = self.program.tiles.len();
        if self.cells.made().next().is_none() {
            return vec![Vec::new(); tiles];
        }
        let mut firsts: Vec<Option<&[u16]>> = vec![None; tiles];
        let mut differs: Vec<Vec<bool>> = vec![Vec::new(); tiles];
        for (index, tile) in self.program.place.iter().enumerate() {
            let tile = *tile as usize;
            let Some(first) = firsts.get_mut(tile) else { continue };
            let words = self.start().words(index);
            let first = *first.get_or_insert(words);
            if first != words {
                note_differences(first, words, &mut differs[tile]);
            }
        }
        let those = |differs: &Vec<bool>| ranges((0..differs.len()).filter(|word| differs[*word]));
        differs.iter().map(those).collect()
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
    /// Whether another thread has nothing to do meanwhile.
    helped: bool,
    /// Memory for what the PEs of the large one keep.
    ahead: Option<Ahead>,
}

impl Small {
    fn new(large: &Wafer, columns: Axis, rows: Axis, foreign: &[Vec<Range<usize>>]) -> Small {
        let program = Arc::new(fold_program(&large.program, &columns, &rows));
        let mut wafer = Wafer::new(&program, large.cells.maker.options);
        wafer.limit_links(large.fabric.link_depth());
        wafer.fabric.record();
        wafer.stop = large.stop;
        for (index, tile) in program.place.iter().enumerate() {
            let Some(pe) = wafer.cells.pe(index) else { continue };
            let at = example(index, &columns, &rows);
            if let Some(made) = large.cells.get(large.program.pe_index(at)) {
                let words = made.memory().words();
                pe.write_words(0, words).expect("memories of one tile have one size");
            }
            pe.write_script(&foreign[*tile as usize]);
        }
        let twins = Twins::new(&columns, &rows);
        Small { wafer, columns, rows, twins, helped: large.crew.size() > 1, ahead: None }
    }

    /// Runs to the end, or until it is clear that it cannot stand for the large one.
    fn run(&mut self, limit: u64) -> Result<(), Misfit> {
        let mut next_look = FIRST_LOOK;
        let mut events = Vec::new();
        loop {
            let progress = self.wafer.cycle();
            if let Some(written) = self.wafer.fabric.events() {
                events.clear();
                std::mem::swap(written, &mut events);
            }
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
                self.ask_for_memory();
                next_look = self.wafer.now + CYCLES_BETWEEN_LOOKS;
            }
        }
        self.still_stands()?;
        let log = &self.wafer.log;
        let is_silent = log.printed.is_empty() && log.traced.is_empty() && log.warnings().is_empty();
        let is_over = self.wafer.stall_report(Vec::new()).is_none() && self.wafer.leftovers().is_empty();
        if is_silent && is_over { Ok(()) } else { Err(Misfit::Never) }
    }

    /// What PEs keep grows only: so much they keep at least.
    fn ask_for_memory(&mut self) {
        if !self.helped || self.ahead.is_some() {
            return;
        }
        let kept = |pe: usize| self.wafer.cells.get(pe).map_or(0, |pe| pe.foreign_words() as u64);
        let kept: Vec<u64> = (0..self.wafer.program.place.len()).map(kept).collect();
        let count = in_all(&kept, &self.columns, &self.rows);
        if count >= WORTH_ASKING {
            self.ahead = Ahead::of(count as usize);
        }
    }

    fn still_stands(&self) -> Result<(), Misfit> {
        let settled = self.twins.settle(&mut self.columns.clone(), &mut self.rows.clone());
        settled.ok_or(Misfit::TooSmall)?;
        let describes = |(_, _, pe): (usize, PeCoord, &Pe)| pe.script().is_some();
        let holds = self.twins.wavelets() < MOST_WAVELETS
            && self.wafer.fabric.losses().is_empty()
            && self.wafer.cells.made().all(describes);
        if holds { Ok(()) } else { Err(Misfit::Never) }
    }

    /// The PEs to which something has happened.
    fn take_pes(&mut self) -> Vec<Option<Pe>> {
        let program = &self.wafer.program;
        let has_run = |index: usize| program.tiles[program.place[index] as usize].active != 0;
        let was_met = |index| self.twins.has_come_to(index);
        let pes = self.wafer.cells.take_all().into_iter().enumerate();
        pes.map(|(index, pe)| pe.filter(|_| has_run(index) || was_met(index)).map(|pe| *pe)).collect()
    }
}

/// A place of the large wafer that one of the small wafer is like.
fn example(index: usize, columns: &Axis, rows: &Axis) -> PeCoord {
    let (x, y) = (index % columns.folded(), index / columns.folded());
    PeCoord { x: columns.example(x) as u16, y: rows.example(y) as u16 }
}

/// The program with fewer columns and rows.
fn fold_program(program: &Program, columns: &Axis, rows: &Axis) -> Program {
    let (width, height) = (columns.folded(), rows.folded());
    let mut routes = RouteTable::new(width * height);
    let like = |index| program.pe_index(example(index, columns, rows));
    for index in 0..width * height {
        for (color, number) in program.routes.row(like(index)) {
            let declared = &program.routes.declared()[*number as usize];
            routes.set(index, *color, declared.config.clone(), declared.span);
        }
    }
    // Not `..program.clone()`: most of a large program are its places.
    Program {
        arch: program.arch,
        width: width as u16,
        height: height as u16,
        fabric: program.fabric,
        tiles: program.tiles.clone(),
        place: (0..width * height).map(|index| program.place[like(index)]).collect(),
        routes,
        exports: program.exports.clone(),
        memcpy: program.memcpy.clone(),
        direct: program.direct.clone(),
        sources: program.sources.clone(),
    }
}

/// The kinds of columns and of rows. PEs are of one kind if they have the same code and routes.
fn kinds(program: &Program) -> (Vec<u32>, Vec<u32>) {
    let width = usize::from(program.width);
    let mut distinct: IndexSet<(&[u32], &[u32]), FxBuildHasher> = IndexSet::default();
    let all = (0..program.place.len()).step_by(width.max(1)).map(|first| first..first + width);
    let kinds = all.map(|row| (&program.place[row.clone()], program.routes.row_numbers(row)));
    let rows = kinds.map(|row| distinct.insert_full(row).0 as u32).collect();
    // Where rows are equal, nothing new is to be seen of columns.
    let columns = distinct.iter().fold(vec![0; width], |columns, (tiles, routes)| {
        let mut known: IndexSet<(u32, u32, Option<&u32>), FxBuildHasher> = IndexSet::default();
        let all = columns.into_iter().zip(*tiles).enumerate();
        all.map(|(x, (so_far, tile))| known.insert_full((so_far, *tile, routes.get(x))).0 as u32).collect()
    });
    (columns, rows)
}

/// Whether scripts may describe what the program does: no host that goes on with it, no commands to
/// routers, nothing that depends on the place of a PE.
fn is_describable(program: &Program) -> bool {
    let is_launched = program.exports.iter().any(|export| matches!(export.kind, ExportKind::Fn { .. }));
    let routes = program.routes.declared().iter().all(|declared| is_fixed(&declared.config));
    let has_streams = program.direct.as_ref().is_some_and(|direct| !direct.streams.is_empty());
    program.memcpy.is_none()
        && !has_streams
        && !is_launched
        && routes
        && program.tiles.iter().all(|tile| is_plain(tile))
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
