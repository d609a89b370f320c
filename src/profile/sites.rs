//! Where cycles belong: the lines and functions of the code that has run.

use super::records::{NotedOperation, PeRecords};
use crate::dsd::ops::OPS;
use crate::exec::counts::Piece;
use crate::exec::cycles::op_cycles;
use crate::image::code::Op;
use crate::image::{FnId, Program, TileImage};
use crate::source::Span;
use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A line of a source: the number of its file, and its own from 1 on.
pub type Line = (u32, u32);

/// A function: its name and its line.
pub type FunctionKey = (String, Line);

/// The cycles of a line in a function, and what they were good for.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// The line, a number in [`Sites::lines`].
    pub line: u32,
    /// The function, a number in [`Sites::functions`].
    pub function: u32,
    /// Cycles.
    pub cycles: u64,
    /// Elements of DSD operations.
    pub elements: u64,
    /// Of the cycles, those of operations with elements.
    pub element_cycles: u64,
    /// Cycles that these elements take at best.
    pub best_cycles: u64,
}

/// The lines and functions by number, and the cycles of code.
pub struct Sites<'p> {
    program: &'p Program,
    /// All lines that have run.
    pub lines: IndexSet<Line>,
    /// All functions that have run.
    pub functions: IndexSet<FunctionKey>,
    costs: FxHashMap<(u32, FnId), Arc<[u32]>>,
    known_lines: FxHashMap<Span, u32>,
    known_functions: FxHashMap<(u32, FnId), u32>,
}

impl<'p> Sites<'p> {
    /// No line has run.
    pub fn new(program: &'p Program) -> Sites<'p> {
        Sites {
            program,
            lines: IndexSet::new(),
            functions: IndexSet::new(),
            costs: FxHashMap::default(),
            known_lines: FxHashMap::default(),
            known_functions: FxHashMap::default(),
        }
    }

    fn tile(&self, tile: u32) -> &'p TileImage {
        &self.program.tiles[tile as usize]
    }

    /// The line in which a piece of source begins.
    pub fn line(&mut self, span: Span) -> u32 {
        if let Some(line) = self.known_lines.get(&span) {
            return *line;
        }
        let place = self.program.sources.line_col(span.file, span.lo);
        let line = self.lines.insert_full((span.file.0, place.line as u32)).0 as u32;
        self.known_lines.insert(span, line);
        line
    }

    /// A function of a tile.
    pub fn function(&mut self, tile: u32, f: FnId) -> u32 {
        if let Some(function) = self.known_functions.get(&(tile, f)) {
            return *function;
        }
        let image = &self.tile(tile).functions[f.0 as usize];
        let place = self.program.sources.line_col(image.span.file, image.span.lo);
        let key = (image.name.clone(), (image.span.file.0, place.line as u32));
        let function = self.functions.insert_full(key).0 as u32;
        self.known_functions.insert((tile, f), function);
        function
    }

    /// The line in which a function of a tile is declared.
    pub fn declaration(&mut self, tile: u32, f: FnId) -> u32 {
        self.line(self.tile(tile).functions[f.0 as usize].span)
    }

    /// What a part of an operation's cycles was good for; `cycles` have moved `elements`.
    pub fn operation(&mut self, tile: u32, op: &NotedOperation, cycles: u64, elements: u64) -> Share {
        let best_cycles = elements.div_ceil(op.width.max(1).into());
        let (line, function) = (self.line(op.span), self.function(tile, op.function));
        Share { line, function, cycles, elements, element_cycles: cycles, best_cycles }
    }

    /// The shares of all shapes of a PE, by shape.
    pub fn shapes(&mut self, tile: u32, notes: &PeRecords) -> Vec<Vec<Share>> {
        let of = |(from, to): &(u32, u32)| {
            let mut shares: Vec<Share> = Vec::new();
            for piece in &notes.pieces[*from as usize..*to as usize] {
                self.add(tile, piece, &mut shares);
            }
            shares
        };
        notes.shapes.iter().map(of).collect()
    }

    fn add(&mut self, tile: u32, piece: &Piece, shares: &mut Vec<Share>) {
        let image = self.tile(tile);
        let function = &image.functions[piece.function.0 as usize];
        let number = self.function(tile, piece.function);
        let mut add = |share: Share| {
            let same = |other: &&mut Share| (other.line, other.function) == (share.line, share.function);
            match shares.iter_mut().find(same) {
                Some(other) => other.add(&share),
                None => shares.push(share),
            }
        };
        if piece.from == piece.to {
            let at = piece.from as usize;
            let line = self.line(function.spans.get(at).copied().unwrap_or(function.span));
            let mut share = Share { line, function: number, cycles: piece.cycles, ..Share::default() };
            if piece.elements > 0 {
                let width = match function.code[at] {
                    Op::Vector { n } => {
                        OPS[usize::from(image.vector_ops[n as usize].op)].width(self.program.arch)
                    }
                    _ => 1,
                };
                (share.elements, share.element_cycles) = (piece.elements, piece.cycles);
                share.best_cycles = piece.elements.div_ceil(u64::from(width.max(1)));
            }
            return add(share);
        }
        let costs = &self.program.arch.numbers().costs;
        let cycles = self
            .costs
            .entry((tile, piece.function))
            .or_insert_with(|| op_cycles(function, costs).into())
            .clone();
        for at in piece.from as usize..piece.to as usize {
            if cycles[at] > 0 {
                let line = self.line(function.spans.get(at).copied().unwrap_or(function.span));
                let cycles = u64::from(cycles[at]) * u64::from(piece.times);
                add(Share { line, function: number, cycles, ..Share::default() });
            }
        }
    }
}

impl Share {
    /// Adds the cycles and elements of another one.
    pub fn add(&mut self, other: &Share) {
        self.cycles += other.cycles;
        self.elements += other.elements;
        self.element_cycles += other.element_cycles;
        self.best_cycles += other.best_cycles;
    }
}
