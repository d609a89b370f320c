//! Which reads of local variables come before any value: known for most, checked at run time for
//! the rest.

use crate::image::code::{Op, Reg};
use crate::source::Span;
use indexmap::IndexSet;
use rustc_hash::{FxHashMap, FxHashSet};

/// Variables looked at together: as many as a set has bits.
const TOGETHER: usize = 64;

/// A read of a variable that has no value on any way that leads there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsetRead {
    /// The read.
    pub span: Span,
    /// The declaration.
    pub declared: Span,
    /// The name, in `TileImage::strings`.
    pub name: u32,
}

/// What the ways that lead to a place have done to the variables, bit = variable.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
struct Ways {
    /// Some way has given it no value.
    unset: u64,
    /// Some way has given it a value.
    set: u64,
}

/// What a check finds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Always,
    Sometimes,
    Never,
}

/// Drops the checks that always pass, and the marks that only those need. Returns those that never
/// pass.
pub fn settle(code: &mut Vec<Op>, spans: &mut Vec<Span>, labels: &mut [Option<u32>]) -> Vec<UnsetRead> {
    let declared = code.iter().filter_map(|op| if let Op::Unset { d, .. } = op { Some(*d) } else { None });
    let variables: IndexSet<Reg> = declared.collect();
    if variables.is_empty() {
        return Vec::new();
    }
    let variables: Vec<Reg> = variables.into_iter().collect();
    let mut verdicts: FxHashMap<usize, Verdict> = FxHashMap::default();
    for some in variables.chunks(TOGETHER) {
        judge(code, labels, some, &mut verdicts);
    }
    let reads = verdicts.iter().filter(|(_, v)| **v == Verdict::Never).map(|(at, _)| *at);
    let mut reads: Vec<usize> = reads.collect();
    reads.sort_unstable();
    let mut reads: Vec<UnsetRead> = reads.into_iter().map(|at| unset_read(code, spans, at)).collect();
    // What comes after the first read of a variable only follows from it.
    let mut seen = FxHashSet::default();
    reads.retain(|read| seen.insert(read.declared));
    sweep(code, spans, labels, &verdicts);
    reads
}

fn judge(code: &[Op], labels: &[Option<u32>], variables: &[Reg], verdicts: &mut FxHashMap<usize, Verdict>) {
    let mut arriving: FxHashMap<usize, Ways> = FxHashMap::default();
    while walk(code, labels, variables, &mut arriving, None) {}
    walk(code, labels, variables, &mut arriving, Some(verdicts));
}

/// Follows the code once; true if a jump backwards has brought something new.
fn walk(
    code: &[Op],
    labels: &[Option<u32>],
    variables: &[Reg],
    arriving: &mut FxHashMap<usize, Ways>,
    mut verdicts: Option<&mut FxHashMap<usize, Verdict>>,
) -> bool {
    let bit = |reg: Reg| variables.iter().position(|v| *v == reg).map_or(0, |at| 1u64 << at);
    let (mut here, mut again) = (Some(Ways::default()), false);
    for (at, op) in code.iter().enumerate() {
        if let Some(more) = arriving.get(&at) {
            here = Some(here.unwrap_or_default().and(*more));
        }
        let Some(ways) = &mut here else { continue };
        let mut op = *op;
        if let Some(to) = op.target_mut()
            && let Some(Some(to)) = labels.get(*to as usize)
        {
            let to = *to as usize;
            let old = arriving.get(&to).copied();
            let new = old.unwrap_or_default().and(*ways);
            again |= to <= at && old != Some(new);
            arriving.insert(to, new);
        }
        match op {
            Op::Unset { d, .. } if bit(d) != 0 => {
                (ways.unset, ways.set) = (ways.unset | bit(d), ways.set & !bit(d));
            }
            Op::CheckSet { a } if bit(a) != 0 => {
                let verdict = match (ways.unset & bit(a) != 0, ways.set & bit(a) != 0) {
                    (false, _) => Verdict::Always,
                    (true, true) => Verdict::Sometimes,
                    (true, false) => Verdict::Never,
                };
                if let Some(verdicts) = &mut verdicts {
                    verdicts.insert(at, verdict);
                }
                // Ways without a value end here.
                ways.unset &= !bit(a);
                if verdict == Verdict::Never {
                    here = None;
                }
            }
            Op::Jump { .. } | Op::Ret | Op::Trap { .. } => here = None,
            _ => {
                if let Some(d) = op.dest_mut() {
                    (ways.unset, ways.set) = (ways.unset & !bit(*d), ways.set | bit(*d));
                }
            }
        }
    }
    again
}

impl Ways {
    fn and(self, other: Ways) -> Ways {
        Ways { unset: self.unset | other.unset, set: self.set | other.set }
    }
}

fn unset_read(code: &[Op], spans: &[Span], at: usize) -> UnsetRead {
    let Op::CheckSet { a } = code[at] else { unreachable!("verdicts are about checks") };
    let declared = code[..at].iter().rposition(|op| matches!(op, Op::Unset { d, .. } if *d == a));
    let declared = declared.expect("a check that never passes follows its declaration");
    let Op::Unset { name, .. } = code[declared] else { unreachable!("just found") };
    UnsetRead { span: spans[at], declared: spans[declared], name }
}

fn sweep(
    code: &mut Vec<Op>,
    spans: &mut Vec<Span>,
    labels: &mut [Option<u32>],
    verdicts: &FxHashMap<usize, Verdict>,
) {
    let sometimes = verdicts.iter().filter(|(_, verdict)| **verdict == Verdict::Sometimes);
    let checked = sometimes.map(|(at, _)| match code[*at] {
        Op::CheckSet { a } => a,
        _ => unreachable!("verdicts are about checks"),
    });
    let checked: FxHashSet<Reg> = checked.collect();
    let stays = |at: usize| match code[at] {
        Op::Unset { d, .. } => checked.contains(&d),
        Op::CheckSet { .. } => verdicts.get(&at) == Some(&Verdict::Sometimes),
        _ => true,
    };
    let stays: Vec<bool> = (0..code.len()).map(stays).collect();
    if stays.iter().all(|s| *s) {
        return;
    }
    let mut moved = Vec::with_capacity(code.len() + 1);
    let mut next = 0;
    for stays in &stays {
        moved.push(next);
        next += u32::from(*stays);
    }
    moved.push(next);
    for label in labels.iter_mut().flatten() {
        *label = moved[*label as usize];
    }
    let mut keep = stays.iter();
    code.retain(|_| *keep.next().expect("one answer for each operation"));
    let mut keep = stays.iter();
    spans.retain(|_| *keep.next().expect("one answer for each operation"));
}
