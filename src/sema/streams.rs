//! The streams to and from the host: what a layout gives `<memcpy/get_params>`.

use super::value::Value;
use crate::arch::Color;
use crate::image::{FabricPlace, MemcpyColors};
use crate::source::Span;

/// Columns and rows that `<memcpy>` needs around the rectangle (host section 1), and how many of them are in front.
const MEMCPY_MARGIN: ((u16, u16), (u16, u16)) = ((7, 2), (4, 1));

/// What `<memcpy/get_params>` was given, and where the layout imports it.
#[derive(Clone, Debug)]
pub struct Streams {
    /// The colors.
    pub colors: MemcpyColors,
    /// All that it was given.
    pub params: Value,
    /// The import.
    pub at: Span,
}

impl Streams {
    /// Whether it was read from this struct: `get_params` is called for each PE.
    pub fn are_of(&self, params: &Value) -> bool {
        self.params == *params
    }

    /// Names and colors of the streams that the program uses.
    pub fn named(&self) -> impl Iterator<Item = (String, Color)> {
        let MemcpyColors { h2d, d2h } = &self.colors;
        let ways = [("MEMCPYH2D", h2d), ("MEMCPYD2H", d2h)];
        let all = ways.into_iter().flat_map(|(way, colors)| {
            colors.iter().zip(1..).filter_map(move |(color, n)| Some((format!("{way}_{n}"), (*color)?)))
        });
        all.collect::<Vec<_>>().into_iter()
    }
}

/// The smallest fabric around a rectangle.
pub fn smallest_fabric((width, height): (u16, u16), has_streams: bool) -> FabricPlace {
    let ((columns, rows), (x, y)) = if has_streams { MEMCPY_MARGIN } else { Default::default() };
    FabricPlace {
        width: width.saturating_add(columns),
        height: height.saturating_add(rows),
        x,
        y,
        channels: 1,
    }
}
