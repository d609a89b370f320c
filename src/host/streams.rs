//! Streaming copies: words that go to the PEs, and come from them, as wavelets of a color.

use super::{Failure, Region, Runner, Ticket};
use crate::arch::{Color, PeCoord};
use crate::diagnostics::Result;
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::host::{COPY_SIZE, STREAM_COLOR};

/// What to stream.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct StreamCopy {
    /// A streaming color of the program.
    pub color: Color,
    /// The PEs.
    pub region: Region,
    /// Words per PE.
    pub elements: usize,
    /// Whether a PE gets all its words before its eastern neighbour gets any (row-major order);
    /// otherwise every PE of a row gets one in turn. Rows are independent of each other.
    pub pe_by_pe: bool,
}

impl StreamCopy {
    /// How many words in all.
    pub fn words(&self) -> usize {
        self.region.pes() * self.elements
    }

    /// Where the n-th word of a row goes: the column in the region, and the place on the PE.
    fn target(&self, n: usize) -> (usize, usize) {
        match self.pe_by_pe {
            true => (n / self.elements, n % self.elements),
            false => (n % usize::from(self.region.w), n / usize::from(self.region.w)),
        }
    }

    fn pe(&self, row: usize, column: usize) -> PeCoord {
        PeCoord { x: self.region.x + column as u16, y: self.region.y + row as u16 }
    }
}

/// A streaming copy under way.
pub(super) struct Streaming {
    pub copy: StreamCopy,
    /// To the PEs.
    pub into: bool,
    /// Words that have gone to each row, or have come from each PE.
    moved: Vec<usize>,
}

impl Streaming {
    /// Whether every word has been moved.
    pub fn is_done(&self) -> bool {
        let each = self.copy.words() / self.moved.len().max(1);
        self.moved.iter().all(|moved| *moved == each)
    }

    /// The copy, for people.
    pub fn describe(&self) -> String {
        let StreamCopy { color, region: Region { x, y, w, h }, elements, .. } = self.copy;
        let way = if self.into { "to" } else { "from" };
        let words = if elements == 1 { "word" } else { "words" };
        format!(
            "the stream of color {color} {way} {w} x {h} PEs at ({x},{y}), {} {words} each",
            grouped(elements as u64)
        )
    }

    /// What has to happen before it can go on.
    pub fn needs(&self) -> String {
        let moved: usize = self.moved.iter().sum();
        let verb = if self.into { "take" } else { "send" };
        let (moved, all) = (grouped(moved as u64), grouped(self.copy.words() as u64));
        format!("after {moved} of {all} words the program has to {verb} more")
    }

    /// The PEs that have words to take or to give.
    pub fn holding(&self) -> Vec<PeCoord> {
        let StreamCopy { region, elements, .. } = self.copy;
        let width = usize::from(region.w);
        let open = self.moved.iter().enumerate();
        if self.into {
            let rows = open.filter(|(_, moved)| **moved < width * elements);
            return rows.map(|(row, moved)| self.copy.pe(row, self.copy.target(*moved).0)).collect();
        }
        let pes = open.filter(|(_, moved)| **moved < elements);
        pes.map(|(place, _)| self.copy.pe(place / width, place % width)).collect()
    }
}

impl Runner {
    /// Queues words for the PEs of a region, PE by PE in rows.
    pub fn queue_stream_in(&mut self, copy: &StreamCopy, words: &[u32]) -> Result<Ticket, Failure> {
        self.check_stream(copy, true)?;
        if words.len() != copy.words() {
            return Err(COPY_SIZE.because(&[("given", &words.len()), ("needed", &copy.words())]).into());
        }
        let moved = vec![0; usize::from(copy.region.h)];
        Ok(self.stream.push_streaming(Streaming { copy: *copy, into: true, moved }, words.to_vec()))
    }

    /// Queues the taking of words from the PEs of a region; they come PE by PE in rows.
    pub fn queue_stream_out(&mut self, copy: &StreamCopy) -> Result<Ticket, Failure> {
        self.check_stream(copy, false)?;
        let moved = vec![0; copy.region.pes()];
        Ok(self.stream.push_streaming(Streaming { copy: *copy, into: false, moved }, vec![0; copy.words()]))
    }

    fn check_stream(&self, copy: &StreamCopy, into: bool) -> Result<()> {
        self.check_region(copy.region)?;
        let colors = self.program.memcpy.clone().unwrap_or_default();
        let (known, way) = if into { (colors.h2d, "to") } else { (colors.d2h, "from") };
        match known.contains(&Some(copy.color)) {
            true => Ok(()),
            false => Err(STREAM_COLOR.because(&[("color", &copy.color), ("way", &way)])),
        }
    }

    /// Moves what can be moved now; true if anything was.
    pub(super) fn advance_streaming(&mut self, streaming: &mut Streaming, words: &mut [u32]) -> bool {
        match streaming.into {
            true => self.push_words(streaming, words),
            false => self.pull_words(streaming, words),
        }
    }

    fn push_words(&mut self, streaming: &mut Streaming, words: &[u32]) -> bool {
        let copy = streaming.copy;
        let (width, before) = (usize::from(copy.region.w), streaming.moved.clone());
        for (row, moved) in streaming.moved.iter_mut().enumerate() {
            while *moved < width * copy.elements {
                let (column, k) = copy.target(*moved);
                let word = words[(row * width + column) * copy.elements + k];
                if !self.wafer.stream_in(copy.pe(row, column), copy.color, word) {
                    break;
                }
                *moved += 1;
            }
        }
        streaming.moved != before
    }

    fn pull_words(&mut self, streaming: &mut Streaming, words: &mut [u32]) -> bool {
        let copy = streaming.copy;
        let (width, mut any) = (usize::from(copy.region.w), false);
        for (place, moved) in streaming.moved.iter_mut().enumerate() {
            let at = copy.pe(place / width, place % width);
            while *moved < copy.elements
                && let Some(word) = self.wafer.stream_out(at, copy.color)
            {
                words[place * copy.elements + *moved] = word;
                *moved += 1;
                any = true;
            }
        }
        any
    }
}
