use super::{Exit, output};
use std::panic::PanicHookInfo;

/// Deep programs recurse deeply; this much keeps every depth limit reachable without a crash.
const STACK_BYTES: usize = 256 << 20;

/// Installs the report for our own faults.
pub fn install() {
    std::panic::set_hook(Box::new(report));
}

/// Runs `command` on a thread with a large stack; a panic in it becomes our own exit status.
pub fn on_a_large_stack(command: impl FnOnce() -> Exit + Send + 'static) -> Exit {
    let thread = std::thread::Builder::new().name("cslrun".into()).stack_size(STACK_BYTES).spawn(command);
    match thread {
        Ok(running) => running.join().unwrap_or(Exit::OurFault),
        Err(e) => {
            output::complain(&format!("the system refuses a thread with a large stack: {e}"));
            Exit::OurFault
        }
    }
}

fn report(info: &PanicHookInfo) {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let what = text.or(payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    let place = info.location().map(|l| format!(" ({}:{})", l.file(), l.line())).unwrap_or_default();
    output::complain(&format!(
        "internal error: {what}{place}\n\
         This is a bug in cslrun {}, not in your program.\n\
         Please report it with this text, the command line and, if you can, the program.\n\
         RUST_BACKTRACE=1 adds a backtrace to this report.",
        env!("CARGO_PKG_VERSION"),
    ));
    if std::env::var_os("RUST_BACKTRACE").is_some_and(|v| v != "0") {
        output::complain(&std::backtrace::Backtrace::force_capture().to_string());
    }
}
