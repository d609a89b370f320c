//! Copies between the host and variables of PEs.
//!
//! A copy accesses a PE between two of its tasks, and occupies the channels until all its words have passed.

use super::commands::{HostCommand, Ticket};
use super::names::CopyDirection;
use super::{Failure, Runner};
use crate::arch::PeCoord;
use crate::diagnostics::Result;
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::host::{COPY_SIZE, REGION_OUTSIDE};
use crate::wafer::HOST_PATIENCE;

/// PEs of a rectangle, row by row.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Column of the north-west PE.
    pub x: u16,
    /// Row of the north-west PE.
    pub y: u16,
    /// Columns.
    pub w: u16,
    /// Rows.
    pub h: u16,
}

impl Region {
    /// Number of PEs.
    pub fn pes(&self) -> usize {
        usize::from(self.w) * usize::from(self.h)
    }

    /// The n-th PE, counted row by row.
    pub fn pe(&self, place: usize) -> Option<PeCoord> {
        let width = usize::from(self.w);
        let (x, y) = (place % width.max(1), place / width.max(1));
        (place < self.pes()).then(|| PeCoord { x: self.x + x as u16, y: self.y + y as u16 })
    }
}

/// The size of an element in PE memory; the host sends one word per element.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CopyWidth {
    /// 16 bits: the low half of the host word.
    Bits16,
    /// 32 bits: the whole host word.
    Bits32,
}

impl CopyWidth {
    /// 16-bit words of memory per element.
    pub fn words(self) -> usize {
        match self {
            CopyWidth::Bits16 => 1,
            CopyWidth::Bits32 => 2,
        }
    }
}

/// What to copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyRequest {
    /// An exported name, or a global.
    pub name: String,
    /// The PEs.
    pub region: Region,
    /// Elements per PE.
    pub elements: usize,
    /// Their size.
    pub width: CopyWidth,
}

/// A copy in progress.
#[derive(Clone)]
struct Copying {
    copy: CopyRequest,
    way: CopyDirection,
    words: Vec<u32>,
    /// How many PEs of the region are done, row by row.
    reached: usize,
    turn: Turn,
}

/// How a copy waits for its turn on a PE that is not idle.
#[derive(Clone, Default)]
struct Turn {
    /// The cycle since which the copy waits for the PE.
    since: Option<u64>,
    /// Whether it has waited long enough, for this PE or an earlier one, to demand its turn.
    insists: bool,
    /// The PE starts no task before it is done.
    has_turn: bool,
}

impl Turn {
    /// Waits for a PE that is not idle; after a while the copy gets its turn between two tasks.
    fn wait(&mut self, host: &mut Runner, at: PeCoord) {
        let now = host.wafer.now();
        let since = *self.since.get_or_insert(now);
        self.insists |= host.stream.skips_waiting || now >= since + HOST_PATIENCE;
        if self.insists && !self.has_turn {
            self.has_turn = true;
            host.wafer.set_hosts_turn(at, true);
        }
    }

    /// Ends the turn, because the PE is done.
    fn end(&mut self, host: &mut Runner, at: PeCoord) {
        self.since = None;
        if std::mem::take(&mut self.has_turn) {
            host.wafer.set_hosts_turn(at, false);
        }
    }
}

impl HostCommand for Copying {
    fn describe(&self) -> String {
        format!("the copy {} `{}`", self.way.word(), self.copy.name)
    }

    fn can_precede_the_start(&self) -> bool {
        self.way == CopyDirection::In
    }

    fn overtakes_launches(&self, has_turn: &mut dyn FnMut(PeCoord) -> bool) -> bool {
        let region = self.copy.region;
        !(0..region.pes()).filter_map(|place| region.pe(place)).any(has_turn)
    }

    /// Serves the PEs in order, up to one that is busy.
    fn advance(&mut self, host: &mut Runner) -> Result<bool, Failure> {
        let (now, before_start, before) = (host.wafer.now(), host.is_before_start(), self.reached);
        let CopyRequest { name, region, elements, width } = &self.copy;
        while let Some(at) = region.pe(self.reached) {
            if !before_start && host.wafer.pe(at).is_some_and(|pe| !pe.is_between_tasks(now)) {
                self.turn.wait(host, at);
                break;
            }
            self.turn.end(host, at);
            let words = &mut self.words[self.reached * elements..][..*elements];
            match self.way {
                CopyDirection::In => host.write(at, name, *width, words)?,
                CopyDirection::Out => host.read(at, name, *width, words)?,
            }
            self.reached += 1;
        }
        Ok(self.reached > before)
    }

    fn is_done(&self) -> bool {
        self.copy.region.pe(self.reached).is_none()
    }

    fn finish(self: Box<Self>, host: &mut Runner) -> Option<Vec<u32>> {
        host.occupy_channels(self.copy.region.pes() * self.copy.elements);
        (self.way == CopyDirection::Out).then_some(self.words)
    }
}

/// A command that waits until the host could copy from any PE.
#[derive(Clone)]
struct Settling {
    done: bool,
    /// The cycle since which it waits: it does not wait for PEs whose tasks never end.
    since: Option<u64>,
}

impl HostCommand for Settling {
    fn describe(&self) -> String {
        "its next copy".to_string()
    }

    fn advance(&mut self, host: &mut Runner) -> Result<bool, Failure> {
        let now = host.wafer.now();
        let is_over = now >= *self.since.get_or_insert(now) + HOST_PATIENCE || host.stream.skips_waiting;
        self.done = is_over || host.wafer.made().all(|(_, pe)| pe.is_between_tasks(now));
        Ok(self.done)
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn finish(self: Box<Self>, _: &mut Runner) -> Option<Vec<u32>> {
        None
    }
}

/// An error unless as many words are given as a copy to the PEs takes.
pub(super) fn check_size(given: usize, needed: usize) -> Result<()> {
    if given == needed {
        return Ok(());
    }
    let (given, needed) = (grouped(given as u64), grouped(needed as u64));
    Err(COPY_SIZE.because(&[("given", &given), ("needed", &needed)]))
}

impl Runner {
    /// Copies words to every PE of a region, PE by PE in rows.
    ///
    /// # Errors
    /// As [`Runner::queue_copy_in`] and [`Runner::wait`].
    pub fn copy_in(&mut self, copy: &CopyRequest, words: &[u32]) -> Result<(), Failure> {
        let ticket = self.queue_copy_in(copy, words)?;
        self.wait(ticket)
    }

    /// Copies words from every PE of a region, PE by PE in rows.
    ///
    /// # Errors
    /// As [`Runner::queue_copy_out`] and [`Runner::wait`].
    pub fn copy_out(&mut self, copy: &CopyRequest) -> Result<Vec<u32>, Failure> {
        let ticket = self.queue_copy_out(copy)?;
        self.wait(ticket)?;
        Ok(self.take_words(ticket).unwrap_or_default())
    }

    /// Queues a copy to the wafer.
    ///
    /// # Errors
    /// [`Failure::Misuse`] if the program has no such variable, the region leaves the program rectangle, or the
    /// number of words is not that of all its elements.
    pub fn queue_copy_in(&mut self, copy: &CopyRequest, words: &[u32]) -> Result<Ticket, Failure> {
        self.check_copy(copy, CopyDirection::In)?;
        check_size(words.len(), copy.region.pes() * copy.elements)?;
        Ok(self.queue(Copying {
            copy: copy.clone(),
            way: CopyDirection::In,
            words: words.to_vec(),
            reached: 0,
            turn: Turn::default(),
        }))
    }

    /// Queues a copy from the wafer; [`Runner::take_words`] gives the words once it is done.
    ///
    /// # Errors
    /// [`Failure::Misuse`] if the program has no such variable, or the region leaves the program rectangle.
    pub fn queue_copy_out(&mut self, copy: &CopyRequest) -> Result<Ticket, Failure> {
        self.check_copy(copy, CopyDirection::Out)?;
        let (way, words) = (CopyDirection::Out, vec![0; copy.region.pes() * copy.elements]);
        Ok(self.queue(Copying { copy: copy.clone(), way, words, reached: 0, turn: Turn::default() }))
    }

    /// Runs until the host could copy from any PE.
    pub(super) fn settle(&mut self) -> Result<(), Failure> {
        let ticket = self.queue_settling();
        self.wait(ticket)
    }

    /// Queues a command that is done when the host could copy from any PE.
    pub fn queue_settling(&mut self) -> Ticket {
        self.queue_unlogged(Settling { done: false, since: None })
    }

    fn check_copy(&mut self, copy: &CopyRequest, way: CopyDirection) -> Result<()> {
        self.check_region(copy.region)?;
        self.check_variable(&copy.name, way)?;
        self.check_presence(&copy.name, copy.region)
    }

    /// An error unless a region is inside the program rectangle.
    pub(super) fn check_region(&self, Region { x, y, w, h }: Region) -> Result<()> {
        let (width, height) = (self.program.width, self.program.height);
        let inside = |at: u16, len: u16, all: u16| u32::from(at) + u32::from(len) <= u32::from(all);
        if w == 0 || h == 0 || !inside(x, w, width) || !inside(y, h, height) {
            let asked = format!("{w} x {h} PEs at ({x},{y})");
            let rectangle = format!("{width} x {height}");
            return Err(REGION_OUTSIDE.because(&[("region", &asked), ("rectangle", &rectangle)]));
        }
        Ok(())
    }

    fn occupy_channels(&mut self, words: usize) {
        if self.program.memcpy.is_some() {
            let channels = u64::from(self.program.fabric.channels.max(1));
            self.stream.busy_until = self.wafer.now() + (words as u64).div_ceil(channels);
        }
    }
}
