//! Why a command line cannot be read, in words that tell what to write instead.

use super::{Refusal, command_near, definition};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;

/// Options of other tools, with what `cslrun` has for them.
const FOREIGN_OPTIONS: [(&[&str], &str); 4] = [
    (
        &["--print", "--out", "--output", "--show", "--read", "--result", "--dump", "-o"],
        "`--get NAME` prints a variable after the run, and `--get NAME=FILE.npy` writes it to a file",
    ),
    (&["--in", "--input", "--write"], "`--set NAME=VALUES` writes a variable before the run"),
    (&["--call", "--run", "--entry", "--function"], "`--launch NAME` calls an exported function"),
    (
        &["--cycles", "--limit", "--timeout", "--max-steps"],
        "`--max-cycles N` ends the run after so many cycles",
    ),
];

/// What to tell about a command line that clap refuses.
pub(super) fn refusal(words: &[OsString], mut error: clap::Error) -> Refusal {
    if !error.use_stderr() {
        return Refusal(error);
    }
    let first = words.get(1).and_then(|word| word.to_str()).unwrap_or_default();
    if let Some(near) = command_near(first) {
        let text = format!("there is no command `{first}`; did you mean `{near}`?");
        return refuse(ErrorKind::InvalidSubcommand, text);
    }
    if let Some(text) = command_behind(words).filter(|_| error.kind() == ErrorKind::ArgumentConflict) {
        return refuse(ErrorKind::ArgumentConflict, text);
    }
    if let Some(text) = stray_word(words, &error) {
        return refuse(ErrorKind::TooManyValues, text);
    }
    if error.kind() == ErrorKind::UnknownArgument {
        if let Some(text) = foreign_option(&error) {
            return refuse(ErrorKind::UnknownArgument, text);
        }
        // Nothing in cslrun takes a value that looks like an option.
        error.remove(ContextKind::Suggested);
    }
    Refusal(error)
}

fn refuse(kind: ErrorKind, text: String) -> Refusal {
    Refusal(definition().error(kind, text))
}

fn foreign_option(error: &clap::Error) -> Option<String> {
    // Where clap knows a similar option, that is the better advice.
    if error.get(ContextKind::SuggestedArg).is_some() {
        return None;
    }
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return None };
    let (_, instead) = FOREIGN_OPTIONS.iter().find(|(names, _)| names.contains(&option.as_str()))?;
    Some(format!("there is no option `{option}`; {instead}"))
}

/// A word that is neither an option nor the value of one stands behind the program.
fn stray_word(words: &[OsString], error: &clap::Error) -> Option<String> {
    let is_stray = matches!(error.kind(), ErrorKind::ArgumentConflict | ErrorKind::UnknownArgument);
    let named = [ContextKind::InvalidSubcommand, ContextKind::InvalidArg].into_iter();
    let word = named.filter(|_| is_stray).find_map(|kind| match error.get(kind)? {
        ContextValue::String(word) if !word.starts_with('-') => Some(word),
        _ => None,
    })?;
    let at = words.iter().skip(1).position(|other| **other == **word)? + 1;
    let before = words[at - 1].to_string_lossy();
    let all = definition();
    let mut options = all.get_subcommands().chain([&all]).flat_map(|command| command.get_arguments());
    let takes_value = |arg: &clap::Arg| {
        arg.is_require_equals_set() && arg.get_long().is_some_and(|long| before == format!("--{long}"))
    };
    if options.any(takes_value) {
        return Some(format!("the value of `{before}` stands behind `=`: `{before}={word}`"));
    }
    Some(match word.ends_with(".csl") {
        true => format!("`{word}` is a second program, and only `cslrun check` takes several"),
        false => format!("`{word}` is neither an option nor the value of one"),
    })
}

/// The command stands behind options or behind the file.
fn command_behind(words: &[OsString]) -> Option<String> {
    let all = definition();
    let is_command = |word: &OsString| all.get_subcommands().any(|command| command.get_name() == word);
    let at = words.iter().skip(1).position(is_command)? + 1;
    let command = words[at].to_string_lossy();
    let others =
        words.iter().enumerate().skip(1).filter(|(n, _)| *n != at).map(|(_, word)| word.to_string_lossy());
    let line = others.fold(format!("cslrun {command}"), |line, word| line + " " + &word);
    (at > 1).then(|| format!("the command comes first: `{line}`"))
}
