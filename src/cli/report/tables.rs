//! Tables of a report: one list for each column, which is short as JSON and quick to read.

use indexmap::IndexSet;
use serde::{Serialize, Serializer};
use std::hash::Hash;

/// Ascending cycles, written as differences.
#[derive(Clone, Debug, Default)]
pub struct Cycles(pub Vec<u64>);

impl Serialize for Cycles {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let before = std::iter::once(&0).chain(&self.0);
        to.collect_seq(self.0.iter().zip(before).map(|(now, before)| now - before))
    }
}

/// Values that are written once and then named by their number.
#[derive(Debug)]
pub struct Numbered<T>(pub IndexSet<T>);

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered(IndexSet::new())
    }
}

impl<T: Hash + Eq> Numbered<T> {
    /// The number of a value.
    pub fn number(&mut self, value: T) -> u32 {
        self.0.insert_full(value).0 as u32
    }
}

/// What the threads of PEs do.
#[derive(Debug, Default, Serialize)]
pub struct ThreadTable {
    /// When.
    pub cycle: Cycles,
    /// The PE, row by row.
    pub pe: Vec<u32>,
    /// 0: the main thread, 1 + n: microthread n.
    pub thread: Vec<u8>,
    /// 0 task starts, 1 task ends, 2 operation starts, 3 stalls, 4 goes on, 5 ends.
    pub what: Vec<u8>,
    /// Its name, or what it waits for: a number of `texts`; -1 where there is none.
    pub text: Vec<i32>,
    /// Its place: a number of `spans`; -1 where there is none.
    pub span: Vec<i32>,
}

/// How wavelets move.
#[derive(Debug, Default, Serialize)]
pub struct MoveTable {
    /// When.
    pub cycle: Cycles,
    /// The PE whose router they leave.
    pub pe: Vec<u32>,
    /// 0 north, 1 south, 2 east, 3 west, 4 to the PE, 5 sent, 6 received, 7 from the host, 8 to the
    /// host, 9 dropped.
    pub what: Vec<u8>,
    /// The color.
    pub color: Vec<u8>,
    /// The payload.
    pub data: Vec<u32>,
    /// 1 for control wavelets.
    pub control: Vec<u8>,
}

/// Wavelets that a router holds for longer than a cycle.
#[derive(Debug, Default, Serialize)]
pub struct HeldTable {
    /// The first cycle in which they could have gone on.
    pub cycle: Cycles,
    /// Cycles from that one to the last in which they are there.
    pub until: Vec<u64>,
    /// The PE.
    pub pe: Vec<u32>,
    /// The side on which they came in: 0 north, 1 south, 2 east, 3 west, 4 from the PE.
    pub side: Vec<u8>,
    /// The color.
    pub color: Vec<u8>,
}

/// How many wavelets queues hold.
#[derive(Debug, Default, Serialize)]
pub struct QueueTable {
    /// When.
    pub cycle: Cycles,
    /// The PE.
    pub pe: Vec<u32>,
    /// 0 to 7: input queues, 8 to 15: output queues, 16 + color and 48 + color: private ones.
    pub queue: Vec<u8>,
    /// The color.
    pub color: Vec<u8>,
    /// Wavelets inside from now on.
    pub depth: Vec<u16>,
}

/// How variables change.
#[derive(Debug, Default, Serialize)]
pub struct MemoryTable {
    /// When.
    pub cycle: Cycles,
    /// The PE.
    pub pe: Vec<u32>,
    /// The first changed word, among those of all variables of the PE.
    pub at: Vec<u16>,
    /// How many words.
    pub count: Vec<u16>,
    /// The new words, of all changes one after the other.
    pub words: Vec<u16>,
}

/// What else happens.
#[derive(Debug, Default, Serialize)]
pub struct Notes {
    /// When.
    pub cycle: Cycles,
    /// The PE.
    pub pe: Vec<u32>,
    /// A number of `texts`.
    pub text: Vec<u32>,
}

/// Places in the text of the program.
#[derive(Debug, Default, Serialize)]
pub struct SpanTable {
    /// A number of `files`.
    pub file: Vec<u32>,
    /// The first line, from 1.
    pub line: Vec<usize>,
    /// The last line.
    pub to: Vec<usize>,
}
