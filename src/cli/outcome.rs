use super::args::{CompileArgs, command_near};
use super::record::Record;
use super::{Exit, output};
use crate::diagnostics::render::{SarifLog, github_error, json_line, printable};
use crate::{
    CompileOptions, Diagnostic, LoadError, Loader, MessageFormat, Program, Severity, SourceMap, Span,
    compile, render,
};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What a command did, before anything is printed.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub exit: Exit,
    /// What goes to stdout.
    pub printed: String,
    /// The same as lines of JSON, for a host that looks at both; see `apart.rs`.
    pub records: String,
    /// What stood in the way outside of the program: arguments, files, names.
    pub complaint: Option<String>,
    /// What there is to say about the program.
    pub diagnostics: Vec<Diagnostic>,
    /// The files that the diagnostics point into.
    pub sources: SourceMap,
    /// How diagnostics are to be shown.
    pub format: MessageFormat,
    /// What the command did before with other programs.
    pub earlier: Vec<Outcome>,
    /// Diagnostics that are printed already, for a format that shows all in one document.
    pub log: SarifLog,
    /// Places of `@assert`s that were executed and held.
    pub asserts_held: BTreeSet<Span>,
}

impl Outcome {
    /// An outcome with nothing done yet.
    pub fn new(format: MessageFormat) -> Outcome {
        Outcome {
            exit: Exit::Fine,
            printed: String::new(),
            records: String::new(),
            complaint: None,
            diagnostics: Vec::new(),
            sources: SourceMap::default(),
            format,
            earlier: Vec::new(),
            log: SarifLog::default(),
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
        self.compile_file(&args.file, options, loader)
    }

    /// Compiles another program than that of the command line.
    pub fn compile_file(
        &mut self,
        file: &Path,
        options: &CompileOptions,
        loader: &dyn Loader,
    ) -> Option<Program> {
        if loader.load(file) == Err(LoadError::NotFound) {
            let near = file.to_str().and_then(command_near);
            let longer = PathBuf::from(format!("{}.csl", file.display()));
            let or = match near {
                Some(near) => format!("; did you mean the command `{near}`?"),
                None if loader.load(&longer).is_ok() => format!("; did you mean {}?", longer.display()),
                None => String::new(),
            };
            self.refuse(format!("there is no file {}{or}", file.display()));
            return None;
        }
        if file.is_dir() {
            self.refuse(format!("{} is a folder and no program", file.display()));
            return None;
        }
        let compilation = compile(file, loader, options);
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

    /// Adds to what is printed: a text for people, or the record for programs.
    pub fn tell(&mut self, text: &str, record: &Record<'_>) {
        if output::is_apart() {
            self.records += &json_line(record);
        }
        match self.format {
            MessageFormat::Json => self.printed += &json_line(record),
            MessageFormat::Plain
            | MessageFormat::Rich
            | MessageFormat::Short
            | MessageFormat::Sarif
            | MessageFormat::Github => self.printed += text,
        }
    }

    /// This outcome and then that of the same command with another program, as one. It ends like the first of them that
    /// is not fine.
    pub fn followed_by(mut self, mut next: Outcome) -> Outcome {
        if self.exit != Exit::Fine {
            next.exit = self.exit;
        }
        next.printed.insert_str(0, &self.printed);
        next.earlier = std::mem::take(&mut self.earlier);
        next.earlier.push(self);
        next
    }

    /// Writes a file and tells where it is, or ends the command because that is not possible; true if it is written.
    pub fn write_file(&mut self, path: &Path, what: &str, holds: &'static str, content: &[u8]) -> bool {
        let written = output::write_file(path, |out| out.write_all(content));
        match &written {
            Ok(()) => self.tell_file(path, what, holds),
            Err(e) => self.refuse(output::unwritten(path, e)),
        }
        written.is_ok()
    }

    /// Tells where a file is that has been written. `what`: the sentence up to there, such as `the report is`.
    pub fn tell_file(&mut self, path: &Path, what: &str, holds: &'static str) {
        let path = path.display().to_string();
        self.tell(&format!("{what} in {path}\n"), &Record::File { path, holds, without: Vec::new() });
    }

    /// Ends the command because it was used wrongly.
    pub fn refuse(&mut self, complaint: String) {
        self.exit = Exit::Usage;
        self.complaint = Some(complaint);
    }

    /// What there is to say about the program and what stood in the way, as text for stderr.
    pub fn stderr_text(&self, color: bool) -> String {
        let earlier = self.earlier.iter().map(|outcome| outcome.stderr_text(color));
        let own = render(&self.sources, &self.diagnostics, self.format, color);
        earlier.chain([own, self.complaint_text()]).collect()
    }

    fn complaint_text(&self) -> String {
        let Some(complaint) = &self.complaint else { return String::new() };
        match self.format {
            MessageFormat::Json => json_line(&Record::Message { text: complaint }),
            MessageFormat::Github => github_error(&printable(complaint)),
            MessageFormat::Plain | MessageFormat::Rich | MessageFormat::Short | MessageFormat::Sarif => {
                format!("cslrun: {}\n", printable(complaint))
            }
        }
    }

    /// What goes to stdout and to stderr. A SARIF document stands alone on stdout; what the command prints otherwise
    /// then goes to stderr.
    pub fn streams(&self, color: bool) -> (Cow<'_, str>, String) {
        if self.format != MessageFormat::Sarif {
            return (Cow::Borrowed(&self.printed), self.stderr_text(color));
        }
        let (mut log, mut text, mut troubles) = (self.log.clone(), self.printed.clone(), Vec::new());
        for outcome in self.earlier.iter().chain([self]) {
            log.add(&outcome.sources, &outcome.diagnostics);
            text += &outcome.complaint_text();
            troubles.extend(outcome.complaint.clone());
        }
        let trouble = troubles.join("\n");
        (Cow::Owned(log.text(Some(&*trouble).filter(|text| !text.is_empty()))), text)
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
