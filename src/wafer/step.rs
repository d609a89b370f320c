//! One cycle: wavelets are delivered, PEs run, and routers move wavelets.

use super::{Progress, Wafer, traps};

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
        let ran = if self.bands.are_several() {
            self.band_step()
        } else if self.is_worth_ordering() {
            self.locality_step()
        } else {
            self.run_bands_in_turn()
        };
        self.take_logs();
        self.reached = self.reached.max(self.bands.reached());
        self.observers.end_cycle(self.now, &mut self.bands.first.fabric, &mut self.pe_array);
        self.now += 1;
        self.idle = if self.has_acted { 0 } else { self.idle + 1 };
        self.wake_freed();
        self.tear_down();
        self.check_cycle();
        self.findings.show_lines(self.now);
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
        self.collectives.step(findings, &self.program);
        self.messages.step(findings, &mut self.bands.first.fabric, &self.program);
        for band in self.bands.iter_mut() {
            traps::trap_unrouted(findings, &mut band.fabric, &self.pe_array, self.now);
        }
        traps::trap_collisions(findings, &mut self.bands, &self.pe_array, self.now);
    }

    /// Wakes PEs that were refused by their routers and may send again.
    pub(super) fn wake_freed(&mut self) {
        let (factory, pe_array) = self.pe_array.share();
        self.bands.each(pe_array, |band, pe_array| band.wake_freed(factory, pe_array, self.now));
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
