//! The wavelets that operations store one after the other, without a look at anything else of the PE.

use crate::arch::Color;

/// Of how many colors wavelets are stored in this way: most PEs receive two vectors at once at most.
const MOST: usize = 2;

/// The colors of which operations have stored wavelets when they came. They store the next ones likewise as long as
/// nothing else happens to the PE.
#[derive(Clone, Default)]
pub(super) struct Expected {
    /// Something else may have happened: a wavelet has come that nobody has stored yet.
    is_disturbed: bool,
    /// The colors, with the places of these operations.
    colors: [Option<(Color, u8)>; MOST],
}

impl Expected {
    /// The operation of a place has stored the only wavelet of a color, and is certain to store the next one.
    pub fn add(&mut self, color: Color, place: usize) {
        let known = Some((color, place as u8));
        if !self.colors.contains(&known) {
            self.colors.rotate_right(1);
            self.colors[0] = known;
        }
    }

    /// A wavelet has come that may stay in its queue.
    #[inline]
    pub fn disturb(&mut self) {
        self.is_disturbed = true;
    }

    /// The wavelet that has come has been stored.
    #[inline]
    pub fn calm(&mut self) {
        self.is_disturbed = false;
    }

    /// Something else happens to the PE.
    #[inline]
    pub fn clear(&mut self) {
        self.colors = [None; MOST];
    }

    /// The place of the operation that stores a wavelet of a color which comes now, if there is one.
    #[inline]
    pub fn place(&self, color: Color) -> Option<usize> {
        let is_of = |expected: &&Option<(Color, u8)>| expected.is_some_and(|(its, _)| its == color);
        let (_, place) = self.colors.iter().find(is_of).copied().flatten()?;
        (!self.is_disturbed).then_some(place.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wavelets_of_two_colors_are_expected_until_something_else_happens() {
        let mut expected = Expected::default();
        assert_eq!(expected.place(Color(1)), None);
        for (color, place) in [(1, 3), (2, 8), (1, 3)] {
            expected.add(Color(color), place);
        }
        assert_eq!([1, 2, 3].map(|color| expected.place(Color(color))), [Some(3), Some(8), None]);
        expected.disturb();
        assert_eq!(expected.place(Color(1)), None);
        expected.calm();
        assert_eq!(expected.place(Color(1)), Some(3));
        expected.add(Color(5), 0);
        assert_eq!([1, 2, 5].map(|color| expected.place(Color(color))), [None, Some(8), Some(0)]);
        expected.clear();
        assert_eq!(expected.place(Color(5)), None);
    }
}
