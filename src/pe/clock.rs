//! The time stamp counter.

/// The time stamp counter of a PE: 48 bits.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Clock {
    /// The cycle in which it was 0, while it runs.
    started: Option<u64>,
    /// Its value while it is stopped, or the value latched by the last read of word 0.
    value: u64,
    /// How often word 0 was read, if the counter is held back.
    reads: Option<u32>,
    /// It has been started before, whether it runs or not.
    was_started: bool,
}

/// Reads of a counter that is held back after which it moves, for programs that wait until it has.
const HELD_READS: u32 = 1000;

/// Cycles by which it then moves with each read.
const HELD_STEP: u64 = 64;

/// The value that programs write into the control register to start the counter.
const RUNS: u16 = 7;

impl Clock {
    /// A counter that stands still: it stays 0 unless a program reads it very often. Runs that take different times
    /// can then be compared.
    pub fn held() -> Clock {
        Clock { reads: Some(0), ..Clock::default() }
    }

    /// Starts the counter at 0, or stops it.
    pub fn enable(&mut self, on: bool, time: u64) {
        self.was_started |= on;
        (self.started, self.value) = match (on, self.started) {
            (true, _) => (Some(time), 0),
            (false, Some(started)) => (None, self.elapsed(time - started)),
            (false, None) => return,
        };
    }

    /// Whether it has been started before, whether it runs or not.
    pub fn was_started(&self) -> bool {
        self.was_started
    }

    /// The value of the counter, this many cycles after its start.
    fn elapsed(&self, cycles: u64) -> u64 {
        self.reads.map_or(cycles, |reads| u64::from(reads.saturating_sub(HELD_READS)) * HELD_STEP)
    }

    /// The control register, which starts and stops the counter.
    pub fn control(&self) -> u16 {
        if self.started.is_some() { RUNS } else { 0 }
    }

    /// Sets the counter to 0.
    pub fn reset(&mut self, time: u64) {
        (self.started, self.value) = (self.started.map(|_| time), 0);
    }

    /// One of its three words, word 0 the lowest; reading word 0 latches the others.
    pub fn read(&mut self, word: u64, time: u64) -> u64 {
        // Programs read the three words one after the other. The latch gives them words of one moment, even if a
        // carry into word 1 happens in between.
        if let (0, Some(started)) = (word, self.started) {
            self.reads = self.reads.map(|reads| reads.saturating_add(1));
            self.value = self.elapsed(time - started);
        }
        self.value >> (16 * word.min(2)) & 0xffff
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_latches_its_other_words_when_word_0_is_read() {
        let mut clock = Clock::default();
        assert_eq!(clock.read(0, 99), 0);
        clock.enable(true, 100);
        assert_eq!(clock.read(0, 100 + 0x2_0003), 3);
        assert_eq!(clock.read(1, 100 + 0x5_0000), 2);
        clock.enable(false, 110);
        assert_eq!(clock.read(0, 500), 10);
    }

    #[test]
    fn a_counter_that_is_held_back_moves_when_a_program_waits_for_it() {
        let mut clock = Clock::held();
        clock.enable(true, 100);
        assert!((0..1000).all(|time| clock.read(0, 200 + time) == 0));
        assert_eq!((clock.read(0, 2000), clock.read(0, 2000)), (64, 128));
    }
}
