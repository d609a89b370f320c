//! A run under a debugger: it goes on tick by tick, can be copied, and tells when code comes to marked operations.
//!
//! A tick is one step of the host and the wafer, mostly a cycle. A copy goes on as the run would, so whoever keeps copies
//! can go back in time.

use super::view::{OpAddress, PeView, Tree};
use super::{Failure, Runner, SeenWrite};
use crate::arch::PeCoord;
use crate::image::{FnId, Function, Program, TileImage};
use crate::source::{FileId, Span};
use crate::wafer::{
    DebugOrders, Notice, Notices, Pe, StepKind, StepOrder, StopCandidate, TileMarks, WriteLog,
};
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Decides which breakpoints a PE meets, by the numbers that the debugger gave them.
pub type Condition = dyn Fn(&PeView<'_>, StopCandidate) -> Vec<u32> + Send + Sync;

/// What a debugger wants to be told.
#[derive(Clone, Default)]
pub struct DebugRequest {
    /// Operations.
    pub marks: Vec<OpAddress>,
    /// Colors whose wavelets are told when they come into an input queue, bit = color.
    pub colors: u32,
    /// Who wants to be told of an operation or a wavelet; without it nobody does.
    pub condition: Option<Arc<Condition>>,
    /// Where it is told.
    pub notices: Notices,
}

impl Program {
    /// The operations at which code comes to a line: the first one of each function, and of each expansion of the
    /// function that the line belongs to, whose text is `around`. `line` counts from 1.
    pub fn code_on_line(&self, file: FileId, line: usize, around: Option<(u32, u32)>) -> Vec<OpAddress> {
        let Some(extent) = self.extent_of_line(file, line) else { return Vec::new() };
        let around = around.map_or(0..u32::MAX, |(from, to)| from..to);
        self.operations(|function| {
            let is_inside = |span: &Span| span.file == file && around.contains(&span.lo);
            let is_its_own = is_inside(&function.span);
            let (mut found, mut is_met) = (Vec::new(), false);
            for (pc, span) in function.spans.iter().enumerate() {
                let is_there = is_inside(span) && extent.contains(&span.lo);
                if is_there && !is_met {
                    found.push(pc);
                }
                // After one expansion the next one may begin.
                is_met = is_there || is_met && (is_its_own || is_inside(span));
            }
            found
        })
    }

    /// The first line with code from a line on, in a file.
    pub fn line_with_code(&self, file: FileId, line: usize) -> Option<usize> {
        let from = self.extent_of_line(file, line)?.start;
        let spans = self.tiles.iter().flat_map(|tile| &tile.functions).flat_map(|f| f.spans.iter());
        let first = spans.filter(|span| span.file == file && span.lo >= from).map(|span| span.lo).min()?;
        Some(self.sources.line_col(file, first).line)
    }

    /// Whether a variable of some tile has a name, or lies in a module or struct whose name begins it.
    pub fn has_variable(&self, name: &str) -> bool {
        self.has_global(name, None)
            || self.tiles.iter().any(|tile| {
                let mut locals = tile.functions.iter().flat_map(|function| &function.locals);
                locals.any(|local| may_mean(name, &local.name))
            })
    }

    /// Whether a global of a PE, or of some PE, has a name, or lies in a module or struct whose name begins it.
    pub fn has_global(&self, name: &str, on: Option<PeCoord>) -> bool {
        let has_it = |tile: &TileImage| tile.symbols.iter().any(|symbol| may_mean(name, &symbol.name));
        match on {
            Some(at) => self.tile_of(at).is_some() && self.tile_at(at).is_some_and(|tile| has_it(tile)),
            None => self.tiles.iter().any(|tile| has_it(tile)),
        }
    }

    /// The first operations of the functions and tasks with a name.
    pub fn code_of_function(&self, name: &str) -> Vec<OpAddress> {
        self.operations(|function| if function.name == name { vec![0] } else { Vec::new() })
    }

    /// The operations with which the expansions of an inline function begin, whose text is `around`.
    pub fn code_of_expansions(&self, file: FileId, around: (u32, u32)) -> Vec<OpAddress> {
        let is_inside = |span: &Span| span.file == file && (around.0..around.1).contains(&span.lo);
        self.operations(|function| {
            let begins = |pc: usize| pc == 0 || !is_inside(&function.spans[pc - 1]);
            let places = function.spans.iter().enumerate();
            places.filter(|(pc, span)| is_inside(span) && begins(*pc)).map(|(pc, _)| pc).collect()
        })
    }

    fn operations(&self, wanted: impl Fn(&Function) -> Vec<usize>) -> Vec<OpAddress> {
        let mut all = Vec::new();
        for (tile, image) in self.tiles.iter().enumerate() {
            for (function, code) in image.functions.iter().enumerate() {
                let (tile, function) = (tile as u32, function as u32);
                all.extend(wanted(code).into_iter().map(|pc| OpAddress { tile, function, pc: pc as u32 }));
            }
        }
        all
    }

    fn extent_of_line(&self, file: FileId, line: usize) -> Option<std::ops::Range<u32>> {
        let starts = self.sources.file(file).line_starts();
        let from = *starts.get(line.checked_sub(1)?)?;
        Some(from..starts.get(line).copied().unwrap_or(u32::MAX))
    }

    /// The PEs with code, row by row.
    pub fn pes(&self) -> impl Iterator<Item = PeCoord> {
        let coded = (0..self.place.len()).filter(|pe| (self.place[*pe] as usize) < self.tiles.len());
        coded.map(|pe| self.pe_coord(pe))
    }

    /// The number of the tile that a PE runs, and its file; `None` if it has no code.
    pub fn tile_of(&self, at: PeCoord) -> Option<(u32, &str)> {
        if at.x >= self.width || at.y >= self.height {
            return None;
        }
        let tile = self.place[self.pe_index(at)];
        Some((tile, &self.tiles.get(tile as usize)?.file))
    }
}

/// Whether a name in an expression may mean a variable, or a part of one.
fn may_mean(name: &str, variable: &str) -> bool {
    let first = name.split('.').next().unwrap_or(name);
    let is_inside = |rest: &str| rest.starts_with(['.', '[']);
    variable == first
        || variable == name
        || variable.rsplit('.').next() == Some(first)
        || variable.strip_prefix(first).is_some_and(is_inside)
}

impl Runner {
    /// A copy that continues exactly like this run.
    pub fn fork(&self) -> Runner {
        Runner {
            program: Arc::clone(&self.program),
            wafer: self.wafer.fork(),
            options: self.options,
            stream: self.stream.clone(),
            ports: self.ports.clone(),
            serves_edges: self.serves_edges,
            warnings: self.warnings.clone(),
            log: None,
        }
    }

    /// From now on the run stops when this becomes true.
    pub fn stop_when(&mut self, stop: &'static AtomicBool) {
        self.options.stop = Some(stop);
        self.wafer.stop_when(stop);
    }

    /// Asks to be told from now on; a step of a PE and a stop are forgotten. Call it before anything runs, so that every
    /// PE counts its operations.
    pub fn debug(&mut self, request: &DebugRequest) {
        let mut tiles = Vec::new();
        for OpAddress { tile, function, pc } in &request.marks {
            let tile = *tile as usize;
            if tiles.len() <= tile {
                tiles.resize_with(tile + 1, TileMarks::default);
            }
            tiles[tile].add(FnId(*function), *pc as usize);
        }
        let program = Arc::clone(&self.program);
        let judge = request.condition.clone().map(|condition| -> Arc<crate::wafer::BreakpointMatcher> {
            Arc::new(move |pe: &dyn Any, candidate: StopCandidate| {
                let look = pe.downcast_ref::<Pe>().and_then(|pe| PeView::new(&program, pe));
                look.map_or_else(Vec::new, |look| condition(&look, candidate))
            })
        });
        let (colors, notices) = (request.colors, request.notices.clone());
        self.wafer.debug(Arc::new(DebugOrders { tiles, colors, judge, notices }));
    }

    /// Asks to be told when a step of a PE ends.
    pub fn step_pe(&mut self, at: PeCoord, kind: StepKind) {
        let Some(tile) = self.program.tile_at(at) else { return };
        let line = |span: &Span| {
            let place = self.program.sources.line_col(span.file, span.lo);
            (span.file.0 << 20) | place.line as u32 & 0xf_ffff
        };
        let lines = tile.functions.iter().map(|f| f.spans.iter().map(line).collect()).collect();
        if let Some(pe) = self.wafer.pe(at) {
            pe.step(StepOrder { kind, lines });
        }
    }

    /// The code of a PE stops before its n-th operation. After the next tick the run can only be looked at.
    pub fn stop_pe_at(&mut self, at: PeCoord, count: u64) {
        if let Some(pe) = self.wafer.pe(at) {
            pe.stop_at(count);
        }
    }

    /// Does the next tick; false if nothing happens any more before the host acts.
    ///
    /// # Errors
    /// The run fails, reaches its cycle limit or is interrupted.
    pub fn tick(&mut self) -> Result<bool, Failure> {
        self.advance_unseen(0, self.limit())
    }

    /// The cycle that comes next.
    pub fn next_cycle(&self) -> u64 {
        self.wafer.now()
    }

    /// A PE, to look at; `None` if it has no code.
    pub fn look(&mut self, at: PeCoord) -> Option<PeView<'_>> {
        if at.x >= self.program.width || at.y >= self.program.height {
            return None;
        }
        PeView::new(&self.program, self.wafer.pe(at)?)
    }

    /// The colors of the router of a PE, with what it lets through now and how its switches stand.
    pub fn routes(&self, at: PeCoord) -> Vec<Tree> {
        let row = self.program.routes.row(self.program.pe_index(at));
        let routes = row.iter().map(|(color, id)| {
            let config = &self.program.routes.declared()[*id as usize].config;
            let now = self.wafer.switch(at, *color);
            let (rx, tx) = now.map_or((config.rx, config.tx), |switch| (switch.rx, switch.tx));
            let mut tree = Tree::leaf(format!("color {color}"), format!("{rx} -> {tx}"));
            if let Some(switches) = &config.switches {
                let position = now.map_or(switches.current, |switch| switch.position);
                tree.value += &format!(", switch position {position}");
                // A position changes one side of the one before it.
                let (mut rx, mut tx) = (config.rx, config.tx);
                tree.parts.push(Tree::leaf("position 0", format!("{rx} -> {tx}")));
                let positions = switches.positions.iter().map_while(Option::as_ref);
                for (n, position) in positions.enumerate() {
                    (rx, tx) = (position.rx.unwrap_or(rx), position.tx.unwrap_or(tx));
                    tree.parts.push(Tree::leaf(format!("position {}", n + 1), format!("{rx} -> {tx}")));
                }
            }
            if config.filter.is_some() {
                tree.value += ", has a filter";
            }
            tree
        });
        routes.collect()
    }

    /// The PEs to which something has happened, to look at.
    pub fn looks(&self) -> impl Iterator<Item = PeView<'_>> {
        self.wafer.made().filter_map(|(_, pe)| PeView::new(&self.program, pe))
    }

    /// Notes from now on who writes some words of a PE.
    pub fn watch(&mut self, at: PeCoord, addr: usize, words: usize) {
        if let Some(pe) = self.wafer.pe(at) {
            pe.watch(WriteLog::new(addr, words));
        }
    }

    /// Forgets all words that are watched.
    pub fn end_watches(&mut self) {
        self.wafer.made_mut().for_each(Pe::end_watches);
    }

    /// Who has written the words of a PE that are watched, each with the first of these words and the number of
    /// operations that its code had begun.
    pub fn writes(&mut self, at: PeCoord) -> Vec<(usize, u64, SeenWrite)> {
        let Some(pe) = self.wafer.pe(at) else { return Vec::new() };
        let seen = |write: &crate::wafer::NotedWrite| {
            (write.at, write.operations, SeenWrite { cycle: write.cycle, span: write.span })
        };
        pe.noted_writes().iter().map(seen).collect()
    }

    /// How many lines and records the program has written.
    pub fn written(&self) -> u64 {
        self.wafer.written()
    }

    /// How many different warnings there are.
    pub fn warned(&self) -> usize {
        self.wafer.warned()
    }

    /// A hash of everything that decides how the run goes on.
    pub fn state(&self) -> u64 {
        self.wafer.state() ^ self.stream_state().rotate_left(1)
    }

    /// What a PE waits for, and who would have to act, in sentences.
    pub fn waits(&mut self, at: PeCoord) -> Vec<String> {
        super::questions::waits(self, at)
    }
}

impl Notice {
    /// The PE that it is about.
    pub fn pe(&self) -> PeCoord {
        match self {
            Notice::Code { pe, .. } | Notice::Arrival { pe, .. } => *pe,
        }
    }
}
