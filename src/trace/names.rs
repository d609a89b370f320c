//! The names behind the numbers in events.

use super::Reason;
use crate::arch::PeCoord;
use crate::image::{FnId, Program};
use crate::source::Span;

/// Characters of a call that are shown.
const EXCERPT: usize = 48;

/// Looks up the names of a program.
pub struct Names<'a>(pub &'a Program);

impl Names<'_> {
    /// The task or function that an event is about.
    pub fn function(&self, pe: PeCoord, f: FnId) -> &str {
        let function = self.0.tile_at(pe).and_then(|tile| tile.functions.get(f.0 as usize));
        function.map_or("?", |function| &function.name)
    }

    /// What an operation waits for.
    pub fn reason(&self, pe: PeCoord, on: Reason) -> String {
        let fifo = |n: u16| {
            let fifo = self.0.tile_at(pe).and_then(|tile| tile.fifos.get(usize::from(n)));
            fifo.map_or("?", |fifo| &fifo.name)
        };
        match on {
            Reason::Wavelet { color, queue: Some(q) } => format!("input queue {q} (color {color}) is empty"),
            Reason::Wavelet { color, queue: None } => format!("no wavelet of color {color} is there"),
            Reason::Space { color, queue: Some(q) } => format!("output queue {q} (color {color}) is full"),
            Reason::Space { color, queue: None } => format!("the output queue of color {color} is full"),
            Reason::FifoData(n) => format!("FIFO `{}` is empty", fifo(n)),
            Reason::FifoSpace(n) => format!("FIFO `{}` is full", fifo(n)),
            Reason::Unblock => "the microthread is blocked".to_string(),
        }
    }

    /// The source location of a call, and the beginning of its text.
    pub fn call(&self, span: Span) -> (String, String) {
        let text = self.0.sources.file(span.file).text.get(span.lo as usize..span.hi as usize);
        let words: Vec<&str> = text.unwrap_or_default().split_whitespace().collect();
        let text = words.join(" ");
        let place = self.0.sources.describe(span);
        match text.char_indices().nth(EXCERPT) {
            Some((at, _)) => (place, format!("{}..", &text[..at])),
            None => (place, text),
        }
    }
}
