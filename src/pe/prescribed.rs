//! A prescribed schedule: which of several possible actions a PE takes (`cslrun explore`, `--schedule`).
//!
//! A PE makes a decision when its main thread is free and something could start: one of the ready tasks and launches
//! starts, or none, so that something else can come first. It also decides which of several microthreads goes first
//! if they share a queue or a FIFO. The decisions of a PE are numbered, and a script lists those that differ from the
//! default.

use crate::arch::{PeCoord, TaskId};
use crate::image::{FnId, TaskKind};
use crate::state_hash::StateHash;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many decisions of a PE are recorded; later ones take the default.
const MOST: usize = 1 << 16;
/// In a set of sources: the host.
pub(super) const HOST: u64 = 1 << 62;
/// In a set of sources: the end of an asynchronous operation, a FIFO or a teardown.
const COMPLETION: u64 = 1 << 63;

/// A decision that differs from the default.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Deviation {
    /// The PE that decides.
    pub pe: PeCoord,
    /// How many decisions the PE has made before.
    pub number: u32,
    /// The candidate to take, counted from the default one, which is 0; `None` to wait for something else.
    pub alternative: Option<u8>,
}

/// What a PE may do next.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Candidate {
    /// This local task starts.
    Local(TaskId),
    /// The task of this id starts, for the oldest wavelet of an input.
    Wavelet {
        /// The task.
        id: TaskId,
        /// Its kind.
        kind: TaskKind,
        /// The number of the input.
        input: u8,
    },
    /// This function starts, which the host has launched.
    Launch(FnId),
    /// Microthreads take turns.
    Turns,
    /// A microthread, or the main thread with number 8, goes first, and the others wait for its end.
    Thread(u8),
}

impl Candidate {
    /// Where it comes from, as a set of sources.
    fn source(self) -> u64 {
        match self {
            Candidate::Wavelet { input, .. } => 1 << input.min(61),
            Candidate::Launch(_) => HOST,
            Candidate::Local(_) | Candidate::Turns | Candidate::Thread(_) => 0,
        }
    }
}

/// A decision of a PE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// When.
    pub cycle: u64,
    /// What could be done; the usual first.
    pub candidates: Vec<Candidate>,
    /// The candidate that was taken; `None` if the PE waits.
    pub taken: Option<u8>,
    /// Sources of what was ready.
    ready: u64,
    /// Sources of what has come to the PE since the decision before, and of what was taken.
    came: u64,
}

impl Decision {
    /// Whether it is about what starts, so that the PE may wait.
    pub fn may_wait(&self) -> bool {
        !matches!(self.candidates.first(), Some(Candidate::Turns))
    }

    /// What has come from outside, as a set of sources.
    pub fn came(&self) -> u64 {
        self.came
    }

    /// Whether waiting may let something go first that comes from these sources: nothing overtakes what is ready and
    /// comes from the same one.
    pub fn is_overtaken_by(&self, sources: u64) -> bool {
        self.may_wait() && sources & !self.ready != 0
    }
}

/// How far the script of a run is followed, for all its PEs.
#[derive(Debug, Default)]
pub struct ScheduleProgress {
    decided: AtomicU64,
    left: AtomicU64,
    is_cut: AtomicU64,
}

impl ScheduleProgress {
    /// Of so many deviations none has come yet.
    pub fn new(deviations: usize) -> ScheduleProgress {
        ScheduleProgress { left: AtomicU64::new(deviations as u64), ..ScheduleProgress::default() }
    }

    /// How many decisions were made.
    pub fn decided(&self) -> u64 {
        self.decided.load(Ordering::Relaxed)
    }

    /// How many deviations have not come yet.
    pub fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// Whether a PE has made more decisions than are noted.
    pub fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::Relaxed) != 0
    }
}

/// What a waiting PE does not start until something else has happened.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Asleep {
    /// Local tasks, bit = id.
    pub locals: u64,
    /// Wavelets at the heads of inputs, and launches, as a set of sources.
    pub sources: u64,
}

impl Asleep {
    /// Adds a candidate.
    pub fn add(&mut self, candidate: Candidate) {
        match candidate {
            Candidate::Local(id) => self.locals |= 1 << (id.0 & 63),
            _ => self.sources |= candidate.source(),
        }
    }

    /// Whether a candidate is among them.
    pub fn contains(&self, candidate: Candidate) -> bool {
        match candidate {
            Candidate::Local(id) => self.locals & 1 << (id.0 & 63) != 0,
            _ => self.sources & candidate.source() != 0,
        }
    }
}

/// The script of one PE, and what the PE has decided so far.
#[derive(Clone, Debug)]
pub struct PrescribedSchedule {
    /// The deviations to come: number and alternative.
    ahead: VecDeque<(u32, Option<u8>)>,
    decisions: Vec<Decision>,
    /// The PE waits, and does not start these.
    pub(super) asleep: Option<Asleep>,
    /// Tasks that have activated themselves and have started again since another has, bit = id.
    pub(super) overtaking: u64,
    /// Microthreads that share something, bit = place, and which of them goes first.
    pub(super) favoured: Option<(u16, Option<u8>)>,
    /// Sources of what has come since the last decision.
    came: u64,
    progress: Arc<ScheduleProgress>,
}

impl PrescribedSchedule {
    /// The script of a PE, of those of the whole wafer.
    pub fn new(
        deviations: &[Deviation],
        at: PeCoord,
        progress: &Arc<ScheduleProgress>,
    ) -> PrescribedSchedule {
        let own = deviations.iter().filter(|deviation| deviation.pe == at);
        let mut ahead: Vec<_> = own.map(|deviation| (deviation.number, deviation.alternative)).collect();
        ahead.sort_unstable();
        PrescribedSchedule {
            ahead: ahead.into(),
            decisions: Vec::new(),
            asleep: None,
            overtaking: 0,
            favoured: None,
            came: 0,
            progress: Arc::clone(progress),
        }
    }

    /// What was decided so far.
    pub fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    /// The microthreads that wait for the end of another, bit = place.
    pub(super) fn held_threads(&self) -> u16 {
        match self.favoured {
            Some((set, Some(first))) => set & !(1 << first),
            Some((_, None)) | None => 0,
        }
    }

    /// Operations have ended that activate or unblock these tasks, bit = id: a PE that waits for an activation has it.
    pub(super) fn note_woken(&mut self, woken: u64) {
        if woken != 0 {
            self.came |= COMPLETION;
            if let Some(asleep) = &mut self.asleep {
                asleep.locals &= !woken;
            }
        }
    }

    /// Decides: a candidate, or `None` if the PE waits. `ready`: all that is ready.
    pub(super) fn decide(
        &mut self,
        cycle: u64,
        candidates: Vec<Candidate>,
        ready: &[Candidate],
    ) -> Option<Candidate> {
        let usual = Decision {
            cycle,
            candidates,
            taken: Some(0),
            ready: ready.iter().fold(0, |all, candidate| all | candidate.source()),
            came: std::mem::take(&mut self.came),
        };
        self.progress.decided.fetch_add(1, Ordering::Relaxed);
        let candidate = |taken: Option<u8>| usual.candidates.get(usize::from(taken?)).copied();
        if self.decisions.len() >= MOST {
            self.progress.is_cut.store(1, Ordering::Relaxed);
            return candidate(usual.taken);
        }
        let exists = |taken: &Option<u8>| taken.map_or(usual.may_wait(), |_| candidate(*taken).is_some());
        let taken = self.prescribed().filter(exists).unwrap_or(Some(0));
        let started = candidate(taken);
        let came = usual.came | started.map_or(0, Candidate::source);
        self.decisions.push(Decision { taken, came, ..usual });
        started
    }

    fn prescribed(&mut self) -> Option<Option<u8>> {
        let number = self.decisions.len() as u32;
        let (_, alternative) = *self.ahead.front().filter(|(next, _)| *next == number)?;
        self.ahead.pop_front();
        self.progress.left.fetch_sub(1, Ordering::Relaxed);
        Some(alternative)
    }

    /// Adds what decides how it goes on to the hash of a state.
    pub(super) fn add_state(&self, state: &mut StateHash) {
        let position = if self.ahead.is_empty() { None } else { Some(self.decisions.len()) };
        state.add_debug(&(self.asleep, self.overtaking, self.favoured, position));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: PeCoord = PeCoord { x: 1, y: 0 };

    fn script(deviations: &[(u32, Option<u8>)]) -> (PrescribedSchedule, Arc<ScheduleProgress>) {
        let of = |&(number, alternative)| Deviation { pe: AT, number, alternative };
        let deviations: Vec<Deviation> = deviations.iter().map(of).collect();
        let progress = Arc::new(ScheduleProgress::new(deviations.len()));
        (PrescribedSchedule::new(&deviations, AT, &progress), progress)
    }

    fn local(id: u8) -> Candidate {
        Candidate::Local(TaskId(id))
    }

    #[test]
    fn only_the_deviations_are_not_as_usual_and_one_that_does_not_exist_is_ignored() {
        let (mut script, progress) = script(&[(1, Some(1)), (2, Some(7)), (3, None)]);
        let both = [local(8), local(9)];
        let taken: Vec<_> = (0..5).map(|cycle| script.decide(cycle, both.to_vec(), &both)).collect();
        assert_eq!(taken, [Some(local(8)), Some(local(9)), Some(local(8)), None, Some(local(8))]);
        assert_eq!((progress.left(), progress.decided()), (0, 5));
    }

    #[test]
    fn what_is_ready_is_not_overtaken_by_its_own_source() {
        let (mut script, _) = script(&[]);
        let data = Candidate::Wavelet { id: TaskId(3), kind: TaskKind::Data, input: 3 };
        script.decide(0, vec![data], &[data]);
        script.note_woken(1 << 9);
        script.decide(1, vec![local(9)], &[local(9)]);
        let [first, second] = script.decisions() else { panic!("two decisions") };
        assert!(!first.is_overtaken_by(first.came()) && first.is_overtaken_by(second.came()));
        assert!(first.is_overtaken_by(HOST) && second.is_overtaken_by(first.came()));
    }

    #[test]
    fn a_second_activation_wakes_a_task_that_sleeps() {
        let (mut script, _) = script(&[]);
        let mut asleep = Asleep::default();
        [local(8), local(9)].into_iter().for_each(|task| asleep.add(task));
        script.asleep = Some(asleep);
        script.note_woken(1 << 9);
        let asleep = script.asleep.expect("it still waits");
        assert!(asleep.contains(local(8)) && !asleep.contains(local(9)));
    }
}
