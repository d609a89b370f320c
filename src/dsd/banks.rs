//! How many elements of vectors in memory an operation does in a cycle.
//!
//! The 48 KiB of a PE lie in 8 banks, consecutive words in consecutive banks. In a cycle two vectors can be read and
//! one written, each as far as its banks allow (vendor documentation, appendix on SIMD timing).

use super::Mem;

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

/// The cycles that `count` elements of an operation take that does `width` in a cycle at best ([`DsdOp::width`]);
/// `sources` are those in memory. Without a destination in memory, it is one in a cycle.
///
/// [`DsdOp::width`]: super::ops::DsdOp::width
#[inline]
pub fn element_cycles(width: u8, count: u32, dest: Option<Banked>, sources: [Option<Banked>; 3]) -> u32 {
    let Some(dest) = dest else { return count };
    let mut width = dest.width().min(width.into());
    let stays_in_bank = dest.width() == 1;
    let (mut first, mut are_several, mut in_place, mut meet) = (None, false, false, false);
    for one in sources {
        let Some(one) = one else { continue };
        width = width.min(one.width());
        in_place |= dest.at == one.at;
        match first {
            None => first = Some(one),
            Some(other) => {
                are_several = true;
                meet |= other != one && (other.at ^ one.at) % 8 == 0;
            }
        }
    }
    // What is read and written comes one after the other where both are in one bank (records of a public product of sparse
    // matrices: 2.2 cycles for each element of a column).
    if stays_in_bank && in_place && are_several {
        return 2 * count;
    }
    cycles_of(count, width, in_place && are_several, meet)
}

/// The same for vectors whose elements lie one behind the other, at these addresses.
#[inline(always)]
pub fn contiguous_cycles(width: u8, count: u32, dest: u16, first: Option<u16>, second: Option<u16>) -> u32 {
    let (mut in_place, mut meet) = (false, false);
    if let (Some(first), Some(second)) = (first, second) {
        in_place = dest == first || dest == second;
        meet = first != second && (first ^ second) % 8 == 0;
    }
    cycles_of(count, width.into(), in_place, meet)
}

/// `in_place`: the operation reads two vectors and writes to one of them. `meet`: those that it reads begin in the same
/// bank.
#[inline(always)]
fn cycles_of(count: u32, width: u32, in_place: bool, meet: bool) -> u32 {
    let width = if in_place { width / 2 } else { width };
    let cycles = match width {
        // A division takes longer than all the rest.
        0 | 1 => count,
        2 => count.div_ceil(2),
        4 => count.div_ceil(4),
        width => count.div_ceil(width),
    };
    if meet { 2 * cycles } else { cycles }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_in_place_waits_for_its_bank() {
        let column = |at| Some(Banked { at, stride: 8 });
        let cycles = |dest, sources| element_cycles(4, 16, dest, sources);
        assert_eq!(cycles(column(0), [column(0), column(1), None]), 32);
        // Where the operation writes something else than it reads, or reads nothing else, nothing waits.
        assert_eq!(cycles(column(2), [column(0), column(1), None]), 16);
        assert_eq!(cycles(column(0), [column(0), None, None]), 16);
        let line = |at| Some(Banked { at, stride: 1 });
        assert_eq!(cycles(line(0), [line(0), line(1), None]), 8);
    }
}
