//! Tables of a report: one list for each column. They stand in the page in packed form (`cli/html/packed.rs`).

use crate::cli::html::{Form, Packer};
use indexmap::IndexSet;
use serde::{Serialize, Serializer};
use std::hash::Hash;

/// Writes a table in packed form, with the columns and the form of each.
macro_rules! packed {
    ($($table:ty { $($column:ident: $form:ident),* $(,)? })*) => {
        $(impl Serialize for $table {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let packer = Packer::default();
                $(let packer = packer.column(stringify!($column), Form::$form, &self.$column);)*
                packer.packed().serialize(to)
            }
        })*
    };
}

packed! {
    ThreadTable { cycle: Steps, pe: Steps, thread: Numbers, what: Numbers, text: Steps, span: Steps, on: Numbers }
    MoveTable { cycle: Steps, pe: Steps, what: Numbers, color: Numbers, data: Planes, control: Numbers }
    HeldTable { cycle: Steps, until: Numbers, pe: Steps, side: Numbers, color: Numbers }
    QueueTable { cycle: Steps, pe: Steps, queue: Numbers, color: Numbers, depth: Numbers }
    MemoryTable { cycle: Steps, pe: Steps, at: Steps, count: Numbers, words: Planes }
    SwitchTable { cycle: Steps, pe: Steps, color: Numbers, position: Numbers }
    RouteTable { pe: Steps, color: Numbers, config: Steps }
    Notes { cycle: Steps, pe: Steps, text: Steps }
    SpanTable { file: Steps, line: Steps, to: Steps }
    PlaceTable { tile: Steps }
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
#[derive(Debug, Default)]
pub struct ThreadTable {
    /// When.
    pub cycle: Vec<u64>,
    /// The PE, row by row.
    pub pe: Vec<u32>,
    /// 0: the main thread, 1 + n: microthread n.
    pub thread: Vec<u8>,
    /// 0 task starts, 1 task ends, 2 operation starts, 3 stalls, 4 goes on, 5 ends, 6 code of another line runs.
    pub what: Vec<u8>,
    /// Its name, or what it waits for: a number of `texts`; -1 where there is none.
    pub text: Vec<i32>,
    /// Its place: a number of `spans`; -1 where there is none.
    pub span: Vec<i32>,
    /// What a thread that stalls waits for: 1 + color for a wavelet, 33 + color for room, 65 for something on its PE; 0 for
    /// all that does not stall.
    pub on: Vec<u8>,
}

/// How wavelets move.
#[derive(Debug, Default)]
pub struct MoveTable {
    /// When.
    pub cycle: Vec<u64>,
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
#[derive(Debug, Default)]
pub struct HeldTable {
    /// The first cycle in which they could have gone on.
    pub cycle: Vec<u64>,
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
#[derive(Debug, Default)]
pub struct QueueTable {
    /// When.
    pub cycle: Vec<u64>,
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
#[derive(Debug, Default)]
pub struct MemoryTable {
    /// When.
    pub cycle: Vec<u64>,
    /// The PE.
    pub pe: Vec<u32>,
    /// The first changed word, among those of all variables of the PE.
    pub at: Vec<u16>,
    /// How many words.
    pub count: Vec<u16>,
    /// The new words, of all changes one after the other.
    pub words: Vec<u16>,
}

/// How switches move.
#[derive(Debug, Default)]
pub struct SwitchTable {
    /// When.
    pub cycle: Vec<u64>,
    /// The PE.
    pub pe: Vec<u32>,
    /// The color.
    pub color: Vec<u8>,
    /// The position from now on.
    pub position: Vec<u8>,
}

/// The routes of all colors.
#[derive(Debug, Default)]
pub struct RouteTable {
    /// The PE.
    pub pe: Vec<u32>,
    /// A color that its router knows.
    pub color: Vec<u8>,
    /// A number of `gates`.
    pub config: Vec<u32>,
}

/// What code each PE has.
#[derive(Debug, Default)]
pub struct PlaceTable {
    /// A number of `tiles`; -1 without code.
    pub tile: Vec<i32>,
}

/// What else happens.
#[derive(Debug, Default)]
pub struct Notes {
    /// When.
    pub cycle: Vec<u64>,
    /// The PE.
    pub pe: Vec<u32>,
    /// A number of `texts`.
    pub text: Vec<u32>,
}

/// Places in the text of the program.
#[derive(Debug, Default)]
pub struct SpanTable {
    /// A number of `files`.
    pub file: Vec<u32>,
    /// The first line, from 1.
    pub line: Vec<u32>,
    /// The last line.
    pub to: Vec<u32>,
}
