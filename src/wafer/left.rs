//! What lies around in queues, on ramps and at routers when nothing moves any more.
//!
//! In: the PEs and the routers. Out: groups of equal places. Never: says who should have acted.

use super::broken_routes;
use super::causes::Cause;
use super::stall::{Explainer, Left};
use crate::arch::Color;
use crate::fabric::Obstacle;
use crate::pe::{Waiter, WaitsFor};
use indexmap::IndexMap;

impl Explainer<'_> {
    /// Wavelets in queues, ramps and routers, by place.
    pub fn left(&self) -> Vec<Left> {
        let program = self.program();
        let mut groups: IndexMap<(u32, Color, usize, [String; 2]), Left> = IndexMap::new();
        let mut add = |pe: usize,
                       color,
                       count,
                       place: String,
                       (why, is_at_pe): (String, bool),
                       held,
                       cause: &dyn Fn() -> Option<Cause>| {
            let key = (program.place[pe], color, count, [place.clone(), why.clone()]);
            let new = || {
                let (pe, cause) = (program.pe_coord(pe), cause());
                Left { pe, also_on: 0, color, count, place, why, is_at_pe, held, cause }
            };
            groups.entry(key).and_modify(|l| l.also_on += 1).or_insert_with(new);
        };
        for (i, _, pe) in self.pe_array().made() {
            for wait in pe.waits().into_iter().filter(|w| w.who == Waiter::Queue) {
                match wait.on {
                    WaitsFor::Consumer { color, queue, count, blocked, unbound } => {
                        let place =
                            queue.map_or("in its input queue".into(), |q| format!("in input queue {q}"));
                        let why = match (blocked, unbound) {
                            (Some(task), _) => {
                                format!("control task {task} cannot run: the channel is blocked")
                            }
                            (None, Some(id)) => format!("the first one names task {id}, which nothing binds"),
                            (None, None) => self.why_not_taken(i, color),
                        };
                        let cause = || self.unbound(i, color, unbound?);
                        add(i, color, count, place, (why, true), wait.span, &cause);
                    }
                    WaitsFor::Router { color, queue, count } => {
                        let place =
                            queue.map_or("in its output queue".into(), |q| format!("in output queue {q}"));
                        add(
                            i,
                            color,
                            count,
                            place,
                            ("the router accepts no more".into(), false),
                            None,
                            &|| None,
                        );
                    }
                    _ => {}
                }
            }
        }
        for l in &self.fabric().survey().leftovers() {
            let why = (broken_routes::obstacle_words(l), l.obstacle == Obstacle::Pe);
            let place = broken_routes::place_words(l.place);
            add(l.pe, l.color, l.count, place, why, None, &|| broken_routes::at(program, l));
        }
        groups.into_values().collect()
    }
}
