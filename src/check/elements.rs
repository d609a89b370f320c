//! Wavelets that carry elements of another type than their receivers take.

use crate::arch::{Color, MESSAGE_COLOR};
use crate::diagnostics::rules::check as rules;
use crate::diagnostics::{Diag, Diagnostic};
use crate::dsd::ops::{Elem, OPS};
use crate::image::traffic::OpId;
use crate::image::{Program, Scalar, TaskKind, TileImage};
use crate::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Receivers that read floats of 32 bits as something of 16 bits, or the other way round. An integer of 32 bits can hold
/// anything, so nothing is said of those.
pub fn check(program: &Program) -> Vec<Diagnostic> {
    let swaps = program.routes.declared().iter().any(|d| d.config.swap_x || d.config.swap_y);
    if swaps || program.tiles.iter().any(|tile| tile.has_unknown_dsds()) {
        return Vec::new();
    }
    let sent = sent(program);
    let mut told = BTreeSet::new();
    let mut found = Vec::new();
    for taken in program.tiles.iter().flat_map(|tile| taken(program, tile)) {
        let Some((Some(elem), span)) = sent.get(&taken.color) else { continue };
        let is_other = matches!(
            (elem, taken.elem),
            (Elem::F32, Elem::F16 | Elem::Int16) | (Elem::F16 | Elem::Int16, Elem::F32)
        );
        if is_other && told.insert((taken.span, taken.color)) {
            found.push(Diagnostic::from(mismatch(*elem, *span, &taken)));
        }
    }
    found
}

/// What takes wavelets of a color.
struct Taken {
    color: Color,
    elem: Elem,
    /// The task or operation, for people.
    what: String,
    span: Span,
}

/// For each color that only operations send: their elements, if all have the same, and the first of them.
fn sent(program: &Program) -> BTreeMap<Color, (Option<Elem>, Span)> {
    let mut all: BTreeMap<Color, (Option<Elem>, Span)> = BTreeMap::new();
    for sending in program.tiles.iter().flat_map(|tile| tile.sends().map(move |sending| (tile, sending))) {
        let (tile, sending) = sending;
        let Some(color) = sending.color.filter(|_| !sending.control) else { continue };
        let elem = match sending.op {
            OpId::Vector(n) => Some(OPS[usize::from(tile.vector_ops[n].op)].dest),
            OpId::Map(_) => None,
        };
        let known = all.entry(color).or_insert((elem, sending.span));
        if known.0 != elem {
            known.0 = None;
        }
    }
    // The host may send anything.
    let memcpy = program.memcpy.iter().flat_map(|memcpy| memcpy.h2d.iter().flatten().copied());
    let streams =
        program.sdk_layout.iter().flat_map(|layout| layout.streams.iter().map(|stream| stream.color));
    for color in memcpy.chain(streams).chain([MESSAGE_COLOR]) {
        all.remove(&color);
    }
    all
}

/// The operations and data tasks of a tile that take wavelets of a known color as elements of a known type.
fn taken<'t>(program: &'t Program, tile: &'t TileImage) -> impl Iterator<Item = Taken> + 't {
    let by_operation = tile.takes().filter(|taking| taking.is_sure).filter_map(|taking| {
        let OpId::Vector(n) = taking.op else { return None };
        let op = &tile.vector_ops[n];
        let mut elems = op.form().sources.iter().map(|source| source.elem());
        let elem = elems.next()?;
        let row = &OPS[usize::from(op.op)];
        elems.all(|other| other == elem).then_some(())?;
        Some(Taken { color: taking.color?, elem, what: format!("`@{}`", row.name), span: taking.span })
    });
    let tasks = tile.tasks.iter().filter(|task| task.kind == TaskKind::Data);
    let by_task = tasks.filter_map(|task| {
        let elem = match task.params.as_slice() {
            [Scalar::F32] => Elem::F32,
            [Scalar::F16 | Scalar::Bf16 | Scalar::Cb16] => Elem::F16,
            [Scalar::I16 | Scalar::U16] => Elem::Int16,
            _ => return None,
        };
        let color = tile.color_of_task(program.arch, task)?;
        Some(Taken { color, elem, what: format!("`{}`", task.name), span: task.span })
    });
    by_operation.chain(by_task)
}

fn mismatch(elem: Elem, sent: Span, taken: &Taken) -> Diag {
    let Taken { color, elem: other, what, span } = taken;
    rules::WAVELET_TYPE
        .because(&[("color", color), ("sent", &elem.name()), ("what", what), ("taken", &other.name())])
        .at(*span)
        .also(sent, format!("elements of {} are sent here", elem.name()))
}
