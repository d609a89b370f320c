//! The profile of a run: where its cycles went, and what the last of them waited for.
//!
//! In: what PEs and routers have noted during a profiled run, and the program. Out: a `Profile`. Never: changes a run, or
//! costs time while nothing is profiled.

mod accounts;
mod analysis;
mod bars;
mod graph;
mod items;
mod path;
mod records;
mod sites;
mod summary;
mod tables;

pub use accounts::Times;
pub use records::{
    LinkCount, NotedOperation, Origin, PeRecords, QueueMark, RampCount, Record, Started, Traffic,
};
pub use summary::{LineProfile, PeProfile, Phase, Profile};

use crate::image::Program;
use crate::trace::HostEvent;
use std::sync::Arc;

/// Records of a profile, of all PEs together: they take at most about 200 MB.
pub const MOST_RECORDS: usize = 4_000_000;

/// Everything that was noted of a run.
#[derive(Clone, Debug)]
pub struct ProfiledRun {
    /// The program.
    pub program: Arc<Program>,
    /// How many cycles the run took, or has taken up to its failure.
    pub end: u64,
    /// The notes of PEs, by PE row by row.
    pub pes: Vec<(u32, PeRecords)>,
    /// What the routers have passed on.
    pub traffic: Traffic,
    /// What the host did.
    pub host: Vec<HostEvent>,
}
