use super::args;
use super::outcome::Outcome;
use crate::MessageFormat;
use clap_complete::Shell;

/// `cslrun --completions SHELL`: a script that completes command lines, from the definition of the arguments.
pub fn completions(shell: Shell) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::definition(), "cslrun", &mut script);
    let mut outcome = Outcome::new(MessageFormat::Plain);
    outcome.printed = String::from_utf8_lossy(&script).into_owned();
    outcome
}
