//! Compiling as every command does it: the program is compiled and then checked.
//!
//! In: a root file or a layout, a loader and options. Out: a [`Compilation`].
//! Never: runs a program, or prints.

use crate::check;
use crate::diagnostics::render::{self, MessageFormat};
use crate::diagnostics::{Diag, Diagnostic, Levels, Sink};
use crate::image::Program;
use crate::sdklayout::{self, Layout};
use crate::sema::{self, CompileOptions, Fact};
use crate::source::{FileId, Loader, MemoryLoader, SourceMap, Span};
use crate::syntax;
use std::path::Path;

/// The result of compiling and checking a program.
#[derive(Clone, Debug)]
pub struct Compilation {
    /// The program; `None` if there are errors.
    pub program: Option<Program>,
    /// Errors and warnings, in the order in which they were found.
    pub diagnostics: Vec<Diagnostic>,
    /// The files that the diagnostics point into.
    pub sources: SourceMap,
}

impl Compilation {
    /// The diagnostics as text, with ANSI colors if `color` is set.
    pub fn render(&self, format: MessageFormat, color: bool) -> String {
        render::render(&self.sources, &self.diagnostics, format, color)
    }

    /// The program.
    ///
    /// # Errors
    /// The diagnostics as plain text if the program has errors.
    pub fn into_program(self) -> Result<Program, String> {
        self.program
            .ok_or_else(|| render::render(&self.sources, &self.diagnostics, MessageFormat::Plain, false))
    }

    fn new(sources: SourceMap, program: Option<Program>, mut sink: Sink) -> Compilation {
        if let Some(program) = &program {
            check::check(program).into_iter().for_each(|d| sink.lint(d));
        }
        let program = program.filter(|_| sink.errors() == 0);
        Compilation { program, diagnostics: sink.all().to_vec(), sources }
    }
}

/// Compiles and checks the program whose root file is at `path`.
///
/// Files are read through `loader` only. An error does not end the compilation at once, so that the result
/// lists as many independent errors as possible.
///
/// ```
/// use cslrun::{Arch, CompileOptions, MemoryLoader, MessageFormat, compile};
///
/// let mut files = MemoryLoader::default();
/// files.add("pe.csl", "comptime { const n: u16 = 65536; }\n");
/// let compilation = compile("pe.csl".as_ref(), &files, &CompileOptions::new(Arch::Wse3));
///
/// assert!(compilation.program.is_none());
/// let text = compilation.render(MessageFormat::Short, false);
/// assert!(text.starts_with("pe.csl:1:") && text.contains("error["), "{text}");
/// ```
pub fn compile(path: &Path, loader: &dyn Loader, options: &CompileOptions) -> Compilation {
    compile_with(path, loader, options, Ok)
}

/// Compiles a program, changes it with `settle`, and checks the result.
pub(crate) fn compile_with(
    path: &Path,
    loader: &dyn Loader,
    options: &CompileOptions,
    settle: impl FnOnce(Program) -> Result<Program, Diag>,
) -> Compilation {
    let mut sources = SourceMap::default();
    let mut sink = Sink::new(options.levels);
    let program = sema::compile(loader, &mut sources, path, options, &mut sink);
    let program = program.and_then(|program| settle(program).map_err(|diag| sink.push(diag)).ok());
    Compilation::new(sources, program, sink)
}

/// A compilation, and what the places of the text stand for.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// What every command gets.
    pub compilation: Compilation,
    /// Types and values, in the order of files and places.
    pub facts: Vec<Fact>,
}

/// Like [`compile`], for editors: it also tells the types and the values of expressions, whatever is wrong with the
/// program, and keeps DSDs to be looked at.
///
/// ```
/// use cslrun::{Arch, CompileOptions, MemoryLoader, inspect};
///
/// let mut files = MemoryLoader::default();
/// files.add("pe.csl", "const n = 3 * 4;\n");
/// let found = inspect("pe.csl".as_ref(), &files, &CompileOptions::new(Arch::Wse3));
/// assert_eq!((found.facts[0].ty.as_str(), found.facts[0].values.as_slice()), ("comptime_int", ["12".to_string()].as_slice()));
/// ```
pub fn inspect(path: &Path, loader: &dyn Loader, options: &CompileOptions) -> Inspection {
    let options = CompileOptions { keep_descriptors: true, ..options.clone() };
    let mut sources = SourceMap::default();
    let mut sink = Sink::new(options.levels);
    let (program, facts) = sema::inspect(loader, &mut sources, path, &options, &mut sink);
    Inspection { compilation: Compilation::new(sources, program, sink), facts }
}

/// The facts of a program that was compiled before, for a debugger: it is compiled once more from the files that it holds.
/// `None` for a program that was laid out in Python, which is not kept.
///
/// ```
/// use cslrun::{Arch, CompileOptions, MemoryLoader, ParamValue, compile, facts_again};
///
/// let mut files = MemoryLoader::default();
/// files.add("pe.csl", "param n: u16;\nconst twice = 2 * n;\nvar x: [twice]u16;\n");
/// let params = vec![("n".to_string(), ParamValue::Int(4))];
/// let options = CompileOptions { params, ..CompileOptions::new(Arch::Wse3) };
/// let program = compile("pe.csl".as_ref(), &files, &options).into_program()?;
/// let facts = facts_again(&program).expect("it was not laid out in Python");
///
/// assert!(facts.iter().any(|fact| program.sources().describe(fact.span) == "pe.csl:2:7" && fact.values == ["8"]));
/// # Ok::<(), String>(())
/// ```
pub fn facts_again(program: &Program) -> Option<Vec<Fact>> {
    let origin = program.origin.as_ref()?;
    let own = program.sources.files();
    let mut loader = MemoryLoader::default();
    own.iter().filter(|file| !file.is_library()).for_each(|file| loader.add(&file.name, &*file.text));
    let options = CompileOptions::of_origin(origin, program.arch);
    let Inspection { compilation, facts } = inspect(origin.root.as_ref(), &loader, &options);
    // An inspection may read files in another order.
    let numbers: Vec<Option<FileId>> = compilation
        .sources
        .files()
        .iter()
        .map(|file| {
            let number = own.iter().position(|own| own.name == file.name && own.text == file.text)?;
            Some(FileId(number as u32))
        })
        .collect();
    let own_fact = |fact: Fact| {
        let file = numbers.get(fact.span.file.0 as usize).copied().flatten()?;
        Some(Fact { span: Span { file, ..fact.span }, ..fact })
    };
    Some(facts.into_iter().filter_map(own_fact).collect())
}

/// The result of compiling a layout that was described in Python.
#[derive(Clone, Debug)]
pub struct LayoutCompilation {
    /// The program and its diagnostics.
    pub compilation: Compilation,
    /// The number of each color, in the order of the layout; empty if the code has errors.
    pub colors: Vec<u8>,
    /// Probable mistakes in the layout, one sentence each.
    pub warnings: Vec<String>,
}

/// Compiles and checks a layout of code regions, ports and host streams (`SdkLayout`). `options` gives the
/// machine, the import paths, the levels of rules and the 16-bit float format.
///
/// # Errors
/// A sentence that names the parts of the layout that do not fit together. Errors in the code of a region
/// are diagnostics of the compilation instead.
pub fn compile_layout(
    layout: &Layout,
    loader: &dyn Loader,
    options: &CompileOptions,
) -> Result<LayoutCompilation, String> {
    let mut sources = SourceMap::default();
    let mut sink = Sink::new(options.levels);
    let (program, colors, warnings) =
        match sdklayout::compile(layout, loader, &mut sources, options, &mut sink) {
            Ok(compiled) => (Some(compiled.program), compiled.colors, compiled.warnings),
            Err(sdklayout::Error::Layout(text)) => return Err(text),
            Err(sdklayout::Error::Code) => (None, Vec::new(), Vec::new()),
        };
    Ok(LayoutCompilation { compilation: Compilation::new(sources, program, sink), colors, warnings })
}

/// What may go wrong when a program runs, depending on the order of events; rules have these levels. What
/// goes wrong in every run is among the diagnostics of its [`Compilation`].
pub fn possible_failures(program: &Program, levels: Levels) -> Vec<Diagnostic> {
    check::possible(program).into_iter().filter_map(|diag| levels.judge(diag)).collect()
}

/// The syntax errors of one file, without its imports; byte offsets in them refer to `text`.
pub fn syntax_errors(text: &str) -> Vec<Diagnostic> {
    syntax::parse(FileId(0), text).problems.into_iter().map(Diagnostic::from).collect()
}
