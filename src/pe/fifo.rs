//! FIFOs: circular buffers in memory that two operations share.

use crate::arch::TaskId;
use crate::image::Fifo;

/// The state of one FIFO.
#[derive(Clone, Debug)]
pub(super) struct FifoState {
    base: u16,
    capacity: u16,
    words: u16,
    head: u16,
    count: u16,
    read_length: u16,
    write_length: u16,
    /// A push has found no space since `activate_pop` was last activated.
    was_full: bool,
    /// A pop has found no element since `activate_push` was last activated.
    was_empty: bool,
    activate_push: Option<TaskId>,
    activate_pop: Option<TaskId>,
}

impl FifoState {
    pub fn new(fifo: &Fifo) -> FifoState {
        FifoState {
            base: fifo.base,
            capacity: fifo.capacity,
            words: fifo.element_words.into(),
            head: 0,
            count: 0,
            read_length: 0,
            write_length: 0,
            was_full: false,
            was_empty: false,
            activate_push: fifo.activate_push,
            activate_pop: fifo.activate_pop,
        }
    }

    /// The length that was set for writing or reading; 0 if none is.
    pub fn length(&self, write: bool) -> u16 {
        if write { self.write_length } else { self.read_length }
    }

    /// Sets the length for writing or reading.
    pub fn set_length(&mut self, write: bool, length: u16) {
        *(if write { &mut self.write_length } else { &mut self.read_length }) = length;
    }

    /// Whether an element can be pushed (`write`) or popped.
    pub fn is_ready(&self, write: bool) -> bool {
        if write { self.count < self.capacity } else { self.count > 0 }
    }

    /// Remembers that a push or a pop was not possible.
    pub fn refuse(&mut self, write: bool) {
        *(if write { &mut self.was_full } else { &mut self.was_empty }) = true;
    }

    /// The place of the next element to push, and the task to activate. There is space.
    pub fn push(&mut self) -> (usize, u16, Option<TaskId>) {
        let place = (u32::from(self.head) + u32::from(self.count)) % u32::from(self.capacity);
        self.count += 1;
        self.write_length = self.write_length.saturating_sub(1);
        let task = if std::mem::take(&mut self.was_empty) { self.activate_push } else { None };
        (self.address(place as u16), self.words, task)
    }

    /// The place of the next element to pop, and the task to activate. There is an element.
    pub fn pop(&mut self) -> (usize, u16, Option<TaskId>) {
        let place = self.head;
        self.head = (self.head + 1) % self.capacity;
        self.count -= 1;
        self.read_length = self.read_length.saturating_sub(1);
        let task = if std::mem::take(&mut self.was_full) { self.activate_pop } else { None };
        (self.address(place), self.words, task)
    }

    fn address(&self, place: u16) -> usize {
        usize::from(self.base) + usize::from(place) * usize::from(self.words)
    }
}
