//! `--report out.html`: a run as one HTML page that needs nothing else.
//!
//! `page.html` holds the place of everything, the scripts draw, and the data of the run stand in the
//! page as JSON (`data.rs` describes it); `cli/html` puts the page together.

mod data;
mod events;
mod held;
mod payloads;
mod routes;
mod tables;
#[cfg(test)]
mod tests;
mod tiles;
mod words;

use super::html::Page;
use super::outcome::Outcome;
use crate::Runner;
use crate::trace::TraceFilter;
use std::path::Path;

/// Events in a page: what a browser shows without delay, some 6 MB.
const MOST_EVENTS: usize = 3_000_000;
/// Changed words of memory in a page.
const MOST_WORDS: usize = 3_000_000;

const BODY: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// In the order in which one needs the other.
const SCRIPTS: [&str; 15] = [
    include_str!("data.js"),
    include_str!("values.js"),
    include_str!("state.js"),
    include_str!("routes.js"),
    include_str!("frame.js"),
    include_str!("wafer.js"),
    include_str!("wavelets.js"),
    include_str!("panels.js"),
    include_str!("ending.js"),
    include_str!("source.js"),
    include_str!("host.js"),
    include_str!("time.js"),
    include_str!("place.js"),
    include_str!("controls.js"),
    include_str!("main.js"),
];

/// What is recorded for a report, if the user has not chosen what to record.
pub fn filter() -> TraceFilter {
    TraceFilter { limit: MOST_EVENTS, code: true, ..TraceFilter::default() }
}

/// Prepares a run that is recorded for its report; before anything runs.
pub fn prepare(runner: &mut Runner) {
    runner.follow_memory(MOST_WORDS);
}

/// Writes the report of a run that has ended, well or badly, and tells so.
pub fn write(path: &Path, runner: &mut Runner, outcome: &mut Outcome) {
    let page = html(runner, outcome);
    outcome.write_file(path, "the report of the run is", "report", page.as_bytes());
}

/// The report of a run that has ended, well or badly.
pub fn html(runner: &mut Runner, outcome: &Outcome) -> String {
    page(&data::data(runner, outcome))
}

fn page(data: &data::ReportData) -> String {
    Page { title: &data.title, style: STYLE, body: BODY, scripts: &SCRIPTS, data }.html()
}
