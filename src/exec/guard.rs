//! Watches words of memory while scalar code runs.
//!
//! The scalar loop asks its guard before each access. [`Unguarded`] answers at compile time, so that most code pays
//! nothing; a PE takes [`GuardedWords`] only while somebody wants to know of accesses to some words: an asynchronous
//! operation works on them (`pe/races.rs`), or a search for the last write of a word (`pe/witness.rs`).

use crate::dsd::footprint::Footprint;
use crate::image::FnId;
use crate::image::code::{Access, word_of};

/// Decides before each access of the scalar loop whether the loop stops there.
pub(crate) trait Guard {
    /// Whether any access can stop the loop.
    const IS_ON: bool;
    /// Whether a load stops the loop.
    fn reads(&mut self, at: usize, kind: Access) -> bool;
    /// Whether a store stops it.
    fn writes(&mut self, at: usize, kind: Access) -> bool;
    /// Whether a copy of `words` words stops it; addresses as registers hold them.
    fn copies(&mut self, to: u64, from: u64, words: u16) -> bool;
    /// Operations of a function have run, from one up to another.
    #[inline(always)]
    fn ran(&mut self, _function: FnId, _from: usize, _to: usize) {}
    /// An operation with elements has taken this many cycles, which are not among those of its function; gives them back.
    #[inline(always)]
    fn took(&mut self, _function: FnId, _at: usize, cycles: u32, _elements: u32) -> i64 {
        cycles.into()
    }
    /// A call has entered a function whose frame ends before an address.
    #[inline(always)]
    fn entered(&mut self, _end: usize) {}
}

/// Watches nothing.
pub(crate) struct Unguarded;

impl Guard for Unguarded {
    const IS_ON: bool = false;
    #[inline(always)]
    fn reads(&mut self, _: usize, _: Access) -> bool {
        false
    }
    #[inline(always)]
    fn writes(&mut self, _: usize, _: Access) -> bool {
        false
    }
    #[inline(always)]
    fn copies(&mut self, _: u64, _: u64, _: u16) -> bool {
        false
    }
}

/// Words per bit of a [`Blocks`].
const BLOCK: usize = 32;

/// The blocks of memory that hold a watched word, bit = block: what lies elsewhere costs one test.
#[derive(Clone, Debug, Default)]
struct Blocks([u64; 12]);

impl Blocks {
    fn add(&mut self, (low, high): (usize, usize)) {
        for block in low / BLOCK..=high.saturating_sub(1) / BLOCK {
            if let Some(bits) = self.0.get_mut(block / 64) {
                *bits |= 1 << (block % 64);
            }
        }
    }

    /// Whether the block of the first or of the last of some words is one of them; accesses are shorter than a block.
    #[inline(always)]
    fn hold(&self, at: usize, words: usize) -> bool {
        let is_set = |word: usize| {
            let block = word / BLOCK;
            self.0.get(block / 64).is_some_and(|bits| bits & 1 << (block % 64) != 0)
        };
        is_set(at) || is_set(at + words - 1)
    }
}

/// An access of scalar code.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct GuardedAccess {
    /// The first word.
    pub at: usize,
    /// How many words.
    pub words: usize,
    /// Whether they are written.
    pub is_write: bool,
}

/// The words that are watched.
#[derive(Clone, Debug, Default)]
pub(crate) struct GuardedWords {
    reads: Blocks,
    writes: Blocks,
    /// The words, and whether loads are watched as well as stores.
    words: Vec<(Footprint, bool)>,
    /// The access that has stopped the loop.
    hit: Option<GuardedAccess>,
    /// Accesses of the next operation that may happen although their words are watched: a copy has two.
    passes: [Option<GuardedAccess>; 2],
}

impl GuardedWords {
    /// Watches stores to these words, and loads if `reads`.
    pub fn add(&mut self, footprint: Footprint, reads: bool) {
        let span = footprint.span();
        self.writes.add(span);
        if reads {
            self.reads.add(span);
        }
        self.words.push((footprint, reads));
    }

    /// Watches nothing any more.
    pub fn clear(&mut self) {
        (self.reads, self.writes) = Default::default();
        self.words.clear();
    }

    /// The access that has stopped the loop; it may happen when the loop goes on.
    pub fn let_pass(&mut self) -> Option<GuardedAccess> {
        let hit = self.hit.take();
        self.passes = [hit, self.passes[0]];
        hit
    }

    fn is_stopped(&mut self, access: GuardedAccess) -> bool {
        let GuardedAccess { at, words, is_write } = access;
        let is_watched =
            |(footprint, reads): &(Footprint, bool)| (is_write || *reads) && footprint.contains(at, words);
        let stops = !self.passes.contains(&Some(access)) && self.words.iter().any(is_watched);
        if stops {
            self.hit = Some(access);
        }
        stops
    }

    #[cold]
    fn stops(&mut self, access: GuardedAccess) -> bool {
        let stops = self.is_stopped(access);
        if !stops {
            self.passes = [None; 2];
        }
        stops
    }
}

/// First word and number of words.
#[inline(always)]
fn extent(at: usize, kind: Access) -> (usize, usize) {
    if kind.is_byte() { (word_of(at), 1) } else { (at, usize::from(kind.words())) }
}

impl Guard for GuardedWords {
    const IS_ON: bool = true;

    #[inline(always)]
    fn reads(&mut self, at: usize, kind: Access) -> bool {
        let (at, words) = extent(at, kind);
        self.reads.hold(at, words) && self.stops(GuardedAccess { at, words, is_write: false })
    }

    #[inline(always)]
    fn writes(&mut self, at: usize, kind: Access) -> bool {
        let (at, words) = extent(at, kind);
        self.writes.hold(at, words) && self.stops(GuardedAccess { at, words, is_write: true })
    }

    fn copies(&mut self, to: u64, from: u64, words: u16) -> bool {
        let (to, from, words) = (usize::from(to as u16), usize::from(from as u16), usize::from(words));
        let read = GuardedAccess { at: from, words, is_write: false };
        let write = GuardedAccess { at: to, words, is_write: true };
        if words > 0 && (self.is_stopped(read) || self.is_stopped(write)) {
            return true;
        }
        self.passes = [None; 2];
        false
    }
}
