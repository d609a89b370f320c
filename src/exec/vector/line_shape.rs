//! What is known of a DSD operation before it runs although its vectors are not: which operands are vectors, in
//! which order the kernel takes them, how wide they are. A PE then only looks up where the vectors lie.

use crate::dsd::Dsd;
use crate::dsd::kernels::Kernel;
use crate::dsd::ops::OPS;
use crate::image::TileImage;
use crate::image::code::{DsdOperand, DsdRef, Reg, VectorOp};
use crate::value::ty::DsdTy;

/// Where an operation may find its vectors.
pub(crate) enum VectorShape {
    /// An operand is certainly not in memory.
    Elsewhere,
    /// In memory, perhaps; the kernel needs address cursors.
    Cursors,
    /// In memory, perhaps; if they are lines, the kernel takes them as such.
    Lines(LineShape),
}

/// An operation on lines.
pub(crate) struct LineShape {
    /// The kernel that computes the results.
    pub kernel: &'static Kernel,
    /// The destination, and words per element.
    pub dest: (DsdRef, u16),
    /// The sources in the order in which the kernel takes them; the third is no vector.
    pub sources: [ShapeSource; 3],
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

/// The shape of an operation. `is_plain`: the engine works element by element.
pub(crate) fn shape(tile: &TileImage, vector: &VectorOp, is_plain: bool) -> VectorShape {
    let is_outside = |operand: &DsdOperand| match operand {
        DsdOperand::Dsd(DsdRef::Const(n)) => !matches!(tile.dsds[*n as usize], Dsd::Mem(_)),
        DsdOperand::Dsd(DsdRef::At(_, ty)) => matches!(ty, DsdTy::FabIn | DsdTy::FabOut | DsdTy::Fifo),
        DsdOperand::Nowhere => true,
        DsdOperand::Dsd(DsdRef::Dsr(_)) | DsdOperand::Scalar(_) | DsdOperand::Pointer(_) => false,
    };
    if is_outside(&vector.dest) || vector.sources.iter().any(is_outside) {
        return VectorShape::Elsewhere;
    }
    let lines = if is_plain { None } else { line_shape(vector) };
    lines.map_or(VectorShape::Cursors, VectorShape::Lines)
}

fn line_shape(vector: &VectorOp) -> Option<LineShape> {
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
    fits.then_some(LineShape { kernel: &op.kernel, dest: (dest, op.dest.words()), sources })
}
