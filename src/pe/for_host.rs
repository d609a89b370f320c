//! What the host does to a PE: launches, copies, and their turn between two tasks.

use super::element::Pe;
use crate::diagnostics::Diag;
use crate::image::FnId;

impl Pe {
    /// Queues a function for the main thread in a cycle; it runs when no task is ready, or after a while between two
    /// tasks.
    pub fn launch(&mut self, (f, now): (FnId, u64), arguments: &[u64]) {
        self.main.launch((f, now), arguments, self.tile.has_memcpy);
    }

    /// Reserves the PE for a command of the host: once the running task has ended, no other one starts until the
    /// command is done.
    pub fn set_hosts_turn(&mut self, is_hosts_turn: bool) {
        self.main.is_hosts_turn = is_hosts_turn;
    }

    /// Whether a host command may reach it: no task runs or is about to.
    pub fn is_between_tasks(&self, now: u64) -> bool {
        self.main.is_free()
            && self.main.busy_until <= now
            && (self.main.is_hosts_turn
                || !self.main.has_launches() && self.tasks.state.active & !self.tasks.state.blocked == 0)
    }

    /// `count` words from `addr` on, read for the host.
    pub fn read_words(&mut self, addr: usize, count: usize) -> Result<&[u16], Diag> {
        self.memory.slice(addr, count)
    }

    /// Changes memory for the host.
    pub fn write_words(&mut self, addr: usize, words: &[u16]) -> Result<(), Diag> {
        self.memory.slice_mut(addr, words.len())?.copy_from_slice(words);
        self.note_outside_write(addr, words.len());
        Ok(())
    }
}
