//! The configuration space as a PE sees it: registers of its own, and those of its router.

use super::interp::Served;
use super::queues::Queues;
use super::{Outside, Pe};
use crate::arch::ArchName;
use crate::arch::config::{ALL_MASKED, ConfigWord, PeBlock};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::{NO_COUNTER, PENDING_TWICE, UNKNOWN_CONFIG, UNMASKED_EXCEPTION};
use crate::exec::interface::Meter;
use crate::image::TileImage;
use crate::image::code::{Access, Op};
use std::collections::BTreeMap;

/// The part of an index that `control_transform.set_mask` changes.
const CONTROL_MASK: u16 = 0x3f;
/// Cycles of an access (estimate).
const CYCLES: u64 = 2;

/// Registers of the PE that programs may change.
#[derive(Clone, Debug, Default)]
pub(super) struct Configuration {
    main_thread_priority: u16,
    /// What is xored into the low bits of the index of control wavelets by `.control_transform`.
    pub control_mask: u16,
    /// Priorities of microthreads, by queue, as the words of input queues hold them.
    pub input_priorities: [u16; 8],
    /// Words without a model, as they were written.
    others: BTreeMap<u16, u16>,
}

impl Pe {
    /// The word at an address.
    pub(super) fn read_config(
        &mut self,
        address: u16,
        time: u64,
        world: &mut Outside<'_>,
    ) -> Result<u16, Diag> {
        let word = match ConfigWord::at(self.arch.name, address) {
            Some(ConfigWord::Pe(PeBlock::TeardownPending, half)) => {
                if self.is_checked && self.duties.has_read(half, self.task_since) {
                    self.hazard(PENDING_TWICE.plain().help("keep the result of the first call"))?;
                }
                return Ok(self.duties.read_torn_down(half, self.task_since));
            }
            Some(ConfigWord::Pe(PeBlock::Timer, word)) => Some(self.clock.read(word.into(), time) as u16),
            Some(ConfigWord::Pe(PeBlock::InputQueueConfig, queue)) => self.input_queue_word(queue),
            Some(ConfigWord::Pe(PeBlock::OutputQueueConfig, queue)) => self.output_queue_word(queue),
            Some(ConfigWord::Pe(block, place)) => Some(self.read_register(block, place)),
            _ => world.ramp.config(address),
        };
        match word {
            Some(word) => Ok(word),
            None => {
                self.hazard(unknown(self.arch.name, address))?;
                Ok(self.configuration.others.get(&address).copied().unwrap_or(0))
            }
        }
    }

    /// Writes the word at an address.
    pub(super) fn write_config(
        &mut self,
        address: u16,
        value: u16,
        time: u64,
        world: &mut Outside<'_>,
    ) -> Result<(), Diag> {
        let known = match ConfigWord::at(self.arch.name, address) {
            Some(ConfigWord::Pe(PeBlock::TimerControl, _)) => {
                self.clock.enable(value != 0, time);
                true
            }
            Some(ConfigWord::Pe(PeBlock::Timer, _)) if value == 0 => {
                self.clock.reset(time);
                true
            }
            Some(ConfigWord::Pe(PeBlock::InputQueueConfig, queue)) => self.configure_input(queue, value)?,
            Some(ConfigWord::Pe(PeBlock::OutputQueueConfig, queue)) => self.configure_output(queue, value)?,
            Some(ConfigWord::Pe(block, place)) => self.write_register(block, place, value),
            _ => world.ramp.set_config(address, value),
        };
        if !known {
            self.hazard(unknown(self.arch.name, address))?;
            self.configuration.others.insert(address, value);
        }
        Ok(())
    }

    /// Sets the registers that the program begins with.
    pub(super) fn configure(&mut self, tile: &TileImage) {
        for (address, value) in &tile.initial_config {
            if let Some(ConfigWord::Pe(block, place)) = ConfigWord::at(self.arch.name, *address) {
                self.write_register(block, place, *value);
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
            PeBlock::ExceptionMask => ALL_MASKED,
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

    /// Loads or stores through a pointer into the configuration space, as programs for SDK 1.1 and
    /// before do; `None` if the next operation of the main thread is something else.
    pub(super) fn poke(
        &mut self,
        tile: &TileImage,
        meter: &Meter,
        now: u64,
        world: &mut Outside<'_>,
    ) -> Option<Result<Served, Diag>> {
        let frame = self.main.calls.last()?;
        let op = *tile.functions[frame.function.0 as usize].code.get(frame.pc)?;
        let at = |a, off: u16| self.main.register(a) as usize + usize::from(off);
        let (address, kind) = match op {
            Op::Load { a, off, kind, .. } | Op::Store { a, off, kind, .. } => (at(a, off), kind),
            Op::LoadAt { addr, kind, .. } | Op::StoreAt { addr, kind, .. } => (addr.into(), kind),
            _ => return None,
        };
        let word = ConfigWord::pointed(address as u64).filter(|_| kind == Access::U16)?;
        if meter.spent > 0 {
            return Some(Ok(Served::Later));
        }
        world.worker.alone_until = 0;
        let result = match op {
            Op::Load { d, .. } | Op::LoadAt { d, .. } => {
                self.read_config(word, now, world).map(|value| self.main.set_register(d, value.into()))
            }
            Op::Store { s, .. } | Op::StoreAt { s, .. } => {
                self.write_config(word, self.main.register(s) as u16, now, world)
            }
            _ => return None,
        };
        Some(result.map(|()| Served::Done(CYCLES)))
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
    /// Bit = queue: empty in the low byte, full in the high one.
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
