//! What is known of a DSD operation before it runs although its vectors are not: which operands are vectors, in
//! which order the kernel takes them, how wide they are. A PE then only looks up where the vectors lie.

use crate::arch::{ArchName, OutQueue};
use crate::dsd::kernels::Kernel;
use crate::dsd::ops::OPS;
use crate::dsd::{Dsd, FabOut, Simd};
use crate::image::TileImage;
use crate::image::code::{DsdOperand, DsdRef, Reg, VectorOp};
use crate::value::ty::DsdTy;

/// Where an operation may find its vectors.
pub(crate) enum VectorShape {
    /// An operand is certainly not in memory.
    Elsewhere,
    /// It sends what lies in memory.
    Send(SendShape),
    /// In memory, perhaps; the kernel needs address cursors.
    Cursors,
    /// In memory, perhaps; if they are lines, the kernel takes them as such.
    Lines(LineShape),
}

/// An operation on lines.
pub(crate) struct LineShape {
    /// The kernel that computes the results.
    pub kernel: &'static Kernel,
    /// Elements per cycle at best.
    pub width: u8,
    /// The destination, and words per element.
    pub dest: (DsdRef, u16),
    /// The sources in the order in which the kernel takes them; the third is no vector.
    pub sources: [ShapeSource; 3],
}

/// An operation that sends the elements of a line, or a scalar, each in a wavelet of its own.
pub(crate) struct SendShape {
    /// Where they go, to a queue that has a number.
    pub to: (FabOut, OutQueue),
    /// Words per element of the destination.
    pub words: u16,
    /// The line or the scalar, which is not in a DSR.
    pub source: ShapeSource,
    /// What is sent of an element.
    pub each: fn(u32, u32, u32) -> u32,
}

/// A source of a [`LineShape`].
#[derive(Copy, Clone)]
pub(crate) enum ShapeSource {
    /// The operation has no such source.
    Nothing,
    /// The scalar in a register, of this many words.
    Scalar(Reg, u16),
    /// A vector, and words per element.
    Line(DsdRef, u16),
}

/// What is known of where an operation finds its vectors. `is_plain`: the engine works element by element.
pub(super) fn shape(tile: &TileImage, vector: &VectorOp, arch: ArchName, is_plain: bool) -> VectorShape {
    let is_outside = |operand: &DsdOperand| match operand {
        DsdOperand::Dsd(DsdRef::Const(n)) => !matches!(tile.dsds[*n as usize], Dsd::Mem(_)),
        DsdOperand::Dsd(DsdRef::At(_, ty)) => matches!(ty, DsdTy::FabIn | DsdTy::FabOut | DsdTy::Fifo),
        DsdOperand::Nowhere => true,
        DsdOperand::Dsd(DsdRef::Dsr(_)) | DsdOperand::Scalar(_) | DsdOperand::Pointer(_) => false,
    };
    if is_outside(&vector.dest) || vector.sources.iter().any(is_outside) {
        let sends = if is_plain { None } else { send_shape(tile, vector) };
        return sends.map_or(VectorShape::Elsewhere, VectorShape::Send);
    }
    let lines = if is_plain { None } else { line_shape(vector, arch) };
    lines.map_or(VectorShape::Cursors, VectorShape::Lines)
}

fn send_shape(tile: &TileImage, vector: &VectorOp) -> Option<SendShape> {
    let (op, form) = (&OPS[usize::from(vector.op)], vector.form());
    let (DsdOperand::Dsd(DsdRef::Const(dest)), [source]) = (vector.dest, &vector.sources[..]) else {
        return None;
    };
    let Dsd::FabOut(to) = tile.dsds[dest as usize] else { return None };
    let (words, its) = (op.dest.words(), form.sources[0].elem().words());
    let source = match *source {
        DsdOperand::Scalar(reg) => ShapeSource::Scalar(reg, its),
        DsdOperand::Dsd(DsdRef::Const(n)) if matches!(tile.dsds[n as usize], Dsd::Mem(_)) => {
            ShapeSource::Line(DsdRef::Const(n), its)
        }
        DsdOperand::Dsd(dsd @ DsdRef::At(_, DsdTy::Mem1d | DsdTy::Mem4d)) => ShapeSource::Line(dsd, its),
        DsdOperand::Dsd(_) | DsdOperand::Pointer(_) | DsdOperand::Nowhere => return None,
    };
    let is_simple = !to.index_offset && !to.control_transform && to.zero.is_none();
    let is_single = words > 1 || to.simd == Simd::Off;
    let fits = is_simple && is_single && !op.kernel.carries && vector.config.on_control.is_none();
    let queue = to.queue.filter(|_| fits && vector.index.is_none())?;
    Some(SendShape { to: (to, queue), words, source, each: op.kernel.each })
}

fn line_shape(vector: &VectorOp, arch: ArchName) -> Option<LineShape> {
    let (op, form) = (&OPS[usize::from(vector.op)], vector.form());
    let DsdOperand::Dsd(dest) = vector.dest else { return None };
    let mut sources = [ShapeSource::Nothing; 3];
    for ((source, operand), kind) in sources.iter_mut().zip(&vector.sources).zip(form.sources) {
        let words = kind.elem().words();
        *source = match *operand {
            DsdOperand::Dsd(dsd) => ShapeSource::Line(dsd, words),
            DsdOperand::Scalar(reg) => ShapeSource::Scalar(reg, words),
            DsdOperand::Pointer(_) | DsdOperand::Nowhere => return None,
        };
    }
    if form.flipped {
        sources.swap(0, 1);
    }
    // Kernels that carry state from element to element need the cursors.
    let fits = !op.kernel.carries && !matches!(sources[2], ShapeSource::Line(..));
    let (width, dest) = (op.width(arch), (dest, op.dest.words()));
    fits.then_some(LineShape { kernel: &op.kernel, width, dest, sources })
}
