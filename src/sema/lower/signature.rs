//! Instances of functions: their signatures, and what is still to be written of them.

use crate::diagnostics::Label;
use crate::image::code::FnId;
use crate::sema::value::{FnRef, Value};
use crate::value::ty::Ty;

/// What a parameter is in one instance of a function.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamKind {
    /// Its value is part of the instance.
    Known(Value),
    /// It is passed at run time.
    Typed(Ty),
    /// Only an inline function can take it: a struct of which some part is not known.
    Any,
}

/// The parameters and the result of one instance.
#[derive(Clone, Debug)]
pub struct Signature {
    /// In order.
    pub params: Vec<ParamKind>,
    /// The result.
    pub ret: Ty,
    /// Whether another call may have another signature.
    pub generic: bool,
    /// Whether a parameter can only exist at comptime.
    pub comptime_only: bool,
}

impl Default for Signature {
    fn default() -> Signature {
        Signature { params: Vec::new(), ret: Ty::Void, generic: false, comptime_only: false }
    }
}

impl Signature {
    /// Whether every call happens at comptime.
    pub fn is_comptime(&self) -> bool {
        self.comptime_only || self.ret.is_comptime_only() && !matches!(self.ret, Ty::Dsd(_))
    }
}

/// An instance whose code is not written yet.
#[derive(Debug)]
pub struct Pending {
    /// The function.
    pub f: FnRef,
    /// Its parameters and result.
    pub signature: Signature,
    /// The id that calls name.
    pub id: FnId,
    /// The calls that lead to it, the innermost first.
    pub calls: Vec<Label>,
}
