//! The iteration of an `@map` whose operands are lines in memory: the scalar loop reads and writes the
//! elements itself.
//!
//! Fast path: without it every element leaves the loop twice and uses an address cursor for each operand,
//! which takes about four times as long; not measured on a public example. `--engine plain` does not use it.
//! `a_map_over_lines_gives_what_the_plain_way_gives` (`pe/tests/vectors.rs`) checks that both are equal.

use crate::dsd::access::Row;
use crate::exec::calls::WINDOW;
use crate::exec::memory::{load, store};
use crate::image::code::{Access, Reg};

/// Inputs and the output of an `@map` that the loop can access itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct MapWalk {
    /// The inputs; empty if the PE executes the iteration.
    inputs: Vec<MapInput>,
    /// The line of results, and their kind; `None` if there are no results or the PE writes them.
    output: Option<(Row, Access)>,
    /// Elements read so far, and elements in total.
    done: usize,
    count: usize,
}

/// An input whose elements are all known to be in bounds.
#[derive(Copy, Clone, Debug)]
pub(crate) enum MapInput {
    /// An argument that is the same for all elements.
    Value(u64),
    /// A line, and the kind of its elements.
    Line(Row, Access),
}

impl MapWalk {
    /// An iteration over `count` elements; all lines have that many.
    pub fn new(inputs: Vec<MapInput>, output: Option<(Row, Access)>, count: usize) -> MapWalk {
        MapWalk { inputs, output, done: 0, count }
    }

    /// Whether the loop reads the elements itself.
    #[inline(always)]
    pub fn takes(&self) -> bool {
        !self.inputs.is_empty()
    }

    /// Elements read so far.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Reads the next element of every input into `base..`; false if there is none.
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

    /// Writes the result of the element that was read last; false if the PE must do that.
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
