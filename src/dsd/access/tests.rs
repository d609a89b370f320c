//! The addresses of vectors, compared with what a naive loop visits.

use super::*;
use proptest::prelude::*;

fn mem(kind: MemKind, base: u16, extent: &[u16], step: &[i16], wrap: u16) -> Mem {
    let mut all = ([1; 4], [0; 4]);
    all.0[..extent.len()].copy_from_slice(extent);
    all.1[..step.len()].copy_from_slice(step);
    Mem {
        kind,
        base,
        dims: extent.len() as u8,
        extent: all.0,
        step: all.1,
        index_offset: false,
        lo: 0,
        hi: 0x6000,
        has_soft_bounds: false,
        wrap,
        origin: 0,
    }
}

fn addresses(cursor: &mut AddressCursor, count: usize, most: usize) -> Vec<usize> {
    let mut all = Vec::new();
    while all.len() < count {
        let row = cursor.next_row(most.min(count - all.len())).unwrap();
        all.extend((0..row.count).map(|k| (row.at as i32 + k as i32 * row.step) as usize));
    }
    all
}

proptest! {
    #[test]
    fn a_tensor_is_walked_with_the_last_variable_fastest(
        extent in prop::array::uniform3(1u16..5),
        factor in prop::array::uniform3(0i16..20),
        words in 1u16..3,
        most in 1usize..9,
    ) {
        let [e0, e1, e2] = extent.map(|e| e as i16);
        let [c0, c1, c2] = factor;
        let steps = [c0, c1 - (e0 - 1) * c0, c2 - (e1 - 1) * c1 - (e0 - 1) * c0];
        let mem = mem(MemKind::Mem4d, 500, &extent, &steps, 0);
        let mut cursor = AddressCursor::new(&mem, 500, words, (0, 0x6000));
        let whole = (e0 * e1 * e2) as u64;
        let (last, first) = ((e0 - 1) * c0 + (e1 - 1) * c1 + (e2 - 1) * c2, cursor);
        let end = 500 + (last as u16 + 1) * words;
        let within = |limits| AddressCursor { limits, ..first }.reaches(whole);
        prop_assert_eq!(within((500, end.into())), whole);
        prop_assert!(within((500, i32::from(end) - 1)) < whole && within((501, end.into())) == 0);
        let mut naive = Vec::new();
        for z in 0..e2 {
            for y in 0..e1 {
                for x in 0..e0 {
                    naive.push(500 + (x * c0 + y * c1 + z * c2) as usize * words as usize);
                }
            }
        }
        prop_assert_eq!(addresses(&mut cursor, naive.len(), most), naive);
        // Where the outermost dimension would go on.
        prop_assert_eq!(cursor.position() as i16, 500 + e2 * c2 * words as i16);
    }
}

#[test]
fn a_circular_buffer_goes_round() {
    let ring = mem(MemKind::Circbuf, 10, &[7], &[1], 6);
    let mut cursor = AddressCursor::new(&ring, 12, 2, (0, 100));
    assert_eq!(addresses(&mut cursor, 7, 4), [12, 14, 10, 12, 14, 10, 12]);
}

#[test]
fn a_circular_buffer_goes_round_backwards() {
    let ring = mem(MemKind::Circbuf, 10, &[7], &[-1], 6);
    let mut cursor = AddressCursor::new(&ring, 12, 2, (0, 100));
    assert_eq!(addresses(&mut cursor, 7, 4), [12, 10, 14, 12, 10, 14, 12]);
}

#[test]
fn elements_one_by_one_are_those_of_rows() {
    let vectors = [
        mem(MemKind::Mem1d, 90, &[5], &[-2], 0),
        mem(MemKind::Mem4d, 90, &[3, 2], &[2, 7], 0),
        mem(MemKind::Circbuf, 90, &[9], &[1], 8),
    ];
    for vector in vectors {
        let mut cursor = AddressCursor::new(&vector, 90, 2, (0, 300));
        let (mut rows, mut count) = (cursor, 0);
        while count < 13 {
            let row = rows.next_row(13 - count).unwrap();
            count += row.count;
            for k in 0..row.count as i32 {
                assert_eq!(cursor.next_element().unwrap() as i32, row.at as i32 + k * row.step, "{vector:?}");
            }
        }
        assert_eq!(cursor, rows);
    }
}

#[test]
fn an_element_outside_of_a_line_is_not_taken() {
    for (step, limits) in [(3, (20, 30)), (-3, (14, 30))] {
        let mut cursor = AddressCursor::new(&mem(MemKind::Mem1d, 20, &[9], &[step], 0), 20, 1, limits);
        let inside = (0..9).take_while(|_| cursor.next_element().is_ok()).count();
        assert_eq!(inside, if step > 0 { 4 } else { 3 });
        assert_eq!(i32::from(cursor.position()), 20 + inside as i32 * i32::from(step));
    }
}

#[test]
fn the_first_element_outside_of_the_tensor_is_named() {
    let mut cursor = AddressCursor::new(&mem(MemKind::Mem1d, 20, &[9], &[3], 0), 20, 1, (20, 30));
    let diag = cursor.next_row(9).unwrap_err();
    assert_eq!(diag.0.title, "word 32 is outside of words 20 to 29, which the DSD may reach");
}

#[test]
fn the_element_behind_the_last_is_the_next_of_a_longer_operation() {
    let line = mem(MemKind::Mem1d, 20, &[4], &[1], 0);
    let mut cursor = AddressCursor::new(&line, 20, 1, (20, 24));
    let element = |cursor: &AddressCursor, range| cursor.outside_ahead(range).map(|outside| outside.element);
    assert_eq!((element(&cursor, 0..8), element(&cursor, 0..4)), (Some(4), None));
    cursor.next_row(4).unwrap();
    assert_eq!((element(&cursor, 4..8), element(&cursor, 3..8)), (Some(4), Some(4)));
    // Another vector was taken further than the operation has come.
    let mut other = AddressCursor::new(&mem(MemKind::Mem1d, 20, &[9], &[1], 0), 20, 1, (20, 26));
    other.next_row(5).unwrap();
    assert_eq!(element(&other, 4..8), Some(6));
}

#[test]
fn only_writes_ahead_of_a_source_disturb_it() {
    let line = |at| Row { at, step: 1, count: 10 };
    let disturbs = |dest: Row, source: Row| dest.disturbs(1, &source, 1);
    assert!(!disturbs(line(20), line(20)));
    assert!(!disturbs(line(19), line(20)));
    assert!(disturbs(line(21), line(20)));
    assert!(!disturbs(line(30), line(20)));
    let down = |at| Row { step: -1, ..line(at) };
    assert!(!disturbs(down(20), down(20)) && !disturbs(down(21), down(20)));
    assert!(disturbs(down(19), down(20)) && disturbs(down(20), line(20)));
    let fixed = Row { at: 20, step: 0, count: 10 };
    assert!(disturbs(fixed, fixed));
}
