//! Lists the nets: pairs of PEs that a path must connect.

use super::describe::{Connection, Layout, LayoutStream, PortRef, StreamEnd};
use super::floorplan::{Floorplan, describe_port, port_of};
use super::grid::{PeNumber, SIDES};
use crate::arch::Direction;
use crate::image::routes::Directions;

/// One end of a net.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NetEnd {
    /// The PE.
    pub pe: PeNumber,
    /// The color at this end.
    pub color: u32,
    /// The route of the router at this end.
    pub kind: EndKind,
}

/// The kind of route at an end.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum EndKind {
    /// The route of a port, of which one side is open.
    Port(PortRef),
    /// A painted route; the path replaces this side of it.
    Painted(Direction),
    /// A PE without code; wavelets enter or leave on its ramp.
    Alone,
}

/// The purpose of a net.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum NetPurpose {
    /// `connect`, by its index in [`Layout::connections`].
    Connection(usize),
    /// A host stream, by its index in [`Layout::streams`].
    Stream(usize),
}

/// Two PEs between which wavelets of one color travel. The side of the host is found later.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Net {
    /// Where wavelets come from.
    pub from: Option<NetEnd>,
    /// Where they go.
    pub to: Option<NetEnd>,
    /// Its purpose.
    pub cause: NetPurpose,
}

impl NetEnd {
    /// Sides that a path may not use here, because the route uses them otherwise.
    pub fn closed(&self, floorplan: &Floorplan) -> Directions {
        let Some(draft) = floorplan.drafts.get(&(self.pe, self.color)) else { return Directions::default() };
        let used = draft.inputs().iter().chain(draft.outputs().iter());
        match self.kind {
            EndKind::Painted(side) => used.filter(|d| *d != side).collect(),
            EndKind::Port(_) | EndKind::Alone => used.collect(),
        }
    }

    /// The side on which a path is expected: that of the port.
    pub fn expected(&self, layout: &Layout) -> Option<Direction> {
        match self.kind {
            EndKind::Port(port) => Some(port_of(layout, port).edge.outward()),
            EndKind::Painted(side) => Some(side),
            EndKind::Alone => None,
        }
    }
}

/// All nets, those of connections first.
pub fn list(layout: &Layout, floorplan: &Floorplan) -> Result<Vec<Net>, String> {
    let mut nets = Vec::new();
    for (n, connection) in layout.connections.iter().enumerate() {
        connect(layout, floorplan, n, *connection, &mut nets)?;
    }
    for (n, stream) in layout.streams.iter().enumerate() {
        let end = Some(stream_end(layout, floorplan, stream)?);
        let (from, to) = if stream.input { (None, end) } else { (end, None) };
        nets.push(Net { from, to, cause: NetPurpose::Stream(n) });
    }
    Ok(nets)
}

fn connect(
    layout: &Layout,
    floorplan: &Floorplan,
    n: usize,
    Connection { from, to }: Connection,
    nets: &mut Vec<Net>,
) -> Result<(), String> {
    let (source, target) = (floorplan.pes_of(layout, from), floorplan.pes_of(layout, to));
    let both = || format!("{} and {}", describe_port(layout, from), describe_port(layout, to));
    if source.len() != target.len() {
        return Err(format!(
            "cannot connect ports with incompatible number of PEs: {} have {} and {} PEs; make both the same length",
            both(),
            source.len(),
            target.len()
        ));
    }
    let end = |port: PortRef, pe: PeNumber| NetEnd {
        pe,
        color: port_of(layout, port).color as u32,
        kind: EndKind::Port(port),
    };
    nets.extend(source.into_iter().zip(target).map(|(a, b)| Net {
        from: Some(end(from, a)),
        to: Some(end(to, b)),
        cause: NetPurpose::Connection(n),
    }));
    Ok(())
}

/// The end of a host stream that is not the host.
fn stream_end(layout: &Layout, floorplan: &Floorplan, stream: &LayoutStream) -> Result<NetEnd, String> {
    let (at, color) = match stream.end {
        StreamEnd::Port(port) => return port_end(layout, floorplan, stream, port),
        StreamEnd::At(at, color) => (at, color),
    };
    let known = floorplan.grid.holds(at).then(|| floorplan.grid.pe(at));
    let Some(pe) = known.filter(|pe| floorplan.owner(*pe).is_some()) else {
        return Err(format!(
            "the place ({}, {}) of stream '{}' is not valid: there is no code region; place one there, or use a port",
            at.x, at.y, stream.name
        ));
    };
    let color = color as u32;
    let draft = floorplan.drafts.get(&(pe, color));
    let kind = match draft.and_then(|draft| draft.port) {
        Some(port) if port_of(layout, port).input == stream.input => Some(EndKind::Port(port)),
        _ => draft.and_then(|_| open_side(floorplan, pe, color, stream.input)).map(EndKind::Painted),
    };
    let kind = kind.ok_or_else(|| {
        let (way, route) = match stream.input {
            true => ("into", "receives it from a neighbour"),
            false => ("out of", "sends it to a neighbour"),
        };
        let name = &layout.colors[color as usize].name;
        format!(
            "stream '{}' has no path {way} {at}: no route of color '{name}' there {route}; paint one, or create a \
             port",
            stream.name
        )
    })?;
    Ok(NetEnd { pe, color, kind })
}

fn port_end(
    layout: &Layout,
    floorplan: &Floorplan,
    stream: &LayoutStream,
    port: PortRef,
) -> Result<NetEnd, String> {
    let pes = floorplan.pes_of(layout, port);
    let [pe] = pes[..] else {
        return Err(format!(
            "stream '{}' needs a port of 1 PE, but {} has {} PEs; put a code region between them that \
             distributes or collects the words",
            stream.name,
            describe_port(layout, port),
            pes.len()
        ));
    };
    Ok(NetEnd { pe, color: port_of(layout, port).color as u32, kind: EndKind::Port(port) })
}

/// A side of a painted route with no other PE of the color next to it, if possible at the edge of the wafer.
fn open_side(floorplan: &Floorplan, pe: PeNumber, color: u32, input: bool) -> Option<Direction> {
    let draft = floorplan.drafts.get(&(pe, color))?;
    let first = draft.positions.first()?;
    let sides = if input { first.inputs } else { first.outputs };
    let is_open = |side: &Direction| {
        let other = floorplan.grid.neighbour(pe, *side).and_then(|next| floorplan.drafts.get(&(next, color)));
        other.is_none_or(|other| {
            let back = if input { other.outputs() } else { other.inputs() };
            !back.contains(side.opposite())
        })
    };
    let mut open: Vec<Direction> = SIDES.into_iter().filter(|s| sides.contains(*s)).filter(is_open).collect();
    open.sort_by_key(|side| floorplan.grid.neighbour(pe, *side).is_some());
    open.first().copied()
}
