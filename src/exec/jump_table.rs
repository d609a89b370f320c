//! Jump tables: a `switch` compares a value with one constant after the other; with a table it jumps at once. It
//! takes the cycles of the comparisons.

use crate::image::Function;
use crate::image::code::{Op, Reg};

/// Comparisons in a row that are worth a table.
const WORTH: usize = 3;
/// Values that a table may have.
const VALUES: u64 = 256;

/// Where a sequence of `JumpEq` leads, for each value of their register.
#[derive(Clone, Debug)]
pub(crate) struct JumpTable {
    /// By value: the target, and the comparisons until then; 0 if no comparison holds.
    targets: Box<[(u32, u16)]>,
    /// Comparisons of the sequence.
    all: u16,
}

impl JumpTable {
    /// How many comparisons do not hold, and where the next one jumps; `None` if none does.
    #[inline(always)]
    pub fn find(&self, value: u64) -> (usize, Option<u32>) {
        match self.targets.get(value as usize) {
            Some(&(to, comparisons)) if comparisons > 0 => (usize::from(comparisons) - 1, Some(to)),
            Some(_) | None => (self.all.into(), None),
        }
    }
}

/// The table for the sequence of comparisons that begins at an operation, if there is one.
pub(super) fn jump_table(function: &Function, code: &[Op], at: usize) -> Option<JumpTable> {
    let (value, _, _) = case(function, code[at])?;
    let is_same = |op: &Op| case(function, *op).filter(|(a, _, _)| *a == value);
    if at > 0 && is_same(&code[at - 1]).is_some() {
        return None;
    }
    let cases: Vec<_> = code[at..].iter().map_while(is_same).take(usize::from(u16::MAX)).collect();
    let most = cases.iter().map(|(_, constant, _)| *constant).max()?;
    if cases.len() < WORTH || most >= VALUES {
        return None;
    }
    let mut targets = vec![(0, 0); most as usize + 1];
    for (n, (_, constant, to)) in cases.iter().enumerate().rev() {
        targets[*constant as usize] = (*to, n as u16 + 1);
    }
    Some(JumpTable { targets: targets.into(), all: cases.len() as u16 })
}

/// The register, the constant and the target of a comparison.
fn case(function: &Function, op: Op) -> Option<(Reg, u64, u32)> {
    let Op::JumpEq { a, b, to } = op else { return None };
    let constant = |r: Reg| function.consts.get(usize::from(r.checked_sub(function.params)?)).copied();
    match (constant(a), constant(b)) {
        (None, Some(b)) => Some((a, b, to)),
        _ => None,
    }
}
