//! The arguments of `cslrun run` that select a trace.

use crate::Color;
use crate::trace::PeRange;
use clap::Args;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// What to record of a run, and where to show it.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Trace")]
pub struct TraceArgs {
    /// List the events of each cycle: tasks, operations, stalls, wavelets, queues, switches
    ///
    /// Without a file, the list goes to standard output. A .txt file gets the list, a .json file a trace for https://ui.perfetto.dev.
    #[arg(long, value_name = "FILE.json|FILE.txt", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "", value_parser = target)]
    pub trace: Option<TraceTarget>,
    /// Trace only these PEs: a PE or a rectangle, such as 0,0 or 0..3,1; may be repeated
    #[arg(long = "trace-pe", value_name = "X,Y", requires = "trace", value_parser = block)]
    pub pes: Vec<PeRange>,
    /// Trace only this color, and the tasks and operations that use it; may be repeated
    #[arg(long = "trace-color", value_name = "N", requires = "trace", value_parser = color)]
    pub colors: Vec<u8>,
    /// Trace only this task, and the operations that it starts; may be repeated
    #[arg(long = "trace-task", value_name = "NAME", requires = "trace")]
    pub tasks: Vec<String>,
    /// Trace only these cycles, both ends included: 100..200, 100.. or ..200
    #[arg(long = "trace-cycles", value_name = "A..B", requires = "trace", value_parser = cycles)]
    pub cycles: Option<RangeInclusive<u64>>,
    /// End the trace after this many events [default: 1000000]
    #[arg(long = "trace-limit", value_name = "N", requires = "trace", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,
}

/// Where a trace goes.
#[derive(Clone, Debug, PartialEq)]
pub enum TraceTarget {
    /// Standard output.
    Screen,
    /// A file with the list.
    Text(PathBuf),
    /// A file for Perfetto.
    Chrome(PathBuf),
}

/// Where a trace goes, by the name of its file; without a name to standard output.
pub fn target(text: &str) -> Result<TraceTarget, String> {
    let path = || PathBuf::from(text);
    match Path::new(text).extension().and_then(|e| e.to_str()) {
        None if text.is_empty() => Ok(TraceTarget::Screen),
        Some("json") => Ok(TraceTarget::Chrome(path())),
        Some("txt") => Ok(TraceTarget::Text(path())),
        Some("pftrace" | "perfetto-trace") => {
            Err("write a .json file: Perfetto opens it as well".to_string())
        }
        Some(_) | None => Err("the name must end in .json or .txt".to_string()),
    }
}

fn color(text: &str) -> Result<u8, String> {
    let number = text.parse().ok().filter(|n| *n < Color::COUNT);
    number.ok_or_else(|| format!("`{text}` is no color: the colors are 0 to {}", Color::COUNT - 1))
}

fn block(text: &str) -> Result<PeRange, String> {
    let (x, y) = text.split_once(',').ok_or("expected X,Y")?;
    Ok(PeRange { x: range(x)?, y: range(y)? })
}

/// `3`, or `0..3` with both ends.
fn range(text: &str) -> Result<RangeInclusive<u16>, String> {
    let number = |t: &str| t.trim().parse::<u16>().map_err(|_| format!("`{t}` is not a PE coordinate"));
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let (first, last) = (number(first)?, number(last)?);
    if first > last { Err(format!("`{text}` is empty")) } else { Ok(first..=last) }
}

fn cycles(text: &str) -> Result<RangeInclusive<u64>, String> {
    let (first, last) = text.split_once("..").ok_or("expected A..B")?;
    let number = |t: &str, default: u64| match t.trim() {
        "" => Ok(default),
        t => t.replace(['_', ','], "").parse::<u64>().map_err(|_| format!("`{t}` is not a cycle")),
    };
    let (first, last) = (number(first, 0)?, number(last, u64::MAX)?);
    if first > last { Err(format!("`{text}` is empty")) } else { Ok(first..=last) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pe_and_a_rectangle_are_blocks_with_both_ends() {
        assert_eq!(block("3,0").unwrap(), PeRange { x: 3..=3, y: 0..=0 });
        assert_eq!(block("0..3, 1..2").unwrap(), PeRange { x: 0..=3, y: 1..=2 });
        for wrong in ["3", "3,", "3..1,0", "a,0", "-1,0", "1,2,3"] {
            assert!(block(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn cycles_may_be_open_at_either_end() {
        assert_eq!(cycles("100..2_000").unwrap(), 100..=2000);
        assert_eq!(cycles("..7").unwrap(), 0..=7);
        assert_eq!(cycles("7..").unwrap(), 7..=u64::MAX);
        for wrong in ["7", "9..8", "a..b"] {
            assert!(cycles(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_name_of_a_file_says_what_is_written() {
        assert_eq!(target("").unwrap(), TraceTarget::Screen);
        assert_eq!(target("a.b/run.json").unwrap(), TraceTarget::Chrome("a.b/run.json".into()));
        assert_eq!(target("run.txt").unwrap(), TraceTarget::Text("run.txt".into()));
        for wrong in ["run", "run.svg", "run.pftrace"] {
            assert!(target(wrong).is_err(), "{wrong}");
        }
    }
}
