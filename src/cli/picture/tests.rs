use super::*;
use crate::image::Scalar;
use crate::source::FileId;

fn array(dims: &[u32], words: u16) -> Symbol {
    let span = Span::new(FileId(0), 0, 0);
    let count: u32 = dims.iter().product();
    Symbol {
        name: "A".to_string(),
        addr: 4,
        words: count as u16 * words,
        ty: "array".to_string(),
        dims: dims.to_vec(),
        element: Some(if words == 1 { Scalar::U16 } else { Scalar::F32 }),
        bits: None,
        inside: Default::default(),
        mutable: true,
        undefined: false,
        span,
    }
}

#[test]
fn a_grid_counts_the_visits_of_each_element() {
    let grid = ArrayGrid::new(&array(&[2, 3], 2), 2, &[4, 8, 8, 14, 8]).expect("it is small");
    assert_eq!(grid.columns, 3);
    assert_eq!(grid.labels, ["0", "1"]);
    assert_eq!(grid.cells(), ["1", ".", "2..", ".", ".", "4"]);
}

#[test]
fn planes_stand_below_each_other() {
    let grid = ArrayGrid::new(&array(&[2, 2, 3], 1), 1, &[]).expect("it is small");
    assert_eq!(grid.labels, ["0, 0", "0, 1", "1, 0", "1, 1"]);
}

#[test]
fn what_is_too_large_is_not_drawn() {
    assert_eq!(ArrayGrid::new(&array(&[100, 100], 1), 1, &[]), None);
    assert_eq!(ArrayGrid::new(&array(&[], 1), 1, &[]), None);
}

#[test]
fn names_stand_before_the_equals_sign() {
    let name = |text: &str| {
        let at = text.find('@').expect("a builtin");
        name_before(text, Span::new(FileId(0), at, at + 1))
    };
    assert_eq!(name("const x = @get_dsd"), Some("x".to_string()));
    assert_eq!(name("var a = 1; var long: mem1d_dsd =\n  @get_dsd"), Some("long".to_string()));
    assert_eq!(name("const a = 1; b = @get_dsd"), None);
    assert_eq!(name("@mov16(x, @get_dsd"), None);
}
