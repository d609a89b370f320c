//! The bands of rows of the wafer, each with what a thread needs to run its PEs and routers.

use super::event_queue::EventQueue;
use super::pe_array::{Delivered, PeSlot};
use super::threading_policy::ThreadingPolicy;
use super::worker_pool::WorkerPool;
use crate::fabric::{Crossing, Fabric};
use crate::image::Program;
use crate::image::intrinsics::Intrinsic;
use crate::pe::{PeLog, Worker};
use std::ops::Range;
use std::time::Duration;

/// Some rows of the wafer: their routers, their event queue, and the effects of a cycle.
pub(super) struct Band {
    pub fabric: Fabric,
    pub event_queue: EventQueue,
    /// The registers of the PE that runs.
    pub worker: Worker,
    /// The output of its PEs, until the end of the cycle.
    pub log: PeLog,
    /// Its PEs.
    pub pes: Range<usize>,
    /// PEs that are about to run in this cycle.
    pub due: Vec<u32>,
    /// The effects of its deliveries.
    pub delivered: Delivered,
    /// How many PEs have run in this cycle.
    pub ran: usize,
    /// PEs and routers that had something to do in the last cycle.
    pub load: usize,
    /// How long its PEs and routers took in the last cycle in which it ran as a whole.
    pub spent: Duration,
}

impl Band {
    /// A band with these PEs of a wafer with `all`; none of them is scheduled.
    fn new(fabric: Fabric, pes: Range<usize>, all: usize) -> Band {
        Band {
            fabric,
            event_queue: EventQueue::new(all),
            worker: Worker::default(),
            log: PeLog::default(),
            pes,
            due: Vec::new(),
            delivered: Delivered::default(),
            ran: 0,
            load: 0,
            spent: Duration::ZERO,
        }
    }

    /// A copy that continues exactly like this one.
    fn fork(&self) -> Band {
        // The register file holds nothing between two visits, and is large.
        let mut worker = Worker::default();
        (worker.unobserved_until, worker.alone_until) =
            (self.worker.unobserved_until, self.worker.alone_until);
        Band {
            fabric: self.fabric.clone(),
            event_queue: self.event_queue.clone(),
            worker,
            log: self.log.clone(),
            pes: self.pes.clone(),
            due: self.due.clone(),
            delivered: self.delivered.clone(),
            ..*self
        }
    }

    /// Whether a PE belongs to it.
    fn holds(&self, pe: usize) -> bool {
        self.pes.contains(&pe)
    }
}

/// All bands, from north to south. Most wafers have one.
pub(super) struct Bands {
    pub first: Band,
    others: Vec<Band>,
    /// How long the last cycles took.
    pub threading: ThreadingPolicy,
}

impl Bands {
    /// One band with the routers of a program; PEs with active tasks are about to run.
    pub fn new(program: &Program, fabric: Fabric) -> Bands {
        let all = program.place.len();
        let mut bands = Bands {
            first: Band::new(fabric, 0..all, all),
            others: Vec::new(),
            threading: ThreadingPolicy::default(),
        };
        bands.wake_active(program);
        bands
    }

    /// Cuts the wafer into at most `count` bands. Call it before the run starts.
    pub fn cut(&mut self, program: &Program, count: usize) {
        // Messages of `<message_passing>` follow no route, so they may cross several bands at once.
        let has_messages = program.tiles.iter().any(|tile| tile.asks_for(Intrinsic::SendMessage));
        let (height, width) = (usize::from(program.height), usize::from(program.width));
        let count = if has_messages { 1 } else { count.clamp(1, height.max(1)) };
        if count == 1 && self.others.is_empty() {
            return;
        }
        let band = |n: usize| {
            let pes = width * (n * height / count)..width * ((n + 1) * height / count);
            Band::new(self.first.fabric.band(pes.clone()), pes, program.place.len())
        };
        let mut bands = (0..count).map(band);
        let first = bands.next().expect("there is one at least");
        *self = Bands { first, others: bands.collect(), threading: ThreadingPolicy::default() };
        self.wake_active(program);
    }

    fn wake_active(&mut self, program: &Program) {
        for (pe, tile) in program.place.iter().enumerate() {
            if program.tiles.get(*tile as usize).is_some_and(|t| t.active != 0) {
                self.of(pe).event_queue.wake(pe, 0, 0);
            }
        }
    }

    /// A copy that continues exactly like this one.
    pub fn fork(&self) -> Bands {
        let others = self.others.iter().map(Band::fork).collect();
        Bands { first: self.first.fork(), others, threading: self.threading }
    }

    /// Whether there are several.
    #[inline]
    pub fn are_several(&self) -> bool {
        !self.others.is_empty()
    }

    /// All bands.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &Band> + Clone {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// All bands, to change.
    #[inline]
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Band> {
        std::iter::once(&mut self.first).chain(&mut self.others)
    }

    /// The band of a PE.
    #[inline]
    pub fn of(&mut self, pe: usize) -> &mut Band {
        match self.first.holds(pe) || self.others.is_empty() {
            true => &mut self.first,
            false => {
                let at = self.others.partition_point(|band| band.pes.end <= pe);
                &mut self.others[at]
            }
        }
    }

    /// The routers of a PE's band.
    #[inline]
    pub fn fabric(&mut self, pe: usize) -> &mut Fabric {
        &mut self.of(pe).fabric
    }

    /// The first cycle, from this one on, in which a router may have something to do.
    #[inline]
    pub fn next_awake(&self, now: u64) -> Option<u64> {
        let first = self.first.fabric.next_awake(now);
        let others = self.others.iter().filter_map(|band| band.fabric.next_awake(now));
        others.chain(first).min()
    }

    /// The first cycle at or after `now` in which a PE runs.
    #[inline]
    pub fn next_run(&self, now: u64) -> Option<u64> {
        let others = self.others.iter().filter_map(|band| band.event_queue.next(now));
        others.chain(self.first.event_queue.next(now)).min()
    }

    /// The first cycle, from this one on, in which a router or a PE may have something to do.
    pub fn next(&self, now: u64) -> Option<u64> {
        [self.next_awake(now), self.next_run(now)].into_iter().flatten().min()
    }

    /// Whether a PE runs in some cycle.
    pub fn runs(&self, pe: usize) -> bool {
        self.iter().any(|band| band.event_queue.runs(pe))
    }

    /// The cycle in which a PE runs, if there is one.
    pub fn next_run_of(&self, pe: usize) -> Option<u64> {
        self.iter().find_map(|band| band.event_queue.next_of(pe))
    }

    /// Whether no PE is scheduled.
    pub fn are_idle(&self) -> bool {
        self.iter().all(|band| band.event_queue.is_empty())
    }

    /// The furthest cycle that a PE has reached by taking a wavelet without a visit.
    pub fn reached(&self) -> u64 {
        self.iter().map(|band| band.delivered.reached).max().unwrap_or(0)
    }

    /// The last cycle in which a PE of a band was given a wavelet.
    pub fn last_arrival(&self) -> u64 {
        self.iter().map(|band| band.delivered.last).max().unwrap_or(0)
    }

    /// Promises that nothing reads the state of the PEs before a cycle.
    pub fn set_unobserved_until(&mut self, cycle: u64) {
        self.iter_mut().for_each(|band| band.worker.unobserved_until = cycle);
    }

    /// Calls `with` on all routers as one fabric, for reports.
    pub fn look<R>(&self, with: impl FnOnce(&Fabric) -> R) -> R {
        match self.are_several() {
            false => with(&self.first.fabric),
            true => {
                let fabrics = self.iter().map(|band| &band.fabric);
                with(&Fabric::joined(fabrics).expect("there is a band"))
            }
        }
    }

    /// Does something with every band and its PEs, one after the other.
    #[inline]
    pub fn each(&mut self, mut pe_array: &mut [PeSlot], mut each: impl FnMut(&mut Band, &mut [PeSlot])) {
        for band in self.iter_mut() {
            let (own, others) = pe_array.split_at_mut(band.pes.len());
            each(band, own);
            pe_array = others;
        }
    }

    /// The same on several threads, or on this one without a pool; the results are in the order of the bands.
    pub fn each_shared<R: Send>(
        &mut self,
        mut pe_array: &mut [PeSlot],
        pool: Option<&WorkerPool>,
        each: impl Fn(&mut Band, &mut [PeSlot]) -> R + Sync,
    ) -> Vec<R> {
        let mut work = Vec::new();
        for band in self.iter_mut() {
            let (own, others) = pe_array.split_at_mut(band.pes.len());
            work.push((band, own));
            pe_array = others;
        }
        let each = |(band, pe_array): (&mut Band, &mut [PeSlot])| each(band, pe_array);
        match pool {
            Some(pool) => pool.share(work, each),
            None => work.into_iter().map(each).collect(),
        }
    }

    /// How many PEs and routers had something to do in the last cycle.
    pub fn load(&self) -> usize {
        self.iter().map(|band| band.load).sum()
    }

    /// What all threads together took for the bands of the last cycle, if these ran as wholes.
    pub fn work(&self) -> Duration {
        self.iter().map(|band| band.spent).sum()
    }

    /// Hands over what has crossed the seams.
    pub fn exchange(&mut self, pool: Option<&WorkerPool>) {
        let count: usize = self.iter().map(|band| band.fabric.crossings()).sum();
        if count == 0 {
            return;
        }
        let crossings: Vec<[Vec<Crossing>; 2]> =
            self.iter_mut().map(|band| band.fabric.take_crossings()).collect();
        let from =
            |n: Option<usize>, side: usize| n.and_then(|n| crossings.get(n)).map_or(&[][..], |c| &c[side]);
        let work = self.iter_mut().enumerate().map(|(n, band)| {
            let (from_north, from_south) = (from(n.checked_sub(1), 1), from(Some(n + 1), 0));
            (band, from_north, from_south)
        });
        let enter = |(band, north, south): (&mut Band, &[Crossing], &[Crossing])| {
            band.fabric.enter(north);
            band.fabric.enter(south);
        };
        match pool.filter(|_| count >= CROSSINGS_WORTH_SHARING) {
            None => work.for_each(enter),
            Some(pool) => drop(pool.share(work.collect(), enter)),
        }
    }
}

/// Fewer crossings are applied faster by one thread than shared.
const CROSSINGS_WORTH_SHARING: usize = 256;
