//! The trace, the report and the profile of a run, which go to files when the run ends, fails or is given up.

use cslrun::cli::RunSettings;
use cslrun::{Diagnostic, Failure, Runner};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// How many runs of this process have written to a file that the environment names.
static RUNS: Mutex<BTreeMap<PathBuf, usize>> = Mutex::new(BTreeMap::new());

/// What a run records, and whether it has been written.
pub struct Recordings {
    settings: RunSettings,
    /// Whether the environment asks for files, so that the user is told about them.
    is_told: bool,
    is_written: bool,
    warnings: Vec<Diagnostic>,
    failure: Option<Failure>,
}

impl Recordings {
    /// Starts to record a run that has not begun.
    pub fn begin(settings: RunSettings, is_told: bool, runner: &mut Runner) -> Recordings {
        settings.record(runner);
        Recordings { settings, is_told, is_written: false, warnings: Vec::new(), failure: None }
    }

    /// Whether the run is recorded.
    pub fn is_on(&self) -> bool {
        self.settings.records()
    }

    /// The run goes on: what was written is out of date.
    pub fn goes_on(&mut self) {
        self.is_written = false;
    }

    /// The run has failed; writes what there is.
    pub fn fail(&mut self, runner: &mut Runner, failure: &Failure) {
        self.note_failure(failure);
        self.write(runner);
    }

    /// The run has failed; says whether there is something to write.
    pub fn note_failure(&mut self, failure: &Failure) -> bool {
        if self.failure.is_none() {
            self.failure = Some(failure.clone());
            self.is_written = false;
        }
        self.has_files() && !self.is_written
    }

    fn has_files(&self) -> bool {
        let RunSettings { trace, report, profile, .. } = &self.settings;
        trace.is_some() || report.is_some() || profile.is_some()
    }

    /// The run has ended with these warnings; writes everything.
    pub fn end(&mut self, runner: &mut Runner, warnings: &[Diagnostic]) {
        self.warnings = warnings.to_vec();
        self.is_written = false;
        self.write(runner);
    }

    /// Writes the files, unless they are up to date.
    pub fn write(&mut self, runner: &mut Runner) {
        if !self.has_files() || std::mem::replace(&mut self.is_written, true) {
            return;
        }
        match self.settings.write(runner, &self.warnings, self.failure.as_ref()) {
            Ok(lines) if self.is_told => lines.lines().for_each(tell),
            Ok(_) => {}
            Err(trouble) => tell(&trouble),
        }
    }

    /// The report as an HTML page; `None` if it is not recorded.
    pub fn page(&self, runner: &mut Runner) -> Option<String> {
        let is_recorded = self.settings.report.is_some() || self.settings.keeps_report;
        is_recorded.then(|| self.settings.page(runner, &self.warnings, self.failure.as_ref()))
    }

    /// The profile in the form that a file with such an ending has; `None` if there is none.
    pub fn profile_as(&self, ending: &str, runner: &Runner) -> Option<Vec<u8>> {
        self.settings.profile_as(ending, runner)
    }
}

/// The name of a file for the next run of this process: `x.json`, then `x-2.json` and so on. A process that another one
/// has started, which writes these, has files of its own: `x-p123.json`, `x-p123-2.json`.
pub fn numbered(path: &Path) -> PathBuf {
    let first: Option<u32> = std::env::var("CSLRUN_FIRST_PROCESS").ok().and_then(|first| first.parse().ok());
    let own = std::process::id();
    let path = match first {
        Some(first) if first != own => marked(path, &format!("p{own}")),
        Some(_) | None => path.to_path_buf(),
    };
    let mut runs = RUNS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let count = runs.entry(path.clone()).or_default();
    *count += 1;
    if *count == 1 { path } else { marked(&path, &count.to_string()) }
}

/// A name of a file with a mark before its ending.
fn marked(path: &Path, mark: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if let Some(stem) = name.strip_suffix(".speedscope.json") {
        return path.with_file_name(format!("{stem}-{mark}.speedscope.json"));
    }
    let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    path.with_file_name(format!("{}-{mark}.{}", part(path.file_stem()), part(path.extension())))
}

/// Tells the user something, where Python would; at the end of the interpreter there may be no such place.
pub fn tell(line: &str) {
    let said = Python::try_attach(|py| {
        let stderr = py.import("sys")?.getattr("stderr")?;
        stderr.call_method1("write", (format!("cslrun: {line}\n"),))?;
        stderr.call_method0("flush").map(drop)
    });
    // Nobody hears about a stream that cannot be written to.
    drop(said);
}
