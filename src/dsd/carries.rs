//! The sum of two rows with carries, four elements at once where they lie side by side.
//!
//! Fast path: a processor adds four elements as one number, with their carries. `@addc16` takes two thirds of the time
//! (docs/performance.md). `--engine plain` does without; the properties in `local/tests.rs` hold both equal.

use super::block::{RowBlock, RowSource};
use super::elements::{CHUNK, for_each_element, words_at};
use zerocopy::transmute;

/// Elements side by side, the lowest first, as one number.
type Number = u64;
/// The elements of a number.
const DIGITS: usize = 4;

/// Adds the elements of two rows, with the carry of each element, bit 16 of its sum, into the next. The third source is the
/// carry into the first; gives the carry out of the last.
pub(super) fn add_with_carry(memory: &mut [u16], block: &RowBlock) -> u32 {
    let mut carry = block.sources[2].scalar();
    for row in 0..block.rows {
        let mut rest = block.rest_of_row(row, 0);
        if rest.lies_upward(1) && rest.allows_pieces(1, CHUNK) {
            let done = add_numbers(memory, &rest, &mut carry);
            rest = rest.rest_of_row(0, done);
        }
        for_each_element(memory, &rest, |a: u16, b: u16| {
            let sum = u32::from(a) + u32::from(b) + carry;
            carry = sum >> 16;
            sum as u16
        });
    }
    carry
}

/// Adds as many elements of a row as fill numbers.
fn add_numbers(memory: &mut [u16], row: &RowBlock, carry: &mut u32) -> usize {
    let number = |memory: &[u16], source: &RowSource, done: usize| -> Number {
        in_order_of_digits(match source {
            RowSource::Line(row, _) => transmute!(*words_at::<DIGITS>(memory, row.at + done)),
            scalar => transmute!([scalar.scalar() as u16; DIGITS]),
        })
    };
    let mut done = 0;
    while done + DIGITS <= row.dest.count {
        let (a, b) = (number(memory, &row.sources[0], done), number(memory, &row.sources[1], done));
        let (sum, is_over) = a.overflowing_add(b);
        let (sum, is_over_again) = sum.overflowing_add((*carry).into());
        *carry = u32::from(is_over | is_over_again);
        let digits: [u16; DIGITS] = transmute!(in_order_of_digits(sum));
        memory[row.dest.at + done..][..DIGITS].copy_from_slice(&digits);
        done += DIGITS;
    }
    done
}

/// Of a number whose words have been or will be in memory.
#[inline(always)]
fn in_order_of_digits(number: Number) -> Number {
    if cfg!(target_endian = "big") {
        number.rotate_left(32) << 16 & 0xffff_0000_ffff_0000
            | number.rotate_left(32) >> 16 & 0x0000_ffff_0000_ffff
    } else {
        number
    }
}
