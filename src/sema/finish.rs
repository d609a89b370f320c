//! How the tile under construction becomes a [`TileImage`].

use super::library_use;
use super::lower::DataBlank;
use super::value::{ArrayValue, GlobalId, Value};
use super::walk::Sema;
use super::words::{is_zero_array, mark_of_field};
use super::{activations, builtins};
use crate::diagnostics::Result;
use crate::image::{TileImage, TileParams};
use crate::value::ty::FieldLayout;

/// Everything is said: writes the functions and fills the image.
pub fn finish_tile(sema: &mut Sema<'_>, file: String, params: TileParams) -> TileImage {
    let data = write_tile(sema);
    library_use::check(sema);
    sema.lower.tile.finish_queues();
    // What a comptime block has not done because of an error is no second mistake.
    if !sema.modules.has_failed_block() {
        builtins::finish(sema);
    }
    sema.lower.tile.block_free_channels(sema.arch);
    if let Some(diag) = sema.lower.data.check_size(sema.arch.memory_words, sema.files.sources()) {
        sema.report(diag);
    }
    let mut image = std::mem::take(&mut sema.lower.tile.image);
    image.file = file;
    image.params = params;
    sema.lower.data.fill(&mut image, sema.arch.memory_words, data);
    image.functions = sema.lower.functions.take();
    // What a comptime block has not bound because of an error is no second mistake.
    if sema.reports.errors() == 0 {
        activations::check(sema, &image);
    }
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

fn fill_global(sema: &mut Sema<'_>, id: GlobalId, data: &mut Vec<u16>) -> Result<()> {
    let g = sema.global(id).clone();
    let (Some(addr), Some(words)) = (g.addr, g.ty.words()) else { return Ok(()) };
    let mut own = vec![0u16; words as usize];
    write_words(sema, &g.value, &mut own, addr.into())?;
    let end = usize::from(addr) + own.len();
    if data.len() < end {
        data.resize(end, 0);
    }
    data[usize::from(addr)..end].copy_from_slice(&own);
    Ok(())
}

/// Writes the words of a value as they lie in memory, where `out` begins at the address `at`.
fn write_words(sema: &mut Sema<'_>, v: &Value, out: &mut [u16], at: usize) -> Result<()> {
    match v {
        Value::Undefined(_) | Value::Void => Ok(()),
        Value::Array(a) => write_array(sema, a, out, at),
        Value::Dsd(d) => {
            out[..16].copy_from_slice(&d.to_words());
            Ok(())
        }
        Value::Record(r) if !r.ty.is_packed() => {
            for (i, field) in r.fields.iter().enumerate() {
                let (_, off) = r.ty.field_at(i).expect("a record has the fields of its type");
                write_words(sema, field, &mut out[off as usize..], at + off as usize)?;
            }
            Ok(())
        }
        Value::Union(u) if u.ty.layout != FieldLayout::Packed => {
            let ty = v.ty();
            if let Some(words) = ty.words().filter(|_| ty.is_marked_union()) {
                out[words as usize - 1] = mark_of_field(u.active);
            }
            write_words(sema, &u.value, out, at)
        }
        _ => {
            let (bits, term) = sema.scalar_bits_and_term(v)?;
            let words = v.ty().words().unwrap_or(1) as usize;
            if let Some(term) = term {
                sema.lower.data.keep_blank(DataBlank { at, words, term });
            }
            for (i, w) in out.iter_mut().take(words).enumerate() {
                *w = (bits >> (16 * i)) as u16;
            }
            Ok(())
        }
    }
}

fn write_array(sema: &mut Sema<'_>, a: &ArrayValue, out: &mut [u16], at: usize) -> Result<()> {
    if is_zero_array(a) {
        return Ok(());
    }
    let each = a.ty.elem.words().unwrap_or(0) as usize;
    for i in 0..a.ty.len() {
        if let Some(v) = a.get(i).filter(|_| a.ty.elem.is_byte()) {
            let bits = if matches!(v, Value::Undefined(_)) { 0 } else { sema.scalar_bits(v)? };
            out[i as usize / 2] |= (bits as u16 & 0xff) << (i % 2 * 8);
        } else if let Some(v) = a.get(i) {
            let off = i as usize * each;
            write_words(sema, v, &mut out[off..], at + off)?;
        }
    }
    Ok(())
}
