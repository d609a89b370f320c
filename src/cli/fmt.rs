//! `cslrun fmt`

use super::args::FmtArgs;
use super::outcome::{Outcome, verdict};
use super::{Exit, csl_files, output};
use crate::{Loader, MessageFormat, formatted};
use similar::TextDiff;
use std::io::Read;
use std::path::Path;

/// `cslrun fmt [PATH..]`: gives CSL files their one layout.
pub fn fmt(args: &FmtArgs, loader: &dyn Loader) -> Outcome {
    let mut outcome = Outcome::new(MessageFormat::Plain);
    if args.paths == [Path::new("-")] {
        let mut text = String::new();
        match std::io::stdin().read_to_string(&mut text) {
            Ok(_) => one(args, Path::new("standard input"), &text, None, &mut outcome),
            Err(e) => outcome.refuse(format!("standard input cannot be read: {e}")),
        }
        return outcome;
    }
    let files = match csl_files::files(&args.paths, |_| true, "*.csl") {
        Ok(files) => files,
        Err(why) => {
            outcome.refuse(why);
            return outcome;
        }
    };
    for file in &files {
        match loader.load(file) {
            Ok(text) => one(args, file, &text, Some(file), &mut outcome),
            Err(_) => refuse(&mut outcome, format!("{} cannot be read as text", file.display())),
        }
    }
    outcome
}

/// Tells that a file cannot be read or written; the others are formatted all the same.
fn refuse(outcome: &mut Outcome, why: String) {
    let before = outcome.complaint.take().map_or_else(String::new, |before| before + "\n");
    outcome.refuse(before + &why);
}

/// Formats a text. `to`: where the result is written; without it, it is printed.
fn one(args: &FmtArgs, name: &Path, text: &str, to: Option<&Path>, outcome: &mut Outcome) {
    let name = name.display().to_string();
    let file = outcome.sources.add(name.as_str(), text);
    let result = match formatted(file, text) {
        Ok(result) => result,
        Err(errors) => {
            outcome.diagnostics.extend(errors);
            if outcome.exit != Exit::Usage {
                outcome.exit = verdict(&outcome.diagnostics, Exit::Rejected);
            }
            return;
        }
    };
    let is_same = result == text;
    if args.diff && !is_same {
        let diff = TextDiff::from_lines(text, &result);
        outcome.printed += &diff.unified_diff().header(&name, &format!("{name} (formatted)")).to_string();
    }
    match to {
        _ if args.check => {
            if !is_same {
                if outcome.exit == Exit::Fine {
                    outcome.exit = Exit::Rejected;
                }
                if !args.diff {
                    outcome.printed += &format!("{name}\n");
                }
            }
        }
        _ if args.diff => {}
        None => outcome.printed += &result,
        Some(_) if is_same => {}
        Some(path) => match output::write_file(path, |out| out.write_all(result.as_bytes())) {
            Ok(()) => outcome.printed += &format!("{name}\n"),
            Err(e) => refuse(outcome, output::unwritten(path, e)),
        },
    }
}
