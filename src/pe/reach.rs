//! The variable that a DSD may access, and the diagnostic when it goes beyond.

use crate::diagnostics::rules::run::{MEMORY_OUT_OF_BOUNDS, OUTSIDE_VARIABLE, WRONG_CAST};
use crate::diagnostics::{Diag, Rule};
use crate::dsd::Mem;
use crate::dsd::access::{AddressCursor, OutOfBounds};
use crate::exec::calls::Calls;
use crate::exec::variables::{local_behind, symbol_at};
use crate::image::{Symbol, TileImage};
use crate::source::Span;
use std::ops::Range;

/// A variable in memory.
struct Owner<'a> {
    name: &'a str,
    span: Span,
    /// Address of the first word, and one past the last.
    words: (usize, usize),
}

/// The variables of a PE, and the call stack that owns the locals.
pub(super) struct BoundsResolver<'a> {
    pub tile: &'a TileImage,
    pub calls: &'a Calls,
    /// Words of memory.
    pub size: usize,
    /// Whether a vector that leaves a global is told of.
    pub warns: bool,
}

impl BoundsResolver<'_> {
    /// Sets the bounds of a DSD that gets an address at run time: those of the variable at the address. Leaving a
    /// local is an error, because the words behind it belong to other calls; leaving a global is a warning, because
    /// working public programs do it on purpose.
    pub fn aim(&self, mem: &mut Mem, address: u16) {
        let ((lo, hi), has_soft_bounds) = global_bounds(self.tile, address, self.size, self.warns)
            .unwrap_or_else(|| {
                let words = self.owner(address.into()).map_or((0, self.size), |owner| owner.words);
                ((words.0 as u16, words.1 as u16), false)
            });
        (mem.base, mem.lo, mem.hi, mem.has_soft_bounds) = (address, lo, hi, has_soft_bounds);
    }

    /// The variable that a word belongs to.
    fn owner(&self, word: usize) -> Option<Owner<'_>> {
        if let Some(symbol) = symbol_at(self.tile, word) {
            let start = usize::from(symbol.addr);
            let words = (start, start + usize::from(symbol.words));
            return Some(Owner { name: &symbol.name, span: symbol.span, words });
        }
        let (start, local) = local_behind(self.tile, self.calls.frames(), word)?;
        let words = (start, start + usize::from(local.ty.words));
        Some(Owner { name: &local.name, span: local.span, words })
    }

    /// The name of the variable that a word belongs to.
    pub fn name(&self, word: usize) -> String {
        self.owner(word).map_or_else(|| format!("word {word}"), |owner| owner.name.to_string())
    }

    /// Adds to a diagnostic which operand has left its variable, with which element, and where its DSD was
    /// made.
    ///
    /// `elements`: those of the operation that are to come.
    pub fn explain<'w>(
        &self,
        diag: Diag,
        cursors: impl Iterator<Item = (usize, &'w AddressCursor)>,
        elements: Range<u32>,
    ) -> Diag {
        if diag.rule() != MEMORY_OUT_OF_BOUNDS.name {
            return diag;
        }
        self.blame(&MEMORY_OUT_OF_BOUNDS, diag, cursors, elements)
    }

    /// What an operation does whose operands leave the variables that they read, or at which they were aimed.
    pub fn leaves<'w>(
        &self,
        cursors: impl Iterator<Item = (usize, &'w AddressCursor)>,
        elements: Range<u32>,
    ) -> Diag {
        let facts: [(&str, &dyn std::fmt::Display); 2] = [("address", &0), ("what", &"its variable")];
        let cursors = cursors.collect::<Vec<_>>();
        let outside = cursors.iter().filter_map(|(_, cursor)| cursor.outside_ahead(elements.clone()));
        let first = outside.min_by_key(|outside| outside.element);
        let diag = OUTSIDE_VARIABLE.because(&facts);
        let diag = self.blame(&OUTSIDE_VARIABLE, diag, cursors.iter().copied(), elements);
        let word = first.and_then(|outside| usize::try_from(outside.address).ok());
        match word.and_then(|word| Some((word, self.owner(word)?))) {
            Some((word, other)) => diag.also(other.span, format!("word {word} belongs to `{}`", other.name)),
            None => diag,
        }
    }

    /// A diagnostic with the element that is the first to lie outside.
    fn blame<'w>(
        &self,
        rule: &'static Rule,
        diag: Diag,
        cursors: impl Iterator<Item = (usize, &'w AddressCursor)>,
        elements: Range<u32>,
    ) -> Diag {
        let outside = |cursor: &AddressCursor| cursor.outside_ahead(elements.clone());
        let outside =
            cursors.filter_map(|(operand, cursor)| Some((operand, cursor.words(), outside(cursor)?)));
        // Of several operands the one that leaves its variable first is to blame.
        let Some((operand, width, outside)) = outside.min_by_key(|(.., outside)| outside.element) else {
            return diag;
        };
        let OutOfBounds { element, address, begins_inside, limits, origin } = outside;
        let owner = usize::try_from(limits.0).ok().and_then(|low| self.owner(low));
        let owner = owner.filter(|o| (o.words.0 as i32, o.words.1 as i32) == limits);
        let diag = match owner {
            Some(Owner { name, span, words: (low, high) }) => rule
                .because(&[("address", &address), ("what", &format!("`{name}`"))])
                .also(span, format!("`{name}` occupies words {low} to {}", high - 1)),
            // Everything that lies there is within reach.
            None if limits == (0, self.size as i32) => {
                MEMORY_OUT_OF_BOUNDS.because(&[("address", &address), ("what", &"the memory")]).for_good()
            }
            None => diag,
        };
        let operand = match operand {
            0 => "the destination".to_string(),
            k => format!("source {k}"),
        };
        let diag = diag.note(format!("it would be element {element} of {operand}, counted from 0"));
        let owned = usize::try_from(limits.0).ok().and_then(|low| symbol_at(self.tile, low));
        let is_pointer = owned.is_some_and(|symbol| symbol.dims.is_empty() && symbol.ty.contains('*'));
        let diag = match begins_inside {
            // Nobody means the words of a pointer: the address was computed from that of another variable.
            true if element == 0 && is_pointer => diag
                .note("its address lies in a pointer variable: it was probably computed past the end of an array")
                .help("check the numbers of elements, and the offset, with which the address is computed"),
            true => diag
                .note("only its first word lies inside: the operation has wider elements than the variable")
                .help("use an operation on elements of the size that the variable has"),
            false => match owned {
                Some(Symbol { name, dims, element: Some(scalar), ty, .. })
                    if !dims.is_empty() && scalar.words() < width =>
                {
                    let (bits, own) = (16 * width, 16 * scalar.words());
                    diag.note(format!("the operation works on {bits} bits at a time, but `{name}` is a {ty}"))
                        .help(format!("use an operation on {own} bits, or convert the elements first"))
                }
                _ => diag,
            },
        };
        match self.tile.origins.get(usize::from(origin).wrapping_sub(1)) {
            Some(span) => diag.also(*span, "this DSD was made or changed here"),
            None => diag,
        }
    }
}

/// The bounds of a DSD that gets the address of a global at run time, and whether they are those of the variable. `None`:
/// the address is that of a local, and only the calls tell which. `size`: that of the memory.
#[inline]
pub(super) fn global_bounds(
    tile: &TileImage,
    address: u16,
    size: usize,
    warns: bool,
) -> Option<((u16, u16), bool)> {
    if address >= tile.data_end {
        return None;
    }
    let symbol = if warns { symbol_at(tile, address.into()) } else { None };
    let words = |symbol: &Symbol| (symbol.addr, symbol.addr.wrapping_add(symbol.words));
    Some(symbol.map_or(((0, size as u16), false), |symbol| (words(symbol), true)))
}

/// Checks the cast of a pointer to anything to a pointer to a scalar of `words` words. If the variable is a
/// scalar itself, it must have the same size; otherwise the scalar may be a part of it.
pub(super) fn wrong_cast(tile: &TileImage, at: usize, words: u16, ty: &str) -> Option<Diag> {
    let symbol = symbol_at(tile, at)?;
    let is_scalar = symbol.element.is_some() && symbol.dims.is_empty();
    if !is_scalar || symbol.words == words {
        return None;
    }
    let diag = WRONG_CAST
        .because(&[("name", &symbol.name), ("have", &symbol.ty), ("want", &ty)])
        .also(symbol.span, "the pointer points to this variable")
        .help(format!("cast to `*{}`", symbol.ty));
    Some(diag)
}
