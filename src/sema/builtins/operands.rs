//! The operands of DSD operations.

use super::dsrs::dsr_ref;
use super::hazards;
use crate::diagnostics::rules::{comptime, dsd as rules};
use crate::diagnostics::{Diag, Result};
use crate::image::DsrRef;
use crate::sema::declared::{changed, declaration, with_declaration};
use crate::sema::expectation::Expectation;
use crate::sema::operand::Operand;
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::syntax::ast::ExprId;
use crate::value::ty::{DsdTy, Ty};

/// An argument that has been looked at.
pub struct Arg {
    /// Its value.
    pub value: Operand,
    /// What it is.
    pub what: ArgumentKind,
    /// Where it stands.
    pub span: Span,
    /// Where what it names is declared.
    pub declared: Option<Span>,
    /// Where the DSD is declared that it is or that it changes.
    pub original: Option<Span>,
}

impl Arg {
    /// A diagnostic about it.
    pub fn wrong(&self, c: Diag) -> Diag {
        let c = c.at(self.span);
        match self.declared {
            Some(span) => c.also(span, "declared here"),
            None => c,
        }
    }
}

/// What an argument is.
#[derive(Copy, Clone, PartialEq)]
pub enum ArgumentKind {
    /// A DSD.
    Dsd(DsdTy),
    /// A register.
    Dsr(DsrRef),
    /// A pointer.
    Pointer,
    /// A number.
    Scalar,
}

impl ArgumentKind {
    /// Whether it is a DSD or a register.
    pub fn is_vector(self) -> bool {
        matches!(self, ArgumentKind::Dsd(_) | ArgumentKind::Dsr(_))
    }

    /// Whether it is a DSD of wavelets.
    pub fn is_fabric(self) -> bool {
        matches!(self, ArgumentKind::Dsd(DsdTy::FabIn | DsdTy::FabOut))
    }

    /// Whether it is a FIFO, or a register for one.
    pub fn is_fifo(self) -> bool {
        matches!(self, ArgumentKind::Dsd(DsdTy::Fifo)) || matches!(self, ArgumentKind::Dsr(d) if d.fifo)
    }
}

/// Looks at an argument, whose literals may become values of a type.
pub fn vector_arg(sema: &mut Sema<'_>, id: ExprId, near: Option<Ty>) -> Result<Arg> {
    let span = sema.span(id);
    let value = sema.value_for(id, near.as_ref().map_or(Expectation::Nothing, Expectation::OfLiterals))?;
    let what = match value.ty() {
        Ty::Dsd(DsdTy::Fifo) if value.known().is_none() => {
            return Err(rules::FIFO_NOT_COMPTIME.plain().at(span).help("use the FIFO itself"));
        }
        Ty::Dsd(kind) => ArgumentKind::Dsd(kind),
        Ty::Id(k) if k.is_dsr() => match value.known().and_then(dsr_ref) {
            Some(d) => ArgumentKind::Dsr(d),
            None => return Err(comptime::NOT_COMPTIME.because(&[("what", &"a DSR")]).at(span)),
        },
        Ty::Ptr(_) => ArgumentKind::Pointer,
        Ty::Array(array) => {
            let dsd = hazards::covering_dsd(&array, &sema.snippet(id));
            let c = rules::ARRAY_OPERAND.plain().at(span).help(format!("use a DSD: `{dsd}`"));
            return Err(with_declaration(sema.frame(), c, id));
        }
        _ => ArgumentKind::Scalar,
    };
    let frame = sema.frame();
    let (declared, original) = (declaration(frame, id), declaration(frame, changed(frame, id)));
    Ok(Arg { value, what, span, declared, original })
}
