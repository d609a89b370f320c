//! What a PE tells a debugger: when its code comes to an operation that is marked, and when a wavelet arrives.
//!
//! A debugger runs the plain engine. A run without a debugger has no log, and pays for nothing here.

use crate::arch::{Color, PeCoord};
use crate::exec::calls::Frame;
use crate::exec::guard::{Guard, GuardedWords};
use crate::image::FnId;
use crate::image::code::Access;
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

/// An operation that a PE is about to begin, as a moment of its history.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ExecutionPoint {
    /// How many operations its code has begun before; one that is tried again counts once.
    pub count: u64,
    /// The function.
    pub function: FnId,
    /// The operation.
    pub pc: usize,
    /// The address of the call's frame: that of a call inside of another one is higher.
    pub frame: u16,
}

/// Something that a debugger has asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Code has come to an operation.
    Code {
        /// The PE.
        pe: PeCoord,
        /// The operation.
        place: ExecutionPoint,
        /// The breakpoints that want it, as the judge has named them.
        wanted_by: Vec<u32>,
        /// Whether it ends a step.
        is_step: bool,
    },
    /// A wavelet has come into an input queue.
    Arrival {
        /// The PE.
        pe: PeCoord,
        /// Its color.
        color: Color,
        /// Its data.
        data: u32,
        /// Whether it is a control wavelet.
        is_control: bool,
        /// The breakpoints that want it, as the judge has named them.
        wanted_by: Vec<u32>,
    },
}

/// Something on a PE at which breakpoints may stop a run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StopCandidate {
    /// Code has come to a marked operation.
    Code(ExecutionPoint),
    /// A wavelet of a color has come into an input queue.
    Arrival(Color),
}

/// The marked operations of the functions of a tile.
#[derive(Clone, Debug, Default)]
pub struct TileMarks(Vec<Vec<bool>>);

impl TileMarks {
    /// Marks an operation.
    pub fn add(&mut self, FnId(function): FnId, pc: usize) {
        let function = function as usize;
        if self.0.len() <= function {
            self.0.resize(function + 1, Vec::new());
        }
        let marks = &mut self.0[function];
        if marks.len() <= pc {
            marks.resize(pc + 1, false);
        }
        marks[pc] = true;
    }

    #[inline(always)]
    fn has(&self, function: FnId, pc: usize) -> bool {
        self.0.get(function.0 as usize).and_then(|marks| marks.get(pc)).is_some_and(|marked| *marked)
    }
}

/// Decides which breakpoints are met, by their numbers. It gets the PE as `dyn Any`, because this file is a part of the
/// PE and cannot name it.
pub type BreakpointMatcher = dyn Fn(&dyn Any, StopCandidate) -> Vec<u32> + Send + Sync;

/// What a debugger asks of all PEs.
#[derive(Clone, Default)]
pub struct DebugOrders {
    /// The marks of each tile; tiles at the end may be missing.
    pub tiles: Vec<TileMarks>,
    /// Colors whose arrivals are of interest, bit = color.
    pub colors: u32,
    /// Judges marked operations and arrivals; without it nobody wants to be told of them.
    pub judge: Option<Arc<BreakpointMatcher>>,
    /// Where the notices go.
    pub notices: Notices,
}

/// The notices of all PEs, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct Notices(Arc<Mutex<Vec<Notice>>>);

impl Notices {
    fn add(&self, notice: Notice) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(notice);
    }

    /// Takes them.
    pub fn take(&self) -> Vec<Notice> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Which operations of a PE end a step.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// The first of each line.
    Line,
    /// The first of each line in calls whose frames begin at this address or before it.
    LineOver(u16),
    /// The first one outside of calls whose frames begin at this address.
    Out(u16),
}

/// A step of one PE.
#[derive(Clone, Debug)]
pub struct StepOrder {
    /// What ends it.
    pub kind: StepKind,
    /// A number for the line of each operation, by function.
    pub lines: Vec<Vec<u32>>,
}

/// Why the loop has stopped before an operation.
#[derive(Copy, Clone, Debug)]
pub(super) enum Found {
    /// The PE is to be left in this state.
    Stop,
    /// Something to be told.
    Place { place: ExecutionPoint, is_marked: bool, is_step: bool },
}

/// The log of one PE.
#[derive(Clone)]
pub(super) struct DebugLog {
    orders: Arc<DebugOrders>,
    tile: usize,
    step: Option<Arc<StepOrder>>,
    /// Operations that have begun.
    count: u64,
    /// The one that has begun last.
    last: Option<ExecutionPoint>,
    /// The operation with this count does not begin.
    stop_at: Option<u64>,
    /// The operation with this count was told.
    told: Option<u64>,
    found: Option<Found>,
}

impl DebugLog {
    /// Nothing has run.
    pub fn new(orders: Arc<DebugOrders>, tile: usize) -> DebugLog {
        DebugLog { orders, tile, step: None, count: 0, last: None, stop_at: None, told: None, found: None }
    }

    /// Other orders from now on.
    pub fn obey(&mut self, orders: Arc<DebugOrders>) {
        (self.orders, self.step, self.stop_at) = (orders, None, None);
    }

    /// Sets what ends a step.
    pub fn step(&mut self, step: Option<Arc<StepOrder>>) {
        self.step = step;
    }

    /// Stops before the operation with this count.
    pub fn stop_at(&mut self, count: u64) {
        self.stop_at = Some(count);
    }

    /// How many operations have begun.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The operation that has begun last.
    pub fn last(&self) -> Option<ExecutionPoint> {
        self.last
    }

    /// Takes why the loop has stopped.
    pub fn take_found(&mut self) -> Option<Found> {
        self.found.take()
    }

    /// The judge.
    pub fn judge(&self) -> Option<Arc<BreakpointMatcher>> {
        self.orders.judge.clone()
    }

    /// Adds a notice.
    pub fn tell(&self, notice: Notice) {
        self.orders.notices.add(notice);
    }

    /// Whether arrivals of a color are of interest.
    pub fn wants(&self, color: Color) -> bool {
        self.orders.colors & 1u32.checked_shl(color.0.into()).unwrap_or(0) != 0
    }

    /// An operation is about to begin; whether the loop stops before it.
    #[inline(always)]
    fn stops_before(&mut self, frame: &Frame, pc: usize) -> bool {
        let place = ExecutionPoint { count: self.count, function: frame.function, pc, frame: frame.address };
        let is_tried_again = self.last.is_some_and(|last| {
            (last.function, last.pc, last.frame) == (place.function, place.pc, place.frame)
        });
        if is_tried_again {
            return false;
        }
        if self.stop_at == Some(self.count) {
            self.found = Some(Found::Stop);
            return true;
        }
        if self.told != Some(self.count) {
            let is_marked =
                self.orders.tiles.get(self.tile).is_some_and(|marks| marks.has(place.function, pc));
            let is_step = self.step.as_ref().is_some_and(|step| step.ends_at(place, self.last));
            if is_marked || is_step {
                self.told = Some(self.count);
                self.found = Some(Found::Place { place, is_marked, is_step });
                return true;
            }
        }
        self.count += 1;
        self.last = Some(place);
        false
    }
}

impl StepOrder {
    fn line(&self, function: FnId, pc: usize) -> u32 {
        self.lines.get(function.0 as usize).and_then(|lines| lines.get(pc)).copied().unwrap_or(0)
    }

    /// Whether an operation ends the step; `last` is the one before it.
    fn ends_at(&self, place: ExecutionPoint, last: Option<ExecutionPoint>) -> bool {
        match self.kind {
            StepKind::Line => self.is_start(place, last),
            StepKind::LineOver(frame) => place.frame <= frame && self.is_start(place, last),
            StepKind::Out(frame) => place.frame < frame || place.frame == frame && place.pc == 0,
        }
    }

    /// Whether an operation is the first one of its line.
    fn is_start(
        &self,
        ExecutionPoint { function, pc, frame, .. }: ExecutionPoint,
        last: Option<ExecutionPoint>,
    ) -> bool {
        let Some(last) = last else { return true };
        if pc == 0 || frame > last.frame {
            return true;
        }
        let line = self.line(function, pc);
        match frame == last.frame {
            true => line != self.line(last.function, last.pc),
            // After a return the rest of the line of the call is not a new line.
            false => line != self.line(function, pc - 1),
        }
    }
}

/// The guard of code that a debugger watches, and the words that are watched besides.
pub(super) struct Stepping<'a> {
    pub log: &'a mut DebugLog,
    pub words: Option<&'a mut GuardedWords>,
}

impl Guard for Stepping<'_> {
    const IS_ON: bool = true;
    const STEPS: bool = true;

    #[inline(always)]
    fn stops_before(&mut self, frame: &Frame, at: usize) -> bool {
        self.log.stops_before(frame, at)
    }

    fn reads(&mut self, at: usize, kind: Access) -> bool {
        self.words.as_mut().is_some_and(|words| words.reads(at, kind))
    }

    fn writes(&mut self, at: usize, kind: Access) -> bool {
        self.words.as_mut().is_some_and(|words| words.writes(at, kind))
    }

    fn copies(&mut self, to: u64, from: u64, words: u16) -> bool {
        self.words.as_mut().is_some_and(|watched| watched.copies(to, from, words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(function: u32, pc: usize, frame: u16) -> ExecutionPoint {
        ExecutionPoint { count: 0, function: FnId(function), pc, frame }
    }

    #[test]
    fn a_step_ends_at_the_first_operation_of_another_line() {
        let lines = vec![vec![1, 1, 2, 2, 3], vec![7, 8]];
        let ends = |kind, at: ExecutionPoint, last: ExecutionPoint| {
            StepOrder { kind, lines: lines.clone() }.ends_at(at, Some(last))
        };
        assert!(!ends(StepKind::Line, place(0, 1, 9), place(0, 0, 9)));
        assert!(ends(StepKind::Line, place(0, 2, 9), place(0, 1, 9)));
        // A call inside of line 2 returns into it.
        assert!(ends(StepKind::Line, place(1, 0, 12), place(0, 2, 9)));
        assert!(!ends(StepKind::LineOver(9), place(1, 0, 12), place(0, 2, 9)));
        assert!(!ends(StepKind::Line, place(0, 3, 9), place(1, 1, 12)));
        assert!(ends(StepKind::Out(12), place(0, 3, 9), place(1, 1, 12)));
        assert!(ends(StepKind::Line, place(0, 4, 9), place(1, 1, 12)));
    }

    #[test]
    fn marks_are_looked_up_by_function_and_operation() {
        let mut marks = TileMarks::default();
        marks.add(FnId(2), 3);
        assert!(marks.has(FnId(2), 3));
        assert!(!marks.has(FnId(2), 4) && !marks.has(FnId(1), 3) && !marks.has(FnId(9), 0));
    }
}
