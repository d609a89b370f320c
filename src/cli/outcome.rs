use super::{Exit, args::CompileArgs};
use crate::diagnostics::render::printable;
use crate::{
    CompileOptions, Diagnostic, LoadError, Loader, MessageFormat, Program, Severity, SourceMap, Span,
    compile, render,
};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What a command did, before anything is printed.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub exit: Exit,
    /// What goes to stdout.
    pub printed: String,
    /// What stood in the way outside of the program: arguments, files, names.
    pub diag: Option<String>,
    /// What there is to say about the program.
    pub diagnostics: Vec<Diagnostic>,
    /// The files that the diagnostics point into.
    pub sources: SourceMap,
    /// How diagnostics are to be shown.
    pub format: MessageFormat,
    /// Places of `@assert`s that were executed and held.
    pub asserts_held: BTreeSet<Span>,
}

impl Outcome {
    /// An outcome with nothing done yet.
    pub fn new(format: MessageFormat) -> Outcome {
        Outcome {
            exit: Exit::Fine,
            printed: String::new(),
            diag: None,
            diagnostics: Vec::new(),
            sources: SourceMap::default(),
            format,
            asserts_held: BTreeSet::new(),
        }
    }

    /// Compiles the program; without one, the outcome tells why.
    pub fn compile(&mut self, args: &CompileArgs, loader: &dyn Loader) -> Option<Program> {
        self.compile_with(args, &args.options(), loader)
    }

    /// Compiles the program with other options than those of the command line.
    pub fn compile_with(
        &mut self,
        args: &CompileArgs,
        options: &CompileOptions,
        loader: &dyn Loader,
    ) -> Option<Program> {
        if loader.load(&args.file) == Err(LoadError::NotFound) {
            self.refuse(format!("there is no file {}", args.file.display()));
            return None;
        }
        let compilation = compile(&args.file, loader, options);
        self.diagnostics.extend(compilation.diagnostics);
        self.sources = compilation.sources;
        if compilation.program.is_none() {
            self.exit = verdict(&self.diagnostics, Exit::Rejected);
        }
        compilation.program
    }

    /// What is printed does nothing to a terminal, whatever the program has printed or is called.
    pub fn printable(mut self) -> Outcome {
        if let Cow::Owned(shown) = printable(&self.printed) {
            self.printed = shown;
        }
        self
    }

    /// Ends the command because it was used wrongly.
    pub fn refuse(&mut self, diag: String) {
        self.exit = Exit::Usage;
        self.diag = Some(diag);
    }

    /// The diagnostics and the diagnostic as text.
    pub fn diags(&self, color: bool) -> String {
        let mut text = render(&self.sources, &self.diagnostics, self.format, color);
        if let Some(diag) = &self.diag {
            text.push_str(&format!("cslrun: {}\n", printable(diag)));
        }
        text
    }
}

/// How a command ends that met these diagnostics: `worst`, unless all that is wrong is our lack.
pub fn verdict(diagnostics: &[Diagnostic], worst: Exit) -> Exit {
    let has = |severity| diagnostics.iter().any(|d| d.severity == severity);
    match (has(Severity::Error), has(Severity::Unsupported)) {
        (false, true) => Exit::Unsupported,
        (true, _) | (false, false) => worst,
    }
}
