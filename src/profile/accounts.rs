//! Divides the time of each PE: every cycle is busy, idle, or a wait for one thing, and every busy cycle belongs to a line.

use super::items::{Item, ItemKind, PeWork, Waiting, Work};
use super::records::MAIN_THREAD;
use crate::trace::Reason;
use serde::Serialize;

/// How the cycles of one PE, or of several, were spent.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Times {
    /// Code runs or elements move.
    pub busy: u64,
    /// An operation waits for a wavelet.
    pub wavelet: u64,
    /// An operation waits for room in an output queue or in a FIFO.
    pub room: u64,
    /// An operation waits for an element in a FIFO.
    pub fifo: u64,
    /// No operation is in progress, and a task comes later; or a microthread is blocked.
    pub task: u64,
    /// Before the first task, and after the last.
    pub idle: u64,
}

/// The ways to spend a cycle.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Class {
    Busy,
    Wavelet,
    Room,
    Fifo,
    Task,
    Idle,
}

impl Class {
    /// The class of a wait.
    pub fn of(on: Reason) -> Class {
        match on {
            Reason::Wavelet { .. } => Class::Wavelet,
            Reason::Space { .. } | Reason::FifoSpace(_) => Class::Room,
            Reason::FifoData(_) => Class::Fifo,
            Reason::Unblock => Class::Task,
        }
    }
}

impl Times {
    /// Adds cycles of a class.
    pub fn add(&mut self, class: Class, cycles: u64) {
        *match class {
            Class::Busy => &mut self.busy,
            Class::Wavelet => &mut self.wavelet,
            Class::Room => &mut self.room,
            Class::Fifo => &mut self.fifo,
            Class::Task => &mut self.task,
            Class::Idle => &mut self.idle,
        } += cycles;
    }

    /// Adds other times.
    pub fn add_all(&mut self, other: &Times) {
        let Times { busy, wavelet, room, fifo, task, idle } = *other;
        let all = [
            (Class::Busy, busy),
            (Class::Wavelet, wavelet),
            (Class::Room, room),
            (Class::Fifo, fifo),
            (Class::Task, task),
            (Class::Idle, idle),
        ];
        all.into_iter().for_each(|(class, cycles)| self.add(class, cycles));
    }

    /// All cycles.
    pub fn total(&self) -> u64 {
        self.busy + self.wavelet + self.room + self.fifo + self.task + self.idle
    }
}

/// The account of a PE.
#[derive(Clone, Debug, Default)]
pub struct PeAccount {
    /// Its cycles.
    pub times: Times,
    /// The same by phase.
    pub phases: Vec<Times>,
    /// By item of the PE, in their order: cycles in which the main thread ran code at the same time.
    pub hidden: Vec<u64>,
}

/// The account of a PE up to a cycle. Phases begin at these cycles, the first one at 0.
pub fn account(work: &Work, pe: &PeWork, end: u64, phases: &[u64]) -> PeAccount {
    let items: Vec<&Item> = pe.items.iter().map(|item| &work.items[*item as usize]).collect();
    let main: Vec<(u64, u64)> =
        items.iter().filter(|item| runs_code(item)).map(|item| (item.from, item.until)).collect();
    let mut account = PeAccount { phases: vec![Times::default(); phases.len()], ..PeAccount::default() };
    let mut busy: Vec<(u64, u64, u8)> = Vec::new();
    for item in &items {
        let mut hidden = 0;
        match item.kind {
            ItemKind::Moves { stride, .. } if !runs_code(item) && stride > 1 => {
                for cycle in (item.from..item.until).step_by(stride as usize) {
                    hidden += covered(&main, cycle, cycle + 1);
                    busy.push((cycle, cycle + 1, item.thread));
                }
            }
            _ => {
                hidden += if runs_code(item) { 0 } else { covered(&main, item.from, item.until) };
                busy.push((item.from, item.until, item.thread));
            }
        }
        account.hidden.push(hidden);
        let cycles = match item.kind {
            ItemKind::Moves { times, .. } => u64::from(times) - hidden,
            _ => item.until - item.from,
        };
        account.add(phases, Class::Busy, (item.from, item.from), cycles);
    }
    busy.sort_unstable();
    let gaps = Gaps::new(work.waits_of(pe));
    let mut done = 0;
    for (from, until, thread) in busy {
        if from > done {
            let class = gaps.class((done, from), Some(thread), done == 0);
            account.add(phases, class, (done, from), from - done);
        }
        done = done.max(until);
    }
    if end > done {
        let class = gaps.class((done, end), None, done == 0);
        account.add(phases, class, (done, end), end - done);
    }
    account
}

/// Whether an item is code of the main thread, in whose cycles microthreads move elements as well.
fn runs_code(item: &Item) -> bool {
    !matches!(item.kind, ItemKind::Moves { .. })
}

/// How many cycles of a range lie in sorted ranges that do not overlap.
fn covered(ranges: &[(u64, u64)], from: u64, until: u64) -> u64 {
    let first = ranges.partition_point(|(_, end)| *end <= from);
    let inside = ranges[first..].iter().take_while(|(start, _)| *start < until);
    inside.map(|(start, end)| until.min(*end) - from.max(*start)).sum()
}

impl PeAccount {
    /// Adds cycles; those of a range are divided among the phases, others belong to that in which they begin.
    fn add(&mut self, phases: &[u64], class: Class, (from, until): (u64, u64), cycles: u64) {
        self.times.add(class, cycles);
        let mut phase = phases.partition_point(|start| *start <= from).saturating_sub(1);
        if from == until {
            return self.phases[phase].add(class, cycles);
        }
        let mut from = from;
        while from < until {
            let next = phases.get(phase + 1).copied().unwrap_or(u64::MAX).min(until);
            self.phases[phase].add(class, next - from);
            (from, phase) = (next, phase + 1);
        }
    }
}

/// The waits of a PE by thread.
struct Gaps<'w> {
    waits: Vec<Vec<&'w Waiting>>,
}

impl<'w> Gaps<'w> {
    fn new(waits: &'w [Waiting]) -> Gaps<'w> {
        let of = |thread: u8| waits.iter().filter(|wait| wait.thread == thread).collect();
        Gaps { waits: (0..=MAIN_THREAD).map(of).collect() }
    }

    /// What a PE waits for while nothing happens on it. `thread` is the one that goes on first.
    fn class(&self, (from, until): (u64, u64), thread: Option<u8>, is_first: bool) -> Class {
        let own = thread.map(|thread| &self.waits[usize::from(thread)]);
        let wait = own.into_iter().chain(&self.waits).find_map(|waits| {
            let next = waits.partition_point(|wait| wait.until < until);
            waits.get(next).filter(|wait| wait.from < until && wait.until > from)
        });
        match wait {
            Some(wait) => Class::of(wait.on),
            None if is_first || thread.is_none() => Class::Idle,
            None => Class::Task,
        }
    }
}
