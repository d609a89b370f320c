//! What each thread did over time, to be drawn.

use super::accounts::Class;
use super::items::Work;
use serde::Serialize;

/// Bars that a browser draws without delay.
const MOST_BARS: usize = 200_000;

/// PEs whose rows a canvas has room for.
const MOST_PES: usize = 500;

/// A thread of a PE.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BarRow {
    /// The PE, an index into `Profile::pes`.
    pub pe: u32,
    /// The microthread; 8 for the main thread.
    pub thread: u8,
}

/// Bars, row after row, in each by time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Bars {
    /// The rows.
    pub rows: Vec<BarRow>,
    /// The row of each bar.
    pub row: Vec<u32>,
    /// Its first cycle.
    pub from: Vec<u64>,
    /// The cycle behind its last.
    pub until: Vec<u64>,
    /// 0 if the thread is busy, else what it waits for: 1 a wavelet, 2 room, 3 a FIFO, 4 a task.
    pub what: Vec<u8>,
    /// The line that most of it belongs to; -1 without one.
    pub line: Vec<i64>,
    /// Bars that are closer than this many cycles are drawn as one; 0 if none are.
    pub blur: u64,
    /// Whether there are PEs without a row.
    pub is_partial: bool,
}

/// A bar with its row.
type Bar = (u64, u64, u8, i64);

impl Bars {
    /// The bars of all threads; of too many PEs those with the highest ranks.
    pub fn new(work: &Work, rank: impl Fn(usize) -> (u64, u64)) -> Bars {
        let mut places: Vec<usize> = (0..work.pes.len()).collect();
        if places.len() > MOST_PES {
            places.sort_by_key(|place| (std::cmp::Reverse(rank(*place)), *place));
            places.truncate(MOST_PES);
            places.sort_unstable();
        }
        let mut rows: Vec<(BarRow, Vec<Bar>)> = Vec::new();
        for (place, pe) in places.into_iter().map(|place| (place, &work.pes[place])) {
            let mut threads: [Vec<Bar>; 9] = Default::default();
            for index in &pe.items {
                let item = &work.items[*index as usize];
                let share = work.shares_of(item).into_iter().max_by_key(|share| share.cycles);
                let line = share.map_or(-1, |share| i64::from(share.line));
                threads[usize::from(item.thread)].push((item.from, item.until, 0, line));
            }
            for wait in work.waits_of(pe) {
                let operation = wait.operation.map(|operation| &work.operations[operation as usize]);
                let line = operation.map_or(-1, |operation| i64::from(operation.share.line));
                let what = match Class::of(wait.on) {
                    Class::Wavelet => 1,
                    Class::Room => 2,
                    Class::Fifo => 3,
                    Class::Busy | Class::Task | Class::Idle => 4,
                };
                threads[usize::from(wait.thread)].push((wait.from, wait.until, what, line));
            }
            for (thread, mut bars) in threads.into_iter().enumerate().rev() {
                bars.sort_unstable();
                if !bars.is_empty() {
                    rows.push((BarRow { pe: place as u32, thread: thread as u8 }, bars));
                }
            }
        }
        let mut bars = Bars::blurred(rows);
        bars.is_partial = work.pes.len() > MOST_PES;
        bars
    }

    /// Too many bars become fewer, because those that are close to each other become one.
    fn blurred(mut rows: Vec<(BarRow, Vec<Bar>)>) -> Bars {
        let mut blur = 0;
        while rows.iter().map(|(_, bars)| bars.len()).sum::<usize>() > MOST_BARS.max(2 * rows.len()) {
            blur = if blur == 0 { 4 } else { 4 * blur };
            rows.iter_mut().for_each(|(_, bars)| merge(bars, blur));
        }
        let mut all = Bars { blur, ..Bars::default() };
        for (at, (row, bars)) in rows.into_iter().enumerate() {
            all.rows.push(row);
            for (from, until, what, line) in bars {
                all.row.push(at as u32);
                all.from.push(from);
                all.until.push(until);
                all.what.push(what);
                all.line.push(line);
            }
        }
        all
    }
}

/// Short bars become part of the one before them; the longer one gives the rest.
fn merge(bars: &mut Vec<Bar>, blur: u64) {
    let mut merged: Vec<Bar> = Vec::new();
    for bar in bars.drain(..) {
        match merged.last_mut() {
            Some(last) if bar.0 < last.1 + blur && bar.1 - last.0 <= 2 * blur => {
                if bar.1 - bar.0 > last.1 - last.0 {
                    (last.2, last.3) = (bar.2, bar.3);
                }
                last.1 = last.1.max(bar.1);
            }
            _ => merged.push(bar),
        }
    }
    *bars = merged;
}
