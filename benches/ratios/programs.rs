//! The programs of `benches/programs`, compiled and run.

use cslrun::{Arch, CompileOptions, DiskLoader, ParamValue, PeCoord, Program, RunOptions, Runner};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file of `benches/programs`.
pub fn file(name: &str) -> PathBuf {
    crate::root().join("benches/programs").join(name)
}

/// Compiles a program of `benches/programs` for WSE-2.
pub fn compile(name: &str, params: &[(&str, i128)]) -> Arc<Program> {
    let params = params.iter().map(|(name, n)| (name.to_string(), ParamValue::Int(*n))).collect();
    Arc::new(compile_file(&file(name), params))
}

/// Compiles and checks a program as the command does.
pub fn compile_file(path: &Path, params: Vec<(String, ParamValue)>) -> Program {
    let options = CompileOptions { params, ..CompileOptions::new(Arch::Wse2) };
    let program = cslrun::compile(path, &DiskLoader, &options).into_program();
    program.unwrap_or_else(|report| panic!("a benchmark must compile:\n{report}"))
}

/// Runs to the end, as `cslrun` does by itself.
pub fn run(program: &Arc<Program>) -> Runner {
    run_with(program, RunOptions::default())
}

/// Runs to the end.
pub fn run_with(program: &Arc<Program>, options: RunOptions) -> Runner {
    let mut runner = Runner::new(program.clone(), options);
    runner.run_until_idle().unwrap_or_else(|failure| panic!("a benchmark must run: {failure:#?}"));
    runner
}

/// A `u32` global of the first PE.
pub fn global(runner: &mut Runner, name: &str) -> u64 {
    let (_, words) = runner.read_symbol(PeCoord { x: 0, y: 0 }, name).expect("the program has this global");
    u64::from(words[0]) | u64::from(words[1]) << 16
}
