use super::args::TestArgs;
use super::outcome::{Outcome, verdict};
use super::{Exit, interrupt};
use crate::{
    Diagnostic, Failure, Loader, MessageFormat, Program, RunOptions, Runner, SourceMap, compile, render,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How names of files and functions of tests start.
const PREFIX: &str = "test_";

/// `cslrun test [PATH..]`: runs each function whose name starts with `test_` of each file `test_*.csl`.
pub fn test(args: &TestArgs, loader: &dyn Loader) -> Outcome {
    let mut outcome = Outcome::new(MessageFormat::Plain);
    let files = match files(&args.paths) {
        Ok(files) => files,
        Err(why) => {
            outcome.refuse(why);
            return outcome;
        }
    };
    let mut suite = Suite { args, passed: 0, failed: 0, exit: Exit::Fine, outcome };
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
}

impl Suite<'_> {
    fn file(&mut self, file: &Path, loader: &dyn Loader) {
        self.outcome.printed += &format!("{}\n", file.display());
        let compilation = compile(file, loader, &self.args.options());
        let Some(program) = compilation.program else {
            self.failed += 1;
            self.exit = verdict(&compilation.diagnostics, Exit::Rejected);
            self.outcome.printed += "  does not compile\n\n";
            self.show(&compilation.sources, &compilation.diagnostics);
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
            Ok(_) => {
                self.passed += 1;
                self.outcome.printed += &format!("  {name}: passed\n");
            }
            Err(failure) => {
                self.failed += 1;
                self.outcome.printed += &format!("  {name}: FAILED\n");
                for line in runner.printed() {
                    self.outcome.printed += &format!("    {}: {}\n", line.pe, line.text);
                }
                self.outcome.printed.push('\n');
                self.show(program.sources(), &failure.diagnostics(program.sources()));
                self.exit = match failure {
                    Failure::Interrupted(_) => Exit::Interrupted,
                    _ => Exit::WentWrong,
                };
            }
        }
    }

    fn show(&mut self, sources: &SourceMap, diagnostics: &[Diagnostic]) {
        let text = render(sources, diagnostics, MessageFormat::Plain, false);
        self.outcome.printed += &format!("{}\n\n", text.trim_end());
    }

    fn end(mut self) -> Outcome {
        let all = self.passed + self.failed;
        if all == 0 {
            self.outcome.refuse(format!("no test_*.csl has a function whose name starts with {PREFIX}"));
            return self.outcome;
        }
        self.outcome.printed += &format!("{} passed, {} failed\n", self.passed, self.failed);
        self.outcome.exit = self.exit;
        self.outcome
    }
}

/// The files with tests: those that are named, and `test_*.csl` below the folders that are named, in order.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut all = Vec::new();
    for path in paths {
        if path.is_dir() {
            below(path, &mut all).map_err(|e| format!("{} cannot be read: {e}", path.display()))?;
        } else if path.is_file() {
            all.push(path.clone());
        } else {
            return Err(format!("there is no file or folder {}", path.display()));
        }
    }
    match all.is_empty() {
        true => Err("there is no file test_*.csl".to_string()),
        false => Ok(all),
    }
}

fn below(folder: &Path, all: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') {
            below(&path, all)?;
        } else if name.starts_with(PREFIX) && name.ends_with(".csl") {
            all.push(path);
        }
    }
    Ok(())
}
