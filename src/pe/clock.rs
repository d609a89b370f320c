//! The time stamp counter.

/// The time stamp counter of a PE: 48 bits.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Clock {
    /// The cycle in which it was 0, while it runs.
    started: Option<u64>,
    /// Its value while it is stopped, or the value latched by the last read of word 0.
    value: u64,
}

/// The value that programs write into the control register to start the counter.
const RUNS: u16 = 7;

impl Clock {
    /// Starts the counter at 0, or stops it.
    pub fn enable(&mut self, on: bool, time: u64) {
        match (on, self.started) {
            (true, _) => *self = Clock { started: Some(time), value: 0 },
            (false, Some(started)) => *self = Clock { started: None, value: time - started },
            (false, None) => {}
        }
    }

    /// The control register, which starts and stops the counter.
    pub fn control(&self) -> u16 {
        if self.started.is_some() { RUNS } else { 0 }
    }

    /// Sets the counter to 0.
    pub fn reset(&mut self, time: u64) {
        *self = Clock { started: self.started.map(|_| time), value: 0 };
    }

    /// One of its three words, word 0 the lowest; reading word 0 latches the others.
    pub fn read(&mut self, word: u64, time: u64) -> u64 {
        // Programs read the three words one after the other. The latch gives them words of one moment, even if a
        // carry into word 1 happens in between.
        if let (0, Some(started)) = (word, self.started) {
            self.value = time - started;
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
}
