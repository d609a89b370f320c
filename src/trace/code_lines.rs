//! The lines of the code that a recording has, with the cycles in which they begin.

use crate::exec::cycles::op_cycles;
use crate::image::{FnId, Function, Program};
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Finds the lines of pieces of code.
pub struct CodeLines<'p> {
    program: &'p Program,
    /// The operations of each function that was asked for.
    known: FxHashMap<CodeKey, Arc<[CodeLine]>>,
}

/// What functions have in common whose lines and cycles are the same: the addresses of their code and of its sources, which
/// many tiles share, and their registers.
type CodeKey = ([usize; 2], [usize; 3]);

/// An operation of a function.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct CodeLine {
    span: Span,
    line: usize,
    cycles: u32,
}

impl<'p> CodeLines<'p> {
    /// No function is known yet.
    pub fn new(program: &'p Program) -> CodeLines<'p> {
        CodeLines { program, known: FxHashMap::default() }
    }

    /// The lines of a piece of straight code of a PE: cycles since its beginning, and a place in the line. An empty piece
    /// is that of the function as a whole.
    pub fn of(&mut self, pe: usize, function: FnId, from: u32, to: u32) -> Vec<(u64, Span)> {
        let image = &self.program.tiles[self.program.place[pe] as usize].functions[function.0 as usize];
        if from == to {
            return vec![(0, image.span)];
        }
        let shared = [image.code.as_ptr() as usize, image.spans.as_ptr() as usize];
        let registers = [image.params.into(), image.consts.len(), image.registers.into()];
        let code = self.known.entry((shared, registers)).or_insert_with(|| code(self.program, image));
        let (mut lines, mut last, mut cycles) = (Vec::new(), None, 0);
        for op in &code[from as usize..to as usize] {
            if last != Some((op.span.file, op.line)) {
                last = Some((op.span.file, op.line));
                lines.push((cycles, op.span));
            }
            cycles += u64::from(op.cycles);
        }
        lines
    }
}

fn code(program: &Program, function: &Function) -> Arc<[CodeLine]> {
    let cycles = op_cycles(function, &program.arch.numbers().costs);
    let ops = function.spans.iter().zip(cycles).map(|(span, cycles)| {
        let line = program.sources.line_col(span.file, span.lo).line;
        CodeLine { span: *span, line, cycles }
    });
    ops.collect()
}
