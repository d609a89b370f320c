//! Instances of functions: their signatures, and what is still to be written of them.

use super::value::{FnRef, Value};
use crate::diagnostics::Label;
use crate::image::code::FnId;
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
    pub(super) f: FnRef,
    pub(super) signature: Signature,
    pub(super) id: FnId,
    pub(super) calls: Vec<Label>,
}

/// Lists of operations that lie beside the code of the current function and name its registers.
#[derive(Debug, Default)]
pub struct Beside {
    /// Indices into `vector_ops`.
    pub vectors: Vec<u32>,
    /// Indices into `maps`.
    pub maps: Vec<u32>,
    /// Indices into `dsr_loads`.
    pub loads: Vec<u32>,
}
