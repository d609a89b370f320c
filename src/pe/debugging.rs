//! A PE under a debugger, or whose words are watched.

use super::debug_log::{
    DebugLog, DebugOrders, ExecutionPoint, Found, Notice, StepOrder, Stepping, StopCandidate,
};
use super::element::Pe;
use super::observer::Observer;
use super::write_log::{NotedWrite, WriteLog};
use crate::diagnostics::Diag;
use crate::exec::interface::{Code, Meter, NoServices, StopReason};
use crate::exec::scalar;
use crate::fabric::Wavelet;
use std::sync::Arc;

impl Pe {
    /// Obeys a debugger from now on. `tile` is the number of its tile. A PE that obeys already keeps its history.
    pub fn debug(&mut self, orders: &Arc<DebugOrders>, tile: usize) {
        self.threads.expected.clear();
        match self.observer.debug_log() {
            Some(log) => log.obey(Arc::clone(orders)),
            None => self.observer = Observer::of_debugger(DebugLog::new(Arc::clone(orders), tile)),
        }
    }

    /// Tells what ends a step of this PE, until there are other orders.
    pub fn step(&mut self, step: StepOrder) {
        if let Some(log) = self.observer.debug_log() {
            log.step(Some(Arc::new(step)));
        }
    }

    /// Stops its code before the operation with this count. After that, the PE can only be inspected.
    pub fn stop_at(&mut self, count: u64) {
        if let Some(log) = self.observer.debug_log() {
            log.stop_at(count);
        }
    }

    /// From now on, notes who writes some words.
    pub fn watch(&mut self, witness: WriteLog) {
        self.races.observe(witness);
    }

    /// Forgets all words that are watched.
    pub fn end_watches(&mut self) {
        self.races.end_observation();
    }

    /// Who has written the words that are watched.
    pub fn noted_writes(&mut self) -> &[NotedWrite] {
        self.races.witness().map_or(&[], |witness| witness.writes())
    }

    /// How many operations its code has begun, and the last of them.
    pub fn progress(&self) -> (u64, Option<ExecutionPoint>) {
        self.observer.debugged().map_or((0, None), |log| (log.count(), log.last()))
    }

    /// Runs the scalar loop, which asks before each operation. Away from the loops that do not ask.
    #[inline(never)]
    pub(super) fn run_debugged(&mut self, code: Code<'_>, meter: &mut Meter) -> Result<StopReason, Diag> {
        loop {
            let (words, maps) = (self.memory.words_mut(), &mut self.map_iterations);
            let (calls, sanitizer, tasks) =
                (&mut self.main.calls, &mut self.sanitizer, &mut self.tasks.state);
            let log = self.observer.debug_log().expect("the run is debugged");
            let mut guard = Stepping { log, words: self.races.guard() };
            let stop = scalar::run(
                Code { plans: &[], ..code },
                calls,
                maps,
                (words, &mut guard),
                sanitizer,
                (tasks, &mut NoServices),
                meter,
            );
            let log = self.observer.debug_log().expect("the run is debugged");
            if let Some(witness) = self.races.witness() {
                witness.operations = log.count();
            }
            match log.take_found() {
                None => return stop,
                Some(Found::Stop) => return Ok(StopReason::Pause),
                Some(Found::Place { place, is_marked, is_step }) => {
                    let judge = log.judge().filter(|_| is_marked);
                    let wanted_by =
                        judge.map_or_else(Vec::new, |judge| judge(self, StopCandidate::Code(place)));
                    if is_step || !wanted_by.is_empty() {
                        self.tell(Notice::Code { pe: self.at, place, wanted_by, is_step });
                    }
                }
            }
        }
    }

    fn tell(&self, notice: Notice) {
        if let Some(log) = self.observer.debugged() {
            log.tell(notice);
        }
    }

    /// A wavelet has come into an input queue.
    #[cold]
    pub(super) fn note_arrival(&self, input: usize, Wavelet { data, control }: Wavelet) {
        let Some(log) = self.observer.debugged() else { return };
        let color = self.queues.inputs[input].color;
        if !log.wants(color) {
            return;
        }
        let wanted_by = log.judge().map_or_else(Vec::new, |judge| judge(self, StopCandidate::Arrival(color)));
        // It is also told if nobody wants it: its number in the cycle must not depend on conditions.
        self.tell(Notice::Arrival { pe: self.at, color, data, is_control: control, wanted_by });
    }
}
