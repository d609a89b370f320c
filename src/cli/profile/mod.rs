//! `cslrun profile`: a run, and where its cycles went, as a summary, a page or a file for other tools.

mod html;
mod pprof;
mod speedscope;
mod text;

use super::args::{ProfileFormat, ProfileTarget};
use super::outcome::Outcome;
use super::record::Record;
use crate::profile::Profile;
use crate::{FileId, Runner};
use std::path::Path;

/// Prepares a run for its profile; before anything runs.
pub fn prepare(runner: &mut Runner) {
    runner.start_profile();
}

/// Shows the profile of a run that has ended, well or badly.
pub fn show(target: &ProfileTarget, runner: &Runner, outcome: &mut Outcome) {
    let Some(run) = runner.profiled_run() else { return };
    let profile = Profile::new(&run);
    let Some(path) = &target.path else {
        match target.format {
            // Other programs read what comes, so nothing else may stand there.
            ProfileFormat::Text => tell_summary(&profile, outcome),
            format => {
                outcome.printed = String::from_utf8_lossy(&content(format, runner, &profile)).into_owned()
            }
        }
        return;
    };
    tell_summary(&profile, outcome);
    write(path, &content(target.format, runner, &profile), outcome);
}

fn tell_summary(profile: &Profile, outcome: &mut Outcome) {
    let text = text::summary(profile);
    outcome.tell(&text, &Record::Text { of: "profile", text: &text });
}

/// Writes the profile of a run to a file whose name says in which form, and tells so.
pub fn write_to(path: &Path, runner: &Runner, outcome: &mut Outcome) {
    let format = ProfileFormat::of(path).unwrap_or(ProfileFormat::Text);
    as_bytes(format, runner).into_iter().for_each(|content| write(path, &content, outcome));
}

/// The profile of a run in one of its forms; `None` if the run has none.
pub fn as_bytes(format: ProfileFormat, runner: &Runner) -> Option<Vec<u8>> {
    let run = runner.profiled_run()?;
    Some(content(format, runner, &Profile::new(&run)))
}

fn write(path: &Path, content: &[u8], outcome: &mut Outcome) {
    outcome.write_file(path, "the profile of the run is", "profile", content);
}

/// A profile in one of its forms.
fn content(format: ProfileFormat, runner: &Runner, profile: &Profile) -> Vec<u8> {
    let title = title(runner);
    match format {
        ProfileFormat::Text => text::summary(profile).into_bytes(),
        ProfileFormat::Html => {
            let sources = runner.program().sources();
            let text = |id: &FileId| sources.file(*id).text.to_string();
            let texts: Vec<String> = profile.sources.iter().map(text).collect();
            html::page(&title, profile, &texts).into_bytes()
        }
        ProfileFormat::Json => json(&title, profile),
        ProfileFormat::Speedscope => speedscope::file(&title, profile).into_bytes(),
        ProfileFormat::Pprof => pprof::file(profile),
    }
}

fn json(title: &str, profile: &Profile) -> Vec<u8> {
    let all = serde_json::json!({
        "title": title,
        "note": "all cycles are estimates",
        "profile": profile,
        "bars": profile.bars,
    });
    let mut text = serde_json::to_string_pretty(&all).expect("numbers and strings are always valid JSON");
    text.push('\n');
    text.into_bytes()
}

/// The file that the run was started with.
fn title(runner: &Runner) -> String {
    let sources = runner.program().sources();
    let own = sources.files().iter().position(|file| !file.is_library());
    own.map_or(String::new(), |file| sources.file(FileId(file as u32)).name.clone())
}

/// The part of a whole in percent.
fn percent(part: u64, whole: u64) -> u64 {
    if whole == 0 { 0 } else { (200 * u128::from(part) / u128::from(whole)).div_ceil(2) as u64 }
}
