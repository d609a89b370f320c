//! Counts for a profile how often each piece of scalar code runs.
//!
//! A piece is straight code: the loop enters it at its first operation and leaves it behind its last. Its cycles follow
//! from the costs of its operations, so that the loop only counts, at jumps, calls and returns. Operations whose cycles
//! depend on their operands are counted one by one, with their cycles. The loop is compiled a third time for this, so that
//! a run without a profile pays nothing.

use super::calls::Calls;
use super::guard::{Guard, GuardedWords};
use crate::image::FnId;
use crate::image::code::Access;
use rustc_hash::FxHashMap;

/// Places for the pieces of a stretch of code that are found without a search.
const SLOTS: usize = 64;
/// How many pieces are kept in order; of a long loop, these are the first iterations.
const MOST_IN_ORDER: usize = 200;

/// A piece of the code of a function, and how often it has run.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Piece {
    /// The function.
    pub function: FnId,
    /// Its first operation.
    pub from: u32,
    /// One past its last operation; if that is the first one, the piece is one operation that was counted by itself.
    pub to: u32,
    /// How often it has run.
    pub times: u32,
    /// Cycles of an operation that was counted by itself, all times together.
    pub cycles: u64,
    /// Elements that it has processed.
    pub elements: u64,
}

impl Piece {
    fn new(function: FnId, from: usize, to: usize) -> Piece {
        Piece { function, from: from as u32, to: to as u32, times: 0, cycles: 0, elements: 0 }
    }

    fn is_of(&self, other: &Piece) -> bool {
        (self.function, self.from, self.to) == (other.function, other.from, other.to)
    }
}

/// The pieces that have run since they were last taken.
#[derive(Clone, Debug)]
pub(crate) struct CodeCounts {
    slots: Box<[Option<Piece>; SLOTS]>,
    /// Slots in use, bit = slot.
    used: u64,
    /// Pieces that were evicted from their slot.
    others: FxHashMap<(FnId, u32, u32), Piece>,
    /// The same pieces in the order in which they ran, if somebody wants that instead.
    order: Option<Vec<Piece>>,
    /// One past the last word of the deepest frame so far.
    pub deepest: usize,
}

impl CodeCounts {
    /// Nothing has run.
    pub fn new() -> CodeCounts {
        let slots = Box::new([None; SLOTS]);
        CodeCounts { slots, used: 0, others: FxHashMap::default(), order: None, deepest: 0 }
    }

    /// Nothing has run; what runs is kept in its order and not added up.
    pub fn in_order() -> CodeCounts {
        CodeCounts { order: Some(Vec::new()), ..CodeCounts::new() }
    }

    /// The pieces in their order, which are forgotten; and whether there were more.
    pub fn take_in_order(&mut self) -> (Vec<Piece>, bool) {
        let mut pieces = self.order.as_mut().map(std::mem::take).unwrap_or_default();
        let is_cut = pieces.len() > MOST_IN_ORDER;
        pieces.truncate(MOST_IN_ORDER);
        (pieces, is_cut)
    }

    /// Adds a piece.
    #[inline]
    fn add(&mut self, piece: Piece) {
        if let Some(order) = &mut self.order {
            if order.len() <= MOST_IN_ORDER {
                order.push(piece);
            }
            return;
        }
        let at = (piece.from as usize ^ (piece.to as usize) << 2 ^ (piece.function.0 as usize) << 4) % SLOTS;
        match &mut self.slots[at] {
            Some(its) if its.is_of(&piece) => {
                its.times += piece.times;
                its.cycles += piece.cycles;
                its.elements += piece.elements;
            }
            slot => {
                let before = slot.replace(piece);
                self.used |= 1 << at;
                before.into_iter().for_each(|piece| self.put_by(piece));
            }
        }
    }

    #[cold]
    fn put_by(&mut self, piece: Piece) {
        let key = (piece.function, piece.from, piece.to);
        let its = self.others.entry(key).or_insert(Piece { times: 0, cycles: 0, elements: 0, ..piece });
        its.times += piece.times;
        its.cycles += piece.cycles;
        its.elements += piece.elements;
    }

    /// One operation has taken this long.
    pub fn add_operation(&mut self, function: FnId, at: usize, cycles: u64, elements: u64) {
        self.add(Piece { times: 1, cycles, elements, ..Piece::new(function, at, at) });
    }

    /// Adds all pieces to a list, in order, and forgets them.
    pub fn take(&mut self, into: &mut Vec<Piece>) {
        let first = into.len();
        while self.used != 0 {
            let at = self.used.trailing_zeros() as usize;
            self.used &= self.used - 1;
            let piece = self.slots[at].take().expect("the slot is in use");
            if self.others.is_empty() { into.push(piece) } else { self.put_by(piece) }
        }
        into.extend(self.others.drain().map(|(_, piece)| piece));
        into[first..].sort_unstable();
    }
}

/// Counts code, and watches words if somebody wants that as well.
pub(crate) struct Counting<'a> {
    pub counts: &'a mut CodeCounts,
    pub words: Option<&'a mut GuardedWords>,
}

impl Guard for Counting<'_> {
    const IS_ON: bool = true;
    const COUNTS: bool = true;

    fn watched(&self) -> Option<&GuardedWords> {
        self.words.as_deref()
    }

    #[inline(always)]
    fn reads(&mut self, at: usize, kind: Access) -> bool {
        self.words.as_mut().is_some_and(|words| words.reads(at, kind))
    }

    #[inline(always)]
    fn writes(&mut self, at: usize, kind: Access) -> bool {
        self.words.as_mut().is_some_and(|words| words.writes(at, kind))
    }

    fn copies(&mut self, to: u64, from: u64, words: u16) -> bool {
        self.words.as_mut().is_some_and(|watched| watched.copies(to, from, words))
    }

    #[inline(always)]
    fn ran(&mut self, function: FnId, from: usize, to: usize) {
        if from < to {
            self.counts.add(Piece { times: 1, ..Piece::new(function, from, to) });
        }
    }

    fn ran_often(&mut self, function: FnId, from: u32, to: u32, times: u32) {
        self.counts.add(Piece { times, ..Piece::new(function, from as usize, to as usize) });
    }

    /// Code that is kept in its order runs element by element.
    fn allows_lanes(&self) -> bool {
        self.words.is_none() && self.counts.order.is_none()
    }

    #[inline(always)]
    fn took(&mut self, function: FnId, at: usize, cycles: u32, elements: u32) -> i64 {
        if cycles > 0 {
            self.counts.add_operation(function, at, cycles.into(), elements.into());
        }
        cycles.into()
    }

    #[inline(always)]
    fn entered(&mut self, calls: &Calls) {
        let end = calls.last().map_or(0, |frame| frame.end);
        self.counts.deepest = self.counts.deepest.max(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_that_share_a_slot_are_all_counted() {
        let mut counts = CodeCounts::new();
        for round in 0..3 {
            for from in 0..200 {
                counts
                    .add(Piece { times: 1, ..Piece::new(FnId(from % 7), from as usize, from as usize + 3) });
            }
            counts.add_operation(FnId(1), 5, 10 + round, 2);
        }
        let mut all = Vec::new();
        counts.take(&mut all);
        assert_eq!(all.len(), 201);
        let one = all.iter().find(|piece| piece.from == piece.to).expect("it was added");
        assert_eq!((one.times, one.cycles, one.elements), (3, 33, 6));
        assert!(all.iter().all(|piece| piece.times == 3));
        counts.take(&mut all);
        assert_eq!(all.len(), 201, "they are taken once");
    }
}
