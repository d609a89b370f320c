//! The call stack of a main thread, and its register file.

use super::prepared::{FIRST, PreparedFunction, PreparedTile};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::{NO_FUNCTION, STACK_OVERFLOW};
use crate::image::code::Reg;
use crate::image::{FnId, TileImage};
use crate::prefetch;
use crate::source::Span;
use crate::state_hash::StateHash;
use std::sync::Arc;

/// Maximum call depth. In practice, deeper calls do not fit into the memory of a PE (ruling).
const MAX_FRAMES: usize = 4096;
/// Number of registers that an operation can address.
pub(crate) const WINDOW: usize = 1 << 16;
/// Size of the register file, for all calls together.
const ALL: usize = 2 * WINDOW;

/// The register file of the PE that runs. PEs that run one after the other on a thread share one. It is large,
/// because a window has all registers that an operation can address, so that no access needs a bounds check.
#[derive(Clone)]
pub struct Worker {
    registers: Box<[u64]>,
    /// No PE is observed before this cycle, so actions of a PE up to then may happen ahead of the clock.
    pub unobserved_until: u64,
    /// Before this cycle nothing happens on the wafer but the actions of the PE that runs now.
    pub alone_until: u64,
    /// The tile of the PE that ran last. Most PEs share one, and the threads of a large wafer would pass the line
    /// with its count of owners back and forth if each visit counted.
    tile: Option<Arc<PreparedTile>>,
}

impl Worker {
    /// A tile to be held while one of its PEs runs.
    pub(crate) fn take_tile(&mut self, tile: &Arc<PreparedTile>) -> Arc<PreparedTile> {
        self.tile.take().filter(|last| Arc::ptr_eq(last, tile)).unwrap_or_else(|| Arc::clone(tile))
    }

    /// The PE has run.
    pub(crate) fn give_back(&mut self, tile: Arc<PreparedTile>) {
        self.tile = Some(tile);
    }
}

impl Default for Worker {
    fn default() -> Worker {
        Worker { registers: vec![0; ALL].into(), unobserved_until: 0, alone_until: 0, tile: None }
    }
}

/// A call that has not returned.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Frame {
    pub function: FnId,
    /// The operation to execute next.
    pub pc: usize,
    /// Index of its register 0 in the register file.
    pub base: usize,
    /// Address of its frame in memory.
    pub address: u16,
    /// One past the last word of its frame.
    pub end: usize,
}

/// The call stack of a main thread.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct Calls {
    frames: Vec<Frame>,
    /// The borrowed register file while the thread runs; empty while it does not.
    worker: Box<[u64]>,
    /// The registers in use, saved while the thread does not run; of a call that has not run yet, its arguments.
    parked: Vec<u64>,
    /// The only call has not run yet.
    is_new: bool,
    memory: u32,
}

impl Calls {
    /// An empty stack, on a PE with this many words of memory.
    pub fn new(memory: usize) -> Calls {
        Calls { memory: memory as u32, ..Calls::default() }
    }

    /// Prefetches the innermost calls and their registers.
    pub fn prefetch(&self) {
        // Between two tasks both are empty, and the next one begins with them.
        prefetch::room(&self.frames, 64);
        prefetch::slice(&self.parked, 256);
    }

    /// The first words and functions of the calls that have not returned, outermost first.
    pub fn frames(&self) -> impl Iterator<Item = (usize, FnId)> {
        self.frames.iter().map(|frame| (frame.address.into(), frame.function))
    }

    /// Adds the calls and their registers to the hash of a state, while the thread does not run.
    pub fn add_state(&self, state: &mut StateHash) {
        state.add_debug(&self.frames);
        self.parked.iter().for_each(|register| state.add(*register));
    }

    /// Whether the stack is empty.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The innermost call.
    pub fn last(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// The source location that each call executes, the innermost first.
    pub fn places(&self, tile: &TileImage) -> Vec<Span> {
        let place = |(outer, frame): (usize, &Frame)| {
            let function = &tile.functions[frame.function.0 as usize];
            // The next operation of a caller is the one after the call, so the call itself is one back.
            let at = frame.pc.saturating_sub(usize::from(outer > 0));
            function.spans.get(at).copied().unwrap_or(function.span)
        };
        self.frames.iter().rev().enumerate().map(place).collect()
    }

    /// The call around the innermost one.
    pub fn caller(&self) -> Option<&Frame> {
        self.frames.iter().rev().nth(1)
    }

    /// The innermost call, mutable.
    pub fn last_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("an operation runs in a call")
    }

    /// Pushes the call of a task or a launched function; `words` is the size of its frame.
    pub fn begin(
        &mut self,
        tile: &TileImage,
        (f, words): (FnId, u16),
        arguments: &[u64],
    ) -> Result<(), Diag> {
        // The thread has no register file yet. Nothing but the arguments is kept until it has: most tasks end in the visit
        // in which they start, and then touch no other memory for their registers.
        self.parked.clear();
        self.parked.extend_from_slice(arguments);
        self.is_new = true;
        self.push(tile, f, (0, tile.data_end.into()), words)
    }

    /// The function of a call that [`Calls::begin`] has pushed, once: its registers are not set yet.
    #[inline]
    pub fn take_new(&mut self) -> Option<FnId> {
        if std::mem::take(&mut self.is_new) { self.frames.last().map(|frame| frame.function) } else { None }
    }

    /// Clears the registers of a call that begins, apart from its arguments: another PE has used them before, and what a
    /// PE saves must not depend on that.
    #[inline]
    pub fn clear_registers(&mut self, count: u16) {
        let first = self.parked.len();
        self.worker[first..usize::from(count).max(first)].fill(0);
    }

    /// Borrows the worker's register file and restores the saved registers.
    pub fn take_registers(&mut self, worker: &mut Worker) {
        std::mem::swap(&mut self.worker, &mut worker.registers);
        self.worker[..self.parked.len()].copy_from_slice(&self.parked);
    }

    /// Saves the registers in use and returns the register file to the worker.
    pub fn return_registers(&mut self, tile: &TileImage, worker: &mut Worker) {
        // Only the innermost window and the windows below it hold live values.
        let top = self
            .frames
            .last()
            .map_or(0, |frame| frame.base + usize::from(tile.functions[frame.function.0 as usize].registers));
        self.parked.clear();
        self.parked.extend_from_slice(&self.worker[..top]);
        std::mem::swap(&mut self.worker, &mut worker.registers);
    }

    /// Enters a function whose register 0 is register `base` of the caller; `words` is the size of its frame. Its constants
    /// are not there yet. The caller points behind the call; if there is no room, at the call again.
    #[inline(always)]
    pub fn enter(&mut self, tile: &TileImage, (f, words): (FnId, u16), base: Reg) -> Result<(), Diag> {
        let caller = self.last_mut();
        // Every call has at least one word, so that the addresses of two calls differ.
        let address = caller.end.max(usize::from(caller.address) + 1);
        let base = caller.base + usize::from(base);
        if let Err(diag) = self.push(tile, f, (base, address), words) {
            self.last_mut().pc -= 1;
            return Err(diag);
        }
        Ok(())
    }

    #[inline(always)]
    fn push(
        &mut self,
        tile: &TileImage,
        f: FnId,
        (base, address): (usize, usize),
        words: u16,
    ) -> Result<(), Diag> {
        let end = address + usize::from(words);
        if end.max(address + 1) > self.memory as usize
            || self.frames.len() == MAX_FRAMES
            || base > ALL - WINDOW
        {
            return Err(overflow(tile, f));
        }
        self.frames.push(Frame { function: f, pc: 0, base, address: address as u16, end });
        Ok(())
    }

    /// Whether calls without words in memory fit, `depth` of them within each other, whose registers end at `top`.
    pub fn have_room(&self, depth: usize, top: usize) -> bool {
        let Some(frame) = self.frames.last() else { return false };
        let first = frame.end.max(usize::from(frame.address) + 1);
        first + depth <= self.memory as usize
            && self.frames.len() + depth <= MAX_FRAMES
            && frame.base + top <= ALL - WINDOW
    }

    /// Leaves the innermost call.
    #[inline]
    pub fn leave(&mut self) {
        self.frames.pop();
    }

    /// The innermost call and the registers that it can name; `None` if all have returned.
    #[inline(always)]
    pub fn innermost(&mut self) -> Option<(&mut Frame, &mut [u64; WINDOW])> {
        let frame = self.frames.last_mut()?;
        let window = self.worker[frame.base..].first_chunk_mut();
        Some((frame, window.expect("no window reaches beyond the register file")))
    }

    /// The registers that the innermost call can name.
    pub fn window(&mut self) -> &mut [u64; WINDOW] {
        self.innermost().expect("an operation runs in a call").1
    }

    /// A register of the innermost call.
    #[inline]
    pub fn register(&self, reg: Reg) -> u64 {
        let frame = self.frames.last().expect("an operation runs in a call");
        let registers = if self.worker.is_empty() { &self.parked } else { &self.worker[..] };
        registers[frame.base + usize::from(reg)]
    }

    /// All calls, outermost first.
    pub fn all(&self) -> &[Frame] {
        &self.frames
    }

    /// A register of a call, counted from the innermost.
    pub fn register_of(&self, call: usize, reg: Reg) -> Option<u64> {
        let frame = self.frames.iter().rev().nth(call)?;
        let registers = if self.worker.is_empty() { &self.parked } else { &self.worker[..] };
        registers.get(frame.base + usize::from(reg)).copied()
    }

    /// Sets a register of the innermost call.
    pub fn set_register(&mut self, reg: Reg, value: u64) {
        let at = self.last_mut().base + usize::from(reg);
        let registers = if self.worker.is_empty() { &mut self.parked } else { &mut self.worker[..] };
        registers[at] = value;
    }
}

/// Sets the constants in the registers of a call that begins, and clears what its code may read before it writes it:
/// another PE may have used this register file before, and its values must not be visible.
#[inline(always)]
pub(super) fn begin<'f>(function: &'f PreparedFunction, r: &mut [u64; WINDOW]) -> &'f PreparedFunction {
    let params = usize::from(function.params);
    match r.get_mut(params..params + FIRST) {
        Some(registers) => registers.copy_from_slice(&function.first),
        None => r[params..].iter_mut().zip(&function.first).for_each(|(register, value)| *register = *value),
    }
    if !function.next.is_empty() {
        let after = params + FIRST;
        r[after..after + function.next.len()].copy_from_slice(&function.next);
    }
    function
}

/// The function that a pointer points to.
///
/// # Errors
/// There is none: the pointer was never set, or something has written over it.
#[inline(always)]
pub(super) fn pointed(tile: &TileImage, pointer: u64) -> Result<FnId, Diag> {
    if pointer < tile.functions.len() as u64 { Ok(FnId(pointer as u32)) } else { Err(NO_FUNCTION.plain()) }
}

#[cold]
fn overflow(tile: &TileImage, f: FnId) -> Diag {
    STACK_OVERFLOW.because(&[("name", &tile.functions[f.0 as usize].name)])
}
