//! The address generator: the elements of a memory vector, one after the other.

use super::{Mem, MemKind};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::MEMORY_OUT_OF_BOUNDS;
use std::ops::Range;

/// Where an operation is in a memory vector.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct AddressCursor {
    /// Address of the next element. Wider than an address, so that leaving the memory shows.
    pub(super) at: i32,
    /// Words per element.
    pub(super) words: u16,
    pub(super) dims: u8,
    /// Places in each dimension; the fastest first.
    pub(super) extent: [u16; 4],
    /// Words to add when a dimension ticks.
    pub(super) step: [i32; 4],
    pub(super) done: [u16; 4],
    /// First word of a circular buffer, and one past its last; not used by other vectors.
    pub(super) ring: Option<(i32, i32)>,
    /// Words that may be touched.
    pub(super) limits: (i32, i32),
    /// `Mem::has_soft_bounds`.
    has_soft_bounds: bool,
    /// `Mem::origin`.
    origin: u16,
}

/// An element that lies where an operation must not touch memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct OutOfBounds {
    /// The element, counted from 0.
    pub element: u32,
    /// Its first word that lies outside, perhaps outside of any memory.
    pub address: i32,
    /// Whether another word of it lies inside.
    pub begins_inside: bool,
    /// Words that may be touched: the first, and one past the last.
    pub limits: (i32, i32),
    /// `Mem::origin`.
    pub origin: u16,
}

/// Elements at equal distances.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Address of the first.
    pub at: usize,
    /// Words from one to the next.
    pub step: i32,
    /// How many.
    pub count: usize,
}

impl Row {
    /// `count` elements of a vector of one dimension from address `at`, if they lie within the
    /// limits; `None` also for other kinds of vectors.
    #[inline]
    pub fn new(mem: &Mem, at: u16, words: u16, count: u32, limits: (u16, u16)) -> Option<Row> {
        if mem.dims != 1 || mem.kind == MemKind::Circbuf || count == 0 {
            return None;
        }
        let step = i32::from(mem.step[0]) * i32::from(words);
        let row = Row { at: at.into(), step, count: count as usize };
        row.is_within(words, limits).then_some(row)
    }

    /// Whether it lies between two addresses.
    #[inline]
    pub fn is_within(&self, words: u16, limits: (u16, u16)) -> bool {
        let (low, high) = self.span(words);
        low >= limits.0.into() && high <= limits.1.into()
    }

    /// First word and one past the last.
    #[inline]
    pub fn span(&self, words: u16) -> (i32, i32) {
        let last = self.at as i32 + self.step * (self.count as i32 - 1);
        (last.min(self.at as i32), last.max(self.at as i32) + i32::from(words))
    }

    /// Whether writing along `self` in long pieces could change what is later read along `source`
    /// in the same piece.
    #[inline]
    pub fn disturbs(&self, words: u16, source: &Row, source_words: u16) -> bool {
        let (mine, theirs) = (self.span(words), source.span(source_words));
        if mine.1 <= theirs.0 || theirs.1 <= mine.0 {
            return false;
        }
        // Behind or level with a source that moves in the same steps, up or down, writes never get ahead.
        let lags = if self.step > 0 { self.at <= source.at } else { self.at >= source.at };
        let is_apart = self.step.unsigned_abs() >= u32::from(words.max(source_words));
        !(lags && is_apart && self.step == source.step)
    }

    /// The same for pieces of `many` elements, one after the other: a source that moves in the same steps may also lie
    /// so far behind that what a piece writes is read in a later one.
    #[inline]
    pub fn disturbs_pieces(&self, words: u16, source: &Row, source_words: u16, many: usize) -> bool {
        let far = self.step.unsigned_abs() as usize * many;
        let lies_far = self.step == source.step && self.at.abs_diff(source.at) >= far;
        let is_apart = self.step.unsigned_abs() >= u32::from(words.max(source_words));
        !(lies_far && is_apart) && self.disturbs(words, source, source_words)
    }
}

impl AddressCursor {
    /// Starts at address `at` of the vector, with elements of `words` words.
    pub fn new(mem: &Mem, at: u16, words: u16, limits: (u16, u16)) -> AddressCursor {
        let ring = (mem.kind == MemKind::Circbuf && mem.wrap > 0)
            .then(|| (i32::from(mem.base), i32::from(mem.base) + i32::from(mem.wrap)));
        AddressCursor {
            at: at.into(),
            words,
            dims: mem.dims.max(1),
            extent: mem.extent,
            step: mem.step.map(|s| i32::from(s) * i32::from(words)),
            done: [0; 4],
            ring,
            limits: (limits.0.into(), limits.1.into()),
            has_soft_bounds: mem.has_soft_bounds,
            origin: mem.origin,
        }
    }

    /// Words per element.
    pub fn words(&self) -> u16 {
        self.words
    }

    /// Elements of the whole vector.
    pub fn elements(&self) -> u32 {
        let extents = self.extent[..usize::from(self.dims)].iter();
        extents.map(|extent| u32::from(*extent)).fold(1, u32::saturating_mul)
    }

    /// Address of the next element; after a whole vector, of the one that would follow.
    pub fn position(&self) -> u16 {
        self.at as u16
    }

    /// How many of the next elements, up to `most`, lie where they may; perhaps some more do.
    pub fn reaches(&self, most: u64) -> u64 {
        if u32::try_from(most).is_ok_and(|most| self.whole_line(most).is_some()) || self.is_inside(most) {
            return most;
        }
        let (mut cursor, mut count) = (*self, 0);
        while count < most {
            let Ok(row) = cursor.next_row((most - count).min(u64::from(u16::MAX)) as usize) else { break };
            count += row.count as u64;
        }
        count
    }

    /// Whether the whole vector, of which no element is behind, lies where it may, and has so many elements.
    fn is_inside(&self, count: u64) -> bool {
        if self.ring.is_some() || self.done != [0; 4] || count > self.elements().into() {
            return false;
        }
        let (mut low, mut high, mut row) = (i64::from(self.at), i64::from(self.at), 0);
        for (extent, step) in self.extent.iter().zip(self.step).take(self.dims.into()) {
            // A step of a dimension starts where the faster ones have ended.
            let way = (i64::from(step) + row) * (i64::from(*extent) - 1);
            (low, high, row) = (low + way.min(0), high + way.max(0), row + way);
        }
        low >= self.limits.0.into() && high + i64::from(self.words) <= self.limits.1.into()
    }

    /// Address of the next element, which is then behind.
    #[inline]
    pub fn next_element(&mut self) -> Result<usize, Diag> {
        let at = self.at;
        if !self.has_next() {
            return Err(self.outside(1));
        }
        self.done[0] += 1;
        if !self.is_line() {
            self.tick();
        } else {
            self.at += self.step[0];
            self.done[0] = if self.done[0] >= self.extent[0] { 0 } else { self.done[0] };
        }
        Ok(at as usize)
    }

    /// Whether the next element lies where it may.
    #[inline]
    pub fn has_next(&self) -> bool {
        self.at >= self.limits.0 && self.at + i32::from(self.words) <= self.limits.1
    }

    /// Whether beyond its limits lies only another variable, at which a warning is due (`Mem::has_soft_bounds`).
    pub fn has_soft_bounds(&self) -> bool {
        self.has_soft_bounds
    }

    /// Whether the vector has fewer elements, all of which lie where they may.
    pub fn is_shorter(&self, count: u32) -> bool {
        let own = u64::from(self.elements());
        own < count.into() && self.reaches(own) >= own
    }

    /// Whether none of the words before an address may be touched.
    pub fn starts_behind(&self, address: u16) -> bool {
        self.limits.0 >= address.into()
    }

    /// Whether it may touch all of a memory of so many words.
    pub fn may_touch_all(&self, size: usize) -> bool {
        self.limits == (0, size as i32)
    }

    /// From now on may touch all of a memory of so many words.
    pub fn widen(&mut self, size: usize) {
        (self.limits, self.has_soft_bounds) = ((0, size as i32), false);
    }

    /// Up to `most` of the next elements, which are then behind. `most` is not 0.
    #[inline]
    pub fn next_row(&mut self, most: usize) -> Result<Row, Diag> {
        let row = self.row(most);
        let Some(row) = row else { return Err(self.outside(most)) };
        self.pass(&row);
        Ok(row)
    }

    /// Up to `most` of the next elements; `None` if one lies where it must not. `most` is not 0.
    #[inline]
    pub fn row(&self, most: usize) -> Option<Row> {
        let (step, count) = (self.step[0], most.min(self.row_length()));
        let last = self.at + step * (count as i32 - 1);
        let (low, high) = (self.at.min(last), self.at.max(last) + i32::from(self.words));
        let is_inside = low >= self.limits.0 && high <= self.limits.1;
        is_inside.then_some(Row { at: self.at as usize, step, count })
    }

    /// The next `count` elements, if they all lie at equal distances and where they may.
    #[inline]
    pub fn whole_line(&self, count: u32) -> Option<Row> {
        let count = count as usize;
        if count == 0 { None } else { self.row(count).filter(|row| row.count == count) }
    }

    /// How many of the next pieces of `length` elements, at most `most`, lie one behind the other at equal
    /// distances, and the words from one to the next. Only the first may lie where it must not.
    #[inline]
    pub fn pieces(&self, length: usize, most: usize) -> (usize, i32) {
        let (step, count) = (self.step[0], usize::from(self.extent[0]));
        let (rows, pitch) = match self.dims {
            _ if self.ring.is_some() || self.done[0] > 0 && self.dims > 1 => return (1, 0),
            1 => ((count - usize::from(self.done[0])) / length, step * length as i32),
            _ if length != count => return (1, 0),
            _ => (usize::from(self.extent[1] - self.done[1]), self.step[1] + step * (count as i32 - 1)),
        };
        let rows = rows.clamp(1, most);
        let (piece, pieces) = (step * (length as i32 - 1), pitch * (rows as i32 - 1));
        let (low, high) = (self.at + piece.min(0) + pieces.min(0), self.at + piece.max(0) + pieces.max(0));
        let is_inside = low >= self.limits.0 && high + i32::from(self.words) <= self.limits.1;
        if is_inside { (rows, pitch) } else { (1, pitch) }
    }

    /// The next pieces are behind, of which the first is `row`.
    #[inline]
    pub fn pass_pieces(&mut self, row: &Row, (pieces, pitch): (usize, i32)) {
        let before = pieces - 1;
        self.at += pitch * before as i32;
        if self.dims == 1 {
            self.done[0] += (before * row.count) as u16;
        } else {
            self.done[1] += before as u16;
        }
        self.pass(row);
    }

    /// How many of the next elements lie at equal distances.
    #[inline]
    pub fn row_length(&self) -> usize {
        let count = usize::from((self.extent[0] - self.done[0]).max(1));
        match self.ring {
            Some((_, end)) => count.min(before(self.at, self.step[0], end)),
            None => count,
        }
    }

    /// The next elements are behind: a row that it has given.
    #[inline]
    pub fn pass(&mut self, row: &Row) {
        self.at += row.step * (row.count as i32 - 1);
        self.done[0] += row.count as u16;
        self.tick();
    }

    /// Moves from the last element that was taken to the next.
    #[inline]
    fn tick(&mut self) {
        let mut dim = 0;
        let outermost = usize::from(self.dims) - 1;
        while self.done[dim] >= self.extent[dim] && dim < outermost {
            self.done[dim] = 0;
            dim += 1;
            self.done[dim] += 1;
        }
        if self.done[dim] >= self.extent[dim] {
            self.done[dim] = 0;
        }
        self.at += self.step[dim];
        if let Some((start, end)) = self.ring {
            if self.at >= end {
                self.at -= end - start;
            } else if self.at < start {
                self.at += end - start;
            }
        }
    }

    #[cold]
    fn outside(&self, most: usize) -> Diag {
        let (step, count) = (self.step[0], most.min(self.row_length()));
        let (low, high) = self.limits;
        let is_outside = |at: &i32| *at < low || *at + i32::from(self.words) > high;
        let all = (0..count as i32).map(|k| self.at + k * step);
        let address = all.clone().find(is_outside).unwrap_or(self.at);
        let what = format!("words {low} to {}, which the DSD may reach", high - 1);
        MEMORY_OUT_OF_BOUNDS.because(&[("address", &address), ("what", &what)])
    }

    /// The first element that must not be touched, of the elements of an operation that are to come: from that of
    /// number `elements.start` on, or a later one if it has gone ahead.
    pub fn outside_ahead(&self, elements: Range<u32>) -> Option<OutOfBounds> {
        let mut cursor = *self;
        let extents = &self.extent[..usize::from(self.dims)];
        let done = self.done.iter().zip(extents).rev();
        let done = done.fold(0, |all: u32, (done, extent)| all * u32::from(*extent) + u32::from(*done));
        // An operation may be longer than the vector, which then has come to its end before.
        let all = self.elements().max(1);
        let first = elements.start + (done + all - elements.start % all) % all;
        (first..elements.end).take(1 << 20).find_map(|element| {
            let begins_inside = (self.limits.0..self.limits.1).contains(&cursor.at);
            let address = if begins_inside { self.limits.1 } else { cursor.at };
            let (limits, origin) = (self.limits, self.origin);
            let outside = OutOfBounds { element, address, begins_inside, limits, origin };
            cursor.next_element().is_err().then_some(outside)
        })
    }

    /// One past the last word that the next `count` elements may touch.
    pub fn end(&self, count: u32) -> usize {
        if !self.is_line() {
            return self.limits.1 as usize;
        }
        let last = self.at + self.step[0] * (count.max(1) as i32 - 1);
        (self.at.max(last) + i32::from(self.words)).clamp(0, self.limits.1) as usize
    }

    /// Whether it has one dimension and is no circular buffer.
    #[inline]
    pub fn is_line(&self) -> bool {
        self.dims == 1 && self.ring.is_none()
    }
}

/// How many elements begin before `end`.
fn before(at: i32, step: i32, end: i32) -> usize {
    if step <= 0 { 1 } else { (((end - at - 1) / step).max(0) + 1) as usize }
}

#[cfg(test)]
mod tests;
