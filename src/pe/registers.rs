//! Data structure registers: their DSDs, and the positions at which operations have left them.

use super::checks::Checks;
use super::extended::{Extended, Others};
use super::operation::{ElementDest, ElementSource, Operation};
use super::tasks::CompletionAction;
use super::threads::OperandDsrs;
use crate::arch::{DsrFile, DsrId, TaskId, UtId};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::dsd::MAP_FIFO;
use crate::diagnostics::rules::run::{DSR_EMPTY, FIFO_DSR_EMPTY, MAP_SINGLE_STEP, SINGLE_STEP};
use crate::dsd::local::{Dest, Source};
use crate::dsd::{DSD_WORDS, Dsd, FifoId, Mem, MemKind, Priority};
use crate::image::code::{AsyncConfig, Completion, DsdRef, DsrLoad, IdArg, OnControl, Reg};
use crate::image::{DsrRef, TileImage};
use crate::source::Span;

/// Asynchronous settings, with all ids resolved.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct AsyncSettings {
    pub is_async: bool,
    pub completion: CompletionAction,
    pub on_control: Option<AtControl>,
    pub priority: Option<Priority>,
    pub ut: Option<UtId>,
}

/// The action when a control wavelet ends an operation.
#[derive(Copy, Clone, Debug)]
pub(super) enum AtControl {
    /// The operation ends as usual.
    Completion,
    Then(CompletionAction),
}

impl AsyncSettings {
    /// The settings of an operation or load, with ids from registers.
    pub fn of(config: &AsyncConfig, register: impl Fn(Reg) -> u64) -> AsyncSettings {
        AsyncSettings {
            is_async: config.is_async,
            completion: completion(config.completion, &register),
            on_control: config.on_control.map(|on_control| match on_control {
                OnControl::Terminate => AtControl::Completion,
                OnControl::Then(done) => AtControl::Then(completion(done, &register)),
            }),
            priority: config.priority,
            ut: config.ut,
        }
    }

    /// A setting of an operation that the settings which count do not have.
    pub fn lost_in(&self, others: &AsyncSettings) -> Option<&'static str> {
        match self.completion {
            _ if !others.is_async => Some("async"),
            CompletionAction::Activate(_) if others.completion != self.completion => Some("activate"),
            CompletionAction::Unblock(_) if others.completion != self.completion => Some("unblock"),
            _ if self.on_control.is_some() && others.on_control.is_none() => Some("on_control"),
            CompletionAction::Nothing | CompletionAction::Activate(_) | CompletionAction::Unblock(_) => None,
        }
    }

    /// Merges the settings of a further operand. For each setting the first operand that has it wins; the
    /// operation is asynchronous if one of its operands is.
    pub fn add(&mut self, other: AsyncSettings) {
        if !other.is_async {
            return;
        }
        self.is_async = true;
        if self.completion == CompletionAction::Nothing {
            self.completion = other.completion;
        }
        self.on_control = self.on_control.or(other.on_control);
        self.priority = self.priority.or(other.priority);
        self.ut = self.ut.or(other.ut);
    }

    /// Whether a control wavelet that ends the operation stays in its queue.
    pub fn keeps_control(&self) -> bool {
        matches!(self.on_control, Some(AtControl::Then(CompletionAction::Activate(_))))
    }

    /// The action when a control wavelet ends the operation; `None` if control wavelets do not end it.
    pub fn at_control(&self) -> Option<CompletionAction> {
        self.on_control.map(|action| match action {
            AtControl::Completion => self.completion,
            AtControl::Then(done) => done,
        })
    }
}

/// The contents of a loaded DSR.
#[derive(Copy, Clone, Debug)]
pub(super) struct Loaded {
    pub dsd: Dsd,
    /// Address of the next element. It differs from the base only with `save_address`.
    pub at: u16,
    pub save_address: bool,
    /// Whether it was loaded for `@map` (`.single_step`).
    pub single_step: bool,
    pub settings: AsyncSettings,
    /// Source location of the load.
    pub span: Span,
    /// The XDSR and the stride registers that the load filled.
    pub others: Others,
}

/// A vector operand, with the settings of its DSR.
pub(super) struct ResolvedOperand {
    pub dsd: Dsd,
    /// Address of the first element of a memory DSD.
    pub at: u16,
    /// Settings of the DSR, if it is one.
    pub settings: Option<AsyncSettings>,
    /// The DSR itself, if the operand is one.
    pub dsr: Option<DsrId>,
    /// The DSR to update with the address where the vector continues (`save_address`).
    pub saved: Option<DsrId>,
    /// The DSR that holds a FIFO although its type does not say so.
    pub untyped_fifo: Option<DsrId>,
}

/// The use of an operand.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Operation,
    Map,
    /// It is copied into a register or variable.
    Value,
}

impl ResolvedOperand {
    /// An operand for a DSD that is in no register.
    pub fn plain(dsd: Dsd) -> ResolvedOperand {
        ResolvedOperand { dsd, at: dsd.start(), settings: None, dsr: None, saved: None, untyped_fifo: None }
    }
}

/// All DSRs of a PE.
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

    /// Fills a register.
    #[inline(always)]
    pub fn set(&mut self, id: DsrId, loaded: Loaded) {
        let file = &mut self.files[id.file as usize];
        let number = usize::from(id.number);
        if file.len() <= number {
            file.resize(number + 1, None);
        }
        file[number] = Some(loaded);
    }

    /// `@load_to_dsr` and its variants, for the words of a DSD variable; `None` if they are no DSD. A vector in memory is
    /// decoded straight into its register: to copy what was just stored in pieces of another size would stall.
    #[inline]
    pub fn load_words(
        &mut self,
        load: &DsrLoad,
        words: &[u16; DSD_WORDS as usize],
        settings: AsyncSettings,
    ) -> Option<()> {
        match Mem::from_words(words) {
            Some(mem) => self.load(load, Dsd::Mem(mem), mem.base, settings),
            None => {
                let dsd = Dsd::from_words(words)?;
                self.load(load, dsd, dsd.start(), settings);
            }
        }
        Some(())
    }

    /// `@load_to_dsr` and its family: a DSD, the address of its first element, and the settings.
    #[inline(always)]
    pub fn load(&mut self, load: &DsrLoad, dsd: Dsd, at: u16, settings: AsyncSettings) {
        let DsrLoad { save_address, single_step, span, .. } = *load;
        let (id, others) = (load.dsr.id, Others::of(load));
        self.set(id, Loaded { dsd, at, save_address, single_step, settings, span, others });
        if !others.are_none()
            && let Some(Some(Loaded { dsd: Dsd::Mem(mem), .. })) =
                self.files[id.file as usize].get(usize::from(id.number))
        {
            self.extended.fill(id, others, mem, span);
        }
    }

    /// The registers of a file, by number.
    pub fn file(&self, file: DsrFile) -> &[Option<Loaded>] {
        &self.files[file as usize]
    }

    /// A loaded register, mutable.
    pub fn slot(&mut self, id: DsrId) -> Option<&mut Loaded> {
        self.files[id.file as usize].get_mut(usize::from(id.number))?.as_mut()
    }

    /// A loaded register.
    #[inline]
    pub fn loaded(&self, id: DsrId) -> Option<&Loaded> {
        self.files[id.file as usize].get(usize::from(id.number))?.as_ref()
    }

    /// The contents of a loaded register.
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

    /// Stores in DSRs loaded with `save_address` the address where their vector continues.
    pub fn save_positions(&mut self, operation: &Operation, registers: &OperandDsrs) {
        for (operand, dsr) in registers.saved() {
            let cursor = match (&operation.to, operand) {
                (ElementDest::Local(Dest::AddressCursor(cursor)), 0) => cursor,
                (_, k @ 1..) => match &operation.from[k - 1] {
                    ElementSource::Local(Source::AddressCursor(cursor)) => cursor,
                    _ => continue,
                },
                _ => continue,
            };
            self.save_position(dsr, cursor.position());
        }
    }

    /// Changes the base address of a DSR (`@set_dsr_base_addr`).
    pub fn save_position(&mut self, dsr: DsrId, position: u16) {
        let Some(loaded) = self.slot(dsr) else { return };
        loaded.at = position;
        if let Dsd::Mem(mem) = &mut loaded.dsd {
            // A circular buffer keeps its first word, because it wraps around to that word.
            if mem.kind != MemKind::Circbuf {
                mem.base = position;
            }
        }
    }

    /// Adds to a diagnostic the load that has put a DSD into a register where it does not belong.
    pub fn loaded_here(&self, operand: DsdRef, diag: Diag) -> Diag {
        let DsdRef::Dsr(dsr) = operand else { return diag };
        match self.get(dsr) {
            Ok(loaded) => diag.also(loaded.span, "it was loaded here"),
            Err(_) => diag,
        }
    }

    /// Whether an operation may use a DSR without a check: it is not loaded for `@map`, and its XDSR and stride
    /// registers still hold what its load wrote.
    #[inline]
    pub fn is_as_loaded(&self, dsr: DsrId, loaded: &Loaded) -> bool {
        let is_whole = |mem| self.extended.clash(dsr, loaded.others, mem, loaded.span).is_none();
        !loaded.single_step && if let Dsd::Mem(mem) = &loaded.dsd { is_whole(mem) } else { true }
    }

    /// Checks that the XDSR and the stride registers of a DSR still hold what its load wrote. If they do not,
    /// and that is not denied, they define the vector: then it is returned.
    pub fn check_extended(
        &self,
        loaded: &Loaded,
        dsr: DsrId,
        checks: &mut Checks,
    ) -> Result<Option<Loaded>, Diag> {
        let Dsd::Mem(mem) = &loaded.dsd else { return Ok(None) };
        let extended = &self.extended;
        let Some(diag) = extended.clash(dsr, loaded.others, mem, loaded.span) else { return Ok(None) };
        let (mut mem, mut at) = (*mem, loaded.at);
        if let Some(start) = extended.take_over(loaded.others, &mut mem) {
            at = start;
        }
        checks.hazard(diag)?;
        Ok(Some(Loaded { dsd: Dsd::Mem(mem), at, ..*loaded }))
    }
}

impl Loaded {
    /// The operand that a DSR is.
    #[inline]
    pub fn operand(&self, dsr: DsrRef) -> ResolvedOperand {
        let holds_fifo = matches!(self.dsd, Dsd::Fifo(_));
        ResolvedOperand {
            dsd: self.dsd,
            at: self.at,
            settings: Some(self.settings),
            dsr: Some(dsr.id),
            saved: self.save_address.then_some(dsr.id),
            untyped_fifo: (holds_fifo && !dsr.fifo).then_some(dsr.id),
        }
    }

    /// A DSR loaded with `.single_step` may be used only by `@map`, and `@map` needs such a DSR (entry UB-021).
    pub fn check_use(&self, dsr: DsrId, purpose: Use, checks: &mut Checks) -> Result<(), Diag> {
        if purpose == Use::Map && matches!(self.dsd, Dsd::Fifo(_)) {
            return Err(self.fifo_in_map());
        }
        let (rule, help) = match (purpose, self.single_step) {
            (Use::Operation, true) => (&SINGLE_STEP, "load it without `.single_step` for the operation"),
            (Use::Map, false) => (&MAP_SINGLE_STEP, "load it with `.{ .single_step = true }` for the `@map`"),
            (Use::Operation, false) | (Use::Map, true) | (Use::Value, _) => return Ok(()),
        };
        checks.hazard(rule.because(&[("dsr", &dsr)]).also(self.span, "it was loaded here").help(help))
    }

    /// The diagnostic about a FIFO that is an operand of `@map`.
    pub fn fifo_in_map(&self) -> Diag {
        let diag = MAP_FIFO.plain().also(self.span, "the register belongs to this FIFO");
        diag.help("move the elements to or from memory first")
    }

    /// The kind of its contents, for messages.
    pub fn contents(&self) -> &'static str {
        match self.dsd {
            Dsd::Mem(Mem { kind: MemKind::Circbuf, .. }) => "a circular buffer",
            Dsd::Mem(_) => "a vector in memory",
            Dsd::FabIn(_) => "a fabin_dsd",
            Dsd::FabOut(_) => "a fabout_dsd",
            Dsd::Fifo(_) => "a FIFO",
        }
    }
}

/// What follows the end of an operation, with the id from a register.
pub(super) fn completion(completion: Completion, register: impl Fn(Reg) -> u64) -> CompletionAction {
    let id = |id| match id {
        IdArg::Known(id) => id,
        IdArg::In(reg) => TaskId(register(reg) as u8),
    };
    match completion {
        Completion::Nothing => CompletionAction::Nothing,
        Completion::Activate(task) => CompletionAction::Activate(id(task)),
        Completion::Unblock(task) => CompletionAction::Unblock(id(task)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_lost_if_the_others_do_not_have_it() {
        let on_control = Some(AtControl::Completion);
        let own = AsyncSettings { is_async: true, ..AsyncSettings::default() };
        let ends = AsyncSettings { on_control, ..own };
        assert_eq!(own.lost_in(&own), None);
        assert_eq!(own.lost_in(&ends), None);
        assert_eq!(ends.lost_in(&ends), None);
        assert_eq!(ends.lost_in(&own), Some("on_control"));
        assert_eq!(own.lost_in(&AsyncSettings::default()), Some("async"));
    }
}
