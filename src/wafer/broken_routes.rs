//! The router that breaks the way of a color, as the cause of a wait.

use super::causes::{Cause, route_span};
use crate::arch::{Color, Direction};
use crate::fabric::{BufferPlace, Fabric, Leftover, Obstacle, RouteBreak, RouteGap};
use crate::image::Program;

/// The route on the way to a PE that leads elsewhere, or to nowhere.
pub(super) fn before(program: &Program, fabric: &Fabric, pe: usize, color: Color) -> Option<Cause> {
    let RouteBreak { pe, color, gap } = fabric.survey().break_before(pe, color)?;
    let at = program.pe_coord(pe);
    let beside = |side| program.neighbour(pe, side).map(|next| program.pe_coord(next));
    let (fact, advice) = match gap {
        RouteGap::NoRoute => return None,
        RouteGap::NotToPe => (
            format!("the route of color {color} on {at} does not lead to RAMP"),
            format!("add RAMP to `.tx` of this route, so that {at} receives the color"),
        ),
        RouteGap::Elsewhere(side) => (
            format!(
                "the route of color {color} on {at} does not lead {side}, where {} expects it",
                beside(side)?
            ),
            format!("add {side} to `.tx` of this route"),
        ),
        RouteGap::NothingFrom(side) => (
            format!("{at} expects color {color} from {side}, and {} has no route for it", beside(side)?),
            format!("give {} a route with `.tx = .{{ {} }}`", beside(side)?, side.opposite()),
        ),
        RouteGap::FromOutside(side) => (
            format!("{at} expects color {color} from {side}, where no PE is"),
            "list the side in `.rx` from which the wavelets come".to_string(),
        ),
    };
    Some(Cause { pe: at, span: route_span(program, pe, color)?, fact, also: None, advice })
}

/// The route that does not let through what lies in front of it.
pub(super) fn at(program: &Program, stuck: &Leftover) -> Option<Cause> {
    let Leftover { pe, color, place, .. } = *stuck;
    let at = program.pe_coord(pe);
    let side = match place {
        BufferPlace::Onramp => Direction::Ramp,
        BufferPlace::Link(side) => side,
        BufferPlace::Offramp => return None,
    };
    match stuck.obstacle {
        Obstacle::Closed(side) => Some(Cause {
            pe: at,
            span: route_span(program, pe, color)?,
            also: None,
            fact: format!("the route of color {color} on {at} accepts nothing from {side}"),
            advice: format!("add {side} to `.rx` of this route, or end the route before it"),
        }),
        Obstacle::NoRoute => {
            let before = program.neighbour(pe, side)?;
            Some(Cause {
                pe: at,
                span: route_span(program, before, color)?,
                also: None,
                fact: format!(
                    "{} sends color {color} {} to {at}, which has no route for it",
                    program.pe_coord(before),
                    side.opposite()
                ),
                advice: format!("give {at} a route with `.rx = .{{ {side} }}`, or end the route before it"),
            })
        }
        Obstacle::Teardown | Obstacle::Full(_) | Obstacle::Pe | Obstacle::Host => None,
    }
}
