//! The format of diagnostics.

use crate::MessageFormat;
use clap::{Args, ValueEnum};
use std::ffi::OsString;

/// How diagnostics are shown.
#[derive(Args, Debug)]
pub struct FormatArgs {
    /// Format of diagnostics
    #[arg(long, value_name = "FORMAT", default_value = "plain")]
    message_format: Format,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
enum Format {
    /// Source excerpts in ASCII
    Plain,
    /// Source excerpts with drawn arrows
    Rich,
    /// One line per diagnostic
    Short,
    /// One JSON object per line, for diagnostics and for everything else that is printed
    Json,
    /// One SARIF 2.1.0 document on standard output, for code scanning; all else goes to standard error
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

impl FormatArgs {
    /// The format.
    pub fn format(&self) -> MessageFormat {
        match self.message_format {
            Format::Plain => MessageFormat::Plain,
            Format::Rich => MessageFormat::Rich,
            Format::Short => MessageFormat::Short,
            Format::Json => MessageFormat::Json,
            Format::Sarif => MessageFormat::Sarif,
            Format::Github => MessageFormat::Github,
        }
    }
}

/// Whether a command line asks for JSON, even one that makes no sense.
pub fn asks_for_json(words: &[OsString]) -> bool {
    let is_option = |word: &OsString| word == "--message-format";
    let apart = words.windows(2).any(|pair| is_option(&pair[0]) && pair[1] == "json");
    apart || words.iter().any(|word| word == "--message-format=json")
}
