//! Receives that store each wavelet when it arrives, without a visit of the PE.

use crate::arch::Color;

/// How many colors are stored this way; most PEs receive at most two vectors at once.
const MOST: usize = 2;

/// The colors whose last wavelet was stored on arrival. The next one is stored likewise, as long as nothing else
/// happens to the PE.
#[derive(Clone, Default)]
pub(super) struct Expected {
    /// Whether a wavelet has arrived that was not stored, so that something else may have to happen.
    is_disturbed: bool,
    /// The colors, with the places of these operations.
    colors: [Option<(Color, u8)>; MOST],
}

impl Expected {
    /// Notes that an operation has stored the only wavelet of a color, and is certain to store the next one.
    pub fn add(&mut self, color: Color, place: usize) {
        let known = Some((color, place as u8));
        if !self.colors.contains(&known) {
            self.colors.rotate_right(1);
            self.colors[0] = known;
        }
    }

    /// Notes that a wavelet has arrived and may stay in its queue.
    #[inline]
    pub fn disturb(&mut self) {
        self.is_disturbed = true;
    }

    /// Notes that the wavelet has been stored.
    #[inline]
    pub fn calm(&mut self) {
        self.is_disturbed = false;
    }

    /// Forgets all colors, because something else happens to the PE.
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
