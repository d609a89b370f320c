//! Finds data races of a PE: memory that an asynchronous operation writes while something else accesses it, or reads
//! while something else writes it, and nothing orders the two.
//!
//! An asynchronous operation is *open* from its start until something that follows its end is seen: a task starts that
//! it has activated or unblocked, or one that comes after it in the order of a queue. Whatever touches the memory of an
//! open operation is a race, even if the operation has ended by then: in another run it may not have. So the result
//! depends on the order of events, not on their cycles.
//!
//! What a wavelet from outside may prove is believed: when one arrives, all that has been sent counts as seen, because
//! the wavelet may be the answer. Ends are seen by the whole main thread, because a task may leave word in a variable.
//!
//! The checks hang on the start and the end of operations and tasks. Scalar code is watched only while operations are
//! open (`exec/guard.rs`).

use super::operation::{From, Operation, To};
use super::tasks::{Done, bit};
use super::threads::Threads;
use super::witness::{NotedWrite, Witness};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::DATA_RACE;
use crate::dsd::footprint::Footprint;
use crate::exec::guard::GuardedWords;
use crate::source::Span;

/// Operations that are remembered at most; of more the oldest is forgotten.
const MOST_OPEN: usize = 24;

/// A memory operand of an open operation.
#[derive(Clone, Debug)]
pub(super) struct OpenOperand {
    pub footprint: Footprint,
    pub is_written: bool,
    /// The FIFO, if it is one: its ends are ordered by the FIFO itself.
    pub fifo: Option<u8>,
}

/// The memory operands of an operation; the destination first.
pub(super) type OpenOperands = [Option<OpenOperand>; 4];

/// Where an open operation is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Progress {
    Running {
        place: usize,
    },
    /// It has ended as the n-th one, and tasks with these ids would see that, bit = id.
    Ended {
        number: u64,
        seen_by: u64,
    },
}

/// An asynchronous operation whose end nothing has seen.
#[derive(Clone, Debug)]
struct OpenOperation {
    span: Span,
    name: &'static str,
    operands: OpenOperands,
    /// The queues and FIFOs that it uses, bit = number.
    inputs: u64,
    outputs: u64,
    fifos: u64,
    has_completion: bool,
    progress: Progress,
    /// Elements that are known to be done, because a wavelet has arrived since.
    seen: u32,
    is_reported: bool,
}

/// The open operations, and the word whose writes are noted.
#[derive(Clone, Debug, Default)]
struct Watched {
    open: Vec<OpenOperation>,
    guard: GuardedWords,
    /// How many operations have ended.
    ended: u64,
    witness: Option<Witness>,
}

/// The detector of one PE.
#[derive(Clone, Debug)]
pub(super) struct Races {
    /// Whether any access has to be looked at.
    pub is_on: bool,
    /// Whether races are looked for.
    pub detects: bool,
    /// The cycle of the main thread, for writes that are noted.
    pub cycle: u64,
    watched: Option<Box<Watched>>,
}

/// An access that is not ordered after an operation.
#[derive(Copy, Clone, Debug)]
pub(super) struct Race {
    /// A word that both touch.
    pub word: usize,
    operation: usize,
    /// Whether the operation writes it.
    is_written: bool,
}

/// What happens to memory that an open operation uses.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum RaceAccess {
    Read,
    Write,
    HostRead,
    HostWrite,
}

impl RaceAccess {
    /// The passive verb of the message.
    fn verb(self) -> &'static str {
        match self {
            RaceAccess::Read => "read",
            RaceAccess::Write => "written",
            RaceAccess::HostRead => "read by the host",
            RaceAccess::HostWrite => "written by the host",
        }
    }
}

impl Races {
    /// Nothing is open yet.
    pub fn new(detects: bool) -> Races {
        Races { is_on: false, detects, cycle: 0, watched: None }
    }

    /// What the scalar loop watches; `None` if there is nothing.
    pub fn guard(&mut self) -> Option<&mut GuardedWords> {
        if self.is_on { self.watched.as_mut().map(|watched| &mut watched.guard) } else { None }
    }

    /// From now on the writes of some words are noted.
    pub fn observe(&mut self, witness: Witness) {
        let watched = self.watched.get_or_insert_default();
        watched.guard.add(witness.footprint(), false);
        watched.witness = Some(witness);
        self.is_on = true;
    }

    /// The words whose writes are noted.
    pub fn witness(&mut self) -> Option<&mut Witness> {
        self.watched.as_mut()?.witness.as_mut()
    }

    /// Some words are written, by code or by the host.
    pub fn note_write(&mut self, words: &Footprint, span: Option<Span>) {
        let cycle = self.cycle;
        if let Some(witness) = self.witness() {
            witness.note(words, NotedWrite { cycle, span });
        }
    }

    /// Whether an access is a race with an open operation. `fifo`: the words are those of a FIFO that is an operand.
    pub fn race(&self, words: &Footprint, is_write: bool, fifo: Option<u8>) -> Option<Race> {
        let watched = self.watched.as_ref()?;
        let open = watched.open.iter().enumerate().filter(|(_, open)| !open.is_reported);
        let mut operands = open.flat_map(|(operation, open)| {
            let operands = open.operands.iter().flatten();
            operands.map(move |operand| (operation, open.seen, operand))
        });
        operands.find_map(|(operation, seen, operand)| {
            let may_meet = (is_write || operand.is_written)
                && (fifo.is_none() || fifo != operand.fifo)
                && operand.footprint.meets(words);
            let rest = if may_meet { operand.left(seen) } else { None };
            let rest = rest.filter(|rest| rest.meets(words))?;
            let word = rest.span().0.max(words.span().0);
            Some(Race { word, operation, is_written: operand.is_written })
        })
    }

    /// The diagnostic about a race. `name` is the variable.
    pub fn diag(&self, race: Race, access: RaceAccess, name: &str) -> Diag {
        let open = &self.watched.as_ref().expect("a race has an open operation").open[race.operation];
        let does = if race.is_written { "write" } else { "read" };
        let diag = DATA_RACE.because(&[("name", &name), ("access", &access.verb()), ("does", &does)]);
        let label = format!("`@{}` starts here, and nothing has waited for its end", open.name);
        let help = match open.has_completion {
            true => "do this in the task that the operation activates or unblocks when it is complete",
            false => "give the operation `.activate`, and do this in the task that it activates",
        };
        match access {
            RaceAccess::Read | RaceAccess::Write => diag.also(open.span, label).help(help),
            RaceAccess::HostRead | RaceAccess::HostWrite => {
                let help =
                    "call `unblock_cmd_stream` in the task that the operation activates when it is complete";
                diag.at(open.span).label(label).help(help)
            }
        }
    }

    /// Whether the operation of a race is still in progress.
    pub fn is_running(&self, race: Race) -> bool {
        let open = self.watched.as_ref().and_then(|watched| watched.open.get(race.operation));
        open.is_some_and(|open| matches!(open.progress, Progress::Running { .. }))
    }

    /// The operation of a race is not reported again.
    pub fn note_reported(&mut self, race: Race) {
        if let Some(watched) = &mut self.watched {
            watched.open[race.operation].is_reported = true;
            watched.renew_guard();
        }
    }

    /// An access that the guard has stopped is no race: it watches too much.
    pub fn renew_guard(&mut self) {
        if let Some(watched) = &mut self.watched {
            watched.renew_guard();
        }
    }

    /// An asynchronous operation starts that runs at `place`, or that was done ahead of the clock.
    pub fn start(&mut self, operation: &Operation, operands: OpenOperands, begun: Begun) {
        if !self.detects || operands.iter().all(Option::is_none) {
            return;
        }
        let watched = self.watched.get_or_insert_default();
        let progress = match begun.place {
            Some(place) => Progress::Running { place },
            None => {
                watched.ended += 1;
                Progress::Ended { number: watched.ended, seen_by: seen_by(begun.completion) }
            }
        };
        let fifos = operands.iter().flatten().filter_map(|operand| operand.fifo);
        let open = OpenOperation {
            span: begun.span,
            name: operation.name(),
            inputs: operation.inputs(),
            outputs: operation.output().map_or(0, |output| 1 << output),
            fifos: fifos.fold(0, |all, fifo| all | 1 << fifo),
            operands,
            has_completion: begun.completion != Done::Nothing,
            progress,
            seen: 0,
            is_reported: false,
        };
        watched.add(open);
        self.is_on = true;
    }

    /// The operation of a thread has ended.
    pub fn end(&mut self, place: usize, done: Done) {
        let Some(watched) = &mut self.watched else { return };
        let running = Progress::Running { place };
        if let Some(open) = watched.open.iter_mut().find(|open| open.progress == running) {
            watched.ended += 1;
            open.progress = Progress::Ended { number: watched.ended, seen_by: seen_by(done) };
        }
    }

    /// A task starts: by its activation, or by a wavelet of an input.
    pub fn task_starts(&mut self, ids: u64, input: Option<usize>, threads: &Threads) {
        let Some(watched) = &mut self.watched else { return };
        watched.see_ends(ids, threads);
        if let Some(input) = input {
            watched.see_wavelets(threads);
            watched.see_queues([1 << input, 0, 0], u64::MAX);
        }
        self.is_on = !watched.is_idle();
    }

    /// Whatever has ended is seen, by the handler of an empty queue.
    pub fn all_is_seen(&mut self) {
        let Some(watched) = &mut self.watched else { return };
        watched.open.retain(|open| matches!(open.progress, Progress::Running { .. }));
        self.is_on = !watched.is_idle();
    }

    /// The main thread has waited for the end of an operation.
    pub fn waited_for(&mut self, operation: &Operation, threads: &Threads) {
        let Some(watched) = &mut self.watched else { return };
        if operation.inputs() != 0 {
            watched.see_wavelets(threads);
        }
        let outputs = operation.output().map_or(0, |output| 1 << output);
        watched.see_queues([operation.inputs(), outputs, fifos_of(operation)], u64::MAX);
        self.is_on = !watched.is_idle();
    }

    /// The host launches a function or copies: it may know that what was sent has arrived.
    pub fn host_comes(&mut self, threads: &Threads) {
        let Some(watched) = &mut self.watched else { return };
        watched.see_wavelets(threads);
        self.is_on = !watched.is_idle();
    }
}

/// How an asynchronous operation begins.
pub(super) struct Begun {
    pub span: Span,
    /// Its thread; `None` if it was done ahead of the clock.
    pub place: Option<usize>,
    pub completion: Done,
}

/// The tasks whose start shows that an operation has ended, bit = id.
fn seen_by(done: Done) -> u64 {
    match done {
        Done::Nothing => 0,
        Done::Activate(id) | Done::Unblock(id) => bit(id),
    }
}

fn fifos_of(operation: &Operation) -> u64 {
    let sources = operation.sources().iter().filter_map(|from| match from {
        From::Fifo(end) => Some(end.fifo),
        From::Local(_) | From::Fabric(_) => None,
    });
    let dest = if let To::Fifo(end) = &operation.to { Some(end.fifo) } else { None };
    sources.chain(dest).fold(0, |all, fifo| all | 1 << (fifo & 63))
}

impl OpenOperand {
    /// What is left of it after the first elements, which are known to be done.
    fn left(&self, seen: u32) -> Option<Footprint> {
        match self.fifo {
            Some(_) => Some(self.footprint.clone()),
            None if seen == 0 => Some(self.footprint.clone()),
            None => self.footprint.after(seen),
        }
    }
}

impl Watched {
    fn is_idle(&self) -> bool {
        self.open.is_empty() && self.witness.is_none()
    }

    fn add(&mut self, open: OpenOperation) {
        // A place that starts the same operation again and again without an end that is seen counts once.
        let is_older = |other: &OpenOperation| {
            other.span == open.span && matches!(other.progress, Progress::Ended { seen_by: 0, .. })
        };
        if self.open.len() >= MOST_OPEN / 2 {
            self.open.retain(|other| !is_older(other));
        }
        if self.open.len() >= MOST_OPEN {
            self.open.remove(0);
        }
        if self.open.is_empty() && self.witness.is_none() {
            self.guard.clear();
        }
        // Most PEs have one or two, and there may be a million PEs.
        if self.open.is_empty() {
            self.open.reserve_exact(2);
        }
        for operand in open.operands.iter().flatten() {
            self.guard.add(operand.footprint.clone(), operand.is_written);
        }
        self.open.push(open);
    }

    fn renew_guard(&mut self) {
        self.guard.clear();
        if let Some(witness) = &self.witness {
            self.guard.add(witness.footprint(), false);
        }
        for open in self.open.iter().filter(|open| !open.is_reported) {
            for operand in open.operands.iter().flatten() {
                if let Some(left) = operand.left(open.seen) {
                    self.guard.add(left, operand.is_written);
                }
            }
        }
    }

    /// Tasks with these ids start.
    fn see_ends(&mut self, ids: u64, threads: &Threads) {
        let is_seen = |open: &OpenOperation| matches!(open.progress, Progress::Ended { seen_by, .. } if seen_by & ids != 0);
        let (mut queues, mut last) = ([0; 3], None);
        self.open.retain(|open| {
            let seen = is_seen(open);
            if let (true, Progress::Ended { number, .. }) = (seen, open.progress) {
                last = last.max(Some(number));
                for (all, used) in queues.iter_mut().zip([open.inputs, open.outputs, open.fifos]) {
                    *all |= used;
                }
            }
            !seen
        });
        let Some(last) = last else { return };
        if queues[0] != 0 {
            self.see_wavelets(threads);
        }
        self.see_queues(queues, last);
    }

    /// Operations that went through the same queues or FIFOs and have ended before the n-th end are seen, too.
    fn see_queues(&mut self, [inputs, outputs, fifos]: [u64; 3], before: u64) {
        self.open.retain(|open| match open.progress {
            Progress::Ended { number, .. } if number < before => {
                open.inputs & inputs == 0 && open.outputs & outputs == 0 && open.fifos & fifos == 0
            }
            Progress::Ended { .. } | Progress::Running { .. } => true,
        });
    }

    /// A wavelet has arrived: it may answer all that was sent.
    fn see_wavelets(&mut self, threads: &Threads) {
        self.open.retain_mut(|open| {
            if open.outputs == 0 {
                return true;
            }
            let Progress::Running { place } = open.progress else { return false };
            open.seen = threads.done(place);
            true
        });
    }
}
