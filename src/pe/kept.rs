//! Which words of a memory may differ from PE to PE.

use super::operation::{From, To};
use super::script::{Act, Deed};
use super::watch::ranges;
use crate::dsd::access::Walk;
use crate::dsd::local::{Dest, Source};
use std::collections::BTreeSet;
use std::ops::Range;

/// The words of a memory that every PE keeps for itself.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// In order, apart from each other. They begin at even addresses, and have even lengths.
    ranges: Vec<Range<usize>>,
    /// Where each range begins among all words that are kept.
    starts: Vec<usize>,
    count: usize,
}

impl Kept {
    /// Foreign words, and all that belongs to one vector with them.
    pub(super) fn new(foreign: &[Range<usize>], acts: &[Act]) -> Kept {
        let vectors: BTreeSet<Vec<(usize, usize)>> = acts.iter().flat_map(Act::vectors).collect();
        let foreign = foreign.iter().map(pairs);
        let ends = foreign.clone().chain(vectors.iter().flatten().copied()).map(|(_, end)| end);
        let mut pairs = vec![false; ends.max().unwrap_or(0)];
        foreign.for_each(|(from, to)| pairs[from..to].fill(true));
        loop {
            let mut grows = false;
            // To and fro, so that what follows from each other in either direction is found at once.
            for rows in vectors.iter().chain(vectors.iter().rev()) {
                let has = |is: bool| rows.iter().any(|(from, to)| pairs[*from..*to].contains(&is));
                if has(true) && has(false) {
                    rows.iter().for_each(|(from, to)| pairs[*from..*to].fill(true));
                    grows = true;
                }
            }
            if !grows {
                break;
            }
        }
        let mut kept = Kept::default();
        for pairs in ranges((0..pairs.len()).filter(|pair| pairs[*pair])) {
            let words = 2 * pairs.start..2 * pairs.end;
            kept.starts.push(kept.count);
            kept.count += words.len();
            kept.ranges.push(words);
        }
        kept
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Where they lie in the memory, and where among those that are kept.
    pub fn ranges(&self) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        let ranges = self.ranges.iter().zip(&self.starts);
        ranges.map(|(words, start)| (words.clone(), *start..start + words.len()))
    }

    /// Takes them out of a memory, of which words are given up to the last that is not 0.
    pub fn take(&self, memory: &[u16], kept: &mut [u16]) {
        for (words, place) in self.ranges() {
            let words = &memory[words.start.min(memory.len())..words.end.min(memory.len())];
            kept[place.start..place.start + words.len()].copy_from_slice(words);
        }
    }

    /// Where a word lies among those that are kept; `None` if it is not.
    pub(super) fn place(&self, word: usize) -> Option<usize> {
        let range = self.ranges.partition_point(|range| range.end <= word);
        let words = self.ranges.get(range).filter(|words| words.start <= word)?;
        Some(self.starts[range] + word - words.start)
    }
}

/// The pairs of words that hold these.
fn pairs(words: &Range<usize>) -> (usize, usize) {
    (words.start / 2, words.end.div_ceil(2))
}

impl Act {
    /// For each vector in memory that an operation works on, the pairs of words of its rows.
    fn vectors(&self) -> Vec<Vec<(usize, usize)>> {
        let Deed::Operate(operation) = &self.deed else { return Vec::new() };
        let total = operation.total.unwrap_or(0) as usize;
        let sources = operation.from.iter().filter_map(|from| match from {
            From::Local(Source::Walk(walk)) => Some(rows_of(*walk, total)),
            _ => None,
        });
        let dest = match &operation.to {
            To::Local(Dest::Walk(walk)) => Some(rows_of(*walk, total)),
            To::Local(Dest::Scalar { at, words, .. }) => Some(vec![pairs(&(*at..*at + usize::from(*words)))]),
            To::Fabric(_) | To::Fifo(_) | To::Nowhere => None,
        };
        sources.chain(dest).collect()
    }
}

fn rows_of(mut walk: Walk, count: usize) -> Vec<(usize, usize)> {
    let words = walk.words();
    let rows = walk.rows(count).map(|row| row.expect("the operation has been done before").span(words));
    rows.map(|(from, to)| pairs(&(from as usize..to as usize))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kept_in_pairs_and_found_again() {
        let foreign = [5..7, 8..9, 20..21];
        let kept = Kept::new(&foreign, &[]);
        assert_eq!(kept.ranges().collect::<Vec<_>>(), [(4..10, 0..6), (20..22, 6..8)]);
        assert_eq!(
            [4, 9, 10, 19, 21, 22].map(|word| kept.place(word)),
            [Some(0), Some(5), None, None, Some(7), None]
        );
        // The memory ends before the last pair does.
        let memory: Vec<u16> = (100..121).collect();
        let mut words = vec![0; kept.count()];
        kept.take(&memory, &mut words);
        assert_eq!(words, [104, 105, 106, 107, 108, 109, 120, 0]);
    }
}
