//! Data structure registers: what they hold and where they have come to.

use super::Pe;
use super::extended::{Extended, Others};
use super::operation::{From, Operation, Stall, To};
use super::threads::{Done, Saved};
use crate::arch::{Color, DsrFile, DsrId, InQueue, OutQueue, TaskId, UtId};
use crate::diagnostics::rules::dsd::MAP_FIFO;
use crate::diagnostics::rules::run::{
    DSR_BUSY, DSR_EMPTY, DSR_NOT_MEMORY, FIFO_DSR_EMPTY, FIFO_EVENT, MAP_SINGLE_STEP, SINGLE_STEP,
};
use crate::diagnostics::{At, Diag};
use crate::dsd::local::{Dest, Source};
use crate::dsd::{Dsd, FifoId, Mem, MemKind, Priority};
use crate::image::code::{AsyncConfig, Completion, DsdEdit, DsdRef, DsrLoad, IdArg, OnControl, Reg};
use crate::image::{DsrRef, TileImage};
use crate::source::Span;

/// Asynchronous settings with every id known.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct AsyncSettings {
    pub is_async: bool,
    pub completion: Done,
    pub on_control: Option<AtControl>,
    pub priority: Option<Priority>,
    pub ut: Option<UtId>,
}

/// What follows when a control wavelet ends an operation.
#[derive(Copy, Clone, Debug)]
pub(super) enum AtControl {
    /// The ordinary end.
    Completion,
    Then(Done),
}

impl AsyncSettings {
    /// Adds what a further operand says: the first one to say something counts, and the operation is
    /// asynchronous if one of its operands is.
    pub fn add(&mut self, other: AsyncSettings) {
        if !other.is_async {
            return;
        }
        self.is_async = true;
        if self.completion == Done::Nothing {
            self.completion = other.completion;
        }
        self.on_control = self.on_control.or(other.on_control);
        self.priority = self.priority.or(other.priority);
        self.ut = self.ut.or(other.ut);
    }

    /// What follows when a control wavelet ends the operation; `None` if it does not end it.
    pub fn at_control(&self) -> Option<Done> {
        self.on_control.map(|action| match action {
            AtControl::Completion => self.completion,
            AtControl::Then(done) => done,
        })
    }
}

/// A DSR with contents.
#[derive(Copy, Clone, Debug)]
pub(super) struct Loaded {
    pub dsd: Dsd,
    /// Address of the next element; only `save_address` lets it differ from the base.
    pub at: u16,
    pub save_address: bool,
    /// Loaded for `@map`.
    pub single_step: bool,
    pub settings: AsyncSettings,
    /// Where it was loaded.
    pub span: Span,
    /// The XDSR and the stride registers that the load filled.
    pub others: Others,
}

/// A vector operand with what its DSR says.
pub(super) struct ResolvedOperand {
    pub dsd: Dsd,
    /// Address of the first element of a memory DSD.
    pub at: u16,
    /// Of the DSR, if it is one.
    pub settings: Option<AsyncSettings>,
    /// The DSR, if it is one.
    pub dsr: Option<DsrId>,
    /// The DSR that wants to know where the vector goes on.
    pub saved: Option<DsrId>,
    /// The DSR whose type does not say that it holds a FIFO, and does.
    pub untyped_fifo: Option<DsrId>,
}

/// What an operand is used for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Operation,
    Map,
    /// To be copied into a register or variable.
    Value,
}

impl ResolvedOperand {
    /// A DSD that is in no register.
    pub fn plain(dsd: Dsd) -> ResolvedOperand {
        let at = if let Dsd::Mem(mem) = dsd { mem.base } else { 0 };
        ResolvedOperand { dsd, at, settings: None, dsr: None, saved: None, untyped_fifo: None }
    }
}

/// The registers of a PE.
#[derive(Clone, Debug, Default)]
pub(super) struct Registers {
    /// The three files, each as long as its highest register in use.
    files: [Vec<Option<Loaded>>; 3],
    pub extended: Extended,
}

impl Registers {
    /// The registers that hold FIFOs from the start.
    pub fn new(tile: &TileImage) -> Registers {
        let mut registers = Registers::default();
        for (n, fifo) in tile.fifos.iter().enumerate() {
            let loaded = Loaded {
                dsd: Dsd::Fifo(FifoId(n as u8)),
                at: 0,
                save_address: false,
                single_step: false,
                settings: AsyncSettings::default(),
                span: fifo.span,
                others: Others::default(),
            };
            for file in [DsrFile::Dest, DsrFile::Src1] {
                registers.set(DsrId { file, number: fifo.registers.dsr }, loaded);
            }
        }
        registers
    }

    fn set(&mut self, id: DsrId, loaded: Loaded) {
        let file = &mut self.files[id.file as usize];
        let number = usize::from(id.number);
        if file.len() <= number {
            file.resize(number + 1, None);
        }
        file[number] = Some(loaded);
    }

    fn slot(&mut self, id: DsrId) -> Option<&mut Loaded> {
        self.files[id.file as usize].get_mut(usize::from(id.number))?.as_mut()
    }

    /// What a register holds.
    pub fn get(&self, dsr: DsrRef) -> Result<&Loaded, Diag> {
        let loaded = self.files[dsr.id.file as usize].get(usize::from(dsr.id.number));
        let Some(Some(loaded)) = loaded else {
            let rule = if dsr.fifo { &FIFO_DSR_EMPTY } else { &DSR_EMPTY };
            return Err(rule.because(&[("dsr", &dsr.id)]));
        };
        if dsr.fifo && !matches!(loaded.dsd, Dsd::Fifo(_)) {
            let c = FIFO_DSR_EMPTY.because(&[("dsr", &dsr.id)]);
            return Err(c.also(loaded.span, "it was loaded here"));
        }
        Ok(loaded)
    }
}

impl Loaded {
    /// The diagnostic about a FIFO that is an operand of `@map`.
    pub fn fifo_in_map(&self) -> Diag {
        let diag = MAP_FIFO.plain().also(self.span, "the register belongs to this FIFO");
        diag.help("move the elements to or from memory first")
    }

    /// What it holds, for messages.
    fn contents(&self) -> &'static str {
        match self.dsd {
            Dsd::Mem(Mem { kind: MemKind::Circbuf, .. }) => "a circular buffer",
            Dsd::Mem(_) => "a vector in memory",
            Dsd::FabIn(_) => "a fabin_dsd",
            Dsd::FabOut(_) => "a fabout_dsd",
            Dsd::Fifo(_) => "a FIFO",
        }
    }
}

impl Pe {
    /// Adds the load that has put a DSD there where it does not belong.
    pub(super) fn loaded_here(&self, operand: DsdRef, diag: Diag) -> Diag {
        let DsdRef::Dsr(dsr) = operand else { return diag };
        match self.registers.get(dsr) {
            Ok(loaded) => diag.also(loaded.span, "it was loaded here"),
            Err(_) => diag,
        }
    }

    /// `@load_to_dsr` and its family.
    pub(super) fn load_dsr(&mut self, load: &DsrLoad) -> Result<(), Diag> {
        self.check_free(load.dsr.id).at(load.span)?;
        let tile = std::sync::Arc::clone(&self.tile);
        let ResolvedOperand { dsd, at, .. } = self.operand(&tile, load.dsd, Use::Value).at(load.span)?;
        let settings = self.settings(&load.config);
        let DsrLoad { save_address, single_step, span, .. } = *load;
        let others = Others::of(load);
        if let Dsd::Mem(mem) = &dsd {
            self.registers.extended.fill(load.dsr.id, others, mem, span);
        }
        self.registers
            .set(load.dsr.id, Loaded { dsd, at, save_address, single_step, settings, span, others });
        Ok(())
    }

    /// `@set_dsr_base_addr`: everything but the address stays.
    pub(super) fn set_dsr_base(&mut self, dsr: DsrRef, a: Reg) -> Result<(), Diag> {
        self.check_free(dsr.id)?;
        let base = self.address(a) as u16;
        let Some(loaded) = self.registers.slot(dsr.id).copied() else {
            return Err(DSR_EMPTY.because(&[("dsr", &dsr.id)]));
        };
        match loaded.dsd {
            Dsd::Mem(mut mem @ Mem { kind: MemKind::Mem1d | MemKind::Mem4d, .. }) => {
                self.aim(&mut mem, base);
                self.registers.set(dsr.id, Loaded { dsd: Dsd::Mem(mem), at: base, ..loaded });
                Ok(())
            }
            Dsd::Mem(_) | Dsd::FabIn(_) | Dsd::FabOut(_) | Dsd::Fifo(_) => {
                let c = DSR_NOT_MEMORY.because(&[("dsr", &dsr.id), ("what", &loaded.contents())]);
                Err(c.also(loaded.span, "it was loaded here"))
            }
        }
    }

    /// A DSR loaded with `.single_step` belongs to `@map`, and no other does (entry UB-021).
    pub(super) fn check_use(&mut self, loaded: &Loaded, dsr: DsrId, purpose: Use) -> Result<(), Diag> {
        if purpose == Use::Map && matches!(loaded.dsd, Dsd::Fifo(_)) {
            return Err(loaded.fifo_in_map());
        }
        let (rule, help) = match (purpose, loaded.single_step) {
            (Use::Operation, true) => (&SINGLE_STEP, "load it without `.single_step` for the operation"),
            (Use::Map, false) => (&MAP_SINGLE_STEP, "load it with `.{ .single_step = true }` for the `@map`"),
            (Use::Operation, false) | (Use::Map, true) | (Use::Value, _) => return Ok(()),
        };
        self.hazard(rule.because(&[("dsr", &dsr)]).also(loaded.span, "it was loaded here").help(help))
    }

    /// The XDSR and the stride registers of a DSR still hold what its load has put there. If they do not and
    /// that is not denied, the vector is what they describe.
    pub(super) fn check_extended(&mut self, mut loaded: Loaded, dsr: DsrId) -> Result<Loaded, Diag> {
        let Dsd::Mem(mem) = &mut loaded.dsd else { return Ok(loaded) };
        let extended = &self.registers.extended;
        let Some(diag) = extended.clash(dsr, loaded.others, mem, loaded.span) else { return Ok(loaded) };
        if let Some(start) = extended.take_over(loaded.others, mem) {
            loaded.at = start;
        }
        self.hazard(diag)?;
        Ok(loaded)
    }

    /// No operation in progress uses the register (entry UB-026). If one does and that is not denied, it
    /// keeps what it has begun with.
    fn check_free(&mut self, dsr: DsrId) -> Result<(), Diag> {
        if !self.is_checked || self.threads.is_empty() {
            return Ok(());
        }
        let user = self.threads.iter().find(|(_, thread)| thread.registers.contains(&dsr));
        let Some(user) = user.map(|(_, thread)| thread.span) else { return Ok(()) };
        let c = DSR_BUSY.because(&[("dsr", &dsr)]).also(user, "this one is still running");
        self.hazard(c.help("change it in the task that the operation activates at its end"))
    }

    /// The settings of an operation or load, with ids from registers.
    pub(super) fn settings(&self, config: &AsyncConfig) -> AsyncSettings {
        AsyncSettings {
            is_async: config.is_async,
            completion: self.completion(config.completion),
            on_control: config.on_control.map(|on_control| match on_control {
                OnControl::Terminate => AtControl::Completion,
                OnControl::Then(done) => AtControl::Then(self.completion(done)),
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
            let cursor = match (&operation.to, operand) {
                (To::Local(Dest::AddressCursor(cursor)), 0) => cursor,
                (_, k @ 1..) => match &operation.from[k - 1] {
                    From::Local(Source::AddressCursor(cursor)) => cursor,
                    _ => continue,
                },
                _ => continue,
            };
            self.save_position(*dsr, cursor.position());
        }
    }

    /// Only FIFOs and DSRs of FIFO type may be full or empty (entry UB-023).
    pub(super) fn check_event(&self, stall: Stall, operation: &Operation) -> Result<(), Diag> {
        let (end, state, dsr) = match stall {
            Stall::FifoEmpty(end) => (end, "empty", operation.untyped_fifos[1]),
            Stall::FifoFull(end) => (end, "full", operation.untyped_fifos[0]),
            Stall::Input(_) | Stall::Output(_) => return Ok(()),
        };
        let Some(dsr) = dsr.filter(|_| self.is_checked) else { return Ok(()) };
        let fifo = &self.tile.fifos[end.fifo];
        let typed = if dsr.file == DsrFile::Dest { "dsr_fifo_dest" } else { "dsr_fifo_src1" };
        Err(FIFO_EVENT
            .because(&[("fifo", &fifo.name), ("state", &state), ("dsr", &dsr)])
            .also(fifo.span, "the FIFO")
            .help(format!("use `@get_dsr({typed}, ..)` for it, and check the result of the operation")))
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

impl Pe {
    /// Changes one property of a DSD.
    pub(super) fn edit(&self, dsd: &mut Dsd, edit: DsdEdit, value: u64, origin: u16) {
        let word = value as u16;
        if let Dsd::Mem(mem) = dsd {
            mem.origin = origin;
        }
        match (dsd, edit) {
            (Dsd::Mem(mem), DsdEdit::Base) => self.aim(mem, word),
            (Dsd::Mem(mem), DsdEdit::Offset { words }) => {
                mem.base = mem.base.wrapping_add(word.wrapping_mul(words.into()));
            }
            (Dsd::Mem(mem), DsdEdit::Length) => mem.extent[0] = word,
            (Dsd::Mem(mem), DsdEdit::Stride) => mem.step[0] = word as i16,
            (Dsd::FabIn(fabin), DsdEdit::Length) => fabin.extent = word,
            (Dsd::FabIn(fabin), DsdEdit::Color) => fabin.color = Color::numbered(value as u16),
            (Dsd::FabIn(fabin), DsdEdit::Queue) => fabin.queue = Some(InQueue(value as u8)),
            (Dsd::FabOut(fabout), DsdEdit::Length) => fabout.extent = word,
            (Dsd::FabOut(fabout), DsdEdit::Color) => fabout.color = Color::numbered(value as u16),
            (Dsd::FabOut(fabout), DsdEdit::Queue) => fabout.queue = Some(OutQueue(value as u8)),
            (dsd, edit) => unreachable!("comptime lets nobody apply {edit:?} to {dsd:?}"),
        }
    }
}
