//! Finds the variable that a word of a PE belongs to, and explains accesses beyond it.

use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::{
    CONST_WRITTEN, DANGLING_POINTER, POINTER_OUT_OF_BOUNDS, UNSET_VARIABLE,
};
use crate::image::Local;
use crate::image::code::BYTES;
use crate::image::{FnId, Symbol, TileImage};
use crate::source::Span;

/// A pointer step: a pointer with an index.
#[derive(Copy, Clone, Debug)]
pub(crate) struct PointerStep {
    /// The address that the pointer holds.
    pub from: usize,
    /// The words of the element.
    pub at: usize,
    pub end: usize,
    /// Words of an element, or `BYTES`.
    pub each: u16,
    pub index: i64,
}

/// The diagnostic about a write to a constant.
pub(crate) fn const_written(symbol: &Symbol) -> Diag {
    CONST_WRITTEN
        .because(&[("name", &symbol.name)])
        .also(symbol.span, "declared `const`")
        .help(format!("declare `{}` as `var`, and keep `const` in the types of pointers to it", symbol.name))
}

/// The help for a local without a value.
pub(crate) fn part_of(local: &Local) -> String {
    match local.ty.words {
        1 => format!("assign `{}` before this line", local.name),
        _ => format!("assign this part of `{}` before this line", local.name),
    }
}

/// The local that occupies a word of a frame, by its offset from the start.
pub(crate) fn local_at(tile: &TileImage, function: FnId, off: usize) -> Option<&Local> {
    let locals = &tile.functions[function.0 as usize].locals;
    locals.iter().find(|l| l.frame_words().contains(&off))
}

/// The local at an address in a frame of the call stack, with its first word.
pub(crate) fn local_behind(
    tile: &TileImage,
    calls: impl Iterator<Item = (usize, FnId)>,
    word: usize,
) -> Option<(usize, &Local)> {
    let (start, function) = calls.filter(|(start, _)| *start <= word).last()?;
    let local = local_at(tile, function, word - start)?;
    Some((start + local.frame_words().start, local))
}

/// The diagnostic about a pointer step out of a local, whose first word is `low`.
pub(crate) fn out_of_local(local: &Local, low: usize, step: PointerStep) -> Diag {
    let shape = (low, local.ty.words.into(), step.each);
    out_of_variable((&local.name, local.span), shape, step.from, step.index)
}

/// The diagnostic about a pointer into the frame of a call that has returned, `off` words after its start.
pub(crate) fn dangling(tile: &TileImage, function: FnId, off: usize) -> Diag {
    let diag = DANGLING_POINTER.because(&[("what", &"a local of a call that has returned")]);
    let name = &tile.functions[function.0 as usize].name;
    let help = "point to a global, or to a local of a function that is still running";
    match local_at(tile, function, off) {
        Some(local) => {
            diag.also(local.span, format!("`{name}` has returned, so this local no longer exists"))
        }
        None => diag.note(format!("it belongs to a call of `{name}`, which has returned")),
    }
    .help(help)
}

/// The variable that a word belongs to.
pub(crate) fn symbol_at(tile: &TileImage, word: usize) -> Option<&Symbol> {
    let after = tile.symbols.partition_point(|s| usize::from(s.addr) <= word);
    let symbol = tile.symbols[..after].last()?;
    (word < usize::from(symbol.addr) + usize::from(symbol.words)).then_some(symbol)
}

/// The diagnostic about a pointer step out of a global.
pub(crate) fn out_of_symbol(symbol: &Symbol, from: usize, index: u64, words: u16) -> Diag {
    let shape = (symbol.addr.into(), symbol.words.into(), words);
    out_of_variable((&symbol.name, symbol.span), shape, from, index as i64)
}

/// The diagnostic about an index out of a variable, which starts at `low` and has `size` words, through a
/// pointer to its word `from`; elements have `each` words, or are bytes.
fn out_of_variable(
    (name, span): (&str, Span),
    (low, size, each): (usize, usize, u16),
    from: usize,
    index: i64,
) -> Diag {
    let diag = POINTER_OUT_OF_BOUNDS
        .because(&[("index", &index), ("name", &name)])
        .also(span, format!("`{name}` has {} such elements", elements_in(size, each)));
    match elements_in(from - low, each) {
        0 => diag,
        skipped => diag.note(format!("the pointer points to element {skipped} of `{name}`")),
    }
}

fn elements_in(words: usize, each: u16) -> usize {
    if each == BYTES { 2 * words } else { words / usize::from(each.max(1)) }
}

/// The diagnostic about the operation at `pc`, which reads a register without a value.
#[cold]
pub(crate) fn unset_register(tile: &TileImage, (function, pc): (FnId, usize)) -> Diag {
    use crate::image::Op;
    let function = &tile.functions[function.0 as usize];
    let Op::CheckSet { a } = function.code[pc] else { unreachable!("only checks complain") };
    let declared = function.code[..pc].iter().rposition(|op| matches!(op, Op::Unset { d, .. } if *d == a));
    let Some(declared) = declared else { return UNSET_VARIABLE.because(&[("name", &"a local")]) };
    let Op::Unset { name, .. } = function.code[declared] else { unreachable!("just found") };
    let name = &tile.strings[name as usize];
    UNSET_VARIABLE
        .because(&[("name", name)])
        .also(function.spans[declared], "declared without a value")
        .help(format!("give `{name}` a value where it is declared"))
}
