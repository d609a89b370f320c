use crate::diagnostics::{exception, for_reader};
use crate::fault::guarded;
use crate::levels;
use crate::program::{Program, arch_of, on_a_large_stack};
use crate::{CompileError, CslError};
use cslrun::{CompileOptions, DiskLoader, Fp16Format, Layout, LayoutCompilation, MessageFormat};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// The program, the number of each color, sentences about what is likely a mistake, and what the compiler
/// has warned about.
type CompiledLayout = (Program, Vec<u8>, Vec<String>, String);

/// Compiles a layout that is described in JSON, with the memory words of `set_symbol_all` beside it.
#[pyfunction]
pub fn compile_layout(
    py: Python<'_>,
    description: &str,
    data: Vec<Vec<u8>>,
    arch: &str,
    import_paths: Vec<PathBuf>,
    fp16: &str,
) -> PyResult<CompiledLayout> {
    let mut options = CompileOptions::new(arch_of(arch)?);
    options.import_paths = import_paths;
    options.levels = levels::chosen(&[])?;
    options.fp16 = match fp16 {
        "F16" => Fp16Format::F16,
        "BF16" => Fp16Format::Bf16,
        "CB16" => Fp16Format::Cb16,
        other => return Err(PyValueError::new_err(format!("there is no 16-bit float format {other}"))),
    };
    let layout = Layout::from_json(description, data.iter().map(|bytes| words(bytes)).collect());
    let layout = layout.map_err(PyValueError::new_err)?;
    let compile = move || cslrun::compile_layout(&layout, &DiskLoader, &options);
    let compiled = guarded(|| py.detach(|| on_a_large_stack(compile)))?;
    let LayoutCompilation { compilation, colors, warnings } = compiled.map_err(CslError::new_err)?;
    let report = compilation.render(MessageFormat::Plain, false);
    match compilation.program {
        Some(program) => Ok((Program { image: Arc::new(program) }, colors, warnings, report)),
        None => {
            let diagnostics = for_reader(&compilation.diagnostics, true);
            Err(exception(py, CompileError::new_err, &compilation.sources, &diagnostics))
        }
    }
}

fn words(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()
}
