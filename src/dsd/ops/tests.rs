use super::*;
use crate::dsd::access::Row;
use crate::dsd::block::{RowBlock, RowSource};
use crate::dsd::local::{read, write};
use crate::value::float::FloatKind;

fn op(name: &str) -> &'static DsdOp {
    &OPS[usize::from(lookup(name).expect("a row of the table"))]
}

/// One element of an operation of one or two 16-bit sources.
fn run(name: &str, a: u16, b: u16) -> u16 {
    (op(name).kernel.each)(a.into(), b.into(), 0) as u16
}

fn run32(name: &str, a: f32, b: f32, c: f32) -> f32 {
    f32::from_bits((op(name).kernel.each)(a.to_bits(), b.to_bits(), c.to_bits()))
}

fn half(x: f64) -> u16 {
    FloatKind::F16.to_bits(x) as u16
}

fn value(bits: u16) -> f64 {
    FloatKind::F16.from_bits(bits.into())
}

/// Checks a 16-bit unary operation on all values against a model in f64.
fn check_all_halves(name: &str, model: impl Fn(f64) -> u16) {
    for bits in 0..=u16::MAX {
        let (got, want) = (run(name, bits, 0), model(value(bits)));
        let both_nan = f16::is_nan(got) && f16::is_nan(want);
        assert!(got == want || both_nan, "@{name} of {bits:04x}: {got:04x}, not {want:04x}");
    }
}

#[test]
fn names_are_unique_and_lead_to_their_row() {
    for (row, op) in operations().iter().enumerate() {
        assert_eq!(lookup(op.name), Some(row as u8));
    }
    for (number, op) in OPS.iter().enumerate() {
        let format = FORMATS[number / operations().len()];
        assert_eq!(lookup(op.name).map(|row| in_format(row, format)), Some(number as u8));
    }
    assert_eq!(lookup("fdivs"), None);
    assert_eq!(lookup("@fadds"), None);
}

#[test]
fn every_row_has_forms_of_one_arity_told_apart_by_their_vectors() {
    for op in OPS {
        for (i, form) in op.forms.iter().enumerate() {
            let vectors: Vec<_> = form.sources.iter().map(|s| s.is_vector()).collect();
            assert_eq!(form.sources.len(), op.arity(), "@{}", op.name);
            assert_eq!(op.form(form.to_pointer, &vectors), Some(&op.forms[i]), "@{}", op.name);
        }
        assert!(op.width(ArchName::Wse2) >= 1 && op.width(ArchName::Wse3) >= op.width(ArchName::Wse2));
    }
}

#[test]
fn forms_are_those_of_the_language() {
    assert!(op("sub16").form(false, &[false, true]).is_none(), "no scalar minuend");
    assert!(op("fadds").form(true, &[false, true]).is_some());
    assert!(op("fmacs").form(false, &[true, true]).is_none(), "needs the scalar");
    assert!(op("fnorms").form(false, &[true]).is_none(), "scalars only");
    assert_eq!(op("fmachs").signatures(), ["@fmachs(dsd, dsd, dsd, f16)"]);
    assert_eq!(op("mov16").signatures()[1], "@mov16(*i16 or u16, dsd)");
}

#[test]
fn scalars_are_accepted_by_kind_and_width() {
    assert!(Elem::Int16.accepts(false, 16) && !Elem::Int16.accepts(true, 16));
    assert!(Elem::F32.accepts(true, 32) && !Elem::F32.accepts(true, 16));
    assert!(!Elem::Int32.accepts(false, 64));
}

#[test]
fn integer_operations_wrap() {
    assert_eq!(run("add16", 0xffff, 2), 1);
    assert_eq!(run("sub16", 1, 2), 0xffff);
    assert_eq!(run("and16", 0x0ff0, 0x00ff), 0x00f0);
    assert_eq!(run("or16", 0x0ff0, 0x00ff), 0x0fff);
    assert_eq!(run("xor16", 0x0ff0, 0x00ff), 0x0f0f);
    assert_eq!(run("mov16", 0xabcd, 0), 0xabcd);
    assert_eq!((op("mov32").kernel.each)(0xdead_beef, 0, 0), 0xdead_beef);
}

#[test]
fn shifts_by_the_width_shift_everything_out() {
    for (n, sar, sll, slr) in
        [(0, 0x8001, 0x8001, 0x8001), (1, 0xc000, 2, 0x4000), (15, 0xffff, 0x8000, 1), (16, 0xffff, 0, 0)]
    {
        assert_eq!(run("sar16", 0x8001, n), sar);
        assert_eq!(run("sll16", 0x8001, n), sll);
        assert_eq!(run("slr16", 0x8001, n), slr);
    }
    assert_eq!(run("sll16", 1, u16::MAX), 0);
}

#[test]
fn counts_of_bits_reach_sixteen() {
    for (bits, clz, ctz, popcnt) in [(0, 16, 16, 0), (1, 15, 0, 1), (0x8000, 0, 15, 1), (0xffff, 0, 0, 16)] {
        assert_eq!(run("clz", bits, 0), clz);
        assert_eq!(run("ctz", bits, 0), ctz);
        assert_eq!(run("popcnt", bits, 0), popcnt);
    }
}

#[test]
fn the_carry_ripples_to_the_next_element() {
    let kernel = op("addc16").kernel;
    assert!(kernel.carries);
    // 0x0001_ffff_ffff + 0x0002_0000_0001 in words, lowest first.
    let mut memory = vec![0xffff, 0xffff, 1, 1, 0, 2, 0, 0, 0];
    let row = |at| Row { at, step: 1, count: 3 };
    let sources = [RowSource::Line(row(0), 1), RowSource::Line(row(3), 1), RowSource::Scalar(0)];
    assert_eq!((kernel.in_order)(&mut memory, &RowBlock::row(row(6), &sources)), 0);
    assert_eq!(memory[6..], [0, 0, 4]);
    let first = (kernel.each)(0xffff, 1, 0);
    let second = (kernel.each)(0xffff, 0, first >> 16);
    assert_eq!((first, second), (0x1_0000, 0x1_0000));
}

#[test]
fn unary_operations_on_all_halves_match_a_model() {
    check_all_halves("fmovh", half);
    check_all_halves("fnegh", |x| half(-x));
    check_all_halves("fabsh", |x| half(x.abs()));
    check_all_halves("fh2xp16", |x| x.trunc().clamp(-32768.0, 32767.0) as i16 as u16);
    check_all_halves("fnormh", |x| {
        if x == 0.0 || !x.is_finite() {
            return half(x);
        }
        let mut size = x.abs();
        while size < 1.0 {
            size *= 2.0;
        }
        while size >= 2.0 {
            size /= 2.0;
        }
        half(size.copysign(x))
    });
}

#[test]
fn conversions_of_all_16_bit_values_match_a_model() {
    for bits in 0..=u16::MAX {
        let wide = f32::from_bits((op("fh2s").kernel.each)(bits.into(), 0, 0));
        assert!(f64::from(wide) == value(bits) || value(bits).is_nan());
        assert_eq!(run("xp162fh", bits, 0), half(f64::from(bits as i16)));
        let wide = f32::from_bits((op("xp162fs").kernel.each)(bits.into(), 0, 0));
        assert_eq!(wide, f32::from(bits as i16));
        assert_eq!(
            run("fscaleh", bits, 3) & 0x7c00 == 0x7c00,
            (value(bits) * 8.0).abs() >= 65520.0 || !value(bits).is_finite()
        );
        if value(bits).is_finite() {
            assert_eq!(run("fscaleh", bits, 3), half(value(bits) * 8.0));
            assert_eq!(run("fscaleh", bits, -5i16 as u16), half(value(bits) / 32.0));
        }
    }
}

#[test]
fn narrowing_rounds_to_nearest_and_saturates_integers() {
    let narrow = |x: f32| (op("fs2h").kernel.each)(x.to_bits(), 0, 0) as u16;
    assert_eq!((narrow(2049.0), narrow(2051.0), narrow(65520.0)), (half(2048.0), half(2052.0), 0x7c00));
    let integer = |x: f32| (op("fs2xp16").kernel.each)(x.to_bits(), 0, 0) as u16 as i16;
    let cases = [(1.9, 1), (-1.9, -1), (32768.0, i16::MAX), (-1e9, i16::MIN), (f32::NAN, 0), (0.0, 0)];
    for (x, expected) in cases {
        assert_eq!(integer(x), expected, "@fs2xp16 of {x}");
    }
}

#[test]
fn maximum_ignores_nan_and_orders_zeros() {
    assert_eq!(run32("fmaxs", f32::NAN, 1.0, 0.0), 1.0);
    assert_eq!(run32("fmaxs", 1.0, f32::NAN, 0.0), 1.0);
    assert!(run32("fmaxs", f32::NAN, f32::NAN, 0.0).is_nan());
    assert_eq!(run32("fmaxs", -0.0, 0.0, 0.0).to_bits(), 0);
    assert_eq!(run32("fmaxs", 0.0, -0.0, 0.0).to_bits(), 0);
    assert_eq!(run32("fmaxs", f32::NEG_INFINITY, -3.0, 0.0), -3.0);
    assert_eq!(run("fmaxh", 0x7e00, half(1.0)), half(1.0));
    assert_eq!(run("fmaxh", half(-2.0), half(-3.0)), half(-2.0));
}

#[test]
fn multiply_add_is_first_plus_second_times_scalar_rounded_once() {
    let e = f32::EPSILON;
    assert_eq!(run32("fmacs", -1.0 - 2.0 * e, 1.0 + e, 1.0 + e), e * e);
    assert_eq!(run32("fmacs", 1.0, 2.0, 3.0), 7.0);
    let h = |a, b, c| (op("fmach").kernel.each)(half(a).into(), half(b).into(), half(c).into()) as u16;
    assert_eq!(value(h(1.0, 2.0, 3.0)), 7.0);
    let tiny = 2f64.powi(-10);
    assert_eq!(value(h(-1.0 - 2.0 * tiny, 1.0 + tiny, 1.0 + tiny)), 2f64.powi(-20));
    let mixed = |a: f32, b, c| {
        f32::from_bits((op("fmachs").kernel.each)(a.to_bits(), half(b).into(), half(c).into()))
    };
    assert_eq!(mixed(0.5, 60000.0, 60000.0), 0.5 + 3.6e9 - 0.5);
    assert_eq!(mixed(1.0, 1.0 + tiny, 1.0), 2.0 + tiny as f32);
}

#[test]
fn float_arithmetic_is_ieee() {
    assert_eq!(run32("fadds", 1.0, 2.0, 0.0), 3.0);
    assert_eq!(run32("fsubs", 1.0, 2.0, 0.0), -1.0);
    assert_eq!(run32("fmuls", 3.0, 0.5, 0.0), 1.5);
    assert_eq!(run32("fnegs", 0.0, 0.0, 0.0).to_bits(), 0x8000_0000);
    assert_eq!(run32("fabss", -2.5, 0.0, 0.0), 2.5);
    assert_eq!(run32("fmovs", f32::INFINITY, 0.0, 0.0), f32::INFINITY);
    assert_eq!(run("faddh", half(1.0), half(2.0)), half(3.0));
    assert_eq!(run("fsubh", half(1.0), half(2.0)), half(-1.0));
    assert_eq!(run("fmulh", half(300.0), half(300.0)), 0x7c00);
    let sum = (op("faddhs").kernel.each)(1.0f32.to_bits(), half(2.0).into(), 0);
    assert_eq!(f32::from_bits(sum), 3.0);
}

#[test]
fn norms_and_scales_of_singles_are_exact_at_the_edges() {
    assert_eq!(run32("fnorms", -12.0, 0.0, 0.0), -1.5);
    assert_eq!(run32("fnorms", f32::from_bits(3), 0.0, 0.0), 1.5);
    assert_eq!(run32("fnorms", -0.0, 0.0, 0.0).to_bits(), 0x8000_0000);
    assert_eq!(run32("fnorms", f32::INFINITY, 0.0, 0.0), f32::INFINITY);
    let scaled =
        |x: f32, k: i16| f32::from_bits((op("fscales").kernel.each)(x.to_bits(), u32::from(k as u16), 0));
    assert_eq!(scaled(1.5, 10), 1536.0);
    assert_eq!(scaled(1.0, -149), f32::from_bits(1));
    assert_eq!(scaled(1.0, i16::MIN), 0.0);
}

#[test]
fn rows_are_the_same_as_single_elements() {
    let lanes = |seed: u32| -> Vec<u32> {
        (0..97u32).map(|i| (i + seed).wrapping_mul(0x9e37_79b9) >> (i % 3)).collect()
    };
    for op in OPS {
        let narrow = |v: Vec<u32>, source: Option<&SourceKind>| -> Vec<u32> {
            let words = source.map_or(1, |s| s.elem().words());
            v.into_iter().map(|lane| if words == 1 { lane & 0xffff } else { lane }).collect()
        };
        let sources = op.forms[0].sources;
        let (a, b) = (narrow(lanes(1), sources.first()), narrow(lanes(50), sources.get(1)));
        let c = if op.kernel.carries { 0 } else { narrow(vec![0x4040_4000], sources.get(2))[0] };
        let mut memory = vec![0; 600];
        let line = |at, words: u16| Row { at, step: words.into(), count: a.len() };
        let mut row_sources = [RowSource::Nothing, RowSource::Nothing, RowSource::Scalar(c)];
        for ((at, lanes), (row_source, source)) in
            [(200, &a), (400, &b)].into_iter().zip(row_sources.iter_mut().zip(sources))
        {
            let words = source.elem().words();
            let places = (at..).step_by(words.into());
            places.zip(lanes).for_each(|(at, lane)| write(&mut memory, at, words, *lane));
            *row_source = RowSource::Line(line(at, words), words);
        }
        let words = op.dest.words();
        (op.kernel.in_order)(&mut memory, &RowBlock::row(line(0, words), &row_sources));
        let mut third = c;
        for (i, at) in (0..a.len()).zip((0..).step_by(words.into())) {
            let one = (op.kernel.each)(a[i], b[i], third);
            let expected = if words == 1 { one & 0xffff } else { one };
            assert_eq!(read(&memory, at, words), expected, "@{} of {:08x} and {:08x}", op.name, a[i], b[i]);
            if op.kernel.carries {
                third = one >> 16;
            }
        }
    }
}

#[test]
fn floats_become_the_integers_that_rust_makes_of_them() {
    let kernel = &OPS[usize::from(lookup("fs2xp16").unwrap())].kernel;
    let near = [32767.0f32, 32767.5, 32768.0, 32768.5, 0.5, 1.5, 0.0, f32::INFINITY, f32::NAN];
    let edges = near.into_iter().flat_map(|x| [x, -x]).map(f32::to_bits);
    for bits in (0..=u32::MAX).step_by(9973).chain(edges) {
        let expected = f32::from_bits(bits) as i16 as u16;
        assert_eq!((kernel.each)(bits, 0, 0), u32::from(expected), "{}", f32::from_bits(bits));
    }
}
