//! Which words of a PE's memory only operations may touch, while a script of them is written.

use std::ops::Range;

/// A word whose value may differ from PE to PE.
pub(super) const FOREIGN: u8 = 1;
/// A word that an operation in progress reads.
pub(super) const READ: u8 = 2;
/// A word that an operation in progress writes.
pub(super) const WRITTEN: u8 = 4;

/// Words that are looked at in one piece.
const PART: usize = 64;

/// Numbers that rise, those in a row as a range.
pub fn ranges(numbers: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some(last) if last.end == number => last.end += 1,
            _ => ranges.push(number..number + 1),
        }
    }
    ranges
}

/// Words with marks. Code that touches a marked one would do other things on another PE, or at
/// another time.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    /// Up to the last word that has ever had one.
    marks: Vec<u8>,
    /// Code has touched a word that it must not.
    pub touched: bool,
}

impl Watch {
    /// Code reads words: their values have to be the same on all PEs.
    pub fn code_reads(&mut self, at: usize, words: usize) {
        self.touched |= self.has(&(at..at + words), FOREIGN);
    }

    /// Code writes words: no operation may have anything to do with them.
    pub fn code_writes(&mut self, at: usize, words: usize) {
        self.touched |= self.has(&(at..at + words), FOREIGN | READ | WRITTEN);
    }

    /// Whether any of the words has one of the marks.
    pub fn has(&self, words: &Range<usize>, marks: u8) -> bool {
        self.marks.iter().take(words.end).skip(words.start).any(|mark| mark & marks != 0)
    }

    /// Whether a word may differ from PE to PE.
    pub fn is_foreign(&self, word: usize) -> bool {
        self.marks.get(word).is_some_and(|mark| mark & FOREIGN != 0)
    }

    /// All words whose value may differ from PE to PE.
    pub fn foreign(&self) -> Vec<Range<usize>> {
        // Most parts of a memory have none.
        let (parts, rest) = self.marks.as_chunks::<PART>();
        let has_some = |part: &[u8; PART]| part.iter().fold(0, |all, mark| all | mark) & FOREIGN != 0;
        let parts = parts.iter().enumerate().filter(|(_, part)| has_some(part));
        let words = parts.flat_map(|(part, _)| part * PART..(part + 1) * PART);
        let words = words.chain(self.marks.len() - rest.len()..self.marks.len());
        let words = words.filter(|word| self.is_foreign(*word));
        ranges(words)
    }

    /// Gives words a mark.
    pub fn mark(&mut self, words: &Range<usize>, mark: u8) {
        self.marks.resize(self.marks.len().max(words.end), 0);
        self.marks[words.clone()].iter_mut().for_each(|m| *m |= mark);
    }

    /// Takes the marks of operations in progress away.
    pub fn nobody_works(&mut self) {
        self.marks.iter_mut().for_each(|m| *m &= FOREIGN);
    }
}
