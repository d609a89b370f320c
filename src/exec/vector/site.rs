//! What is known of a DSD operation before it runs, and of the code behind it.

use super::line_shape::{VectorShape, shape};
use super::undisturbed::undisturbed_cycles;
use crate::arch::Arch;
use crate::exec::cycles::start_cycles;
use crate::image::TileImage;

/// What is known of an operation.
pub(crate) struct VectorSite {
    /// Where it may find its vectors.
    pub shape: VectorShape,
    /// Cycles until it can start.
    pub start_cycles: u64,
    /// If it is asynchronous, the cycles after its launch in which nothing on the PE can interfere with it.
    pub undisturbed_cycles: u64,
}

impl VectorSite {
    /// What is known of each operation of a tile. `is_plain`: the engine works element by element.
    pub fn all(tile: &TileImage, arch: &Arch, is_plain: bool) -> Box<[VectorSite]> {
        let shapes: Vec<_> = tile.vector_ops.iter().map(|op| shape(tile, op, arch.name, is_plain)).collect();
        let quiet = undisturbed_cycles(tile, &shapes, arch);
        let known = tile.vector_ops.iter().zip(shapes).zip(quiet);
        let site = |((op, shape), undisturbed_cycles)| {
            let start_cycles = start_cycles(op, &arch.costs.vectors);
            VectorSite { shape, start_cycles, undisturbed_cycles }
        };
        known.map(site).collect()
    }
}
