use super::Exit;
use super::args::{CheckArgs, CompileArgs};
use super::outcome::{Outcome, verdict};
use super::record::Record;
use crate::{Loader, possible_failures};
use std::path::Path;

/// `cslrun check FILE.csl..`
pub fn check(args: &CheckArgs, loader: &dyn Loader) -> Outcome {
    let mut all = check_one(&args.compile.file, &args.compile, loader);
    for file in &args.more {
        all = all.followed_by(check_one(file, &args.compile, loader));
    }
    all
}

fn check_one(file: &Path, args: &CompileArgs, loader: &dyn Loader) -> Outcome {
    let mut outcome = Outcome::new(args.format());
    if let Some(program) = outcome.compile_file(file, &args.options(), loader) {
        outcome.diagnostics.extend(possible_failures(&program, args.levels));
        if outcome.diagnostics.iter().any(|d| d.severity.is_error()) {
            outcome.exit = verdict(&outcome.diagnostics, Exit::Rejected);
            return outcome;
        }
        let (file, (w, h), n) = (file.display(), program.size(), program.distinct_programs());
        let programs =
            if n == 1 { "1 distinct program".to_string() } else { format!("{n} distinct programs") };
        let record = Record::Checked { file: file.to_string(), size: (w, h), programs: n };
        outcome.tell(&format!("{file}: fine, {w} x {h} PEs, {programs}\n"), &record);
    }
    outcome
}
