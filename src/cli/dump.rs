use super::{args::CompileArgs, listing, outcome::Outcome};
use crate::Loader;

/// `cslrun dump FILE.csl`
pub fn dump(args: &CompileArgs, loader: &dyn Loader) -> Outcome {
    let mut outcome = Outcome::new(args.format());
    if let Some(program) = outcome.compile(args, loader) {
        outcome.printed = listing::text(&program);
    }
    outcome
}
