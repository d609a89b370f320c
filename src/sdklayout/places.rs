//! Placement: chooses PEs without program code for host streams, and for relays between two colors.

use super::classes::Classes;
use super::describe::Layout;
use super::floorplan::describe_port;
use super::grid::{PeNumber, SIDES};
use super::nets::{EndKind, Net, NetEnd, NetPurpose};
use super::paths::{Goal, RoutingState};
use crate::arch::PeCoord;

/// Distance around the two ends of a net in which the search for a relay looks, in PEs.
const NEARBY: u16 = 32;

/// A PE that receives words in one color and sends them again in another.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Relay {
    /// The PE.
    pub pe: PeNumber,
    /// The color of incoming words.
    pub takes: u32,
    /// The color of outgoing words.
    pub sends: u32,
}

/// Gives every host stream a PE, which becomes the open end of its net; by place in [`Layout::streams`].
pub fn streams(
    layout: &Layout,
    state: &mut RoutingState<'_>,
    classes: &Classes,
    nets: &mut [Net],
) -> Result<Vec<PeNumber>, String> {
    let mut places = Vec::new();
    // PEs that the program has chosen come first, so that the others avoid them.
    for stream in &layout.streams {
        let Some(at) = stream.io_loc else { continue };
        let pe = chosen(state, &stream.name, at)?;
        state.taken.insert(pe);
    }
    for (n, stream) in layout.streams.iter().enumerate() {
        let net =
            nets.iter_mut().find(|net| net.cause == NetPurpose::Stream(n)).expect("each stream has a net");
        let end = net.from.or(net.to).expect("a stream has one end on the wafer");
        let class = classes.of[end.color as usize];
        let pe = match stream.io_loc {
            Some(at) => state.grid().pe(at),
            None => nearest(state, &end, class).ok_or_else(|| {
                format!(
                    "there is no free PE for stream '{}' that a path could connect with {}; leave PEs free \
                     around code regions",
                    stream.name,
                    describe_end(layout, state, &end)
                )
            })?,
        };
        state.taken.insert(pe);
        state.note(pe, class);
        let host = Some(NetEnd { pe, color: end.color, kind: EndKind::Alone });
        if stream.input {
            net.from = host
        } else {
            net.to = host
        }
        places.push(pe);
    }
    Ok(places)
}

fn chosen(state: &RoutingState<'_>, name: &str, at: PeCoord) -> Result<PeNumber, String> {
    let grid = state.grid();
    let place = format!("io_loc ({}, {}) of stream '{name}'", at.x, at.y);
    if !grid.holds(at) {
        let (w, h) = (grid.width, grid.height);
        return Err(format!("the {place} is not on the wafer, which has {w} x {h} PEs; use another"));
    }
    match state.is_free(grid.pe(at)) {
        true => Ok(grid.pe(at)),
        false => Err(format!(
            "the {place} is in use by a code region or another stream; use a free PE, or give none"
        )),
    }
}

/// The nearest free PE in the first column, where data come onto a wafer; any other if there is none.
fn nearest(state: &mut RoutingState<'_>, end: &NetEnd, class: usize) -> Option<PeNumber> {
    loop {
        let is_free = |pe: PeNumber| state.is_free(pe) && !state.knows(pe, class);
        let in_first = |pe: PeNumber| state.grid().at(pe).x == 0 && is_free(pe);
        let path = state
            .path(end, class, &Goal::Western(&in_first))
            .or_else(|| state.path(end, class, &Goal::Any(&is_free)));
        if let Some(path) = path {
            return path.last().copied();
        }
        if !state.widen() {
            return None;
        }
    }
}

/// Splits each of these nets in two, with a relay in between.
pub fn relays(
    layout: &Layout,
    state: &mut RoutingState<'_>,
    classes: &Classes,
    nets: &mut Vec<Net>,
    apart: &[usize],
) -> Result<Vec<Relay>, String> {
    let mut relays = Vec::new();
    for n in apart {
        let (from, to) = (nets[*n].from.expect("known"), nets[*n].to.expect("known"));
        let pair = [from.color, to.color].map(|color| classes.of[color as usize]);
        let pe = halfway(state, from.pe, to.pe, pair).ok_or_else(|| {
            format!(
                "{} and {} have different colors, and there is no free PE between them that could send the \
                 words of one in the other; leave PEs free around code regions",
                describe_end(layout, state, &from),
                describe_end(layout, state, &to)
            )
        })?;
        state.taken.insert(pe);
        pair.into_iter().for_each(|class| state.note(pe, class));
        let cause = nets[*n].cause;
        let end = |color: u32| Some(NetEnd { pe, color, kind: EndKind::Alone });
        nets[*n].to = end(from.color);
        nets.push(Net { from: end(to.color), to: Some(to), cause });
        relays.push(Relay { pe, takes: from.color, sends: to.color });
    }
    Ok(relays)
}

/// The free PE with the shortest path through it, or of several the one nearest to the middle.
fn halfway(state: &RoutingState<'_>, from: PeNumber, to: PeNumber, classes: [usize; 2]) -> Option<PeNumber> {
    let grid = state.grid();
    let (a, b) = (grid.at(from), grid.at(to));
    let span = |a: u16, b: u16, end: u16| {
        a.min(b).saturating_sub(NEARBY)..a.max(b).saturating_add(NEARBY + 1).min(end)
    };
    let (columns, rows) = (span(a.x, b.x, grid.width), span(a.y, b.y, grid.height));
    let near = rows.flat_map(|y| columns.clone().map(move |x| grid.pe(PeCoord { x, y })));
    let fits = |pe: &PeNumber| state.is_free(*pe) && classes.iter().all(|class| !state.knows(*pe, *class));
    // A PE without a free neighbour cannot be reached.
    let neighbours = |pe: PeNumber| SIDES.into_iter().filter_map(move |side| grid.neighbour(pe, side));
    let is_open = |pe: &PeNumber| {
        let free = neighbours(*pe).any(|next| state.is_free(next));
        free || [from, to].iter().all(|end| neighbours(*pe).any(|next| next == *end))
    };
    near.filter(fits).filter(is_open).min_by_key(|pe| {
        let (there, on) = (grid.distance(from, *pe), grid.distance(*pe, to));
        (there + on, there.abs_diff(on), *pe)
    })
}

/// An end of a net, for messages.
pub fn describe_end(layout: &Layout, state: &RoutingState<'_>, end: &NetEnd) -> String {
    let at = state.grid().at(end.pe);
    match end.kind {
        EndKind::Port(port) => describe_port(layout, port),
        EndKind::Painted(_) => format!("color '{}' on {at}", layout.colors[end.color as usize].name),
        EndKind::Alone => format!("the PE without code at {at}"),
    }
}
