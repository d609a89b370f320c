use super::{args::CompileArgs, listing, outcome::Outcome, record::Record};
use crate::Loader;

/// `cslrun dump FILE.csl`
pub fn dump(args: &CompileArgs, loader: &dyn Loader) -> Outcome {
    let mut outcome = Outcome::new(args.format());
    if let Some(program) = outcome.compile(args, loader) {
        let text = listing::text(&program);
        outcome.tell(&text, &Record::Text { of: "dump", text: &text });
    }
    outcome
}
