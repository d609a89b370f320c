//! The output forms of a diagnostic: plain for logs and snapshots, rich for people who learn, short for editors,
//! JSON for programs, SARIF for code scanning, commands for GitHub Actions.
//!
//! In: a `SourceMap` and `Diagnostic`s. Out: one `String`. Never: prints, or fails on a span that does not
//! fit its file.

mod github;
mod json;
mod plain;
mod rich;
mod sarif;
mod sheet;
mod short;
#[cfg(test)]
mod tests;
mod visible;

use super::{Diagnostic, Moment, Severity, counted};
use crate::source::SourceMap;
pub use github::error as github_error;
pub use sarif::SarifLog;
use serde::Serialize;
use sheet::Sheets;
use std::borrow::Cow;
use std::fmt::Write;
pub use visible::printable;

/// The output form of diagnostics.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum MessageFormat {
    /// Excerpts in ASCII frames; what logs and snapshots hold.
    #[default]
    Plain,
    /// Excerpts with drawn arrows, best where several places matter.
    Rich,
    /// One line each: `file:line:column: error[rule]: title`.
    Short,
    /// One JSON object per line.
    Json,
    /// One SARIF 2.1.0 document, for code scanning.
    Sarif,
    /// One workflow command of GitHub Actions per line: annotations in a pull request.
    Github,
}

/// The text of all diagnostics, in order, with a summary line at the end (none in JSON and SARIF).
pub fn render(map: &SourceMap, diagnostics: &[Diagnostic], format: MessageFormat, color: bool) -> String {
    let printable: Vec<Diagnostic>;
    let diagnostics = match format {
        MessageFormat::Sarif => {
            let mut log = SarifLog::default();
            log.add(map, diagnostics);
            return log.text(None);
        }
        // JSON keeps the texts as they are.
        MessageFormat::Json => diagnostics,
        MessageFormat::Plain | MessageFormat::Rich | MessageFormat::Short | MessageFormat::Github => {
            printable = diagnostics.iter().map(made_printable).collect();
            &printable
        }
    };
    let sheets = Sheets::new(map, diagnostics);
    let mut out = String::new();
    for d in diagnostics {
        let text = match format {
            MessageFormat::Plain => plain::one(&sheets, d, color),
            MessageFormat::Rich => rich::one(&sheets, d, color),
            MessageFormat::Short => short::one(&sheets, d),
            MessageFormat::Json => json::one(&sheets, d),
            MessageFormat::Github => github::one(&sheets, d),
            MessageFormat::Sarif => unreachable!("a SARIF document is not made of lines"),
        };
        for line in text.lines() {
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    if format != MessageFormat::Json
        && let Some(line) = summary(diagnostics)
    {
        let _ = writeln!(out, "{line}");
    }
    out
}

/// A record as a line of JSON without characters that a terminal would interpret.
pub fn json_line(record: &impl Serialize) -> String {
    let json = serde_json::to_string(record).expect("a record of strings and numbers is always valid JSON");
    visible::escaped_json(&json) + "\n"
}

/// A copy of a diagnostic with escaped texts. Some texts come from the program, and could contain control
/// characters for a terminal.
fn made_printable(d: &Diagnostic) -> Diagnostic {
    let mut d = d.clone();
    let labels = d.primary.iter_mut().chain(&mut d.others).map(|label| &mut label.text);
    for text in labels.chain(&mut d.notes).chain(&mut d.help).chain([&mut d.title]) {
        if let Cow::Owned(shown) = printable(text) {
            *text = shown;
        }
    }
    d
}

/// `2 errors, 1 warning`; `None` when there is nothing to count.
pub fn summary(diagnostics: &[Diagnostic]) -> Option<String> {
    let count = |severity| diagnostics.iter().filter(|d| d.severity == severity).count() as u64;
    let parts = [
        if_any(count(Severity::Error), "error"),
        if_any(count(Severity::Unsupported), "unsupported feature"),
        if_any(count(Severity::Warning), "warning"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// A number of cycles, marked as an estimate: cslrun models time, it does not measure the machine.
pub fn estimated_cycles(n: u64) -> String {
    cycles_about(n, "estimate")
}

/// The cycles of a whole run, with how far off they usually are (docs/timing.md).
pub fn estimated_run(n: u64) -> String {
    cycles_about(n, "estimate, typically within 30 %")
}

fn cycles_about(n: u64, note: &str) -> String {
    format!("about {} ({note})", counted(n, "cycle"))
}

/// A number with a comma after every three digits.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// As [`counted`]; `None` for none.
fn if_any(n: u64, what: &str) -> Option<String> {
    (n > 0).then(|| counted(n, what))
}

/// The PE and cycle of a run-time diagnostic, as far as they are told.
fn occurrence(d: &Diagnostic) -> Option<String> {
    let Moment { x, y, cycle } = d.moment?;
    let mut text = format!("PE({x},{y})");
    if cycle != Moment::UNDATED {
        let _ = write!(text, ", cycle {}", grouped(cycle));
    }
    // If it happened once on each PE, the number of PEs is enough.
    if d.repeats > d.also_on {
        let _ = write!(text, "; {} times", grouped(d.repeats + 1));
    }
    if let Some(others) = if_any(d.also_on, "other PE") {
        let _ = write!(text, "; the same on {others}");
    }
    Some(text)
}

/// The notes below an excerpt: the occurrence first, then what the diagnostic says, and how it can be
/// lowered.
fn notes(d: &Diagnostic) -> Vec<String> {
    occurrence(d).into_iter().chain(d.notes.iter().cloned()).chain(super::level::way_down(d)).collect()
}
