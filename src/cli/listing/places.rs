//! Sets of PEs in few words.

use std::collections::BTreeMap;

/// More rectangles than this are counted, not listed.
const MOST: usize = 12;

/// A rectangle of PEs; all bounds are inclusive.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Rectangle {
    x: [usize; 2],
    y: [usize; 2],
}

/// The PEs (positions row by row, ascending) as rectangles: `(0..3, 0)  (2, 1..4)`.
pub fn places(pes: &[usize], width: u16) -> String {
    let all = rectangles(pes, usize::from(width.max(1)));
    let mut out: Vec<String> = all.iter().take(MOST).map(Rectangle::shown).collect();
    if all.len() > MOST {
        out.push(format!("and {} more", all.len() - MOST));
    }
    out.join("  ")
}

impl Rectangle {
    fn shown(&self) -> String {
        let range = |[lo, hi]: [usize; 2]| if lo == hi { lo.to_string() } else { format!("{lo}..{hi}") };
        format!("({}, {})", range(self.x), range(self.y))
    }
}

/// Runs of each row; equal runs of consecutive rows are joined.
fn rectangles(pes: &[usize], width: usize) -> Vec<Rectangle> {
    let mut all: Vec<Rectangle> = Vec::new();
    let mut latest: BTreeMap<[usize; 2], usize> = BTreeMap::new();
    for (x, y) in runs(pes, width) {
        match latest.get(&x) {
            Some(above) if all[*above].y[1] + 1 == y => all[*above].y[1] = y,
            Some(_) | None => {
                latest.insert(x, all.len());
                all.push(Rectangle { x, y: [y, y] });
            }
        }
    }
    all
}

fn runs(pes: &[usize], width: usize) -> Vec<([usize; 2], usize)> {
    let mut runs: Vec<([usize; 2], usize)> = Vec::new();
    for pe in pes {
        let (x, y) = (pe % width, pe / width);
        match runs.last_mut() {
            Some((run, row)) if *row == y && run[1] + 1 == x => run[1] = x,
            _ => runs.push(([x, x], y)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_rectangle_is_one() {
        assert_eq!(places(&(0..12).collect::<Vec<_>>(), 4), "(0..3, 0..2)");
        assert_eq!(places(&[5], 4), "(1, 1)");
        assert_eq!(places(&[], 4), "");
    }

    #[test]
    fn a_run_does_not_cross_the_edge() {
        assert_eq!(places(&[3, 4], 4), "(3, 0)  (0, 1)");
    }

    #[test]
    fn a_frame_is_four_pieces() {
        assert_eq!(places(&[0, 1, 2, 3, 5, 6, 7, 8], 3), "(0..2, 0)  (0, 1)  (2, 1)  (0..2, 2)");
    }

    #[test]
    fn many_pieces_are_counted() {
        let pes: Vec<usize> = (0..40).map(|i| 2 * i).collect();
        assert!(places(&pes, 100).ends_with("(22, 0)  and 28 more"));
    }
}
