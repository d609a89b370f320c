//! An operand in memory that is too short for its operation, and the diagnostic about it.

use crate::diagnostics::Diag;
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::run::LENGTH_MISMATCH;
use crate::image::{OperandRole, TileImage};
use crate::source::Span;

/// An operand in memory that has fewer elements than its operation.
#[derive(Copy, Clone, Debug)]
pub(super) struct ShortOperand {
    /// 0 for the destination, then the sources.
    pub operand: usize,
    /// Its elements.
    pub elements: u32,
    /// Those of the operation.
    pub total: u32,
}

impl ShortOperand {
    /// The diagnostic, which also shows where the operands of the operation are declared.
    pub fn diag(self, tile: &TileImage, op: Span) -> Diag {
        let operand = self.operand;
        let [elements, total] = [self.elements, self.total].map(|n| grouped(n.into()));
        let c = LENGTH_MISMATCH.because(&[("one", &total), ("other", &elements)]).at(op);
        let c = c.note(match operand {
            0 => format!("the destination has {elements} elements"),
            n => format!("source {n} has {elements} elements"),
        });
        let shown = [
            (OperandRole::Length, format!("this DSD has {total} elements")),
            (OperandRole::Memory(operand as u8), format!("this DSD has {elements} elements")),
        ];
        shown.into_iter().fold(c, |c, (role, text)| match tile.operand_place(op, role) {
            Some(dsd) => c.also(dsd, text),
            None => c,
        })
    }
}
