//! The answer to Ctrl-C and to SIGTERM, with which `timeout` and CI end a process: a run is asked to stop and to
//! report; anything else ends at once.

use super::{Exit, output, terminal};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

/// How long a run may take to stop and to report before the user is told that it does.
const PATIENCE: Duration = Duration::from_millis(700);

const COMPILES: u8 = 0;
const RUNS: u8 = 1;
const REPORTS: u8 = 2;
const DEBUGS: u8 = 3;
const SERVES: u8 = 4;

static PHASE: AtomicU8 = AtomicU8::new(COMPILES);
static ASKED: AtomicBool = AtomicBool::new(false);
static TERMINATES: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C ends the command, and SIGTERM does so after a report.
pub fn install() {
    // Without a handler the default holds: the signal ends the process.
    #[cfg(not(target_family = "wasm"))]
    let _ = ctrlc::set_handler(answer);
    #[cfg(unix)]
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([signal_hook::consts::SIGTERM]) {
        std::thread::spawn(move || signals.forever().for_each(|_| terminate()));
    }
}

/// Lets a run stop and report; ends any other command, and a run that does not stop.
#[cfg(unix)]
fn terminate() {
    TERMINATES.store(true, Ordering::Relaxed);
    if PHASE.load(Ordering::Relaxed) != RUNS || ASKED.swap(true, Ordering::Relaxed) {
        terminal::restore();
        std::process::exit(Exit::Terminated as i32);
    }
}

/// A run begins: what it has to look at.
pub fn run_begins() -> &'static AtomicBool {
    PHASE.store(RUNS, Ordering::Relaxed);
    &ASKED
}

/// Whether the user has asked the run to stop.
pub fn is_asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// How a command ends that was asked to stop.
pub fn exit() -> Exit {
    if TERMINATES.load(Ordering::Relaxed) { Exit::Terminated } else { Exit::Interrupted }
}

/// A run is debugged: what it has to look at. Ctrl-C pauses it, and once more ends the command.
pub fn debugger_begins() -> &'static AtomicBool {
    PHASE.store(DEBUGS, Ordering::Relaxed);
    &ASKED
}

/// A server begins, which only Ctrl-C ends: that is no failure.
pub fn server_begins() {
    PHASE.store(SERVES, Ordering::Relaxed);
}

/// The run has ended, in whatever way.
pub fn run_ends() {
    PHASE.store(REPORTS, Ordering::Relaxed);
}

#[cfg_attr(target_family = "wasm", expect(dead_code, reason = "a browser has no signals"))]
fn answer() {
    let is_first = !ASKED.swap(true, Ordering::Relaxed);
    let phase = PHASE.load(Ordering::Relaxed);
    if phase == SERVES {
        std::process::exit(Exit::Fine as i32);
    }
    if is_first && phase == DEBUGS {
        return;
    }
    if is_first && phase == RUNS {
        std::thread::sleep(PATIENCE);
        if PHASE.load(Ordering::Relaxed) == RUNS {
            output::complain("interrupted; preparing the report (press Ctrl-C again to skip it)");
        }
        return;
    }
    terminal::restore();
    output::complain(if phase == COMPILES { "interrupted before the program ran" } else { "interrupted" });
    std::process::exit(Exit::Interrupted as i32);
}
