use super::*;

fn int(n: i128) -> Integer {
    Integer::Small(n)
}

fn power(bits: u32) -> Integer {
    Integer::ONE.shl(&int(bits.into())).unwrap()
}

#[test]
fn a_number_has_one_form() {
    let big = power(200);
    assert!(matches!(big, Integer::Big(_)));
    assert_eq!(big.shr(&int(198)), Some(int(4)));
    assert_eq!(big.sub(&big), Some(int(0)));
    assert_eq!(int(i128::MIN).neg().neg(), int(i128::MIN));
}

#[test]
fn overflow_of_the_small_form_becomes_big() {
    let sum = int(i128::MAX).add(&int(1)).unwrap();
    assert_eq!(sum, power(127));
    assert_eq!(sum.to_string(), "170141183460469231731687303715884105728");
    assert_eq!(int(i128::MIN).div(&int(-1)), Some(power(127)));
    assert_eq!(int(i128::MIN).rem(&int(-1)), Some(int(0)));
    assert_eq!(power(100).mul(&power(100)), Some(power(200)));
}

#[test]
fn division_truncates_and_the_remainder_follows_the_dividend() {
    for (a, b, quotient, rest) in [(7, 2, 3, 1), (-7, 2, -3, -1), (7, -2, -3, 1), (-7, -2, 3, -1)] {
        assert_eq!(int(a).div(&int(b)), Some(int(quotient)));
        assert_eq!(int(a).rem(&int(b)), Some(int(rest)));
    }
    assert_eq!(int(1).div(&int(0)), None);
    assert_eq!(int(1).rem(&int(0)), None);
}

#[test]
fn ranges_of_types_are_exact() {
    assert!(int(127).fits(true, 8) && !int(128).fits(true, 8));
    assert!(int(-128).fits(true, 8) && !int(-129).fits(true, 8));
    assert!(int(255).fits(false, 8) && !int(256).fits(false, 8) && !int(-1).fits(false, 8));
    assert!(int(0).fits(false, 0) && int(0).fits(true, 0) && !int(1).fits(true, 0));
    assert!(int(0).fits(true, 1) && int(-1).fits(true, 1) && !int(1).fits(true, 1));
    assert!(power(200).fits(false, 201) && !power(200).fits(true, 201));
    assert!(power(200).neg().fits(true, 201) && !power(200).neg().fits(true, 200));
}

#[test]
fn wrapping_agrees_with_the_machine() {
    let samples = [0, 1, -1, 127, 128, 255, 256, -128, -129, 65535, 65536, 1 << 40, -(1 << 40), i128::MAX];
    for n in samples {
        assert_eq!(int(n).wrap(true, 8), int((n as i8).into()));
        assert_eq!(int(n).wrap(false, 8), int((n as u8).into()));
        assert_eq!(int(n).wrap(true, 16), int((n as i16).into()));
        assert_eq!(int(n).wrap(false, 32), int((n as u32).into()));
        assert_eq!(int(n).wrap(true, 64), int((n as i64).into()));
        assert_eq!(int(n).low_u64(), n as u64);
    }
    assert_eq!(power(200).add(&int(5)).unwrap().wrap(false, 8), int(5));
    assert_eq!(power(200).neg().low_u64(), 0);
}

#[test]
fn shifts_round_down_and_refuse_to_explode() {
    assert_eq!(int(-5).shr(&int(1)), Some(int(-3)));
    assert_eq!(int(-5).shr(&power(100)), Some(int(-1)));
    assert_eq!(int(5).shr(&int(-1)), None);
    assert_eq!(int(1).shl(&int(-1)), None);
    assert_eq!(int(1).shl(&int(1 << 20)), None);
    assert_eq!(int(0).shl(&power(100)), Some(int(0)));
    let half = power(600_000);
    assert_eq!(half.mul(&half), None);
}

#[test]
fn bits_are_those_of_the_twos_complement() {
    assert_eq!(int(-1).and(&power(200)), power(200));
    assert_eq!(int(12).xor(&int(10)), int(6));
    assert_eq!(int(12).or(&int(-16)), int(-4));
    assert_eq!(int(0).not(), int(-1));
    assert_eq!(power(200).not().not(), power(200));
}

#[test]
fn floats_convert_toward_zero_and_back_to_nearest() {
    assert_eq!(Integer::from_f64(-10.8), Some(int(-10)));
    assert_eq!(Integer::from_f64(f64::NAN), None);
    assert_eq!(Integer::from_f64(2f64.powi(200)), Some(power(200)));
    assert_eq!(power(200).to_f64(), 2f64.powi(200));
    assert_eq!(power(5000).to_f64(), f64::INFINITY);
    assert_eq!(int((1 << 53) + 1).to_f64(), (1u64 << 53) as f64);
    assert!(int(3).is_exactly(3.0) && !int(3).is_exactly(3.5));
    assert!(!int((1 << 53) + 1).is_exactly((1u64 << 53) as f64));
}

#[test]
fn order_is_that_of_numbers() {
    let mut all = vec![power(200), int(3), power(200).neg(), int(-4)];
    all.sort();
    assert_eq!(all, vec![power(200).neg(), int(-4), int(3), power(200)]);
}
