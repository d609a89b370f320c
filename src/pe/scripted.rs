//! What a PE does next while a script decides.

use super::element::Pe;
use super::main_thread::Launch;
use super::prescribed::{Asleep, Candidate, Decision, PrescribedSchedule};
use super::queues::members;
use super::tasks::{Picked, bit};
use crate::arch::TaskId;

/// The task or function that the main thread starts.
pub(super) enum Next {
    Task(Picked),
    /// In a box, so that what a visit picks passes through registers and not through memory.
    Launch(Box<Launch>),
}

impl Next {
    pub fn launch(launch: Launch) -> Next {
        Next::Launch(Box::new(launch))
    }
}

impl Pe {
    /// Follows a script from now on. The PE then does nothing ahead of the clock, so that every possible order can
    /// occur.
    pub fn follow(&mut self, script: PrescribedSchedule) {
        self.script = Some(Box::new(script));
        self.threads.must_not_run_ahead = true;
    }

    /// What it has decided, if a script decides.
    pub fn decisions(&self) -> &[Decision] {
        self.script.as_ref().map_or(&[], |script| script.decisions())
    }

    /// Whether something waits that could go on: a task, a launch, or a microthread.
    pub fn is_held(&self) -> bool {
        let is_held = |script: &PrescribedSchedule| script.asleep.is_some() || script.held_threads() != 0;
        self.script.as_ref().is_some_and(|script| is_held(script))
    }

    /// Nothing waits any longer.
    pub fn release(&mut self) {
        if let Some(script) = &mut self.script {
            script.asleep = None;
            script.favoured = script.favoured.map(|(set, _)| (set, None));
        }
    }

    /// What starts as the script says; `None` if nothing does.
    #[cold]
    pub(super) fn next_by_script(&mut self, now: u64) -> Option<Next> {
        let ready = self.ready(now);
        let woken = std::mem::take(&mut self.tasks.woken);
        let script = self.script.as_mut()?;
        script.note_woken(woken);
        let asleep = script.asleep.unwrap_or_default();
        let awake: Vec<Candidate> = ready.iter().copied().filter(|c| !asleep.contains(*c)).collect();
        if awake.is_empty() {
            return None;
        }
        let Some(taken) = script.decide(now, awake, &ready) else {
            let mut asleep =
                Asleep { locals: self.tasks.state.active & !self.tasks.state.blocked, sources: 0 };
            ready.into_iter().for_each(|candidate| asleep.add(candidate));
            script.asleep = Some(asleep);
            return None;
        };
        script.asleep = None;
        match taken {
            Candidate::Local(id)
                if self.tasks.state.again & bit(id) != 0 && ready.first() != Some(&taken) =>
            {
                script.overtaking |= bit(id);
            }
            _ => script.overtaking = 0,
        }
        match taken {
            Candidate::Local(id) => Some(Next::Task(Picked::Local(id))),
            Candidate::Wavelet { id, kind, input } => Some(Next::Task(Picked::Wavelet { id, kind, input })),
            Candidate::Launch(_) => self.main.take_launch().map(Next::launch),
            Candidate::Turns | Candidate::Thread(_) => unreachable!("a microthread is no task"),
        }
    }

    /// Whether something could start that need not wait for anything else.
    #[cold]
    pub(super) fn has_awake(&mut self, now: u64) -> bool {
        let woken = self.tasks.woken;
        let asleep = self.script.as_ref().and_then(|script| script.asleep).unwrap_or_default();
        let asleep = Asleep { locals: asleep.locals & !woken, ..asleep };
        self.ready(now).into_iter().any(|candidate| !asleep.contains(candidate))
    }

    /// What could start, the usual first. All tasks of the same priority are equal, but a task that has activated itself,
    /// perhaps in order to poll, goes before others only once: else it could keep them waiting forever. A launch is
    /// ready beside them.
    fn ready(&mut self, now: u64) -> Vec<Candidate> {
        let claimed = self.threads.claimed_inputs();
        let arch = self.arch.name;
        let usual = self.tasks.pick(arch, &mut self.queues, claimed, now);
        let active = self.tasks.state.active & !self.tasks.state.blocked;
        let mut all: Vec<Picked> = usual.into_iter().collect();
        all.extend(members(active).map(|id| Picked::Local(TaskId(id as u8))));
        for input in members(self.queues.holding(!claimed)) {
            all.extend(self.tasks.by_wavelet(arch, &mut self.queues, input, now));
        }
        let overtaking = self.script.as_ref().map_or(0, |script| script.overtaking);
        let is_high = |picked: &Picked| self.tasks.high & bit(picked.id()) != 0;
        let may_go = |picked: &Picked| match picked {
            Picked::Local(id) => {
                self.tasks.state.again & overtaking & bit(*id) == 0 || Some(*picked) == usual
            }
            Picked::Wavelet { .. } => true,
        };
        let is_equal =
            |picked: &Picked| usual.as_ref().map(is_high) == Some(is_high(picked)) && may_go(picked);
        let of = |picked: Picked| match picked {
            Picked::Local(id) => Candidate::Local(id),
            Picked::Wavelet { id, kind, input } => Candidate::Wavelet { id, kind, input },
        };
        let mut ready: Vec<Candidate> = Vec::new();
        for picked in all.into_iter().filter(is_equal) {
            if !ready.contains(&of(picked)) {
                ready.push(of(picked));
            }
        }
        ready.extend(self.main.launches().front().map(|launch| Candidate::Launch(launch.function)));
        ready
    }

    /// The first of a set of places. Of those that share a queue or a FIFO, one goes first if the script says so, and
    /// the others wait for its end.
    #[cold]
    pub(super) fn first_by_script(&mut self, waiting: u16, now: u64) -> Option<usize> {
        let sharing = self.threads.sharing();
        let script = self.script.as_mut()?;
        if sharing == 0 {
            script.favoured = None;
        } else if script.favoured.is_none_or(|(set, _)| set != sharing) {
            let places = members(sharing.into());
            let threads = places.map(|place| Candidate::Thread(place as u8));
            let candidates: Vec<Candidate> = std::iter::once(Candidate::Turns).chain(threads).collect();
            let favoured = match script.decide(now, candidates, &[]) {
                Some(Candidate::Thread(place)) => Some(place),
                _ => None,
            };
            script.favoured = Some((sharing, favoured));
        }
        let held = script.held_threads();
        self.threads.first(waiting & !held, None, now)
    }
}
