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
    #[inline]
    fn width(self) -> u32 {
        match (self.stride, self.stride.rem_euclid(8)) {
            (0 | 1, _) | (_, 2 | 3 | 5 | 6) => u32::MAX,
            (_, 1 | 7 | 4) => 2,
            _ => 1,
        }
    }
}

/// The cycles that `count` elements take; `sources` are those in memory.
#[inline]
pub fn element_cycles(
    op: &DsdOp,
    arch: ArchName,
    count: u32,
    dest: Option<Banked>,
    sources: &[Option<Banked>],
) -> u32 {
    let mut width = dest.map_or(u32::MAX, Banked::width).min(op.width(arch).into());
    let (mut first, mut are_several, mut in_place, mut meet) = (None, false, false, false);
    for one in sources.iter().flatten() {
        width = width.min(one.width());
        in_place |= dest.is_some_and(|dest| dest.at == one.at);
        let Some(other) = first.replace(*one) else { continue };
        first = Some(other);
        are_several = true;
        meet |= other != *one && (other.at ^ one.at) % 8 == 0;
    }
    let width = if in_place && are_several { width / 2 } else { width };
    let cycles = match width {
        // A division takes longer than all the rest.
        0 | 1 => count,
        2 => count.div_ceil(2),
        4 => count.div_ceil(4),
        width => count.div_ceil(width),
    };
    if meet { 2 * cycles } else { cycles }
}
