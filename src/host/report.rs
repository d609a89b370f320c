//! Statistics of a run.

use crate::source::Span;
use crate::wafer::Wafer;
use serde::Serialize;
use std::collections::BTreeSet;

/// Numbers about a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunReport {
    /// Cycles since the start; after an error, the cycle of the earliest one.
    pub cycles: u64,
    /// PEs of the rectangle.
    pub pes: usize,
    /// PEs on which anything has happened.
    pub active_pes: usize,
    /// Links that wavelets have crossed, ramps included.
    pub hops: u64,
    /// Number of `@assert`s in the source that have passed at least once.
    pub asserts_held: BTreeSet<Span>,
}

impl RunReport {
    pub(super) fn new(wafer: &Wafer) -> RunReport {
        RunReport {
            cycles: wafer.cycles(),
            pes: wafer.program().place.len(),
            active_pes: wafer.active_pes(),
            hops: wafer.hops(),
            asserts_held: wafer.asserts_held().clone(),
        }
    }
}
