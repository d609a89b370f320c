//! How a PE continues after a diagnostic whose level is not `deny`: like the hardware, which checks nothing.
//! `docs/levels.md` says for each rule what that means.

use super::main_thread::{MainThread, Served};
use crate::diagnostics::Diag;
use crate::exec::convert::{saturate, signed};
use crate::exec::memory::{Memory, load, store};
use crate::exec::sanitizer::Sanitizer;
use crate::exec::variables::symbol_at;
use crate::image::code::{Access, BYTES, Op, Reg, byte_behind, word_of};
use crate::image::{Symbol, TileImage};

/// Executes, without its checks, the operation that the scalar loop has refused.
///
/// `None` if the operation has no meaning without the check.
///
/// # Errors
/// An access outside of the memory of the PE.
pub(super) fn continue_past(
    main: &mut MainThread,
    memory: &mut Memory,
    sanitizer: &mut Sanitizer,
    tile: &TileImage,
) -> Result<Option<Served>, Diag> {
    let frame = main.calls.last().expect("an operation runs in a call");
    let op = tile.functions[frame.function.0 as usize].code[frame.pc];
    let reg = |a| main.register(a);
    let at = |base: u64, index: u64, words: u16| match words {
        BYTES => byte_behind(base, index),
        _ => (base.wrapping_add(index.wrapping_mul(words.into()))) & 0xffff,
    };
    match op {
        // A register without a value counts as zero.
        Op::CheckSet { a } => {
            main.set_register(a, 0);
            return Ok(Some(Served::Done(0)));
        }
        Op::Load { d, a, off, kind } => {
            let value = load_unchecked(memory, sanitizer, reg(a) + u64::from(off), kind)?;
            main.set_register(d, value);
        }
        Op::LoadElem { d, base, b, kind, .. } => {
            let each = if kind.is_byte() { BYTES } else { kind.words() };
            let value = load_unchecked(memory, sanitizer, at(base.into(), reg(b), each), kind)?;
            main.set_register(d, value);
        }
        Op::Store { s, a, off, kind } => {
            store_unchecked(memory, sanitizer, reg(s), (reg(a) + u64::from(off), kind))?;
        }
        Op::StoreElem { s, base, b, kind, .. } => {
            let each = if kind.is_byte() { BYTES } else { kind.words() };
            store_unchecked(memory, sanitizer, reg(s), (at(base.into(), reg(b), each), kind))?;
        }
        Op::Element { d, a, b, words, .. } => {
            let address = at(reg(a), reg(b), words);
            main.set_register(d, address);
        }
        Op::Convert { d, a, from, to } => {
            let value = saturate(reg(a), from, to);
            main.set_register(d, value);
        }
        // The quotient wraps around to the dividend.
        Op::DivS { d, a, sh, .. } => {
            let value = signed(reg(a), sh);
            main.set_register(d, value);
        }
        Op::RemS { d, .. } => main.set_register(d, 0),
        _ => return Ok(None),
    }
    Ok(Some(Served::Done(1)))
}

/// Whether the next operation belongs to an element outside of its array that is written, even if only the lower 16 bits
/// of the index count.
pub(super) fn writes_outside(main: &MainThread, tile: &TileImage) -> bool {
    let frame = main.calls.last().expect("an operation runs in a call");
    let code = &tile.functions[frame.function.0 as usize].code;
    match code.get(frame.pc) {
        Some(Op::StoreElem { b, len, .. }) => main.register(*b) as u16 >= *len,
        Some(Op::Element { d, a, b, words, .. }) if *words != BYTES => {
            let row = main.register(*a) as usize;
            let element = row + usize::from((main.register(*b) as u16).wrapping_mul(*words));
            let variable = |word| symbol_at(tile, word).map(|symbol| symbol.addr);
            variable(row).is_some()
                && variable(row) != variable(element)
                && stores_to(&code[frame.pc + 1..], *d)
        }
        _ => false,
    }
}

/// Shows the array whose element the next operation would access, if it is a variable.
pub(super) fn with_array(fault: Diag, main: &MainThread, tile: &TileImage) -> Diag {
    let frame = main.calls.last().expect("an operation runs in a call");
    let base = match tile.functions[frame.function.0 as usize].code.get(frame.pc) {
        Some(Op::LoadElem { base, .. } | Op::StoreElem { base, .. }) => usize::from(*base),
        Some(Op::Element { a, .. }) => main.register(*a) as usize,
        _ => return fault,
    };
    match symbol_at(tile, base) {
        Some(Symbol { name, ty, span, .. }) => fault.also(*span, format!("`{name}` is a {ty}")),
        None => fault,
    }
}

/// Whether straight code stores to the address in a register, or to an element behind it.
fn stores_to(code: &[Op], mut address: Reg) -> bool {
    /// Operations that are looked at: those of the value that is stored come first.
    const MOST: usize = 64;
    for op in code.iter().take(MOST).take_while(|op| (**op).clone().target_mut().is_none()) {
        match *op {
            Op::Element { d, a, .. } if a == address => address = d,
            Op::Store { a, .. } if a == address => return true,
            _ => {}
        }
    }
    false
}

fn load_unchecked(
    memory: &mut Memory,
    sanitizer: &mut Sanitizer,
    at: u64,
    kind: Access,
) -> Result<u64, Diag> {
    let (at, words) = (at as usize, usize::from(kind.words()));
    let word = if kind.is_byte() { word_of(at) } else { at };
    memory.reach(word + words);
    sanitizer.settle(memory.words_mut(), word, words);
    load(memory.words(), at, kind)
}

fn store_unchecked(
    memory: &mut Memory,
    sanitizer: &mut Sanitizer,
    value: u64,
    (at, kind): (u64, Access),
) -> Result<(), Diag> {
    let (at, words) = (at as usize, usize::from(kind.words()));
    let word = if kind.is_byte() { word_of(at) } else { at };
    memory.reach(word + words);
    sanitizer.give_value(word, words);
    store(memory.words_mut(), at, kind, value)
}
