//! What is done with an input, and what cslrun must then not do.

mod arrays;
mod program_file;
mod runs;
// The test of the engines compares runs in the same way.
#[path = "../../../tests/it/story.rs"]
mod story;
mod text;

use clap::ValueEnum;
use std::collections::BTreeSet;

/// What an input has led to, for finding inputs that lead to something new: rules and ways to end.
pub type Signs = BTreeSet<String>;

/// A way to use cslrun. All but the last two take the text of a case.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// Parses one file.
    Parse,
    /// Compiles for both machines, and renders what there is to say.
    Compile,
    /// Does what the arguments of the case ask for.
    Run,
    /// Runs a program in every way there is, and compares memory, cycles and diagnostics.
    Modes,
    /// Reads a compiled program whose bytes are damaged, and runs it.
    ProgramFile,
    /// Reads a `.npy` file whose bytes are damaged.
    Arrays,
}

impl Target {
    /// All targets.
    pub fn all() -> &'static [Target] {
        Target::value_variants()
    }

    /// Whether its inputs are texts.
    pub fn takes_text(self) -> bool {
        !matches!(self, Target::ProgramFile | Target::Arrays)
    }

    /// Does it with an input.
    ///
    /// # Panics
    /// If cslrun does something wrong: it panics, calls a fault its own, says something about a place that does not
    /// exist, or two ways to do the same end differently.
    pub fn run(self, input: &[u8]) -> Signs {
        let text = || String::from_utf8_lossy(input);
        let makes_tiles = matches!(self, Target::Compile | Target::Run | Target::Modes);
        if makes_tiles && text::is_large(&text()) {
            return Signs::new();
        }
        match self {
            Target::Parse => text::parse(&text()),
            Target::Compile => text::compile(&text()),
            Target::Run => runs::command(&text()),
            Target::Modes => runs::modes(&text()),
            Target::ProgramFile => program_file::read(input),
            Target::Arrays => arrays::read(input),
        }
    }

    /// The inputs to start from.
    pub fn seeds(self, texts: &[String]) -> Vec<Vec<u8>> {
        match self {
            Target::ProgramFile => program_file::seeds(texts),
            Target::Arrays => arrays::seeds(),
            _ => texts.iter().map(|text| text.clone().into_bytes()).collect(),
        }
    }
}
