use super::{Exit, args::CompileArgs, output};
use crate::diagnostics::{Diagnostic, Severity, Sink, render};
use crate::image::Program;
use crate::sema;
use crate::source::{DiskLoader, SourceMap};
use std::io::IsTerminal;

/// One use of the command: what was read, what was complained about, how it is shown.
pub struct Session<'a> {
    args: &'a CompileArgs,
    sources: SourceMap,
    sink: Sink,
}

impl<'a> Session<'a> {
    /// A session that has read nothing yet.
    pub fn new(args: &'a CompileArgs) -> Session<'a> {
        Session { args, sources: SourceMap::default(), sink: Sink::default() }
    }

    /// Compiles the program and shows what there is to say about it.
    pub fn compile(&mut self) -> Result<Program, Exit> {
        let file = &self.args.file;
        if !file.exists() {
            output::complain(&format!("there is no file {}", file.display()));
            return Err(Exit::Usage);
        }
        let program =
            sema::compile(&DiskLoader, &mut self.sources, file, &self.args.options(), &mut self.sink);
        self.show(self.sink.all());
        match program {
            Some(program) if self.sink.errors() == 0 => Ok(program),
            Some(_) | None => Err(verdict(self.sink.all(), Exit::Rejected)),
        }
    }

    /// Shows diagnostics on stderr.
    pub fn show(&self, diagnostics: &[Diagnostic]) {
        let text = render::render(&self.sources, diagnostics, self.args.format(), colored());
        output::print_error(&text);
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

fn colored() -> bool {
    let choice = anstream::AutoStream::choice(&std::io::stderr());
    std::io::stderr().is_terminal() && choice != anstream::ColorChoice::Never
}
