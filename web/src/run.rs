//! Commands: what they print and write, and pictures of what they compile.

use cslrun::cli::{Exit, compiled_program, dsd_pictures, perform_apart};
use cslrun::{CompileOptions, ExportKind, MemoryLoader, PeCoord, compile};
use indexmap::IndexSet;
use serde_json::{Value, json};

/// What a simulation may take unless the command line says otherwise. WebAssembly has 4 GiB in all, and a
/// browser ends a page that takes too much without a word.
const MEMORY: &str = "2G";

/// Commands that take `--memory`.
const RUNS: [&str; 3] = ["run", "profile", "explore"];

/// Does what a command line asks for.
pub fn run(words: &[String], files: &MemoryLoader) -> Value {
    let done = perform_apart(&within_memory(words), files);
    let written = done.files.into_iter().map(|(path, content)| {
        let path = path.display().to_string();
        match String::from_utf8(content) {
            Ok(text) => json!({ "path": path, "text": text }),
            Err(e) => json!({ "path": path, "bytes": e.into_bytes() }),
        }
    });
    json!({
        "exit": done.exit as i32,
        "faulty": done.exit == Exit::OurFault,
        "stdout": done.stdout,
        "stderr": done.stderr,
        "records": lines(&done.records),
        "diagnostics": lines(&done.diagnostics),
        "files": written.collect::<Vec<_>>(),
    })
}

/// Lines of JSON as one value.
fn lines(text: &str) -> Vec<Value> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// A wafer that is too large for the page is refused before it runs.
fn within_memory(words: &[String]) -> Vec<String> {
    let mut words = words.to_vec();
    let is_run = words.first().is_some_and(|word| RUNS.contains(&word.as_str()) || word.ends_with(".csl"));
    let is_given = words.iter().any(|word| word == "--memory" || word.starts_with("--memory="));
    if is_run && !is_given {
        words.push(format!("--memory={MEMORY}"));
    }
    words
}

/// The DSDs of a program, with the extents of the code that builds them.
///
/// # Errors
/// The command line makes no sense, or the program has errors.
pub fn dsds(words: &[String], files: &MemoryLoader) -> Result<Value, String> {
    let (root, options) = compiled_program(words)?;
    let options = CompileOptions { keep_descriptors: true, ..options };
    let program = compile(&root, files, &options).into_program()?;
    let sources = program.sources();
    let pictures = dsd_pictures(&program).into_iter().map(|picture| {
        let span = picture.span;
        json!({
            "file": sources.file(span.file).name,
            "line": sources.line_col(span.file, span.lo).line,
            "last": sources.line_col(span.file, span.hi).line,
            "title": picture.title,
            "text": picture.text,
            "svg": picture.svg,
        })
    });
    Ok(pictures.collect())
}

/// The wafer of a program: its size, for each PE, row by row, the number of its program, or `null`, and what the host
/// can read and launch.
///
/// # Errors
/// The command line makes no sense, or the program has errors.
pub fn wafer(words: &[String], files: &MemoryLoader) -> Result<Value, String> {
    let (root, options) = compiled_program(words)?;
    let program = compile(&root, files, &options).into_program()?;
    let (width, height) = program.size();
    let places = (0..height).flat_map(|y| (0..width).map(move |x| PeCoord { x, y }));
    let numbers: Vec<Option<usize>> = places.clone().map(|at| program.program_of(at)).collect();
    let exported = program.exports().iter().filter(|export| matches!(export.kind, ExportKind::Var { .. }));
    let mut variables: IndexSet<String> = exported.map(|export| export.name.clone()).collect();
    if variables.is_empty() {
        let symbols = places.filter_map(|at| program.symbols(at)).flatten();
        variables.extend(symbols.filter(|symbol| symbol.mutable).map(|symbol| symbol.name.clone()));
    }
    let functions = program.functions();
    Ok(json!({
        "width": width, "height": height, "programs": numbers, "variables": variables, "functions": functions,
    }))
}
