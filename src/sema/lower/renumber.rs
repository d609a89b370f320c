//! Registers that are named beside the code of a function: they get their final numbers with it.

use crate::image::TileImage;
use crate::image::code::{
    AsyncConfig, Completion, DsdOperand, DsdRef, DsrLoad, IdArg, MapOp, OnControl, Reg, VectorOp,
};

/// Operations beside the code of the current function that name its registers.
#[derive(Clone, Debug, Default)]
pub struct SideTables {
    /// Indices into `vector_ops`.
    pub vectors: Vec<u32>,
    /// Indices into `maps`.
    pub maps: Vec<u32>,
    /// Indices into `dsr_loads`.
    pub loads: Vec<u32>,
}

impl SideTables {
    /// Gives the registers the numbers that `f` says.
    pub fn renumber(&self, image: &mut TileImage, f: impl Fn(Reg) -> Reg) {
        for n in &self.vectors {
            renumber_vector(&mut image.vector_ops[*n as usize], &f);
        }
        for n in &self.maps {
            renumber_map(&mut image.maps[*n as usize], &f);
        }
        for n in &self.loads {
            renumber_load(&mut image.dsr_loads[*n as usize], &f);
        }
    }
}

fn renumber_vector(op: &mut VectorOp, f: &impl Fn(Reg) -> Reg) {
    renumber_operand(&mut op.dest, f);
    op.sources.iter_mut().for_each(|s| renumber_operand(s, f));
    renumber_async(&mut op.config, f);
    op.index = op.index.map(f);
    op.result = op.result.map(f);
}

fn renumber_map(op: &mut MapOp, f: &impl Fn(Reg) -> Reg) {
    op.inputs.iter_mut().for_each(|(o, _)| renumber_operand(o, f));
    if let Some((o, _)) = &mut op.output {
        renumber_operand(o, f);
    }
}

fn renumber_load(load: &mut DsrLoad, f: &impl Fn(Reg) -> Reg) {
    if let DsdRef::At(r, _) = &mut load.dsd {
        *r = f(*r);
    }
    renumber_async(&mut load.config, f);
}

fn renumber_operand(o: &mut DsdOperand, f: &impl Fn(Reg) -> Reg) {
    match o {
        DsdOperand::Dsd(DsdRef::At(r, _)) | DsdOperand::Scalar(r) | DsdOperand::Pointer(r) => *r = f(*r),
        DsdOperand::Dsd(DsdRef::Const(_) | DsdRef::Dsr(_)) | DsdOperand::Nowhere => {}
    }
}

fn renumber_async(config: &mut AsyncConfig, f: &impl Fn(Reg) -> Reg) {
    renumber_completion(&mut config.completion, f);
    if let Some(OnControl::Then(c)) = &mut config.on_control {
        renumber_completion(c, f);
    }
}

fn renumber_completion(c: &mut Completion, f: &impl Fn(Reg) -> Reg) {
    if let Completion::Activate(IdArg::In(r)) | Completion::Unblock(IdArg::In(r)) = c {
        *r = f(*r);
    }
}
