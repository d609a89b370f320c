//! Between PEs: one router each, one hop per cycle, two-phase.
//!
//! In: routes and wavelets from ramps. Out: wavelets at ramps. Never: looks into a PE.

mod ramp;

pub use ramp::{Ramp, Wavelet};
