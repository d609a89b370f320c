//! In which pieces the rounds of all rows are done, side by side on many threads.
//!
//! A round of a row needs what rows near it have sent in the rounds before. A few rounds at a time are
//! therefore done in chunks of rows first, of which each round does fewer at every end where another chunk
//! is, and then in the seams between chunks, of which each round does more. In a piece a round follows close
//! behind the one before: what it needs is in a cache then.

use std::ops::Range;

/// Rounds that follow each other row by row, at most: the more there are, the less often memories come into
/// a cache, and the less of it each row gets.
const MOST_ROUNDS: usize = 8;

/// How rows are divided.
pub(super) struct Pieces {
    /// Where chunks begin; the last is the end.
    ends: Vec<usize>,
    /// How many rows away at most what a row needs was sent.
    reach: usize,
    /// Rounds at a time.
    rounds: usize,
}

/// Some rows, of which each round does another part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Rounds of the whole plan.
    pub rounds: Range<usize>,
    /// Rows of the first of these rounds.
    first: Range<usize>,
    /// Rows by which the start moves with each round, and the end.
    moves: (isize, isize),
    /// How many rows away at most what a row needs was sent.
    pub reach: usize,
}

impl Pieces {
    /// Divides `height` rows among threads, half of which begin at the first row and half at the last: the
    /// nearer to the middle, where they meet, the smaller are the chunks, but none has fewer than `least` rows
    /// if every thread gets one. Of all `rounds` as many are done at a time as chunks are large enough for.
    pub fn new(height: usize, rounds: usize, reach: usize, threads: usize, least: usize) -> Pieces {
        let rounds = rounds.min(MOST_ROUNDS);
        // Half of the work is in chunks at least.
        let least = least.max(4 * reach * (rounds - 1)).min(height / threads).max(1);
        let (mut ends, mut others) = (vec![0], vec![height]);
        let mut rest = height;
        while threads > 1 && rest >= 2 * least {
            let size = least.max(rest / (2 * threads)).min(rest / 2);
            rest -= size;
            ends.push(ends[ends.len() - 1] + size);
            if rest >= 2 * least.max(size) {
                rest -= size;
                others.push(others[others.len() - 1] - size);
            }
        }
        ends.extend(others.into_iter().rev());
        let smallest = ends.windows(2).map(|ends| ends[1] - ends[0]).min().unwrap_or(0);
        let fit = if ends.len() > 2 && reach > 0 { smallest / (4 * reach) + 1 } else { rounds };
        Pieces { ends, reach, rounds: rounds.min(fit) }
    }

    /// Some rounds at a time, up to all of them.
    pub fn blocks(&self, rounds: usize) -> impl Iterator<Item = Range<usize>> {
        (0..rounds).step_by(self.rounds).map(move |from| from..rounds.min(from + self.rounds))
    }

    /// What is to be done first, side by side.
    pub fn chunks(&self, rounds: &Range<usize>) -> Vec<Piece> {
        let (reach, inner) = (self.reach as isize, 1..self.ends.len() - 1);
        let piece = |chunk: usize| {
            let moves = |end: usize| if inner.contains(&end) { reach } else { 0 };
            let moves = (moves(chunk), -moves(chunk + 1));
            self.piece(rounds, self.ends[chunk]..self.ends[chunk + 1], moves)
        };
        (0..self.ends.len() - 1).map(piece).collect()
    }

    /// What is to be done then, side by side.
    pub fn seams(&self, rounds: &Range<usize>) -> Vec<Piece> {
        let reach = self.reach as isize;
        let inner = self.ends[1..self.ends.len() - 1].iter().filter(|_| rounds.len() > 1 && reach > 0);
        inner.map(|end| self.piece(rounds, *end..*end, (-reach, reach))).collect()
    }

    fn piece(&self, rounds: &Range<usize>, first: Range<usize>, moves: (isize, isize)) -> Piece {
        Piece { rounds: rounds.clone(), first, moves, reach: self.reach }
    }
}

impl Piece {
    /// The rows that a round does.
    pub fn rows(&self, round: usize) -> Range<usize> {
        let times = (round - self.rounds.start) as isize;
        let moved = |row: usize, by: isize| row.checked_add_signed(times * by).expect("seams are small");
        moved(self.first.start, self.moves.0)..moved(self.first.end, self.moves.1)
    }

    /// The rows that any round does.
    pub fn all(&self) -> Range<usize> {
        let last = self.rows(self.rounds.end - 1);
        self.first.start.min(last.start)..self.first.end.max(last.end)
    }

    /// Whether a round of a row is a part of it.
    pub fn has(&self, round: usize, row: usize) -> bool {
        self.rounds.contains(&round) && self.rows(round).contains(&row)
    }

    /// Rounds and rows in an order in which each comes after all that it needs.
    pub fn order(&self) -> impl Iterator<Item = (usize, usize)> {
        let all = self.all();
        let times = all.len() + (self.rounds.len() - 1) * self.reach;
        let at = move |time: usize, round: usize| {
            let row = (all.start + time).checked_sub((round - self.rounds.start) * self.reach)?;
            self.has(round, row).then_some((round, row))
        };
        (0..times).flat_map(move |time| self.rounds.clone().filter_map(move |round| at(time, round)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Does all rounds of all rows, and looks whether each finds what it needs.
    fn check(height: usize, rounds: usize, reach: usize, threads: usize, chunk: usize) {
        let pieces = Pieces::new(height, rounds, reach, threads, chunk);
        let mut done = BTreeSet::new();
        for block in pieces.blocks(rounds) {
            for side_by_side in [pieces.chunks(&block), pieces.seams(&block)] {
                let before = done.clone();
                let mut end = 0;
                for piece in side_by_side {
                    assert!(
                        piece.all().start >= end,
                        "{height} {rounds} {reach} {threads} {chunk}: {piece:?}"
                    );
                    end = piece.all().end;
                    let mut known = before.clone();
                    for (round, row) in piece.order() {
                        let near = row.saturating_sub(reach)..height.min(row + reach + 1);
                        let finds = round == 0 || near.clone().all(|row| known.contains(&(round - 1, row)));
                        assert!(finds, "{height} {rounds} {reach} {threads} {chunk}: {round} of {row}");
                        known.insert((round, row));
                        assert!(done.insert((round, row)), "nothing is done twice");
                    }
                }
            }
        }
        assert_eq!(done.len(), height * rounds, "{height} {rounds} {reach} {threads} {chunk}");
    }

    #[test]
    fn every_round_of_a_row_comes_after_what_it_needs() {
        for height in [1, 2, 7, 30, 101] {
            for rounds in [1, 2, 5, 19] {
                for reach in [0, 1, 3, 40] {
                    for threads in [1, 2, 3, 64] {
                        check(height, rounds, reach, threads, 1);
                        check(height, rounds, reach, threads, 10);
                    }
                }
            }
        }
    }

    #[test]
    fn chunks_are_smaller_where_threads_meet() {
        let rows = |threads, least| -> Vec<usize> {
            let pieces = Pieces::new(100, 2, 1, threads, least);
            pieces.chunks(&(0..2)).iter().map(|piece| piece.all().len()).collect()
        };
        assert_eq!(rows(1, 5), [100]);
        assert_eq!(rows(2, 5), [25, 12, 6, 5, 9, 6, 12, 25]);
        assert_eq!(rows(2, 90), [50, 50]);
        assert!(rows(30, 1).iter().all(|rows| *rows == 3 || *rows == 4));
    }
}
