//! What the wavelets of each color hold: the types of the operations and tasks that send and take them.

use crate::dsd::ops::{Elem, OPS};
use crate::image::{FnId, LocalPlace, Scalar, Variable};
use crate::trace::TracedOperation;
use crate::{Color, PeCoord, Program};
use rustc_hash::FxHashSet;

/// Collects types by color.
#[derive(Default)]
pub struct Payloads {
    /// Colors, of tasks and operations that say what an element is.
    typed: Vec<FxHashSet<Scalar>>,
    /// The same of operations that only move words.
    moved: Vec<FxHashSet<Scalar>>,
    /// Operations and tasks that have been looked at.
    seen: FxHashSet<(&'static str, u32)>,
    tasks: FxHashSet<(Color, u32, FnId)>,
}

impl Payloads {
    /// An operation has colors as operands.
    pub fn of_operation(&mut self, operation: &TracedOperation, program: &Program) {
        if operation.colors == 0 || !self.seen.insert((operation.name, operation.colors)) {
            return;
        }
        let Some(op) = OPS.iter().find(|op| op.name == operation.name) else { return };
        // A conversion reads and writes different types, and the colors do not say which of them they hold.
        if op.forms.iter().any(|form| form.sources.iter().any(|source| source.elem() != op.dest)) {
            return;
        }
        // The names of moves say how many bits there are, and not what they mean.
        let is_move = op.name.starts_with("mov");
        let (scalar, is_typed) = match op.dest {
            Elem::F32 => (Scalar::F32, true),
            Elem::F16 => (program.fp16(), true),
            Elem::Int16 if is_move => (Scalar::U16, false),
            Elem::Int32 if is_move => (Scalar::U32, false),
            Elem::Int16 => (Scalar::I16, true),
            Elem::Int32 => (Scalar::I32, true),
        };
        for color in (0..32).filter(|color| operation.colors & 1 << color != 0) {
            self.add(color, scalar, is_typed);
        }
    }

    /// A task of a PE has begun with a wavelet of a color.
    pub fn of_task(&mut self, color: Color, program: &Program, pe: PeCoord, function: FnId) {
        let tile = program.place[program.pe_index(pe)];
        if !self.tasks.insert((color, tile, function)) {
            return;
        }
        let function = &program.tiles[tile as usize].functions[function.0 as usize];
        let argument = function.locals.iter().find(|local| local.place == LocalPlace::Register(Variable(0)));
        if let Some(scalar) = argument.and_then(|local| local.ty.element) {
            self.add(usize::from(color.0), scalar, true);
        }
    }

    fn add(&mut self, color: usize, scalar: Scalar, is_typed: bool) {
        let rows = if is_typed { &mut self.typed } else { &mut self.moved };
        rows.resize_with(rows.len().max(color + 1), FxHashSet::default);
        rows[color].insert(scalar);
    }

    /// By color, the type of a wavelet in the words of CSL; empty where there is none or more than one.
    pub fn words(&self) -> Vec<&'static str> {
        let of = |rows: &[FxHashSet<Scalar>], color: usize| {
            let all = rows.get(color).filter(|all| !all.is_empty())?;
            let word = all.iter().next().filter(|_| all.len() == 1).map_or("", |scalar| scalar.name());
            Some(word)
        };
        let count = self.typed.len().max(self.moved.len());
        (0..count).map(|c| of(&self.typed, c).or_else(|| of(&self.moved, c)).unwrap_or("")).collect()
    }
}
