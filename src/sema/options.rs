use crate::arch::ArchName;
use crate::diagnostics::Levels;
use crate::image::FabricPlace;
use std::path::PathBuf;

/// A value for a `param` of the root file, as given on the command line.
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fp16Format {
    /// IEEE half precision.
    #[default]
    F16,
    /// 8 exponent bits, 7 mantissa bits.
    Bf16,
    /// 6 exponent bits, 9 mantissa bits.
    Cb16,
}

/// Everything that a compilation depends on besides the files.
#[derive(Clone, Debug, PartialEq)]
pub struct CompileOptions {
    /// The machine.
    pub arch: ArchName,
    /// Values of root `param`s; of two with the same name the last wins.
    pub params: Vec<(String, ParamValue)>,
    /// Folders searched for imports after the importing file's and the root file's.
    pub import_paths: Vec<PathBuf>,
    /// The folder that imports are confined to, whatever links there are in it.
    pub import_root: Option<PathBuf>,
    /// What `@fp16()` names.
    pub fp16: Fp16Format,
    /// The fabric around the rectangle; `None` takes the smallest that fits.
    pub fabric: Option<FabricPlace>,
    /// How many iterations an `inline` loop may have.
    pub max_inlined_iterations: u64,
    /// How many comptime steps may pass without a PE being set before evaluation is called endless.
    pub comptime_fuel: u64,
    /// The levels of rules.
    pub levels: Levels,
    /// Whether every top-level declaration is evaluated and every DSD kept, to be looked at.
    pub keep_descriptors: bool,
    /// Whether the results of calls that only compute are used again; without that compilation takes longer, and
    /// nothing else changes.
    pub memo: bool,
}

impl CompileOptions {
    /// The defaults for a machine.
    pub fn new(arch: ArchName) -> CompileOptions {
        CompileOptions {
            arch,
            params: Vec::new(),
            import_paths: Vec::new(),
            import_root: None,
            fp16: Fp16Format::F16,
            fabric: None,
            max_inlined_iterations: 1_000_000,
            comptime_fuel: 20_000_000,
            levels: Levels::default(),
            keep_descriptors: false,
            memo: true,
        }
    }
}
