//! Routes in the form that routers use: sets of directions per switch position.

use super::control::SwitchCommand;
use crate::arch::{COLORS, Color, Direction};
use crate::image::Program;
use crate::image::routes::{ColorConfig, Directions, Filter, Inject, PopMode};
use rustc_hash::FxHashMap;

/// The number of a route in [`Routes`].
pub type RouteId = u32;

/// What a router lets through in one switch position.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionSides {
    /// Sides that wavelets may come from.
    pub rx: Directions,
    /// Sides they go to.
    pub tx: Directions,
}

/// The configuration of a color, shared by all routers that have the same.
#[derive(Clone, Debug, Default)]
pub struct Route {
    positions: [PositionSides; 4],
    count: u8,
    /// The position at the start.
    pub start: u8,
    ring: bool,
    /// When control wavelets lose their first command.
    pub pop: PopMode,
    /// Swaps arrivals from east and west with the partner color.
    pub swap_x: bool,
    /// Swaps arrivals from north and south with the partner color.
    pub swap_y: bool,
    /// Keeps wavelets from the PE.
    pub filter: Option<Filter>,
    /// Starts suspended.
    pub teardown: bool,
    /// The buffers move the switch, not commands.
    pub inject: Option<Inject>,
}

impl Route {
    /// What a configuration says.
    pub fn new(config: &ColorConfig) -> Route {
        let base = PositionSides { rx: config.rx, tx: config.tx };
        let mut route = Route {
            positions: [base; 4],
            count: 1,
            pop: PopMode::NoPop,
            swap_x: config.swap_x,
            swap_y: config.swap_y,
            filter: config.filter.clone(),
            teardown: config.teardown,
            inject: config.inject,
            ..Route::default()
        };
        if config.inject.is_some() {
            return route.injecting(config);
        }
        let Some(switches) = &config.switches else { return route };
        // The first invalid position ends the sequence. A position changes one side of the one
        // before it (docs/decisions.md).
        let mut gate = base;
        for (i, p) in switches.positions.iter().map_while(Option::as_ref).enumerate() {
            gate = PositionSides { rx: p.rx.unwrap_or(gate.rx), tx: p.tx.unwrap_or(gate.tx) };
            route.positions[i + 1] = gate;
            route.count += 1;
        }
        route.start = switches.current.min(route.count - 1);
        route.ring = switches.ring;
        route.pop = switches.pop;
        route
    }

    /// Position 0 takes from the fabric, position 1 from the PE.
    fn injecting(mut self, config: &ColorConfig) -> Route {
        let to = config.switches.as_ref().and_then(|s| s.positions[0]?.tx);
        self.positions[0].rx.remove(Direction::Ramp);
        self.positions[1] = PositionSides { rx: Directions::RAMP, tx: to.unwrap_or(config.tx) };
        self.count = 2;
        self.pop = config.switches.as_ref().map_or(PopMode::NoPop, |s| s.pop);
        self
    }

    /// The gate of a position.
    pub fn gate(&self, position: u8) -> PositionSides {
        self.positions[usize::from(position)]
    }

    /// What each position lets through, in order.
    pub fn gates(&self) -> &[PositionSides] {
        &self.positions[..usize::from(self.count)]
    }

    /// What any position lets through.
    pub fn widest(&self) -> PositionSides {
        self.gates()
            .iter()
            .fold(PositionSides::default(), |g, p| PositionSides { rx: g.rx | p.rx, tx: g.tx | p.tx })
    }

    /// The position to which a command moves the switch.
    pub fn after(&self, position: u8, command: SwitchCommand) -> u8 {
        match command {
            _ if self.inject.is_some() => position,
            SwitchCommand::Advance => self.next(position),
            SwitchCommand::Reset => 0,
            SwitchCommand::Nop | SwitchCommand::Teardown => position,
        }
    }

    /// The position after this one: the last stays, or goes back to 0 in ring mode.
    fn next(&self, position: u8) -> u8 {
        match position + 1 < self.count {
            true => position + 1,
            false if self.ring => 0,
            false => position,
        }
    }

    /// Whether the color is configured at all.
    pub fn exists(&self) -> bool {
        self.count > 0
    }
}

/// The colors on which a router receives a wavelet of one color from one side: its own, the
/// partner's, or both, as the color swap says.
pub fn received_on<'r>(
    color: Color,
    side: Direction,
    route: impl Fn(Color) -> &'r Route,
) -> (Color, Option<Color>) {
    let partner = Color(color.0 ^ 1);
    let swaps = |c| {
        let route = route(c);
        match side {
            Direction::East | Direction::West => route.swap_x,
            Direction::North | Direction::South => route.swap_y,
            Direction::Ramp => route.swap_x && route.swap_y,
        }
    };
    // A color without a route at this router cannot hold up its wavelets, so the partner gets all of them.
    let is_known = || route(color).exists();
    match (swaps(color), swaps(partner)) {
        (true, true) => (partner, None),
        (false, true) if !is_known() => (partner, None),
        (false, true) => (color, Some(partner)),
        (_, false) => (color, None),
    }
}

/// The most distinct rows of routes for which a table by color is built.
const FEW_ROWS: usize = 1024;

/// The routes of a program; number 0 is that of a color which is not configured.
#[derive(Clone)]
pub struct Routes {
    all: Vec<Route>,
    /// What each of them was made of.
    configs: Vec<ColorConfig>,
    /// For each distinct row of the route table, the route of each color; empty if there are too many rows. The
    /// checks of a large layout look up each color of each PE several times.
    rows: Vec<[RouteId; COLORS]>,
    locals: Vec<Vec<(Color, RouteId)>>,
    /// Configurations that the program has made while running.
    made: FxHashMap<ColorConfig, RouteId>,
}

impl Routes {
    /// Number 0.
    pub const NONE: RouteId = 0;

    /// The distinct routes of a program.
    pub fn new(program: &Program) -> Routes {
        let mut routes = Routes {
            all: vec![Route::default()],
            configs: vec![ColorConfig::default()],
            rows: Vec::new(),
            locals: Vec::new(),
            made: FxHashMap::default(),
        };
        for declared in program.routes.declared() {
            routes.add(&declared.config);
        }
        if program.routes.rows() <= FEW_ROWS {
            routes.rows.resize(program.routes.rows(), [Routes::NONE; COLORS]);
            for (row, of_row) in routes.rows.iter_mut().enumerate() {
                let known = program.routes.row_at(row as u32);
                known.iter().for_each(|(color, id)| of_row[usize::from(color.0) % COLORS] = id + 1);
            }
        }
        for tile in &program.tiles {
            let row = tile.local_routes.iter().map(|(color, config, _)| (*color, routes.add(config)));
            let row = row.collect();
            routes.locals.push(row);
        }
        routes
    }

    fn add(&mut self, config: &ColorConfig) -> RouteId {
        self.all.push(Route::new(config));
        self.configs.push(config.clone());
        self.all.len() as RouteId - 1
    }

    /// The configuration behind a route.
    pub fn config(&self, id: RouteId) -> &ColorConfig {
        &self.configs[id as usize]
    }

    /// The route of a configuration that a program has made while running.
    pub fn made(&mut self, config: ColorConfig) -> RouteId {
        if let Some(id) = self.made.get(&config) {
            return *id;
        }
        let id = self.add(&config);
        self.made.insert(config, id);
        id
    }

    /// The route of a color on a PE.
    pub fn of(&self, program: &Program, pe: usize, color: Color) -> RouteId {
        let declared = match program.routes.row_of(pe).and_then(|row| self.rows.get(row as usize)) {
            Some(row) => row[usize::from(color.0) % COLORS],
            None => {
                let row = program.routes.row(pe);
                row.binary_search_by_key(&color, |(c, _)| *c).map_or(Routes::NONE, |at| row[at].1 + 1)
            }
        };
        if declared != Routes::NONE {
            return declared;
        }
        let tile = program.place.get(pe).and_then(|t| self.locals.get(*t as usize));
        let local = tile.and_then(|row| row.iter().find(|(c, _)| *c == color));
        local.map_or(Routes::NONE, |(_, id)| *id)
    }

    /// A route by its number.
    pub fn get(&self, id: RouteId) -> &Route {
        &self.all[id as usize]
    }
}
