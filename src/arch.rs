//! The machines: every number of WSE-2 and WSE-3 in one struct, each with its source,
//! and the id types that are numbers on the machine.
//!
//! Sources: seed = the owner's documents (`DSDs`, `DSRs`, `Task Identifiers`), ruling = our own
//! decision where nothing is published; see docs/decisions.md.

pub mod config;
mod costs;

pub use costs::{Costs, VectorCosts};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which machine a program is compiled for.
///
/// ```
/// use cslrun::Arch;
///
/// assert_eq!(Arch::parse("wse3"), Some(Arch::Wse3));
/// assert_eq!(Arch::Wse2.to_string(), "wse2");
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ArchName {
    /// CS-2.
    Wse2,
    /// CS-3.
    Wse3,
}

/// Every number of one machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arch {
    /// Which one.
    pub name: ArchName,
    /// Name as written in CSL and on the command line.
    pub word: &'static str,
    /// Memory of a PE, in 16-bit words: 48 KiB (seed: appendix on SIMD timing).
    pub memory_words: u32,
    /// Colors 0 .. this are routable (seed: Task Identifiers).
    pub routable_colors: u8,
    /// Depth of each input queue, in wavelets (seed: Queue Identifiers).
    pub input_queue_depth: &'static [u8],
    /// Depth of each output queue, in wavelets (seed: Queue Identifiers).
    pub output_queue_depth: &'static [u8],
    /// Lowest number of a local task (reference: 0 on WSE-2, 8 on WSE-3).
    pub local_task_min: u8,
    /// Highest number of a local task (seed: activatable ids are 0 to 30).
    pub local_task_max: u8,
    /// DSRs of the dest, src0 and src1 files (ruling OQ-35).
    pub dsrs: [u8; 3],
    /// Extended DSRs (ruling OQ-35).
    pub xdsrs: u8,
    /// Stride registers (ruling OQ-35).
    pub stride_registers: u8,
    /// Microthreads of a PE (seed: ids equal queue ids, 0..7).
    pub microthreads: u8,
    /// Depth of a router buffer per color and link, in wavelets (ruling: any positive bound).
    pub link_depth: u8,
    /// Cycles from router to router (records of programs: docs/timing.md).
    pub hop_latency: u8,
    /// Cycles between a queue of a PE and its router (WSE-2: ruling; WSE-3: records of programs, docs/timing.md).
    pub ramp_latency: u8,
    /// Filters of a PE (release note 1.4; ruling OQ-52 for WSE-3).
    pub filters: u8,
    /// Alignment of a FIFO buffer, in bytes (ruling).
    pub fifo_min_alignment: u16,
    /// Colors that can have switch positions (reference: all on WSE-2).
    pub switch_colors: u32,
    /// How many cycles operations take.
    pub costs: Costs,
}

/// WSE-2, the machine of the CS-2.
pub static WSE2: Arch = Arch {
    name: ArchName::Wse2,
    word: "wse2",
    memory_words: 24 * 1024,
    routable_colors: Color::COUNT,
    input_queue_depth: &[6, 6, 4, 4, 2, 2, 2, 2],
    output_queue_depth: &[2, 2, 6, 6, 2, 2],
    local_task_min: 0,
    local_task_max: 30,
    dsrs: [16, 12, 16],
    xdsrs: 8,
    stride_registers: 8,
    microthreads: 8,
    link_depth: 2,
    hop_latency: 1,
    ramp_latency: 2,
    filters: 6,
    fifo_min_alignment: 16,
    switch_colors: 0x00ff_ffff,
    costs: costs::WSE2,
};

/// WSE-3, the machine of the CS-3.
pub static WSE3: Arch = Arch {
    name: ArchName::Wse3,
    word: "wse3",
    memory_words: 24 * 1024,
    routable_colors: Color::COUNT,
    input_queue_depth: &[8, 8, 4, 4, 4, 4, 4, 4],
    output_queue_depth: &[8; 8],
    local_task_min: 8,
    local_task_max: 30,
    dsrs: [16, 12, 16],
    xdsrs: 8,
    stride_registers: 8,
    microthreads: 8,
    link_depth: 2,
    hop_latency: 2,
    ramp_latency: 5,
    filters: 6,
    fifo_min_alignment: 16,
    // 0-9, 12, 13, 16, 17, 20, 21
    switch_colors: 0x0033_33ff,
    costs: costs::WSE3,
};

impl ArchName {
    /// The numbers of this machine.
    pub(crate) fn numbers(self) -> &'static Arch {
        match self {
            ArchName::Wse2 => &WSE2,
            ArchName::Wse3 => &WSE3,
        }
    }

    /// The number of the data task that takes what arrives: that of the color on WSE-2, that of the queue on WSE-3, where
    /// nothing arrives without one.
    pub fn channel(self, color: Color, queue: Option<InQueue>) -> Option<u8> {
        match self {
            ArchName::Wse2 => Some(color.0),
            ArchName::Wse3 => queue.map(|queue| queue.0),
        }
    }

    /// The machine with this name, as written in CSL: `wse2` or `wse3`.
    pub fn parse(word: &str) -> Option<ArchName> {
        match word {
            "wse2" => Some(ArchName::Wse2),
            "wse3" => Some(ArchName::Wse3),
            _ => None,
        }
    }
}

impl fmt::Display for ArchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.numbers().word)
    }
}

/// The null task: no task has this number (seed: Task Identifiers).
pub const NULL_TASK: u8 = 31;
/// The teardown task: runs when a color of the tile goes into teardown (seed: Task Identifiers).
pub const TEARDOWN_TASK: u8 = 29;
/// The timer task (seed: Task Identifiers).
pub const TIMER_TASK: u8 = 30;
/// Numbers that a color can have.
pub const COLORS: usize = 32;
/// Colors on which `<memcpy>` moves data and commands (ruling OQ-54).
pub const MEMCPY_COLORS: &[u8] = &[21, 22, 23];
/// The number that means no color in programs for SDK 1.0 to 1.2 (docs/decisions.md).
pub const NO_COLOR: u16 = 32;
/// The color of `<message_passing>`, the first of the five that it uses (`docs/decisions.md`).
pub const MESSAGE_COLOR: Color = Color(14);
/// The colors of `<message_passing>` (vendor documentation).
pub const MESSAGE_COLORS: std::ops::RangeInclusive<u8> = MESSAGE_COLOR.0..=MESSAGE_COLOR.0 + 4;
/// The longest message, in wavelets (vendor documentation of `<message_passing>`).
pub const MESSAGE_WORDS: u16 = 32;
/// Number of task ids: 0..63 (seed: Task Identifiers).
pub const TASK_IDS: usize = 64;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub u8);
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    )*};
}

ids! {
    /// A routable color, 0..23.
    Color;
    /// A number of the task table, 0..63.
    TaskId;
    /// An input queue, 0..7.
    InQueue;
    /// An output queue.
    OutQueue;
    /// A microthread, 0..7.
    UtId;
}

impl Color {
    /// How many colors both machines can route: 0 to one less (seed: Task Identifiers).
    pub const COUNT: u8 = 24;

    /// The color with this number; `None` for the number that means no color, and for those of tasks, which releases
    /// before 1.2 write as colors.
    pub fn numbered(n: u16) -> Option<Color> {
        (n < Color::COUNT.into()).then_some(Color(n as u8))
    }
}

/// Which file a DSR belongs to, and its number in it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DsrId {
    /// The file.
    pub file: DsrFile,
    /// The number in the file.
    pub number: u8,
}

/// The three DSR files (seed: DSR types).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DsrFile {
    /// Destinations.
    Dest,
    /// First sources; may also hold a destination.
    Src0,
    /// Second sources.
    Src1,
}

impl DsrFile {
    /// The type of its registers, as written in CSL.
    pub fn name(self) -> &'static str {
        match self {
            DsrFile::Dest => "dsr_dest",
            DsrFile::Src0 => "dsr_src0",
            DsrFile::Src1 => "dsr_src1",
        }
    }
}

impl fmt::Display for DsrId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.file.name(), self.number)
    }
}

/// A place in the program rectangle: x grows east, y grows south, (0,0) is the north-west PE.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PeCoord {
    /// Column.
    pub x: u16,
    /// Row.
    pub y: u16,
}

impl fmt::Display for PeCoord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PE({},{})", self.x, self.y)
    }
}

/// The five ports of a router.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum Direction {
    /// Towards smaller y.
    North = 0,
    /// Towards larger y.
    South = 1,
    /// Towards larger x.
    East = 2,
    /// Towards smaller x.
    West = 3,
    /// The PE itself.
    Ramp = 4,
}

impl Direction {
    /// All five, in the order of their numbers.
    pub const ALL: [Direction; 5] =
        [Direction::North, Direction::South, Direction::East, Direction::West, Direction::Ramp];

    /// The name in CSL.
    pub fn name(self) -> &'static str {
        ["NORTH", "SOUTH", "EAST", "WEST", "RAMP"][self as usize]
    }

    /// The direction with this number.
    pub fn from_number(n: u8) -> Option<Direction> {
        Direction::ALL.get(n as usize).copied()
    }

    /// The side on which the neighbour sees it; RAMP is its own opposite.
    pub fn opposite(self) -> Direction {
        match self {
            Direction::North => Direction::South,
            Direction::South => Direction::North,
            Direction::East => Direction::West,
            Direction::West => Direction::East,
            Direction::Ramp => Direction::Ramp,
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
