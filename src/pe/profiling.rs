//! What a PE whose run is profiled tells its notes.

use super::element::Pe;
use super::loop_services::PeServices;
use super::main_thread::Served;
use super::profile_log::{ProfileLog, noted};
use super::start::Start;
use super::tasks::{CompletionAction, Picked};
use super::threads::{MAIN, Thread};
use super::trace_buffer::reason;
use crate::diagnostics::Diag;
use crate::exec::PreparedTile;
use crate::exec::counts::{Counting, Piece};
use crate::exec::cycles::start_cycles;
use crate::exec::interface::{Code, LoopServices, Meter, NoServices, StopReason};
use crate::exec::scalar;
use crate::fabric::Ramp;
use crate::image::FnId;
use crate::image::code::VectorOp;
use crate::profile::{PeRecords, Started};
use crate::trace::Reason;

impl Pe {
    /// Takes notes for a profile from now on, of so many records at most.
    pub fn profile(&mut self, limit: usize) {
        self.threads.expected.clear();
        self.observer.set_profile(ProfileLog::new(limit));
    }

    /// The notes up to a cycle; `None` if nothing is profiled.
    pub fn profile_notes(&self, now: u64) -> Option<PeRecords> {
        let profile = self.observer.noted()?;
        let mut waits: Vec<(usize, Reason, u64)> = Vec::new();
        for (place, thread) in self.threads.iter() {
            if let Some((stall, since)) = thread.stalled {
                waits.push((place, reason(stall, thread.operation.color(), &self.queues), since));
            }
        }
        if let Some(stalled) = &self.main.stalled {
            waits.push((MAIN, reason(stalled.0, None, &self.queues), stalled.1));
        }
        let is_running = !self.main.is_free() && !self.main.waiting && !self.main.is_stalled();
        let code_until = if is_running { self.main.busy_until } else { 0 };
        Some(profile.notes(self.tile.data_end.into(), code_until, &waits, &self.queues, now))
    }

    /// What a profile notes after a visit.
    #[inline]
    pub(super) fn after_profiled_visit(&mut self, ramp: &dyn Ramp) {
        if let Some(profile) = self.observer.profile().filter(|profile| profile.asks()) {
            profile.find_origins(ramp);
        }
    }

    /// A task or function starts.
    #[cold]
    pub(super) fn note_profiled_task(&mut self, function: FnId, ready: Option<Picked>, now: u64) {
        let (tasks, queues) = (&self.arch.costs.tasks, &self.queues);
        let (started, input, cycles) = match ready {
            Some(Picked::Local(id)) => (Started::Active(id), None, tasks.start),
            Some(Picked::Wavelet { input, .. }) => {
                let input = usize::from(input);
                (Started::Wavelet(queues.inputs[input].color), Some(input), tasks.data_start)
            }
            None => (Started::Launched, None, tasks.start),
        };
        if let Some(profile) = self.observer.profile() {
            profile.task(function, started, input, queues, (now, now + u64::from(cycles)));
        }
    }

    /// The task or function has returned.
    #[inline]
    pub(super) fn note_task_end(&mut self, cycle: u64) {
        if let Some(trace) = self.observer.trace() {
            trace.task_end(cycle);
        }
        if let Some(profile) = self.observer.profile() {
            profile.task_end(cycle);
        }
    }

    /// Runs the scalar loop, which counts what it does. Away from the loops that do not count: in one function with them it
    /// would make them slower.
    #[inline(never)]
    pub(super) fn run_counted(
        &mut self,
        tile: &PreparedTile,
        code: Code<'_>,
        meter: &mut Meter,
    ) -> Result<StopReason, Diag> {
        let is_observed = self.is_observed();
        let size = self.memory.size();
        let (words, maps) = (self.memory.words_mut(), &mut self.map_iterations);
        let (calls, sanitizer, tasks) = (&mut self.main.calls, &mut self.sanitizer, &mut self.tasks.state);
        let profile = self.observer.profile().expect("the run is profiled");
        let counts = &mut profile.counts;
        counts.deepest = calls.last().map_or(0, |frame| frame.end).max(counts.deepest);
        let watched = self.races.guard();
        let plans = if watched.is_some() || is_observed { &[] } else { code.plans };
        let mut services = PeServices {
            tile,
            arch: self.arch,
            registers: &mut self.registers,
            checks: &self.checks,
            threads: &self.threads,
            size,
        };
        let mut nothing = NoServices;
        let services: &mut dyn LoopServices = if is_observed { &mut nothing } else { &mut services };
        let mut guard = Counting { counts, words: watched };
        let (code, memory) = (Code { plans, ..code }, (words, &mut guard));
        scalar::run(code, calls, maps, memory, sanitizer, (tasks, services), meter)
    }

    /// Runs the scalar loop, and records which code it runs from a cycle on.
    #[inline(never)]
    pub(super) fn run_recorded(
        &mut self,
        code: Code<'_>,
        now: u64,
        meter: &mut Meter,
    ) -> Result<StopReason, Diag> {
        let from = now + meter.spent;
        let (words, maps) = (self.memory.words_mut(), &mut self.map_iterations);
        let (calls, sanitizer, tasks) = (&mut self.main.calls, &mut self.sanitizer, &mut self.tasks.state);
        let trace = self.observer.trace().expect("the run is recorded");
        let counts = trace.code.as_mut().expect("its code is recorded");
        let mut guard = Counting { counts, words: self.races.guard() };
        let code = Code { plans: &[], ..code };
        let memory = (words, &mut guard);
        let stop = scalar::run(code, calls, maps, memory, sanitizer, (tasks, &mut NoServices), meter);
        let cycles = |piece: &Piece| {
            let before = &code.function(piece.function).cycles_before;
            u64::from(before[piece.to as usize] - before[piece.from as usize]) + piece.cycles
        };
        trace.ran(from, cycles);
        stop
    }

    /// An operation of the main thread has been served, or could not be, in a cycle.
    #[inline(always)]
    pub(super) fn note_served(&mut self, served: &Served, now: u64) {
        if self.observer.has_profile() {
            self.note_service(served, now);
        }
    }

    #[cold]
    fn note_service(&mut self, served: &Served, now: u64) {
        let (Some(profile), Some(frame)) = (self.observer.profile(), self.main.calls.last()) else { return };
        let waited = self.main.stalled.as_ref().map(|stalled| (stalled.0, stalled.1));
        let named = waited.map(|(stall, since)| (reason(stall, None, &self.queues), since));
        match served {
            Served::Done(cycles) | Served::Jump(_, cycles) => {
                profile.served((frame.function, frame.pc), *cycles, named, now);
            }
            Served::Retry(stall) => match waited {
                None => profile.code(now),
                Some((old, since)) if old != *stall => {
                    profile.wait_changes(MAIN, reason(old, None, &self.queues), since, now);
                }
                Some(_) => {}
            },
            Served::Later | Served::Waits => {}
        }
    }

    /// A thread begins an operation.
    #[cold]
    pub(super) fn note_begin(&mut self, place: usize, thread: &Thread) {
        let (Some(profile), Some(frame)) = (self.observer.profile(), self.main.calls.last()) else { return };
        let operation = noted(&thread.operation, (thread.span, frame.function), &self.queues);
        profile.begin(place, operation, thread.launched, thread.started);
    }

    /// An operation has sent all of its elements ahead of the clock, the last one in a cycle.
    #[cold]
    pub(super) fn note_sent_early(&mut self, vector: &VectorOp, start: &Start, from: u64, last: u64) {
        let started = from + start_cycles(vector, &self.arch.costs.vectors);
        let (Some(profile), Some(frame)) = (self.observer.profile(), self.main.calls.last()) else { return };
        let (operation, settings) = (&start.thread.operation, &start.settings);
        let noted = noted(operation, (vector.span, frame.function), &self.queues);
        let is_async = settings.is_async;
        let place = if is_async { start.ut.map_or(0, |ut| usize::from(ut.0 & 7)) } else { MAIN };
        let then = if is_async { settings.completion } else { CompletionAction::Nothing };
        profile.sent_early(place, noted, (from, started), (last, operation.done), then);
    }
}
