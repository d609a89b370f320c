//! The sum of many f16, each addition rounded, as long as all sums have one exponent.
//!
//! In: a sum and the next numbers. Out: the sum with them, or nothing where that exponent may change.
//!
//! Sums of one exponent are multiples of one number, the place of their last bit. So adding a number is adding that number
//! rounded to such a multiple, whatever the sum is, and no addition waits for the one before. Only of a number halfway
//! between two multiples the parity of the sum decides which one it is: the result is even. So the parity before is that of
//! all since the last such number.

/// Numbers that are added at once.
pub(super) const BLOCK: usize = 64;

/// The sum of `total` and the numbers.
#[inline]
pub(super) fn add(total: u16, numbers: &[u16; BLOCK]) -> Option<u16> {
    #[cfg(target_arch = "x86_64")]
    if super::halves::has_conversions() && is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has what it takes.
        #[allow(unsafe_code)]
        return unsafe { add_places(total, numbers) };
    }
    let _ = (total, numbers);
    None
}

/// Bits of an f16 behind the first.
const MANTISSA: u32 = 10;

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c,popcnt")]
fn add_places(total: u16, numbers: &[u16; BLOCK]) -> Option<u16> {
    use super::halves::wide;
    use crate::value::f16;
    use std::arch::x86_64::*;
    // Zeros, subnormals, infinities and NaN.
    let exponent = u32::from(total >> MANTISSA & 0x1f);
    if !(1..31).contains(&exponent) {
        return None;
    }
    // The last place of the sum is 2^(exponent - 25).
    let power_of_two = |power: i32| f32::from_bits(((power + 127) as u32) << 23);
    let (place, places) = (power_of_two(exponent as i32 - 25), power_of_two(25 - exponent as i32));
    let start = f16::to_f32(total) * places;

    let (factor, half, zero) = (_mm256_set1_ps(places), _mm256_set1_ps(0.5), _mm256_setzero_ps());
    let (mut sum, mut up, mut down) = (zero, zero, zero);
    let (mut odd, mut halfway, mut above) = (0u64, 0u64, 0u64);
    for (k, group) in numbers.as_chunks::<8>().0.iter().enumerate() {
        let number = _mm256_mul_ps(wide(*group), factor);
        let nearest = _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(number);
        let lack = _mm256_sub_ps(number, nearest);
        let size = _mm256_andnot_ps(_mm256_set1_ps(-0.0), lack);
        let is_odd = _mm256_slli_epi32::<31>(_mm256_cvtps_epi32(nearest));
        let mask = |signs: __m256| u64::from(_mm256_movemask_ps(signs) as u32) << (8 * k);
        odd |= mask(_mm256_castsi256_ps(is_odd));
        halfway |= mask(_mm256_cmp_ps::<_CMP_EQ_OQ>(size, half));
        above |= mask(lack);
        sum = _mm256_add_ps(sum, nearest);
        // Of NaN and a number these are the second one.
        up = _mm256_add_ps(up, _mm256_max_ps(zero, _mm256_ceil_ps(number)));
        down = _mm256_add_ps(down, _mm256_min_ps(zero, _mm256_floor_ps(number)));
    }
    // At most so far a sum has gone. At the low end it may have come from above only, where the places are as wide.
    let (highest, lowest) = (start + total_of(up), start + total_of(down));
    let ends = (power_of_two(MANTISSA as i32), power_of_two(MANTISSA as i32 + 1));
    let stays = match start > 0.0 {
        true => lowest >= ends.0 && highest < ends.1,
        false => highest <= -ends.0 && lowest > -ends.1,
    };
    if !stays {
        return None;
    }
    let is_start_odd = start as i32 & 1 != 0;
    let corrected = odd_before(odd, halfway, is_start_odd) & halfway;
    // The nearest even multiple is the wrong one of the two if the sum is odd.
    let correction = (corrected & !above).count_ones() as f32 - (corrected & above).count_ones() as f32;
    Some(f16::from_f32((start + total_of(sum) + correction) * place))
}

/// The sum of eight whole numbers, or infinity or NaN.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn total_of(numbers: std::arch::x86_64::__m256) -> f32 {
    let numbers: [f32; 8] = zerocopy::transmute!(numbers);
    numbers.iter().sum()
}

/// For each number that is halfway whether the sum before it is odd. `odd`: numbers, after rounding, that are odd, none of
/// which is halfway.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn odd_before(odd: u64, halfway: u64, is_start_odd: bool) -> u64 {
    if halfway == 0 {
        return 0;
    }
    const STEPS: [u32; 6] = [1, 2, 4, 8, 16, 32];
    // As if no number were halfway: in each bit the parity of all up to it.
    let parity = STEPS.iter().fold(odd, |bits, step| bits ^ bits << step);
    let parity = if is_start_odd { !parity } else { parity };
    // In each bit that of the last one up to it that is halfway, after which the sum is even.
    let (mut last, mut goes_on) = (parity & halfway, !halfway);
    for step in STEPS {
        last |= goes_on & last << step;
        goes_on &= goes_on << step;
    }
    parity ^ last << 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::f16;
    use proptest::prelude::*;

    /// A start, and numbers whose exponents are so much less.
    fn sums() -> impl Strategy<Value = (u16, Vec<u16>)> {
        let number = (any::<bool>(), prop_oneof![3u16..14, 3u16..30], any::<u16>(), 0u32..11);
        (any::<u16>(), any::<bool>(), prop::collection::vec(number, BLOCK)).prop_map(
            |(start, is_even, numbers)| {
                let exponent = start >> MANTISSA & 0x1f;
                let numbers = numbers.into_iter().map(|(sign, less, mantissa, zeros)| {
                    // Without low bits numbers are often halfway between two sums.
                    let mantissa = mantissa & 0x3ff & (0x3ff << if is_even { zeros } else { 0 });
                    u16::from(sign) << 15 | exponent.saturating_sub(less) << MANTISSA | mantissa
                });
                (start, numbers.collect())
            },
        )
    }

    proptest! {
        #[test]
        fn a_block_is_the_sum_of_single_additions((start, numbers) in sums(), is_positive in any::<bool>()) {
            let mask = if is_positive { 0x7fff } else { 0xffff };
            let numbers: Vec<u16> = numbers.iter().map(|number| number & mask).collect();
            let expected = numbers.iter().fold(start, |total, number| f16::add(total, *number));
            if let Some(sum) = add(start, numbers.first_chunk().unwrap()) {
                prop_assert_eq!(sum, expected);
            }
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn most_sums_stay_at_one_exponent() {
        // 1500, and 1.5, all of whose sums are halfway.
        let numbers = [0x3e00; BLOCK];
        let expected = numbers.iter().fold(0x65dc, |total, number| f16::add(total, *number));
        let can = crate::dsd::halves::has_conversions();
        assert_eq!(add(0x65dc, &numbers), can.then_some(expected));
        // Past 2048, and below 1024.
        assert_eq!(add(0x67ff, &numbers), None);
        assert_eq!(add(0x6400, &numbers.map(f16::neg)), None);
        // From 1024 up.
        assert!(add(0x6400, &numbers).is_some() == can);
        assert_eq!(add(0x6400, &[0x7e00; BLOCK]), None);
    }
}
