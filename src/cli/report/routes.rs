//! The routes of all colors, as a report draws them.

use super::tables::RouteTable;
use crate::Program;
use crate::fabric::Route;
use serde::Serialize;

/// What a route lets through: for each position of its switch the sides that wavelets may come from, and those they go to;
/// bit n is side n (0 north, 1 south, 2 east, 3 west, 4 the PE).
#[derive(Debug, Serialize)]
pub struct Gates {
    /// Position by position.
    pub positions: Vec<(u8, u8)>,
    /// The position at the start.
    pub start: u8,
    /// Whether arrivals from east and west, or from north and south, change to the partner color.
    pub swaps: (bool, bool),
}

/// The routes of all PEs, and what the numbers in them mean.
pub fn routes(program: &Program) -> (RouteTable, Vec<Gates>) {
    let mut table = RouteTable::default();
    for pe in 0..program.place.len() {
        for (color, config) in program.routes.row(pe) {
            table.pe.push(pe as u32);
            table.color.push(color.0);
            table.config.push(*config);
        }
    }
    let gates = program.routes.declared().iter().map(|declared| {
        let route = Route::new(&declared.config);
        Gates {
            positions: route.gates().iter().map(|gate| (gate.rx.0, gate.tx.0)).collect(),
            start: route.start,
            swaps: (route.swap_x, route.swap_y),
        }
    });
    (table, gates.collect())
}
