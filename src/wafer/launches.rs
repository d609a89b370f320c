//! Launches: functions that the host lets PEs run.

use super::bands::Bands;
use super::pe_array::PeArray;
use crate::arch::PeCoord;
use crate::image::{FnId, Program};
use crate::pe::ScheduleSeed;
use crate::state_hash::StateHash;
use std::collections::VecDeque;
use std::sync::Arc;

/// A launch on its way to a PE.
#[derive(Clone)]
struct PendingLaunch {
    cycle: u64,
    pe: usize,
    function: FnId,
    args: Arc<[u64]>,
}

/// The launches that are on their way, and how many PEs keep the command stream blocked.
#[derive(Clone, Default)]
pub(super) struct Launches {
    /// By cycle.
    pending: VecDeque<PendingLaunch>,
    /// PEs with a launch that has begun and has not unblocked the command stream.
    blocked: usize,
    /// The seed that delays launches, if there is one.
    schedule: Option<ScheduleSeed>,
}

/// With a schedule, a launch arrives less than so many cycles late: about as long as a wavelet may wait on its way.
const MOST_DELAY: u64 = 16;

impl Launches {
    /// Lets PEs run a function from this cycle on, each `skew` cycles after its western neighbour.
    pub fn add(
        &mut self,
        mut pes: Vec<(PeCoord, FnId)>,
        args: &[u64],
        (now, skew): (u64, u64),
        program: &Program,
    ) {
        pes.sort_by_key(|(at, _)| (at.x, at.y));
        let args: Arc<[u64]> = args.into();
        for (at, function) in pes {
            let delay = self.schedule.map_or(0, |schedule| schedule.of(at).below(now, MOST_DELAY));
            let cycle = now + u64::from(at.x) * skew + delay;
            self.pending.push_back(PendingLaunch {
                cycle,
                pe: program.pe_index(at),
                function,
                args: args.clone(),
            });
        }
        // Delays may change the order; equal ones keep theirs.
        if self.schedule.is_some() {
            self.pending.make_contiguous().sort_by_key(|launch| launch.cycle);
        }
    }

    /// Lets a schedule delay launches.
    pub fn shuffle(&mut self, schedule: ScheduleSeed) {
        self.schedule = Some(schedule);
    }

    /// The cycle in which the next one begins.
    pub fn next(&self) -> Option<u64> {
        self.pending.front().map(|launch| launch.cycle)
    }

    /// What decides how it goes on, as a hash.
    pub fn state(&self, now: u64) -> u64 {
        let mut state = StateHash::new(now);
        state.add(self.blocked as u64);
        for launch in &self.pending {
            state.add_cycle(launch.cycle);
            state.add_debug(&(launch.pe, launch.function, &launch.args));
        }
        state.finish()
    }

    /// How many PEs have a launch that has not unblocked the command stream.
    pub fn blocked(&self) -> usize {
        self.blocked + self.pending.len()
    }

    /// Notes that this many PEs have unblocked the command stream.
    #[inline]
    pub fn unblock(&mut self, pes: usize) {
        self.blocked -= pes;
    }

    /// Begins those whose cycle has come.
    pub fn begin(&mut self, now: u64, pe_array: &mut PeArray, bands: &mut Bands) {
        while self.next().is_some_and(|cycle| cycle <= now) {
            let Some(PendingLaunch { pe: index, function, args, .. }) = self.pending.pop_front() else {
                return;
            };
            let Some(pe) = pe_array.pe(index) else { continue };
            let before = pe.command_stream_blocked();
            pe.launch((function, now), &args);
            self.blocked += usize::from(pe.command_stream_blocked() && !before);
            bands.of(index).event_queue.wake(index, now, now);
        }
    }
}
