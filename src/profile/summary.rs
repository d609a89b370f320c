//! The profile of a run as data: every measure by line, function, PE, color and phase, and the critical path.

use super::accounts::Times;
use super::bars::Bars;
use crate::source::FileId;
use serde::Serialize;

/// The profile of a run. Cycles are estimates.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Profile {
    /// Cycles of the run, or up to its failure.
    pub cycles: u64,
    /// Cycles that the profile divides: those up to the end of all work. PEs that are ahead of the clock when a run fails
    /// are further than it.
    pub until: u64,
    /// If there was too much to note, the cycle up to which the profile goes.
    pub cut: Option<u64>,
    /// Columns of PEs.
    pub width: u16,
    /// Rows of PEs.
    pub height: u16,
    /// The machine.
    pub machine: String,
    /// All PEs that have code, together.
    pub times: Times,
    /// PEs that have done anything.
    pub pes: Vec<PeProfile>,
    /// Names of files, by number.
    pub files: Vec<String>,
    /// Lines that have run or waited, those with most busy cycles first.
    pub lines: Vec<LineProfile>,
    /// Functions, those with most busy cycles first.
    pub functions: Vec<FunctionProfile>,
    /// Colors.
    pub colors: Vec<ColorProfile>,
    /// The time between commands of the host.
    pub phases: Vec<Phase>,
    /// Links that wavelets have crossed, those with most words first.
    pub links: Vec<LinkProfile>,
    /// Queues.
    pub queues: Vec<QueueProfile>,
    /// Busy cycles by PE, task, function and line.
    pub slices: Vec<Slice>,
    /// The chain of work and wavelets that the last cycle waited for.
    pub path: PathProfile,
    /// What each thread did over time; only the page shows it.
    #[serde(skip)]
    pub bars: Bars,
    /// The files by number, as the program has them.
    #[serde(skip)]
    pub sources: Vec<FileId>,
}

/// A PE.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PeProfile {
    /// The column.
    pub x: u16,
    /// The row.
    pub y: u16,
    /// Its cycles.
    pub times: Times,
    /// Cycles in which microthreads moved elements while the main thread ran code.
    pub hidden: u64,
    /// Tasks and functions started.
    pub tasks: u64,
    /// Elements processed.
    pub elements: u64,
    /// Wavelets sent.
    pub sent: u64,
    /// Wavelets that came into its queues.
    pub delivered: u64,
    /// Wavelets that its router has passed on, to neighbours and to the PE.
    pub hops: u64,
    /// The largest share of a queue that was ever full, in percent.
    pub fullest: u32,
    /// Words of memory in use at most.
    pub memory: u32,
    /// Cycles of the critical path on this PE.
    pub path: u64,
}

/// A line of a source.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LineProfile {
    /// The file, a number in [`Profile::files`].
    pub file: u32,
    /// The line, from 1 on.
    pub line: u32,
    /// Its text, without the spaces around it.
    pub text: String,
    /// Whether it belongs to the library.
    pub is_library: bool,
    /// PEs on which it ran.
    pub pes: u32,
    /// Cycles in which it kept a PE busy.
    pub busy: u64,
    /// Cycles in which its elements moved while the main thread ran code.
    pub hidden: u64,
    /// Cycles in which its operations waited for wavelets, for room, and for elements in FIFOs.
    pub wavelet: u64,
    /// For room.
    pub room: u64,
    /// For FIFOs.
    pub fifo: u64,
    /// Elements of its operations.
    pub elements: u64,
    /// Cycles of operations with elements.
    pub element_cycles: u64,
    /// Cycles that these elements take at best.
    pub best_cycles: u64,
    /// Cycles of the critical path in this line.
    pub path: u64,
}

/// A function, without what it calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FunctionProfile {
    /// Its name.
    pub name: String,
    /// The file.
    pub file: u32,
    /// The line of its declaration.
    pub line: u32,
    /// How often it was started as a task, or launched.
    pub starts: u64,
    /// Cycles in which its code and its operations kept PEs busy.
    pub busy: u64,
    /// Cycles hidden behind other code.
    pub hidden: u64,
    /// Cycles in which its operations waited.
    pub waits: u64,
    /// Elements of its operations.
    pub elements: u64,
    /// Cycles of the critical path.
    pub path: u64,
}

/// A color.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ColorProfile {
    /// The color.
    pub color: u8,
    /// Wavelets that PEs have sent.
    pub sent: u64,
    /// Wavelets that came into queues.
    pub delivered: u64,
    /// Links that they have crossed, those from and to PEs included.
    pub hops: u64,
    /// The most words that one link has carried.
    pub busiest: u64,
    /// Cycles in which operations waited for a wavelet of it.
    pub wavelet: u64,
    /// Cycles in which operations waited for room to send it.
    pub room: u64,
    /// Cycles of the critical path in which a wavelet of it was on its way, or room for one.
    pub path: u64,
}

/// The time from a command of the host to the next.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Phase {
    /// The command.
    pub name: String,
    /// The line of the host script.
    pub place: Option<String>,
    /// The first cycle.
    pub from: u64,
    /// The cycle behind the last.
    pub until: u64,
    /// The cycles of all PEs.
    pub times: Times,
}

/// A link between routers, or between a router and its PE.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkProfile {
    /// The column of the router.
    pub x: u16,
    /// The row.
    pub y: u16,
    /// The direction.
    pub to: &'static str,
    /// Words of all colors.
    pub words: u64,
    /// Words by color.
    pub colors: Vec<(u8, u64)>,
}

/// A queue.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueueProfile {
    /// The column.
    pub x: u16,
    /// The row.
    pub y: u16,
    /// Whether wavelets come in through it.
    pub is_input: bool,
    /// Its number; `None` for a private one.
    pub queue: Option<u8>,
    /// The color.
    pub color: u8,
    /// The most wavelets that it has held.
    pub most: u32,
    /// How many it can hold.
    pub depth: u32,
}

/// Busy cycles of a PE in a line.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Slice {
    /// The PE, an index into [`Profile::pes`].
    pub pe: u32,
    /// The task: a number in [`Profile::functions`]; none before the first one.
    pub task: Option<u32>,
    /// The function with the line.
    pub function: u32,
    /// The line, a number in [`Profile::lines`].
    pub line: u32,
    /// Busy cycles.
    pub busy: u64,
}

/// The critical path.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PathProfile {
    /// Its parts, first to last; none if the profile is cut.
    pub parts: Vec<PathPart>,
    /// Cycles of work in lines.
    pub work: u64,
    /// Cycles of wavelets on their way.
    pub wavelet: u64,
    /// Cycles in which room came back.
    pub room: u64,
    /// Cycles of the host.
    pub host: u64,
    /// Cycles in which what could begin did not, and those behind the end of all work.
    pub other: u64,
    /// How long the run would take if a line took no time.
    pub free: Vec<Free>,
}

/// A part of the critical path.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PathPart {
    /// The first cycle.
    pub from: u64,
    /// The cycle behind the last.
    pub until: u64,
    /// `work`, `wavelet`, `room`, `host` or `other`.
    pub what: &'static str,
    /// The PE, an index into [`Profile::pes`].
    pub pe: Option<u32>,
    /// The PE from which a wavelet or room comes.
    pub before: Option<u32>,
    /// The line that most of it belongs to.
    pub line: Option<u32>,
    /// The color of a wavelet.
    pub color: Option<u8>,
}

/// What the run would take if a line took no time.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Free {
    /// The line, a number in [`Profile::lines`].
    pub line: u32,
    /// Cycles.
    pub cycles: u64,
}
