//! Wavelets that a router holds for longer than a cycle, as the hops tell it.

use super::tables::HeldTable;
use crate::arch::Direction;
use crate::trace::{Event, EventKind};
use crate::{Color, PeCoord, Program};
use rustc_hash::FxHashMap;

/// Follows wavelets from router to router.
pub struct Holding<'p> {
    program: &'p Program,
    /// By the wavelet and the PE: the cycle in which it may go on, the side it has come from.
    inside: FxHashMap<(u64, u32), (u64, Direction, Color)>,
    rows: Vec<HeldRow>,
}

#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct HeldRow {
    cycle: u64,
    pe: u32,
    side: Direction,
    color: Color,
    until: u64,
}

impl<'p> Holding<'p> {
    /// No wavelet is on its way.
    pub fn new(program: &'p Program) -> Holding<'p> {
        Holding { program, inside: FxHashMap::default(), rows: Vec::new() }
    }

    /// Takes the next event.
    pub fn push(&mut self, event: &Event) {
        let pe = self.program.pe_index(event.pe);
        match event.what {
            EventKind::Sent(wavelet) => {
                let ready = event.cycle + u64::from(self.program.arch.numbers().ramp_latency);
                self.inside.insert((wavelet.number, pe as u32), (ready, Direction::Ramp, wavelet.color));
            }
            EventKind::Hop { wavelet, to, .. } => {
                self.leave(wavelet.number, event.pe, event.cycle);
                if to != Direction::Ramp
                    && let Some(next) = self.program.neighbour(pe, to)
                {
                    let latency = u64::from(self.program.arch.numbers().hop_latency);
                    let arrival = (event.cycle + latency, to.opposite(), wavelet.color);
                    self.inside.insert((wavelet.number, next as u32), arrival);
                }
            }
            EventKind::Dropped(wavelet) | EventKind::ToHost(wavelet) => {
                self.leave(wavelet.number, event.pe, event.cycle);
            }
            _ => {}
        }
    }

    fn leave(&mut self, number: u64, at: PeCoord, cycle: u64) {
        let pe = self.program.pe_index(at) as u32;
        let Some((ready, side, color)) = self.inside.remove(&(number, pe)) else { return };
        if ready < cycle {
            self.rows.push(HeldRow { cycle: ready, pe, side, color, until: cycle - 1 });
        }
    }

    /// The table; what has not gone on stays up to the last cycle.
    pub fn table(mut self, last: u64) -> HeldTable {
        let stuck = self.inside.iter().filter(|(_, (ready, ..))| *ready <= last);
        let row = |(&(_, pe), &(cycle, side, color)): (&(u64, u32), &(u64, Direction, Color))| HeldRow {
            cycle,
            pe,
            side,
            color,
            until: last,
        };
        let stuck: Vec<HeldRow> = stuck.map(row).collect();
        self.rows.extend(stuck);
        self.rows.sort_unstable();
        HeldTable {
            cycle: self.rows.iter().map(|r| r.cycle).collect(),
            until: self.rows.iter().map(|r| r.until - r.cycle).collect(),
            pe: self.rows.iter().map(|r| r.pe).collect(),
            side: self.rows.iter().map(|r| r.side as u8).collect(),
            color: self.rows.iter().map(|r| r.color.0).collect(),
        }
    }
}
