//! Computes the routers that wavelets of each color can reach, for any position of the switches.

use crate::arch::config::{BYTE_WINDOW, ConfigWord, PeBlock};
use crate::arch::{ArchName, COLORS, Color, Direction, MESSAGE_COLOR};
use crate::fabric::{PositionSides, Route, Routes, received_on};
use crate::image::code::{Intrinsic, Op};
use crate::image::routes::Directions;
use crate::image::{Function, Program, TileImage};
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Why a wavelet cannot continue.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum DeadEndCause {
    /// The router has no route for the color, or none from this side.
    Refused,
    /// The route has no output.
    Nowhere,
    /// The route leaves the rectangle on this side.
    Edge(Direction),
}

/// A router where wavelets cannot continue.
#[derive(Copy, Clone, Debug)]
pub struct DeadEnd {
    /// The router.
    pub pe: usize,
    /// Their color there.
    pub color: Color,
    /// Their color at the previous router.
    pub sent_as: Color,
    /// The side that they arrive from.
    pub side: Direction,
    /// What stops them.
    pub end: DeadEndCause,
}

/// A wavelet that has arrived at a router.
#[derive(Copy, Clone)]
struct Arrival {
    pe: u32,
    color: Color,
    sent_as: Color,
    side: Direction,
}

/// Everything that the senders of a program can reach.
pub struct ColorFlow<'p> {
    /// The program.
    pub program: &'p Program,
    routes: Routes,
    /// Sides from which each color reaches each router.
    reached: Vec<Directions>,
    open: Vec<Arrival>,
    /// Whether to follow only wavelets that are sent in every run.
    only_certain: bool,
    /// Colors of control wavelets, bit = color.
    controls: u32,
    /// Colors whose routes the program changes while it runs, bit = color.
    rerouted: u32,
    /// Where wavelets that are certain to be sent cannot continue.
    pub dead_ends: Vec<DeadEnd>,
}

/// A color at a router.
pub type Node = (usize, Color);

/// What a tile sends, and which routes it changes.
struct SendSummary {
    /// Colors that it sends whenever it runs.
    certain: Vec<Color>,
    /// Colors that it may send.
    sends: Vec<Color>,
    /// Colors of control wavelets, bit = color.
    controls: u32,
    /// Colors whose routes it may change while it runs, so that nothing is known about them.
    reroutes: u32,
}

impl<'p> ColorFlow<'p> {
    /// Follows every color from every PE that sends it.
    pub fn new(program: &'p Program) -> ColorFlow<'p> {
        let mut effects = FunctionEffects::default();
        let habits: Vec<SendSummary> =
            program.tiles.iter().map(|t| SendSummary::of(program, t, &mut effects)).collect();
        let mut flow = ColorFlow {
            program,
            routes: Routes::new(program),
            reached: Vec::new(),
            open: Vec::new(),
            only_certain: false,
            controls: habits.iter().fold(0, |all, h| all | h.controls),
            rerouted: habits.iter().fold(0, |all, h| all | h.reroutes),
            dead_ends: Vec::new(),
        };
        // A program without any route is a fragment, so its fabric is unknown.
        if program.routes.declared().is_empty() || habits.iter().all(|h| h.sends.is_empty()) {
            return flow;
        }
        flow.reached = vec![Directions::NONE; program.place.len() * COLORS];
        flow.only_certain = true;
        flow.follow_all(&habits, |h| &h.certain);
        flow.only_certain = false;
        flow.reached.fill(Directions::NONE);
        flow.follow_all(&habits, |h| &h.sends);
        flow
    }

    fn follow_all(&mut self, habits: &[SendSummary], colors: impl Fn(&SendSummary) -> &[Color]) {
        for (pe, tile) in self.program.place.iter().enumerate() {
            for color in habits.get(*tile as usize).map_or(&[][..], &colors) {
                self.enter(pe, *color, Direction::Ramp);
            }
            // Following one PE at a time keeps the worklist short.
            while let Some(arrival) = self.open.pop() {
                self.follow(arrival);
            }
        }
    }

    fn enter(&mut self, pe: usize, sent_as: Color, side: Direction) {
        if self.rerouted & 1 << sent_as.0 != 0 {
            return;
        }
        let (first, second) = self.received_on(pe, sent_as, side);
        for color in [Some(first), second].into_iter().flatten() {
            let seen = &mut self.reached[pe * COLORS + usize::from(color.0)];
            if seen.insert(side) {
                self.open.push(Arrival { pe: pe as u32, color, sent_as, side });
            }
        }
    }

    fn follow(&mut self, at: Arrival) {
        let Arrival { pe, color, sent_as, side } = at;
        let pe = pe as usize;
        let route = self.route(pe, color);
        // Code that ends a teardown sets new routes, so the routes after it are unknown.
        if route.teardown {
            return;
        }
        let accepting = route.gates().iter().filter(|g| g.rx.contains(side));
        let (accepted, all) =
            accepting.fold((false, Directions::NONE), |(_, all), gate| (true, all | gate.tx));
        // The time of a switch is unknown, so only the first position is certain to be used.
        let first = if route.gates().is_empty() { PositionSides::default() } else { route.gate(route.start) };
        let targets = match self.only_certain {
            true if first.rx.contains(side) => first.tx,
            true => Directions::NONE,
            false => all,
        };
        let is_fixed = route.gates().len() < 2;
        if !accepted || is_fixed && targets.is_empty() {
            let end = if accepted { DeadEndCause::Nowhere } else { DeadEndCause::Refused };
            return self.stop(DeadEnd { pe, color, sent_as, side, end });
        }
        for target in targets.iter().filter(|t| *t != Direction::Ramp) {
            match self.program.neighbour(pe, target) {
                Some(next) => self.enter(next, color, target.opposite()),
                None => self.stop(DeadEnd { pe, color, sent_as, side, end: DeadEndCause::Edge(target) }),
            }
        }
    }

    fn stop(&mut self, end: DeadEnd) {
        if self.only_certain {
            self.dead_ends.push(end);
        }
    }

    /// The route of a color on a PE.
    pub fn route(&self, pe: usize, color: Color) -> &Route {
        self.routes.get(self.routes.of(self.program, pe, color))
    }

    fn received_on(&self, pe: usize, color: Color, side: Direction) -> (Color, Option<Color>) {
        received_on(color, side, |c| self.route(pe, c))
    }

    /// Where the route was declared.
    pub fn declared(&self, pe: usize, color: Color) -> Option<Span> {
        self.program.routes.get(pe, color)?.span
    }

    /// Every color at every router that wavelets can reach, with the sides from which they come.
    pub fn reached(&self) -> impl Iterator<Item = (usize, Color, Directions)> {
        let all = self.reached.iter().enumerate().filter(|(_, sides)| !sides.is_empty());
        all.map(|(i, sides)| (i / COLORS, Color((i % COLORS) as u8), *sides))
    }

    /// The sides from which a color reaches a router that lets them in.
    pub fn inputs(&self, pe: usize, color: Color) -> Directions {
        let reached = self.reached.get(pe * COLORS + usize::from(color.0)).copied().unwrap_or_default();
        reached & self.route(pe, color).widest().rx
    }

    /// The routers that the wavelets of a router reach next.
    pub fn next(&self, (pe, color): Node) -> impl Iterator<Item = Node> {
        let inputs = self.inputs(pe, color);
        let open = self.route(pe, color).gates().iter().filter(|g| g.rx.meets(inputs));
        let targets =
            open.fold(Directions::NONE, |all, gate| all | gate.tx).iter().filter(|t| *t != Direction::Ramp);
        targets.flat_map(move |target| {
            let next = self.program.neighbour(pe, target);
            let side = target.opposite();
            let landed = next.map(|next| (next, self.received_on(next, color, side)));
            let nodes = landed.into_iter().flat_map(|(next, (first, second))| {
                [Some(first), second].into_iter().flatten().map(move |c| (next, c))
            });
            nodes.filter(move |(next, c)| self.inputs(*next, *c).contains(side))
        })
    }

    /// Index of a color at a router, in lists with an entry for each.
    pub fn place(&self, (pe, color): Node) -> usize {
        pe * COLORS + usize::from(color.0)
    }

    /// Number of such entries; zero if nothing is sent.
    pub fn places(&self) -> usize {
        self.reached.len()
    }

    /// Whether control wavelets of a color are sent anywhere; some of them reach no PE.
    pub fn has_control(&self, color: Color) -> bool {
        self.controls & 1 << color.0 != 0
    }
}

impl SendSummary {
    fn of(program: &Program, tile: &TileImage, effects: &mut FunctionEffects) -> SendSummary {
        let to_host = |c: &Color| program.memcpy.as_ref().is_some_and(|m| m.d2h.contains(&Some(*c)));
        let functions = tile.functions.iter().map(|f| effects.of(program.arch, f));
        let (sends_messages, reroutes) =
            functions.fold((false, 0), |(sends, colors), (s, c)| (sends | s, colors | c));
        // Messages follow no route, and wavelets for the host need none.
        let is_unrouted = |c: &Color| to_host(c) || sends_messages && *c == MESSAGE_COLOR;
        let always = tile.certain();
        let sends: Vec<_> = tile.sends().collect();
        let colors = |only: bool| {
            let ops = sends.iter().filter(|s| !only || s.is_sure && always.contains(s.op));
            let mut all: Vec<Color> = ops.filter_map(|s| s.color).filter(|c| !is_unrouted(c)).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let control = sends.iter().filter(|s| s.control).filter_map(|s| s.color);
        let controls = control.fold(0, |all, color| all | 1 << color.0);
        SendSummary { certain: colors(true), sends: colors(false), controls, reroutes }
    }
}

/// What functions do beside their operations on vectors, by their places in memory: tiles share most of them.
#[derive(Default)]
struct FunctionEffects(FxHashMap<usize, (bool, u32)>);

impl FunctionEffects {
    /// Whether a function sends messages, and the colors whose routes it may change, bit = color.
    fn of(&mut self, arch: ArchName, function: &Arc<Function>) -> (bool, u32) {
        let is_message = |op: &Op| matches!(op, Op::Intrinsic { id: Intrinsic::SendMessage, .. });
        let looked_at = || (function.code.iter().any(is_message), rerouted(arch, function));
        *self.0.entry(Arc::as_ptr(function).addr()).or_insert_with(looked_at)
    }
}

/// Colors whose routes a function may change, bit = color.
fn rerouted(arch: ArchName, function: &Function) -> u32 {
    function.code.iter().enumerate().fold(0, |all, (pc, op)| {
        let address = match *op {
            Op::Intrinsic { id: Intrinsic::ConfigWrite, base } => function.constant_before(pc, base),
            Op::Store { a, .. } => match function.constant(a) {
                Some(address) if BYTE_WINDOW.contains(&address) => Some(address / 2),
                _ => return all,
            },
            Op::StoreAt { addr, .. } if BYTE_WINDOW.contains(&addr.into()) => Some(u64::from(addr) / 2),
            _ => return all,
        };
        all | match address.map(|a| ConfigWord::at(arch, a as u16)) {
            // Operations send the color that the queue has by then.
            Some(Some(ConfigWord::Pe(PeBlock::InputQueueConfig | PeBlock::OutputQueueConfig, _))) => u32::MAX,
            Some(Some(ConfigWord::Pe(..) | ConfigWord::Filter(..)) | None) => 0,
            Some(Some(ConfigWord::Routes(c))) => 1 << c.0 | 1 << (c.0 ^ 1),
            Some(Some(ConfigWord::Switch(c) | ConfigWord::Position(c, _))) => 1 << c.0,
            None => u32::MAX,
        }
    })
}
