//! The iteration of an `@map` whose operands are lines in memory: the scalar loop reads and writes the
//! elements itself, or does 64 of them at a time if the code of the iteration allows it.
//!
//! Fast paths: without the first every element leaves the loop twice and uses an address cursor for each operand,
//! which takes about four times as long; the second takes a tenth of the time of the first (docs/performance.md).
//! The official example single-tile-matvec (4 x 4 PEs, tiles of 50) executes 1.13 times the instructions without them.
//! `--engine plain` uses neither.
//! `a_map_over_lines_gives_what_the_plain_way_gives` (`pe/tests/vectors.rs`) and `tests/it/props/maps.rs` check that
//! all are equal.

use super::map_code::{LANES, LaneCode, Lanes, meet};
use super::map_lanes::LaneRun;
use crate::dsd::access::Row;
use crate::exec::calls::WINDOW;
use crate::exec::guard::Guard;
use crate::exec::memory::{load, store};
use crate::image::code::{Access, Reg};
use std::ops::Range;
use std::sync::Arc;

/// Inputs and the output of an `@map` that the loop can access itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct MapIterations {
    /// The inputs; empty if the PE executes the iteration.
    inputs: Vec<MapInput>,
    /// The line of results, and their kind; `None` if there are no results or the PE writes them.
    output: Option<(Row, Access)>,
    /// Elements read so far, and elements in total.
    done: usize,
    count: usize,
    /// What does many elements at a time.
    lanes: Option<Box<LaneRun>>,
}

/// With fewer elements a block is not worth its preparation.
const LEAST: usize = 8;

/// An input whose elements are all known to be in bounds.
#[derive(Copy, Clone, Debug)]
pub(crate) enum MapInput {
    /// An argument that is the same for all elements.
    Value(u64),
    /// A line, and the kind of its elements.
    Line(Row, Access),
}

impl MapIterations {
    /// An iteration over `count` elements; all lines have that many.
    pub fn new(inputs: Vec<MapInput>, output: Option<(Row, Access)>, count: usize) -> MapIterations {
        MapIterations { inputs, output, done: 0, count, lanes: None }
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
                // The rows lie in memory that is there.
                MapInput::Line(row, kind) => load(memory, place(&row, self.done), kind).unwrap_or(0),
            };
        }
        self.done += 1;
        true
    }

    /// Writes the result of the element that was read last; false if the PE must do that.
    #[inline]
    pub fn put(&self, memory: &mut [u16], value: u64) -> bool {
        // Code writes what it has read an element for; that of a forged program need not.
        let (Some((row, kind)), Some(element)) = (self.output, self.done.checked_sub(1)) else {
            return false;
        };
        store(memory, place(&row, element), kind, value).is_ok()
    }
}

impl MapIterations {
    /// Does blocks of elements with `code`, if no element can change what another one reads. Globals end before the
    /// address `globals`.
    pub fn use_lanes(
        &mut self,
        code: &Arc<LaneCode>,
        globals: usize,
        has_output: bool,
        registers: RegisterValues<'_>,
    ) {
        let is_written = self.output.is_some() || !has_output;
        if self.count > LEAST && self.takes() && is_written && self.is_independent(code, globals, registers) {
            self.lanes = Some(Box::new(LaneRun::new(Arc::clone(code), registers.no_value)));
        }
    }

    fn is_independent(&self, code: &LaneCode, globals: usize, registers: RegisterValues<'_>) -> bool {
        let line = |input: &MapInput| match *input {
            MapInput::Line(row, kind) => Some((row, kind.words())),
            MapInput::Value(_) => None,
        };
        let rows = || self.inputs.iter().filter_map(line);
        let mut reads = code.loads.clone();
        for pointer in &code.pointers {
            let Some(address) = self.uniform(code, pointer.address, registers) else { return false };
            let first = address as usize + usize::from(pointer.offset);
            reads.push(first..first + usize::from(pointer.words));
            // The sanitizer looks at reads behind the globals.
            if first + usize::from(pointer.words) > globals
                || code.stores.iter().any(|words| meet(words, &reads[reads.len() - 1]))
            {
                return false;
            }
        }
        let is_written = |words: &Range<usize>| code.stores.iter().any(|store| meet(store, words));
        if rows().any(|(row, words)| is_written(&span(&row, words))) {
            return false;
        }
        let Some((row, kind)) = &self.output else { return true };
        let (to, words) = (span(row, kind.words()), kind.words());
        !is_written(&to)
            && !reads.iter().any(|read| meet(read, &to))
            && !rows().any(|(input, its)| row.disturbs(words, &input, its))
    }

    /// What a row of lanes holds, if it is known before the first element.
    fn uniform(&self, code: &LaneCode, lane: u16, registers: RegisterValues<'_>) -> Option<u64> {
        if let Some((_, reg)) = code.uniform.iter().find(|(its, _)| *its == lane) {
            return Some((registers.of)(*reg));
        }
        let input = code.inputs.iter().position(|its| *its == lane)?;
        if let MapInput::Value(value) = self.inputs[input] { Some(value) } else { None }
    }

    /// Whether blocks of elements can be done.
    #[inline(always)]
    pub fn has_lanes(&self) -> bool {
        self.lanes.is_some()
    }

    /// Does elements in blocks, as far as they take less than `left` cycles; returns what they took, and tells the guard
    /// which code has run. The last element is left to the loop, so that the registers hold afterwards what they always do.
    #[inline(never)]
    pub fn take_blocks<G: Guard>(
        &mut self,
        (memory, guard): (&mut [u16], &mut G),
        r: &[u64; WINDOW],
        left: i64,
    ) -> i64 {
        let Some(mut lanes) = self.lanes.take() else { return 0 };
        let (spent, goes_on) = self.do_blocks(&mut lanes, memory, r, (left, G::COUNTS));
        if G::COUNTS {
            lanes.tell(guard);
        }
        self.lanes = goes_on.then_some(lanes);
        spent
    }

    /// Says also whether blocks can be done in what follows.
    fn do_blocks(
        &mut self,
        lanes: &mut LaneRun,
        memory: &mut [u16],
        r: &[u64; WINDOW],
        (left, counts): (i64, bool),
    ) -> (i64, bool) {
        let code = Arc::clone(&lanes.code);
        let mut spent = 0;
        loop {
            let fits = (left - spent - 1) / code.most_cycles;
            let count = (self.count - self.done).saturating_sub(1).min(LANES).min(fits.max(0) as usize);
            if count < LEAST {
                return (spent, true);
            }
            for (lane, input) in code.inputs.iter().zip(&self.inputs) {
                match *input {
                    MapInput::Value(value) => fill(lanes.row(*lane), value),
                    MapInput::Line(row, kind) => {
                        read(memory, (&row, kind), self.done..self.done + count, lanes.row(*lane))
                    }
                }
            }
            for (lane, reg) in &code.uniform {
                fill(lanes.row(*lane), r[usize::from(*reg)]);
            }
            // An element that has to stop does so in the loop.
            let Some(cycles) = lanes.run(memory, count) else { return (spent, false) };
            if counts {
                lanes.count(count);
            }
            if let (Some((row, kind)), Some(result)) = (&self.output, code.result) {
                write(memory, (row, *kind), self.done..self.done + count, lanes.row(result));
            }
            spent += cycles;
            self.done += count;
        }
    }
}

/// What is known of the registers when an `@map` begins.
#[derive(Copy, Clone)]
pub(crate) struct RegisterValues<'a> {
    /// A register of the function with the `@map`.
    pub of: &'a dyn Fn(Reg) -> u64,
    /// What a variable without a value holds.
    pub no_value: u64,
}

/// The words from the first to the last element.
fn span(row: &Row, words: u16) -> Range<usize> {
    let (low, high) = row.span(words);
    low as usize..high as usize
}

fn fill(lanes: &mut Lanes, value: u64) {
    lanes.as_flattened_mut().fill(value);
}

/// Loads elements of a row, all of which lie in memory that is there.
fn read(memory: &[u16], (row, kind): (&Row, Access), elements: Range<usize>, lanes: &mut Lanes) {
    let lanes = &mut lanes.as_flattened_mut()[..elements.len()];
    let dense = &memory[place(row, elements.start)..];
    let pairs = || dense.as_chunks().0.iter().map(joined);
    match (kind, row.step) {
        (Access::U16, 1) => lanes.iter_mut().zip(dense).for_each(|(lane, word)| *lane = (*word).into()),
        (Access::S16, 1) => lanes.iter_mut().zip(dense).for_each(|(lane, word)| *lane = *word as i16 as u64),
        (Access::U32, 2) => lanes.iter_mut().zip(pairs()).for_each(|(lane, bits)| *lane = bits.into()),
        (Access::S32, 2) => lanes.iter_mut().zip(pairs()).for_each(|(lane, bits)| *lane = bits as i32 as u64),
        _ => lanes.iter_mut().zip(elements).for_each(|(lane, element)| {
            *lane = load(memory, place(row, element), kind).unwrap_or(0);
        }),
    }
}

fn joined(words: &[u16; 2]) -> u32 {
    u32::from(words[0]) | u32::from(words[1]) << 16
}

/// Stores elements of a row, one after the other.
fn write(memory: &mut [u16], (row, kind): (&Row, Access), elements: Range<usize>, lanes: &Lanes) {
    let lanes = &lanes.as_flattened()[..elements.len()];
    let dense = &mut memory[place(row, elements.start)..];
    match (kind, row.step) {
        (Access::U16 | Access::S16, 1) => {
            lanes.iter().zip(dense).for_each(|(lane, word)| *word = *lane as u16);
        }
        (Access::U32 | Access::S32, 2) => {
            let pairs = dense.as_chunks_mut().0.iter_mut();
            lanes.iter().zip(pairs).for_each(|(lane, pair)| *pair = [*lane as u16, (*lane >> 16) as u16]);
        }
        _ => lanes.iter().zip(elements).for_each(|(lane, element)| {
            // The rows lie in memory that is there.
            let stored = store(memory, place(row, element), kind, *lane);
            debug_assert!(stored.is_ok());
        }),
    }
}

/// Address of an element of a row.
#[inline(always)]
fn place(row: &Row, element: usize) -> usize {
    (row.at as isize + row.step as isize * element as isize) as usize
}
