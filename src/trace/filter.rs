//! Selects the events to record.

use super::{Event, EventKind, ThreadId};
use crate::arch::PeCoord;
use crate::image::{FnId, Program};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Which events are recorded, and how many. An empty condition accepts everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFilter {
    /// PEs.
    pub pes: Vec<PeRange>,
    /// Colors, bit = color: their wavelets, queues and switches, and the tasks and operations that
    /// they concern.
    pub colors: u32,
    /// Names of tasks: the tasks themselves, and the operations that they start.
    pub tasks: Vec<String>,
    /// Cycles.
    pub cycles: RangeInclusive<u64>,
    /// Events.
    pub limit: usize,
    /// Whether the code that tasks run is recorded, line by line.
    pub code: bool,
}

/// A rectangle of PEs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeRange {
    /// Columns.
    pub x: RangeInclusive<u16>,
    /// Rows.
    pub y: RangeInclusive<u16>,
}

impl Default for TraceFilter {
    fn default() -> TraceFilter {
        TraceFilter {
            pes: Vec::new(),
            colors: 0,
            tasks: Vec::new(),
            cycles: 0..=u64::MAX,
            limit: TraceFilter::DEFAULT_LIMIT,
            code: false,
        }
    }
}

impl TraceFilter {
    /// Default number of events: they take at most about 200 MB during the run.
    pub const DEFAULT_LIMIT: usize = 1_000_000;

    /// Whether what the host does is selected: it concerns no PE, color or task in particular.
    pub fn wants_host(&self) -> bool {
        self.pes.is_empty() && self.colors == 0 && self.tasks.is_empty()
    }

    /// Whether a PE is selected.
    pub fn wants_pe(&self, pe: PeCoord) -> bool {
        let holds = |block: &PeRange| block.x.contains(&pe.x) && block.y.contains(&pe.y);
        self.pes.is_empty() || self.pes.iter().any(holds)
    }
}

/// A filter with its state: an operation is selected as a whole or not at all, so the decision at its start is
/// stored.
pub(super) struct EventFilter {
    filter: TraceFilter,
    program: Arc<Program>,
    pes: BTreeMap<PeCoord, PeMatch>,
}

/// The decisions for one PE.
#[derive(Default)]
struct PeMatch {
    /// Whether the name of the running task is selected.
    in_task: bool,
    /// Whether the running task is selected.
    task: bool,
    /// Operations that have not ended: for each thread, the innermost last.
    operations: BTreeMap<ThreadId, Vec<bool>>,
}

impl EventFilter {
    pub fn new(filter: TraceFilter, program: &Arc<Program>) -> EventFilter {
        EventFilter { filter, program: program.clone(), pes: BTreeMap::new() }
    }

    /// Whether an event is selected. Must be called once for each event, in the order of each thread.
    pub fn wants(&mut self, event: &Event) -> bool {
        self.filter.wants_pe(event.pe) && self.concerns(event) && self.filter.cycles.contains(&event.cycle)
    }

    /// Whether no later event can be selected.
    pub fn last_cycle(&self) -> u64 {
        *self.filter.cycles.end()
    }

    fn concerns(&mut self, event: &Event) -> bool {
        let colors = self.filter.colors;
        if colors == 0 && self.filter.tasks.is_empty() {
            return true;
        }
        let of_color = |mask: u32| colors == 0 || colors & mask != 0;
        let color = event.what.color().map_or(0, |color| 1 << color.0);
        let name_fits = match event.what {
            EventKind::TaskStart { function, .. } => self.name_fits(event.pe, function),
            _ => self.filter.tasks.is_empty(),
        };
        let its = self.pes.entry(event.pe).or_default();
        let last = |open: &BTreeMap<ThreadId, Vec<bool>>, thread| {
            open.get(&thread).and_then(|row| row.last().copied()).unwrap_or(false)
        };
        match event.what {
            EventKind::TaskStart { .. } => {
                (its.in_task, its.task) = (name_fits, name_fits && of_color(color));
                its.task
            }
            EventKind::TaskEnd { .. } => {
                its.in_task = false;
                std::mem::take(&mut its.task)
            }
            EventKind::Start(operation) => {
                let wanted = (name_fits || its.in_task) && of_color(operation.colors);
                its.operations.entry(operation.thread).or_default().push(wanted);
                wanted
            }
            EventKind::Stall { thread, .. } | EventKind::Resume { thread, .. } => {
                last(&its.operations, thread)
            }
            EventKind::End { operation, .. } => {
                let row = its.operations.entry(operation.thread).or_default();
                row.pop().unwrap_or(false)
            }
            _ => name_fits && of_color(color),
        }
    }

    fn name_fits(&self, pe: PeCoord, function: FnId) -> bool {
        let tasks = &self.filter.tasks;
        let name = self.program.tile_at(pe).map(|tile| &tile.functions[function.0 as usize].name);
        tasks.is_empty() || name.is_some_and(|name| tasks.contains(name))
    }
}
