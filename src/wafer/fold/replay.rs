//! The acts of the small wafer, done on the memories of all PEs.

use super::axis::Axis;
use super::plan::{Input, Plan, Round};
use crate::arch::PeCoord;
use crate::image::Program;
use crate::pe::Pe;
use crate::wafer::cells::Cells;
use std::sync::atomic::{AtomicBool, Ordering};

/// The memories of all PEs, row by row, one behind the other.
pub(super) struct Memories {
    rows: Vec<Vec<u16>>,
    /// By row of the small wafer: where the memory of each column begins; the last is the end.
    starts: Vec<Vec<usize>>,
}

/// A wafer as the small one has left it: what PEs are, and their memories.
pub struct Folded {
    columns: Axis,
    rows: Axis,
    /// The PEs of the small wafer to which something has happened.
    pub twins: Vec<Option<Pe>>,
    memories: Memories,
}

impl Folded {
    pub(super) fn new(columns: Axis, rows: Axis, twins: Vec<Option<Pe>>, memories: Memories) -> Folded {
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
        let (row, x) = (&self.memories.rows[usize::from(at.y)], usize::from(at.x));
        let starts = &self.memories.starts[self.rows.fold(at.y.into())];
        // Where nothing was done to memory, that of the twin is as it was.
        Some(twin.twin(at, row.get(starts[x]..starts[x + 1]).unwrap_or_default()))
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
struct Outbox {
    rows: Vec<Vec<u32>>,
    starts: Vec<Vec<usize>>,
}

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
    /// Does everything; `None` if it is stopped.
    pub fn run(&self) -> Option<Memories> {
        let width = usize::from(self.start.program.width);
        let height = usize::from(self.start.program.height);
        let fold_x: Vec<usize> = (0..width).map(|x| self.columns.fold(x)).collect();
        let fold_y: Vec<usize> = (0..height).map(|y| self.rows.fold(y)).collect();
        let mut memories =
            Memories { rows: vec![Vec::new(); height], starts: self.starts(&fold_x, self.words) };
        let mut outboxes: Vec<Outbox> = Vec::new();
        let mut spare: Vec<Vec<u32>> = Vec::new();
        for (number, round) in self.plan.rounds.iter().enumerate() {
            if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return None;
            }
            let starts = self.starts(&fold_x, &round.room);
            let mut rows: Vec<Vec<u32>> = (0..height).map(|_| spare.pop().unwrap_or_default()).collect();
            let stage = Stage { replay: self, round, fold_x: &fold_x, fold_y: &fold_y, outboxes: &outboxes };
            stage.run(&mut memories, (&mut rows, &starts));
            outboxes.push(Outbox { rows, starts });
            for (sent, outbox) in self.plan.rounds.iter().zip(&mut outboxes) {
                if sent.needed_in <= number {
                    spare.append(&mut outbox.rows);
                }
            }
        }
        Some(memories)
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
    round: &'a Round,
    fold_x: &'a [usize],
    fold_y: &'a [usize],
    outboxes: &'a [Outbox],
}

impl Stage<'_> {
    fn run(&self, memories: &mut Memories, (sent, sent_at): (&mut [Vec<u32>], &[Vec<usize>])) {
        let height = self.fold_y.len();
        let share = height.div_ceil(self.replay.threads.max(1)).max(1);
        let starts = &memories.starts;
        std::thread::scope(|scope| {
            let bands = memories.rows.chunks_mut(share).zip(sent.chunks_mut(share)).enumerate();
            for (band, (rows, sent)) in bands {
                let work = move || {
                    for (k, (row, sent)) in rows.iter_mut().zip(sent).enumerate() {
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
        (row, starts): (&mut Vec<u16>, &[usize]),
        (sent, sent_at): (&mut Vec<u32>, &[usize]),
    ) {
        let width = self.fold_x.len();
        let is_new = row.is_empty();
        if is_new {
            row.reserve_exact(starts[width]);
        }
        sent.resize(sent_at[width], 0);
        for x in 0..width {
            if is_new {
                row.extend_from_slice(self.replay.start.words(y * width + x));
                row.resize(starts[x + 1], 0);
            }
            let memory = &mut row[starts[x]..starts[x + 1]];
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
        &outbox.rows[y][outbox.starts[row][x] + sent.at + input.first..][..input.count]
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
