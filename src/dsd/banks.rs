//! How many elements of vectors in memory an operation does in a cycle.
//!
//! The 48 KiB of a PE lie in 8 banks, consecutive words in consecutive banks. In a cycle two vectors can be read and
//! one written, each as far as its banks allow (vendor documentation, appendix on SIMD timing).

use super::Mem;
use super::ops::DsdOp;
use crate::arch::ArchName;

/// Where a vector lies, as far as the banks concern it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Banked {
    /// Address of the first element, in words.
    pub at: u16,
    /// From one element to the next, in elements.
    pub stride: i32,
}

impl Banked {
    /// A vector that starts at this address.
    pub fn new(mem: &Mem, at: u16) -> Banked {
        Banked { at, stride: mem.step[0].into() }
    }

    /// Elements per cycle that its stride allows.
    fn width(self) -> u32 {
        match (self.stride, self.stride.rem_euclid(8)) {
            (0 | 1, _) | (_, 2 | 3 | 5 | 6) => u32::MAX,
            (_, 1 | 7 | 4) => 2,
            _ => 1,
        }
    }
}

/// The cycles that `count` elements take; `sources` are those in memory.
pub fn element_cycles(
    op: &DsdOp,
    arch: ArchName,
    count: u32,
    dest: Option<Banked>,
    sources: &[Option<Banked>],
) -> u32 {
    let vectors = || sources.iter().copied().flatten();
    let by_stride = dest.into_iter().chain(vectors()).map(Banked::width).min().unwrap_or(u32::MAX);
    let width = u32::from(op.width(arch)).min(by_stride).max(1);
    let others = || vectors().skip(1);
    let in_place = others().count() > 0 && vectors().any(|one| dest.is_some_and(|dest| dest.at == one.at));
    let cycles = count.div_ceil(if in_place { (width / 2).max(1) } else { width });
    let meet = vectors()
        .next()
        .is_some_and(|first| others().any(|one| first != one && (first.at ^ one.at) % 8 == 0));
    if meet { 2 * cycles } else { cycles }
}
