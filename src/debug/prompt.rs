//! The debugger at a terminal: commands line by line.

use super::console::Console;
use super::session::Session;
use crate::debug::Debuggee;
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// Debugs a program at a terminal, or from a file with commands. `pause` becomes true when a run is to stop; lines are
/// repeated if they come from a file.
///
/// # Errors
/// What the system says about the output.
pub fn prompt(
    debuggee: Debuggee,
    pause: &'static AtomicBool,
    (input, output): (&mut dyn BufRead, &mut dyn Write),
    echoes: bool,
) -> io::Result<()> {
    let mut console = Console::new(Session::new(debuggee, pause));
    let (width, height) = console.session.program().size();
    writeln!(output, "{width} x {height} PEs, before the first cycle; `help` lists the commands")?;
    let mut last = String::new();
    loop {
        match exchange(&mut console, pause, (input, output), (echoes, &mut last))? {
            ControlFlow::Continue(()) => {}
            ControlFlow::Break(()) => return Ok(()),
        }
    }
}

/// Reads a command, does it and tells what came of it; the debugger ends with a break.
///
/// # Errors
/// What the system says about the output.
pub fn exchange(
    console: &mut Console,
    pause: &AtomicBool,
    (input, output): (&mut dyn BufRead, &mut dyn Write),
    (echoes, last): (bool, &mut String),
) -> io::Result<ControlFlow<()>> {
    write!(output, "(cslrun) ")?;
    output.flush()?;
    let mut line = String::new();
    if input.read_line(&mut line)? == 0 {
        writeln!(output)?;
        return Ok(ControlFlow::Break(()));
    }
    let line = line.trim();
    if echoes {
        writeln!(output, "{line}")?;
    }
    // An empty line repeats the last command, as in gdb.
    if !line.is_empty() {
        *last = line.to_string();
    }
    if last.is_empty() || last.starts_with('#') {
        return Ok(ControlFlow::Continue(()));
    }
    // What was asked while nothing ran is forgotten.
    pause.store(false, Ordering::Relaxed);
    match console.perform(last) {
        Ok(reply) if reply.ends => return Ok(ControlFlow::Break(())),
        Ok(reply) => output.write_all(reply.text.as_bytes())?,
        Err(why) => writeln!(output, "{why}")?,
    }
    Ok(ControlFlow::Continue(()))
}
