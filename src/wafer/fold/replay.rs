//! The acts of the small wafer, done on the memories of all PEs.

use super::axis::Axis;
use super::example;
use super::passage::{Passage, Spare};
use super::plan::Plan;
use super::slab::{Ahead, Slab};
use crate::arch::PeCoord;
use crate::image::Program;
use crate::pe::{Kept, Pe};
use crate::wafer::cells::Cells;
use crate::wafer::crew::Crew;
use std::sync::atomic::AtomicBool;

/// What of their memories all PEs keep for themselves, row by row and column by column in one piece.
pub(super) struct Memories {
    all: Slab,
    /// Where each row begins; the last is the end.
    rows: Vec<usize>,
    /// By row of the small wafer: where what each column keeps begins in its row; the last is the end.
    starts: Vec<Vec<usize>>,
}

impl Memories {
    fn row(&self, y: usize) -> &[u16] {
        &self.all.all()[self.rows[y]..self.rows[y + 1]]
    }

    /// All rows, and where columns begin in them.
    fn split(&mut self) -> (Vec<&mut [u16]>, &[Vec<usize>]) {
        let mut rest = self.all.all_mut();
        let lengths = self.rows.windows(2).map(|ends| ends[1] - ends[0]);
        let row = |length| rest.split_off_mut(..length).expect("rows are not longer than all");
        (lengths.map(row).collect(), &self.starts)
    }
}

/// A wafer as the small one has left it: what PEs are, and their memories.
pub struct Folded {
    columns: Axis,
    rows: Axis,
    /// The PEs of the small wafer to which something has happened.
    pub twins: Vec<Option<Pe>>,
    /// What of its memory each of them, and all that it stands for, keeps.
    kept: Vec<Kept>,
    /// `None` if they keep nothing.
    memories: Option<Memories>,
}

impl Folded {
    pub(super) fn new(
        (columns, rows): (Axis, Axis),
        twins: Vec<Option<Pe>>,
        kept: Vec<Kept>,
        memories: Option<Memories>,
    ) -> Folded {
        Folded { columns, rows, twins, kept, memories }
    }

    fn twin(&self, at: PeCoord) -> usize {
        self.rows.fold(at.y.into()) * self.columns.folded() + self.columns.fold(at.x.into())
    }

    /// Whether something has happened to a PE.
    pub fn has_run(&self, at: PeCoord) -> bool {
        self.twins[self.twin(at)].is_some()
    }

    /// A PE as it is now; `None` if nothing has happened to it.
    pub fn pe(&self, at: PeCoord) -> Option<Pe> {
        let twin = self.twin(at);
        let (pe, kept) = (self.twins[twin].as_ref()?, &self.kept[twin]);
        let Some(memories) = &self.memories else { return Some(pe.twin(at, kept, &[])) };
        let (starts, x) = (&memories.starts[self.rows.fold(at.y.into())], usize::from(at.x));
        Some(pe.twin(at, kept, &memories.row(at.y.into())[starts[x]..starts[x + 1]]))
    }

    /// To how many PEs something has happened.
    pub fn active(&self) -> u64 {
        let (columns, rows) = (self.columns.counts(), self.rows.counts());
        let width = columns.len();
        let has_twin = self.twins.iter().enumerate().filter(|(_, twin)| twin.is_some());
        has_twin.map(|(pe, _)| columns[pe % width] * rows[pe / width]).sum()
    }
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

/// What is to be done.
pub(super) struct Replay<'a> {
    pub plan: &'a Plan,
    pub start: Start<'a>,
    pub columns: &'a Axis,
    pub rows: &'a Axis,
    /// What each PE of the small wafer keeps.
    pub kept: &'a [Kept],
    pub crew: &'a Crew,
    /// So many PEs that to share them among threads is worth it.
    pub pes_of_a_chunk: usize,
    /// Becomes true when the run is to stop.
    pub stop: Option<&'static AtomicBool>,
}

impl Replay<'_> {
    /// Does everything; gives no memories if there is nothing to do. `None` if it is stopped, or there is
    /// too little memory.
    pub fn run(&self, ahead: Option<Ahead>) -> Option<Option<Memories>> {
        if self.plan.rounds.is_empty() {
            return Some(None);
        }
        let (width, height) = (self.start.program.width.into(), self.start.program.height.into());
        let fold_x: Vec<usize> = (0..width).map(|x| self.columns.fold(x)).collect();
        let fold_y: Vec<usize> = (0..height).map(|y| self.rows.fold(y)).collect();
        let counts: Vec<usize> = self.kept.iter().map(Kept::count).collect();
        let starts = self.starts(&fold_x, &counts);
        let mut rows = vec![0];
        rows.extend(fold_y.iter().scan(0, |end, y| {
            *end += starts[*y][width];
            Some(*end)
        }));
        let all = ahead.and_then(|ahead| ahead.take(rows[height]));
        let all = all.map_or_else(|| Slab::zeros(rows[height]), Ok).ok()?;
        let mut memories = Memories { all, rows, starts };
        let (mut rows, starts) = memories.split();
        let sent_at = self.plan.rounds.iter().map(|round| self.starts(&fold_x, &round.room)).collect();
        let (first, begins_in) = (self.first_words(), self.begins_in());
        let passage = Passage {
            replay: self,
            fold_x,
            fold_y,
            starts,
            sent_at,
            first,
            begins_in,
            spare: Spare::default(),
        };
        passage.run(&mut rows)?;
        Some(Some(memories))
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

    /// By row of the small wafer: the first round that works on what its PEs keep, or the last of all.
    fn begins_in(&self) -> Vec<usize> {
        let (rounds, width) = (&self.plan.rounds, self.columns.folded());
        let works = |round: usize, row: usize| {
            let mut steps = rounds[round].steps[row * width..][..width].iter().flatten();
            steps.any(|step| step.act.uses_kept())
        };
        let first = |row| (0..rounds.len()).find(|round| works(*round, row)).unwrap_or(rounds.len() - 1);
        (0..self.rows.folded()).map(first).collect()
    }

    /// What PEs keep of the words that their code begins with, up to the last that is not 0.
    fn first_words(&self) -> Vec<Vec<u16>> {
        let program = self.start.program;
        let first = |(twin, kept): (usize, &Kept)| {
            let tile = program.place[program.pe_index(example(twin, self.columns, self.rows))];
            let mut words = vec![0; kept.count()];
            if let Some(tile) = program.tiles.get(tile as usize) {
                kept.take(&tile.data, &mut words);
            }
            words.truncate(words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1));
            words
        };
        self.kept.iter().enumerate().map(first).collect()
    }
}
