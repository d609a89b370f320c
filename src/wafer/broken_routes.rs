//! The router that breaks the way of a color, as the cause of a wait.

use super::causes::{Cause, route_span};
use crate::arch::{ArchName, Color, Direction};
use crate::diagnostics::render::grouped;
use crate::fabric::{BufferPlace, Fabric, Leftover, Obstacle, RouteBreak, RouteGap};
use crate::image::Program;
use crate::image::routes::Directions;
use crate::source::Span;

/// The route on the way to a PE that refuses what has been sent, or leads elsewhere, or to nowhere.
pub(super) fn before(program: &Program, fabric: &Fabric, pe: usize, color: Color) -> Option<Cause> {
    let gap = fabric.survey().break_before(pe, color);
    // What lies in front of a router shows which route is wrong; without that, only two routes that do not meet are known.
    refused_at(program, fabric, pe, color)
        .or_else(|| refused_at(program, fabric, gap?.pe, gap?.color))
        .or_else(|| gap_cause(program, gap?))
}

/// The route at the router of a PE that refuses for ever what has come there.
pub(super) fn refused_at(program: &Program, fabric: &Fabric, pe: usize, color: Color) -> Option<Cause> {
    let left = fabric.survey().leftovers_at(pe);
    let is_refused =
        |l: &&Leftover| l.color == color && matches!(l.obstacle, Obstacle::Closed(_) | Obstacle::NoRoute);
    at(program, left.iter().find(is_refused)?)
}

fn gap_cause(program: &Program, broken: RouteBreak) -> Option<Cause> {
    let RouteBreak { pe, color, gap } = broken;
    let at = program.pe_coord(pe);
    let beside = |side| program.neighbour(pe, side).map(|next| program.pe_coord(next));
    let (fact, advice) = match gap {
        RouteGap::NoRoute => return None,
        // The code and the route do not agree on who sends.
        RouteGap::NotToPe if is_sender(program, pe, color) => (
            format!(
                "{at} receives color {color}, but has the route of a PE that sends it: `.rx = .{{ RAMP }}`"
            ),
            format!(
                "check which PEs send color {color}: on {at}, `.rx` must name the side from which it comes"
            ),
        ),
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
            format!("{at} expects color {color} from {side}, where there is no PE"),
            "list the side in `.rx` from which the wavelets come".to_string(),
        ),
    };
    Some(Cause { pe: at, span: route_span(program, pe, color)?, fact, also: None, advice })
}

/// Whether the route of a color on a PE only takes what the PE sends.
fn is_sender(program: &Program, pe: usize, color: Color) -> bool {
    program.routes.get(pe, color).is_some_and(|declared| declared.config.rx == Directions::RAMP)
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
            span: route_span(program, pe, color).or_else(|| sent_here(program, stuck))?,
            also: arrival(program, stuck),
            fact: format!("the route of color {color} on {at} accepts nothing from {side}"),
            advice: accepting_advice(program, pe, color, side),
        }),
        Obstacle::Switch { side, position, open, has_moved } => Some(Cause {
            pe: at,
            span: route_span(program, pe, color)?,
            also: None,
            fact: format!(
                "the switch of color {color} on {at} is in position {position}, which accepts nothing from {side}; \
                 position {open} does"
            ),
            advice: match (open > position, has_moved) {
                (true, _) => format!("send a control wavelet that moves the switch to position {open}"),
                (false, true) => format!(
                    "let position {position} receive from {side}, or send fewer control wavelets that move the switch, \
                     or let it return with `.ring_mode = true`"
                ),
                (false, false) => format!("let the switch begin with `.current_switch_pos = {open}`"),
            },
        }),
        Obstacle::NoRoute if side == Direction::Ramp => Some(Cause {
            pe: at,
            span: sent_here(program, stuck)?,
            also: None,
            fact: format!("{at} sends color {color}, which has no route there"),
            advice: format!("give {at} a route for color {color} with `.rx = .{{ RAMP }}`"),
        }),
        Obstacle::NoRoute => {
            let before = program.neighbour(pe, side)?;
            let route = program.route_to_give(pe, color, side);
            Some(Cause {
                pe: at,
                span: route_span(program, before, color)?,
                also: None,
                fact: format!(
                    "{} sends color {color} {} to {at}, which has no route for it",
                    program.pe_coord(before),
                    side.opposite()
                ),
                advice: format!("give {at} a route with `{route}`, or end the route before it"),
            })
        }
        Obstacle::Teardown | Obstacle::Full(_) | Obstacle::Pe | Obstacle::Host => None,
    }
}

/// The operation that has sent what lies between a PE and its router.
fn sent_here(program: &Program, stuck: &Leftover) -> Option<Span> {
    let is_own = stuck.place == BufferPlace::Onramp;
    program.tile_at(program.pe_coord(stuck.pe))?.first_send(stuck.color).filter(|_| is_own)
}

/// The route that has led wavelets to a router.
fn arrival(program: &Program, stuck: &Leftover) -> Option<(Span, String)> {
    let BufferPlace::Link(side) = stuck.place else { return None };
    let before = program.neighbour(stuck.pe, side)?;
    let text = format!("{} sends it {}", program.pe_coord(before), side.opposite());
    Some((route_span(program, before, stuck.color)?, text))
}

/// How a route has to be written to accept what comes from a side.
fn accepting_advice(program: &Program, pe: usize, color: Color, side: Direction) -> String {
    let is_painted = program.sdk_layout.is_some();
    let setting = |name: &str, set: Directions| {
        let sides: Vec<&str> = set.iter().map(Direction::name).collect();
        match name {
            _ if !is_painted => format!("`.{name} = .{{ {} }}`", sides.join(", ")),
            "rx" => format!("`set_input([Route.{}])`", sides.join(", Route.")),
            _ => format!("`set_output([Route.{}])`", sides.join(", Route.")),
        }
    };
    if let Some((rx, tx)) = program.swapped_route(pe, color, side) {
        let what = if is_painted { "the input and the output" } else { "`.rx` and `.tx`" };
        return format!(
            "{what} of this route are swapped: write {} and {}",
            setting("rx", rx),
            setting("tx", tx)
        );
    }
    let tx = program.route_of(pe, color).map_or(Directions::default(), |route| route.tx);
    let onward: Directions = tx.iter().filter(|to| *to != side).collect();
    let is_single = program.arch == ArchName::Wse3;
    match (is_single || is_painted, onward != tx && !onward.is_empty()) {
        (true, true) => format!(
            "write {} and {} in this route, or end the route before it",
            setting("rx", Directions::only(side)),
            setting("tx", onward)
        ),
        (true, false) => format!(
            "write {} in this route, or end the route before it",
            setting("rx", Directions::only(side))
        ),
        (false, _) => format!("add {side} to `.rx` of this route, or end the route before it"),
    }
}

/// The switch that holds back wavelets of a color and that nothing moves any more.
pub(super) fn at_switch(program: &Program, fabric: &Fabric, color: Color) -> Option<Cause> {
    let left = fabric.survey().leftovers();
    let mut stuck = left.iter().filter(|l| l.color == color);
    at(program, stuck.find(|l| matches!(l.obstacle, Obstacle::Switch { .. }))?)
}

/// The filter that has not let all of the wavelets pass that were sent to a PE; `sent`: how many these are.
pub(super) fn filtered(
    program: &Program,
    fabric: &Fabric,
    (pe, color): (usize, Color),
    sent: u64,
) -> Option<Cause> {
    let survey = fabric.survey();
    let passed = survey.received(pe, color);
    if !survey.has_filter(pe, color) || passed >= sent {
        return None;
    }
    let at = program.pe_coord(pe);
    let fact = match passed {
        0 => format!("the filter of color {color} on {at} has let no wavelet pass"),
        _ => format!(
            "the filter of color {color} on {at} has let {} of {} wavelets pass",
            grouped(passed),
            grouped(sent)
        ),
    };
    let advice = "compare what is sent with the limits of this filter".to_string();
    Some(Cause { pe: at, span: route_span(program, pe, color)?, fact, also: None, advice })
}

/// Where wavelets lie, in a few words.
pub(super) fn place_words(place: BufferPlace) -> String {
    match place {
        BufferPlace::Onramp => "between the PE and its router".to_string(),
        BufferPlace::Link(side) => format!("at the router, arrived from {side}"),
        BufferPlace::Offramp => "between the router and the PE".to_string(),
    }
}

/// Why they cannot go on.
pub(super) fn obstacle_words(stuck: &Leftover) -> String {
    match stuck.obstacle {
        Obstacle::NoRoute => format!("color {} has no route there", stuck.color),
        Obstacle::Closed(side) => format!("the route accepts nothing from {side}"),
        Obstacle::Switch { side, position, open, .. } => format!(
            "the switch is in position {position}, which accepts nothing from {side}; position {open} does"
        ),
        Obstacle::Teardown => "the color is in teardown".to_string(),
        Obstacle::Full(side) => format!("the next router ({side}) is full"),
        Obstacle::Pe => "the PE accepts no more".to_string(),
        Obstacle::Host => "only the host can take it".to_string(),
    }
}
