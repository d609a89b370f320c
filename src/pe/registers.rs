//! Data structure registers: what they hold and where they have come to.

use super::Pe;
use super::lanes::{Done, Saved};
use super::operation::{From, Operation, Stall, To};
use crate::arch::{Color, DsrFile, DsrId, InQueue, OutQueue, TaskId, UtId};
use crate::diagnostics::rules::run::DSR_EMPTY;
use crate::diagnostics::{At, Complaint};
use crate::dsd::local::{Dest, Source};
use crate::dsd::{Dsd, FifoId, MemKind, Priority};
use crate::image::code::{AsyncConfig, Completion, DsdEdit, DsrLoad, IdArg, OnControl, Reg};
use crate::image::{DsrRef, TileImage};

/// Asynchronous settings with every id known.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Settings {
    pub is_async: bool,
    pub completion: Done,
    pub on_control: Option<Done>,
    pub priority: Option<Priority>,
    pub ut: Option<UtId>,
}

/// A DSR with contents.
#[derive(Copy, Clone, Debug)]
pub(super) struct Loaded {
    pub dsd: Dsd,
    /// Address of the next element; only `save_address` lets it differ from the base.
    pub at: u16,
    pub save_address: bool,
    pub settings: Settings,
}

/// A vector operand with what its DSR says.
pub(super) struct Resolved {
    pub dsd: Dsd,
    /// Address of the first element of a memory DSD.
    pub at: u16,
    /// Of the DSR, if it is one.
    pub settings: Option<Settings>,
    /// The DSR that wants to know where the vector goes on.
    pub saved: Option<DsrId>,
}

impl Resolved {
    /// A DSD that is in no register.
    pub fn plain(dsd: Dsd) -> Resolved {
        let at = if let Dsd::Mem(mem) = dsd { mem.base } else { 0 };
        Resolved { dsd, at, settings: None, saved: None }
    }
}

/// The three files, each as long as its highest register in use.
#[derive(Clone, Debug, Default)]
pub(super) struct Registers([Vec<Option<Loaded>>; 3]);

impl Registers {
    /// The registers that hold FIFOs from the start.
    pub fn new(tile: &TileImage) -> Registers {
        let mut registers = Registers::default();
        for (n, fifo) in tile.fifos.iter().enumerate() {
            let loaded = Loaded {
                dsd: Dsd::Fifo(FifoId(n as u8)),
                at: 0,
                save_address: false,
                settings: Settings::default(),
            };
            for file in [DsrFile::Dest, DsrFile::Src1] {
                registers.set(DsrId { file, number: fifo.dsr }, loaded);
            }
        }
        registers
    }

    fn set(&mut self, id: DsrId, loaded: Loaded) {
        let file = &mut self.0[id.file as usize];
        let number = usize::from(id.number);
        if file.len() <= number {
            file.resize(number + 1, None);
        }
        file[number] = Some(loaded);
    }

    fn slot(&mut self, id: DsrId) -> Option<&mut Loaded> {
        self.0[id.file as usize].get_mut(usize::from(id.number))?.as_mut()
    }

    /// What a register holds.
    pub fn get(&self, dsr: DsrRef) -> Result<&Loaded, Complaint> {
        let loaded = self.0[dsr.id.file as usize].get(usize::from(dsr.id.number));
        match loaded {
            Some(Some(loaded)) if !dsr.fifo || matches!(loaded.dsd, Dsd::Fifo(_)) => Ok(loaded),
            Some(Some(_)) => Err(empty(dsr.id, "FIFO")),
            Some(None) | None => Err(empty(dsr.id, "DSD")),
        }
    }
}

fn empty(id: DsrId, what: &str) -> Complaint {
    let file = match id.file {
        DsrFile::Dest => "dsr_dest",
        DsrFile::Src0 => "dsr_src0",
        DsrFile::Src1 => "dsr_src1",
    };
    DSR_EMPTY.because(&[("dsr", &format!("{file} {}", id.number)), ("what", &what)])
}

impl Pe {
    /// `@load_to_dsr` and its family.
    pub(super) fn load_dsr(&mut self, load: &DsrLoad) -> Result<(), Complaint> {
        let tile = std::sync::Arc::clone(&self.tile);
        let Resolved { dsd, at, .. } = self.operand(&tile, load.dsd).at(load.span)?;
        let settings = self.settings(&load.config);
        self.registers.set(load.dsr.id, Loaded { dsd, at, save_address: load.save_address, settings });
        Ok(())
    }

    /// `@set_dsr_base_addr`: everything but the address stays.
    pub(super) fn set_dsr_base(&mut self, dsr: DsrRef, a: Reg) -> Result<(), Complaint> {
        let (base, size) = (self.address(a) as u16, self.memory.size() as u16);
        match self.registers.slot(dsr.id) {
            Some(Loaded { dsd: dsd @ Dsd::Mem(_), at, .. }) => {
                edit(dsd, DsdEdit::Base, base.into(), size);
                *at = base;
                Ok(())
            }
            _ => Err(empty(dsr.id, "memory DSD")),
        }
    }

    /// The settings of an operation or load, with ids from registers.
    pub(super) fn settings(&self, config: &AsyncConfig) -> Settings {
        let completion = self.completion(config.completion);
        Settings {
            is_async: config.is_async,
            completion,
            on_control: config.on_control.map(|on_control| match on_control {
                OnControl::Terminate => completion,
                OnControl::Then(done) => self.completion(done),
            }),
            priority: config.priority,
            ut: config.ut,
        }
    }

    fn completion(&self, completion: Completion) -> Done {
        let id = |id| match id {
            IdArg::Known(id) => id,
            IdArg::In(reg) => TaskId(self.main.register(reg) as u8),
        };
        match completion {
            Completion::Nothing => Done::Nothing,
            Completion::Activate(task) => Done::Activate(id(task)),
            Completion::Unblock(task) => Done::Unblock(id(task)),
        }
    }

    /// Tells DSRs loaded with `save_address` where their vector goes on.
    pub(super) fn save_positions(&mut self, operation: &Operation, saved: &[Saved]) {
        for Saved { dsr, operand } in saved {
            let walk = match (&operation.to, operand) {
                (To::Local(Dest::Walk(walk)), 0) => walk,
                (_, k @ 1..) => match &operation.from[k - 1] {
                    From::Local(Source::Walk(walk)) => walk,
                    _ => continue,
                },
                _ => continue,
            };
            self.save_position(*dsr, walk.position());
        }
    }

    /// An operation has ended at a FIFO: what is left is the length of the next one.
    pub(super) fn leave_length(&mut self, stall: Stall, operation: &Operation) {
        let left = operation.total.map_or(0, |total| total - operation.done) as u16;
        match stall {
            Stall::FifoEmpty(fifo) => self.fifos[fifo].set_length(false, left),
            Stall::FifoFull(fifo) => self.fifos[fifo].set_length(true, left),
            Stall::Input(_) | Stall::Output(_) => {}
        }
    }

    /// Moves a DSR.
    pub(super) fn save_position(&mut self, dsr: DsrId, position: u16) {
        let Some(loaded) = self.registers.slot(dsr) else { return };
        loaded.at = position;
        if let Dsd::Mem(mem) = &mut loaded.dsd {
            // A circular buffer keeps its first word, which is where it wraps to.
            if mem.kind != MemKind::Circbuf {
                mem.base = position;
            }
        }
    }
}

/// Changes one property of a DSD; `size` is the memory in words.
pub(super) fn edit(dsd: &mut Dsd, edit: DsdEdit, value: u64, size: u16) {
    let word = value as u16;
    match (dsd, edit) {
        (Dsd::Mem(mem), DsdEdit::Base) => {
            // Which tensor the new address belongs to is not known.
            (mem.base, mem.lo, mem.hi) = (word, 0, size);
        }
        (Dsd::Mem(mem), DsdEdit::Offset { words }) => {
            mem.base = mem.base.wrapping_add(word.wrapping_mul(words.into()));
        }
        (Dsd::Mem(mem), DsdEdit::Length) => mem.extent[0] = word,
        (Dsd::Mem(mem), DsdEdit::Stride) => mem.step[0] = word as i16,
        (Dsd::FabIn(fabin), DsdEdit::Length) => fabin.extent = word,
        (Dsd::FabIn(fabin), DsdEdit::Color) => fabin.color = Some(Color(value as u8)),
        (Dsd::FabIn(fabin), DsdEdit::Queue) => fabin.queue = Some(InQueue(value as u8)),
        (Dsd::FabOut(fabout), DsdEdit::Length) => fabout.extent = word,
        (Dsd::FabOut(fabout), DsdEdit::Color) => fabout.color = Some(Color(value as u8)),
        (Dsd::FabOut(fabout), DsdEdit::Queue) => fabout.queue = Some(OutQueue(value as u8)),
        (dsd, edit) => unreachable!("comptime lets nobody apply {edit:?} to {dsd:?}"),
    }
}
