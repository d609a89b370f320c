use crate::arch::ArchName;
use crate::diagnostics::Levels;
use crate::image::{FabricPlace, Origin};
pub use crate::image::{Fp16Format, ParamValue};
use std::path::{Path, PathBuf};

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

    /// The options with which a program was compiled. Its imports were admitted then.
    pub fn of_origin(origin: &Origin, arch: ArchName) -> CompileOptions {
        CompileOptions {
            params: origin.params.clone(),
            import_paths: origin.import_paths.iter().map(PathBuf::from).collect(),
            fp16: origin.fp16,
            fabric: origin.fabric,
            max_inlined_iterations: origin.max_inlined_iterations,
            comptime_fuel: origin.comptime_fuel,
            ..CompileOptions::new(arch)
        }
    }

    /// What a program says of its compilation.
    pub fn origin(&self, root: &Path) -> Origin {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        Origin {
            root: text(root),
            params: self.params.clone(),
            import_paths: self.import_paths.iter().map(|path| text(path)).collect(),
            fp16: self.fp16,
            fabric: self.fabric,
            max_inlined_iterations: self.max_inlined_iterations,
            comptime_fuel: self.comptime_fuel,
        }
    }
}
