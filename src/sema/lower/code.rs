//! The code that is being written, and what it shares with the rest of its tile.

use super::blanks::{Blanks, FunctionBlanks};
use super::builder::{Checkpoint, FnBuilder, JumpLabel, finish_register};
use super::data::Data;
use super::functions::Functions;
use super::renumber::SideTables;
use super::tile::Tile;
use crate::arch::Arch;
use crate::diagnostics;
use crate::image::code::{DsrLoad, FnId, MapOp, Op, Reg, VectorOp};
use crate::image::{Function, VariableType};
use crate::sema::operand::Addr;
use crate::sema::value::FnRef;
use crate::sema::variable_type::variable_type;
use crate::source::Span;
use crate::value::ty::Ty;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Everything of the tile that is being compiled: its functions, its memory and its tables.
#[derive(Debug)]
pub struct Lower {
    /// The function being written; `None` between functions.
    code: Option<FnBuilder>,
    /// Operands beside its code.
    side_tables: SideTables,
    /// The function that is written now, or was written last.
    writing: Option<FnRef>,
    /// The calls that lead to it if it is an instance of a generic function, the innermost first.
    calls: Vec<diagnostics::Label>,
    /// The functions that the tile needs.
    pub functions: Functions,
    /// Its globals and its memory.
    pub data: Data,
    /// Its tasks, queues, FIFOs and tables.
    pub tile: Tile,
    /// The types of its locals: the text of each is made once.
    types: FxHashMap<Ty, Arc<VariableType>>,
    /// The expression that is assigned now, or was assigned last, and the DSD variable that takes its value.
    pub(super) stored: Option<(Span, Addr)>,
    /// Words of the memory of a PE.
    pub(super) memory_words: u32,
}

/// A function that is not finished, if there is one.
type SetAside = (Option<FnBuilder>, SideTables);

impl Lower {
    /// Nothing is lowered yet.
    pub fn new(arch: &Arch) -> Lower {
        Lower {
            code: None,
            side_tables: SideTables::default(),
            writing: None,
            calls: Vec::new(),
            functions: Functions::default(),
            data: Data::default(),
            tile: Tile::default(),
            types: FxHashMap::default(),
            stored: None,
            memory_words: arch.memory_words,
        }
    }

    /// The next tile begins; only what operations write is remembered of the one before.
    pub fn begin_tile(&mut self) {
        self.writing = None;
        self.calls.clear();
        self.functions = Functions::default();
        self.tile = Tile::default();
        self.types.clear();
        self.data.begin_tile();
    }

    /// A function begins whose arguments arrive in the first `params` registers; `calls` lead to it.
    pub fn begin_function(&mut self, f: FnRef, params: u16, calls: Vec<diagnostics::Label>, span: Span) {
        self.code = Some(FnBuilder::new(params, span));
        self.writing = Some(f);
        self.calls = calls;
        self.side_tables = SideTables::default();
    }

    /// No more of the function is written.
    ///
    /// # Panics
    /// When no function is being written.
    pub fn end_function(&mut self) -> FnBuilder {
        self.code.take().expect("a function was begun")
    }

    /// What is written until [`Lower::take_back`] is thrown away: only its types count.
    pub fn set_aside(&mut self, span: Span) -> SetAside {
        (self.code.replace(FnBuilder::new(1, span)), std::mem::take(&mut self.side_tables))
    }

    /// The function that was set aside goes on.
    pub fn take_back(&mut self, (code, side_tables): SetAside) {
        (self.code, self.side_tables) = (code, side_tables);
    }

    /// Everything is written: numbers the registers.
    pub fn finish_function(&mut self, code: FnBuilder, id: FnId, name: String, span: Span) -> Function {
        let (params, consts) = (code.params(), code.consts_so_far());
        let side_tables = std::mem::take(&mut self.side_tables);
        side_tables.renumber(&mut self.tile.image, |r| finish_register(r, params, consts));
        let terms = code.terms();
        if !terms.is_empty() {
            self.functions.keep_blanks(FunctionBlanks { function: id, terms, side_tables });
        }
        code.finish(name, span)
    }

    /// What of the tile depends on parameters in which tiles differ.
    pub fn take_blanks(&mut self) -> Blanks {
        Blanks { functions: self.functions.take_blanks(), data: self.data.take_blanks() }
    }

    /// The function that is written now, or was written last.
    pub fn writing(&self) -> Option<FnRef> {
        self.writing
    }

    /// The calls that lead to it if it is an instance of a generic function, the innermost first.
    pub fn calls(&self) -> &[diagnostics::Label] {
        &self.calls
    }

    /// The function being written.
    ///
    /// # Panics
    /// When no function is: only run-time analysis may call this.
    pub fn b(&mut self) -> &mut FnBuilder {
        self.code.as_mut().expect("run-time code is only written inside a function")
    }

    /// Whether more was written than a function can hold.
    pub fn is_full(&self) -> bool {
        self.code.as_ref().is_some_and(FnBuilder::is_full)
    }

    /// Which registers are in use; `None` between functions.
    pub fn mark(&self) -> Option<Reg> {
        self.code.as_ref().map(FnBuilder::mark)
    }

    /// Frees every register taken since `mark`.
    pub fn release(&mut self, mark: Option<Reg>) {
        if let (Some(mark), Some(code)) = (mark, &mut self.code) {
            code.release(mark);
        }
    }

    /// How many locals can be seen, for [`Lower::end_locals`].
    pub fn alive_locals(&self) -> usize {
        self.code.as_ref().map_or(0, FnBuilder::alive_locals)
    }

    /// The block ends that began when so many locals could be seen.
    pub fn end_locals(&mut self, before: usize) {
        if let Some(code) = &mut self.code {
            code.end_locals(before);
        }
    }

    /// The type of a local.
    pub fn variable_type(&mut self, ty: &Ty) -> Arc<VariableType> {
        if let Some(known) = self.types.get(ty) {
            return known.clone();
        }
        let new = Arc::new(variable_type(ty));
        self.types.insert(ty.clone(), new.clone());
        new
    }

    /// How many run-time branches and loops surround the current place.
    pub fn depth(&self) -> u32 {
        self.code.as_ref().map_or(0, |code| code.conditional_depth)
    }

    /// What is written next belongs to this place; that of what was written before.
    pub fn set_span(&mut self, span: Span) -> Option<Span> {
        self.code.as_mut().map(|code| std::mem::replace(&mut code.span, span))
    }

    /// How much is written; `None` between functions.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        self.code.as_ref().map(FnBuilder::checkpoint)
    }

    /// Throws away what was written since a checkpoint.
    pub fn rollback(&mut self, checkpoint: Option<Checkpoint>) {
        if let (Some(checkpoint), Some(code)) = (checkpoint, &mut self.code) {
            code.rollback(checkpoint);
        }
    }

    /// Writes a DSD operation; the register of the bool that it returns.
    pub fn vector(&mut self, op: VectorOp) -> Reg {
        let result = self.b().reg();
        let n = self.tile.image.vector_ops.len() as u32;
        self.b().span = op.span;
        let span = self.b().place();
        self.tile.image.vector_ops.push(VectorOp { result: Some(result), span, ..op });
        self.side_tables.vectors.push(n);
        self.b().emit(Op::Vector { n });
        self.b().fence();
        result
    }

    /// Drops the register of a result that nothing uses, of the operation that was just written.
    pub fn drop_result(&mut self, register: Reg) {
        let Some(Op::Vector { n }) = self.code.as_ref().and_then(FnBuilder::last) else { return };
        let op = &mut self.tile.image.vector_ops[n as usize];
        op.result = op.result.filter(|result| *result != register);
    }

    /// The operands of a `@map`; their number.
    pub fn map(&mut self, map: MapOp) -> u32 {
        let n = self.tile.image.maps.len() as u32;
        self.tile.image.maps.push(map);
        self.side_tables.maps.push(n);
        n
    }

    /// A load of a DSR: before the start, or as code.
    pub fn load_dsr(&mut self, load: DsrLoad, before_start: bool) {
        let n = self.tile.image.dsr_loads.len() as u32;
        self.tile.image.dsr_loads.push(load);
        if before_start {
            self.tile.image.initial_dsrs.push(n);
            return;
        }
        self.side_tables.loads.push(n);
        self.b().emit(Op::LoadDsr { n });
    }

    /// Writes a call with these arguments; the first register of the callee, which holds a scalar result.
    pub fn call(&mut self, op: impl FnOnce(Reg) -> Op, args: &[Reg], span: Span) -> Reg {
        let base = self.b().reg();
        for _ in 1..args.len() {
            self.b().reg();
        }
        for (i, a) in args.iter().enumerate() {
            self.b().emit(Op::Mov { d: base + i as Reg, a: *a });
        }
        self.b().span = span;
        self.b().emit(op(base));
        base
    }

    /// A copy of a register, which nothing changes.
    pub fn copy_reg(&mut self, a: Reg) -> Reg {
        let d = self.b().reg();
        self.b().emit(Op::Mov { d, a });
        d
    }

    /// Stops the PE with a message.
    pub fn trap(&mut self, text: &str) {
        let text = self.tile.string(text);
        self.b().emit(Op::Trap { text });
    }

    /// Jumps back to `body` while a counter that goes up or down has not come to its limit: `down` is `None`
    /// if only the sign of `pace` tells.
    pub fn count(
        &mut self,
        counter: Reg,
        limit: Reg,
        pace: Reg,
        ty: &Ty,
        down: Option<bool>,
        body: JumpLabel,
    ) {
        let to = body.0;
        let up = if matches!(ty, Ty::Int(t) if t.signed) {
            Op::JumpLtS { a: counter, b: limit, to }
        } else {
            Op::JumpLtU { a: counter, b: limit, to }
        };
        let back = Op::JumpLtS { a: limit, b: counter, to };
        match down {
            Some(true) => {
                self.b().emit(back);
            }
            Some(false) => {
                self.b().emit(up);
            }
            None => {
                let (negative, end) = (self.b().label(), self.b().label());
                let zero = self.b().constant(0);
                self.b().emit(Op::JumpLtS { a: pace, b: zero, to: negative.0 });
                self.b().emit(up);
                self.b().jump(end);
                self.b().bind(negative);
                self.b().emit(back);
                self.b().bind(end);
            }
        }
    }
}
