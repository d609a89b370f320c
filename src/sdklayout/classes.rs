//! Decides which colors get the same number: a wavelet keeps its color number on its path, so both ends of a
//! connection must have the same one.

use super::describe::Layout;
use super::floorplan::Floorplan;
use super::grid::PeNumber;
use super::nets::Net;
use rustc_hash::FxHashSet;

/// Colors with the same number.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    /// The class of each color.
    pub of: Vec<usize>,
    /// How many classes there are.
    pub count: usize,
    /// The number that the program requests, by class.
    pub values: Vec<Option<u8>>,
}

/// A class under construction.
#[derive(Default)]
struct ColorGroup {
    /// PEs whose code gets one of the colors.
    known: FxHashSet<PeNumber>,
    /// PEs with a route for one of them.
    routed: FxHashSet<PeNumber>,
    value: Option<u8>,
}

/// Joins the colors of connected ports where that is possible. Also returns the other nets: they need a relay,
/// which sends each word again in the other color.
pub fn unify(layout: &Layout, floorplan: &Floorplan, nets: &[Net]) -> Result<(Classes, Vec<usize>), String> {
    let mut union = Union::new(layout, floorplan);
    union.join_equal_numbers(layout, floorplan)?;
    let mut apart = Vec::new();
    for (n, net) in nets.iter().enumerate() {
        let (Some(from), Some(to)) = (net.from, net.to) else { continue };
        if !union.join(from.color as usize, to.color as usize) {
            apart.push(n);
        }
    }
    Ok((union.finish(), apart))
}

struct Union {
    parents: Vec<usize>,
    groups: Vec<ColorGroup>,
}

impl Union {
    fn new(layout: &Layout, floorplan: &Floorplan) -> Union {
        let mut groups: Vec<ColorGroup> =
            layout.colors.iter().map(|c| ColorGroup { value: c.value, ..ColorGroup::default() }).collect();
        for (pe, color) in floorplan.drafts.keys() {
            groups[*color as usize].routed.insert(*pe);
        }
        for (pe, color) in floorplan.drafts.keys().chain(&floorplan.color_params) {
            groups[*color as usize].known.insert(*pe);
        }
        Union { parents: (0..groups.len()).collect(), groups }
    }

    fn root(&self, mut color: usize) -> usize {
        while self.parents[color] != color {
            color = self.parents[color];
        }
        color
    }

    /// Joins colors for which the program requests the same number, whatever their names.
    fn join_equal_numbers(&mut self, layout: &Layout, floorplan: &Floorplan) -> Result<(), String> {
        for second in 0..layout.colors.len() {
            let Some(value) = layout.colors[second].value else { continue };
            let Some(first) = (0..second).find(|n| layout.colors[*n].value == Some(value)) else { continue };
            let (one, other) = (self.root(first), second);
            let shared = self.groups[one].routed.intersection(&self.groups[other].routed).min();
            if let Some(pe) = shared {
                return Err(format!(
                    "colors '{}' and '{}' both have the value {value}, and both have a route on {}; give one of \
                     them another value, or none",
                    layout.colors[first].name,
                    layout.colors[second].name,
                    floorplan.grid.at(*pe)
                ));
            }
            self.merge(one, other);
        }
        Ok(())
    }

    /// Joins two colors; false if a PE must distinguish them.
    fn join(&mut self, one: usize, other: usize) -> bool {
        let (one, other) = (self.root(one), self.root(other));
        if one == other {
            return true;
        }
        let (a, b) = (&self.groups[one], &self.groups[other]);
        let differ = a.value.is_some() && b.value.is_some();
        if differ || !a.known.is_disjoint(&b.known) {
            return false;
        }
        self.merge(one, other);
        true
    }

    fn merge(&mut self, one: usize, other: usize) {
        let (root, child) = (one.min(other), one.max(other));
        self.parents[child] = root;
        let from = std::mem::take(&mut self.groups[child]);
        let into = &mut self.groups[root];
        into.known.extend(from.known);
        into.routed.extend(from.routed);
        into.value = into.value.or(from.value);
    }

    fn finish(self) -> Classes {
        let mut classes = Classes { of: vec![0; self.parents.len()], ..Classes::default() };
        let mut numbers = vec![usize::MAX; self.parents.len()];
        for color in 0..self.parents.len() {
            let root = self.root(color);
            if numbers[root] == usize::MAX {
                numbers[root] = classes.count;
                classes.count += 1;
                classes.values.push(self.groups[root].value);
            }
            classes.of[color] = numbers[root];
        }
        classes
    }
}
