//! Streams over the links at the edge of the rectangle, as the tensors of SDK 0.8 and before have them.

use super::Runner;
use crate::arch::{Color, Direction, PeCoord};
use crate::image::HostStream;

/// Words that the host may take from a PE at the edge without a request: it never holds up the program.
const ANY_NUMBER: u16 = u16::MAX;

/// A stream between the host and a link at the edge.
#[derive(Clone, Debug)]
pub struct EdgeStream {
    /// Its name.
    pub name: String,
    /// Whether the host sends.
    pub to_wafer: bool,
    /// The PE inside the rectangle.
    pub pe: PeCoord,
    /// The side of the PE on which the rectangle ends.
    pub side: Direction,
    /// The color.
    pub color: Color,
}

impl Runner {
    /// The host serves the edges, if only to watch: once its streams are done, code that waits is no failure.
    pub fn serve_edges(&mut self) {
        self.serves_edges = true;
    }

    /// Adds a stream at the edge, and returns its number. Call it before anything runs.
    pub fn add_edge_stream(&mut self, stream: EdgeStream) -> usize {
        let EdgeStream { name, to_wafer, pe, side, color } = stream;
        self.serve_edges();
        if !to_wafer {
            self.wafer.open_exit(pe, color, side);
        }
        self.ports.add(HostStream { name, to_wafer, pe, color, buffer: ANY_NUMBER }, side)
    }

    /// The stream with a number.
    pub fn stream(&self, stream: usize) -> Option<&HostStream> {
        self.ports.get(stream)
    }

    /// The sides of a PE on which the rectangle ends: those from which a color is accepted, and those on which it
    /// leaves, as the program declares its routes.
    pub fn edge_sides(&mut self, pe: PeCoord, color: Color) -> (Vec<Direction>, Vec<Direction>) {
        self.wafer.edge_sides(pe, color)
    }
}
