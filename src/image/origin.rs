//! How a program was compiled, so that it can be compiled once more from the files that it holds.

use super::FabricPlace;
use crate::value::float::FloatKind;
use serde::{Deserialize, Serialize};

/// A value for a `param` of the root file, as given on the command line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ParamValue {
    /// An integer of either sign.
    Int(i128),
    /// A float.
    Float(f64),
    /// A bool.
    Bool(bool),
    /// A color (`cslc --colors`).
    Color(u8),
}

/// What `@fp16()` names.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Fp16Format {
    /// IEEE half precision.
    #[default]
    F16,
    /// 8 exponent bits, 7 mantissa bits.
    Bf16,
    /// 6 exponent bits, 9 mantissa bits.
    Cb16,
}

impl Fp16Format {
    /// The type.
    pub fn kind(self) -> FloatKind {
        match self {
            Fp16Format::F16 => FloatKind::F16,
            Fp16Format::Bf16 => FloatKind::Bf16,
            Fp16Format::Cb16 => FloatKind::Cb16,
        }
    }

    /// The format that a command line names.
    pub fn parse(word: &str) -> Option<Fp16Format> {
        match word {
            "f16" => Some(Fp16Format::F16),
            "bf16" => Some(Fp16Format::Bf16),
            "cb16" => Some(Fp16Format::Cb16),
            _ => None,
        }
    }
}

/// What a compilation depends on besides the files and the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The root file.
    pub root: String,
    /// Values of root `param`s.
    pub params: Vec<(String, ParamValue)>,
    /// Folders searched for imports.
    pub import_paths: Vec<String>,
    /// What `@fp16()` names.
    pub fp16: Fp16Format,
    /// The fabric that was asked for.
    pub fabric: Option<FabricPlace>,
    /// How many iterations an `inline` loop may have.
    pub max_inlined_iterations: u64,
    /// How many comptime steps may pass without a PE being set.
    pub comptime_fuel: u64,
}
