//! Finds data races of a PE: memory that an asynchronous operation writes while something else accesses it, or reads
//! while something else writes it, and nothing orders the two.
//!
//! An asynchronous operation is *open* from its start until something that follows its end is seen: a task starts that
//! it has activated or unblocked, or one that comes after it in the order of a queue. Whatever touches the memory of an
//! open operation is a race, even if the operation has ended by then: in another run it may not have. So the result
//! depends on the order of events, not on their cycles.
//!
//! The detector trusts wavelets: when one arrives, all that was sent before counts as seen, because the wavelet may
//! be the answer. What one task has seen, all later ones have, because a task may pass it on in a variable.
//!
//! The checks hang on the start and the end of operations and tasks. Scalar code is watched only while operations are
//! open (`exec/guard.rs`).

use super::fifo::FifoState;
use super::open_operands::{OpenOperand, each_operand, fifos_of};
use super::open_operation::{Begun, OpenOperation, OpenUse, Place, Progress};
use super::operation::Operation;
use super::tasks::{CompletionAction, bit};
use super::threads::Threads;
use super::unset_globals::UnsetGlobals;
use super::write_log::WriteLog;
use crate::arch::TaskId;
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::DATA_RACE;
use crate::dsd::footprint::Footprint;
use crate::exec::guard::{GuardedWords, Watch};
use crate::prefetch;
use crate::source::Span;
use crate::state_hash::StateHash;

/// Operations that are remembered at most; of more the oldest is forgotten.
const MOST_OPEN: usize = 24;

/// The owner of the watch of a [`WriteLog`].
const WITNESS: u32 = u32::MAX;

/// The owner of the watches of [`UnsetGlobals`].
const UNSET: u32 = u32::MAX - 1;

/// The open operations, and the word whose writes are noted.
#[derive(Clone, Debug, Default)]
struct Watched {
    open: Vec<OpenOperation>,
    guard: GuardedWords,
    /// How many operations have been open.
    opened: u32,
    /// How many operations have ended.
    ended: u32,
    witness: Option<Box<WriteLog>>,
    unset: Option<Box<UnsetGlobals>>,
}

/// The detector of one PE.
#[derive(Clone, Debug)]
pub(super) struct Races {
    /// Whether any access has to be looked at.
    pub is_on: bool,
    /// Whether races are looked for.
    pub detects: bool,
    /// Whether code has accessed words of an operation in progress. From then on the main thread does not run ahead
    /// of microthreads.
    pub keeps_pace: bool,
    /// The cycle of the main thread, for writes that are noted.
    pub cycle: u64,
    watched: Option<Box<Watched>>,
}

/// An access that is not ordered after an operation.
#[derive(Copy, Clone, Debug)]
pub(super) struct Race {
    /// A word that both touch.
    pub word: usize,
    /// The operation.
    owner: u32,
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
        Races { is_on: false, detects, keeps_pace: false, cycle: 0, watched: None }
    }

    /// Prefetches the lists of open operations and of what is watched for them.
    pub fn prefetch(&self) {
        self.watched.iter().for_each(|watched| prefetch::value(&**watched, size_of::<Watched>()));
    }

    /// Prefetches what is in these lists.
    pub fn prefetch_operations(&self) {
        if let Some(watched) = &self.watched {
            prefetch::room(&watched.open, 128);
            watched.guard.prefetch();
        }
    }

    /// What the scalar loop watches; `None` if there is nothing.
    pub fn guard(&mut self) -> Option<&mut GuardedWords> {
        if self.is_on { self.watched.as_mut().map(|watched| &mut watched.guard) } else { None }
    }

    /// From now on the writes of some words are noted.
    pub fn observe(&mut self, witness: WriteLog) {
        let watched = self.watched.get_or_insert_default();
        for words in witness.footprints() {
            watched.guard.add(Watch { words, reads: false, fifo: None, owner: WITNESS });
        }
        match &mut watched.witness {
            Some(known) => known.join(witness),
            None => watched.witness = Some(Box::new(witness)),
        }
        self.is_on = true;
    }

    /// Writes are not noted any more.
    pub fn end_observation(&mut self) {
        let Some(watched) = &mut self.watched else { return };
        if watched.witness.take().is_some() {
            watched.guard.retain(|watch| watch.owner != WITNESS);
            watched.guard.renew();
            self.is_on = !watched.is_idle();
        }
    }

    /// Tells of reads of globals before something has written them.
    pub fn watch_unset(&mut self, unset: UnsetGlobals) {
        let watched = self.watched.get_or_insert_default();
        for words in unset.footprints() {
            watched.guard.add(Watch { words, reads: true, fifo: None, owner: UNSET });
        }
        watched.unset = Some(Box::new(unset));
        self.is_on = true;
    }

    /// The globals of which words have no value.
    pub fn unset(&mut self) -> Option<&mut UnsetGlobals> {
        self.watched.as_mut()?.unset.as_deref_mut()
    }

    /// Fewer globals have to be watched.
    pub fn renew_unset(&mut self) {
        let Some(watched) = &mut self.watched else { return };
        let unset = watched.unset.take();
        watched.guard.retain(|watch| watch.owner != UNSET);
        watched.guard.renew();
        self.is_on = !watched.is_idle();
        if let Some(unset) = unset.filter(|unset| !unset.is_empty()) {
            self.watch_unset(*unset);
        }
    }

    /// The words whose writes are noted.
    pub fn witness(&mut self) -> Option<&mut WriteLog> {
        self.watched.as_mut()?.witness.as_deref_mut()
    }

    /// Some words are written, by code or by the host.
    pub fn note_write(&mut self, words: &Footprint, span: Option<Span>) {
        let cycle = self.cycle;
        if let Some(witness) = self.witness() {
            witness.note(words, cycle, span);
        }
    }

    /// Whether an access is a race with an open operation. `fifo`: the words are those of a FIFO that is an operand.
    pub fn race(&self, words: &Footprint, is_write: bool, fifo: Option<u8>) -> Option<Race> {
        let mut watches = self.watched.as_ref()?.guard.concerned(words, is_write);
        let Watch { words: theirs, reads, owner, .. } =
            watches.find(|watch| watch.owner < UNSET && (fifo.is_none() || fifo != watch.fifo))?;
        let word = theirs.span().0.max(words.span().0);
        Some(Race { word, owner: *owner, is_written: *reads })
    }

    /// Whether an access may be a race, or one that is noted.
    #[inline]
    pub fn is_of_interest(&self, words: &Footprint, is_write: bool) -> bool {
        self.watched.as_ref().is_some_and(|watched| watched.guard.concerns(words, is_write))
    }

    /// The operation of a race.
    fn operation(&self, race: Race) -> Option<&OpenOperation> {
        self.watched.as_ref()?.open.iter().find(|open| open.id == race.owner)
    }

    /// The diagnostic about a race. `name` is the variable.
    pub fn diag(&self, race: Race, access: RaceAccess, name: &str) -> Diag {
        let open = self.operation(race).expect("a race has an open operation");
        let does = if race.is_written { "write" } else { "read" };
        let diag = DATA_RACE.because(&[("name", &name), ("access", &access.verb()), ("does", &does)]);
        let label = format!("`@{}` starts here, and nothing has waited for its end", open.uses.name);
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
        let progress = self.operation(race).map(|open| open.progress.at(self.cycle));
        matches!(progress, Some(Progress::Running { .. } | Progress::Leaving { .. }))
    }

    /// Adds the open operations to the hash of a state: they decide what is reported.
    pub fn add_state(&self, state: &mut StateHash) {
        for open in self.watched.iter().flat_map(|watched| &watched.open) {
            state.add_debug(open);
        }
    }

    /// The operation of a race is not reported again, nor watched: what it still writes is not met ahead of the clock.
    pub fn note_reported(&mut self, race: Race) {
        self.keeps_pace |= self.is_running(race);
        if let Some(watched) = &mut self.watched {
            watched.guard.retain(|watch| watch.owner != race.owner);
            watched.guard.renew();
        }
    }

    /// An access that the guard has stopped is no race: it watches too much.
    pub fn renew_guard(&mut self) {
        if let Some(watched) = &mut self.watched {
            watched.guard.renew();
        }
    }

    /// An asynchronous operation starts that runs at `place`, or that was done ahead of the clock.
    pub fn start(&mut self, operation: &Operation, fifos: &[FifoState], begun: Begun) {
        if !self.detects {
            return;
        }
        let watched = self.watched.get_or_insert_default();
        watched.make_room(begun.span);
        let id = watched.opened;
        let (mut used, mut has_operands) = (0, false);
        each_operand(operation, fifos, |OpenOperand { footprint, is_written, fifo }| {
            used |= fifo.map_or(0, |fifo| 1 << fifo);
            has_operands = true;
            watched.guard.add(Watch { words: footprint, reads: is_written, fifo, owner: id });
        });
        if !has_operands {
            return;
        }
        let progress = watched.begins(&begun);
        let output = operation.output().map(|output| output as u8);
        let (name, inputs) = (operation.name(), operation.inputs());
        watched.open(&begun, OpenUse { name, inputs, fifos: used, output }, progress);
        self.is_on = true;
    }

    /// An asynchronous operation was done ahead of the clock that sends words of memory, or a scalar. Its name, and its
    /// output.
    pub fn start_send(
        &mut self,
        (name, output): (&'static str, usize),
        words: Option<Footprint>,
        begun: Begun,
    ) {
        if !self.detects {
            return;
        }
        let watched = self.watched.get_or_insert_default();
        watched.make_room(begun.span);
        let Some(words) = words else { return };
        watched.guard.add(Watch { words, reads: false, fifo: None, owner: watched.opened });
        let progress = watched.begins(&begun);
        watched.open(&begun, OpenUse { name, inputs: 0, fifos: 0, output: Some(output as u8) }, progress);
        self.is_on = true;
    }

    /// The operation of a thread has ended.
    pub fn end(&mut self, place: usize, done: CompletionAction) {
        let Some(watched) = &mut self.watched else { return };
        let running = Progress::Running { place: place as u8 };
        if let Some(n) = watched.open.iter().position(|open| open.progress == running) {
            let (number, seen_by) = watched.next_end(done);
            watched.open[n].progress = Progress::Ended { number, seen_by };
        }
    }

    /// A task starts: by its activation, or by a wavelet of an input.
    pub fn task_starts(&mut self, ids: u64, input: Option<usize>, threads: &Threads, now: u64) {
        let Some(watched) = &mut self.watched else { return };
        watched.end_until(now);
        watched.see_ends(ids, threads, now);
        if let Some(input) = input {
            watched.see_wavelets(threads, now);
            watched.see_queues([1 << input, 0, 0], u32::MAX);
        }
        self.is_on = !watched.is_idle();
    }

    /// Marks all operations that have ended as seen, because the handler of an empty queue runs.
    pub fn mark_all_seen(&mut self, now: u64) {
        let Some(watched) = &mut self.watched else { return };
        watched.end_until(now);
        watched.keep(|open| !matches!(open.progress, Progress::Ended { .. }));
        self.is_on = !watched.is_idle();
    }

    /// The main thread has waited for the end of an operation.
    pub fn waited_for(&mut self, operation: &Operation, threads: &Threads, now: u64) {
        let Some(watched) = &mut self.watched else { return };
        watched.end_until(now);
        if operation.inputs() != 0 {
            watched.see_wavelets(threads, now);
        }
        let outputs = operation.output().map_or(0, |output| 1 << output);
        watched.see_queues([operation.inputs(), outputs, fifos_of(operation)], u32::MAX);
        self.is_on = !watched.is_idle();
    }

    /// The same for an operation that only sends, in this cycle at last.
    pub fn waited_for_send(&mut self, output: usize, now: u64) {
        let Some(watched) = &mut self.watched else { return };
        watched.end_until(now);
        watched.see_queues([0, 1 << output, 0], u32::MAX);
        self.is_on = !watched.is_idle();
    }

    /// Marks as seen what the host may know, because it launches a function or copies: what was sent may have
    /// arrived.
    pub fn note_host_access(&mut self, threads: &Threads, now: u64) {
        let Some(watched) = &mut self.watched else { return };
        watched.end_until(now);
        watched.see_wavelets(threads, now);
        self.is_on = !watched.is_idle();
    }
}

/// The task whose start shows that an operation has ended.
fn seen_by(done: CompletionAction) -> Option<TaskId> {
    match done {
        CompletionAction::Nothing => None,
        CompletionAction::Activate(id) | CompletionAction::Unblock(id) => Some(id),
    }
}

impl Watched {
    fn is_idle(&self) -> bool {
        self.open.is_empty() && self.witness.is_none() && self.unset.is_none()
    }

    /// Adds an operation, whose watches have the next number.
    fn open(&mut self, begun: &Begun, uses: OpenUse, progress: Progress) {
        let (id, span, has_completion) =
            (self.opened, begun.span, begun.completion != CompletionAction::Nothing);
        // The witness and the globals without a value have the last numbers.
        self.opened = (id + 1) % UNSET;
        self.open.push(OpenOperation { id, span, uses, has_completion, progress, seen: 0 });
    }

    /// Keeps the operations for which `keep` is true, and their watches.
    fn keep(&mut self, keep: impl FnMut(&mut OpenOperation) -> bool) {
        let before = self.open.len();
        if before > 0 {
            self.open.retain_mut(keep);
        }
        if self.open.len() == before {
            return;
        }
        let Watched { open, guard, .. } = self;
        guard.retain(|watch| watch.owner >= UNSET || open.iter().any(|open| open.id == watch.owner));
    }

    /// Where an operation is that begins.
    fn begins(&mut self, begun: &Begun) -> Progress {
        match begun.place {
            Place::Thread(place) => Progress::Running { place: place as u8 },
            Place::Ahead { first, last } => {
                let (number, seen_by) = self.next_end(begun.completion);
                Progress::Leaving { first, last, number, seen_by }
            }
        }
    }

    /// Operations have ended whose last element has left by a cycle.
    fn end_until(&mut self, now: u64) {
        self.open.iter_mut().for_each(|open| open.progress = open.progress.at(now));
    }

    /// The number of the next end, of an operation with this completion, and the task that sees it.
    fn next_end(&mut self, done: CompletionAction) -> (u32, Option<TaskId>) {
        self.ended = self.ended.saturating_add(1);
        (self.ended, seen_by(done))
    }

    /// Makes room for one more operation, at `span`.
    fn make_room(&mut self, span: Span) {
        if self.open.len() >= MOST_OPEN / 2 {
            // A place that starts the same operation again and again without an end that is seen counts once.
            let is_older = |open: &OpenOperation| {
                open.span == span && matches!(open.progress, Progress::Ended { seen_by: None, .. })
            };
            self.keep(|open| !is_older(open));
        }
        if self.open.len() >= MOST_OPEN {
            let oldest = self.open[0].id;
            self.keep(|open| open.id != oldest);
        }
        // Most PEs have one or two, and there may be a million PEs.
        if self.open.is_empty() {
            self.open.reserve_exact(2);
        }
    }

    /// Tasks with these ids start.
    fn see_ends(&mut self, ids: u64, threads: &Threads, now: u64) {
        let (mut queues, mut last) = ([0; 3], None);
        self.keep(|open| {
            let Progress::Ended { number, seen_by: Some(id) } = open.progress else { return true };
            if bit(id) & ids == 0 {
                return true;
            }
            last = last.max(Some(number));
            for (all, used) in queues.iter_mut().zip([open.uses.inputs, open.outputs(), open.uses.fifos]) {
                *all |= used;
            }
            false
        });
        let Some(last) = last else { return };
        if queues[0] != 0 {
            self.see_wavelets(threads, now);
        }
        self.see_queues(queues, last);
    }

    /// Operations that went through the same queues or FIFOs and have ended before the n-th end are seen, too.
    fn see_queues(&mut self, [inputs, outputs, fifos]: [u64; 3], before: u32) {
        if inputs | outputs | fifos == 0 {
            return;
        }
        self.keep(|open| match open.progress {
            Progress::Ended { number, .. } if number < before => {
                open.uses.inputs & inputs == 0
                    && open.outputs() & outputs == 0
                    && open.uses.fifos & fifos == 0
            }
            Progress::Ended { .. } | Progress::Leaving { .. } | Progress::Running { .. } => true,
        });
    }

    /// A wavelet has arrived: it may answer all that was sent.
    fn see_wavelets(&mut self, threads: &Threads, now: u64) {
        let Watched { open, guard, .. } = self;
        for open in open.iter_mut().filter(|open| open.uses.output.is_some()) {
            let done = match open.progress {
                Progress::Running { place } => threads.done(place.into()),
                Progress::Leaving { first, .. } => (now + 1).saturating_sub(first) as u32,
                Progress::Ended { .. } => continue,
            };
            let more = done.saturating_sub(open.seen);
            open.seen = done;
            if more > 0 {
                guard.retain(|watch| watch.owner != open.id || watch.shorten(more));
            }
        }
        self.keep(|open| open.uses.output.is_none() || !matches!(open.progress, Progress::Ended { .. }));
    }
}
