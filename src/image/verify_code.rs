//! The code of functions: which parts of their function and tile it names.
//!
//! In: one list of code. Out: what it needs around it, found in one pass, or why it is no code. Tiles share
//! lists, so that each is looked at once.

use super::code::{Intrinsic, Op, Reg};
use super::verdict::{Verdict, ensure};
use std::cell::Cell;

/// What code needs of its function and of its tile. A count is one more than the highest number that is named.
#[derive(Clone, Debug, Default)]
pub struct CodeNeeds {
    /// Registers, without those that tables of the tile name.
    registers: usize,
    /// Entries of `TileImage::strings`.
    strings: usize,
    /// Entries of `TileImage::functions`.
    functions: usize,
    /// Entries of `TileImage::dsds`.
    dsds: usize,
    /// Entries of `TileImage::fifos`.
    fifos: usize,
    /// The entries of `TileImage::vector_ops`.
    pub vectors: Vec<u32>,
    /// The entries of `TileImage::maps`, and the register of the first element.
    pub maps: Vec<(u32, Reg)>,
    /// Those whose output it writes.
    pub outputs: Vec<u32>,
    /// The entries of `TileImage::dsr_loads`.
    pub loads: Vec<u32>,
}

/// How much there is of what code names.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sizes {
    /// Registers of the function.
    pub registers: usize,
    /// Entries of `TileImage::strings`.
    pub strings: usize,
    /// Entries of `TileImage::functions`.
    pub functions: usize,
    /// Entries of `TileImage::dsds`.
    pub dsds: usize,
    /// Entries of `TileImage::fifos`.
    pub fifos: usize,
}

impl CodeNeeds {
    /// What code needs.
    ///
    /// # Errors
    /// It is no code: it jumps out of itself, does not end, or holds what only `exec` makes.
    pub fn of(code: &[Op]) -> Result<CodeNeeds, &'static str> {
        ensure(matches!(code.last(), Some(Op::Ret)), "a function does not end with a return")?;
        let mut needs = CodeNeeds::default();
        for op in code {
            let mut op = *op;
            let is_inside = op.target_mut().is_none_or(|to| (*to as usize) < code.len());
            ensure(is_inside, "a jump leaves its function")?;
            ensure(shift(&op).is_none_or(|sh| sh < 64), "an operation has a width that no number has")?;
            needs.note_registers(op)?;
            needs.note_tables(op);
        }
        check_maps(code, &needs)?;
        Ok(needs)
    }

    /// Whether there is enough of everything, apart from the entries of tables.
    ///
    /// # Errors
    /// What there is not.
    pub fn check(&self, sizes: Sizes) -> Verdict {
        ensure(self.registers <= sizes.registers, "code names a register that its function does not have")?;
        ensure(self.functions <= sizes.functions, "code calls a function that does not exist")?;
        ensure(self.strings <= sizes.strings, "code names a text that does not exist")?;
        ensure(self.dsds <= sizes.dsds && self.fifos <= sizes.fifos, "code names a DSD that does not exist")
    }

    /// Whether it names entries of tables that tiles do not share.
    pub fn has_own_tables(&self) -> bool {
        !(self.maps.is_empty() && self.loads.is_empty() && self.outputs.is_empty())
    }

    fn note_registers(&mut self, mut op: Op) -> Verdict {
        let highest = Cell::new(0);
        let is_of_program = op.map_registers_of_program(|register| {
            highest.set(highest.get().max(usize::from(register) + 1));
            register
        });
        self.registers = self.registers.max(highest.get());
        ensure(is_of_program, "code holds an operation that no compiler writes")
    }

    fn note_tables(&mut self, op: Op) {
        let behind = |n: u32| n as usize + 1;
        match op {
            Op::CheckId { what: text, .. }
            | Op::CheckVariant { names: text, .. }
            | Op::CheckCast { ty: text, .. }
            | Op::Unset { name: text, .. }
            | Op::Assert { text, .. }
            | Op::Trap { text } => self.strings = self.strings.max(behind(text)),
            Op::Call { f, .. } => self.functions = self.functions.max(behind(f.0)),
            Op::PutDsd { n, .. } => self.dsds = self.dsds.max(behind(n)),
            Op::FifoLength { fifo, .. } => self.fifos = self.fifos.max(usize::from(fifo.0) + 1),
            Op::Vector { n } => self.vectors.push(n),
            Op::LoadDsr { n } => self.loads.push(n),
            Op::MapBegin { n } => self.maps.push((n, 0)),
            Op::MapNext { n, base, .. } => self.maps.push((n, base)),
            Op::MapPut { n, .. } => self.outputs.push(n),
            Op::Intrinsic { id, base } => {
                self.registers = self.registers.max(usize::from(base) + arguments(id));
            }
            _ => {}
        }
    }
}

/// The registers that a request reads, at least the one of its result.
fn arguments(id: Intrinsic) -> usize {
    let row = Intrinsic::ALL.get(id as usize).filter(|row| row.id == id);
    row.map_or(0, |row| row.params.len()).max(1)
}

/// 64 minus the width of an operation on integers.
fn shift(op: &Op) -> Option<u8> {
    use Op::*;
    match op {
        AddS { sh, .. } | AddU { sh, .. } | SubS { sh, .. } | SubU { sh, .. } | MulS { sh, .. } => Some(*sh),
        MulU { sh, .. } | DivS { sh, .. } | DivU { sh, .. } | RemS { sh, .. } | RemU { sh, .. } => Some(*sh),
        ShlS { sh, .. } | ShlU { sh, .. } | ShrS { sh, .. } | ShrU { sh, .. } => Some(*sh),
        BitNotS { sh, .. } | BitNotU { sh, .. } | NegS { sh, .. } => Some(*sh),
        NormS { sh, .. } | NormU { sh, .. } => Some(*sh),
        _ => None,
    }
}

/// Checks that on every way through the code a map begins before it goes on, and ends before the function does.
fn check_maps(code: &[Op], needs: &CodeNeeds) -> Verdict {
    let names_maps = |op: &Op| matches!(op, Op::MapPut { .. } | Op::MapEnd { .. });
    if needs.maps.is_empty() && !code.iter().any(names_maps) {
        return Ok(());
    }
    const BROKEN: &str = "an `@map` goes on that has not begun, or does not end";
    // The maps that have begun before each operation, the innermost last; `None`: nothing leads there so far.
    let mut open: Vec<Option<Vec<u32>>> = vec![None; code.len()];
    open[0] = Some(Vec::new());
    let mut todo = vec![0];
    while let Some(at) = todo.pop() {
        let mut maps = open[at].clone().unwrap_or_default();
        let mut op = code[at];
        match op {
            Op::MapBegin { n } => maps.push(n),
            Op::MapNext { n, .. } | Op::MapPut { n, .. } => ensure(maps.last() == Some(&n), BROKEN)?,
            Op::MapEnd { n } => ensure(maps.pop() == Some(n), BROKEN)?,
            Op::Ret => ensure(maps.is_empty(), BROKEN)?,
            _ => {}
        }
        let ends = matches!(op, Op::Jump { .. } | Op::Ret | Op::Trap { .. });
        let target = op.target_mut().map(|to| *to as usize);
        for next in target.into_iter().chain((!ends).then_some(at + 1)) {
            match &open[next] {
                Some(known) => ensure(*known == maps, BROKEN)?,
                None => {
                    open[next] = Some(maps.clone());
                    todo.push(next);
                }
            }
        }
    }
    Ok(())
}
