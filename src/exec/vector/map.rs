//! The walk of an `@map` whose operands are lines in memory: the scalar loop takes and puts elements itself.
//!
//! Fast path: without it every element leaves the loop twice and asks an address cursor for each operand,
//! which takes about four times as long; not measured on a public example. `--engine plain` does without.
//! `a_map_over_lines_gives_what_the_plain_way_gives` (`pe/tests/vectors.rs`) holds both equal.

use crate::dsd::access::Row;
use crate::exec::calls::WINDOW;
use crate::exec::memory::{load, store};
use crate::image::code::{Access, Reg};

/// Inputs and the output of the innermost `@map`, as far as the loop knows them.
#[derive(Clone, Debug, Default)]
pub(crate) struct MapWalk {
    /// Empty: the PE does the walk.
    inputs: Vec<MapInput>,
    /// Where results go, and what they are; `None` if there are none, or the PE puts them.
    output: Option<(Row, Access)>,
    /// Elements taken, and elements in all.
    done: usize,
    count: usize,
}

/// An input whose elements are known to be there.
#[derive(Copy, Clone, Debug)]
pub(crate) enum MapInput {
    /// An argument that is the same for all elements.
    Value(u64),
    /// A line, and what its elements are.
    Line(Row, Access),
}

impl MapWalk {
    /// A walk of `count` elements; all lines have as many.
    pub fn new(inputs: Vec<MapInput>, output: Option<(Row, Access)>, count: usize) -> MapWalk {
        MapWalk { inputs, output, done: 0, count }
    }

    /// Whether the loop takes the elements.
    #[inline(always)]
    pub fn takes(&self) -> bool {
        !self.inputs.is_empty()
    }

    /// Elements taken so far.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Takes the next element of every input into `base..`; false if there is none.
    #[inline]
    pub fn take(&mut self, memory: &[u16], r: &mut [u64; WINDOW], base: Reg) -> bool {
        if self.done == self.count {
            return false;
        }
        for (k, input) in self.inputs.iter().enumerate() {
            r[usize::from(base.wrapping_add(k as Reg))] = match *input {
                MapInput::Value(value) => value,
                // The walk was made of rows that lie in memory that is there.
                MapInput::Line(row, kind) => load(memory, place(&row, self.done), kind).unwrap_or(0),
            };
        }
        self.done += 1;
        true
    }

    /// Puts the result of the element that was taken last; false if the PE has to.
    #[inline]
    pub fn put(&self, memory: &mut [u16], value: u64) -> bool {
        let Some((row, kind)) = self.output else { return false };
        store(memory, place(&row, self.done - 1), kind, value).is_ok()
    }
}

/// Address of an element of a row.
#[inline(always)]
fn place(row: &Row, element: usize) -> usize {
    (row.at as isize + row.step as isize * element as isize) as usize
}
