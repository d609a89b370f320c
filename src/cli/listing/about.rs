//! What a program does with one color or one id, in a few lines of Markdown for an editor.

use super::describe::config;
use super::places::places;
use super::{homes, routes_of};
use crate::diagnostics::counted;
use crate::diagnostics::render::grouped;
use crate::image::{TaskKind, TileImage};
use crate::{Program, Span};
use std::collections::BTreeMap;
use std::path::Path;

/// Lines that are shown at most.
const MOST: usize = 12;

/// The routes of a color, and the queues that are bound to it.
pub fn color(program: &Program, number: u8) -> String {
    let mut lines = Vec::new();
    for (color, config_of, pes) in routes_of(program) {
        if color == number {
            lines.push(format!("- {} on {}", config(config_of), places(&pes, program.width)));
        }
    }
    let homes = homes(program);
    for (tile, pes) in program.tiles.iter().zip(&homes) {
        let on = places(pes, program.width);
        let inputs = tile.input_queues.iter().filter(|queue| queue.color.0 == number);
        lines.extend(inputs.map(|queue| format!("- input queue {} on {on}", queue.queue)));
        let outputs = tile.output_queues.iter().filter(|queue| queue.color.0 == number);
        lines.extend(outputs.map(|queue| format!("- output queue {} on {on}", queue.queue)));
    }
    list(lines)
}

/// The tasks or the colors that are bound to a number of this type.
pub fn bound(program: &Program, ty: &str, number: u16) -> String {
    let mut lines = Vec::new();
    for (tile, pes) in program.tiles.iter().zip(homes(program)) {
        let on = places(&pes, program.width);
        lines.extend(bound_on(tile, ty, number).into_iter().map(|what| format!("- {what} on {on}")));
    }
    list(lines)
}

fn bound_on(tile: &TileImage, ty: &str, number: u16) -> Vec<String> {
    let kind = match ty {
        "input_queue" => {
            let queues = tile.input_queues.iter().filter(|queue| u16::from(queue.queue.0) == number);
            return queues.map(|queue| format!("color {}", queue.color)).collect();
        }
        "output_queue" => {
            let queues = tile.output_queues.iter().filter(|queue| u16::from(queue.queue.0) == number);
            return queues.map(|queue| format!("color {}", queue.color)).collect();
        }
        "data_task_id" => TaskKind::Data,
        "control_task_id" => TaskKind::Control,
        "local_task_id" => TaskKind::Local,
        _ => return Vec::new(),
    };
    let tasks = tile.tasks.iter().filter(|task| task.kind == kind && u16::from(task.id.0) == number);
    tasks.map(|task| format!("task `{}`", task.name)).collect()
}

/// The memory of the tiles whose code is in a file: `1,234 words of 24,576 for globals`.
pub fn memory(program: &Program, file: &str) -> String {
    let used: Vec<u16> = program
        .tiles
        .iter()
        .filter(|tile| Path::new(&tile.file) == Path::new(file))
        .map(|t| t.data_end)
        .collect();
    let all = grouped(program.arch.numbers().memory_words.into());
    match (used.iter().min(), used.iter().max()) {
        (Some(least), Some(most)) if least == most => {
            format!("{} of {all} for globals", counted((*most).into(), "word"))
        }
        (Some(least), Some(most)) => {
            format!(
                "{} to {} of {all} for globals",
                grouped((*least).into()),
                counted((*most).into(), "word")
            )
        }
        _ => String::new(),
    }
}

/// The registers of each operation, as far as they are the same on all tiles, and why.
pub fn registers_of_operations(program: &Program) -> Vec<(Span, String, String)> {
    let mut all: BTreeMap<Span, Option<(String, String)>> = BTreeMap::new();
    for tile in &program.tiles {
        let mut here: BTreeMap<Span, (String, String)> = BTreeMap::new();
        for used in &tile.operands {
            let (registers, why) = here.entry(used.span).or_default();
            let comma = if registers.is_empty() { "" } else { "; " };
            *registers += &format!("{comma}{}", used.registers);
            *why += &format!("{}: {}, {}\n", used.operand, used.registers, used.why);
        }
        for (span, known) in here {
            let same = all.entry(span).or_insert_with(|| Some(known.clone()));
            if same.as_ref().is_some_and(|(registers, _)| *registers != known.0) {
                *same = None;
            }
        }
    }
    all.into_iter().filter_map(|(span, known)| known.map(|(registers, why)| (span, registers, why))).collect()
}

fn list(mut lines: Vec<String>) -> String {
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    if more > 0 {
        lines.push(format!("- and {more} more"));
    }
    lines.join("\n")
}
