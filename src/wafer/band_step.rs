//! A cycle of the PEs and routers of a wafer, band by band; most wafers have one band.
//!
//! Each band is run by one thread at a time: first what comes down its ramps and its PEs, then its routers. No PE
//! and no router sees in a cycle what the others do in it; what crosses a seam between bands is handed over at the
//! end. Routes that a PE changes count for all routers in the same cycle, therefore both halves wait for all bands.
//!
//! Several bands serve wafers of at least 512 PEs on machines with several cores, as long as that is faster
//! (`wafer/threading_policy.rs`): with two threads game-of-life 128 x 128 takes 0.54 to 0.62 of the time,
//! conjugate-gradient 64 x 64 0.65 (docs/performance.md). `--threads 1`, a recording and `--engine plain` switch it off;
//! `nothing_depends_on_the_number_of_threads_and_the_size_of_caches` in `tests/it/props/streams.rs`,
//! `fast_paths_and_threads_cannot_be_seen` in `tests/it/props/stencils.rs` and `tests/it/engines.rs` compare it with one
//! thread.

use super::Wafer;
use super::bands::{Band, Bands};
use super::heartbeat::{PES_BETWEEN_LOOKS, Signals};
use super::launches::Launches;
use super::pe_array::{BandPes, PeFactory, PeSlot};
use super::pieces::{first_of, piece_behind, split_before, without};
use super::record::Observers;
use crate::diagnostics::Diag;
use crate::image::Program;
use crate::pe::{Pe, Wake};
use crate::prefetch::{self, Soon};
use std::time::{Duration, Instant};

/// What all bands share in a cycle.
#[derive(Copy, Clone)]
pub(super) struct CycleContext<'w> {
    pub program: &'w Program,
    pub factory: &'w PeFactory,
    pub signals: Signals,
    pub now: u64,
    /// A PE that runs alone may start its next tasks ahead of the clock, up to this cycle.
    pub alone_until: u64,
}

/// The effects of a band's PEs that are applied to the wafer after the cycle.
#[derive(Default)]
pub(super) struct BandEffects {
    errors: Vec<Diag>,
    /// How many have unblocked the command stream.
    unblocked: usize,
    reached: u64,
    has_acted: bool,
    /// How many have run.
    pub ran: usize,
    /// What records the run. A wafer that is recorded has one band.
    observers: Observers,
}

/// The cycle before which nothing can happen on the wafer but through the only PE that runs in this cycle.
pub(super) fn alone_until(bands: &Bands, launches: &Launches, now: u64) -> u64 {
    [bands.next(now), launches.next()].into_iter().flatten().min().unwrap_or(u64::MAX)
}

impl Wafer {
    /// Runs all PEs that are due, and lets wavelets move, if there are several bands. Gives how many have run.
    pub(super) fn band_step(&mut self) -> usize {
        // Measured only with other threads; a browser has neither these nor this clock.
        let begun = (self.pool.size() > 1).then(Instant::now);
        let elapsed = || begun.map_or(Duration::ZERO, |begun| begun.elapsed());
        let threading = &self.bands.threading;
        if threading.is_long() || self.pool.threads_for(self.bands.load()) > 1 {
            let is_shared = threading.is_together() || self.pool.is_always_shared();
            let ran = self.run_bands_together(is_shared);
            let (took, load, work) = (elapsed(), self.bands.load(), self.bands.work());
            self.bands.threading.note_pace(work);
            self.bands.threading.note(took, load);
            ran
        } else {
            let ran = self.run_bands_in_turn();
            self.bands.threading.note_pace(elapsed());
            ran
        }
    }

    /// Runs each band as a whole, on several threads or on this one.
    fn run_bands_together(&mut self, is_shared: bool) -> usize {
        let pool = Some(&self.pool).filter(|_| is_shared);
        let (factory, pe_array) = self.pe_array.share();
        let (program, signals, now) = (&*self.program, self.signals, self.now);
        let context = CycleContext { program, factory, signals, now, alone_until: 0 };
        let effects =
            self.bands.each_shared(pe_array, pool, |band, pe_array| band.run_all(context, pe_array));
        let ran = effects.iter().map(|effects| effects.ran).sum();
        signals.beat(now, ran);
        self.bands.exchange(pool);
        self.bands.each_shared(pe_array, pool, |band, pe_array| band.step_timed(context, pe_array));
        self.bands.exchange(pool);
        effects.into_iter().for_each(|effects| self.take(effects));
        ran
    }

    /// Runs all PEs that are due, and lets wavelets move, on this thread. Gives how many PEs have run.
    pub(super) fn run_bands_in_turn(&mut self) -> usize {
        let (factory, pe_array) = self.pe_array.share();
        let (program, signals, now) = (&*self.program, self.signals, self.now);
        let mut context = CycleContext { program, factory, signals, now, alone_until: 0 };
        self.bands.each(pe_array, |band, pe_array| band.hand_over(context, pe_array));
        self.observers.take(|| self.bands.first.fabric.events());
        let running = self.bands.iter().map(|band| band.due.len()).sum();
        signals.beat(now, running);
        if running == 1 && self.observers.are_none() {
            context.alone_until = alone_until(&self.bands, &self.launches, now);
        }
        let observers = std::mem::take(&mut self.observers);
        let mut effects = BandEffects { observers, ..BandEffects::default() };
        self.bands.each(pe_array, |band, pe_array| band.run_due(context, pe_array, &mut effects));
        self.bands.exchange(None);
        self.bands.each(pe_array, |band, pe_array| band.step(context, pe_array));
        self.bands.exchange(None);
        self.take(effects);
        running
    }

    /// Takes the output of all PEs. Bands come in their order, so it does not depend on threads.
    pub(super) fn take_logs(&mut self) {
        for band in self.bands.iter_mut() {
            self.findings.append(&mut band.log, self.now);
        }
    }

    /// Applies the effects of a band. Bands come in their order, so the result does not depend on threads.
    pub(super) fn take(&mut self, effects: BandEffects) {
        if !effects.observers.are_none() {
            self.observers = effects.observers;
        }
        self.findings.extend(effects.errors);
        self.launches.unblock(effects.unblocked);
        self.reached = self.reached.max(effects.reached);
        self.has_acted |= effects.has_acted;
    }
}

impl Band {
    /// Hands over what has come down the ramps, and runs the PEs that are due.
    fn run_all(&mut self, context: CycleContext<'_>, pe_array: &mut [PeSlot]) -> BandEffects {
        let begun = Instant::now();
        let mut effects = BandEffects::default();
        if self.fabric.is_large() {
            let now = context.now;
            let work = (self.fabric.take_delivering(now), self.event_queue.take_due(now));
            self.run_in_order(context, work, pe_array, &mut effects, false);
        } else {
            self.hand_over(context, pe_array);
            self.run_due(context, pe_array, &mut effects);
        }
        self.spent = begun.elapsed();
        effects
    }

    /// Delivers wavelets, and collects the PEs that are due.
    fn hand_over(&mut self, context: CycleContext<'_>, pe_array: &mut [PeSlot]) {
        let Band { fabric, event_queue, delivered, pes, .. } = self;
        let mut pe_array =
            BandPes { factory: context.factory, pe_array, first: pes.start, now: context.now, delivered };
        fabric.deliver(context.now, &mut pe_array);
        for (pe, wake) in delivered.take() {
            match wake {
                Wake::At(cycle) => event_queue.wake(pe as usize, cycle, context.now),
                Wake::OnEvent => {}
            }
        }
        self.due = event_queue.take_due(context.now);
    }

    /// Runs the PEs that are due.
    fn run_due(&mut self, context: CycleContext<'_>, pe_array: &mut [PeSlot], effects: &mut BandEffects) {
        let due = std::mem::take(&mut self.due);
        self.worker.alone_until = context.alone_until;
        for pes in due.chunks(PES_BETWEEN_LOOKS) {
            match context.signals.is_to_stop() {
                // The run stops: they do not run any more, but must appear in the report as unfinished.
                true => self.event_queue.wake_all(pes, context.now),
                false => pes.iter().for_each(|pe| self.run_pe(context, *pe as usize, pe_array, effects)),
            }
        }
        self.ran = due.len();
        self.event_queue.keep(due);
    }

    /// Delivers and runs piece by piece, so that the state of a PE is still in a cache when it runs: the first list has
    /// the PEs to which wavelets may be delivered, the second those that are scheduled. `decides` also lets the routers
    /// of a piece decide after it, if nothing else waits for all PEs.
    pub(super) fn run_in_order(
        &mut self,
        context: CycleContext<'_>,
        (delivering, due): (Vec<u32>, Vec<u32>),
        pe_array: &mut [PeSlot],
        effects: &mut BandEffects,
        decides: bool,
    ) {
        let now = context.now;
        self.worker.alone_until = context.alone_until;
        let visited = if decides { self.fabric.begin_step(now) } else { Vec::new() };
        let (mut given, mut running, mut awake) = (&delivering[..], &due[..], &visited[..]);
        while let Some(first) = first_of(&[given, running, awake]) {
            if context.signals.is_to_stop() {
                self.event_queue.wake_all(running, now);
                break;
            }
            let end = piece_behind(first, &[given, running, awake]);
            let awake_next = self.fabric.awake_next();
            let piece = (split_before(&mut given, end), split_before(&mut running, end));
            self.run_neighbours(context, piece, pe_array, effects);
            if decides {
                self.fabric.step_some(split_before(&mut awake, end), awake_next, first..end, now);
            }
        }
        self.ran = effects.ran;
        let left = given.len();
        self.fabric.end_deliveries(delivering, left);
        self.event_queue.keep(due);
        if decides {
            self.fabric.end_step(visited, now);
        }
    }

    /// Runs one piece: wavelets may be delivered to `given`; `due` are scheduled for this cycle.
    fn run_neighbours(
        &mut self,
        context: CycleContext<'_>,
        (given, due): (&[u32], &[u32]),
        pe_array: &mut [PeSlot],
        effects: &mut BandEffects,
    ) {
        let Band { fabric, event_queue, delivered, pes, .. } = self;
        let (factory, first, now) = (context.factory, pes.start, context.now);
        fabric.deliver_some(given, now, &mut BandPes { factory, pe_array, first, now, delivered });
        let mut running = std::mem::take(&mut self.due);
        running.extend(due);
        for (pe, wake) in delivered.take() {
            match wake {
                Wake::At(cycle) if cycle <= now => running.push(pe),
                Wake::At(cycle) => event_queue.wake(pe as usize, cycle, now),
                Wake::OnEvent => {}
            }
        }
        running.sort_unstable();
        running.dedup();
        // PEs that have just received a wavelet are in a cache already.
        let unseen: Vec<u32> = without(due, given).collect();
        let mut passed = 0;
        for pe in &running {
            if unseen.get(passed) == Some(pe) {
                prefetch::along(&unseen, passed, |pe, soon| self.prefetch(pe, soon, pe_array));
                passed += 1;
            }
            self.event_queue.take(*pe as usize);
            self.run_pe(context, *pe as usize, pe_array, effects);
        }
        running.clear();
        self.due = running;
    }

    /// Prefetches a part of a PE that runs soon.
    fn prefetch(&self, pe: u32, soon: Soon, pe_array: &[PeSlot]) {
        self.fabric.prefetch_sender(pe, soon);
        let pe = pe_array[pe as usize - self.pes.start].as_deref();
        pe.into_iter().for_each(|pe: &Pe| pe.prefetch(soon, 0));
    }

    /// Runs a PE that is due.
    #[inline(always)]
    fn run_pe(
        &mut self,
        context: CycleContext<'_>,
        index: usize,
        pe_array: &mut [PeSlot],
        effects: &mut BandEffects,
    ) {
        let Some(pe) = context.factory.pe(&mut pe_array[index - self.pes.start], index) else { return };
        effects.ran += 1;
        let before = (pe.command_stream_blocked(), pe.busy_until());
        let mut ramp = self.fabric.ramp(index, context.now);
        let wake = pe.cycle(context.now, &mut ramp, &mut self.log, &mut self.worker);
        effects.unblocked += usize::from(before.0 && !pe.command_stream_blocked());
        effects.reached = effects.reached.max(pe.reached(context.now));
        effects.observers.take(|| pe.events());
        if let Some(colors) = pe.take_room() {
            self.fabric.retry(index, colors);
        }
        match wake {
            Ok(Wake::At(cycle)) => {
                effects.has_acted = true;
                self.event_queue.wake(index, cycle.max(context.now + 1), context.now);
            }
            Ok(Wake::OnEvent) => effects.has_acted |= !pe.was_idle(),
            Err(mut diag) => {
                diag.0.calls = pe.calls();
                diag.0.leave_library(&context.program.sources);
                effects.errors.push(diag);
            }
        }
        if effects.observers.is_following() && self.fabric.is_recording() {
            let busy_until = pe.busy_until();
            let cycle = if busy_until > before.1 { busy_until } else { context.now };
            effects.observers.look_at_memory(index, pe, cycle.max(context.now));
        }
    }

    /// The same as [`Band::step`], and notes how long it takes.
    fn step_timed(&mut self, context: CycleContext<'_>, pe_array: &mut [PeSlot]) {
        let begun = Instant::now();
        self.step(context, pe_array);
        self.spent += begun.elapsed();
    }

    /// Lets wavelets move, and wakes those who may send again.
    fn step(&mut self, context: CycleContext<'_>, pe_array: &mut [PeSlot]) {
        self.load = self.ran + self.fabric.step(context.now);
        self.wake_freed(context.factory, pe_array, context.now + 1);
    }

    /// Wakes PEs that were refused by their routers and may send again.
    pub(super) fn wake_freed(&mut self, factory: &PeFactory, pe_array: &mut [PeSlot], now: u64) {
        for pe in self.fabric.take_freed() {
            let pe = pe as usize;
            factory.pe(&mut pe_array[pe - self.pes.start], pe).into_iter().for_each(Pe::resume_sending);
            self.event_queue.wake(pe, now, now);
        }
    }
}
