//! The tables beside code: operations on vectors, maps, loads of registers, DSDs.
//!
//! In: the entries, and how many there are of what they name. Out: whether they name only that, and how many registers
//! of a function they need. Never: looks at code.

use super::code::{
    AsyncConfig, Completion, DsdOperand, DsdRef, DsrLoad, IdArg, MapOp, OnControl, Reg, VectorOp,
};
use super::verdict::{Verdict, ensure};
use super::{DsrRef, Fifo};
use crate::arch::{Arch, DsrFile, TASK_IDS, TaskId};
use crate::dsd::ops::OPS;
use crate::dsd::{Dsd, FabIn, FabOut, Mem};

/// One more than the highest register that an entry names.
pub type Registers = usize;

/// What the entries may name.
#[derive(Copy, Clone)]
pub struct Named<'t> {
    /// The machine.
    pub arch: &'static Arch,
    /// The DSDs of the tile.
    pub dsds: &'t [Dsd],
}

/// What a DSD must not be.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Except {
    Nothing,
    /// It is read.
    FabOut,
    /// It is read by `@map`.
    FabOutOrFifo,
    /// `@map` writes to it.
    Fifo,
}

impl Named<'_> {
    /// The registers of a DSD operation.
    ///
    /// # Errors
    /// It has no such form, or an operand does not exist.
    pub fn vector(self, vector: &VectorOp) -> Result<Registers, &'static str> {
        let op = OPS.get(usize::from(vector.op)).ok_or("an operation on DSDs is not in the table")?;
        let is_vector = |operand: &DsdOperand| matches!(operand, DsdOperand::Dsd(_));
        let vectors: Vec<bool> = vector.sources.iter().map(is_vector).collect();
        let to_pointer = matches!(vector.dest, DsdOperand::Pointer(_));
        let has_form = op.form(to_pointer, &vectors).is_some();
        // `@dfilt`; what a register or a variable holds shows when it runs.
        let is_filter = match vector.sources[..] {
            [DsdOperand::Dsd(DsdRef::Const(n))] => matches!(self.dsds.get(n as usize), Some(Dsd::FabIn(_))),
            [DsdOperand::Dsd(DsdRef::Dsr(_) | DsdRef::At(..))] => true,
            _ => false,
        };
        let has_dest = match vector.dest {
            DsdOperand::Dsd(_) | DsdOperand::Pointer(_) => true,
            DsdOperand::Nowhere => is_filter,
            DsdOperand::Scalar(_) => false,
        };
        let has_sources = !vector.sources.iter().any(|source| matches!(source, DsdOperand::Nowhere));
        ensure(
            has_form && has_dest && has_sources,
            "an operation on DSDs has operands that it does not take",
        )?;
        let mut all = self.operand(vector.dest, Except::Nothing)?;
        for source in &vector.sources {
            all = all.max(self.operand(*source, Except::FabOut)?);
        }
        let scalars = vector.index.iter().chain(&vector.result).map(|register| behind(*register));
        Ok(scalars.fold(all, usize::max).max(self.config(&vector.config)?))
    }

    /// The registers of a map whose elements are in the registers from `base` on.
    ///
    /// # Errors
    /// An operand does not exist.
    pub fn map(self, map: &MapOp, base: Reg) -> Result<Registers, &'static str> {
        let mut all = usize::from(base) + map.inputs.len();
        let inputs = map.inputs.iter().map(|(operand, _)| (*operand, Except::FabOutOrFifo));
        let output = map.output.iter().map(|(operand, _)| (*operand, Except::Fifo));
        for (operand, except) in inputs.chain(output) {
            ensure(operand != DsdOperand::Nowhere, "an `@map` has an operand that is nowhere")?;
            all = all.max(self.operand(operand, except)?);
        }
        Ok(all)
    }

    /// The registers of a load.
    ///
    /// # Errors
    /// It names what does not exist.
    pub fn load(self, load: &DsrLoad) -> Result<Registers, &'static str> {
        const MISSING: &str = "a load names a register that the machine does not have";
        self.dsr(load.dsr)?;
        ensure(load.xdsr.is_none_or(|xdsr| xdsr < self.arch.xdsrs), MISSING)?;
        ensure(load.strides.iter().all(|sr| *sr < self.arch.stride_registers), MISSING)?;
        Ok(self.dsd_ref(load.dsd, Except::Nothing)?.max(self.config(&load.config)?))
    }

    /// Checks a load that takes effect before the start, when no code runs.
    ///
    /// # Errors
    /// It depends on registers, or ends the run.
    pub fn initial_load(self, load: &DsrLoad) -> Verdict {
        let is_known = matches!(load.dsd, DsdRef::Const(_));
        ensure(!load.is_unbound, "a load before the start names a queue that is not bound to its color")?;
        ensure(is_known && self.load(load)? == 0, "a load before the start depends on code")
    }

    fn operand(self, operand: DsdOperand, except: Except) -> Result<Registers, &'static str> {
        match operand {
            DsdOperand::Dsd(dsd) => self.dsd_ref(dsd, except),
            DsdOperand::Scalar(register) | DsdOperand::Pointer(register) => Ok(behind(register)),
            DsdOperand::Nowhere => Ok(0),
        }
    }

    fn dsd_ref(self, dsd: DsdRef, except: Except) -> Result<Registers, &'static str> {
        match dsd {
            DsdRef::Const(n) => {
                let dsd = self.dsds.get(n as usize).ok_or("an operand names a DSD that does not exist")?;
                let is_wrong = match dsd {
                    Dsd::FabOut(_) => matches!(except, Except::FabOut | Except::FabOutOrFifo),
                    Dsd::Fifo(_) => matches!(except, Except::Fifo | Except::FabOutOrFifo),
                    Dsd::Mem(_) | Dsd::FabIn(_) => false,
                };
                ensure(!is_wrong, "an operand is a DSD of another kind")?;
                Ok(0)
            }
            DsdRef::At(register, _) => Ok(behind(register)),
            DsdRef::Dsr(dsr) => self.dsr(dsr).map(|()| 0),
        }
    }

    fn dsr(self, dsr: DsrRef) -> Verdict {
        let [dest, src0, src1] = self.arch.dsrs;
        let count = match dsr.id.file {
            DsrFile::Dest => dest,
            DsrFile::Src0 => src0,
            DsrFile::Src1 => src1,
        };
        ensure(dsr.id.number < count, "an operand names a DSR that the machine does not have")
    }

    fn config(self, config: &AsyncConfig) -> Result<Registers, &'static str> {
        let is_thread = config.ut.is_none_or(|ut| ut.0 < self.arch.microthreads);
        ensure(is_thread, "an operation names a microthread that does not exist")?;
        let at_control = match config.on_control {
            Some(OnControl::Then(completion)) => completion,
            Some(OnControl::Terminate) | None => Completion::Nothing,
        };
        Ok(completion(config.completion)?.max(completion(at_control)?))
    }
}

/// Checks a DSD.
///
/// # Errors
/// A property is out of its range.
pub fn dsd(dsd: &Dsd, arch: &Arch, fifos: &[Fifo]) -> Verdict {
    const RANGE: &str = "a DSD has a property that is out of its range";
    match dsd {
        Dsd::Mem(Mem { dims, lo, hi, .. }) => {
            let is_inside = lo <= hi && u32::from(*hi) <= arch.memory_words;
            ensure(is_inside && (1..=4).contains(dims), RANGE)
        }
        Dsd::FabIn(FabIn { color, queue, .. }) => {
            let has_queue = queue.is_none_or(|q| usize::from(q.0) < arch.input_queue_depth.len());
            ensure(color.is_none_or(|c| c.0 < arch.routable_colors) && has_queue, RANGE)
        }
        Dsd::FabOut(FabOut { color, queue, .. }) => {
            let has_queue = queue.is_none_or(|q| usize::from(q.0) < arch.output_queue_depth.len());
            ensure(color.is_none_or(|c| c.0 < arch.routable_colors) && has_queue, RANGE)
        }
        Dsd::Fifo(id) => ensure(usize::from(id.0) < fifos.len(), RANGE),
    }
}

/// Checks a task id.
///
/// # Errors
/// There are not so many.
pub fn task_id(id: TaskId) -> Verdict {
    ensure(usize::from(id.0) < TASK_IDS, "a task has an id that does not exist")
}

fn completion(completion: Completion) -> Result<Registers, &'static str> {
    match completion {
        Completion::Nothing => Ok(0),
        Completion::Activate(IdArg::Known(id)) | Completion::Unblock(IdArg::Known(id)) => {
            task_id(id).map(|()| 0)
        }
        Completion::Activate(IdArg::In(register)) | Completion::Unblock(IdArg::In(register)) => {
            Ok(behind(register))
        }
    }
}

fn behind(register: Reg) -> Registers {
    usize::from(register) + 1
}
