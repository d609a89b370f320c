//! Watches words of memory while scalar code runs.
//!
//! The scalar loop asks its guard before each access. [`Unguarded`] answers at compile time, so that most code pays
//! nothing; a PE takes [`GuardedWords`] only while somebody wants to know of accesses to some words: an asynchronous
//! operation works on them (`pe/races.rs`), or a search for the last write of a word (`pe/write_log.rs`).

use super::calls::{Calls, Frame};
use crate::dsd::DSD_WORDS;
use crate::dsd::footprint::Footprint;
use crate::image::FnId;
use crate::image::code::{Access, word_of};
use crate::prefetch;

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
    /// Whether a change of the DSD at an address stops it.
    #[inline(always)]
    fn changes_dsd(&mut self, at: u64) -> bool {
        self.copies(at, at, DSD_WORDS)
    }
    /// The words that it watches, if any.
    #[inline(always)]
    fn watched(&self) -> Option<&GuardedWords> {
        None
    }
    /// Operations of a function have run, from one up to another.
    #[inline(always)]
    fn ran(&mut self, _function: FnId, _from: usize, _to: usize) {}
    /// Whether it counts what runs.
    const COUNTS: bool = false;
    /// The same for operations that have run this often.
    #[inline(always)]
    fn ran_often(&mut self, _function: FnId, _from: u32, _to: u32, _times: u32) {}
    /// Whether many elements of an `@map` may be done at a time, without a question for each access.
    #[inline(always)]
    fn allows_lanes(&self) -> bool {
        !Self::IS_ON
    }
    /// An operation with elements has taken this many cycles, which are not among those of its function; gives them back.
    #[inline(always)]
    fn took(&mut self, _function: FnId, _at: usize, cycles: u32, _elements: u32) -> i64 {
        cycles.into()
    }
    /// Whether the loop asks before each operation.
    const STEPS: bool = false;
    /// An operation of a call is about to begin: whether the loop stops before it.
    #[inline(always)]
    fn stops_before(&mut self, _frame: &Frame, _at: usize) -> bool {
        false
    }
    /// The innermost call has begun.
    #[inline(always)]
    fn entered(&mut self, _calls: &Calls) {}
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
const BLOCK: usize = 16;

/// The blocks of memory that hold a watched word: what lies elsewhere costs one test. Block n has bit n modulo 64,
/// because each of a million PEs has two of these.
#[derive(Copy, Clone, Debug, Default)]
struct Blocks(u64);

impl Blocks {
    /// Those of the words from `low` to before `high`.
    fn of((low, high): (usize, usize)) -> Blocks {
        let (first, last) = (low / BLOCK, high.saturating_sub(1).max(low) / BLOCK);
        Blocks(match last - first {
            more @ 0..63 => ((2 << more) - 1_u64).rotate_left((first % 64) as u32),
            _ => u64::MAX,
        })
    }

    fn meet(self, other: Blocks) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the block of the first or of the last of some words is one of them; accesses are shorter than a block.
    #[inline(always)]
    fn hold(self, at: usize, words: usize) -> bool {
        let is_set = |word: usize| self.0 & 1 << (word / BLOCK % 64) != 0;
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

/// Words that are watched, and who wants to know.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub words: Footprint,
    /// Whether loads are watched as well as stores.
    pub reads: bool,
    /// The FIFO that the words belong to, if the owner accesses them as a FIFO.
    pub fifo: Option<u8>,
    pub owner: u32,
}

impl Watch {
    /// The first elements are not watched any more; says whether any are left. A FIFO stays as it is.
    pub fn shorten(&mut self, elements: u32) -> bool {
        if self.fifo.is_some() {
            return true;
        }
        let rest = self.words.after(elements);
        rest.is_some_and(|rest| {
            self.words = rest;
            true
        })
    }
}

/// The words that are watched.
#[derive(Clone, Debug, Default)]
pub(crate) struct GuardedWords {
    reads: Blocks,
    writes: Blocks,
    watches: Vec<Watch>,
    /// The access that has stopped the loop.
    hit: Option<GuardedAccess>,
    /// Accesses of the next operation that may happen although their words are watched: a copy has two.
    passes: [Option<GuardedAccess>; 2],
}

impl GuardedWords {
    /// Prefetches what is watched.
    pub fn prefetch(&self) {
        prefetch::room(&self.watches, 128);
    }

    /// Watches some more words.
    pub fn add(&mut self, watch: Watch) {
        // Most PEs have one or two, and there may be a million PEs.
        if self.watches.is_empty() {
            self.watches.reserve_exact(2);
            (self.reads, self.writes) = Default::default();
        }
        self.include(watch.words.span(), watch.reads);
        self.watches.push(watch);
    }

    fn include(&mut self, span: (usize, usize), reads: bool) {
        let Blocks(blocks) = Blocks::of(span);
        self.writes.0 |= blocks;
        self.reads.0 |= if reads { blocks } else { 0 };
    }

    /// Keeps those watches for which `keep` is true; it may change their words.
    pub fn retain(&mut self, keep: impl FnMut(&mut Watch) -> bool) {
        self.watches.retain_mut(keep);
    }

    /// Rebuilds the set of watched blocks, after watches have ended.
    pub fn renew(&mut self) {
        (self.reads, self.writes) = Default::default();
        for n in 0..self.watches.len() {
            let Watch { words, reads, .. } = &self.watches[n];
            self.include(words.span(), *reads);
        }
    }

    /// The watches that want to know of an access to some words and that share one with them.
    pub fn concerned(&self, words: &Footprint, is_write: bool) -> impl Iterator<Item = &Watch> {
        let (span, blocks) = (words.span(), if is_write { self.writes } else { self.reads });
        let watches = if blocks.meet(Blocks::of(span)) { &self.watches[..] } else { &[] };
        watches.iter().filter(move |watch| (is_write || watch.reads) && watch.words.meets(words))
    }

    /// Whether an access to some words is watched.
    #[inline]
    pub fn concerns(&self, words: &Footprint, is_write: bool) -> bool {
        self.concerned(words, is_write).next().is_some()
    }

    /// The access that has stopped the loop; it may happen when the loop goes on.
    pub fn let_pass(&mut self) -> Option<GuardedAccess> {
        let hit = self.hit.take();
        self.passes = [hit, self.passes[0]];
        hit
    }

    fn is_stopped(&mut self, access: GuardedAccess) -> bool {
        let GuardedAccess { at, words, is_write } = access;
        let is_watched = |watch: &Watch| (is_write || watch.reads) && watch.words.contains(at, words);
        let stops = !self.passes.contains(&Some(access)) && self.watches.iter().any(is_watched);
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
    fn watched(&self) -> Option<&GuardedWords> {
        Some(self)
    }

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
