//! The state of the fabric as a hash, for the search for states that repeat.

use super::Fabric;
use crate::state_hash::StateHash;

impl Fabric {
    /// Adds everything that decides how the routers of this band go on.
    pub fn add_state(&self, state: &mut StateHash) {
        for pe in self.grid.seams().own() {
            let router = self.grid.router(pe);
            if router.is_unused() {
                continue;
            }
            state.add(pe as u64);
            state.add_debug(router);
            for lane in self.grid.lanes_at(pe) {
                lane.add_state(state);
            }
        }
        self.schedule.add_state(state);
        state.add_debug(&self.messages);
        state.add(self.exits.hold_words().into());
    }
}
