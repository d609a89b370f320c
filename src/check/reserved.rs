//! Checks for colors, ids, queues and registers that belong to the system or to a library.

use crate::arch::{ArchName, Color, DsrFile, DsrId, InQueue, MEMCPY_COLORS, MESSAGE_COLORS};
use crate::diagnostics::rules::check as rules;
use crate::diagnostics::{Diag, Diagnostic};
use crate::image::{Program, TaskKind, TileImage};
use crate::source::Span;
use std::collections::BTreeSet;

/// Ids of its tasks, in addition to those of its colors (ruling OQ-54).
const MEMCPY_TASKS: &[u8] = &[27, 28, 30];
/// One of them was free in the first releases: an official example of SDK 0.5 and 0.6 has a task of this number.
const ONCE_FREE: u8 = 27;
/// Registers that it uses for copies (docs: reserved resources).
const MEMCPY_DSRS: [DsrId; 2] =
    [DsrId { file: DsrFile::Dest, number: 0 }, DsrId { file: DsrFile::Src1, number: 0 }];
/// Ids of its control tasks.
const MEMCPY_CONTROL_TASKS: &[u8] = &[33, 34, 35, 36, 37];

/// Checks that a program does not use reserved numbers.
pub fn check(program: &Program) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if program.memcpy.is_some() {
        found.extend(colors(program).map(Diagnostic::from));
    }
    found.extend(message_colors(program).map(Diagnostic::from));
    for tile in &program.tiles {
        found.extend(tasks(program, tile).map(Diagnostic::from));
        if tile.has_memcpy {
            found.extend(registers(program, tile).map(Diagnostic::from));
            match program.arch {
                ArchName::Wse2 => found.extend(commands(program, tile).map(Diagnostic::from)),
                ArchName::Wse3 => found.extend(queues(tile).map(Diagnostic::from)),
            }
        }
    }
    found
}

/// Operations that read the input queue of the library's commands on WSE-2. Sending from output queue 0 is no
/// mistake: public programs do so while the library works (ruling OQ-55).
fn commands(program: &Program, tile: &TileImage) -> Option<Diag> {
    let mut takes = tile.takes().filter(|t| t.queue == Some(InQueue(0)) && !in_library(program, t.span));
    let c = rules::MEMCPY_QUEUE_SHARED.plain().at(takes.next()?.span);
    Some(c.help("use a queue from 1 to 7"))
}

/// Registers of the library that a program uses across several tasks, by asynchronous operations or by loads
/// before the start. Other uses end before the library runs.
fn registers(program: &Program, tile: &TileImage) -> impl Iterator<Item = Diag> {
    let loads = tile.dsr_loads.iter().enumerate().filter(|(_, l)| MEMCPY_DSRS.contains(&l.dsr.id));
    let lasting = loads.filter(|(n, l)| l.config.is_async || tile.initial_dsrs.contains(&(*n as u32)));
    lasting.filter(|(_, l)| !in_library(program, l.span)).map(|(_, l)| {
        let c = rules::MEMCPY_DSR.because(&[("dsr", &l.dsr.id)]).at(l.span);
        c.help("use a register with another number")
    })
}

/// Routes on colors of the memcpy library; without one, operations that send or receive such a color.
fn colors(program: &Program) -> impl Iterator<Item = Diag> {
    let pes = 0..program.place.len();
    let mut found: Vec<(Color, Span)> =
        routes_on(program, pes, |color| MEMCPY_COLORS.contains(&color)).collect();
    let routed: BTreeSet<Color> = found.iter().map(|(color, _)| *color).collect();
    let traffic = program.tiles.iter().flat_map(|tile| {
        let sent = tile.sends().filter(|s| s.is_sure).map(|s| (s.color, s.span));
        sent.chain(tile.takes().filter(|t| t.is_sure).map(|t| (t.color, t.span)))
    });
    for (color, span) in traffic.filter_map(|(color, span)| Some((color?, span))) {
        let is_own = MEMCPY_COLORS.contains(&color.0) && !in_library(program, span);
        if is_own && !routed.contains(&color) && !found.contains(&(color, span)) {
            found.push((color, span));
        }
    }
    found.into_iter().map(|(color, span)| {
        let c = rules::MEMCPY_COLOR.because(&[("color", &color)]).at(span);
        c.help("use a color from 0 to 20")
    })
}

/// Routes on colors of `<message_passing>`, on PEs that import it. It does no harm where the library is imported for its
/// names only: such a program runs with SDK 2.10.
fn message_colors(program: &Program) -> impl Iterator<Item = Diag> {
    let has_messages =
        |pe: &usize| program.tile_at(program.pe_coord(*pe)).is_some_and(|tile| tile.mailbox.is_some());
    let pes = (0..program.place.len()).filter(has_messages);
    routes_on(program, pes, |color| MESSAGE_COLORS.contains(&color)).map(|(color, span)| {
        let c = rules::MESSAGE_COLOR.because(&[("color", &color)]).at(span);
        let (first, last) = (MESSAGE_COLORS.start(), MESSAGE_COLORS.end());
        c.help(format!("use a color from 0 to {} or from {} on", first - 1, last + 1))
    })
}

/// Routes on some colors, each line once.
fn routes_on(
    program: &Program,
    pes: impl Iterator<Item = usize>,
    is_one: impl Fn(u8) -> bool,
) -> impl Iterator<Item = (Color, Span)> {
    let mut told = BTreeSet::new();
    let rows = pes.flat_map(|pe| program.routes.row(pe));
    rows.filter(move |(color, _)| is_one(color.0)).filter_map(move |(color, id)| {
        let span = program.routes.declared()[*id as usize].span?;
        told.insert((color.0, span)).then_some((*color, span))
    })
}

fn tasks(program: &Program, tile: &TileImage) -> impl Iterator<Item = Diag> {
    let is_wse2 = program.arch == ArchName::Wse2;
    // The bindings of the library itself are intended.
    let own = tile.tasks.iter().filter(|t| tile.has_memcpy && !in_library(program, t.span));
    own.filter_map(move |t| {
        let facts: [(&str, &dyn std::fmt::Display); 2] = [("id", &t.id), ("name", &t.name)];
        let is_color = MEMCPY_COLORS.contains(&t.id.0);
        let rule = match t.kind {
            TaskKind::Control => MEMCPY_CONTROL_TASKS.contains(&t.id.0).then_some(&rules::MEMCPY_TASK_ID),
            // On WSE-3 a data task has the number of its queue.
            TaskKind::Data => (is_wse2 && is_color).then_some(&rules::MEMCPY_TASK_ID),
            TaskKind::Local if tile.has_old_tasks && t.id.0 == ONCE_FREE => None,
            TaskKind::Local if MEMCPY_TASKS.contains(&t.id.0) => Some(&rules::MEMCPY_TASK_ID),
            TaskKind::Local => (is_wse2 && is_color).then_some(&rules::MEMCPY_TASK_SHARED),
        };
        Some(rule?.because(&facts).at(t.span).help("use another id"))
    })
}

fn in_library(program: &Program, span: Span) -> bool {
    program.sources.file(span.file).name.starts_with('<')
}

fn queues(tile: &TileImage) -> impl Iterator<Item = Diag> {
    let inputs = tile.input_queues.iter().map(|b| ("input", b.queue.0, b.span));
    let outputs = tile.output_queues.iter().map(|b| ("output", b.queue.0, b.span));
    let own = |kind| if kind == "input" { 2 } else { 1 };
    inputs.chain(outputs).filter(move |(kind, n, _)| *n < own(*kind)).map(move |(kind, n, span)| {
        let name = format!("{kind} queue {n}");
        let help = format!("use a queue from {} to 7", own(kind));
        rules::MEMCPY_QUEUE.because(&[("queue", &name)]).at(span).help(help)
    })
}
