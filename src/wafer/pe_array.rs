//! The PEs of the wafer, each created when something first happens to it.

use crate::arch::{Color, PeCoord};
use crate::exec::{CodeCache, PreparedTile};
use crate::fabric::{Offramps, Wavelet};
use crate::image::Program;
use crate::pe::{
    DebugOrders, Deviation, Pe, PeOptions, PrescribedSchedule, ScheduleProgress, ScheduleSeed, Wake,
};
use crate::prefetch::Soon;
use std::sync::Arc;

/// The slot of a PE, which may not exist yet.
pub type PeSlot = Option<Box<Pe>>;

/// What it takes to create a PE.
#[derive(Clone)]
pub struct PeFactory {
    program: Arc<Program>,
    /// The tiles of the program, by number.
    tiles: Vec<Arc<PreparedTile>>,
    /// How they run.
    options: PeOptions,
    /// Decides the order of equally ready tasks and microthreads.
    schedule: Option<ScheduleSeed>,
    /// The deviations of a prescribed schedule, if the run follows one.
    script: Option<(Vec<Deviation>, Arc<ScheduleProgress>)>,
    /// Whether PEs record their scheduling choices.
    has_choices: bool,
    /// The run is recorded; whether with the code that runs.
    recorded: Option<bool>,
    /// The run is profiled, with so many records of each PE at most.
    profiled: Option<usize>,
    /// The run is debugged.
    debugged: Option<Arc<DebugOrders>>,
}

impl PeFactory {
    /// The PE in a slot, made if need be; `None` if it has no code.
    #[inline]
    pub fn pe<'s>(&self, slot: &'s mut PeSlot, index: usize) -> Option<&'s mut Pe> {
        if slot.is_none() {
            *slot = self.make(index);
        }
        slot.as_deref_mut()
    }

    #[cold]
    fn make(&self, index: usize) -> PeSlot {
        let at = self.program.pe_coord(index);
        let tile = self.tiles.get(self.program.place[index] as usize)?.clone();
        let mut pe = Pe::new(at, self.program.arch.numbers(), tile, self.options);
        if let Some(schedule) = self.schedule {
            pe.shuffle(schedule);
        }
        if let Some((deviations, progress)) = &self.script {
            pe.follow(PrescribedSchedule::new(deviations, at, progress));
        }
        if self.has_choices {
            pe.note_choices();
        }
        if let Some(code) = self.recorded {
            pe.record(code);
        }
        if let Some(limit) = self.profiled {
            pe.profile(limit);
        }
        if let Some(orders) = &self.debugged {
            pe.debug(orders, self.program.place[index] as usize);
        }
        Some(Box::new(pe))
    }
}

/// The effects of the deliveries of a cycle.
#[derive(Clone, Default)]
pub struct Delivered {
    /// PEs that were given wavelets, and when they run because of them.
    wakes: Vec<(u32, Wake)>,
    /// The furthest cycle that a PE has reached by taking a wavelet without a visit.
    pub reached: u64,
    /// The last cycle in which a PE was given a wavelet.
    pub last: u64,
}

impl Delivered {
    /// PEs that were given wavelets since the last call, and when they run because of them.
    pub fn take(&mut self) -> std::vec::Drain<'_, (u32, Wake)> {
        self.wakes.drain(..)
    }

    /// A PE gets a wavelet if it has room for it.
    #[inline]
    fn deliver(&mut self, pe: Option<&mut Pe>, index: usize, now: u64, (color, w): (Color, Wavelet)) -> bool {
        let Some(wake) = pe.and_then(|pe| pe.deliver(now, color, w)) else { return false };
        self.wakes.push((index as u32, wake));
        self.last = now;
        true
    }

    /// A PE stores the only wavelet that comes to it in this cycle, if it waits for nothing else.
    #[inline]
    fn store(&mut self, pe: Option<&mut Pe>, now: u64, (color, w): (Color, Wavelet)) -> bool {
        let is_stored = pe.is_some_and(|pe| pe.store_next(now, color, w));
        if is_stored {
            (self.reached, self.last) = (now + 1, now);
        }
        is_stored
    }

    /// Lets a PE act on the only wavelet of this cycle without a visit, as far as it can.
    #[inline]
    fn end(&mut self, pe: Option<&mut Pe>, now: u64) {
        if pe.is_some_and(|pe| pe.store_arrival(now)) {
            self.wakes.pop();
            self.reached = now + 1;
        }
    }
}

/// All PEs of the rectangle; a PE without code is never made.
#[derive(Clone)]
pub struct PeArray {
    /// How they are made.
    factory: PeFactory,
    pes: Vec<PeSlot>,
    /// Whether any PE may have been made.
    begun: bool,
}

impl PeArray {
    /// No PE is made yet.
    pub fn new(program: &Arc<Program>, options: PeOptions) -> PeArray {
        let count = usize::from(program.width) * usize::from(program.height);
        let pes = (0..count).map(|_| None).collect();
        let cache = Arc::new(CodeCache::new(options.plain));
        let prepared = |tile: &Arc<_>| Arc::new(PreparedTile::new(Arc::clone(tile), Arc::clone(&cache)));
        let tiles = program.tiles.iter().map(prepared).collect();
        let factory = PeFactory {
            program: program.clone(),
            tiles,
            options,
            schedule: None,
            script: None,
            has_choices: false,
            recorded: None,
            profiled: None,
            debugged: None,
        };
        PeArray { factory, pes, begun: false }
    }

    /// The program that they run.
    pub fn program(&self) -> &Program {
        &self.factory.program
    }

    /// Sets the seed for scheduling choices. Call it before a PE is created.
    pub fn shuffle(&mut self, schedule: ScheduleSeed) {
        self.factory.schedule = Some(schedule);
    }

    /// Prescribes scheduling choices. Call it before a PE is created.
    pub fn follow(&mut self, deviations: &[Deviation], progress: &Arc<ScheduleProgress>) {
        self.factory.script = Some((deviations.to_vec(), Arc::clone(progress)));
    }

    /// The PEs that wait because of their scripts, by number, to change.
    pub fn held(&mut self) -> impl Iterator<Item = (usize, &mut Pe)> {
        let made = self.pes.iter_mut().enumerate();
        made.filter_map(|(index, pe)| Some((index, pe.as_deref_mut().filter(|pe| pe.is_held())?)))
    }

    /// Lets all PEs note what they choose; before a PE is made.
    pub fn note_choices(&mut self) {
        self.factory.has_choices = true;
    }

    /// All of them, to be divided among threads, and what makes them.
    pub fn share(&mut self) -> (&PeFactory, &mut [PeSlot]) {
        self.begun = true;
        (&self.factory, &mut self.pes)
    }

    /// A PE, made if need be; `None` if it has no code.
    #[inline]
    pub fn pe(&mut self, index: usize) -> Option<&mut Pe> {
        self.begun = true;
        self.factory.pe(&mut self.pes[index], index)
    }

    /// A PE to which something has happened.
    pub fn get(&self, index: usize) -> Option<&Pe> {
        self.pes[index].as_deref()
    }

    /// Records events from now on, with `code` also which code runs; of existing PEs, too.
    pub fn record(&mut self, code: bool) {
        self.factory.recorded = Some(code);
        self.pes.iter_mut().flatten().for_each(|pe| pe.record(code));
    }

    /// Stops recording events.
    pub fn stop_recording(&mut self) {
        self.factory.recorded = None;
        self.pes.iter_mut().flatten().for_each(|pe| pe.stop_recording());
    }

    /// From now on PEs take notes for a profile, of so many records each.
    pub fn profile(&mut self, limit: usize) {
        self.factory.profiled = Some(limit);
        self.pes.iter_mut().flatten().for_each(|pe| pe.profile(limit));
    }

    /// The PEs that exist, to change.
    pub fn made_mut(&mut self) -> impl Iterator<Item = &mut Pe> {
        self.pes.iter_mut().filter_map(|pe| pe.as_deref_mut())
    }

    /// From now on PEs obey a debugger.
    pub fn debug(&mut self, orders: Arc<DebugOrders>) {
        let program = &self.factory.program;
        for (index, pe) in self.pes.iter_mut().enumerate() {
            if let Some(pe) = pe {
                pe.debug(&orders, program.place[index] as usize);
            }
        }
        self.factory.debugged = Some(orders);
    }

    /// Keeps all existing PEs from running ahead of the clock.
    pub fn stop_running_ahead(&mut self) {
        self.pes.iter_mut().flatten().for_each(|pe| pe.stop_running_ahead());
    }

    /// How many PEs exist.
    pub fn active(&self) -> usize {
        self.made().count()
    }

    /// The PEs that exist, with their coordinates.
    pub fn made(&self) -> impl Iterator<Item = (usize, PeCoord, &Pe)> {
        let pes = if self.begun { &self.pes[..] } else { &[] };
        let made = pes.iter().enumerate();
        made.filter_map(|(i, pe)| Some((i, self.factory.program.pe_coord(i), pe.as_deref()?)))
    }
}

/// The PEs of a band while it runs, and where their wavelets come down.
pub struct BandPes<'w> {
    /// How PEs are made.
    pub factory: &'w PeFactory,
    /// Their places.
    pub pe_array: &'w mut [PeSlot],
    /// The number of the first.
    pub first: usize,
    /// The cycle.
    pub now: u64,
    /// What it leaves.
    pub delivered: &'w mut Delivered,
}

impl Offramps for BandPes<'_> {
    #[inline]
    fn deliver(&mut self, pe: usize, color: Color, wavelet: Wavelet) -> bool {
        let receiver = self.factory.pe(&mut self.pe_array[pe - self.first], pe);
        self.delivered.deliver(receiver, pe, self.now, (color, wavelet))
    }

    #[inline]
    fn store(&mut self, pe: usize, color: Color, wavelet: Wavelet) -> bool {
        self.delivered.store(self.pe_array[pe - self.first].as_deref_mut(), self.now, (color, wavelet))
    }

    #[inline]
    fn end_delivery(&mut self, pe: usize) {
        self.delivered.end(self.pe_array[pe - self.first].as_deref_mut(), self.now);
    }

    #[inline]
    fn prefetch(&self, pe: usize, soon: Soon, arriving: u32) {
        if let Some(receiver) = &self.pe_array[pe - self.first] {
            receiver.prefetch(soon, arriving);
        }
    }
}
