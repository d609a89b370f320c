//! `@get_dsd`, and the DSDs of memory.

use super::arguments::fields_of;
use super::dsd_edits::{self, Edits};
use super::entry::{Builtin, Call, Phase, Run, USUAL};
use super::fabric_dsds;
use super::properties::{self, Fields, Property, extent_value, missing_property, no_such_property};
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::dsd as rules;
use crate::diagnostics::{At, Result};
use crate::dsd::{Dsd, Mem, MemKind};
use crate::image::code::DsdEdit;
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::value::ty::{DsdTy, Ty};

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "get_dsd", takes: 2..=2, phase: Phase::Anywhere,
        usage: "@get_dsd(kind, .{..})",
        doc: "a data structure descriptor",
        run: Run::Operand(get_dsd), ..USUAL },
];

fn get_dsd(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let at = sema.span(call.args[0]);
    let kind = match sema.ty(call.args[0])? {
        Ty::Dsd(kind) if kind != DsdTy::Fifo => kind,
        other => {
            return Err(rules::DSD_KIND
                .because(&[("type", &other)])
                .at(at)
                .help("write `mem1d_dsd`, `mem4d_dsd`, `fabin_dsd` or `fabout_dsd`"));
        }
    };
    let props = sema.span(call.args[1]);
    let fields = properties::dsd_properties(sema, kind, call.args[1])?;
    let mut edits = Edits::new();
    let dsd = match kind {
        DsdTy::Mem1d | DsdTy::Mem4d | DsdTy::Circbuf => mem_dsd(sema, kind, fields, &mut edits, props)?,
        DsdTy::FabIn => fabric_dsds::fabin(sema, fields, &mut edits, props)?,
        DsdTy::FabOut => fabric_dsds::fabout(sema, fields, &mut edits, props)?,
        DsdTy::Fifo => unreachable!("only `@allocate_fifo` makes FIFOs"),
    };
    dsd_edits::edited(sema, Operand::Known(Value::Dsd(dsd)), edits, call.span)
}

fn mem_dsd(sema: &mut Sema<'_>, ty: DsdTy, fields: Fields, edits: &mut Edits, at: Span) -> Result<Dsd> {
    let kind = match ty {
        DsdTy::Mem1d => MemKind::Mem1d,
        DsdTy::Mem4d => MemKind::Mem4d,
        _ => MemKind::Circbuf,
    };
    let hi = sema.arch.memory_words as u16;
    let mut m = Mem {
        kind,
        base: 0,
        dims: 1,
        extent: [1; 4],
        step: [1; 4],
        index_offset: false,
        lo: 0,
        hi,
        has_soft_bounds: false,
        wrap: 0,
        origin: 0,
    };
    let (mut base, mut offset, mut extent, mut wrap) = (None, None, None, None);
    for property in fields {
        match property.name.as_str() {
            "base_address" => base = Some(property),
            "offset" => offset = Some(property),
            "extent" => extent = Some(property),
            "stride" => strides(sema, &mut m, property, edits)?,
            "wavelet_index_offset" => m.index_offset = property.flag()?,
            "wraparound" if kind == MemKind::Circbuf => wrap = Some(property),
            _ => return Err(no_such_property(&property, ty)),
        }
    }
    let access = if kind == MemKind::Circbuf { "base_address" } else { "tensor_access" };
    let base = base.ok_or_else(|| missing_property(access, ty).at(at))?;
    let extent = extent.ok_or_else(|| missing_property("extent", ty).at(at))?;
    extents(sema, &mut m, extent, edits)?;
    let words = dsd_edits::base_address(&base.value, base.at)?;
    let around = base.value.ty();
    edits.insert(0, (DsdEdit::Base, base.value));
    if let Some(offset) = offset {
        let words_on = sema.coerce(offset.value, &Ty::I16, offset.at)?;
        edits.insert(1, (DsdEdit::Offset { words }, words_on));
    }
    if kind == MemKind::Circbuf {
        let wrap = wrap.map(|p| Ok((number::<u16>(&p)?, p.at))).transpose()?;
        let wrap = wraparound(wrap, &around, at)?;
        let too_large = || {
            let help = format!("a circular buffer has at most {} words", grouped(u16::MAX.into()));
            rules::BAD_EXTENT.because(&[("value", &wrap)]).at(at).help(help)
        };
        m.wrap = wrap.checked_mul(u16::from(words)).ok_or_else(too_large)?;
    }
    Ok(Dsd::Mem(m))
}

fn extents(sema: &mut Sema<'_>, m: &mut Mem, given: Property, edits: &mut Edits) -> Result<()> {
    let at = given.at;
    let given = alone(given);
    if let Some(parts) = tuple_parts(&given) {
        check_dimensions(m, parts.len(), at)?;
        m.dims = parts.len() as u8;
        // extents are written slowest first (dsd-dsr section 2)
        for (i, p) in parts.iter().rev().enumerate() {
            m.extent[i] = number::<u16>(p)?;
        }
        return Ok(());
    }
    match given.value {
        Operand::Known(v) => m.extent[0] = extent_value(&v).at(at)?,
        v => {
            let v = coerce_int(sema, v, &Ty::U16, at)?;
            edits.push((DsdEdit::Length, v));
        }
    }
    Ok(())
}

/// Whether a DSD can have as many dimensions as a tuple has values.
fn check_dimensions(m: &Mem, count: usize, at: Span) -> Result<()> {
    let most = if m.kind == MemKind::Mem4d { 4 } else { 1 };
    if (1..=most).contains(&count) {
        return Ok(());
    }
    let kind = if m.kind == MemKind::Mem4d { DsdTy::Mem4d } else { DsdTy::Mem1d };
    let diag = rules::DSD_DIMENSIONS.because(&[("kind", &Ty::Dsd(kind)), ("have", &count)]).at(at);
    Err(match kind == DsdTy::Mem1d && count <= 4 {
        true => diag.help("write `mem4d_dsd`: it has one to four dimensions"),
        false => diag.help("a mem1d_dsd has one dimension, a mem4d_dsd one to four"),
    })
}

fn strides(sema: &mut Sema<'_>, m: &mut Mem, given: Property, edits: &mut Edits) -> Result<()> {
    let at = given.at;
    let given = alone(given);
    if let Some(parts) = tuple_parts(&given) {
        check_dimensions(m, parts.len(), at)?;
        // strides are written fastest first
        for (i, p) in parts.iter().enumerate() {
            m.step[i] = number::<i16>(p)?;
        }
        return Ok(());
    }
    match given.value {
        Operand::Known(v) => {
            let is_short = m.kind == MemKind::Mem1d;
            let v = dsd_edits::stride(sema, Operand::Known(v), is_short, at)?;
            m.step[0] = v.known().and_then(Value::to::<i16>).expect("an i16");
        }
        v => {
            let v = dsd_edits::stride(sema, v, true, at)?;
            edits.push((DsdEdit::Stride, v));
        }
    }
    Ok(())
}

fn coerce_int(sema: &mut Sema<'_>, v: Operand, ty: &Ty, at: Span) -> Result<Operand> {
    sema.coerce(v, ty, at)
}

/// The one element of a tuple of one, as a tensor access of one dimension gives its stride and its length.
fn alone(given: Property) -> Property {
    match tuple_parts(&given) {
        Some(mut parts) if parts.len() == 1 => parts.swap_remove(0),
        _ => given,
    }
}

/// The elements of a tuple, each at the place of the whole.
fn tuple_parts(given: &Property) -> Option<Fields> {
    let is_tuple = matches!(given.value.ty(), Ty::Anon(ref a) if a.names.is_none());
    let elements = fields_of(&given.value).filter(|_| is_tuple)?;
    let place = |(_, value)| Property { name: given.name.clone(), value, at: given.at };
    Some(elements.into_iter().map(place).collect())
}

fn number<T: TryFrom<i128>>(given: &Property) -> Result<T> {
    let v = given.known()?;
    v.to::<T>().ok_or_else(|| rules::BAD_EXTENT.because(&[("value", v)]).at(given.at))
}

/// Elements until a circular buffer begins again: all of the array, unless fewer are asked for.
fn wraparound(given: Option<(u16, Span)>, base: &Ty, at: Span) -> Result<u16> {
    let array = match base {
        Ty::Ptr(p) => match &p.to {
            Ty::Array(a) => u16::try_from(a.len()).ok(),
            _ => None,
        },
        _ => None,
    };
    match (given, array) {
        (Some((wrap, at)), Some(size)) if wrap == 0 || wrap > size => {
            let size = grouped(size.into());
            let help = format!("`.wraparound` is from 1 to the {size} elements of the array");
            Err(rules::BAD_EXTENT.because(&[("value", &wrap)]).at(at).help(help))
        }
        (Some((wrap, _)), _) => Ok(wrap),
        (None, Some(size)) => Ok(size),
        (None, None) => Err(missing_property("wraparound", DsdTy::Circbuf).at(at)),
    }
}
