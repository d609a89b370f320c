//! Which wait blocks which other one, PE by PE: whether the code after a wait would send or receive what the other
//! one needs.

use super::groups::{WaitGroup, unfinished_on};
use super::pe_array::PeArray;
use crate::arch::{Color, MESSAGE_COLOR, PeCoord};
use crate::fabric::{Fabric, Obstacle};
use crate::image::{FnId, Op, Program, TaskKind, TileImage};
use crate::pe::{Pe, Wait, Waiter, WaitsFor};
use crate::source::Span;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// More waits than this are compared by groups, in which equal waits of different PEs are one.
const MOST_WAITS: u64 = 20_000;

/// What a wait needs another PE to do.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Need {
    /// To send a color.
    Send(Color),
    /// To receive a color.
    Receive(Color),
}

/// The order in which waits are reported, and a cycle among them.
pub(super) struct Order {
    /// The groups, what holds up the others first, each with the PE that stands for it and the cycle since which
    /// that one waits.
    pub groups: Vec<(usize, usize, u64)>,
    /// How many of them are roots: no other wait blocks them.
    pub roots: usize,
    /// PEs that wait for each other.
    pub circle: Vec<PeCoord>,
}

/// Answers which wait depends on which, on a wafer in which nothing moves.
pub(super) struct Dependencies<'w> {
    pe_array: &'w PeArray,
    fabric: &'w Fabric,
    /// What the operations of each tile do.
    actions: RefCell<FxHashMap<u32, Rc<TileTraffic>>>,
    /// Answers to questions that were asked before.
    known: RefCell<FxHashMap<Question, bool>>,
}

/// The tile, the place of a wait, whether the main thread waits, and what is needed.
type Question = (u32, Option<Span>, bool, Need);

/// The operations of a tile on the fabric.
struct TileTraffic {
    does: Vec<(Span, Need)>,
    /// Whether some only turn out at run time.
    is_open: bool,
}

impl TileTraffic {
    fn of(tile: &TileImage) -> TileTraffic {
        let sends = tile.sends().filter_map(|s| Some((s.span, Need::Send(s.color?))));
        let takes = tile.takes().filter_map(|t| Some((t.span, Need::Receive(t.color?))));
        TileTraffic { does: sends.chain(takes).collect(), is_open: tile.has_unknown_dsds() }
    }

    /// Where a tile does what is needed.
    fn places(&self, need: Need) -> impl Iterator<Item = Span> {
        self.does.iter().filter(move |(_, does)| *does == need).map(|(span, _)| *span)
    }
}

impl<'w> Dependencies<'w> {
    /// Of a wafer with these parts.
    pub fn new(pe_array: &'w PeArray, fabric: &'w Fabric) -> Dependencies<'w> {
        Dependencies { pe_array, fabric, actions: RefCell::default(), known: RefCell::default() }
    }

    /// Whether a wait on a PE keeps the PE from doing what is needed.
    pub fn is_held_up(&self, pe: usize, need: Need) -> bool {
        let mut waits = self.pe_array.get(pe).into_iter().flat_map(unfinished_on);
        waits.any(|wait| self.holds_up(pe, &wait, need))
    }

    /// Orders groups of waits.
    pub fn order(&self, groups: &[WaitGroup<'w>]) -> Order {
        let total: u64 = groups.iter().map(|group| group.count).sum();
        let is_single = total <= MOST_WAITS;
        let single: Vec<(usize, usize, Wait<'w>)> = match is_single {
            true => self.single_waits(groups),
            false => groups.iter().enumerate().map(|(n, g)| (n, g.pe, g.wait.clone())).collect(),
        };
        let mut by_pe: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        single.iter().enumerate().for_each(|(n, (_, pe, _))| by_pe.entry(*pe).or_default().push(n));
        let mut graph = DiGraph::<usize, ()>::new();
        let nodes: Vec<NodeIndex> = (0..single.len()).map(|n| graph.add_node(n)).collect();
        for (from, (_, pe, wait)) in single.iter().enumerate() {
            for (other, need) in self.needs(*pe, wait) {
                let there = match is_single {
                    true => by_pe.get(&other).cloned().unwrap_or_default(),
                    false => self.groups_on(other, groups),
                };
                let holds = |to: &usize| match need {
                    Some(need) => self.holds_up(other, &single[*to].2, need),
                    None => single[*to].2.on != wait.on,
                };
                for to in there.into_iter().filter(holds) {
                    graph.update_edge(nodes[from], nodes[to], ());
                }
            }
        }
        self.arrange(&single, &graph)
    }

    /// The order of waits in which what holds up others comes first.
    fn arrange(&self, single: &[(usize, usize, Wait<'w>)], graph: &DiGraph<usize, ()>) -> Order {
        let program = self.pe_array.program();
        // The components come with what they lead to before them.
        let components = petgraph::algo::tarjan_scc(graph);
        let is_circular = |c: &[NodeIndex]| c.len() > 1 || graph.contains_edge(c[0], c[0]);
        let circle = components.iter().find(|c| is_circular(c)).map_or(Vec::new(), |component| {
            let mut pes: Vec<_> = component.iter().map(|n| program.pe_coord(single[graph[*n]].1)).collect();
            pes.sort_by_key(|at| (at.y, at.x));
            pes.dedup();
            pes
        });
        // What nothing else holds up comes first, by PE.
        let is_root = |c: &&Vec<NodeIndex>| graph.edges(c[0]).next().is_none();
        let (mut roots, rest): (Vec<_>, Vec<_>) = components.iter().partition(is_root);
        roots.sort_by_key(|c| graph[c[0]]);
        let mut told = FxHashSet::default();
        let mut first_of = |components: Vec<&Vec<NodeIndex>>| -> Vec<(usize, usize, u64)> {
            let members = components.into_iter().flat_map(|component| {
                let mut members: Vec<_> = component.iter().map(|n| graph[*n]).collect();
                members.sort_unstable();
                members
            });
            let ordered = members.map(|n| (single[n].0, single[n].1, single[n].2.since));
            ordered.filter(|(group, ..)| told.insert(*group)).collect()
        };
        let mut ordered = first_of(roots);
        let roots = ordered.len();
        ordered.extend(first_of(rest));
        Order { groups: ordered, roots, circle }
    }

    /// The groups to which the waits of a PE belong, where each group is one wait.
    fn groups_on(&self, pe: usize, groups: &[WaitGroup<'w>]) -> Vec<usize> {
        let waits = self.pe_array.get(pe).into_iter().flat_map(unfinished_on);
        let tile = self.pe_array.program().place[pe];
        let of = |wait: Wait<'w>| groups.iter().position(|group| group.holds(tile, &wait));
        waits.filter_map(of).collect()
    }

    /// Every wait with its group, by PE.
    fn single_waits(&self, groups: &[WaitGroup<'w>]) -> Vec<(usize, usize, Wait<'w>)> {
        let places = &self.pe_array.program().place;
        let mut all = Vec::new();
        for (index, _, pe) in self.pe_array.made() {
            let of = |wait: &Wait<'w>| groups.iter().position(|g| g.holds(places[index], wait));
            all.extend(unfinished_on(pe).filter_map(|wait| Some((of(&wait)?, index, wait))));
        }
        all
    }

    /// What a wait needs, and from which PEs; `None` means that any progress of theirs may help.
    fn needs(&self, pe: usize, wait: &Wait<'_>) -> Vec<(usize, Option<Need>)> {
        match &wait.on {
            // Whoever sends, nothing comes to the PE.
            WaitsFor::Wavelet { color, .. }
                if *color != MESSAGE_COLOR && !self.fabric.survey().reaches_pe(pe, *color) =>
            {
                Vec::new()
            }
            WaitsFor::Wavelet { color, .. } => {
                let program = self.pe_array.program();
                let swaps = program.routes.declared().iter().any(|d| d.config.swap_x || d.config.swap_y);
                let need = (!swaps).then_some(Need::Send(*color));
                self.fabric.survey().senders(pe, *color).into_iter().map(|at| (at, need)).collect()
            }
            WaitsFor::Space { color, .. } => {
                let stuck = self.fabric.survey().blockage(pe, *color);
                // Any other obstacle is the router, and that waits for nobody.
                let stuck = stuck.filter(|stuck| stuck.obstacle == Obstacle::Pe);
                stuck.map(|stuck| (stuck.pe, Some(Need::Receive(stuck.color)))).into_iter().collect()
            }
            WaitsFor::FifoData(_) | WaitsFor::FifoSpace(_) => vec![(pe, None)],
            WaitsFor::Unblock | WaitsFor::Consumer { .. } | WaitsFor::Router { .. } => Vec::new(),
        }
    }

    /// Whether a PE would do what is needed if one of its waits ended.
    fn holds_up(&self, index: usize, wait: &Wait<'_>, need: Need) -> bool {
        let program = self.pe_array.program();
        let (Some(pe), Some(tile)) = (self.pe_array.get(index), program.tile_at(program.pe_coord(index)))
        else {
            return false;
        };
        let traffic = self.traffic(program, index, tile);
        if traffic.is_open || wait.span.is_none_or(|span| traffic.places(need).any(|at| at == span)) {
            return true;
        }
        let is_main = wait.who == Waiter::MainThread;
        let key = (program.place[index], wait.span, is_main, need);
        if let Some(known) = self.known.borrow().get(&key) {
            return *known;
        }
        let holds = comes_later(pe, tile, wait, is_main, need, &traffic, program);
        self.known.borrow_mut().insert(key, holds);
        holds
    }

    fn traffic(&self, program: &Program, pe: usize, tile: &TileImage) -> Rc<TileTraffic> {
        let mut all = self.actions.borrow_mut();
        all.entry(program.place[pe]).or_insert_with(|| Rc::new(TileTraffic::of(tile))).clone()
    }
}

/// Whether what is needed comes after a wait: in the rest of the code, or in a task.
fn comes_later(
    pe: &Pe,
    tile: &TileImage,
    wait: &Wait<'_>,
    is_main: bool,
    need: Need,
    traffic: &TileTraffic,
    program: &Program,
) -> bool {
    let mut rest = Rest::default();
    if is_main {
        // While the main thread waits, no task can start.
        let by_task = matches!(need, Need::Receive(color) if tile.data_task(program.arch, color).is_some());
        if by_task {
            return true;
        }
        let ready = tile.tasks.iter().filter(|t| t.kind != TaskKind::Local || pe.is_active(t.id));
        rest.starts.extend(ready.map(|t| t.function));
        let calls = pe.activity().map_or(Vec::new(), |activity| activity.places);
        wait.span.into_iter().chain(calls).for_each(|place| rest.add_after(tile, place));
    } else {
        let Some(tasks) = wait.span.and_then(|span| tile.tasks_after(span)) else { return true };
        rest.starts.extend(tasks);
    }
    let reached = tile.reached(&rest.starts, true);
    let functions = tile.functions.iter().zip(reached).filter(|(_, is_reached)| *is_reached);
    let spans: FxHashSet<Span> = functions.flat_map(|(f, _)| f.spans.iter().copied()).collect();
    traffic.places(need).any(|at| rest.places.contains(&at) || spans.contains(&at))
}

/// The code behind a place.
#[derive(Default)]
struct Rest {
    places: FxHashSet<Span>,
    starts: Vec<FnId>,
}

impl Rest {
    /// Adds what the functions with code at a place do behind it; a loop around it begins again.
    fn add_after(&mut self, tile: &TileImage, place: Span) {
        for FnId(n) in tile.functions_at(place) {
            let function = &tile.functions[n as usize];
            let Some(at) = function.spans.iter().rposition(|span| *span == place) else { continue };
            let back = function.code[at + 1..].iter().filter_map(|op| {
                let mut op = *op;
                op.target_mut().map(|target| *target as usize)
            });
            let from = back.min().map_or(at + 1, |back| back.min(at + 1));
            let code = function.code.iter().zip(function.spans.iter()).skip(from);
            for (op, span) in code {
                self.places.insert(*span);
                let task = |id: u64| tile.tasks.iter().find(|t| u64::from(t.id.0) == id).map(|t| t.function);
                match op {
                    Op::Call { f, .. } => self.starts.push(*f),
                    Op::Activate { a } | Op::Unblock { a } => {
                        self.starts.extend(function.constant(*a).and_then(task));
                    }
                    Op::Vector { .. } => self.starts.extend(tile.tasks_after(*span).into_iter().flatten()),
                    _ => {}
                }
            }
        }
    }
}
