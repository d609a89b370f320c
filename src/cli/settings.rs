//! Settings of a run that a host script starts: they come from the environment and from the script.

use super::args::{ProfileFormat, TraceArgs, TraceTarget, target};
use super::debug::Debugger;
use super::outcome::Outcome;
use super::{output, profile, report, running, threads, trace};
use crate::{Diagnostic, Failure, MessageFormat, Runner};
use std::path::{Path, PathBuf};

/// How a run is carried out and what it leaves behind, apart from the levels of rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunSettings {
    /// The file of the trace: `.json` for Perfetto, `.txt` for a list.
    pub trace: Option<PathBuf>,
    /// The file of the report, an HTML page.
    pub report: Option<PathBuf>,
    /// The file of the profile; its ending says in which form.
    pub profile: Option<PathBuf>,
    /// Whether to record what a report shows although it goes to no file.
    pub keeps_report: bool,
    /// Whether to note what a profile shows although it goes to no file.
    pub keeps_profile: bool,
    /// The seed for what the machine leaves undefined.
    pub seed: Option<u64>,
    /// The number of threads that simulate a large wafer.
    pub threads: Option<usize>,
    /// The cycle limit.
    pub max_cycles: Option<u64>,
    /// Who debugs the run.
    pub debugger: Option<Debugger>,
}

impl RunSettings {
    /// The settings of the environment variables `CSLRUN_TRACE`, `CSLRUN_REPORT`, `CSLRUN_PROFILE`,
    /// `CSLRUN_SEED`, `CSLRUN_THREADS`, `CSLRUN_MAX_CYCLES` and `CSLRUN_DEBUGGER`; an empty variable counts as missing.
    ///
    /// # Errors
    /// A line for people that names the variable.
    pub fn of_environment() -> Result<RunSettings, String> {
        let trace = variable("CSLRUN_TRACE", trace_file)?;
        let report = variable("CSLRUN_REPORT", report_file)?;
        let profile = variable("CSLRUN_PROFILE", profile_file)?;
        let seed = variable("CSLRUN_SEED", whole_number)?;
        let threads = variable("CSLRUN_THREADS", threads::number)?;
        let max_cycles = variable("CSLRUN_MAX_CYCLES", whole_number)?;
        let debugger = variable("CSLRUN_DEBUGGER", Debugger::parse)?;
        let files = RunSettings { trace, report, profile, ..RunSettings::default() };
        let settings = RunSettings { seed, threads, max_cycles, debugger, ..files };
        settings.check().map(|()| settings)
    }

    /// Takes the name of a file for the trace.
    ///
    /// # Errors
    /// The name has another ending than `.json` or `.txt`, or its folder does not exist.
    pub fn trace_to(&mut self, path: &str) -> Result<(), String> {
        self.trace = Some(trace_file(path).map_err(|why| format!("trace: {why}"))?);
        Ok(())
    }

    /// Takes the name of a file for the report.
    ///
    /// # Errors
    /// The folder of the file does not exist.
    pub fn report_to(&mut self, path: &str) -> Result<(), String> {
        self.report = Some(report_file(path).map_err(|why| format!("report: {why}"))?);
        Ok(())
    }

    /// Takes the name of a file for the profile.
    ///
    /// # Errors
    /// The name has another ending than `.html`, `.json`, `.speedscope.json`, `.pb` or `.txt`, or its folder does not
    /// exist.
    pub fn profile_to(&mut self, path: &str) -> Result<(), String> {
        self.profile = Some(profile_file(path).map_err(|why| format!("profile: {why}"))?);
        Ok(())
    }

    /// Looks whether the settings go together.
    ///
    /// # Errors
    /// A run that is debugged is to be recorded.
    pub fn check(&self) -> Result<(), String> {
        match self.debugger.is_some() && self.records() {
            true => Err("a run that is debugged has no trace, report or profile: use two runs".to_string()),
            false => Ok(()),
        }
    }

    /// Starts to record what the trace and the report show; before anything runs.
    pub fn record(&self, runner: &mut Runner) {
        let filter = if self.trace.is_some() { Some(Default::default()) } else { None };
        let has_report = self.report.is_some() || self.keeps_report;
        if let Some(filter) = filter.or_else(|| has_report.then(report::filter)) {
            runner.record(filter);
        }
        if has_report {
            report::prepare(runner);
        }
        if self.profiles() {
            profile::prepare(runner);
        }
    }

    /// Whether a run with these settings is recorded.
    pub fn records(&self) -> bool {
        self.trace.is_some() || self.report.is_some() || self.keeps_report || self.profiles()
    }

    fn profiles(&self) -> bool {
        self.profile.is_some() || self.keeps_profile
    }

    /// The report of a run up to now as an HTML page.
    pub fn page(&self, runner: &mut Runner, warnings: &[Diagnostic], failure: Option<&Failure>) -> String {
        report::html(runner, &ending(runner, warnings, failure))
    }

    /// The profile of a run up to now in the form that a file with such an ending has; `None` if there is no such form,
    /// or the run has no profile.
    pub fn profile_as(&self, ending: &str, runner: &Runner) -> Option<Vec<u8>> {
        let format = ProfileFormat::of(Path::new(&format!("profile.{ending}"))).ok()?;
        profile::as_bytes(format, runner)
    }

    /// Writes the trace, the report and the profile of a run up to now, with the warnings of its end or the failure that
    /// has ended it. Returns a line for each file.
    ///
    /// # Errors
    /// A line for people that names a file that cannot be written.
    pub fn write(
        &self,
        runner: &mut Runner,
        warnings: &[Diagnostic],
        failure: Option<&Failure>,
    ) -> Result<String, String> {
        let mut outcome = ending(runner, warnings, failure);
        let args = TraceArgs { trace: self.trace.as_deref().map(trace_target), ..TraceArgs::default() };
        trace::show(&args, runner, &mut outcome);
        if let Some(path) = &self.report {
            report::write(path, runner, &mut outcome);
        }
        if let Some(path) = &self.profile {
            profile::write_to(path, runner, &mut outcome);
        }
        match outcome.complaint.take() {
            Some(trouble) => Err(trouble),
            None => Ok(outcome.printed),
        }
    }
}

/// How a run has ended so far.
fn ending(runner: &Runner, warnings: &[Diagnostic], failure: Option<&Failure>) -> Outcome {
    let mut outcome = Outcome::new(MessageFormat::Plain);
    outcome.sources = runner.program().sources().clone();
    if let Some(failure) = failure {
        outcome.diagnostics = runner.warnings();
        running::fail(failure, &mut outcome);
    }
    outcome.diagnostics.extend_from_slice(warnings);
    outcome
}

fn variable<T>(name: &str, read: impl FnOnce(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    let Some(value) = std::env::var_os(name).filter(|value| !value.is_empty()) else { return Ok(None) };
    read(&value.to_string_lossy()).map(Some).map_err(|why| format!("{name}: {why}"))
}

fn whole_number(text: &str) -> Result<u64, String> {
    text.trim().replace('_', "").parse().map_err(|_| format!("`{text}` is not a whole number"))
}

fn trace_target(path: &Path) -> TraceTarget {
    match path.extension().is_some_and(|e| e == "txt") {
        true => TraceTarget::Text(path.to_path_buf()),
        false => TraceTarget::Chrome(path.to_path_buf()),
    }
}

fn trace_file(text: &str) -> Result<PathBuf, String> {
    match target(text) {
        Ok(TraceTarget::Text(path) | TraceTarget::Chrome(path)) => in_a_folder(path),
        Ok(TraceTarget::Screen) => Err("the name of the file is missing".to_string()),
        Err(why) => Err(format!("`{text}`: {why}")),
    }
}

fn report_file(text: &str) -> Result<PathBuf, String> {
    match Path::new(text).extension().and_then(|e| e.to_str()) {
        Some("html" | "htm") => in_a_folder(text.into()),
        Some(_) | None => Err(format!("`{text}`: the name must end in .html")),
    }
}

fn profile_file(text: &str) -> Result<PathBuf, String> {
    match ProfileFormat::of(text.as_ref()) {
        Ok(_) => in_a_folder(text.into()),
        Err(why) => Err(format!("`{text}`: {why}")),
    }
}

/// Checked before the run: a script should not learn after an hour that the folder does not exist.
fn in_a_folder(path: PathBuf) -> Result<PathBuf, String> {
    match output::obstacle(&path) {
        Some(why) => Err(why),
        None => Ok(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_say_what_they_are() {
        assert_eq!(trace_file("x.json"), Ok("x.json".into()));
        assert_eq!(report_file("x.html"), Ok("x.html".into()));
        for (wrong, why) in [
            (trace_file("x.html"), "`x.html`: the name must end in .json or .txt"),
            (trace_file(""), "the name of the file is missing"),
            (
                profile_file("x.png"),
                "`x.png`: the name must end in .html, .json, .speedscope.json, .pb or .txt",
            ),
            (report_file("x.json"), "`x.json`: the name must end in .html"),
            (report_file("no/such/x.html"), "there is no folder no/such"),
        ] {
            assert_eq!(wrong, Err(why.to_string()));
        }
    }

    #[test]
    fn numbers_may_have_underscores() {
        assert_eq!(whole_number("1_000"), Ok(1000));
        assert_eq!(whole_number("-1"), Err("`-1` is not a whole number".to_string()));
    }
}
