//! The acts of the small wafer, done on the memories of all PEs.

use super::axis::Axis;
use super::plan::{Input, Plan, Round};
use super::slab::Slab;
use crate::arch::PeCoord;
use crate::image::Program;
use crate::pe::Pe;
use crate::wafer::cells::Cells;
use std::sync::atomic::{AtomicBool, Ordering};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Something that every PE has some of, row by row and column by column in one piece.
pub(super) struct Shares<T> {
    all: Slab<T>,
    /// Where each row begins; the last is the end.
    rows: Vec<usize>,
    /// By row of the small wafer: where the share of each column begins in its row; the last is the end.
    starts: Vec<Vec<usize>>,
}

impl<T: FromBytes + IntoBytes + Immutable> Shares<T> {
    fn row(&self, y: usize) -> &[T] {
        &self.all.all()[self.rows[y]..self.rows[y + 1]]
    }

    /// All rows, to be divided among threads.
    fn rows_mut(&mut self) -> Vec<&mut [T]> {
        let mut rest = self.all.all_mut();
        let lengths = self.rows.windows(2).map(|ends| ends[1] - ends[0]);
        let row = |length| rest.split_off_mut(..length).expect("rows are not longer than all");
        lengths.map(row).collect()
    }
}

/// The memories of all PEs.
pub(super) type Memories = Shares<u16>;

/// A wafer as the small one has left it: what PEs are, and their memories.
pub struct Folded {
    columns: Axis,
    rows: Axis,
    /// The PEs of the small wafer to which something has happened.
    pub twins: Vec<Option<Pe>>,
    /// `None` if nothing was done to them.
    memories: Option<Memories>,
}

impl Folded {
    pub(super) fn new(
        columns: Axis,
        rows: Axis,
        twins: Vec<Option<Pe>>,
        memories: Option<Memories>,
    ) -> Folded {
        Folded { columns, rows, twins, memories }
    }

    fn twin(&self, at: PeCoord) -> Option<&Pe> {
        let (x, y) = (self.columns.fold(at.x.into()), self.rows.fold(at.y.into()));
        self.twins[y * self.columns.folded() + x].as_ref()
    }

    /// Whether something has happened to a PE.
    pub fn has_run(&self, at: PeCoord) -> bool {
        self.twin(at).is_some()
    }

    /// A PE as it is now; `None` if nothing has happened to it.
    pub fn pe(&self, at: PeCoord) -> Option<Pe> {
        let twin = self.twin(at)?;
        let Some(memories) = &self.memories else { return Some(twin.twin(at, &[])) };
        let (starts, x) = (&memories.starts[self.rows.fold(at.y.into())], usize::from(at.x));
        Some(twin.twin(at, &memories.row(at.y.into())[starts[x]..starts[x + 1]]))
    }

    /// To how many PEs something has happened.
    pub fn active(&self) -> u64 {
        let (columns, rows) = (self.columns.counts(), self.rows.counts());
        let width = columns.len();
        let has_twin = self.twins.iter().enumerate().filter(|(_, twin)| twin.is_some());
        has_twin.map(|(pe, _)| columns[pe % width] * rows[pe / width]).sum()
    }
}

/// What all PEs have sent in a round.
type Outbox = Shares<u32>;

/// What memories begin with.
#[derive(Copy, Clone)]
pub(super) struct Start<'a> {
    pub program: &'a Program,
    pub cells: &'a Cells,
}

impl<'a> Start<'a> {
    /// Words of a PE; what follows is zero.
    pub fn words(&self, index: usize) -> &'a [u16] {
        match (self.cells.get(index), self.program.tiles.get(self.program.place[index] as usize)) {
            (Some(pe), _) => pe.memory().words(),
            (None, Some(tile)) => &tile.data,
            (None, None) => &[],
        }
    }
}

/// What does not change from round to round.
pub(super) struct Replay<'a> {
    pub plan: &'a Plan,
    pub start: Start<'a>,
    pub columns: &'a Axis,
    pub rows: &'a Axis,
    /// Words of each PE of the small wafer.
    pub words: &'a [usize],
    pub threads: usize,
    /// Becomes true when the run is to stop.
    pub stop: Option<&'static AtomicBool>,
}

impl Replay<'_> {
    /// Does everything; gives no memories if there is nothing to do. `None` if it is stopped, or there is
    /// too little memory.
    pub fn run(&self) -> Option<Option<Memories>> {
        if self.plan.rounds.is_empty() {
            return Some(None);
        }
        let (width, height) = (self.start.program.width.into(), self.start.program.height.into());
        let fold_x: Vec<usize> = (0..width).map(|x| self.columns.fold(x)).collect();
        let fold_y: Vec<usize> = (0..height).map(|y| self.rows.fold(y)).collect();
        let mut memories = self.shares((&fold_x, &fold_y), self.words, None)?;
        let mut outboxes: Vec<Outbox> = Vec::new();
        let mut spare: Vec<Slab<u32>> = Vec::new();
        for (number, round) in self.plan.rounds.iter().enumerate() {
            let mut sent = self.shares((&fold_x, &fold_y), &round.room, spare.pop())?;
            let stage =
                Stage { replay: self, number, round, fold_x: &fold_x, fold_y: &fold_y, outboxes: &outboxes };
            stage.run(&mut memories, &mut sent);
            if self.is_to_stop() {
                return None;
            }
            outboxes.push(sent);
            for (round, outbox) in self.plan.rounds.iter().zip(&mut outboxes) {
                if round.needed_in <= number && !outbox.all.all().is_empty() {
                    spare.push(std::mem::replace(&mut outbox.all, Slab::zeros(0).ok()?));
                }
            }
        }
        Some(Some(memories))
    }

    fn is_to_stop(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Room for so many of each PE of the small wafer, in what is there already if that is enough.
    fn shares<T: FromBytes + IntoBytes + Immutable>(
        &self,
        (fold_x, fold_y): (&[usize], &[usize]),
        lengths: &[usize],
        spare: Option<Slab<T>>,
    ) -> Option<Shares<T>> {
        let starts = self.starts(fold_x, lengths);
        let mut rows = vec![0];
        for y in fold_y {
            rows.push(rows[rows.len() - 1] + starts[*y][fold_x.len()]);
        }
        let count = rows[fold_y.len()];
        let all = spare.filter(|slab| slab.all().len() >= count);
        let all = all.map_or_else(|| Slab::zeros(count), Ok).ok()?;
        Some(Shares { all, rows, starts })
    }

    /// Where what each column has begins, for each row of the small wafer.
    fn starts(&self, fold_x: &[usize], lengths: &[usize]) -> Vec<Vec<usize>> {
        let row = |lengths: &[usize]| {
            let mut end = 0;
            let ends = fold_x.iter().map(|x| {
                end += lengths[*x];
                end
            });
            std::iter::once(0).chain(ends).collect()
        };
        lengths.chunks(self.columns.folded()).map(row).collect()
    }
}

/// A round.
struct Stage<'a> {
    replay: &'a Replay<'a>,
    number: usize,
    round: &'a Round,
    fold_x: &'a [usize],
    fold_y: &'a [usize],
    outboxes: &'a [Outbox],
}

impl Stage<'_> {
    /// Leaves rows as they are when the run is to stop.
    fn run(&self, memories: &mut Memories, sent: &mut Outbox) {
        let height = self.fold_y.len();
        let share = height.div_ceil(self.replay.threads.max(1)).max(1);
        let (starts, sent_at) = (memories.starts.clone(), sent.starts.clone());
        let (mut rows, mut sent) = (memories.rows_mut(), sent.rows_mut());
        std::thread::scope(|scope| {
            for (band, (rows, sent)) in rows.chunks_mut(share).zip(sent.chunks_mut(share)).enumerate() {
                let (starts, sent_at) = (&starts, &sent_at);
                let work = move || {
                    for (k, (row, sent)) in rows.iter_mut().zip(sent).enumerate() {
                        if self.replay.is_to_stop() {
                            return;
                        }
                        let y = band * share + k;
                        self.run_row(y, (row, &starts[self.fold_y[y]]), (sent, &sent_at[self.fold_y[y]]));
                    }
                };
                if share < height {
                    scope.spawn(work);
                } else {
                    work();
                }
            }
        });
    }

    fn run_row(
        &self,
        y: usize,
        (row, starts): (&mut [u16], &[usize]),
        (sent, sent_at): (&mut [u32], &[usize]),
    ) {
        let width = self.fold_x.len();
        for x in 0..width {
            let memory = &mut row[starts[x]..starts[x + 1]];
            if self.number == 0 && !memory.is_empty() {
                let words = self.replay.start.words(y * width + x);
                memory[..words.len()].copy_from_slice(words);
            }
            self.run_pe((x, y), memory, &mut sent[sent_at[x]..sent_at[x + 1]]);
        }
    }

    fn run_pe(&self, (x, y): (usize, usize), memory: &mut [u16], sent: &mut [u32]) {
        let pe = self.fold_y[y] * self.replay.columns.folded() + self.fold_x[x];
        for step in &self.round.steps[pe] {
            let mut inputs = Inputs { stage: self, at: (x, y), inputs: &step.inputs, done: 0 };
            let count = step.act.sent() as usize;
            step.act.run(memory, |lanes| inputs.take(lanes), &mut sent[step.at..step.at + count]);
        }
    }

    /// What a PE has sent that is an input of another.
    fn words(&self, (x, y): (usize, usize), input: &Input) -> &[u32] {
        let (x, y) = (x.wrapping_add_signed(input.dx), y.wrapping_add_signed(input.dy));
        let (row, pe) = (self.fold_y[y], self.fold_y[y] * self.replay.columns.folded() + self.fold_x[x]);
        let sent = self.replay.plan.sent[pe][input.serial as usize].expect("the plan has looked at it");
        let outbox = &self.outboxes[sent.round];
        &outbox.row(y)[outbox.starts[row][x] + sent.at + input.first..][..input.count]
    }
}

/// Wavelets that an operation takes.
struct Inputs<'a> {
    stage: &'a Stage<'a>,
    at: (usize, usize),
    inputs: &'a [Input],
    /// Elements of the first input that are taken.
    done: usize,
}

impl Inputs<'_> {
    fn take(&mut self, mut lanes: &mut [u32]) {
        while !lanes.is_empty() {
            let input = &self.inputs[0];
            let words = &self.stage.words(self.at, input)[self.done..];
            let count = words.len().min(lanes.len());
            let (now, later) = lanes.split_at_mut(count);
            now.copy_from_slice(&words[..count]);
            lanes = later;
            self.done += count;
            if self.done == input.count {
                (self.inputs, self.done) = (&self.inputs[1..], 0);
            }
        }
    }
}
