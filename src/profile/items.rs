//! What a PE has done as a list of items, each with its time and the lines that it belongs to.

use super::records::{MAIN_THREAD, NotedOperation, PeRecords, Record, Started};
use super::sites::{Share, Sites};
use crate::arch::{Color, TaskId};
use crate::trace::Reason;
use rustc_hash::FxHashMap;

/// Work of a thread without a wait.
#[derive(Clone, Debug)]
pub struct Item {
    /// The PE, an index into [`Work::pes`].
    pub pe: u32,
    /// The thread.
    pub thread: u8,
    /// The first cycle.
    pub from: u64,
    /// The cycle behind the last.
    pub until: u64,
    /// What it is.
    pub kind: ItemKind,
    /// The task that the main thread runs meanwhile, or that began the operation: a number in [`Sites::functions`].
    pub task: u32,
}

/// The kinds of items.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A task or function is prepared.
    Prepare { share: u32, started: Started },
    /// Code runs.
    Code { shares: u32 },
    /// The main thread starts an operation and waits for it.
    Start { operation: u32 },
    /// Elements move: in so many cycles, one every `stride` cycles.
    Moves { operation: u32, times: u32, stride: u32 },
}

/// An operation that has run.
#[derive(Copy, Clone, Debug)]
pub struct WorkOperation {
    /// What was noted about it.
    pub noted: NotedOperation,
    /// Its line and function.
    pub share: Share,
}

/// A time in which a thread could not go on.
#[derive(Copy, Clone, Debug)]
pub struct Waiting {
    /// The thread.
    pub thread: u8,
    /// The first cycle.
    pub from: u64,
    /// The cycle in which it went on.
    pub until: u64,
    /// What for.
    pub on: Reason,
    /// The operation, a number in [`Work::operations`]; none in a `@map`.
    pub operation: Option<u32>,
    /// Where the wavelet came from that has ended it: an origin of the PE.
    pub origin: Option<u32>,
}

/// The end of an operation that concerns a task.
#[derive(Copy, Clone, Debug)]
pub struct Completion {
    /// The task.
    pub id: TaskId,
    /// The cycle behind its last element.
    pub at: u64,
    /// The thread that ran it.
    pub thread: u8,
}

/// The work of a PE.
#[derive(Clone, Debug, Default)]
pub struct PeWork {
    /// The PE, row by row.
    pub index: u32,
    /// Numbers of its items in [`Work::items`], by time.
    pub items: Vec<u32>,
    /// Its waits, as a range of [`Work::waits`].
    pub waits: (usize, usize),
    /// Ends of operations that concern a task.
    pub completions: Vec<Completion>,
    /// The origin of the wavelet with which an item began, or the last that it took.
    pub origins: FxHashMap<u32, u32>,
    /// Its operations, as a range of [`Work::operations`].
    pub operations: (usize, usize),
    /// When asynchronous operations were begun, by thread: the cycle on the main thread, and that of the first element.
    pub launches: Vec<(u8, u64, u64)>,
}

/// The work of all PEs.
#[derive(Debug, Default)]
pub struct Work {
    /// All items.
    pub items: Vec<Item>,
    /// All waits, PE after PE.
    pub waits: Vec<Waiting>,
    /// By PE that has done anything.
    pub pes: Vec<PeWork>,
    /// The shares of code, by number.
    pub shares: Vec<Vec<Share>>,
    /// All operations.
    pub operations: Vec<WorkOperation>,
}

/// What a thread is at.
#[derive(Copy, Clone)]
struct OpenOperation {
    operation: u32,
    task: u32,
}

impl Work {
    /// Adds the notes of a PE with a tile.
    pub fn add(&mut self, index: u32, tile: u32, notes: &PeRecords, sites: &mut Sites<'_>) {
        let first_shape = self.shares.len() as u32;
        self.shares.extend(sites.shapes(tile, notes));
        let first_operation = self.operations.len() as u32;
        for noted in &notes.operations {
            let share = sites.operation(tile, noted, 0, 0);
            self.operations.push(WorkOperation { noted: *noted, share });
        }
        let pe = self.pes.len() as u32;
        let mut adding = Adding {
            work: self,
            sites,
            tile,
            pe,
            own: PeWork { index, ..PeWork::default() },
            open: [None; MAIN_THREAD as usize + 1],
            task: u32::MAX,
            first: (first_shape, first_operation),
            waits: Vec::new(),
        };
        notes.records.iter().for_each(|record| adding.add(record));
        let Adding { mut own, mut waits, .. } = adding;
        let items = &self.items;
        own.items.sort_by_key(|item| (items[*item as usize].from, items[*item as usize].until));
        waits.sort_by_key(|wait| (wait.until, wait.from));
        own.completions.sort_by_key(|end| end.at);
        own.operations = (first_operation as usize, self.operations.len());
        own.waits = (self.waits.len(), self.waits.len() + waits.len());
        self.waits.append(&mut waits);
        self.pes.push(own);
    }

    /// The waits of a PE, by their ends.
    pub fn waits_of(&self, pe: &PeWork) -> &[Waiting] {
        &self.waits[pe.waits.0..pe.waits.1]
    }

    /// The lines of an item, with their cycles. The elements of operations that move are not among them.
    pub fn shares_of(&self, item: &Item) -> Vec<Share> {
        let length = item.until - item.from;
        match item.kind {
            ItemKind::Prepare { share, .. } => self.shares[share as usize].clone(),
            ItemKind::Code { shares } => self.shares[shares as usize].clone(),
            ItemKind::Start { operation } => {
                let share = self.operations[operation as usize].share;
                vec![Share { cycles: length, element_cycles: length, elements: 0, best_cycles: 0, ..share }]
            }
            ItemKind::Moves { operation, times, .. } => {
                let share = self.operations[operation as usize].share;
                let cycles = times.into();
                vec![Share { cycles, element_cycles: cycles, elements: 0, best_cycles: 0, ..share }]
            }
        }
    }

    /// The color that an item sends.
    pub fn sends(&self, item: &Item) -> Option<Color> {
        match item.kind {
            ItemKind::Moves { operation, .. } => self.operations[operation as usize].noted.sends,
            ItemKind::Prepare { .. } | ItemKind::Code { .. } | ItemKind::Start { .. } => None,
        }
    }
}

struct Adding<'w, 's, 'p> {
    work: &'w mut Work,
    sites: &'s mut Sites<'p>,
    tile: u32,
    pe: u32,
    own: PeWork,
    open: [Option<OpenOperation>; MAIN_THREAD as usize + 1],
    task: u32,
    first: (u32, u32),
    waits: Vec<Waiting>,
}

impl Adding<'_, '_, '_> {
    fn item(&mut self, thread: u8, (from, until): (u64, u64), kind: ItemKind, task: u32) {
        self.own.items.push(self.work.items.len() as u32);
        self.work.items.push(Item { pe: self.pe, thread, from, until, kind, task });
    }

    fn note_origin(&mut self, origin: Option<u32>) {
        if let Some(origin) = origin {
            self.own.origins.insert(self.work.items.len() as u32, origin);
        }
    }

    fn add(&mut self, record: &Record) {
        match *record {
            Record::Task { from, until, function, started, origin } => {
                self.task = self.sites.function(self.tile, function);
                let line = self.sites.declaration(self.tile, function);
                let share = Share { line, function: self.task, cycles: until - from, ..Share::default() };
                let number = self.work.shares.len() as u32;
                self.work.shares.push(vec![share]);
                self.note_origin(origin);
                let kind = ItemKind::Prepare { share: number, started };
                self.item(MAIN_THREAD, (from, until), kind, self.task);
            }
            Record::Code { from, until, shape } => {
                let kind = ItemKind::Code { shares: self.first.0 + shape };
                self.item(MAIN_THREAD, (from, until), kind, self.task);
            }
            Record::TaskEnd { .. } => {}
            Record::Begin { thread, from, started, operation } => {
                let operation = self.first.1 + operation;
                self.open[usize::from(thread)] = Some(OpenOperation { operation, task: self.task });
                match thread {
                    MAIN_THREAD => {
                        self.item(thread, (from, started + 1), ItemKind::Start { operation }, self.task);
                    }
                    _ => self.own.launches.push((thread, from, started + 1)),
                }
            }
            Record::Moves { thread, from, times, stride, elements, origin } => {
                let Some(open) = self.open[usize::from(thread)] else { return };
                let until = from + u64::from(times - 1) * u64::from(stride) + 1;
                let operation = &mut self.work.operations[open.operation as usize];
                operation.share.elements += u64::from(elements);
                operation.share.best_cycles +=
                    u64::from(elements).div_ceil(operation.noted.width.max(1).into());
                self.note_origin(origin);
                let kind = ItemKind::Moves { operation: open.operation, times, stride };
                self.item(thread, (from, until), kind, open.task);
            }
            Record::Wait { thread, from, until, on, origin } => {
                let operation = self.open[usize::from(thread)].map(|open| open.operation);
                self.waits.push(Waiting { thread, from, until, on, operation, origin });
            }
            Record::End { thread, at, then } => {
                self.open[usize::from(thread)] = None;
                if let Some(id) = then {
                    self.own.completions.push(Completion { id, at, thread });
                }
            }
        }
    }
}
