use super::args::{TraceArgs, TraceTarget};
use super::outcome::Outcome;
use super::output;
use super::record::Record;
use crate::diagnostics::render::{grouped, printable};
use crate::diagnostics::suggest;
use crate::image::ExportTarget;
use crate::trace::{self, PeRange, Recording, TraceFilter};
use crate::{PeCoord, Program, Runner};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

/// What to record, if a trace is wanted.
pub fn filter(args: &TraceArgs, program: &Program) -> Result<Option<TraceFilter>, String> {
    if args.trace.is_none() {
        return Ok(None);
    }
    args.pes.iter().try_for_each(|block| check_block(block, program))?;
    args.tasks.iter().try_for_each(|name| check_task(name, program))?;
    let defaults = TraceFilter::default();
    Ok(Some(TraceFilter {
        pes: args.pes.clone(),
        colors: args.colors.iter().fold(0, |all, color| all | 1 << color),
        tasks: args.tasks.clone(),
        cycles: args.cycles.clone().unwrap_or(defaults.cycles),
        limit: args.limit.map_or(defaults.limit, |limit| limit as usize),
        code: false,
    }))
}

/// Shows what was recorded, however the run has ended.
pub fn show(args: &TraceArgs, runner: &mut Runner, outcome: &mut Outcome) {
    let (Some(target), Some(recording)) = (&args.trace, runner.recording()) else { return };
    let program = runner.program();
    let written = match target {
        TraceTarget::Screen => {
            let text = trace::text(&recording, program);
            outcome.tell(&text, &Record::Text { of: "trace", text: &text });
            return;
        }
        TraceTarget::Text(path) => {
            write(path, |out| out.write_all(printable(&trace::text(&recording, program)).as_bytes()))
        }
        TraceTarget::Chrome(path) => write(path, |out| trace::chrome(&recording, program, out)),
    };
    match written {
        Ok(path) => {
            let record =
                Record::File { path: path.display().to_string(), holds: "trace", without: Vec::new() };
            outcome.tell(&summary(path, &recording), &record);
        }
        Err(diag) => outcome.refuse(diag),
    }
}

fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<&Path, String> {
    let result = output::write_file(path, fill);
    result.map(|()| path).map_err(|e| output::unwritten(path, e))
}

fn summary(path: &Path, recording: &Recording) -> String {
    let count = recording.events.len() as u64;
    let note = recording.note().map_or(String::new(), |note| format!("{note}\n"));
    format!("{}: {} events\n{note}", path.display(), grouped(count))
}

fn check_block(block: &PeRange, program: &Program) -> Result<(), String> {
    let (width, height) = program.size();
    let last = PeCoord { x: width - 1, y: height - 1 };
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
