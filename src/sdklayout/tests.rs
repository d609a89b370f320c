use super::describe::{
    ColorSpec, Connection, Edge, LayoutRegion, Port, PortRef, RoutingPosition, Setting, StreamEnd,
};
use super::plan::{Plan, plan};
use super::*;
use crate::arch::{ArchName, Color, Direction, PeCoord};
use crate::image::routes::Directions;

fn color(name: &str, value: Option<u8>) -> ColorSpec {
    ColorSpec { name: name.to_string(), value }
}

fn ramp() -> Directions {
    Directions::only(Direction::Ramp)
}

fn region(name: &str, area: [u16; 4]) -> LayoutRegion {
    LayoutRegion {
        name: name.to_string(),
        source: "pe.csl".into(),
        area: area.into(),
        placed: true,
        params: Vec::new(),
        paints: Vec::new(),
        ports: Vec::new(),
        symbols: Vec::new(),
    }
}

/// A region with one port, on the color with its number.
fn with_port(area: [u16; 4], input: bool, color: usize, edge: Edge) -> LayoutRegion {
    let position = match input {
        true => RoutingPosition { outputs: ramp(), ..RoutingPosition::default() },
        false => RoutingPosition { inputs: ramp(), ..RoutingPosition::default() },
    };
    let name = format!("port{color}");
    let port = Port { name, input, color, edge, positions: vec![position] };
    LayoutRegion { ports: vec![port], ..region(&format!("region{color}"), area) }
}

fn port(region: usize) -> PortRef {
    PortRef { region, port: 0 }
}

/// Regions with a port each, the even ones connected with the odd ones.
fn pairs(regions: Vec<LayoutRegion>) -> Layout {
    let connections =
        (0..regions.len() / 2).map(|n| Connection { from: port(2 * n), to: port(2 * n + 1) }).collect();
    let colors = (0..regions.len()).map(|n| color(&format!("color{n}"), None)).collect();
    Layout { wafer: (40, 30), colors, regions, connections, streams: Vec::new() }
}

fn planned(layout: &Layout) -> Plan {
    plan(layout, ArchName::Wse3).expect("the layout is fine")
}

/// Follows a color from a PE to the PE on whose ramp it ends.
fn end_of(plan: &Plan, from: PeCoord, color: Color) -> PeCoord {
    let (mut at, mut side) = (from, Direction::Ramp);
    for _ in 0..10_000 {
        let pe = usize::from(at.y) * usize::from(plan.size.0) + usize::from(at.x);
        let config = &plan.routes.get(pe, color).unwrap_or_else(|| panic!("no route on {at}")).config;
        assert!(config.rx.contains(side), "{at} takes nothing from {side}");
        let to = config.tx.iter().next().expect("a route leads somewhere");
        side = to.opposite();
        at = match to {
            Direction::Ramp => return at,
            Direction::North => PeCoord { y: at.y - 1, ..at },
            Direction::South => PeCoord { y: at.y + 1, ..at },
            Direction::East => PeCoord { x: at.x + 1, ..at },
            Direction::West => PeCoord { x: at.x - 1, ..at },
        };
    }
    panic!("the color goes round in circles");
}

fn all_arrive(plan: &Plan, from: impl Fn(u16) -> PeCoord, to: impl Fn(u16) -> PeCoord, count: u16) {
    for n in 0..count {
        assert_eq!(end_of(plan, from(n), Color(plan.colors[0])), to(n));
    }
}

#[test]
fn paths_of_one_connection_do_not_meet_even_if_their_order_turns_around() {
    let from = with_port([14, 2, 1, 10], false, 0, Edge::Right);
    let to = with_port([21, 14, 10, 1], true, 1, Edge::Top);
    let plan = planned(&pairs(vec![from, to]));
    all_arrive(&plan, |n| PeCoord { x: 14, y: 2 + n }, |n| PeCoord { x: 21 + n, y: 14 }, 10);
}

#[test]
fn a_path_goes_around_regions_and_stays_on_the_wafer() {
    let from = with_port([0, 0, 1, 1], false, 0, Edge::Top);
    let to = with_port([39, 29, 1, 1], true, 1, Edge::Bottom);
    let walls = [region("wall1", [3, 0, 1, 25]), region("wall2", [9, 2, 1, 28])];
    let mut layout = pairs(vec![from, to]);
    layout.regions.extend(walls.clone());
    let plan = planned(&layout);
    all_arrive(&plan, |_| PeCoord { x: 0, y: 0 }, |_| PeCoord { x: 39, y: 29 }, 1);
    for at in walls.iter().flat_map(|wall| wall.area.pes()) {
        let pe = usize::from(at.y) * usize::from(plan.size.0) + usize::from(at.x);
        assert!(plan.routes.row(pe).is_empty(), "a path goes through {at}");
    }
}

#[test]
fn a_path_goes_through_a_region_if_there_is_no_way_around() {
    let from = with_port([0, 5, 1, 1], false, 0, Edge::Right);
    let to = with_port([6, 5, 1, 1], true, 1, Edge::Left);
    let mut layout = pairs(vec![from, to]);
    layout.regions.push(region("wall", [3, 0, 1, 30]));
    all_arrive(&planned(&layout), |_| PeCoord { x: 0, y: 5 }, |_| PeCoord { x: 6, y: 5 }, 1);
}

#[test]
fn colors_of_a_connection_are_one_and_meeting_ones_differ() {
    // Two connections that cross.
    let ends = [([0, 5, 1, 1], false), ([8, 5, 1, 1], true), ([4, 0, 1, 1], false), ([4, 9, 1, 1], true)];
    let regions = ends.iter().enumerate().map(|(n, (area, input))| with_port(*area, *input, n, Edge::Left));
    let plan = planned(&pairs(regions.collect()));
    let [a, b, c, d] = plan.colors[..] else { panic!("there are 4 colors") };
    assert!(a == b && c == d && a != c, "{:?}", plan.colors);
}

#[test]
fn numbers_that_the_program_asks_for_are_kept() {
    let from = with_port([0, 0, 1, 1], false, 0, Edge::Left);
    let to = with_port([2, 0, 1, 1], true, 1, Edge::Left);
    let mut layout = pairs(vec![from, to]);
    layout.colors[1].value = Some(17);
    assert_eq!(planned(&layout).colors, [17, 17]);
}

#[test]
fn the_same_layout_gives_the_same_plan() {
    let regions = |_| {
        let from = with_port([0, 0, 1, 6], false, 0, Edge::Right);
        let to = with_port([9, 3, 6, 1], true, 1, Edge::Bottom);
        let plan = planned(&pairs(vec![from, to]));
        let pes = 0..usize::from(plan.size.0) * usize::from(plan.size.1);
        let row = |pe| {
            let of = |(c, id): &(Color, u32)| (*c, plan.routes.declared()[*id as usize].config.clone());
            plan.routes.row(pe).iter().map(of).collect::<Vec<_>>()
        };
        (plan.size, pes.map(row).collect::<Vec<_>>())
    };
    let first = regions(0);
    assert!((1..4).all(|n| regions(n) == first));
}

#[test]
fn a_description_is_read_from_json() {
    let text = r#"{
        "wafer": [10, 10],
        "colors": [{ "name": "c", "value": null }],
        "regions": [{
            "name": "r", "source": "a.csl", "area": [1, 2, 3, 4], "placed": true,
            "params": [{ "area": [0, 0, 1, 1], "name": "p", "value": { "int": -3 } }],
            "paints": [{ "area": [0, 0, 1, 1], "color": 0, "positions": [{ "inputs": ["RAMP"], "outputs": ["EAST"] }] }],
            "ports": [{ "name": "c", "input": false, "color": 0, "edge": "TOP", "positions": [], "size": 4 }],
            "symbols": [{ "name": "s" }]
        }],
        "connections": [],
        "streams": [{
            "name": "x", "input": true, "end": { "at": [{ "x": 1, "y": 2 }, 0] }, "io_loc": null, "buffer": 9
        }]
    }"#;
    let layout = Layout::from_json(text, vec![vec![1, 2]]).expect("it is well formed");
    let region = &layout.regions[0];
    assert_eq!((region.area, region.symbols[0].words.clone()), ([1, 2, 3, 4].into(), vec![1, 2]));
    assert_eq!(region.params[0].value, Setting::Int(-3));
    assert_eq!(region.paints[0].positions[0].inputs, ramp());
    assert_eq!(layout.streams[0].end, StreamEnd::At(PeCoord { x: 1, y: 2 }, 0));
    assert!(Layout::from_json(r#"{ "wafer": [1] }"#, Vec::new()).is_err());
}
