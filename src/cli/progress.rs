//! The line that shows how far a long run has come, on a terminal.

use super::output;
use crate::Heartbeat;
use crate::diagnostics::counted;
use crate::diagnostics::render::grouped;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A shorter run shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two looks at the run.
const PERIOD: Duration = Duration::from_millis(250);

/// The run that this process does.
static PULSE: Heartbeat = Heartbeat::new();

/// Shows the line for as long as it lives.
pub struct ProgressLine(Option<(Sender<()>, JoinHandle<()>)>);

impl ProgressLine {
    /// Begins when a run begins or goes on; nothing is shown unless somebody sees it. `limit` is the one that the user has
    /// set, in cycles.
    pub fn begin(limit: Option<u64>) -> ProgressLine {
        if !output::is_watched() {
            return ProgressLine(None);
        }
        let (end, ended) = channel();
        let thread = std::thread::Builder::new().spawn(move || show(&ended, limit));
        ProgressLine(thread.ok().map(|thread| (end, thread)))
    }

    /// Where a run of this process has to show how far it has come; `None` if nobody looks.
    pub fn pulse() -> Option<&'static Heartbeat> {
        output::is_watched().then_some(&PULSE)
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.0.take() {
            drop(end);
            // It can only have ended.
            let _ = thread.join();
        }
    }
}

fn show(ended: &Receiver<()>, limit: Option<u64>) {
    let (begin, from) = (Instant::now(), PULSE.last().0);
    let mut wait = PATIENCE;
    while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        wait = PERIOD;
        let (cycle, busy) = PULSE.last();
        output::rewrite(&words((from, cycle), busy, begin.elapsed(), limit));
    }
    output::rewrite("");
}

/// `1,234,567 cycles, 400,000 per second, 16 PEs busy, at most 9 s to the limit`
fn words((from, cycle): (u64, u64), busy: u64, elapsed: Duration, limit: Option<u64>) -> String {
    // An earlier run of this process may have been longer.
    let since = if cycle < from { cycle } else { cycle - from };
    let rate = (since as f64 / elapsed.as_secs_f64()) as u64;
    let pes = counted(busy, "PE");
    let left = match limit {
        Some(limit) if rate > 0 => {
            let seconds = limit.saturating_sub(cycle).div_ceil(rate);
            format!(", at most {} to the limit", time(seconds))
        }
        Some(_) | None => String::new(),
    };
    format!("{} cycles, {} per second, {pes} busy{left}", grouped(cycle), grouped(rate))
}

fn time(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        _ => format!("{} h", grouped(seconds / 3600)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_to_the_limit_follows_from_the_speed() {
        let second = Duration::from_secs(2);
        let shown = words((0, 3_000_000), 16, second, Some(30_000_000));
        assert_eq!(shown, "3,000,000 cycles, 1,500,000 per second, 16 PEs busy, at most 18 s to the limit");
        let shown = words((9_000_000, 9_000_008), 2, second, None);
        assert_eq!(
            shown, "9,000,008 cycles, 4 per second, 2 PEs busy",
            "the run goes on after an earlier part"
        );
        assert_eq!(words((0, 10), 1, second, None), "10 cycles, 5 per second, 1 PE busy");
        assert_eq!(words((0, 0), 0, second, Some(7)), "0 cycles, 0 per second, 0 PEs busy");
        assert_eq!([time(119), time(120), time(7200)], ["119 s", "2 min", "2 h"]);
    }
}
