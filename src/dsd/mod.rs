//! Vector descriptors, and what a DSD operation does with them.
//!
//! In: folded descriptors. Out: addresses of elements, element kernels, progress of one operation.
//! Never: evaluates CSL, or knows which PE it runs on.

pub mod access;
pub mod banks;
pub mod block;
mod carries;
mod chunks;
pub mod direct;
mod elements;
pub mod footprint;
mod fp16_formats;
mod half_conversions;
mod half_sum_blocks;
mod half_sums;
mod halves;
mod in_order;
pub mod kernels;
mod lanes;
pub mod local;
pub mod ops;
pub mod overlap;
mod strided;
mod words;

pub(crate) use lanes::widest;
pub use words::MemWords;

use crate::arch::{Color, InQueue, OutQueue};
use serde::{Deserialize, Serialize};

/// 16-bit words that a DSD value takes in the memory of a PE (ruling: our own encoding).
pub const DSD_WORDS: u16 = 16;

/// A descriptor with every property folded to numbers.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Dsd {
    /// `mem1d_dsd`, `mem4d_dsd`, `circbuf_dsd`.
    Mem(Mem),
    /// `fabin_dsd`.
    FabIn(FabIn),
    /// `fabout_dsd`.
    FabOut(FabOut),
    /// A FIFO made by `@allocate_fifo`.
    Fifo(FifoId),
}

/// A FIFO of the tile, in order of allocation.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FifoId(pub u8);

/// What an operation does with a FIFO.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FifoAccess {
    /// The FIFO is the destination: the operation writes to it.
    Push,
    /// The FIFO is a source: the operation reads from it.
    Pop,
}

/// Which type of CSL a memory DSD has.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MemKind {
    /// `mem1d_dsd`
    Mem1d,
    /// `mem4d_dsd`
    Mem4d,
    /// `circbuf_dsd`
    Circbuf,
}

/// A vector in memory. The unit of `extent` and `step` is one element of the operation.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Mem {
    /// Its type.
    pub kind: MemKind,
    /// Word address of the first element, offset included.
    pub base: u16,
    /// Number of dimensions, 1..4.
    pub dims: u8,
    /// Lengths, fastest dimension first; unused ones are 1.
    pub extent: [u16; 4],
    /// Step deltas, fastest first: added when that dimension ticks (dsd-dsr section 2).
    pub step: [i16; 4],
    /// `.wavelet_index_offset`.
    pub index_offset: bool,
    /// First word of the tensor that it was made from; 0 when unknown.
    pub lo: u16,
    /// One past the last word of that tensor; the memory size when unknown.
    pub hi: u16,
    /// Whether `lo..hi` is the variable at an address that was set at run time. Working public programs move such a
    /// vector past the end of it, so that this is a warning.
    pub has_soft_bounds: bool,
    /// Words until a circular buffer wraps; 0 for other kinds.
    pub wrap: u16,
    /// Where it was made or last changed: a number that the tile explains; 0 when unknown.
    pub origin: u16,
}

impl Dsd {
    /// Address of the first element in memory; 0 for what is not in memory.
    pub fn start(&self) -> u16 {
        if let Dsd::Mem(mem) = self { mem.base } else { 0 }
    }
}

impl Mem {
    /// Number of elements in all dimensions.
    pub fn length(&self) -> u32 {
        self.extent.iter().take(self.dims as usize).map(|e| u32::from(*e)).product()
    }
}

/// How many 16-bit elements a wavelet carries, and when an operation may go on.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Simd {
    /// One element per wavelet (ruling OQ-17b).
    #[default]
    Off,
    /// Two elements per wavelet.
    Simd32,
    /// Two wavelets at a time.
    Simd64,
    /// Two wavelets if there are two.
    Simd32Or64,
    /// WSE-3: as many as possible.
    Max,
}

impl Simd {
    /// How many elements of `words` words a wavelet brings, or two of them that go together.
    pub fn elements(self, words: u16) -> u32 {
        match self {
            _ if words > 1 => 1,
            Simd::Off => 1,
            Simd::Simd32 => 2,
            Simd::Simd64 | Simd::Simd32Or64 | Simd::Max => 4,
        }
    }
}

/// Microthread priority.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Priority {
    /// The default of asynchronous operations.
    #[default]
    Low,
    /// Above synchronous operations.
    Medium,
    /// First.
    High,
}

/// Wavelets that arrive.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FabIn {
    /// The color, if it is known without the queue.
    pub color: Option<Color>,
    /// The queue, if given.
    pub queue: Option<InQueue>,
    /// Number of elements; 0x7fff is endless.
    pub extent: u16,
    /// `.control_transform`.
    pub control_transform: bool,
    /// `.simd_mode`.
    pub simd: Simd,
    /// `.priority` (WSE-3).
    pub priority: Priority,
}

/// What an operation does that finds a FIFO empty or full.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum FifoAction {
    /// An asynchronous operation waits; a synchronous one ends, returns false, and leaves the number
    /// of the other elements as the length of the FIFO.
    #[default]
    TestOrSuspend,
    /// It ends as if it were complete.
    Terminate,
    /// It waits, also if it is synchronous (WSE-3).
    Suspend,
    /// The program stops (WSE-3).
    Fault,
}

/// Which source is set to zero when an operation into a fabout DSD is complete.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ZeroSource {
    /// `.zero = .{ .first_source = true }`
    First,
    /// `.zero = .{ .second_source = true }`
    Second,
}

impl ZeroSource {
    /// The position of this source among that many; a single source is the second one.
    pub fn position(self, sources: usize) -> Option<usize> {
        match (self, sources) {
            (ZeroSource::First, 1) => None,
            (ZeroSource::First, _) | (ZeroSource::Second, 1) => Some(0),
            (ZeroSource::Second, _) => Some(1),
        }
    }
}

/// Wavelets that leave.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FabOut {
    /// The color, if it is known without the queue.
    pub color: Option<Color>,
    /// The queue, if given.
    pub queue: Option<OutQueue>,
    /// Number of elements; 0x7fff is endless.
    pub extent: u16,
    /// All wavelets are control wavelets.
    pub control: bool,
    /// `.wavelet_index_offset`: the index of the operation goes into bits 31..16.
    pub index_offset: bool,
    /// `.advance_switch`.
    pub advance_switch: bool,
    /// `.control_transform`.
    pub control_transform: bool,
    /// `.zero`.
    pub zero: Option<ZeroSource>,
    /// `.simd_mode`.
    pub simd: Simd,
    /// `.priority` (WSE-3).
    pub priority: Priority,
}

/// An extent that never ends (dsd-dsr section 2).
pub const ENDLESS: u16 = 0x7fff;
