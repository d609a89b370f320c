//! Routes: what `@set_color_config` and `@set_local_color_config` have said, for every PE.

use super::verdict::{Verdict, ensure};
use crate::arch::{Arch, Color, Direction};
use crate::source::Span;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Sub};

/// A set of directions.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Directions(pub u8);

impl Directions {
    /// The set without a member.
    pub const NONE: Directions = Directions(0);
    /// The ramp alone.
    pub const RAMP: Directions = Directions::only(Direction::Ramp);

    /// The set with one member.
    #[inline(always)]
    pub const fn only(d: Direction) -> Directions {
        Directions(1 << d as u8)
    }

    /// Adds a member; false if it was there.
    pub fn insert(&mut self, d: Direction) -> bool {
        let had = self.contains(d);
        self.0 |= 1 << d as u8;
        !had
    }

    /// Removes a member.
    #[inline(always)]
    pub fn remove(&mut self, d: Direction) {
        self.0 &= !(1 << d as u8);
    }

    /// Whether `d` is a member.
    #[inline(always)]
    pub fn contains(self, d: Direction) -> bool {
        self.0 & 1 << d as u8 != 0
    }

    /// Whether there is none.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the two have a member in common.
    #[inline(always)]
    pub fn meets(self, other: Directions) -> bool {
        self.0 & other.0 != 0
    }

    /// How many members it has.
    #[inline(always)]
    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The member of a set of one; `None` for other sets.
    #[inline(always)]
    pub fn sole(self) -> Option<Direction> {
        // The remainder tells the compiler that the index is in range.
        self.0.is_power_of_two().then(|| Direction::ALL[self.0.trailing_zeros() as usize % 5])
    }

    /// Members in the order of their numbers.
    #[inline(always)]
    pub fn iter(self) -> impl Iterator<Item = Direction> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let first = Direction::ALL.get(left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(*first)
        })
    }
}

impl BitOr for Directions {
    type Output = Directions;

    #[inline(always)]
    fn bitor(self, other: Directions) -> Directions {
        Directions(self.0 | other.0)
    }
}

impl BitOrAssign for Directions {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Directions) {
        self.0 |= other.0;
    }
}

impl BitAnd for Directions {
    type Output = Directions;

    #[inline(always)]
    fn bitand(self, other: Directions) -> Directions {
        Directions(self.0 & other.0)
    }
}

impl Sub for Directions {
    type Output = Directions;

    #[inline(always)]
    fn sub(self, other: Directions) -> Directions {
        Directions(self.0 & !other.0)
    }
}

impl FromIterator<Direction> for Directions {
    fn from_iter<I: IntoIterator<Item = Direction>>(all: I) -> Directions {
        let mut set = Directions::default();
        for d in all {
            set.insert(d);
        }
        set
    }
}

impl fmt::Display for Directions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<_> = self.iter().map(Direction::name).collect();
        write!(f, "{}", words.join("+"))
    }
}

/// Everything about one color on one PE.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ColorConfig {
    /// Where wavelets may come from (position 0).
    pub rx: Directions,
    /// Where they go (position 0).
    pub tx: Directions,
    /// `.color_swap_x`
    pub swap_x: bool,
    /// `.color_swap_y`
    pub swap_y: bool,
    /// `.switches`
    pub switches: Option<Switches>,
    /// `.filter`
    pub filter: Option<Filter>,
    /// `.teardown`: starts suspended.
    pub teardown: bool,
    /// `.ce_inject`: the buffers move the switch.
    pub inject: Option<Inject>,
}

impl ColorConfig {
    /// Checks a configuration that was read from a file.
    ///
    /// # Errors
    /// It names a direction that a router does not have.
    pub fn verify(&self) -> Verdict {
        let switched = self.switches.iter().flat_map(|switches| switches.positions.iter().flatten());
        let sides = switched.flat_map(|position| [position.rx, position.tx]).flatten();
        let exist = |side: Directions| side.0 >> Direction::ALL.len() == 0;
        let all = sides.chain([self.rx, self.tx]).all(exist);
        ensure(all, "a route has a direction that does not exist")
    }
}

/// Who goes first on a color that the PE injects into.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Inject {
    /// What the fabric brings.
    Low,
    /// What the output queue of the PE holds.
    High,
}

/// The switch of a color.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Switches {
    /// `pos1` to `pos3`; `None` is invalid.
    pub positions: [Option<Position>; 3],
    /// `.current_switch_pos`
    pub current: u8,
    /// `.ring_mode`
    pub ring: bool,
    /// `.pop_mode`
    pub pop: PopMode,
    /// Bit n: position n + 1 has no direction, but its register says that it would be an input.
    pub idle_inputs: u8,
}

impl Switches {
    /// No position but 0.
    pub const NONE: Switches =
        Switches { positions: [None; 3], current: 0, ring: false, pop: PopMode::NoPop, idle_inputs: 0 };
}

/// What a position overrides; the side not mentioned stays as in the position before it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Position {
    /// `.rx`
    pub rx: Option<Directions>,
    /// `.tx`
    pub tx: Option<Directions>,
}

/// When a control wavelet loses its first command.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PopMode {
    /// Never.
    #[default]
    NoPop,
    /// Always.
    AlwaysPop,
    /// When the switch moved.
    OnAdvance,
    /// When the switch moved, or the command was a NOP.
    OnAdvanceNop,
}

/// What keeps wavelets from the CE.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Filter {
    /// Data passes if its index lies in the range.
    Range {
        /// `.min_idx`
        min: u16,
        /// `.max_idx`
        max: u16,
    },
    /// Passes `max + 1` of every `limit + 1`.
    Counter {
        /// Also switches itself off at the limit.
        sparse: bool,
        /// `.count_data`
        count_data: bool,
        /// `.count_control`
        count_control: bool,
        /// `.init_counter`
        init: u32,
        /// `.limit1`
        limit1: Option<u32>,
        /// `.limit2`
        limit2: Option<u32>,
        /// `.max_counter`
        max: u32,
        /// `.filter_control`
        filter_control: bool,
    },
}

/// A configuration and the line that made it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Declared {
    /// What it says.
    pub config: ColorConfig,
    /// The call of `@set_color_config` or `@set_local_color_config`.
    pub span: Option<Span>,
}

/// The configurations of all PEs; equal ones of one line are stored once, and so are equal rows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RouteTable {
    declared: IndexSet<Declared, FxBuildHasher>,
    /// All colors of a PE with the number of their configuration, by color; the first row is empty.
    rows: IndexSet<Vec<(Color, u32)>, FxBuildHasher>,
    /// The row of each PE.
    pes: Vec<u32>,
    /// Cache: the row that another row becomes with one more color. Most PEs repeat what an earlier one has done.
    #[serde(skip)]
    grown: FxHashMap<(u32, Color, u32), u32>,
}

impl RouteTable {
    /// An empty table for this many PEs.
    pub fn new(pes: usize) -> RouteTable {
        let rows = IndexSet::from_iter([Vec::new()]);
        RouteTable { rows, pes: vec![0; pes], ..RouteTable::default() }
    }

    /// Sets the configuration of a color on a PE; false if it has one already.
    pub fn set(&mut self, pe: usize, color: Color, config: ColorConfig, span: Option<Span>) -> bool {
        let (id, _) = self.declared.insert_full(Declared { config, span });
        let key = (self.pes[pe], color, id as u32);
        if let Some(row) = self.grown.get(&key) {
            self.pes[pe] = *row;
            return true;
        }
        let mut row = self.rows[self.pes[pe] as usize].clone();
        let Err(at) = row.binary_search_by_key(&color, |(c, _)| *c) else { return false };
        row.insert(at, (color, id as u32));
        let (row, _) = self.rows.insert_full(row);
        self.grown.insert(key, row as u32);
        self.pes[pe] = row as u32;
        true
    }

    /// What was said about a color on a PE.
    pub fn get(&self, pe: usize, color: Color) -> Option<&Declared> {
        let row = self.row(pe);
        let at = row.binary_search_by_key(&color, |(c, _)| *c).ok()?;
        Some(&self.declared[row[at].1 as usize])
    }

    /// How many distinct rows there are.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The number of the row of a PE.
    pub fn row_of(&self, pe: usize) -> Option<u32> {
        self.pes.get(pe).copied()
    }

    /// A row by its number.
    pub fn row_at(&self, row: u32) -> &[(Color, u32)] {
        &self.rows[row as usize]
    }

    /// All colors of a PE with the number of their configuration, by color.
    pub fn row(&self, pe: usize) -> &[(Color, u32)] {
        self.pes.get(pe).map_or(&[], |row| self.rows[*row as usize].as_slice())
    }

    /// Whether it is a table for this many PEs in which every number points to something.
    pub fn is_whole(&self, pes: usize) -> bool {
        let has_row = |row: &u32| (*row as usize) < self.rows.len();
        let is_declared = |(_, id): &(Color, u32)| (*id as usize) < self.declared.len();
        self.pes.len() == pes && self.pes.iter().all(has_row) && self.rows.iter().flatten().all(is_declared)
    }

    /// Checks a table that was read from a file.
    ///
    /// # Errors
    /// It holds what no layout can say.
    pub fn verify(&self, arch: &Arch) -> Verdict {
        let is_row = |row: &Vec<(Color, u32)>| {
            row.is_sorted_by(|(a, _), (b, _)| a < b) && row.iter().all(|(c, _)| c.0 < arch.routable_colors)
        };
        ensure(self.rows.iter().all(is_row), "a route has no routable color")?;
        self.declared.iter().try_for_each(|declared| declared.config.verify())
    }

    /// The distinct configurations, by number.
    pub fn declared(&self) -> &IndexSet<Declared, FxBuildHasher> {
        &self.declared
    }
}
