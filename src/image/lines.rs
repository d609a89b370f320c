//! What is known of DSD operations before they run: most work on whole vectors in memory that never
//! change, so that a PE need not look at their descriptors each time.

use super::TileImage;
use super::code::{DsdRef, Operand, Reg, VectorOp};
use crate::arch::Arch;
use crate::dsd::access::Row;
use crate::dsd::direct::{Input, Plan};
use crate::dsd::kernels::Kernel;
use crate::dsd::ops::{Form, OPS};
use crate::dsd::{Dsd, Mem};
use std::fmt;
use std::sync::OnceLock;

/// A DSD operation between lines in memory that stay inside of their arrays and do not disturb each
/// other.
#[derive(Clone)]
pub struct LineOp {
    /// Its arithmetic.
    pub kernel: &'static Kernel,
    /// Where results go, and the words of each.
    pub dest: (Row, u16),
    /// What the kernel takes.
    pub sources: [Part; 3],
    /// Where that lies if the kernel can work on the memory itself.
    pub plan: Option<Plan>,
    /// One past the last word that it touches.
    pub end: usize,
    /// Cycles that its elements take.
    pub cycles: u32,
    /// Where the returned bool goes.
    pub result: Option<Reg>,
}

/// A source of a [`LineOp`].
#[derive(Copy, Clone, Debug)]
pub enum Part {
    /// The operation has no such source.
    Nothing,
    /// The scalar in a register, of this many words.
    Scalar(Reg, u16),
    /// A vector, and the words of each element.
    Line(Row, u16),
}

/// The [`LineOp`]s of a tile, found when the first of its PEs asks. They follow from the rest of the tile,
/// so they are neither stored nor compared.
#[derive(Clone, Default)]
pub struct LineOps(OnceLock<Box<[Option<LineOp>]>>);

impl fmt::Debug for LineOps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LineOps")
    }
}

impl PartialEq for LineOps {
    fn eq(&self, _: &LineOps) -> bool {
        true
    }
}

impl TileImage {
    /// For each of `vector_ops` what is known of it; `None` where that is not all.
    #[inline]
    pub fn line_ops(&self, arch: &Arch) -> &[Option<LineOp>] {
        self.lines.0.get_or_init(|| self.vector_ops.iter().map(|op| self.line_op(op, arch)).collect())
    }

    fn line_op(&self, vector: &VectorOp, arch: &Arch) -> Option<LineOp> {
        let op = &OPS[usize::from(vector.op)];
        let form = vector.form();
        let dest = self.known_line(vector.dest)?;
        let count = dest.length();
        let row = |mem: &Mem, words: u16| {
            let limits = (mem.lo, mem.hi.min(arch.memory_words as u16));
            let fits = mem.length() == count && !mem.index_offset;
            fits.then(|| Row::new(mem, mem.base, words, count, limits)).flatten()
        };
        let words = op.dest.words();
        let to = row(dest, words)?;
        let mut end = to.span(words).1;
        let mut sources = [Part::Nothing; 3];
        for ((part, operand), source) in sources.iter_mut().zip(&vector.sources).zip(form.sources) {
            let its = source.elem().words();
            *part = match *operand {
                Operand::Scalar(reg) => Part::Scalar(reg, its),
                Operand::Dsd(_) => {
                    let from = row(self.known_line(*operand)?, its)?;
                    end = end.max(from.span(its).1);
                    (!to.disturbs(words, &from, its)).then_some(Part::Line(from, its))?
                }
                Operand::Pointer(_) | Operand::Nowhere => return None,
            };
        }
        if op.kernel.carries || matches!(sources[2], Part::Line(..)) {
            return None;
        }
        if form.flipped {
            sources.swap(0, 1);
        }
        let cycles = count.div_ceil(u32::from(op.width(arch.name).max(1)));
        let (kernel, dest, end, result) = (&op.kernel, (to, words), end as usize, vector.result);
        let plan = plan(&dest, &sources);
        Some(LineOp { kernel, dest, sources, plan, end, cycles, result })
    }

    /// The memory DSD behind an operand that is a constant.
    fn known_line(&self, operand: Operand) -> Option<&Mem> {
        let Operand::Dsd(DsdRef::Const(n)) = operand else { return None };
        let Dsd::Mem(mem) = self.dsds.get(n as usize)? else { return None };
        Some(mem)
    }
}

fn plan(dest: &(Row, u16), sources: &[Part; 3]) -> Option<Plan> {
    let input = |part: &Part| match part {
        Part::Nothing => Some(Input::Nothing),
        Part::Scalar(_, words) => (*words <= dest.1).then_some(Input::Scalar),
        Part::Line(row, words) => Input::line(row, *words, dest),
    };
    Plan::new(dest, [input(&sources[0])?, input(&sources[1])?])
}

impl VectorOp {
    /// The form in which the operation is called.
    pub fn form(&self) -> &'static Form {
        let is_vector = |operand: &Operand| matches!(operand, Operand::Dsd(_));
        let fits = |form: &&Form| {
            form.to_pointer == matches!(self.dest, Operand::Pointer(_))
                && form.sources.len() == self.sources.len()
                && form.sources.iter().zip(&self.sources).all(|(s, v)| s.is_vector() == is_vector(v))
        };
        let forms = OPS[usize::from(self.op)].forms;
        forms.iter().find(fits).expect("comptime lets through only forms of the table")
    }
}
