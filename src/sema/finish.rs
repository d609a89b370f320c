//! How the tile under construction becomes a [`TileImage`].

use super::builtins;
use super::operand::element_of;
use super::value::{ArrayValue, GlobalId, Value};
use super::walk::Sema;
use super::words::{is_zero_array, mark_of_field};
use crate::diagnostics::Result;
use crate::diagnostics::rules::comptime as rules;
use crate::image::{Symbol, TileImage};
use crate::value::ty::{FieldLayout, Ty};

/// How many symbols a message about a full memory names.
const SHOWN_SYMBOLS: usize = 5;

/// Everything is said: writes the functions and fills the image.
pub fn finish_tile(sema: &mut Sema<'_>, file: String, params: String) -> TileImage {
    let data = write_tile(sema);
    sema.lower.tile.finish_queues();
    // What a comptime block has not done because of an error is no second mistake.
    if !sema.modules.has_failed_block() {
        builtins::finish(sema);
    }
    sema.lower.tile.block_free_channels(sema.arch);
    check_memory(sema);
    let mut image = std::mem::take(&mut sema.lower.tile.image);
    image.file = file;
    image.params = params;
    fill_memory(sema, &mut image, data);
    image.functions = sema.lower.functions.take();
    super::registers::allocate(sema.arch, &mut image).into_iter().for_each(|c| sema.report(c));
    image
}

/// Writes code and data. Code places globals and constants; data holds pointers, which place the
/// globals and ask for the functions behind them.
fn write_tile(sema: &mut Sema<'_>) -> Vec<u16> {
    let mut data = Vec::new();
    let mut next = 0;
    loop {
        sema.write_functions();
        let Some(id) = sema.lower.data.placed().get(next).copied() else { return data };
        next += 1;
        if sema.lower.data.words() > sema.arch.memory_words {
            continue;
        }
        if let Err(diag) = fill_global(sema, id, &mut data) {
            let span = sema.global(id).span;
            sema.report(diag.at(span));
        }
    }
}

fn check_memory(sema: &mut Sema<'_>) {
    let limit = sema.arch.memory_words;
    let used = sema.lower.data.words();
    if used <= limit {
        return;
    }
    let mut symbols: Vec<_> = sema.lower.data.placed().iter().map(|id| sema.global(*id)).collect();
    symbols.sort_by_key(|g| std::cmp::Reverse(g.ty.words().unwrap_or(u32::MAX)));
    let Some(largest) = symbols.first() else { return };
    let mut diag = rules::PROGRAM_TOO_LARGE
        .because(&[("used", &(u64::from(used) * 2)), ("limit", &(limit * 2))])
        .at(largest.span);
    for g in symbols.iter().take(SHOWN_SYMBOLS) {
        let bytes = u64::from(g.ty.words().unwrap_or(u32::MAX)) * 2;
        diag = diag.note(format!(
            "`{}` takes {bytes} bytes ({})",
            g.name,
            sema.files.sources().describe(g.span)
        ));
    }
    sema.report(diag);
}

fn fill_memory(sema: &mut Sema<'_>, image: &mut TileImage, mut data: Vec<u16>) {
    if sema.lower.data.words() > sema.arch.memory_words {
        return;
    }
    while data.last() == Some(&0) {
        data.pop();
    }
    image.data = data;
    image.data_end = sema.lower.data.words() as u16;
    for id in sema.lower.data.placed() {
        let g = sema.global(*id).clone();
        image.symbols.push(Symbol {
            name: g.name,
            addr: g.addr.unwrap_or(0),
            words: g.ty.words().unwrap_or(0) as u16,
            ty: g.ty.to_string(),
            dims: dims_of(&g.ty),
            element: element_of(&g.ty),
            mutable: g.is_var,
            span: g.span,
        });
    }
    image.symbols.sort_by_key(|s| s.addr);
}

fn fill_global(sema: &mut Sema<'_>, id: GlobalId, data: &mut Vec<u16>) -> Result<()> {
    let g = sema.global(id).clone();
    let (Some(addr), Some(words)) = (g.addr, g.ty.words()) else { return Ok(()) };
    let mut own = vec![0u16; words as usize];
    write_words(sema, &g.value, &mut own)?;
    let end = usize::from(addr) + own.len();
    if data.len() < end {
        data.resize(end, 0);
    }
    data[usize::from(addr)..end].copy_from_slice(&own);
    Ok(())
}

fn dims_of(ty: &Ty) -> Vec<u32> {
    match ty {
        Ty::Array(a) => a.dims.clone(),
        _ => Vec::new(),
    }
}

/// Appends the words of a value as they lie in memory.
fn write_words(sema: &mut Sema<'_>, v: &Value, out: &mut [u16]) -> Result<()> {
    match v {
        Value::Undefined(_) | Value::Void => Ok(()),
        Value::Array(a) => write_array(sema, a, out),
        Value::Dsd(d) => {
            out[..16].copy_from_slice(&d.to_words());
            Ok(())
        }
        Value::Record(r) if !is_packed(&r.ty) => {
            for (i, field) in r.fields.iter().enumerate() {
                let (_, off) = r.ty.field_at(i).expect("a record has the fields of its type");
                write_words(sema, field, &mut out[off as usize..])?;
            }
            Ok(())
        }
        Value::Union(u) if u.ty.layout != FieldLayout::Packed => {
            let ty = v.ty();
            if let Some(words) = ty.words().filter(|_| ty.is_marked_union()) {
                out[words as usize - 1] = mark_of_field(u.active);
            }
            write_words(sema, &u.value, out)
        }
        _ => {
            let bits = sema.scalar_bits(v)?;
            let words = v.ty().words().unwrap_or(1) as usize;
            for (i, w) in out.iter_mut().take(words).enumerate() {
                *w = (bits >> (16 * i)) as u16;
            }
            Ok(())
        }
    }
}

fn write_array(sema: &mut Sema<'_>, a: &ArrayValue, out: &mut [u16]) -> Result<()> {
    if is_zero_array(a) {
        return Ok(());
    }
    let each = a.ty.elem.words().unwrap_or(0) as usize;
    for i in 0..a.ty.len() {
        if let Some(v) = a.get(i).filter(|_| a.ty.elem.is_byte()) {
            let bits = if matches!(v, Value::Undefined(_)) { 0 } else { sema.scalar_bits(v)? };
            out[i as usize / 2] |= (bits as u16 & 0xff) << (i % 2 * 8);
        } else if let Some(v) = a.get(i) {
            write_words(sema, v, &mut out[i as usize * each..])?;
        }
    }
    Ok(())
}

fn is_packed(ty: &Ty) -> bool {
    matches!(ty, Ty::Struct(s) | Ty::Union(s) if s.layout == FieldLayout::Packed)
}
