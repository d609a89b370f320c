//! What is known of a DSD operation before it runs, and of the code behind it.

use super::line_shape::{VectorShape, shape};
use super::quiet::quiet_cycles;
use crate::arch::Arch;
use crate::exec::cycles::start_cycles;
use crate::image::TileImage;

/// What is known of an operation.
pub(crate) struct VectorSite {
    /// Where it may find its vectors.
    pub shape: VectorShape,
    /// Cycles until it can start.
    pub start_cycles: u64,
    /// If it is asynchronous: so many cycles after its launch nothing happens on the PE that it could notice.
    pub quiet_cycles: u64,
}

impl VectorSite {
    /// What is known of each operation of a tile. `is_plain`: the engine works element by element.
    pub fn all(tile: &TileImage, arch: &Arch, is_plain: bool) -> Box<[VectorSite]> {
        let shapes: Vec<_> = tile.vector_ops.iter().map(|op| shape(tile, op, arch.name, is_plain)).collect();
        let quiet = quiet_cycles(tile, &shapes, arch);
        let known = tile.vector_ops.iter().zip(shapes).zip(quiet);
        let site = |((op, shape), quiet_cycles)| {
            let start_cycles = start_cycles(op, &arch.costs.vectors);
            VectorSite { shape, start_cycles, quiet_cycles }
        };
        known.map(site).collect()
    }
}
