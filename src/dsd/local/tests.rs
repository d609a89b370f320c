use super::*;
use crate::dsd::ops::{OPS, lookup};
use crate::dsd::{Mem, MemKind};
use proptest::prelude::*;

fn line(at: u16, count: u16, step: i16, words: u16) -> AddressCursor {
    let mem = Mem {
        kind: MemKind::Mem1d,
        base: at,
        dims: 1,
        extent: [count, 1, 1, 1],
        step: [step, 0, 0, 0],
        index_offset: false,
        lo: 0,
        hi: 3000,
        has_soft_bounds: false,
        wrap: 0,
        origin: 0,
    };
    AddressCursor::new(&mem, at, words, (0, 3000))
}

fn kernel(name: &str) -> &'static Kernel {
    &OPS[usize::from(lookup(name).unwrap())].kernel
}

const NOTHING: Source = Source::Scalar(0);

proptest! {
    #[test]
    fn pieces_and_single_elements_give_the_same_memory(
        at in prop::array::uniform3(1300u16..1400),
        step in prop::array::uniform3(-2i16..6),
        are_equal in any::<bool>(),
        count in 1u16..150,
        name in prop::sample::select(vec!["fsubs", "sub16", "addc16", "fsubh", "fmaxh"]),
    ) {
        let kernel = kernel(name);
        let words = if name == "fsubs" { 2 } else { 1 };
        let step = if are_equal { [step[0]; 3] } else { step };
        // Without infinities and NaN, of which two may come out as either.
        let mut memory: Vec<u16> = (0..3000u16).map(|k| k.wrapping_mul(40503) & 0xfbff).collect();
        let mut expected = memory.clone();
        let sources = |k: usize| Source::AddressCursor(line(at[k], count, step[k], words));
        let mut all = [sources(1), sources(2), NOTHING];
        let mut dest = line(at[0], count, step[0], words);
        run_elements(&mut expected, kernel, &mut dest, &mut all, (count.into(), 0)).unwrap();
        let mut all = [sources(1), sources(2), NOTHING];
        let mut dest = Dest::AddressCursor(line(at[0], count, step[0], words));
        run(&mut memory, kernel, &mut dest, &mut all, count.into()).unwrap();
        prop_assert_eq!(memory, expected);
    }
}

proptest! {
    #[test]
    fn lines_and_single_elements_give_the_same_memory(
        at in prop::array::uniform3(0u16..3),
        step in prop::array::uniform3(1i16..3),
        count in 1u16..150,
        wide in any::<bool>(),
        scalars in prop::array::uniform2(prop::option::of(any::<u32>())),
    ) {
        let words = if wide { 2 } else { 1 };
        let kernel = kernel(if wide { "fsubs" } else { "sub16" });
        // Vectors are equal, or far apart.
        let starts = at.map(|at| 700 * at + 200);
        let mut memory: Vec<u16> = (0..3000u16).map(|k| k.wrapping_mul(40503)).collect();
        let mut expected = memory.clone();
        let bits = |s: u32| if wide { s } else { s & 0xffff };
        let source = |k: usize| match scalars[k] {
            Some(s) => (Source::Scalar(bits(s)), RowSource::Scalar(bits(s))),
            None => {
                let step = if at[k + 1] == at[0] { step[0] } else { step[k + 1] };
                let row = Row { at: starts[k + 1].into(), step: i32::from(step * words), count: count.into() };
                (Source::AddressCursor(line(starts[k + 1], count, step, words as u16)), RowSource::Line(row, words as u16))
            }
        };
        let ((a, row_source_a), (b, row_source_b)) = (source(0), source(1));
        let mut dest = line(starts[0], count, step[0], words as u16);
        run_elements(&mut expected, kernel, &mut dest, &mut [a, b, NOTHING], (count.into(), 0)).unwrap();
        let row = Row { at: starts[0].into(), step: i32::from(step[0] * words), count: count.into() };
        run_lines(&mut memory, kernel, (row, words as u16), &[row_source_a, row_source_b, RowSource::Nothing]);
        prop_assert_eq!(memory, expected);
    }
}

/// A tile of a matrix of 40 columns, or a circular buffer of 37 elements.
#[derive(Copy, Clone, Debug)]
struct Shape {
    at: u16,
    extent: [u16; 3],
    factor: [i16; 3],
    is_ring: bool,
}

impl Shape {
    fn count(&self) -> u16 {
        self.extent.iter().product()
    }

    fn cursor(&self, words: u16) -> AddressCursor {
        let [e0, e1, _] = self.extent.map(|e| e as i16);
        let [c0, c1, c2] = self.factor;
        let steps = [c0, c1 - (e0 - 1) * c0, c2 - (e1 - 1) * c1 - (e0 - 1) * c0];
        let mut mem = Mem {
            kind: if self.is_ring { MemKind::Circbuf } else { MemKind::Mem4d },
            base: self.at,
            dims: if self.is_ring { 1 } else { 3 },
            extent: [self.extent[0], self.extent[1], self.extent[2], 1],
            step: [steps[0], steps[1], steps[2], 0],
            index_offset: false,
            lo: 0,
            hi: 24_000,
            has_soft_bounds: false,
            wrap: 37 * words,
            origin: 0,
        };
        if self.is_ring {
            (mem.extent[0], mem.step[0]) = (self.count(), 1 + c0.abs() % 2);
        }
        AddressCursor::new(&mem, self.at, words, (0, 24_000))
    }
}

/// Shapes of equal numbers of elements: near each other or one and the same.
fn shapes() -> impl Strategy<Value = [Shape; 3]> {
    let extents = prop::sample::select(vec![
        [24u16, 3, 2],
        [3, 24, 2],
        [5, 2, 3],
        [2, 40, 1],
        [17, 1, 9],
        [8, 6, 2],
        [3, 40, 1],
    ]);
    let orders = prop::sample::select(vec![[0usize, 1, 2], [1, 0, 2], [2, 1, 0]]);
    let factors =
        prop::sample::select(vec![[1i16, 40, 400], [40, 1, 80], [-1, 40, 7], [2, -40, 0], [1, 24, 72]]);
    let shape = (4000u16..4100, orders, factors, prop::bool::weighted(0.2));
    (extents, [shape.clone(), shape.clone(), shape], prop::array::uniform2(any::<bool>())).prop_map(
        |(extent, shapes, same)| {
            let mut all = shapes.map(|(at, order, factor, is_ring)| Shape {
                at,
                extent: order.map(|k| extent[k]),
                factor,
                is_ring,
            });
            for (k, _) in same.iter().enumerate().filter(|(_, same)| **same) {
                all[k + 1] = all[0];
            }
            all
        },
    )
}

proptest! {
    #[test]
    fn tiles_and_rings_give_what_single_elements_give(
        shapes in shapes(),
        scalar in prop::option::of((any::<bool>(), 0u32..0x10000)),
        name in prop::sample::select(vec![
            "sub16", "addc16", "faddh", "fmaxh", "fmach", "fsubs", "fmovs", "mov16", "fmacs", "fh2s",
            "fs2h", "fs2xp16", "fh2xp16", "xp162fh", "xp162fs",
        ]),
    ) {
        let op = &OPS[usize::from(lookup(name).unwrap())];
        let words = op.forms[0].sources.iter().map(|s| s.elem().words());
        let mut sources = [NOTHING; 3];
        for (k, words) in words.enumerate().take(2) {
            sources[k] = Source::AddressCursor(shapes[k + 1].cursor(words));
        }
        if op.arity() == 3 {
            sources[2] = Source::Scalar(0x3f00_0000);
        }
        if let (Some((second, bits)), 2) = (scalar, op.arity()) {
            sources[usize::from(second)] = Source::Scalar(bits);
        }
        let (dest, count) = (shapes[0].cursor(op.dest.words()), u32::from(shapes[0].count()));
        let mut memory: Vec<u16> = (0..24_000u16).map(|k| k.wrapping_mul(40503) & 0xfbff).collect();
        let mut expected = memory.clone();
        let (mut to, mut from) = (dest, sources);
        run_elements(&mut expected, &op.kernel, &mut to, &mut from, (count, 0)).unwrap();
        let mut dest = Dest::AddressCursor(dest);
        run(&mut memory, &op.kernel, &mut dest, &mut sources, count).unwrap();
        prop_assert_eq!(memory, expected);
        let Dest::AddressCursor(dest) = dest else { unreachable!() };
        prop_assert_eq!(dest, to);
        for (source, from) in sources.iter().zip(&from) {
            if let (Source::AddressCursor(source), Source::AddressCursor(from)) = (source, from) {
                prop_assert_eq!(source, from);
            }
        }
    }

    #[test]
    fn a_reduction_gives_what_single_elements_give(
        shape in shapes(),
        first in any::<u32>(),
        words in prop::collection::vec(any::<u16>(), 24_000),
        name in prop::sample::select(vec!["fadds", "fmaxs", "faddh", "fmaxh", "add16", "faddhs"]),
        are_plain in any::<bool>(),
    ) {
        let op = &OPS[usize::from(lookup(name).unwrap())];
        let source = op.forms[0].sources[1].elem().words();
        // Without the high bits there is no NaN, which may come out as another one.
        let mask = if are_plain { 0x3fff } else { 0xffff };
        let mut memory: Vec<u16> = words.iter().map(|word| word & mask).collect();
        let mut cursor = shape[0].cursor(source);
        let count = u32::from(shape[0].count());
        let first = if op.dest.words() == 1 { first & 0xffff } else { first };
        let mut expected = first;
        for _ in 0..count {
            let at = cursor.next_element().unwrap();
            expected = (op.kernel.each)(expected, read(&memory, at, source), 0);
        }
        let mut sources = [Source::Scalar(first), Source::AddressCursor(shape[0].cursor(source)), NOTHING];
        let mut dest = Dest::Scalar { at: 0, words: op.dest.words(), accumulates: true };
        run(&mut memory, &op.kernel, &mut dest, &mut sources, count).unwrap();
        let result = read(&memory, 0, op.dest.words());
        let is_nan = |bits: u32| match op.dest.words() {
            1 => bits & 0x7fff > 0x7c00,
            _ => f32::from_bits(bits).is_nan(),
        };
        prop_assert!(result == expected || is_nan(result) && is_nan(expected), "{result:x} {expected:x}");
    }
}

#[test]
fn a_carry_ripples_from_element_to_element() {
    let mut memory = vec![0; 1024];
    memory[..4].copy_from_slice(&[0xffff, 0xffff, 1, 7]);
    let mut sources = [Source::AddressCursor(line(0, 4, 1, 1)), Source::Scalar(1), NOTHING];
    let mut dest = Dest::AddressCursor(line(10, 4, 1, 1));
    run(&mut memory, kernel("addc16"), &mut dest, &mut sources, 4).unwrap();
    assert_eq!(memory[10..14], [0, 1, 3, 8]);
}

#[test]
fn a_scalar_destination_accumulates_or_keeps_the_last() {
    let mut memory: Vec<u16> = (0..1024).collect();
    let mut sources = [Source::Scalar(5), Source::AddressCursor(line(1, 4, 1, 1)), NOTHING];
    let mut dest = Dest::Scalar { at: 100, words: 1, accumulates: true };
    run(&mut memory, kernel("add16"), &mut dest, &mut sources, 4).unwrap();
    assert_eq!(memory[100], 15);
    let mut sources = [Source::AddressCursor(line(1, 4, 1, 1)), NOTHING, NOTHING];
    let mut dest = Dest::Scalar { at: 101, words: 1, accumulates: false };
    run(&mut memory, kernel("mov16"), &mut dest, &mut sources, 4).unwrap();
    assert_eq!(memory[101], 4);
}
