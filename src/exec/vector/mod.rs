//! DSD operations as a PE executes them.

pub(crate) mod known;
pub(crate) mod line_shape;
pub(crate) mod map;
pub(crate) mod map_code;
mod map_lanes;
mod map_scans;
pub(crate) mod memory;
pub(crate) mod plan;
pub(crate) mod site;
mod undisturbed;
