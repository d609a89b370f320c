//! Globals that are declared `undefined`: which of their words nothing has written yet.
//!
//! In: accesses to the words, by code, operations and the host. Out: the first read of a word without a value. A program
//! without such globals pays nothing: their words are watches of the guard (`exec/guard.rs`), which end when all of a
//! global is written or a read was told.

use crate::dsd::footprint::Footprint;
use crate::image::{Symbol, TileImage};

/// The words of globals without a value.
#[derive(Clone, Debug)]
pub(super) struct UnsetGlobals(Vec<UnsetGlobal>);

#[derive(Clone, Debug)]
struct UnsetGlobal {
    /// Its number among the symbols of the tile.
    symbol: u32,
    at: usize,
    words: usize,
    /// For each word whether it has no value, bit by bit.
    unset: Vec<u64>,
    /// How many have none.
    left: usize,
}

/// Whether code can read a global word by word. DSDs and unions say by themselves that they were never set.
fn is_watched(symbol: &Symbol) -> bool {
    symbol.undefined && symbol.mutable && symbol.element.is_some() && symbol.words > 0
}

impl UnsetGlobals {
    /// Those of a tile; `None` if it has none.
    pub fn new(tile: &TileImage) -> Option<UnsetGlobals> {
        let symbols = (0..).zip(tile.symbols.iter()).filter(|(_, symbol)| is_watched(symbol));
        let all: Vec<_> = symbols.map(|(number, symbol)| UnsetGlobal::new(number, symbol)).collect();
        (!all.is_empty()).then_some(UnsetGlobals(all))
    }

    /// Whether all words have a value.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The words that must be watched.
    pub fn footprints(&self) -> impl Iterator<Item = Footprint> {
        self.0.iter().map(|global| Footprint::words(global.at, global.words))
    }

    /// Some words are written; says whether fewer must be watched from now on.
    pub fn note_write(&mut self, words: &Footprint) -> bool {
        let before = self.0.len();
        self.0.retain_mut(|global| {
            global.write(words);
            global.left > 0
        });
        self.0.len() < before
    }

    /// The number of the symbol of which words without a value are read.
    pub fn read(&self, words: &Footprint) -> Option<usize> {
        self.0.iter().find(|global| global.is_read_by(words)).map(|global| global.symbol as usize)
    }

    /// A global is not watched any more.
    pub fn forget(&mut self, symbol: usize) {
        self.0.retain(|global| global.symbol as usize != symbol);
    }
}

impl UnsetGlobal {
    fn new(symbol: u32, of: &Symbol) -> UnsetGlobal {
        let left = usize::from(of.words);
        let unset = vec![u64::MAX; left.div_ceil(64)];
        UnsetGlobal { symbol, at: of.addr.into(), words: left, unset, left }
    }

    fn is_unset(&self, word: usize) -> bool {
        self.unset[word / 64] & 1 << (word % 64) != 0
    }

    /// The words that some words may share with it, counted from its first one.
    fn shared(&self, words: &Footprint) -> std::ops::Range<usize> {
        let (low, high) = words.span();
        low.saturating_sub(self.at)..high.saturating_sub(self.at).min(self.words)
    }

    fn write(&mut self, words: &Footprint) {
        for word in self.shared(words) {
            if self.is_unset(word) && words.contains(self.at + word, 1) {
                self.unset[word / 64] &= !(1 << (word % 64));
                self.left -= 1;
            }
        }
    }

    fn is_read_by(&self, words: &Footprint) -> bool {
        self.shared(words).any(|word| self.is_unset(word) && words.contains(self.at + word, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsd::access::Row;

    fn global(at: u16, words: u16) -> UnsetGlobals {
        let span = crate::source::Span::new(crate::source::FileId(0), 0, 0);
        let symbol = Symbol {
            name: "x".to_string(),
            addr: at,
            words,
            ty: String::new(),
            dims: Vec::new(),
            element: Some(crate::image::Scalar::U16),
            bits: None,
            inside: Default::default(),
            mutable: true,
            undefined: true,
            span,
        };
        let tile = TileImage { symbols: vec![symbol].into(), ..TileImage::default() };
        UnsetGlobals::new(&tile).expect("it has one")
    }

    #[test]
    fn a_word_has_no_value_until_it_is_written() {
        let mut unset = global(100, 70);
        let (odd, all) = (Row { at: 101, step: 2, count: 35 }, Footprint::words(100, 70));
        assert_eq!(unset.read(&all), Some(0));
        assert!(!unset.note_write(&Footprint::line(&odd, 1)));
        assert_eq!(unset.read(&Footprint::line(&odd, 1)), None);
        assert_eq!(unset.read(&Footprint::words(168, 1)), Some(0));
        assert_eq!(unset.read(&Footprint::words(90, 10)), None);
        assert_eq!(unset.read(&Footprint::words(170, 10)), None);
        assert!(unset.note_write(&Footprint::words(0, 400)));
        assert!(unset.is_empty());
    }

    #[test]
    fn what_was_told_is_forgotten() {
        let mut unset = global(0, 3);
        unset.forget(0);
        assert_eq!(unset.read(&Footprint::words(0, 3)), None);
    }
}
