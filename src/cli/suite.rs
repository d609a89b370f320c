use super::args::TestArgs;
use super::csl_files;
use super::junit::{self, Ended, Problem, TestCase, TestFile};
use super::outcome::{Outcome, verdict};
use super::record::{self, PrintedRecord, Record, TestRecord};
use super::{Exit, evidence, interrupt};
use crate::{
    Diagnostic, Failure, Loader, MessageFormat, Printed, Program, RunOptions, Runner, SourceMap, compile,
    render,
};
use std::path::Path;
use std::sync::Arc;

/// How names of files and functions of tests start.
const PREFIX: &str = "test_";

/// `cslrun test [PATH..]`: runs each function whose name starts with `test_` of each file `test_*.csl`.
pub fn test(args: &TestArgs, loader: &dyn Loader) -> Outcome {
    let mut outcome = Outcome::new(args.format.format());
    let files = match csl_files::files(&args.paths, |name| name.starts_with(PREFIX), "test_*.csl") {
        Ok(files) => files,
        Err(why) => {
            outcome.refuse(why);
            return outcome;
        }
    };
    let mut suite = Suite { args, passed: 0, failed: 0, exit: Exit::Fine, outcome, files: Vec::new() };
    for file in &files {
        suite.file(file, loader);
        if suite.exit == Exit::Interrupted {
            break;
        }
    }
    suite.end()
}

struct Suite<'a> {
    args: &'a TestArgs,
    passed: usize,
    failed: usize,
    exit: Exit,
    outcome: Outcome,
    /// The results for `--junit`.
    files: Vec<TestFile>,
}

/// A test that has ended.
struct Ending<'a> {
    /// The function; `None` for a file that does not compile.
    name: Option<&'a str>,
    printed: &'a [Printed],
    /// What is wrong, and where; `None` if nothing is.
    wrong: Option<(&'a SourceMap, &'a [Diagnostic])>,
}

impl Suite<'_> {
    fn file(&mut self, file: &Path, loader: &dyn Loader) {
        self.files.push(TestFile { name: file.display().to_string(), cases: Vec::new() });
        self.say(&format!("{}\n", file.display()));
        let compilation = compile(file, loader, &self.args.options());
        let Some(program) = compilation.program else {
            self.exit = verdict(&compilation.diagnostics, Exit::Rejected);
            let wrong = Some((&compilation.sources, compilation.diagnostics.as_slice()));
            self.ended(&Ending { name: None, printed: &[], wrong });
            return;
        };
        let program = Arc::new(program);
        for name in program.functions().into_iter().filter(|name| name.starts_with(PREFIX)) {
            self.run(&program, name);
            if self.exit == Exit::Interrupted {
                return;
            }
        }
    }

    /// Runs a function on every PE of a wafer of its own.
    fn run(&mut self, program: &Arc<Program>, name: &str) {
        let options = RunOptions {
            max_cycles: Some(self.args.max_cycles()),
            levels: self.args.levels,
            seed: self.args.seed,
            threads: Runner::automatic_threads(program),
            stop: Some(interrupt::run_begins()),
            ..RunOptions::default()
        };
        let mut runner = Runner::new(program.clone(), options);
        let ended = runner.launch(name, &[]).and_then(|()| runner.run_until_idle());
        interrupt::run_ends();
        match ended {
            Ok(_) => self.ended(&Ending { name: Some(name), printed: runner.printed(), wrong: None }),
            Err(failure) => {
                self.exit = match failure {
                    Failure::Interrupted(_) => Exit::Interrupted,
                    _ => Exit::WentWrong,
                };
                let mut diagnostics = failure.diagnostics(program.sources());
                evidence::add_values(&mut diagnostics, program.sources(), &mut runner);
                let wrong = Some((program.sources(), diagnostics.as_slice()));
                self.ended(&Ending { name: Some(name), printed: runner.printed(), wrong });
            }
        }
    }

    /// Counts a test, tells how it has ended and notes it for `--junit`.
    fn ended(&mut self, result: &Ending<'_>) {
        match result.wrong {
            None => self.passed += 1,
            Some((sources, diagnostics)) => {
                self.failed += 1;
                self.outcome.log.add(sources, diagnostics);
            }
        }
        let text = self.text(result);
        self.say(&text);
        let Some(file) = self.files.last_mut() else { return };
        if self.outcome.format == MessageFormat::Json {
            let record = Record::Test(result.record(&file.name));
            self.outcome.tell("", &record);
        }
        file.cases.push(result.case());
    }

    /// What people read; the format decides how diagnostics look.
    fn text(&self, result: &Ending<'_>) -> String {
        let Some((sources, diagnostics)) = result.wrong else {
            return format!("  {}: passed\n", result.name.unwrap_or_default());
        };
        let mut text = match result.name {
            Some(name) => format!("  {name}: FAILED\n"),
            None => "  does not compile\n".to_string(),
        };
        for line in result.printed {
            text += &format!("    {}: {}\n", line.pe, line.text);
        }
        // In a SARIF document they stand together.
        if self.outcome.format != MessageFormat::Sarif {
            let shown = render(sources, diagnostics, self.outcome.format, false);
            text += &format!("\n{}\n\n", shown.trim_end());
        }
        text
    }

    /// Prints a text for people.
    fn say(&mut self, text: &str) {
        if self.outcome.format != MessageFormat::Json {
            self.outcome.printed += text;
        }
    }

    fn end(mut self) -> Outcome {
        let (passed, failed) = (self.passed, self.failed);
        if passed + failed == 0 {
            self.outcome.refuse(format!("no test_*.csl has a function whose name starts with {PREFIX}"));
            return self.outcome;
        }
        self.outcome.exit = self.exit;
        if let Some(path) = &self.args.junit {
            let document = junit::document(&self.files);
            self.outcome.write_file(path, "the results are", "tests", document.as_bytes());
        }
        let text = format!("{passed} passed, {failed} failed\n");
        self.outcome.tell(&text, &Record::Tests { passed, failed });
        self.outcome
    }
}

impl Ending<'_> {
    fn record<'a>(&'a self, file: &'a str) -> TestRecord<'a> {
        let printed = self.printed.iter().map(|line| PrintedRecord {
            pe: record::place(line.pe),
            cycle: Some(line.cycle),
            text: &line.text,
        });
        TestRecord {
            file,
            name: self.name,
            passed: self.wrong.is_none(),
            printed: printed.collect(),
            diagnostics: self.wrong.map_or(Vec::new(), |(sources, all)| record::diagnostics(sources, all)),
        }
    }

    fn case(&self) -> TestCase {
        let problem = |(sources, all): (&SourceMap, &[Diagnostic])| {
            let first = all.iter().find(|d| d.severity.is_error());
            Problem {
                rule: first.map_or(String::new(), |d| d.rule.to_string()),
                title: first.map_or(String::new(), |d| d.title.clone()),
                text: render(sources, all, MessageFormat::Plain, false),
            }
        };
        let ended = match (self.wrong, self.name) {
            (None, _) => Ended::Passed,
            (Some(wrong), Some(_)) => Ended::Failed(problem(wrong)),
            (Some(wrong), None) => Ended::NotBegun(problem(wrong)),
        };
        let printed = self.printed.iter().map(|line| format!("{}: {}\n", line.pe, line.text)).collect();
        TestCase { name: self.name.unwrap_or("compiles").to_string(), ended, printed }
    }
}
