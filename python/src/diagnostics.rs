//! Diagnostics as Python objects, and the exceptions that carry them.

use cslrun::{Diagnostic, MessageFormat, SourceMap, render};
use pyo3::prelude::*;

/// The diagnostics as a list of `cslrun.Diagnostic`.
pub fn objects<'py>(py: Python<'py>, sources: &SourceMap, all: &[Diagnostic]) -> PyResult<Bound<'py, PyAny>> {
    let one = |d: &Diagnostic| {
        let d = std::slice::from_ref(d);
        let text = render(sources, d, MessageFormat::Plain, false);
        // The last line counts the diagnostics.
        let text = text.trim_end().rsplit_once('\n').map_or(text.as_str(), |(before, _)| before);
        (render(sources, d, MessageFormat::Json, false), text.trim_end().to_string())
    };
    let pairs: Vec<(String, String)> = all.iter().map(one).collect();
    py.import("cslrun.diagnostics")?.call_method1("of_json", (pairs,))
}

/// Diagnostics as the reader shall see them: a script under `cs_python`, or whoever uses the package.
pub fn for_reader(all: &[Diagnostic], is_script: bool) -> Vec<Diagnostic> {
    match is_script {
        true => all.iter().map(Diagnostic::for_cs_python).collect(),
        false => all.to_vec(),
    }
}

/// An exception whose text is the report and whose attribute `diagnostics` is the list.
pub fn exception(
    py: Python<'_>,
    make: impl FnOnce(String) -> PyErr,
    sources: &SourceMap,
    all: &[Diagnostic],
) -> PyErr {
    let error = make(render(sources, all, MessageFormat::Plain, false));
    let attached = objects(py, sources, all).and_then(|list| error.value(py).setattr("diagnostics", list));
    match attached {
        Ok(()) => error,
        Err(other) => other,
    }
}
