//! One cycle of a wafer whose state is larger than the caches.
//!
//! Wavelets are delivered to some PEs just before these run, and their routers decide just after, so that each piece
//! of state is loaded once per cycle. Neither a PE nor a router sees what the others do in the same cycle, so this
//! order has no visible effect.
//!
//! It serves wafers of at least 4,096 PEs on one thread; what it gains on a public example has not been measured.
//! `RunOptions::large_from` with a higher number, a recording and `--engine plain` switch it off;
//! `nothing_depends_on_the_number_of_threads_and_the_size_of_caches` in `tests/it/props/streams.rs` and the tests of
//! `fabric/tests/traffic.rs` compare it with the plain order.

use super::Wafer;
use crate::pe::Wake;
use crate::prefetch;

/// The fewest consecutive PEs in a piece, which is delivered to, then run, and then has its routers decide. A piece
/// is longer where few of them have anything to do, because each of the three steps loads its own code into the
/// cache.
pub(super) const NEIGHBOURS: usize = 128;

impl Wafer {
    /// Whether PEs run in pieces.
    pub(super) fn is_worth_ordering(&self) -> bool {
        self.bands.first.fabric.is_large() && self.observers.are_none()
    }

    /// Hands over what has come down the ramps, runs all PEs that are due, in the order of their numbers, and
    /// lets the fabric step. Gives how many have run.
    pub(super) fn locality_step(&mut self) -> usize {
        let delivering = self.bands.first.fabric.take_delivering(self.now);
        let due = self.bands.first.event_queue.take_due(self.now);
        self.bands.first.worker.alone_until = if delivering.is_empty() { self.alone_until(&due) } else { 0 };
        let visited = self.bands.first.fabric.begin_step(self.now);
        let (mut given, mut running, mut awake) = (&delivering[..], &due[..], &visited[..]);
        let mut ran = 0;
        while let Some(first) = first_of(&[given, running, awake]) {
            if self.signals.is_to_stop() {
                self.bands.first.event_queue.wake_all(running, self.now);
                break;
            }
            let end = piece_behind(first, &[given, running, awake]);
            let awake_next = self.bands.first.fabric.awake_next();
            ran += self.step_some(split_before(&mut given, end), split_before(&mut running, end));
            self.bands.first.fabric.step_some(
                split_before(&mut awake, end),
                awake_next,
                first..end,
                self.now,
            );
        }
        let left = given.len();
        self.bands.first.fabric.end_deliveries(delivering, left);
        self.signals.beat(self.now, ran);
        self.bands.first.event_queue.keep(due);
        self.bands.first.fabric.end_step(visited, self.now);
        ran
    }

    /// Runs one piece: wavelets may be delivered to `given`; `due` are scheduled for this cycle. Returns how many PEs
    /// have run.
    fn step_some(&mut self, given: &[u32], due: &[u32]) -> usize {
        let mut running = std::mem::take(&mut self.running);
        self.bands.first.fabric.deliver_some(given, self.now, &mut self.pe_array);
        running.extend(due);
        for (pe, wake) in self.pe_array.take_delivered() {
            match wake {
                Wake::At(cycle) if cycle <= self.now => running.push(pe),
                Wake::At(cycle) => self.bands.first.event_queue.wake(pe as usize, cycle, self.now),
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
                let (pe_array, fabric) = (&self.pe_array, &self.bands.first.fabric);
                prefetch::along(&unseen, passed, |pe, soon| {
                    fabric.prefetch_sender(pe, soon);
                    pe_array.prefetch(pe as usize, soon, 0);
                });
                passed += 1;
            }
            self.bands.first.event_queue.take(*pe as usize);
            self.run_pe(*pe as usize);
        }
        let ran = running.len();
        running.clear();
        self.running = running;
        ran
    }
}

/// The numbers of an ascending list that are not in another.
pub(super) fn without<'l>(list: &'l [u32], other: &'l [u32]) -> impl Iterator<Item = u32> + 'l {
    let mut rest = other;
    list.iter().copied().filter(move |number| {
        split_before(&mut rest, *number);
        rest.first() != Some(number)
    })
}

/// The lowest number of some ascending lists.
pub(super) fn first_of(lists: &[&[u32]]) -> Option<u32> {
    lists.iter().filter_map(|list| list.first().copied()).min()
}

/// Where a piece ends that begins with a number: no list has more than [`NEIGHBOURS`] numbers in it, unless it is the
/// smallest.
pub(super) fn piece_behind(first: u32, lists: &[&[u32]]) -> u32 {
    let end = lists.iter().filter_map(|list| list.get(NEIGHBOURS).copied()).min().unwrap_or(u32::MAX);
    end.max(first + NEIGHBOURS as u32)
}

/// Takes the numbers before a bound off the front of a list.
pub(super) fn split_before<'l>(list: &mut &'l [u32], end: u32) -> &'l [u32] {
    let count = list.iter().take_while(|number| **number < end).count();
    let (front, rest) = list.split_at(count);
    *list = rest;
    front
}
