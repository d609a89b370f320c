//! The configuration space as a PE sees it: registers of its own, and those of its router.

use super::checks::Checks;
use super::clock::Clock;
use super::main_thread::MainThread;
use super::queues::Queues;
use super::tasks::Tasks;
use super::teardown_task::TeardownTask;
use crate::arch::config::{ALL_MASKED, ConfigWord, PeBlock};
use crate::arch::{Arch, ArchName};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::{NO_COUNTER, PENDING_TWICE, UNKNOWN_CONFIG, UNMASKED_EXCEPTION};
use crate::fabric::Ramp;
use crate::image::TileImage;
use std::collections::BTreeMap;

/// The part of an index that `control_transform.set_mask` changes.
const CONTROL_MASK: u16 = 0x3f;

/// Registers of the PE that programs may change.
#[derive(Clone, Debug, Default)]
pub(super) struct Configuration {
    main_thread_priority: u16,
    /// The mask that `.control_transform` XORs into the low bits of the index of control wavelets.
    pub control_mask: u16,
    /// Priorities of microthreads by queue, encoded as in the words of input queues.
    pub input_priorities: [u16; 8],
    /// Words without a model keep the value that was last written.
    others: BTreeMap<u16, u16>,
}

/// The configuration space: its words are registers of many components.
pub(super) struct ConfigSpace<'a> {
    pub configuration: &'a mut Configuration,
    pub tasks: &'a mut Tasks,
    pub queues: &'a mut Queues,
    pub duties: &'a mut TeardownTask,
    pub clock: &'a mut Clock,
    pub checks: &'a mut Checks,
    pub main: &'a MainThread,
    pub tile: &'a TileImage,
    pub arch: &'static Arch,
    /// The router, while the PE runs.
    pub ramp: Option<&'a mut dyn Ramp>,
    pub time: u64,
}

impl ConfigSpace<'_> {
    /// The word at an address.
    pub fn read(&mut self, address: u16) -> Result<u16, Diag> {
        let word = match ConfigWord::at(self.arch.name, address) {
            Some(ConfigWord::Pe(PeBlock::TeardownPending, half)) => {
                if self.checks.is_checked && self.duties.has_read(half, self.tasks.since) {
                    self.checks.hazard(PENDING_TWICE.plain().help("keep the result of the first call"))?;
                }
                return Ok(self.duties.read_torn_down(half, self.tasks.since));
            }
            Some(ConfigWord::Pe(PeBlock::Timer, word)) => {
                Some(self.clock.read(word.into(), self.time) as u16)
            }
            Some(ConfigWord::Pe(PeBlock::InputQueueConfig, queue)) => self.input_queue_word(queue),
            Some(ConfigWord::Pe(PeBlock::OutputQueueConfig, queue)) => self.output_queue_word(queue),
            Some(ConfigWord::Pe(PeBlock::ExceptionMask, _)) => {
                Some(self.configuration.others.get(&address).copied().unwrap_or(ALL_MASKED))
            }
            Some(ConfigWord::Pe(block, place)) => Some(self.read_register(block, place)),
            _ => self.ramp.as_mut().and_then(|ramp| ramp.config(address)),
        };
        match word {
            Some(word) => Ok(word),
            None => {
                self.checks.hazard(unknown(self.arch.name, address))?;
                Ok(self.configuration.others.get(&address).copied().unwrap_or(0))
            }
        }
    }

    /// Writes the word at an address.
    pub fn write(&mut self, address: u16, value: u16) -> Result<(), Diag> {
        let known = match ConfigWord::at(self.arch.name, address) {
            Some(ConfigWord::Pe(PeBlock::TimerControl, _)) => {
                self.clock.enable(value != 0, self.time);
                true
            }
            Some(ConfigWord::Pe(PeBlock::Timer, _)) if value == 0 => {
                self.clock.reset(self.time);
                true
            }
            Some(ConfigWord::Pe(PeBlock::InputQueueConfig, queue)) => self.configure_input(queue, value)?,
            Some(ConfigWord::Pe(PeBlock::OutputQueueConfig, queue)) => self.configure_output(queue, value)?,
            Some(ConfigWord::Pe(block, place)) => self.write_register(block, place, value),
            _ => self.ramp.as_mut().is_some_and(|ramp| ramp.set_config(address, value)),
        };
        if known {
            self.configuration.others.remove(&address);
        } else {
            self.checks.hazard(unknown(self.arch.name, address))?;
            self.configuration.others.insert(address, value);
        }
        Ok(())
    }

    /// Sets the initial values of the registers.
    pub fn set_initial(&mut self) {
        for (address, value) in &self.tile.initial_config {
            let known = match ConfigWord::at(self.arch.name, *address) {
                Some(ConfigWord::Pe(block, place)) => self.write_register(block, place, *value),
                _ => false,
            };
            if !known {
                self.configuration.others.insert(*address, *value);
            }
        }
    }

    fn read_register(&mut self, block: PeBlock, place: u16) -> u16 {
        match block {
            PeBlock::TeardownPending => unreachable!("the teardown task reads it"),
            PeBlock::Timer => unreachable!("the clock has it"),
            PeBlock::TimerControl => self.clock.control(),
            PeBlock::InputQueueConfig | PeBlock::OutputQueueConfig => unreachable!("queues have them"),
            PeBlock::Flushed => self.duties.flushed(),
            PeBlock::ControlMask => self.configuration.control_mask,
            PeBlock::ExceptionMask => unreachable!("it is among the other words"),
            PeBlock::TaskPriority => (self.tasks.high >> (16 * place)) as u16,
            PeBlock::MainThreadPriority => self.configuration.main_thread_priority,
            PeBlock::InputQueues => self.queues.input_status(),
            PeBlock::OutputQueues => self.queues.output_status(),
        }
    }

    fn write_register(&mut self, block: PeBlock, place: u16, value: u16) -> bool {
        match block {
            PeBlock::TaskPriority => {
                let shift = 16 * place;
                self.tasks.high = self.tasks.high & !(0xffff << shift) | u64::from(value) << shift;
            }
            PeBlock::MainThreadPriority => self.configuration.main_thread_priority = value,
            PeBlock::Flushed => self.duties.set_flushed(value),
            PeBlock::ControlMask => self.configuration.control_mask = value & CONTROL_MASK,
            PeBlock::ExceptionMask => return value == ALL_MASKED,
            PeBlock::TeardownPending
            | PeBlock::InputQueues
            | PeBlock::OutputQueues
            | PeBlock::InputQueueConfig
            | PeBlock::OutputQueueConfig
            | PeBlock::TimerControl
            | PeBlock::Timer => return false,
        }
        true
    }
}

fn unknown(arch: ArchName, address: u16) -> Diag {
    match ConfigWord::at(arch, address) {
        Some(ConfigWord::Filter(color, _)) => {
            let help = "`tile_config.filters` changes counter and sparse counter filters";
            return NO_COUNTER.because(&[("color", &color)]).help(help);
        }
        Some(ConfigWord::Pe(PeBlock::ExceptionMask, _)) => return UNMASKED_EXCEPTION.plain(),
        _ => {}
    }
    UNKNOWN_CONFIG.because(&[("address", &format!("{address:#06x}"))])
}

impl Queues {
    /// Which queues are empty (low byte) and full (high byte), bit = queue.
    fn input_status(&self) -> u16 {
        let bound = self.inputs.iter().filter_map(|i| Some((i.queue?.0, i.len() == 0, i.is_full())));
        status(bound)
    }

    fn output_status(&self) -> u16 {
        let bound = self.outputs.iter().filter_map(|o| Some((o.queue?.0, o.is_empty(), o.space() == 0)));
        status(bound)
    }
}

/// Queues that no color is bound to are empty.
fn status(bound: impl Iterator<Item = (u8, bool, bool)>) -> u16 {
    bound.fold(0x00ff, |word, (queue, empty, full)| {
        let word = if empty { word } else { word & !(1 << queue) };
        word | u16::from(full) << (queue + 8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::{Color, OutQueue, WSE3};
    use crate::dsd::Priority;
    use crate::fabric::Wavelet;
    use crate::image::QueueBinding;
    use crate::pe::queue::Outgoing;
    use crate::source::{FileId, Span};

    #[test]
    fn the_status_of_output_queues_says_which_are_empty_and_which_are_full() {
        let span = Span { file: FileId(0), lo: 0, hi: 0 };
        let priority = Priority::default();
        let bound = QueueBinding { queue: OutQueue(3), color: Color(5), priority, explicit: true, span };
        let tile = TileImage { output_queues: vec![bound].into(), ..TileImage::default() };
        let mut queues = Queues::new(&WSE3, &tile);
        assert_eq!(queues.output_status(), 0x00ff);
        queues.send(0, Outgoing::new(Color(5), Wavelet::default(), 1));
        assert_eq!(queues.output_status(), 0x00f7);
        while queues.outputs[0].space() > 0 {
            queues.send(0, Outgoing::new(Color(5), Wavelet::default(), 1));
        }
        assert_eq!(queues.output_status(), 0x08f7);
    }
}
