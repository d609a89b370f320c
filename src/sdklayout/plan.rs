//! Everything about a layout that does not depend on the code of its regions: paths, routes, numbers.

use super::classes::{self, Classes};
use super::colors::Problem;
use super::describe::{Layout, PortRef, RoutingPosition};
use super::floorplan::{Floorplan, describe_port};
use super::grid::{PeNumber, WaferSize};
use super::nets::{self, EndKind, Net, NetEnd, NetPurpose};
use super::paths::{RoutingState, between};
use super::places::{self, Relay, describe_end};
use crate::arch::{Arch, ArchName, Color, Direction, PeCoord};
use crate::image::RouteTable;
use crate::image::routes::{self, ColorConfig, Directions, PopMode, Switches};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most routes of a color on one PE: the initial one and three switch positions.
pub const POSITIONS: usize = 4;

/// Routes of classes on PEs.
type PlannedRoutes = FxHashMap<(PeNumber, usize), Vec<RoutingPosition>>;

/// Everything about a layout that does not depend on the code of its regions.
pub struct Plan {
    /// Columns and rows of the program.
    pub size: (u16, u16),
    /// The number of each color.
    pub colors: Vec<u8>,
    /// The routes.
    pub routes: RouteTable,
    /// PEs whose place the host takes.
    pub hosts: Vec<PeCoord>,
    /// Relays: PEs that receive words in the first color and send them in the second.
    pub relays: Vec<(PeCoord, u8, u8)>,
    /// Warnings about likely mistakes, as sentences.
    pub warnings: Vec<String>,
}

/// Finds paths and numbers.
pub fn plan(layout: &Layout, arch: ArchName) -> Result<Plan, String> {
    let arch = arch.numbers();
    check_values(layout, arch)?;
    let floorplan = Floorplan::new(layout)?;
    let mut nets = nets::list(layout, &floorplan)?;
    let mut warnings = unused_ports(layout, &nets);
    let (classes, apart) = classes::unify(layout, &floorplan, &nets)?;
    let mut state = RoutingState::new(layout, &floorplan, &classes);
    let hosts = places::streams(layout, &mut state, &classes, &mut nets)?;
    let relays = places::relays(layout, &mut state, &classes, &mut nets, &apart)?;
    let paths = paths(layout, &mut state, &nets)?;
    let mut routes = painted(&floorplan, &classes);
    for (net, path) in nets.iter().zip(&paths) {
        follow(floorplan.grid, &classes, net, path, &mut routes);
        let class = classes.of[net.from.expect("known").color as usize];
        between(path).iter().for_each(|pe| state.note(*pe, class));
    }
    let numbers = numbers(layout, arch, &state, &classes, &routes)?;
    let used = paths.iter().flatten().chain(&hosts).chain(relays.iter().map(|relay| &relay.pe));
    let size = size(layout, floorplan.grid, used.copied());
    let table = table(layout, &floorplan, &classes, &routes, &numbers, size, &mut warnings);
    let number = |color: u32| numbers[classes.of[color as usize]];
    let relay = |r: &Relay| (floorplan.grid.at(r.pe), number(r.takes), number(r.sends));
    Ok(Plan {
        size,
        colors: classes.of.iter().map(|class| numbers[*class]).collect(),
        routes: table,
        hosts: hosts.into_iter().map(|pe| floorplan.grid.at(pe)).collect(),
        relays: relays.iter().map(relay).collect(),
        warnings,
    })
}

fn check_values(layout: &Layout, arch: &Arch) -> Result<(), String> {
    let last = arch.routable_colors - 1;
    match layout.colors.iter().find_map(|c| c.value.filter(|v| *v > last).map(|v| (c, v))) {
        Some((color, value)) => {
            Err(format!("color '{}' has the value {value}; colors go from 0 to {last}", color.name))
        }
        None => Ok(()),
    }
}

fn unused_ports(layout: &Layout, nets: &[Net]) -> Vec<String> {
    let used: FxHashSet<_> = nets
        .iter()
        .flat_map(|net| [net.from, net.to])
        .flatten()
        .filter_map(|end| if let EndKind::Port(port) = end.kind { Some(port) } else { None })
        .collect();
    let ports = layout.regions.iter().enumerate();
    let all = ports.flat_map(|(region, r)| (0..r.ports.len()).map(move |port| PortRef { region, port }));
    let unused = all.filter(|port| !used.contains(port));
    unused.map(|port| format!("{} is not connected to anything", describe_port(layout, port))).collect()
}

fn paths(layout: &Layout, state: &mut RoutingState<'_>, nets: &[Net]) -> Result<Vec<Vec<PeNumber>>, String> {
    loop {
        match state.route(nets) {
            Ok(paths) => return Ok(paths),
            Err(_) if state.widen() => {}
            Err(n) => {
                let (from, to) = (nets[n].from.expect("known"), nets[n].to.expect("known"));
                let what = match nets[n].cause {
                    NetPurpose::Connection(_) => "connection".to_string(),
                    NetPurpose::Stream(s) => format!("stream '{}'", layout.streams[s].name),
                };
                let name = |end: &NetEnd| {
                    let at = state.grid().at(end.pe);
                    format!("{} at {at}", describe_end(layout, state, end))
                };
                let lost = layout.regions.iter().find(|region| !region.placed);
                let advice = match lost {
                    Some(region) => {
                        format!("place the code region '{}', which is at (0, 0) without that", region.name)
                    }
                    None => "place the code regions farther apart, or use other colors".to_string(),
                };
                return Err(format!(
                    "cannot find a route for the {what} from {} to {}: every path is taken by the same color; \
                     {advice}",
                    name(&from),
                    name(&to)
                ));
            }
        }
    }
}

fn painted(floorplan: &Floorplan, classes: &Classes) -> PlannedRoutes {
    let drafts = floorplan.drafts.iter();
    drafts.map(|((pe, color), d)| ((*pe, classes.of[*color as usize]), d.positions.clone())).collect()
}

/// Adds the routes of a net along its path.
fn follow(grid: WaferSize, classes: &Classes, net: &Net, path: &[PeNumber], routes: &mut PlannedRoutes) {
    let (from, to) = (net.from.expect("known"), net.to.expect("known"));
    let class = classes.of[from.color as usize];
    for pes in path.windows(3) {
        let inputs = Directions::only(grid.side(pes[1], pes[0]));
        let outputs = Directions::only(grid.side(pes[1], pes[2]));
        routes.insert((pes[1], class), vec![RoutingPosition { inputs, outputs }]);
    }
    let last = path.len() - 1;
    let (leaves, arrives) = (grid.side(path[0], path[1]), grid.side(path[last], path[last - 1]));
    let ramp = Directions::only(Direction::Ramp);
    let source = routes
        .entry((from.pe, class))
        .or_insert_with(|| vec![RoutingPosition { inputs: ramp, ..RoutingPosition::default() }]);
    join(source, &from, leaves, |position| &mut position.outputs);
    let target = routes
        .entry((to.pe, class))
        .or_insert_with(|| vec![RoutingPosition { outputs: ramp, ..RoutingPosition::default() }]);
    join(target, &to, arrives, |position| &mut position.inputs);
}

/// Opens a side of the route at an end.
fn join(
    route: &mut [RoutingPosition],
    end: &NetEnd,
    side: Direction,
    of: impl Fn(&mut RoutingPosition) -> &mut Directions,
) {
    match end.kind {
        EndKind::Port(_) | EndKind::Alone => drop(of(&mut route[0]).insert(side)),
        EndKind::Painted(old) => {
            for position in route {
                let all = of(position);
                if all.contains(old) {
                    *all = all.iter().filter(|d| *d != old).chain([side]).collect();
                }
            }
        }
    }
}

/// The number of each class.
fn numbers(
    layout: &Layout,
    arch: &Arch,
    state: &RoutingState<'_>,
    classes: &Classes,
    routes: &PlannedRoutes,
) -> Result<Vec<u8>, String> {
    let mut switched = vec![false; classes.count];
    for ((_, class), positions) in routes {
        switched[*class] |= positions.len() > 1;
    }
    let meetings = state.meetings(|a, b| classes.values[a].is_some() && classes.values[b].is_some());
    let problem = Problem { arch, values: &classes.values, switched: &switched, meetings: &meetings };
    for (class, value) in classes.values.iter().enumerate() {
        if let Some(value) = value.filter(|value| !problem.allows(class, *value)) {
            let of_class = |n: &usize| classes.of[*n] == class;
            let names = names(layout, (0..layout.colors.len()).filter(of_class));
            return Err(format!(
                "color {names} has switch positions and the value {value}, and on {} only {} have switches; give \
                 it one of these values, or none",
                arch.word,
                with_switches(arch)
            ));
        }
    }
    problem.solve().map_err(|class| {
        let (pe, all) = state.most_congested(class);
        let one_of = |class: &u32| (0..layout.colors.len()).find(|n| classes.of[*n] == *class as usize);
        let here = names(layout, all.iter().filter_map(one_of));
        let own = names(layout, (0..layout.colors.len()).filter(|n| classes.of[*n] == class));
        let switches = if switched[class] {
            format!(", and a color with switch positions must be one of {}", with_switches(arch))
        } else {
            String::new()
        };
        format!(
            "there is no free color for {own}: on {} it meets others, {} in total ({here}), and a router has {} \
             colors{switches}; use fewer colors there, or place the code regions farther apart",
            state.grid().at(pe),
            all.len(),
            arch.routable_colors
        )
    })
}

fn names(layout: &Layout, colors: impl Iterator<Item = usize>) -> String {
    let names: Vec<String> = colors.map(|n| format!("'{}'", layout.colors[n].name)).collect();
    names.join(", ")
}

fn with_switches(arch: &Arch) -> String {
    let all = (0..arch.routable_colors).filter(|n| arch.switch_colors & 1 << n != 0);
    all.map(|n| n.to_string()).collect::<Vec<_>>().join(", ")
}

/// The smallest rectangle from (0, 0) that holds everything.
fn size(layout: &Layout, grid: WaferSize, used: impl Iterator<Item = PeNumber>) -> (u16, u16) {
    let areas = layout.regions.iter().map(|r| (r.area.x + r.area.w, r.area.y + r.area.h));
    let pes = used.map(|pe| (grid.at(pe).x + 1, grid.at(pe).y + 1));
    areas.chain(pes).fold((1, 1), |(w, h), (x, y)| (w.max(x), h.max(y)))
}

fn table(
    layout: &Layout,
    floorplan: &Floorplan,
    classes: &Classes,
    all: &PlannedRoutes,
    numbers: &[u8],
    (width, height): (u16, u16),
    warnings: &mut Vec<String>,
) -> RouteTable {
    let mut table = RouteTable::new(usize::from(width) * usize::from(height));
    let mut sorted: Vec<_> = all.iter().collect();
    sorted.sort_unstable_by_key(|((pe, class), _)| (*pe, numbers[*class]));
    let mut configured = FxHashSet::default();
    for ((pe, class), positions) in sorted {
        let at = floorplan.grid.at(*pe);
        let (config, turns_both) = config(positions);
        if turns_both && configured.insert(*class) {
            let color = (0..layout.colors.len()).find(|n| classes.of[*n] == *class).unwrap_or_default();
            warnings.push(format!(
                "a switch position of color '{}' on {at} changes both input and output, but a switch position can \
                 change only one of them",
                layout.colors[color].name
            ));
        }
        let pe = usize::from(at.y) * usize::from(width) + usize::from(at.x);
        table.set(pe, Color(numbers[*class]), config, None);
    }
    table
}

/// A route with its switch positions as a configuration; and whether a position changes both sides.
fn config(positions: &[RoutingPosition]) -> (ColorConfig, bool) {
    let first = positions.first().cloned().unwrap_or_default();
    let mut config = ColorConfig { rx: first.inputs, tx: first.outputs, ..ColorConfig::default() };
    if positions.len() < 2 {
        return (config, false);
    }
    let mut switches = Switches { pop: PopMode::OnAdvance, ..Switches::NONE };
    let (mut before, mut turns_both) = (first, false);
    for (n, position) in positions.iter().skip(1).take(POSITIONS - 1).enumerate() {
        let change = |new: Directions, old: Directions| (!new.is_empty() && new != old).then_some(new);
        let rx = change(position.inputs, before.inputs);
        let tx = change(position.outputs, before.outputs);
        turns_both |= rx.is_some() && tx.is_some();
        switches.positions[n] = Some(routes::Position { rx, tx });
        before =
            RoutingPosition { inputs: rx.unwrap_or(before.inputs), outputs: tx.unwrap_or(before.outputs) };
    }
    config.switches = Some(switches);
    (config, turns_both)
}
