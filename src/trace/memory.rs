//! Records how the variables of PEs change during a run.

use crate::image::{ExportTarget, Program, Scalar, Symbol, TileImage};

/// Maximum number of recorded words per PE; of larger variables only the beginning is recorded.
const MOST_WORDS: u16 = 4096;

/// A variable that is recorded on every PE of a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    /// The name under which it is exported, or its own.
    pub name: String,
    /// The type as written in CSL.
    pub ty: String,
    /// The scalar that it is made of.
    pub element: Scalar,
    /// Sizes of an array, slowest dimension first.
    pub dims: Vec<u32>,
    /// First word in the memory of the PE.
    pub addr: u16,
    /// Index of its first word among all recorded words of the PE.
    pub at: u16,
    /// Number of recorded words.
    pub words: u16,
}

/// Words of one PE that have changed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The cycle. Changes by a main thread that runs ahead of the clock are dated at the end of that stretch.
    pub cycle: u64,
    /// The PE, row by row.
    pub pe: u32,
    /// Index of the first word, among all recorded words of the PE.
    pub at: u16,
    /// How many words.
    pub count: u16,
    /// Index of the first new value in [`History::words`].
    pub first: u32,
}

/// The recorded changes of variables.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The variables of each tile.
    pub variables: Vec<Vec<Followed>>,
    /// The changes by cycle, then by PE.
    pub changes: Vec<Change>,
    /// New values.
    pub words: Vec<u16>,
    /// Whether there were too many changes; those of later cycles are missing.
    pub cut: Option<u64>,
}

impl History {
    /// The new values of a change.
    pub fn values(&self, change: &Change) -> &[u16] {
        &self.words[change.first as usize..][..usize::from(change.count)]
    }
}

/// Records variables during a run.
pub struct Follower {
    history: History,
    /// For each tile, the initial values of its PEs.
    start: Vec<Vec<u16>>,
    place: Vec<u32>,
    /// For each PE the values at the last sample; `None` if they are still the initial values.
    seen: Vec<Option<Box<[u16]>>>,
    limit: usize,
}

impl Follower {
    /// Records the exported variables, or all variables if nothing is exported, until this many words have
    /// changed.
    pub fn new(program: &Program, limit: usize) -> Follower {
        let variables: Vec<Vec<Followed>> = program.tiles.iter().map(|tile| followed(tile)).collect();
        let start = |tile: &TileImage, all: &[Followed]| all.iter().flat_map(|v| v.start(tile)).collect();
        let start = program.tiles.iter().zip(&variables).map(|(tile, all)| start(tile, all)).collect();
        Follower {
            history: History { variables, ..History::default() },
            start,
            place: program.place.clone(),
            seen: vec![None; program.place.len()],
            limit,
        }
    }

    /// Records the changes on a PE since the last sample; `read` returns words of its memory.
    pub fn look(&mut self, pe: usize, cycle: u64, mut read: impl FnMut(&Followed, &mut [u16])) {
        let tile = self.place[pe] as usize;
        let Some(variables) = self.history.variables.get(tile) else { return };
        if variables.is_empty() || self.history.cut.is_some() {
            return;
        }
        let mut now = vec![0; self.start[tile].len()];
        for variable in variables {
            let at = usize::from(variable.at);
            read(variable, &mut now[at..at + usize::from(variable.words)]);
        }
        let before = self.seen[pe].as_deref().unwrap_or(&self.start[tile]);
        if before == now {
            return;
        }
        note(&mut self.history, pe, cycle, before, &now);
        self.seen[pe] = Some(now.into());
        if self.history.words.len() > self.limit {
            self.history.cut = Some(cycle);
        }
    }

    /// The changes so far, in order.
    pub fn history(&self, end: u64) -> History {
        let mut history = self.history.clone();
        history.changes.sort_by_key(|c| (c.cycle, c.pe));
        if let Some(cut) = history.cut {
            history.changes.retain(|change| change.cycle <= cut);
            return history;
        }
        self.settle(&mut history, end);
        history
    }

    /// Appends changes so that the final values are those at the end of the run. They can differ from the
    /// recorded ones, because a microthread and the main thread may write the same word, one of them ahead of
    /// the clock.
    fn settle(&self, history: &mut History, end: u64) {
        let mut shown: Vec<Option<Vec<u16>>> = vec![None; self.seen.len()];
        for change in &history.changes {
            let start = &self.start[self.place[change.pe as usize] as usize];
            let words = shown[change.pe as usize].get_or_insert_with(|| start.clone());
            words[usize::from(change.at)..][..usize::from(change.count)]
                .copy_from_slice(history.values(change));
        }
        for (pe, (shown, seen)) in shown.iter().zip(&self.seen).enumerate() {
            if let (Some(shown), Some(seen)) = (shown, seen)
                && shown[..] != seen[..]
            {
                note(history, pe, end, shown, seen);
            }
        }
    }
}

/// Adds a change for each run of words that differ.
fn note(history: &mut History, pe: usize, cycle: u64, before: &[u16], now: &[u16]) {
    let mut at = 0;
    while at < now.len() {
        let count = before[at..].iter().zip(&now[at..]).take_while(|(old, new)| old != new).count();
        if count > 0 {
            let first = history.words.len() as u32;
            history.words.extend(&now[at..at + count]);
            let (at, count) = (at as u16, count as u16);
            history.changes.push(Change { cycle, pe: pe as u32, at, count, first });
        }
        at += count + 1;
    }
}

/// The variables of a tile to show.
fn followed(tile: &TileImage) -> Vec<Followed> {
    let exported = tile.exports.iter().filter_map(|e| {
        let addr = match e.target {
            ExportTarget::Data(addr) => addr,
            ExportTarget::Pointer(p) => tile.data.get(usize::from(p)).copied().unwrap_or(0),
            ExportTarget::Fn(_) => return None,
        };
        let holds = |s: &&Symbol| (s.addr..s.addr.saturating_add(s.words)).contains(&addr);
        Some((e.name.as_str(), tile.symbols.iter().find(holds)?))
    });
    let mut chosen: Vec<(&str, &Symbol)> = exported.collect();
    if chosen.is_empty() {
        // A name with a dot is that of a variable in an imported module.
        let own = tile.symbols.iter().filter(|s| s.mutable && !s.name.contains('.'));
        chosen = own.map(|s| (s.name.as_str(), s)).collect();
    }
    let mut left = MOST_WORDS;
    let mut all: Vec<Followed> = Vec::new();
    for (name, symbol) in chosen {
        let Some(element) = symbol.element else { continue };
        if all.iter().any(|f| f.addr == symbol.addr) {
            continue;
        }
        let (at, words) = (MOST_WORDS - left, symbol.words.min(left));
        left -= words;
        if words > 0 {
            let (ty, mut dims, mut element) = (symbol.ty.clone(), symbol.dims.clone(), element);
            if symbol.is_bytes(element) {
                // Byte arrays are shown as words of two bytes each.
                (dims, element) = (vec![words.into()], Scalar::U16);
            }
            all.push(Followed { name: name.into(), ty, element, dims, addr: symbol.addr, at, words });
        }
    }
    all
}

impl Followed {
    /// The initial values of a PE.
    pub fn start<'t>(&self, tile: &'t TileImage) -> impl Iterator<Item = u16> + use<'t> {
        let addresses = usize::from(self.addr)..usize::from(self.addr) + usize::from(self.words);
        addresses.map(|addr| tile.data.get(addr).copied().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{FileId, Span};
    use std::sync::Arc;

    fn symbol(name: &str, addr: u16, words: u16) -> Symbol {
        Symbol {
            name: name.into(),
            addr,
            words,
            ty: format!("[{words}]u16"),
            dims: vec![words.into()],
            element: Some(Scalar::U16),
            bits: None,
            inside: Default::default(),
            mutable: true,
            undefined: false,
            span: Span::new(FileId(0), 0, 0),
        }
    }

    fn follower(limit: usize) -> Follower {
        let symbols = vec![symbol("a", 0, 3), symbol("math.b", 3, 9), symbol("c", 12, 2)];
        let tile = TileImage { symbols: symbols.into(), data: vec![1, 2, 3].into(), ..TileImage::default() };
        let program = Program {
            arch: crate::arch::ArchName::Wse2,
            width: 2,
            height: 1,
            fabric: Default::default(),
            tiles: vec![Arc::new(tile)],
            place: vec![0, 0],
            routes: crate::image::RouteTable::new(2),
            exports: Vec::new(),
            memcpy: None,
            sdk_layout: None,
            origin: None,
            sources: Default::default(),
        };
        Follower::new(&program, limit)
    }

    fn look(follower: &mut Follower, pe: usize, cycle: u64, memory: [u16; 14]) {
        follower.look(pe, cycle, |v, into| into.copy_from_slice(&memory[v.addr.into()..][..into.len()]));
    }

    const START: [u16; 14] = [1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

    fn with(changes: &[(usize, u16)]) -> [u16; 14] {
        let mut memory = START;
        changes.iter().for_each(|(at, value)| memory[*at] = *value);
        memory
    }

    #[test]
    fn only_words_that_change_are_written_down() {
        let mut follower = follower(100);
        look(&mut follower, 0, 5, START);
        look(&mut follower, 0, 6, with(&[(0, 9), (2, 8), (13, 7)]));
        look(&mut follower, 0, 7, with(&[(0, 9), (2, 8), (13, 7), (5, 1)]));
        let history = follower.history(9);
        let changes: Vec<_> = history.changes.iter().map(|c| (c.cycle, c.at, history.values(c))).collect();
        assert_eq!(changes, [(6, 0, &[9][..]), (6, 2, &[8][..]), (6, 4, &[7][..])]);
    }

    #[test]
    fn the_last_values_are_right_though_a_thread_ran_ahead() {
        let mut follower = follower(100);
        look(&mut follower, 1, 8, with(&[(0, 9)]));
        look(&mut follower, 1, 6, with(&[(0, 4)]));
        let history = follower.history(10);
        let last = history.changes.last().unwrap();
        assert_eq!((last.cycle, history.values(last)), (10, &[4][..]));
    }

    #[test]
    fn too_many_changes_are_cut_at_a_cycle() {
        let mut follower = follower(1);
        look(&mut follower, 0, 3, with(&[(0, 9)]));
        look(&mut follower, 0, 4, with(&[(0, 8)]));
        look(&mut follower, 0, 5, with(&[(0, 7)]));
        let history = follower.history(10);
        assert_eq!((history.cut, history.changes.len()), (Some(4), 2));
    }
}
