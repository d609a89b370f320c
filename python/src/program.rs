use crate::diagnostics::{exception, objects};
use crate::fault::guarded;
use crate::levels::{self, Choice};
use crate::{CompileError, CslError};
use cslrun::{
    Arch, CompileOptions, DiskLoader, ExportKind, ExportName, Loader, MemoryLoader, MessageFormat, ParamValue,
};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use std::sync::Arc;

/// Room for the recursion of deeply nested programs.
const STACK_BYTES: usize = 256 << 20;

/// A compiled program.
#[pyclass(frozen)]
pub struct Program {
    pub image: Arc<cslrun::Program>,
}

/// Name, CSL type, element type, whether the host may write, parameter types.
type ExportEntry = (String, String, Option<&'static str>, bool, Option<Vec<&'static str>>);

#[pymethods]
impl Program {
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Program> {
        let name = path.display();
        let bytes = std::fs::read(&path).map_err(|e| PyOSError::new_err(format!("{name}: {e}")))?;
        guarded(|| {
            let image =
                cslrun::Program::from_bytes(&bytes).map_err(|e| CslError::new_err(format!("{name}: {e}")))?;
            Ok(Program { image: Arc::new(image) })
        })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        guarded(|| Ok(PyBytes::new(py, &self.image.to_bytes())))
    }

    /// Names and texts of its files, without those of the library.
    fn sources(&self) -> Vec<(String, String)> {
        let files = self.image.sources().files().iter().filter(|file| !file.is_library());
        files.map(|file| (file.name.clone(), file.text.to_string())).collect()
    }

    #[getter]
    fn arch(&self) -> String {
        self.image.arch().to_string()
    }

    #[getter]
    fn size(&self) -> (u16, u16) {
        self.image.size()
    }

    /// The number of threads that suits it on this machine.
    #[getter]
    fn automatic_threads(&self) -> usize {
        cslrun::Runner::automatic_threads(&self.image)
    }

    #[getter]
    fn offset(&self) -> (u16, u16) {
        (self.image.fabric().x, self.image.fabric().y)
    }

    #[getter]
    fn fabric_size(&self) -> (u16, u16) {
        (self.image.fabric().width, self.image.fabric().height)
    }

    #[getter]
    fn uses_memcpy(&self) -> bool {
        self.image.uses_memcpy()
    }

    #[getter]
    fn is_layout(&self) -> bool {
        self.image.streams().is_some()
    }

    /// The host streams of a layout: name, whether the host sends, color, column and row of its PE, buffer.
    fn streams(&self) -> Vec<(String, bool, u8, u16, u16, u16)> {
        let streams = self.image.streams().unwrap_or_default().iter();
        streams.map(|s| (s.name.clone(), s.to_wafer, s.color.0, s.pe.x, s.pe.y, s.buffer)).collect()
    }

    fn functions(&self) -> Vec<String> {
        self.image.functions().into_iter().map(str::to_string).collect()
    }

    fn exports(&self) -> Vec<ExportEntry> {
        self.image.exports().iter().map(entry).collect()
    }
}

fn entry(export: &ExportName) -> ExportEntry {
    let name = export.name.clone();
    match &export.kind {
        ExportKind::Var { ty, element, mutable } => (name, ty.clone(), Some(element.name()), *mutable, None),
        ExportKind::Fn { inputs } => {
            let inputs = inputs.iter().map(|scalar| scalar.name()).collect();
            (name, "fn".to_string(), None, false, Some(inputs))
        }
    }
}

/// The value of a param: the name of its kind, then the value.
#[derive(FromPyObject)]
pub enum Value {
    Bool((String, bool)),
    Int((String, i128)),
    Float((String, f64)),
}

impl Value {
    fn param(self) -> PyResult<ParamValue> {
        match self {
            Value::Bool((_, b)) => Ok(ParamValue::Bool(b)),
            Value::Int((kind, i)) if kind == "color" => match u8::try_from(i) {
                Ok(number) => Ok(ParamValue::Color(number)),
                Err(_) => Err(PyValueError::new_err(format!("there is no color {i}"))),
            },
            Value::Int((_, i)) => Ok(ParamValue::Int(i)),
            Value::Float((_, f)) => Ok(ParamValue::Float(f)),
        }
    }
}

/// Compiles a file, of these files if there are any; what the compiler has warned about is the second result, as
/// text, and the third, as objects. `imports`: more folders to search, and the one that imports may not leave.
#[pyfunction]
#[pyo3(signature = (path, arch, params, imports, levels, files=None))]
pub fn compile<'py>(
    py: Python<'py>,
    path: PathBuf,
    arch: &str,
    params: Vec<(String, Value)>,
    imports: (Vec<PathBuf>, Option<PathBuf>),
    levels: Vec<Choice>,
    files: Option<Vec<(String, String)>>,
) -> PyResult<(Program, String, Bound<'py, PyAny>)> {
    let mut options = CompileOptions::new(arch_of(arch)?);
    (options.import_paths, options.import_root) = imports;
    options.levels = levels::chosen(&levels)?;
    for (name, value) in params {
        options.params.push((name, value.param()?));
    }
    let compile = move || cslrun::compile(&path, &*loader(files), &options);
    let compilation = guarded(|| py.detach(|| on_a_large_stack(compile)))?;
    let report = compilation.render(MessageFormat::Plain, false);
    let (sources, diagnostics) = (&compilation.sources, &compilation.diagnostics);
    match compilation.program {
        Some(program) => {
            let warnings = objects(py, sources, diagnostics)?;
            Ok((Program { image: Arc::new(program) }, report, warnings))
        }
        None => Err(exception(py, CompileError::new_err, sources, diagnostics)),
    }
}

/// Where programs come from: these files if there are any, else the disk.
pub fn loader(files: Option<Vec<(String, String)>>) -> Box<dyn Loader> {
    let Some(files) = files else { return Box::new(DiskLoader) };
    let mut loader = MemoryLoader::default();
    files.into_iter().for_each(|(name, text)| loader.add(name, text));
    Box::new(loader)
}

/// The machine with a name.
pub fn arch_of(name: &str) -> PyResult<Arch> {
    let unknown = || PyValueError::new_err(format!("the machine must be wse2 or wse3, not {name}"));
    Arch::parse(name).ok_or_else(unknown)
}

/// Does something that may recurse deeply.
pub fn on_a_large_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    let thread = std::thread::Builder::new().name("cslrun".into()).stack_size(STACK_BYTES).spawn(work)?;
    Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
}
