//! Queues: what `@initialize_queue` binds them to.

use super::arguments::chosen;
use super::choices::{bad_choice, unknown_setting, wrong_type};
use super::entry::{Builtin, Call, Phase, Run, USUAL};
use super::ids;
use crate::arch::{ArchName, Color, InQueue, NO_COLOR, OutQueue};
use crate::diagnostics::rules::{comptime, tasks as rules};
use crate::diagnostics::{At, Result};
use crate::dsd::Priority;
use crate::image::QueueBinding;
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::walk::Sema;
use crate::value::ty::IdKind;
use std::fmt::Display;

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "initialize_queue", takes: 1..=2, phase: Phase::Block,
        usage: "@initialize_queue(queue, .{..})",
        doc: "binds a queue to a color",
        run: Run::Operand(initialize_queue), ..USUAL },
];

fn initialize_queue(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let at = sema.span(call.args[0]);
    let queue = sema.known(call.args[0])?;
    let Value::Id(kind @ (IdKind::InputQueue | IdKind::OutputQueue), n) = queue else {
        return Err(comptime::TYPE_MISMATCH
            .because(&[("want", &"input_queue or output_queue"), ("have", &queue.ty())])
            .at(at));
    };
    let (color, priority) = queue_settings(sema, call, kind, n)?;
    let span = call.span;
    let Some(color) = color else {
        // on WSE-2 an output queue carries any color
        if kind == IdKind::OutputQueue && sema.arch.name == ArchName::Wse2 {
            return Ok(Operand::void());
        }
        return Err(rules::QUEUE_COLOR.plain().at(span).help("write `.{ .color = .. }`"));
    };
    if kind == IdKind::InputQueue {
        let queue = InQueue(n as u8);
        push_queue(
            &mut sema.lower.tile.image.input_queues,
            QueueBinding { queue, color, priority, explicit: true, span },
            true,
        )?;
    } else {
        let queue = OutQueue(n as u8);
        push_queue(
            &mut sema.lower.tile.image.output_queues,
            QueueBinding { queue, color, priority, explicit: true, span },
            false,
        )?;
    }
    Ok(Operand::void())
}

/// The settings of `@initialize_queue`.
pub fn settings_of(arch: ArchName) -> &'static [&'static str] {
    match arch {
        ArchName::Wse2 => &["color", "priority"],
        ArchName::Wse3 => &["color", CONTROL_TABLE, "dense_mode"],
    }
}

/// The setting with which input queues find control tasks; output queues do not have it.
const CONTROL_TABLE: &str = "ctrl_table_id";

/// The color and the priority that `@initialize_queue` gives queue `n`; its table of control tasks is
/// set at once.
fn queue_settings(
    sema: &mut Sema<'_>,
    call: Call<'_>,
    kind: IdKind,
    n: u16,
) -> Result<(Option<Color>, Priority)> {
    let (mut color, mut priority) = (None, Priority::High);
    if let Some(cfg) = call.args.get(1) {
        let cfg_at = sema.span(*cfg);
        let v = sema.known(*cfg)?;
        if let Value::Id(IdKind::Color, c) = v {
            color = queue_color(sema, c).at(cfg_at)?;
        }
        for (name, v) in v.fields().unwrap_or_default() {
            match (name.as_str(), &v) {
                ("color", Value::Id(IdKind::Color, c)) => color = queue_color(sema, *c).at(cfg_at)?,
                ("color", v) => {
                    let example = match v {
                        Value::Int(_, n) => format!(".color = @get_color({n})"),
                        _ => ".color = @get_color(0)".to_string(),
                    };
                    return Err(wrong_type("color", v, "a color", &example).at(cfg_at));
                }
                ("priority", v) if sema.arch.name == ArchName::Wse2 => {
                    priority = priority_of(v).at(cfg_at)?
                }
                (CONTROL_TABLE, v) if sema.arch.name == ArchName::Wse3 && kind == IdKind::InputQueue => {
                    let choices = || bad_choice(v, "0 to 7");
                    let table = v.to::<u8>().filter(|n| *n < 8).ok_or_else(choices).at(cfg_at)?;
                    sema.lower.tile.queue_tables[usize::from(n & 7)] = table;
                }
                ("dense_mode", _) if sema.arch.name == ArchName::Wse3 => {}
                _ => {
                    let mut known = settings_of(sema.arch.name).to_vec();
                    known.retain(|name| *name != CONTROL_TABLE || kind == IdKind::InputQueue);
                    return Err(unknown_setting(&name, "`@initialize_queue`", &known).at(cfg_at));
                }
            }
        }
    }
    Ok((color, priority))
}

/// The color with a number; `None` if that stands for no color.
fn queue_color(sema: &mut Sema<'_>, number: u16) -> Result<Option<Color>> {
    if number != NO_COLOR {
        ids::refuse_no_color(sema, &Operand::Known(Value::Id(IdKind::Color, number)))?;
    }
    Ok(Color::numbered(number))
}

/// `.{ .high = true }`, `.{ .medium = true }` or `.{ .low = true }`.
pub fn priority_of(v: &Value) -> Result<Priority> {
    match chosen(v).as_deref() {
        Some("high") => Ok(Priority::High),
        Some("medium") => Ok(Priority::Medium),
        Some("low") => Ok(Priority::Low),
        _ => Err(bad_choice(v, "`.high`, `.medium`, `.low`").help("write `.priority = .{ .high = true }`")),
    }
}

fn push_queue<Q: PartialEq + Copy + Display>(
    all: &mut Vec<QueueBinding<Q>>,
    new: QueueBinding<Q>,
    one_color: bool,
) -> Result<()> {
    if let Some(old) = all.iter().find(|b| b.queue == new.queue) {
        let facts: [(&str, &dyn Display); 2] =
            [("kind", &if one_color { "input" } else { "output" }), ("queue", &new.queue)];
        return Err(rules::QUEUE_TWICE.because(&facts).at(new.span).also(old.span, "first initialized here"));
    }
    if let Some(old) = all.iter().find(|b| one_color && b.color == new.color) {
        return Err(rules::QUEUE_COLOR_TWICE
            .because(&[("color", &new.color)])
            .at(new.span)
            .also(old.span, "the other queue"));
    }
    all.push(new);
    Ok(())
}
