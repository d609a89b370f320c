//! Time, measured so that a busy machine disturbs little, and both sides of a ratio alike: the sides
//! take turns, medians count, and what one thread does is measured in processor time.

use cpu_time::ThreadTime;
use std::hint::black_box;
use std::time::Instant;

/// How often each side is measured.
const REPEATS: usize = 5;
/// A shorter work is done several times in a row for one measurement, so many seconds long.
const LONG: f64 = 0.02;

/// Two sides of a ratio.
pub struct Pair {
    /// Median seconds.
    pub ours: f64,
    /// Median seconds.
    pub anchor: f64,
    /// The median of anchor / ours of each turn: above 1 where cslrun is faster.
    pub speed: f64,
}

/// What measures `work`: a function that returns the processor seconds of one.
pub fn each<T>(mut work: impl FnMut() -> T) -> impl FnMut() -> f64 {
    let mut times = 0;
    move || {
        if times == 0 {
            let once = processor_seconds(&mut work).max(1e-9);
            times = (LONG / once).clamp(1.0, 1e6) as u32;
        }
        processor_seconds(|| (0..times).for_each(|_| drop(black_box(work())))) / f64::from(times)
    }
}

/// The seconds by the clock that `work` takes once: for what other processes and threads do.
pub fn clock_seconds<T>(mut work: impl FnMut() -> T) -> f64 {
    let begin = Instant::now();
    black_box(work());
    begin.elapsed().as_secs_f64()
}

/// The seconds that this thread works.
fn processor_seconds<T>(mut work: impl FnMut() -> T) -> f64 {
    let begin = ThreadTime::now();
    black_box(work());
    begin.elapsed().as_secs_f64()
}

/// The median of what `side` returns.
pub fn alone(mut side: impl FnMut() -> f64) -> f64 {
    median((0..REPEATS).map(|_| side()).collect())
}

/// Both sides, in turns.
pub fn beside(mut ours: impl FnMut() -> f64, mut anchor: impl FnMut() -> f64) -> Pair {
    let turns: Vec<(f64, f64)> = (0..REPEATS).map(|_| (ours(), anchor())).collect();
    Pair {
        ours: median(turns.iter().map(|t| t.0).collect()),
        anchor: median(turns.iter().map(|t| t.1).collect()),
        speed: median(turns.iter().map(|t| t.1 / t.0).collect()),
    }
}

/// The geometric mean.
pub fn geometric_mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}
