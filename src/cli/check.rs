use super::{args::CompileArgs, outcome::Outcome};
use crate::check;
use crate::source::Loader;

/// `cslrun check FILE.csl`
pub fn check(args: &CompileArgs, loader: &dyn Loader) -> Outcome {
    let mut outcome = Outcome::new(args.format());
    if let Some(program) = outcome.compile(args, loader) {
        outcome.diagnostics.extend(check::possible(&program));
        let (file, w, h, n) = (args.file.display(), program.width, program.height, program.tiles.len());
        let programs =
            if n == 1 { "1 distinct program".to_string() } else { format!("{n} distinct programs") };
        outcome.printed = format!("{file}: fine, {w} x {h} PEs, {programs}\n");
    }
    outcome
}
