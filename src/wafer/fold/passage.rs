//! All rounds of all rows, on many threads.
//!
//! Rounds follow each other row by row, in the pieces that [`Pieces`] makes: what is sent is soon needed, and
//! its room is used again.

use super::pieces::{Piece, Pieces};
use super::plan::Input;
use super::replay::Replay;
use super::slab;
use crate::pe::{Inbox, Scratch};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard};

/// What is to be done, and where everything lies.
pub(super) struct Passage<'a> {
    pub replay: &'a Replay<'a>,
    /// The column of the small wafer that stands for each one, and the row.
    pub fold_x: Vec<usize>,
    pub fold_y: Vec<usize>,
    /// By row of the small wafer: where in a row what each column keeps begins.
    pub starts: &'a [Vec<usize>],
    /// By round: where what each column sends begins.
    pub sent_at: Vec<Vec<Vec<usize>>>,
    /// What PEs of one kind begin with, if nobody has changed it.
    pub first: Vec<Vec<u16>>,
    /// By row of the small wafer: the round in which that is put where it is kept. What is new from the
    /// system lies in a cache then.
    pub begins_in: Vec<usize>,
    /// Room for what is sent next.
    pub spare: Spare,
}

/// Vectors that nobody needs any more: to ask the system for others again and again holds all threads up.
#[derive(Default)]
pub(super) struct Spare(Mutex<Vec<Vec<u32>>>);

impl Spare {
    /// So many words, of whatever value.
    fn take(&self, count: usize) -> Vec<u32> {
        let spare = if count > 0 { self.all().pop() } else { None };
        let mut words = spare.unwrap_or_default();
        words.resize(count, 0);
        words
    }

    fn put(&self, words: Vec<u32>) {
        if words.capacity() > 0 {
            self.all().push(words);
        }
    }

    fn all(&self) -> MutexGuard<'_, Vec<Vec<u32>>> {
        self.0.lock().expect("nothing fails while a vector is taken")
    }
}

/// By round, what each row has sent, as long as it is needed.
type Outboxes = Vec<Vec<Vec<u32>>>;

impl Passage<'_> {
    /// `None` if it is stopped.
    pub fn run(&self, rows: &mut [&mut [u16]]) -> Option<()> {
        let Replay { plan, crew, pes_of_a_chunk, .. } = self.replay;
        let chunk = pes_of_a_chunk.div_ceil(self.fold_x.len());
        let pieces = Pieces::new(rows.len(), plan.rounds.len(), plan.reach(), crew.size(), chunk);
        let mut sent = vec![vec![Vec::new(); rows.len()]; plan.rounds.len()];
        // Rounds that later ones need.
        let mut needed = Vec::new();
        for rounds in pieces.blocks(plan.rounds.len()) {
            for pieces in [pieces.chunks(&rounds), pieces.seams(&rounds)] {
                let rows = split(rows, &pieces);
                let work = pieces.into_iter().map(|piece| Work::new(self, piece, &sent)).zip(rows).collect();
                let done: Option<Vec<_>> =
                    crew.share(work, |(work, rows): (Work<'_>, _)| work.run(rows)).into_iter().collect();
                done?.into_iter().flatten().for_each(|(round, y, words)| sent[round][y] = words);
            }
            needed.extend(rounds.clone());
            needed.retain(|round| {
                let is_needed = plan.rounds[*round].needed_in >= rounds.end;
                if !is_needed {
                    std::mem::take(&mut sent[*round]).into_iter().for_each(|sent| self.spare.put(sent));
                }
                is_needed
            });
        }
        Some(())
    }

    fn begin(&self, (x, y): (usize, usize), twin: usize, memory: &mut [u16]) {
        let index = y * self.fold_x.len() + x;
        match self.replay.start.cells.get(index) {
            Some(pe) => self.replay.kept[twin].take(pe.memory().words(), memory),
            None => memory[..self.first[twin].len()].copy_from_slice(&self.first[twin]),
        }
    }
}

/// The rows of each piece; pieces follow each other.
fn split<'r, 'm>(mut rows: &'r mut [&'m mut [u16]], pieces: &[Piece]) -> Vec<&'r mut [&'m mut [u16]]> {
    let mut end = 0;
    let part = |piece: &Piece| {
        let all = piece.all();
        let _ = rows.split_off_mut(..all.start - end);
        end = all.end;
        rows.split_off_mut(..all.len()).expect("pieces have rows of the wafer")
    };
    pieces.iter().map(part).collect()
}

/// A piece that is being done.
struct Work<'a> {
    passage: &'a Passage<'a>,
    piece: Piece,
    /// What was sent before.
    before: &'a Outboxes,
    /// What is sent by this piece, by its rounds and rows.
    sent: Outboxes,
    scratch: Scratch,
}

impl<'a> Work<'a> {
    fn new(passage: &'a Passage<'a>, piece: Piece, before: &'a Outboxes) -> Work<'a> {
        let sent = vec![vec![Vec::new(); piece.all().len()]; piece.rounds.len()];
        Work { passage, piece, before, sent, scratch: Scratch::default() }
    }

    /// Does it with the memories of its rows. Gives what others may need: round, row and what was sent. `None`
    /// if the run is to stop.
    fn run(mut self, rows: &mut [&mut [u16]]) -> Option<Vec<(usize, usize, Vec<u32>)>> {
        let Replay { stop, .. } = self.passage.replay;
        let (first, piece) = (self.piece.all().start, self.piece.clone());
        for (round, y) in piece.order() {
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return None;
            }
            self.run_row((round, y), rows[y - first]);
            self.forget(round, y);
        }
        let rounds = self.sent.into_iter().zip(piece.rounds);
        let left = rounds.flat_map(|(sent, round)| {
            let rows = sent.into_iter().zip(first..);
            rows.filter(|(sent, _)| !sent.is_empty()).map(move |(sent, y)| (round, y, sent))
        });
        Some(left.collect())
    }

    fn run_row(&mut self, (round, y): (usize, usize), memory: &mut [u16]) {
        let passage = self.passage;
        let (row, width) = (passage.fold_y[y], passage.fold_x.len());
        let (starts, sent_at) = (&passage.starts[row], &passage.sent_at[round][row]);
        let steps = &passage.replay.plan.rounds[round].steps;
        let mut sent = passage.spare.take(sent_at[width]);
        let begins = round == passage.begins_in[row];
        if begins {
            slab::touch(memory);
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        for x in 0..width {
            let twin = row * passage.replay.columns.folded() + passage.fold_x[x];
            let memory = &mut memory[starts[x]..starts[x + 1]];
            if begins {
                passage.begin((x, y), twin, memory);
            }
            for step in &steps[twin] {
                let mut inbox = Incoming { work: self, at: (x, y), inputs: &step.inputs, now: &[] };
                let from = sent_at[x] + step.at;
                let outbox = &mut sent[from..from + step.act.sent as usize];
                step.act.run(memory, &mut inbox, outbox, &mut scratch);
            }
        }
        self.scratch = scratch;
        *self.outbox_mut(round, y) = sent;
    }

    fn outbox_mut(&mut self, round: usize, y: usize) -> &mut Vec<u32> {
        &mut self.sent[round - self.piece.rounds.start][y - self.piece.all().start]
    }

    /// What nobody needs any more when a round of a row is done.
    fn forget(&mut self, round: usize, y: usize) {
        let Replay { plan, .. } = self.passage.replay;
        let reach = self.piece.reach;
        let Some(over) = y.checked_sub(reach) else { return };
        // Rows above have to be a part of this piece, too.
        if !self.piece.has(round, over.saturating_sub(reach)) {
            return;
        }
        for sender in self.piece.rounds.start..=round {
            if plan.rounds[sender].needed_in.max(sender) == round && self.piece.has(sender, over) {
                let sent = std::mem::take(self.outbox_mut(sender, over));
                self.passage.spare.put(sent);
            }
        }
    }

    /// What a PE has sent that is an input of another.
    fn words(&self, (x, y): (usize, usize), input: &Input) -> &[u32] {
        let Passage { replay, fold_x, fold_y, sent_at, .. } = self.passage;
        let (x, y) = (x.wrapping_add_signed(input.dx), y.wrapping_add_signed(input.dy));
        let row = fold_y[y];
        let look = || replay.plan.sent[row * replay.columns.folded() + fold_x[x]][input.serial as usize];
        let sent = input.sent.or_else(look).expect("the plan has looked at it");
        let from = sent_at[sent.round][row][x] + sent.at + input.first;
        let outbox = if self.piece.has(sent.round, y) {
            &self.sent[sent.round - self.piece.rounds.start][y - self.piece.all().start]
        } else {
            &self.before[sent.round][y]
        };
        &outbox[from..from + input.count]
    }
}

/// Wavelets that an operation takes.
struct Incoming<'a> {
    work: &'a Work<'a>,
    at: (usize, usize),
    inputs: &'a [Input],
    /// What is left of the input before.
    now: &'a [u32],
}

impl Incoming<'_> {
    fn reach_next(&mut self) {
        if self.now.is_empty() {
            let (input, later) = self.inputs.split_first().expect("as many have been sent as are taken");
            self.now = self.work.words(self.at, input);
            self.inputs = later;
        }
    }
}

impl<'a> Inbox<'a> for Incoming<'a> {
    fn take<'l>(&mut self, lanes: &'l mut [u32]) -> &'l [u32]
    where
        'a: 'l,
    {
        self.reach_next();
        if let Some((taken, later)) = self.now.split_at_checked(lanes.len()) {
            self.now = later;
            return taken;
        }
        let mut rest = &mut *lanes;
        while !rest.is_empty() {
            self.reach_next();
            let count = self.now.len().min(rest.len());
            rest[..count].copy_from_slice(&self.now[..count]);
            (rest, self.now) = (&mut rest[count..], &self.now[count..]);
        }
        lanes
    }
}
