//! The DSDs of wavelets: `@get_dsd(fabin_dsd, ..)` and `@get_dsd(fabout_dsd, ..)`.

use super::dsd_edits::Edits;
use super::properties::{Fields, Property, extent_value, missing_property, no_such_property, properties_of};
use super::{ids, queues};
use crate::arch::{Arch, ArchName, Color, InQueue, OutQueue};
use crate::diagnostics::rules::{dsd as rules, tasks};
use crate::diagnostics::{At, Diag, Result};
use crate::dsd::{Dsd, FabIn, FabOut, Priority, Simd};
use crate::image::code::DsdEdit;
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::value::ty::{DsdTy, IdKind, Ty};

/// What fabin and fabout DSDs have in common.
#[derive(Default)]
struct FabricProperties {
    color: Option<Color>,
    queue: Option<u8>,
    extent: u16,
    control_transform: bool,
    simd: Simd,
    priority: Priority,
}

pub(super) fn fabin(sema: &mut Sema<'_>, fields: Fields, edits: &mut Edits, at: Span) -> Result<Dsd> {
    let (common, rest) = fabric_properties(sema, fields, DsdTy::FabIn, edits, at)?;
    if let Some(property) = rest.first() {
        return Err(no_such_property(property, DsdTy::FabIn));
    }
    let queue = common.queue.map(InQueue);
    if let (ArchName::Wse2, Some(color), Some(queue)) = (sema.arch.name, common.color, queue) {
        sema.lower.tile.bind_implicitly(queue, color, at);
    }
    let FabricProperties { color, extent, control_transform, simd, priority, .. } = common;
    Ok(Dsd::FabIn(FabIn { color, queue, extent, control_transform, simd, priority }))
}

pub(super) fn fabout(sema: &mut Sema<'_>, fields: Fields, edits: &mut Edits, at: Span) -> Result<Dsd> {
    let (common, rest) = fabric_properties(sema, fields, DsdTy::FabOut, edits, at)?;
    let FabricProperties { color, extent, control_transform, simd, priority, .. } = common;
    let queue = common.queue.map(OutQueue);
    let mut f = FabOut {
        color,
        queue,
        extent,
        control: false,
        index_offset: false,
        advance_switch: false,
        control_transform,
        zero: None,
        simd,
        priority,
    };
    for property in rest {
        match property.name.as_str() {
            "control" => f.control = property.flag()?,
            "wavelet_index_offset" => f.index_offset = property.flag()?,
            "advance_switch" => f.advance_switch = property.flag()?,
            "zero" => f.zero = property.zero_source()?,
            _ => return Err(no_such_property(&property, DsdTy::FabOut)),
        }
    }
    Ok(Dsd::FabOut(f))
}

/// The properties that both kinds of fabric DSD have, and the others.
fn fabric_properties(
    sema: &mut Sema<'_>,
    fields: Fields,
    kind: DsdTy,
    edits: &mut Edits,
    at: Span,
) -> Result<(FabricProperties, Fields)> {
    let (queue_name, queue_kind) = match kind {
        DsdTy::FabIn => ("input_queue", IdKind::InputQueue),
        _ => ("output_queue", IdKind::OutputQueue),
    };
    let mut f = FabricProperties::default();
    let mut rest = Fields::new();
    let mut has_extent = false;
    for property in fields {
        match property.name.as_str() {
            "extent" => {
                has_extent = true;
                fabric_extent(sema, property, &mut f.extent, edits)?;
            }
            "fabric_color" => f.color = color_property(sema, property, edits)?,
            "control_transform" => f.control_transform = property.flag()?,
            "simd_mode" => f.simd = property.simd()?,
            "priority" if sema.arch.name == ArchName::Wse2 => {
                let what = format!("`.priority` of a {}", Ty::Dsd(kind));
                let diag = tasks::ONLY_ON_WSE3.because(&[("what", &what)]).at(property.at);
                return Err(diag.help("give it to the operation: `.{ .async = true, .priority = .. }`"));
            }
            "priority" => f.priority = queues::priority_of(property.known()?).at(property.at)?,
            name if name == queue_name => f.queue = queue_property(sema, property, queue_kind, edits)?,
            "input_queue" | "output_queue" => return Err(queue_of_other(&property, kind)),
            _ => rest.push(property),
        }
    }
    if !has_extent {
        return Err(missing_property("extent", kind).at(at));
    }
    // A misspelled queue comes before a missing one.
    if let Some(unknown) = rest.iter().find(|p| !properties_of(kind).contains(&p.name.as_str())) {
        return Err(no_such_property(unknown, kind));
    }
    check_fabric(sema.arch, kind, f.color.is_some(), f.queue.is_some(), edits, at)?;
    Ok((f, rest))
}

/// A DSD that sends has no input queue, and one that receives no output queue.
fn queue_of_other(given: &Property, kind: DsdTy) -> Diag {
    let help = match kind {
        DsdTy::FabIn => {
            "a fabin_dsd receives through its `.input_queue`; to send, write `@get_dsd(fabout_dsd, ..)`"
        }
        _ => "a fabout_dsd sends through its `.output_queue`; to receive, write `@get_dsd(fabin_dsd, ..)`",
    };
    no_such_property(given, kind).help(help)
}

fn check_fabric(arch: &Arch, kind: DsdTy, color: bool, queue: bool, edits: &Edits, at: Span) -> Result<()> {
    let later = |e: DsdEdit| edits.iter().any(|(d, _)| *d == e);
    let (color, queue) = (color || later(DsdEdit::Color), queue || later(DsdEdit::Queue));
    if arch.name == ArchName::Wse3 && !queue {
        let help = match kind {
            DsdTy::FabIn => "give it `.input_queue = @get_input_queue(..)`",
            _ => "give it `.output_queue = @get_output_queue(..)`",
        };
        return Err(rules::DSD_QUEUE.plain().at(at).help(help));
    }
    if !color && !queue {
        return Err(missing_property("fabric_color", kind).at(at));
    }
    Ok(())
}

fn fabric_extent(sema: &mut Sema<'_>, given: Property, slot: &mut u16, edits: &mut Edits) -> Result<()> {
    let at = given.at;
    match given.value {
        Operand::Known(v) => *slot = extent_value(&v).at(at)?,
        v => {
            let v = sema.coerce(v, &Ty::U16, at)?;
            edits.push((DsdEdit::Length, v));
        }
    }
    Ok(())
}

fn color_property(sema: &mut Sema<'_>, given: Property, edits: &mut Edits) -> Result<Option<Color>> {
    match sema.coerce(given.value, &Ty::Id(IdKind::Color), given.at)? {
        Operand::Known(Value::Id(_, n)) => Ok(Color::numbered(n)),
        v => {
            edits.push((DsdEdit::Color, v));
            Ok(None)
        }
    }
}

fn queue_property(
    sema: &mut Sema<'_>,
    given: Property,
    kind: IdKind,
    edits: &mut Edits,
) -> Result<Option<u8>> {
    let Property { name, value: mut v, at } = given;
    if let Operand::Known(number @ Value::Int(_, n)) = &v {
        let facts: [(&str, &dyn std::fmt::Display); 2] = [("name", &name), ("n", n)];
        let help = format!("write `.{name} = @get_{}({n})`", kind.name());
        sema.lint(rules::OLD_QUEUE_NUMBER.because(&facts).at(at).help(help))?;
        v = Operand::Known(ids::known_id(sema.arch, number, kind).at(at)?);
    }
    if v.ty() != Ty::Id(kind) {
        return Err(rules::QUEUE_KIND
            .because(&[("name", &name), ("want", &kind.name()), ("have", &v.ty())])
            .at(at)
            .help(format!("write `.{name} = @get_{}(..)`", kind.name())));
    }
    match v {
        Operand::Known(Value::Id(_, n)) => Ok(Some(n as u8)),
        v => {
            edits.push((DsdEdit::Queue, v));
            Ok(None)
        }
    }
}
