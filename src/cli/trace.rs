use super::outcome::Outcome;
use crate::arch::PeCoord;
use crate::diagnostics::render::{grouped, printable};
use crate::diagnostics::suggest;
use crate::host::Runner;
use crate::image::{ExportTarget, Program};
use crate::trace::{self, Block, Filter, Recording};
use clap::Args;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// What to record of a run, and where to show it.
#[derive(Args, Debug)]
#[command(next_help_heading = "Trace")]
pub struct TraceArgs {
    /// List the events of each cycle: tasks, operations, stalls, wavelets, queues, switches
    ///
    /// Without a file, the list goes to standard output. A .txt file gets the list, a .json file a trace for https://ui.perfetto.dev.
    #[arg(long, value_name = "FILE.json|FILE.txt", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "", value_parser = target)]
    trace: Option<TraceTarget>,
    /// Trace only these PEs: a PE or a rectangle, such as 0,0 or 0..3,1; may be repeated
    #[arg(long = "trace-pe", value_name = "X,Y", requires = "trace", value_parser = block)]
    pes: Vec<Block>,
    /// Trace only this color, and the tasks and operations that use it; may be repeated
    #[arg(long = "trace-color", value_name = "N", requires = "trace", value_parser = clap::value_parser!(u8).range(0..24))]
    colors: Vec<u8>,
    /// Trace only this task, and the operations that it starts; may be repeated
    #[arg(long = "trace-task", value_name = "NAME", requires = "trace")]
    tasks: Vec<String>,
    /// Trace only these cycles, both ends included: 100..200, 100.. or ..200
    #[arg(long = "trace-cycles", value_name = "A..B", requires = "trace", value_parser = cycles)]
    cycles: Option<RangeInclusive<u64>>,
    /// End the trace after this many events [default: 1000000]
    #[arg(long = "trace-limit", value_name = "N", requires = "trace", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
}

/// Where a trace goes.
#[derive(Clone, Debug, PartialEq)]
enum TraceTarget {
    Screen,
    Text(PathBuf),
    Chrome(PathBuf),
}

impl TraceArgs {
    /// What to record, if a trace is wanted.
    pub fn filter(&self, program: &Program) -> Result<Option<Filter>, String> {
        if self.trace.is_none() {
            return Ok(None);
        }
        self.pes.iter().try_for_each(|block| check_block(block, program))?;
        self.tasks.iter().try_for_each(|name| check_task(name, program))?;
        let defaults = Filter::default();
        Ok(Some(Filter {
            pes: self.pes.clone(),
            colors: self.colors.iter().fold(0, |all, color| all | 1 << color),
            tasks: self.tasks.clone(),
            cycles: self.cycles.clone().unwrap_or(defaults.cycles),
            limit: self.limit.map_or(defaults.limit, |limit| limit as usize),
        }))
    }

    /// Shows what was recorded, however the run has ended.
    pub fn show(&self, runner: &mut Runner, outcome: &mut Outcome) {
        let (Some(target), Some(recording)) = (&self.trace, runner.recording()) else { return };
        let program = runner.program();
        let written = match target {
            TraceTarget::Screen => {
                outcome.printed += &trace::text(&recording, program);
                return;
            }
            TraceTarget::Text(path) => {
                write(path, |out| out.write_all(printable(&trace::text(&recording, program)).as_bytes()))
            }
            TraceTarget::Chrome(path) => write(path, |out| trace::chrome(&recording, program, out)),
        };
        match written {
            Ok(path) => outcome.printed += &summary(path, &recording),
            Err(diag) => outcome.refuse(diag),
        }
    }
}

fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<&Path, String> {
    let result = File::create(path).and_then(|file| {
        let mut out = BufWriter::new(file);
        fill(&mut out)?;
        out.flush()
    });
    result.map(|()| path).map_err(|e| format!("{} cannot be written: {e}", path.display()))
}

fn summary(path: &Path, recording: &Recording) -> String {
    let count = recording.events.len() as u64;
    let note = recording.note().map_or(String::new(), |note| format!("{note}\n"));
    format!("{}: {} events\n{note}", path.display(), grouped(count))
}

fn check_block(block: &Block, program: &Program) -> Result<(), String> {
    let last = PeCoord { x: program.width - 1, y: program.height - 1 };
    let (x, y) = (*block.x.end(), *block.y.end());
    if x <= last.x && y <= last.y {
        return Ok(());
    }
    let outside = PeCoord { x, y };
    Err(format!("--trace-pe: there is no {outside}; the last one is {last}"))
}

fn check_task(name: &str, program: &Program) -> Result<(), String> {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for tile in &program.tiles {
        let launched = tile.exports.iter().filter_map(|export| match export.target {
            ExportTarget::Fn(f) => Some(f),
            ExportTarget::Pointer(_) | ExportTarget::Data(_) => None,
        });
        let all = tile.tasks.iter().map(|task| task.function).chain(launched);
        names.extend(all.map(|f| tile.functions[f.0 as usize].name.as_str()));
    }
    if names.contains(name) {
        return Ok(());
    }
    let hint = match suggest::nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "the program has no task".to_string(),
        None => format!("there are {}", names.into_iter().collect::<Vec<_>>().join(", ")),
    };
    Err(format!("--trace-task: no task or exported function is called `{name}`; {hint}"))
}

fn target(text: &str) -> Result<TraceTarget, String> {
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

fn block(text: &str) -> Result<Block, String> {
    let (x, y) = text.split_once(',').ok_or("expected X,Y")?;
    Ok(Block { x: range(x)?, y: range(y)? })
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
        assert_eq!(block("3,0").unwrap(), Block { x: 3..=3, y: 0..=0 });
        assert_eq!(block("0..3, 1..2").unwrap(), Block { x: 0..=3, y: 1..=2 });
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
