use super::Exit;
use super::args::CompileArgs;
use super::outcome::{Outcome, verdict};
use crate::{Loader, possible_failures};

/// `cslrun check FILE.csl`
pub fn check(args: &CompileArgs, loader: &dyn Loader) -> Outcome {
    let mut outcome = Outcome::new(args.format());
    if let Some(program) = outcome.compile(args, loader) {
        outcome.diagnostics.extend(possible_failures(&program, args.levels));
        if outcome.diagnostics.iter().any(|d| d.severity.is_error()) {
            outcome.exit = verdict(&outcome.diagnostics, Exit::Rejected);
            return outcome;
        }
        let (file, (w, h), n) = (args.file.display(), program.size(), program.distinct_programs());
        let programs =
            if n == 1 { "1 distinct program".to_string() } else { format!("{n} distinct programs") };
        outcome.printed = format!("{file}: fine, {w} x {h} PEs, {programs}\n");
    }
    outcome
}
