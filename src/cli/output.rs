use anstream::{AutoStream, ColorChoice};
use std::io::{self, IsTerminal, Write};

/// Writes to stdout. A reader that has gone away is no fault of anyone: what is left is dropped.
pub fn print(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
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
