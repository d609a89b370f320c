//! Streaming copies: the host exchanges words with PEs as wavelets of a color.

use super::commands::{HoldUp, HostCommand};
use super::copies::check_size;
use super::names::CopyDirection;
use super::{Failure, Region, Runner, Ticket};
use crate::arch::{Color, PeCoord};
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::host::STREAM_COLOR;
use crate::diagnostics::{Result, counted};
use crate::image::{ExportKind, ExportName};

/// What to stream.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct StreamRequest {
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

impl StreamRequest {
    /// Number of words in total.
    pub fn words(&self) -> usize {
        self.region.pes() * self.elements
    }

    /// The destination of the n-th word of a row: the column in the region, and the index on the PE.
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

/// A streaming copy in progress.
#[derive(Clone)]
struct Streaming {
    copy: StreamRequest,
    way: CopyDirection,
    words: Vec<u32>,
    /// Words that have been sent to each row, or received from each PE.
    moved: Vec<usize>,
}

impl HostCommand for Streaming {
    fn describe(&self) -> String {
        let StreamRequest { color, region: Region { x, y, w, h }, elements, .. } = self.copy;
        let (way, words) = (self.way.word(), counted(elements as u64, "word"));
        format!("the stream of color {color} {way} {w} x {h} PEs at ({x},{y}), {words} each")
    }

    /// Moves as many words as possible now.
    fn advance(&mut self, host: &mut Runner) -> Result<bool, Failure> {
        Ok(match self.way {
            CopyDirection::In => self.push_words(host),
            CopyDirection::Out => self.pull_words(host),
        })
    }

    fn is_done(&self) -> bool {
        let each = self.copy.words() / self.moved.len().max(1);
        self.moved.iter().all(|moved| *moved == each)
    }

    fn finish(self: Box<Self>, _: &mut Runner) -> Option<Vec<u32>> {
        (self.way == CopyDirection::Out).then_some(self.words)
    }

    fn hold_up(&self) -> Option<HoldUp> {
        let advice = "the host and the program must agree on the number of words";
        let stream = Some((self.copy.color, self.way));
        Some(HoldUp { needs: self.needs(), pes: self.holding(), stream, advice })
    }
}

impl Streaming {
    /// What must happen before the copy can continue.
    fn needs(&self) -> String {
        let moved: usize = self.moved.iter().sum();
        let verb = match self.way {
            CopyDirection::In => "receive",
            CopyDirection::Out => "send",
        };
        let (moved, all) = (grouped(moved as u64), grouped(self.copy.words() as u64));
        format!("after {moved} of {all} words the program must {verb} more")
    }

    /// The PEs that must receive or send further words.
    fn holding(&self) -> Vec<PeCoord> {
        let StreamRequest { region, elements, .. } = self.copy;
        let width = usize::from(region.w);
        let open = self.moved.iter().enumerate();
        if self.way == CopyDirection::In {
            let rows = open.filter(|(_, moved)| **moved < width * elements);
            return rows.map(|(row, moved)| self.copy.pe(row, self.copy.target(*moved).0)).collect();
        }
        let pes = open.filter(|(_, moved)| **moved < elements);
        pes.map(|(place, _)| self.copy.pe(place / width, place % width)).collect()
    }

    fn push_words(&mut self, host: &mut Runner) -> bool {
        let copy = self.copy;
        let (width, mut any) = (usize::from(copy.region.w), false);
        for (row, moved) in self.moved.iter_mut().enumerate() {
            while *moved < width * copy.elements {
                let (column, k) = copy.target(*moved);
                let word = self.words[(row * width + column) * copy.elements + k];
                if !host.wafer.stream_in(copy.pe(row, column), copy.color, word) {
                    break;
                }
                *moved += 1;
                any = true;
            }
        }
        any
    }

    fn pull_words(&mut self, host: &mut Runner) -> bool {
        let copy = self.copy;
        let (width, mut any) = (usize::from(copy.region.w), false);
        for (place, moved) in self.moved.iter_mut().enumerate() {
            let at = copy.pe(place / width, place % width);
            while *moved < copy.elements
                && let Some(word) = host.wafer.stream_out(at, copy.color)
            {
                self.words[place * copy.elements + *moved] = word;
                *moved += 1;
                any = true;
            }
        }
        any
    }
}

impl Runner {
    /// Queues words for the PEs of a region, PE by PE in rows.
    ///
    /// # Errors
    /// [`Failure::Misuse`] if the host cannot send on the color, the region leaves the program rectangle, or the
    /// number of words is not that of all its PEs.
    pub fn queue_stream_in(&mut self, copy: &StreamRequest, words: &[u32]) -> Result<Ticket, Failure> {
        self.check_stream(copy, CopyDirection::In)?;
        check_size(words.len(), copy.words())?;
        let moved = vec![0; usize::from(copy.region.h)];
        Ok(self.queue(Streaming { copy: *copy, way: CopyDirection::In, words: words.to_vec(), moved }))
    }

    /// Queues a copy of words from the PEs of a region; they arrive PE by PE in rows.
    ///
    /// # Errors
    /// [`Failure::Misuse`] if the host cannot receive on the color, or the region leaves the program rectangle.
    pub fn queue_stream_out(&mut self, copy: &StreamRequest) -> Result<Ticket, Failure> {
        self.check_stream(copy, CopyDirection::Out)?;
        let moved = vec![0; copy.region.pes()];
        let words = vec![0; copy.words()];
        Ok(self.queue(Streaming { copy: *copy, way: CopyDirection::Out, words, moved }))
    }

    fn check_stream(&self, copy: &StreamRequest, way: CopyDirection) -> Result<()> {
        self.check_region(copy.region)?;
        let colors = self.program.memcpy.clone().unwrap_or_default();
        let known = match way {
            CopyDirection::In => colors.h2d,
            CopyDirection::Out => colors.d2h,
        };
        match known.contains(&Some(copy.color)) {
            true => Ok(()),
            false => {
                let diag = STREAM_COLOR.because(&[("color", &copy.color), ("way", &way.word())]);
                // The id of a symbol is its place in the list of exports, counted from 1.
                let symbol =
                    usize::from(copy.color.0).checked_sub(1).and_then(|n| self.program.exports.get(n));
                Err(match symbol {
                    Some(ExportName { name, kind: ExportKind::Var { .. }, .. }) => diag.help(format!(
                        "{} is also the id of the variable `{name}`: to copy the variable, write `streaming=False`",
                        copy.color
                    )),
                    _ => diag,
                })
            }
        }
    }
}
