//! One cycle: wavelets are delivered, PEs run, and routers move wavelets.

use super::heartbeat::PES_BETWEEN_LOOKS;
use super::{Progress, Wafer, explain, traps};
use crate::pe::{Pe, Wake};

impl Wafer {
    /// Runs the next cycle in which anything happens, if it comes before the limit; otherwise goes to the limit.
    pub fn cycle(&mut self, limit: u64) -> Progress {
        if self.findings.has_errors() {
            return Progress::Trapped;
        }
        self.findings.stop(None);
        if self.signals.is_to_stop() || self.script_end().is_some() {
            return Progress::Interrupted;
        }
        let fabric = self.bands.next_awake(self.now);
        if fabric != Some(self.now) {
            let looked_at = self.bands.first.worker.unobserved_until;
            let others = [fabric, self.bands.next_run(self.now), self.launches.next()];
            match others.into_iter().flatten().min() {
                Some(next) if next >= limit => {
                    (self.now, self.idle) = (limit, 0);
                    return Progress::Moving;
                }
                Some(next) if self.now < looked_at && next >= looked_at => {
                    (self.now, self.idle) = (looked_at, 0);
                    return Progress::Moving;
                }
                // Skips to the next cycle that is scheduled. Its visit may turn out to do nothing, depending on the
                // engine, so the skipped cycles count as idle.
                Some(next) if next > self.now => {
                    (self.now, self.idle) = (next, self.idle + (next - self.now));
                }
                Some(_) => {}
                None if self.reached > self.now => {
                    (self.now, self.idle) = (self.reached, 0);
                    return Progress::Moving;
                }
                None => return Progress::Quiet,
            }
        }
        self.has_acted = fabric.is_some_and(|cycle| cycle <= self.now);
        self.launches.begin(self.now, &mut self.pe_array, &mut self.bands);
        self.pe_array.begin_cycle(self.now);
        let ran = if self.bands.are_several() {
            self.band_step()
        } else if self.is_worth_ordering() {
            self.locality_step()
        } else {
            let ran = self.run_pes();
            self.bands.first.fabric.step(self.now);
            ran
        };
        self.reached = self.reached.max(self.pe_array.reached()).max(self.bands.reached());
        self.observers.end_cycle(self.now, &mut self.bands.first.fabric, &mut self.pe_array);
        self.now += 1;
        self.idle = if self.has_acted { 0 } else { self.idle + 1 };
        self.wake_freed();
        self.tear_down();
        self.check_cycle();
        match self.findings.has_errors() {
            true => Progress::Trapped,
            false if self.exploration.is_some() && self.meets_state() => Progress::Interrupted,
            false if self.repetition.is_due(self.now, ran) => self.look_for_repetition(),
            false => Progress::Moving,
        }
    }

    #[cold]
    fn look_for_repetition(&mut self) -> Progress {
        let written = self.findings.written();
        self.repeated = self.repetition.look(self.now, written, &mut self.pe_array, &self.bands);
        if self.repeated.is_some() { Progress::Repeats } else { Progress::Moving }
    }

    /// Looks at what PEs and routers have done in the cycle that is over.
    fn check_cycle(&mut self) {
        let findings = &mut self.findings;
        self.collectives.step(findings, &self.program.sources);
        self.messages.step(findings, &mut self.bands.first.fabric, &self.program);
        for band in self.bands.iter_mut() {
            traps::trap_unrouted(findings, &mut band.fabric, &self.pe_array, self.now);
        }
        traps::trap_collisions(findings, &mut self.bands, &self.pe_array, self.now);
    }

    /// Hands over what has come down the ramps, and runs the PEs that are due. Gives how many have run.
    fn run_pes(&mut self) -> usize {
        self.bands.first.fabric.deliver(self.now, &mut self.pe_array);
        self.observers.take(|| self.bands.first.fabric.events());
        for (pe, wake) in self.pe_array.take_delivered() {
            match wake {
                Wake::At(cycle) => self.bands.first.event_queue.wake(pe as usize, cycle, self.now),
                Wake::OnEvent => {}
            }
        }
        let due = self.bands.first.event_queue.take_due(self.now);
        self.signals.beat(self.now, due.len());
        self.bands.first.worker.alone_until = self.alone_until(&due);
        due.chunks(PES_BETWEEN_LOOKS).for_each(|pes| self.run_in_turn(pes));
        let ran = due.len();
        self.bands.first.event_queue.keep(due);
        ran
    }

    /// The cycle before which nothing can happen on the wafer but through the only PE that runs now; 0 if several PEs
    /// run, or wavelets are in flight.
    pub(super) fn alone_until(&self, due: &[u32]) -> u64 {
        if due.len() != 1 || !self.observers.are_none() {
            return 0;
        }
        let others = [self.bands.next(self.now), self.launches.next()];
        others.into_iter().flatten().min().unwrap_or(u64::MAX)
    }

    fn run_in_turn(&mut self, pes: &[u32]) {
        match self.signals.is_to_stop() {
            // The run stops: they do not run any more, but must appear in the report as unfinished.
            true => self.bands.first.event_queue.wake_all(pes, self.now),
            false => pes.iter().for_each(|pe| self.run_pe(*pe as usize)),
        }
    }

    /// Runs a PE that is due.
    #[inline(always)]
    pub(super) fn run_pe(&mut self, index: usize) {
        let Some(pe) = self.pe_array.pe(index) else { return };
        let before = pe.command_stream_blocked();
        let reached = pe.busy_until();
        let mut ramp = self.bands.first.fabric.ramp(index, self.now);
        let wake = pe.cycle(self.now, &mut ramp, self.findings.log(), &mut self.bands.first.worker);
        self.launches.unblock(usize::from(before && !pe.command_stream_blocked()));
        let busy_until = pe.busy_until();
        self.reached = self.reached.max(pe.reached(self.now));
        self.observers.take(|| pe.events());
        if let Some(colors) = pe.take_room() {
            self.bands.first.fabric.retry(index, colors);
        }
        match wake {
            Ok(Wake::At(cycle)) => {
                self.has_acted = true;
                self.bands.first.event_queue.wake(index, cycle.max(self.now + 1), self.now);
            }
            Ok(Wake::OnEvent) => self.has_acted |= !pe.was_idle(),
            Err(diag) => {
                let calls = pe.calls();
                self.findings.error(explain::outside_library(diag, &calls, &self.program.sources));
            }
        }
        if self.observers.is_following() && self.bands.first.fabric.is_recording() {
            let cycle = if busy_until > reached { busy_until } else { self.now };
            self.observers.look_at_memory(index, &mut self.pe_array, cycle.max(self.now));
        }
    }

    /// Wakes PEs that were refused by their routers and may send again.
    pub(super) fn wake_freed(&mut self) {
        for band in self.bands.iter_mut() {
            for pe in band.fabric.take_freed() {
                self.pe_array.pe(pe as usize).into_iter().for_each(Pe::resume_sending);
                band.event_queue.wake(pe as usize, self.now, self.now);
            }
        }
    }

    fn tear_down(&mut self) {
        for band in self.bands.iter_mut() {
            for (index, color) in band.fabric.take_torn_down() {
                let Some(pe) = self.pe_array.pe(index as usize) else { continue };
                pe.tear_down(color);
                band.event_queue.wake(index as usize, self.now, self.now);
            }
        }
    }
}
