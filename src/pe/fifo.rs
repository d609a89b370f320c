//! FIFOs: circular buffers in memory that two operations share.

use crate::arch::TaskId;
use crate::dsd::access::AddressCursor;
use crate::dsd::footprint::Footprint;
use crate::dsd::{FifoAccess, FifoAction, Mem, MemKind, Priority, Simd};
use crate::image::Fifo;

/// The state of one FIFO, counted in words, because operations on 16 and on 32 bits may share it.
#[derive(Clone, Debug)]
pub(super) struct FifoState {
    base: u16,
    size: u16,
    element_words: u16,
    /// Offset of the oldest word from `base`, in words.
    head: u16,
    used: u16,
    read_length: u32,
    write_length: u32,
    /// A push has found no space since `activate_pop` was last activated: the space it needed, in words.
    missed_space: Option<u16>,
    /// A pop has found no data since `activate_push` was last activated: the data it needed, in words.
    missed_data: Option<u16>,
    activate_push: Option<TaskId>,
    activate_pop: Option<TaskId>,
    pub empty_action: FifoAction,
    pub full_action: FifoAction,
    pub priority: Priority,
    simd: Simd,
}

/// A FIFO as an operand.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct FifoEnd {
    pub fifo: usize,
    /// Words per element of the operation.
    pub words: u16,
    /// How many elements move together (SIMD).
    pub group: u32,
}

impl FifoState {
    pub fn new(fifo: &Fifo) -> FifoState {
        let element_words = u16::from(fifo.element_words);
        FifoState {
            base: fifo.base,
            size: fifo.capacity * element_words,
            element_words,
            head: 0,
            used: 0,
            read_length: 0,
            write_length: 0,
            missed_space: None,
            missed_data: None,
            activate_push: fifo.activate_push,
            activate_pop: fifo.activate_pop,
            empty_action: fifo.empty_action,
            full_action: fifo.full_action,
            priority: fifo.priority,
            simd: fifo.simd,
        }
    }

    /// The words of its buffer.
    pub fn footprint(&self) -> Footprint {
        Footprint::words(self.base.into(), self.size.into())
    }

    /// The end of this FIFO for an operation with elements of `words` words.
    pub fn end(&self, fifo: usize, words: u16) -> FifoEnd {
        let together = match self.simd {
            Simd::Off => words,
            Simd::Simd32 | Simd::Simd32Or64 => 2,
            Simd::Simd64 | Simd::Max => 4,
        };
        let group = (together.min(self.size) / words).max(1).into();
        FifoEnd { fifo, words, group }
    }

    /// The length that is set for pushes or pops, in words; 0 if none is.
    pub fn length_mut(&mut self, access: FifoAccess) -> &mut u32 {
        match access {
            FifoAccess::Push => &mut self.write_length,
            FifoAccess::Pop => &mut self.read_length,
        }
    }

    /// The length that is set for pushes or pops, in elements of `words` words; 0 if none is.
    pub fn length(&mut self, access: FifoAccess, words: u16) -> u32 {
        self.length_mut(access).div_ceil(words.into())
    }

    /// Sets the length for pushes or pops, in elements of the buffer.
    pub fn set_length(&mut self, access: FifoAccess, length: u16) {
        *self.length_mut(access) = u32::from(length) * u32::from(self.element_words);
    }

    /// Words that can be pushed or popped.
    pub fn room(&self, access: FifoAccess) -> u16 {
        match access {
            FifoAccess::Push => self.size - self.used,
            FifoAccess::Pop => self.used,
        }
    }

    /// Records the space or data that a push or pop has not found. Only the first one is recorded, until it
    /// could continue.
    pub fn refuse(&mut self, access: FifoAccess, words: u16) {
        let missed = match access {
            FifoAccess::Push => &mut self.missed_space,
            FifoAccess::Pop => &mut self.missed_data,
        };
        missed.get_or_insert(words);
    }

    /// The address of the next `count` elements of `words` words to push or to pop. `None` if there is no space
    /// or not enough data, if an element crosses the end of the buffer, or if an operation was refused before.
    pub fn ring(&self, access: FifoAccess, words: u16, count: u32) -> Option<AddressCursor> {
        // If an operation on the other end was refused, `push` and `pop` must tell when it could continue,
        // because they activate its task.
        let (next, refused) = match access {
            FifoAccess::Push => (self.head + self.used, self.missed_data),
            FifoAccess::Pop => (self.head, self.missed_space),
        };
        let position = next % self.size;
        let fits = u32::from(self.room(access)) >= count * u32::from(words);
        let is_aligned = self.size.is_multiple_of(words) && position.is_multiple_of(words);
        if refused.is_some() || !fits || !is_aligned {
            return None;
        }
        let (lo, hi) = (self.base, self.base + self.size);
        let mem = Mem {
            kind: MemKind::Circbuf,
            base: lo,
            dims: 1,
            extent: [count as u16, 1, 1, 1],
            step: [1, 0, 0, 0],
            index_offset: false,
            lo,
            hi,
            has_soft_bounds: false,
            wrap: self.size,
            origin: 0,
        };
        Some(AddressCursor::new(&mem, lo + position, words, (lo, hi)))
    }

    /// Accounts for elements that were written to the buffer or read from it directly.
    pub fn pass(&mut self, access: FifoAccess, words: u16, count: u32) {
        let all = count * u32::from(words);
        let length = self.length_mut(access);
        *length = length.saturating_sub(all);
        match access {
            FifoAccess::Push => self.used += all as u16,
            FifoAccess::Pop => {
                self.head = ((u32::from(self.head) + all) % u32::from(self.size)) as u16;
                self.used -= all as u16;
            }
        }
    }

    /// Pushes an element; returns the task to activate. The caller has checked that there is space.
    pub fn push(&mut self, memory: &mut [u16], value: u32, words: u16) -> Option<TaskId> {
        for half in 0..words {
            let place = self.place(self.used);
            memory[place] = (value >> (16 * half)) as u16;
            self.used += 1;
        }
        self.write_length = self.write_length.saturating_sub(words.into());
        let goes_on = self.missed_data.is_some_and(|need| self.used >= need);
        if !goes_on {
            return None;
        }
        self.missed_data = None;
        self.activate_push
    }

    /// Pops the oldest element; also returns the task to activate. The caller has checked that there is an
    /// element.
    pub fn pop(&mut self, memory: &[u16], words: u16) -> (u32, Option<TaskId>) {
        let value =
            (0..words).fold(0, |value, half| value | u32::from(memory[self.place(half)]) << (16 * half));
        self.head = (self.place(words) - usize::from(self.base)) as u16;
        self.used -= words;
        self.read_length = self.read_length.saturating_sub(words.into());
        let goes_on = self.missed_space.is_some_and(|need| self.room(FifoAccess::Push) >= need);
        if !goes_on {
            return (value, None);
        }
        self.missed_space = None;
        (value, self.activate_pop)
    }

    /// Address of the word at this distance from the oldest one.
    fn place(&self, distance: u16) -> usize {
        let word = (u32::from(self.head) + u32::from(distance)) % u32::from(self.size);
        usize::from(self.base) + word as usize
    }
}
