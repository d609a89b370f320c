//! Globals of an `@map` that each element changes by one operation, such as a counter or a sum.
//!
//! Fast path: a loop over the elements for each global, where `map_lanes` does all such steps of an element, each by a
//! `match`, before the next element. A map that counts takes a third of the time (docs/performance.md). `--engine plain`
//! does without; `tests/it/props/maps.rs` checks that all are equal.

use super::map_code::{Action, LANES, Lane, LaneStep, Lanes};
use crate::exec::convert::{signed, unsigned};
use crate::exec::memory::{load, store};
use crate::image::code::{Access, Op};

/// A global that each element changes: what it was, and another number, give what it is.
#[derive(Copy, Clone, Debug)]
pub(super) struct Scan {
    addr: u16,
    kind: Access,
    /// Rows of what it was and what it is.
    before: Lane,
    after: Lane,
    /// The row of the other number.
    other: Lane,
    step: Step,
}

/// The operation of a [`Scan`].
#[derive(Copy, Clone, Debug)]
enum Step {
    AddS(u8),
    AddU(u8),
    /// What the global was comes first.
    SubS(u8),
    SubU(u8),
    FAdd,
    FSub,
    FMul,
}

impl Scan {
    /// The steps as such globals; `None` if they do anything else.
    pub fn all(steps: &[LaneStep]) -> Option<Vec<Scan>> {
        let op = |at: usize| match steps.get(at)?.action {
            Action::Run(op) => Some(op),
            _ => None,
        };
        let is_store = |at: &usize| matches!(op(*at), Some(Op::StoreAt { .. }));
        let scans = (0..steps.len()).filter(is_store).map(|at| {
            let Op::StoreAt { s, addr, kind } = op(at)? else { return None };
            let mut loads = (0..at).filter_map(op).filter_map(|op| match op {
                Op::LoadAt { d, addr: its, kind: how } if (its, how) == (addr, kind) => Some(d),
                _ => None,
            });
            let before = loads.next()?;
            let (step, other) = (0..at).filter_map(op).find_map(|op| step(op, before, s, kind))?;
            Some(Scan { addr, kind, before, after: s, other, step })
        });
        let scans = scans.collect::<Option<Vec<_>>>()?;
        // Three steps for each, of which none uses what another one gives or the words of another one.
        let words = |scan: &Scan| usize::from(scan.addr)..usize::from(scan.addr + scan.kind.words());
        let meet = |one: &Scan, other: &Scan| {
            let (one, other) = (words(one), words(other));
            one.start < other.end && other.start < one.end
        };
        let are_apart = scans.iter().enumerate().all(|(k, one)| {
            let uses = |other: &Scan| [other.before, other.after].contains(&one.other);
            !scans.iter().any(uses) && !scans[..k].iter().any(|other| meet(one, other))
        });
        (are_apart && steps.len() == 3 * scans.len()).then_some(scans)
    }

    /// Does it for the first `count` elements. `None` if there is no such global.
    pub fn run(&self, memory: &mut [u16], rows: &mut [Lanes], count: usize) -> Option<()> {
        let single = |bits: u64| f32::from_bits(bits as u32);
        let others = rows[usize::from(self.other)];
        let (mut before, mut after) = ([0; LANES], [0; LANES]);
        let mut value = load(memory, self.addr.into(), self.kind).ok()?;
        macro_rules! each {
            (|$x:ident, $y:ident| $value:expr) => {{
                let results = before.iter_mut().zip(&mut after);
                for ((before, after), other) in results.zip(others.as_flattened()).take(count) {
                    *before = value;
                    let ($x, $y) = (value, *other);
                    value = $value;
                    *after = value;
                }
            }};
        }
        match self.step {
            Step::AddS(sh) => each!(|x, y| signed(x.wrapping_add(y), sh)),
            Step::AddU(sh) => each!(|x, y| unsigned(x.wrapping_add(y), sh)),
            Step::SubS(sh) => each!(|x, y| signed(x.wrapping_sub(y), sh)),
            Step::SubU(sh) => each!(|x, y| unsigned(x.wrapping_sub(y), sh)),
            Step::FAdd => each!(|x, y| (single(x) + single(y)).to_bits().into()),
            Step::FSub => each!(|x, y| (single(x) - single(y)).to_bits().into()),
            Step::FMul => each!(|x, y| (single(x) * single(y)).to_bits().into()),
        }
        store(memory, self.addr.into(), self.kind, value).ok()?;
        rows[usize::from(self.before)].as_flattened_mut().copy_from_slice(&before);
        rows[usize::from(self.after)].as_flattened_mut().copy_from_slice(&after);
        Some(())
    }
}

/// What an operation does with a global of some kind that is in a row, if its result goes to another row and reads the
/// same after it has been stored; also the row of the other number.
fn step(op: Op, before: Lane, after: Lane, kind: Access) -> Option<(Step, Lane)> {
    let bits = 16 * u32::from(kind.words());
    let is_signed = matches!(kind, Access::S16 | Access::S32);
    let is_whole = |sh: u8, its_sign: bool| u32::from(sh) + bits == 64 && is_signed == its_sign;
    let (d, a, b, step, commutes) = match op {
        Op::AddS { d, a, b, sh } if is_whole(sh, true) => (d, a, b, Step::AddS(sh), true),
        Op::AddU { d, a, b, sh } if is_whole(sh, false) => (d, a, b, Step::AddU(sh), true),
        Op::SubS { d, a, b, sh } if is_whole(sh, true) => (d, a, b, Step::SubS(sh), false),
        Op::SubU { d, a, b, sh } if is_whole(sh, false) => (d, a, b, Step::SubU(sh), false),
        // Which of two NaN comes out depends on the order.
        Op::FAdd { d, a, b } if kind == Access::U32 => (d, a, b, Step::FAdd, false),
        Op::FSub { d, a, b } if kind == Access::U32 => (d, a, b, Step::FSub, false),
        Op::FMul { d, a, b } if kind == Access::U32 => (d, a, b, Step::FMul, false),
        _ => return None,
    };
    match (a == before, b == before) {
        (true, false) if d == after => Some((step, b)),
        (false, true) if d == after && commutes => Some((step, a)),
        _ => None,
    }
}
