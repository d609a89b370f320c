//! PEs of one cycle on several threads.
//!
//! A PE sees nothing of the others in a cycle, so they run at the same time; what they leave, they
//! leave in the order of their numbers. Nobody can see how many threads there were.
//!
//! It serves wafers on which many PEs run in the same cycle; docs/performance.md compares one thread with two on 256 x
//! 256. Whole runs of the official examples game-of-life, 128 x 128, and conjugate-gradient, 64 x 64, take 1/1.14 to
//! 1/1.41 and 1/1.19 of the time with two threads. `--threads 1`, a
//! recording and `--engine plain` switch it off; `nothing_depends_on_the_number_of_threads_and_the_size_of_caches`
//! in `tests/it/props/streams.rs` and `fast_paths_and_threads_cannot_be_seen` in `tests/it/props/stencils.rs`
//! compare it with one thread.

use super::cells::{Cell, Maker};
use super::pulse::{PES_BETWEEN_LOOKS, Signals};
use super::{Wafer, explain};
use crate::diagnostics::Diag;
use crate::fabric::{Fabric, RampAction};
use crate::image::Program;
use crate::pe::{PeLog, Wake, Worker};

/// What all threads look at.
#[derive(Copy, Clone)]
struct Scene<'w> {
    program: &'w Program,
    maker: &'w Maker,
    fabric: &'w Fabric,
    signals: Signals,
    now: u64,
}

/// What the PEs of one thread leave.
#[derive(Default)]
struct Shift {
    log: PeLog,
    /// What they have done to their ramps, in order.
    actions: Vec<(u32, RampAction)>,
    /// PEs with the cycle in which they run next.
    wakes: Vec<(u32, u64)>,
    /// PEs that have room again for what has come.
    retries: Vec<u32>,
    trapped: Vec<Diag>,
    /// How many have unblocked the command stream.
    unblocked: usize,
    reached: u64,
}

impl Wafer {
    /// Runs the PEs that are due, each once, ordered by number.
    pub(super) fn run_in_parallel(&mut self, due: &[u32]) {
        let share = due.len().div_ceil(self.pool.threads_for(due.len()));
        let (maker, mut cells) = self.cells.share();
        let scene = Scene {
            program: &self.program,
            maker,
            fabric: &self.fabric,
            signals: self.signals,
            now: self.now,
        };
        let mut shares = Vec::new();
        let mut first = 0;
        for pes in due.chunks(share) {
            let end = pes.last().map_or(first, |last| *last as usize + 1);
            let (mine, others) = cells.split_at_mut(end - first);
            shares.push((pes, mine, first));
            (cells, first) = (others, end);
        }
        let run = |(pes, mine, first): (&[u32], &mut [Cell], usize), worker: &mut Worker| {
            Shift::run(scene, pes, mine, first, worker)
        };
        self.has_acted = true;
        for shift in self.pool.run(shares.into_iter(), run) {
            self.take(shift);
        }
    }

    /// Does what has to be done in the order of the PEs.
    fn take(&mut self, shift: Shift) {
        for (pe, action) in shift.actions {
            self.fabric.perform(pe as usize, action, self.now);
        }
        self.fabric.retry_all(&shift.retries);
        for (pe, cycle) in shift.wakes {
            self.event_queue.wake(pe as usize, cycle, self.now);
        }
        self.findings.append(shift.log, shift.trapped);
        self.launches.unblock(shift.unblocked);
        self.reached = self.reached.max(shift.reached);
    }
}

impl Shift {
    /// Runs PEs whose cells begin with number `first`.
    fn run(scene: Scene<'_>, pes: &[u32], cells: &mut [Cell], first: usize, worker: &mut Worker) -> Shift {
        let mut shift = Shift::default();
        for pes in pes.chunks(PES_BETWEEN_LOOKS) {
            if scene.signals.is_to_stop() {
                // They are to be found among the unfinished.
                shift.wakes.extend(pes.iter().map(|pe| (*pe, scene.now)));
                continue;
            }
            for pe in pes {
                shift.run_pe(scene, *pe as usize, &mut cells[*pe as usize - first], worker);
            }
        }
        shift
    }

    fn run_pe(&mut self, scene: Scene<'_>, index: usize, cell: &mut Cell, worker: &mut Worker) {
        let Some(pe) = scene.maker.pe(cell, index) else { return };
        let before = pe.command_stream_blocked();
        let mut ramp = scene.fabric.shared_ramp(index, scene.now, &mut self.actions);
        let wake = pe.cycle(scene.now, &mut ramp, &mut self.log, worker);
        self.unblocked += usize::from(before && !pe.command_stream_blocked());
        self.reached = self.reached.max(pe.busy_until());
        if pe.has_made_room() && scene.fabric.gives(index) {
            self.retries.push(index as u32);
        }
        match wake {
            Ok(Wake::At(cycle)) => self.wakes.push((index as u32, cycle.max(scene.now + 1))),
            Ok(Wake::OnEvent) => {}
            Err(diag) => {
                let calls = pe.calls();
                self.trapped.push(explain::outside_library(diag, &calls, &scene.program.sources));
            }
        }
    }
}
