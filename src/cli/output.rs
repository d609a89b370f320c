use anstream::{AutoStream, ColorChoice};
use std::io::{self, IsTerminal, Write};

/// Writes to stdout, styles only where they can be shown. A reader that has gone away is no fault of
/// anyone: what is left is dropped.
pub fn print(text: &str) {
    let mut out = anstream::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// The width of the terminal, if that is where stdout goes.
pub fn width() -> Option<usize> {
    let size = terminal_size::terminal_size_of(io::stdout());
    size.map(|(terminal_size::Width(width), _)| width.into())
}

/// Writes to stderr.
pub fn print_error(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Says on stderr, in the name of the command, what stands in the way.
pub fn complain(text: &str) {
    print_error(&format!("cslrun: {text}\n"));
}

/// Whether diagnostics are shown in colour.
pub fn colored() -> bool {
    let stderr = io::stderr();
    stderr.is_terminal() && AutoStream::choice(&stderr) != ColorChoice::Never
}
