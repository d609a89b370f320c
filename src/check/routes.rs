//! Checks of routes: dead ends, loops, competing inputs, and wavelets that nothing receives.

use super::flow::{ColorFlow, DeadEnd, DeadEndCause, Node};
use crate::arch::{ArchName, Color, Direction, MEMCPY_COLORS};
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::{
    check as rules,
    tasks::{UNROUTED_ASYNC, UNROUTED_COLOR},
};
use crate::diagnostics::{Diag, Diagnostic, counted};
use crate::fabric::PositionSides;
use crate::image::routes::Directions;
use crate::image::{OperandRole, Program, TaskKind, TileImage};
use crate::source::Span;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// Number of PEs of a loop that the message lists.
const NAMED: usize = 6;

/// Checks the routes of a program.
pub fn check(program: &Program) -> Vec<Diagnostic> {
    let flow = ColorFlow::new(program);
    let mut found = Folded::default();
    // Wavelets that leave the rectangle are lost; a run counts them.
    let ends = flow.dead_ends.iter().filter(|end| !matches!(end.end, DeadEndCause::Edge(_)));
    // What is sent on a color of `<memcpy>` is an error of its own.
    let is_reserved = |color: Color| program.memcpy.is_some() && MEMCPY_COLORS.contains(&color.0);
    let ends = ends.filter(|end| !is_reserved(end.sent_as));
    let ends = ends.map(|end| dead_end(&flow, end));
    // An asynchronous operation only waits, and a run reports that.
    ends.filter(|c| c.rule() != UNROUTED_ASYNC.name).for_each(|c| found.add(c));
    circles(&flow, &mut found);
    let mut takers = ByTile::default();
    for (pe, color, _) in flow.reached() {
        passes_by(&flow, pe, color, &mut takers, &mut found);
        shared_number(&flow, pe, color, &mut found);
    }
    found.finish()
}

/// Competing inputs, and wavelets that nothing receives. Whether these happen depends on timing and filters.
pub fn possible(program: &Program) -> Vec<Diagnostic> {
    let flow = ColorFlow::new(program);
    let circular = circles(&flow, &mut Folded::default());
    let (mut found, mut takers) = (Folded::default(), ByTile::default());
    edges(&flow).for_each(|c| found.add(c));
    let ends = flow.dead_ends.iter().map(|end| dead_end(&flow, end));
    ends.filter(|c| c.rule() == UNROUTED_ASYNC.name).for_each(|c| found.add(c));
    for (pe, color, _) in flow.reached() {
        // A loop has an entry as well as the loop itself, so it also has several inputs: that is the same
        // mistake.
        if circular & 1 << color.0 == 0 {
            several_inputs(&flow, pe, color, &mut found);
        }
        nobody_takes(&flow, pe, color, &mut takers, &mut found);
    }
    found.finish()
}

/// Answers of tiles about colors, each asked for once: many PEs have the same tile.
struct ByTile<T>(FxHashMap<(u32, Color), T>);

impl<T> Default for ByTile<T> {
    fn default() -> ByTile<T> {
        ByTile(FxHashMap::default())
    }
}

impl<T: Clone> ByTile<T> {
    /// The answer of the tile of a PE; `None` if it has no code.
    fn of(&mut self, program: &Program, (pe, color): Node, ask: impl FnOnce(&TileImage) -> T) -> Option<T> {
        let number = program.place[pe];
        let tile = program.tiles.get(number as usize)?;
        Some(self.0.entry((number, color)).or_insert_with(|| ask(tile)).clone())
    }
}

/// What is to take a color: its name, where it stands, and what becomes of it if nothing comes.
type Taker = (String, Span, &'static str);

/// The key of a diagnostic: its rule, its source location and the other location that it shows.
type DiagnosticKey = (Cow<'static, str>, Option<Span>, Option<Span>);

/// Merges equal diagnostics about many PEs.
#[derive(Default)]
struct Folded(IndexMap<DiagnosticKey, (Diag, u64)>);

impl Folded {
    fn add(&mut self, c: Diag) {
        let other = c.0.others.first().map(|l| l.span);
        let place = c.0.primary.as_ref().map(|l| l.span);
        // One operation or task that several routes bypass is one mistake.
        let is_bypass = c.0.rule == rules::ROUTE_WITHOUT_RAMP.name;
        let key = (c.0.rule.clone(), place.filter(|_| !is_bypass), other);
        self.0.entry(key).and_modify(|(_, more)| *more += 1).or_insert((c, 0));
    }

    fn finish(self) -> Vec<Diagnostic> {
        let all = self.0.into_values().map(|(c, more)| match more {
            0 => c.into(),
            1 => c.note("the same on 1 other PE").into(),
            n => c.note(format!("the same on {n} other PEs")).into(),
        });
        all.collect()
    }
}

fn at(c: Diag, span: Option<Span>) -> Diag {
    match span {
        Some(span) => c.at(span),
        None => c,
    }
}

fn also(c: Diag, span: Option<Span>, text: String) -> Diag {
    match span {
        Some(span) => c.also(span, text),
        None => c,
    }
}

/// The first place at which each color leaves the rectangle.
fn edges<'f>(flow: &'f ColorFlow<'_>) -> impl Iterator<Item = Diag> + 'f {
    let mut ends: Vec<_> =
        flow.dead_ends.iter().filter(|end| matches!(end.end, DeadEndCause::Edge(_))).collect();
    ends.sort_by_key(|end| (end.color, end.pe));
    ends.dedup_by_key(|end| (end.color, end.pe));
    let colors: Vec<_> = ends.chunk_by(|a, b| a.color == b.color).map(<[_]>::to_vec).collect();
    colors.into_iter().map(|ends| {
        let c = dead_end(flow, ends[0]);
        match ends.len() {
            1 => c,
            n => c.note(format!("the same on {}", counted(n as u64 - 1, "other PE"))),
        }
    })
}

/// A data task for a color of which wavelets only pass.
fn passes_by(
    flow: &ColorFlow<'_>,
    pe: usize,
    color: Color,
    takers: &mut ByTile<Option<Taker>>,
    found: &mut Folded,
) {
    let program = flow.program;
    let here = program.pe_coord(pe);
    let gates = flow.route(pe, color).gates();
    let leads_on = gates.iter().any(|gate| !gate.tx.is_empty());
    let passes = leads_on && !(flow.inputs(pe, color) - Directions::RAMP).is_empty();
    if !passes || gates.iter().any(|gate| gate.tx.contains(Direction::Ramp)) {
        return;
    }
    let taker = takers.of(program, (pe, color), |tile| certain_taker(program.arch, tile, color)).flatten();
    let Some((what, span, fate)) = taker else { return };
    let facts: [(&str, &dyn std::fmt::Display); 3] = [("color", &color), ("pe", &here), ("what", &what)];
    let c = at(rules::ROUTE_WITHOUT_RAMP.because(&facts), flow.declared(pe, color));
    found.add(c.label(format!("does not lead to RAMP on {here}")).also(span, fate));
}

/// The data task of a color, or an operation that is certain to take it.
fn certain_taker(arch: ArchName, tile: &TileImage, color: Color) -> Option<Taker> {
    if let Some(task) = tile.data_task(arch, color) {
        return Some((format!("`{}`", task.name), task.span, "never runs"));
    }
    let certain = tile.certain();
    let mut takes = tile.takes().filter(|t| t.color == Some(color) && t.is_sure);
    let take = takes.find(|t| certain.contains(t.op))?;
    Some(("an operation".to_string(), take.span, "receives nothing"))
}

/// A local task with the number of a color that comes to its PE: on WSE-2 a wavelet activates the task of that number
/// unless an operation takes it (reference, task ids).
fn shared_number(flow: &ColorFlow<'_>, pe: usize, color: Color, found: &mut Folded) {
    let program = flow.program;
    if program.arch != ArchName::Wse2 || !comes_to_pe(flow, pe, color) {
        return;
    }
    let here = program.pe_coord(pe);
    let Some(tile) = program.tile_at(here) else { return };
    let of = |kind| tile.tasks.iter().find(|task| task.kind == kind && task.id.0 == color.0);
    // `@bind_task` may bind a task to both, the color and its number.
    let Some(task) = of(TaskKind::Local).filter(|_| of(TaskKind::Data).is_none()) else { return };
    let facts: [(&str, &dyn std::fmt::Display); 3] = [("task", &task.name), ("id", &task.id), ("pe", &here)];
    let c = rules::TASK_ID_OF_COLOR.because(&facts).at(task.span);
    found.add(also(c, flow.declared(pe, color), format!("leads color {color} to RAMP on {here}")));
}

/// Whether wavelets of a color can go down the ramp of a PE.
fn comes_to_pe(flow: &ColorFlow<'_>, pe: usize, color: Color) -> bool {
    let inputs = flow.inputs(pe, color);
    let to_ramp = |gate: &PositionSides| gate.rx.meets(inputs) && gate.tx.contains(Direction::Ramp);
    flow.route(pe, color).gates().iter().any(to_ramp)
}

fn dead_end(flow: &ColorFlow<'_>, end: &DeadEnd) -> Diag {
    let DeadEnd { pe, color, sent_as, side, end: cause } = *end;
    let here = flow.program.pe_coord(pe);
    let own = flow.declared(pe, color);
    match cause {
        DeadEndCause::Edge(to) => {
            let facts: [(&str, &dyn std::fmt::Display); 3] =
                [("color", &color), ("pe", &here), ("side", &to)];
            at(rules::ROUTE_OFF_EDGE.because(&facts), own).label(format!("goes {to} on {here}"))
        }
        DeadEndCause::Nowhere => {
            let c = at(rules::ROUTE_NOWHERE.because(&[("color", &color), ("pe", &here)]), own);
            c.note(format!("wavelets come from {side} and are dropped there"))
                .help("list their destinations in `.tx`; RAMP is the PE itself")
        }
        DeadEndCause::Refused if side == Direction::Ramp => {
            let tile = flow.program.tile_at(here);
            let send = tile.and_then(|t| t.first_send(sent_as));
            let facts: [(&str, &dyn std::fmt::Display); 2] = [("color", &color), ("pe", &here)];
            let Some(own) = own else {
                if tile.is_some_and(|tile| tile.sends_asynchronously(sent_as)) {
                    return at(UNROUTED_ASYNC.because(&facts), send).label("sent here");
                }
                let help = format!("give color {color} a route on this PE with `@set_color_config`");
                return at(UNROUTED_COLOR.because(&facts), send).label("sent here").help(help);
            };
            let c = at(rules::SEND_REFUSED.because(&facts), send);
            let dsd = send.and_then(|send| tile?.operand_place(send, OperandRole::Out));
            let c = also(c, dsd, format!("this DSD sends on color {sent_as}"));
            let c = c.also(own, format!("the route on {here} does not list RAMP in `.rx`"));
            c.help(swapped(flow, end).unwrap_or("give the PE a route with `.rx = .{ RAMP }`".to_string()))
        }
        DeadEndCause::Refused => {
            let facts: [(&str, &dyn std::fmt::Display); 3] =
                [("color", &color), ("pe", &here), ("side", &side)];
            let c = rules::ROUTE_BROKEN.because(&facts);
            let before = flow.program.neighbour(pe, side);
            let sender = before.map_or(here, |pe| flow.program.pe_coord(pe));
            let from = before.and_then(|pe| flow.declared(pe, sent_as));
            let c = at(c, from).label(format!("{sender} sends it {}", side.opposite()));
            let c = match own {
                Some(_) => also(c, own, format!("{here} does not accept it from {side}")),
                // A route that Python has painted has no line.
                None if flow.program.routes.get(pe, color).is_some() => {
                    c.note(format!("its route on {here} accepts nothing from {side}"))
                }
                None => c.note(format!("color {color} has no route on {here}")),
            };
            let route = flow.program.route_to_give(pe, color, side);
            let help = || format!("give {here} a route with `{route}`, or end the route before it");
            c.help(swapped(flow, end).unwrap_or_else(help))
        }
    }
}

/// The help for a route that would accept the wavelets if its sides were the other way round.
fn swapped(flow: &ColorFlow<'_>, end: &DeadEnd) -> Option<String> {
    let (rx, tx) = flow.program.swapped_route(end.pe, end.color, end.side)?;
    let listed = |set: Directions| set.iter().map(Direction::name).collect::<Vec<_>>().join(", ");
    let here = flow.program.pe_coord(end.pe);
    let (rx, tx) = (listed(rx), listed(tx));
    Some(format!(
        "`.rx` and `.tx` of the route on {here} are swapped: write `.rx = .{{ {rx} }}` and `.tx = .{{ {tx} }}`"
    ))
}

/// Arrivals from two sides at once are undefined; only routers that accept both in one position are reported.
fn several_inputs(flow: &ColorFlow<'_>, pe: usize, color: Color, found: &mut Folded) {
    let inputs = flow.inputs(pe, color);
    let compete = |rx: Directions| (inputs & rx).len() > 1;
    let Some(gate) = flow.route(pe, color).gates().iter().find(|g| compete(g.rx)) else { return };
    let here = flow.program.pe_coord(pe);
    let names: Vec<_> = (inputs & gate.rx).iter().map(|d| d.name()).collect();
    let facts: [(&str, &dyn std::fmt::Display); 3] =
        [("color", &color), ("pe", &here), ("sides", &names.join(" and "))];
    let c = at(rules::SEVERAL_INPUTS.because(&facts), flow.declared(pe, color));
    found.add(c.help("make sure that they never send at the same time, or use a separate color for each"));
}

fn nobody_takes(
    flow: &ColorFlow<'_>,
    pe: usize,
    color: Color,
    takers: &mut ByTile<bool>,
    found: &mut Folded,
) {
    let program = flow.program;
    let is_filtered = program.routes.get(pe, color).is_some_and(|d| d.config.filter.is_some());
    if is_filtered || !comes_to_pe(flow, pe, color) {
        return;
    }
    let here = program.pe_coord(pe);
    let may_take = takers.of(program, (pe, color), |tile| tile.may_take(program.arch, color));
    if may_take.unwrap_or(true) || flow.has_control(color) {
        return;
    }
    let c = rules::NOBODY_TAKES.because(&[("color", &color), ("pe", &here)]);
    let c = at(c, flow.declared(pe, color)).label("the route leads to RAMP");
    found.add(c.help("bind a data task, read it with a fabin_dsd, or leave RAMP out of `.tx`"));
}

/// Routes without switches that lead back to themselves, so that wavelets never leave them. Returns the colors,
/// bit = color.
fn circles(flow: &ColorFlow<'_>, found: &mut Folded) -> u32 {
    let is_fixed = |(pe, color): Node| flow.route(pe, color).gates().len() == 1;
    let nodes = || flow.reached().map(|(pe, color, _)| (pe, color)).filter(|n| is_fixed(*n));
    // Repeatedly removes routers that nothing leads to; the rest is on a loop or behind one.
    let mut incoming = vec![0_u8; flow.places()];
    for node in nodes() {
        flow.next(node).filter(|n| is_fixed(*n)).for_each(|n| incoming[flow.place(n)] += 1);
    }
    let mut free: Vec<Node> = nodes().filter(|n| incoming[flow.place(*n)] == 0).collect();
    while let Some(node) = free.pop() {
        for next in flow.next(node).filter(|n| is_fixed(*n)) {
            incoming[flow.place(next)] -= 1;
            if incoming[flow.place(next)] == 0 {
                free.push(next);
            }
        }
    }
    let left: Vec<Node> = nodes().filter(|n| incoming[flow.place(*n)] > 0).collect();
    let mut told = 0_u32;
    for node in &left {
        if told & 1 << node.1.0 == 0 {
            told |= 1 << node.1.0;
            found.add(circle(flow, *node, &left));
        }
    }
    told
}

/// Follows the remaining routers backwards until one repeats.
fn circle(flow: &ColorFlow<'_>, start: Node, left: &[Node]) -> Diag {
    let before = |node: Node| {
        let neighbours = Direction::ALL.into_iter().filter_map(|d| flow.program.neighbour(node.0, d));
        let mut all = neighbours.flat_map(|pe| [(pe, node.1), (pe, Color(node.1.0 ^ 1))]);
        all.find(|n| left.binary_search(n).is_ok() && flow.next(*n).any(|next| next == node))
    };
    let mut way = IndexSet::from([start]);
    let first = loop {
        let last = way[way.len() - 1];
        let Some(node) = before(last) else { break 0 };
        if let (first, false) = way.insert_full(node) {
            break first;
        }
    };
    let mut pes: Vec<String> =
        way[first..].iter().rev().map(|(pe, _)| flow.program.pe_coord(*pe).to_string()).collect();
    let count = pes.len();
    pes.truncate(NAMED);
    let more = if count > NAMED { format!(", .. ({} PEs)", grouped(count as u64)) } else { String::new() };
    let (pe, color) = way[first];
    let c = at(rules::ROUTE_LOOP.because(&[("color", &color)]), flow.declared(pe, color));
    c.note(format!("the loop: {}{more}", pes.join(", ")))
        .help("let one PE of the loop receive the wavelets and send them again")
}
