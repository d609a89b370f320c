//! Gives the warnings of a PE their cycles, and the calls in which they were found.

use super::element::Pe;
use crate::image::TileImage;

impl Pe {
    /// Gives the warnings after the first `heard` their cycle, if they have none.
    pub(super) fn date_warnings(&mut self, heard: usize, cycle: u64) {
        if self.checks.warnings.len() > heard {
            let moment = self.moment(cycle);
            for warning in &mut self.checks.warnings[heard..] {
                warning.0.moment.get_or_insert(moment);
            }
        }
    }

    /// The same for warnings about what the main thread does now.
    #[inline]
    pub(super) fn place_warnings(&mut self, tile: &TileImage, heard: usize, cycle: u64) {
        if self.checks.warnings.len() > heard {
            let place = self.main.place(tile);
            for warning in &mut self.checks.warnings[heard..] {
                warning.place(place);
                warning.0.calls = self.main.calls.places(tile);
            }
            self.date_warnings(heard, cycle);
        }
    }
}
