//! The path of each wavelet through the wafer, as arrows that join events.

use super::{Event, EventKind};
use crate::arch::{Direction, PeCoord};
use crate::image::Program;
use rustc_hash::FxHashMap;

/// The position of a wavelet: a router and the side from which it arrived there; `None` for the ramp to the PE.
type WaveletAt = (u64, PeCoord, Option<Direction>);

/// Events of one wavelet along its path, as indices into the recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaveletPath(pub Vec<usize>);

/// All paths with at least two events. Where a wavelet is copied, the first copy continues the path and each
/// other one starts a new path.
pub fn flows(events: &[Event], program: &Program) -> Vec<WaveletPath> {
    let mut flows: Vec<WaveletPath> = Vec::new();
    // Wavelets that have reached a position: the path and the previous event, until another event continues it.
    let mut at: FxHashMap<WaveletAt, (Option<usize>, usize)> = FxHashMap::default();
    for (index, event) in events.iter().enumerate() {
        let (place, next) = match event.what {
            EventKind::Sent(w) => (None, Some((w.number, event.pe, Some(Direction::Ramp)))),
            EventKind::FromHost(w) => (None, Some((w.number, event.pe, None))),
            EventKind::Hop { wavelet, from, to } => {
                (Some((wavelet.number, event.pe, Some(from))), behind(wavelet.number, event.pe, to, program))
            }
            EventKind::Delivered { wavelet, .. } => (Some((wavelet.number, event.pe, None)), None),
            EventKind::ToHost(w) | EventKind::Dropped(w) => {
                (Some((w.number, event.pe, Some(Direction::Ramp))), None)
            }
            _ => continue,
        };
        let way = match place.and_then(|place| at.get_mut(&place)) {
            Some((way, _)) if way.is_some() => way.take().expect("it is there"),
            Some((_, before)) => {
                flows.push(WaveletPath(vec![*before]));
                flows.len() - 1
            }
            None => {
                flows.push(WaveletPath::default());
                flows.len() - 1
            }
        };
        flows[way].0.push(index);
        if let Some(next) = next {
            at.insert(next, (Some(way), index));
        }
    }
    flows.retain(|flow| flow.0.len() > 1);
    flows
}

fn behind(number: u64, pe: PeCoord, to: Direction, program: &Program) -> Option<WaveletAt> {
    if to == Direction::Ramp {
        return Some((number, pe, None));
    }
    let next = program.neighbour(program.pe_index(pe), to)?;
    Some((number, program.pe_coord(next), Some(to.opposite())))
}
