//! The critical path: the chain of items and wavelets that the last cycle waited for, and how long a run would take if a line
//! took no time.

use super::graph::{Graph, Link, Moment};
use super::items::{Item, ItemKind};
use super::sites::Share;
use crate::arch::Color;

/// What fills a part of the critical path.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// An item runs: the share that its longest line has.
    Work(Share),
    /// A wavelet is on its way, and waits in queues.
    Wavelet(Color),
    /// Room comes back from the receiver.
    Room(Color),
    /// The host acts.
    Host,
    /// The item could begin but does not: turns of threads, or something that is not followed.
    Delay,
}

/// A part of the critical path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The item that the part leads to, or is.
    pub item: u32,
    /// For a wavelet or for room, the item that it comes from.
    pub before: Option<u32>,
    /// The first cycle.
    pub from: u64,
    /// The cycle behind the last.
    pub until: u64,
    /// What fills it.
    pub kind: StepKind,
}

impl Step {
    /// Cycles.
    pub fn length(&self) -> u64 {
        self.until - self.from
    }
}

/// When items begin and end if some of them take less time than in the run.
struct Schedule {
    begins: Vec<u64>,
    ends: Vec<u64>,
}

/// How long an item takes without a line, or as long as it did.
fn length(graph: &Graph<'_>, item: &Item, without: Option<u32>) -> u64 {
    let length = item.until - item.from;
    let Some(line) = without else { return length };
    match item.kind {
        ItemKind::Prepare { share: shares, .. } | ItemKind::Code { shares } => {
            let own = graph.work.shares[shares as usize].iter().filter(|share| share.line == line);
            length.saturating_sub(own.map(|share| share.cycles).sum())
        }
        ItemKind::Start { operation } | ItemKind::Moves { operation, .. } => {
            let its = graph.work.operations[operation as usize].share.line;
            if its == line { 0 } else { length }
        }
    }
}

impl Schedule {
    /// Each item begins as soon as all that it depends on has come so far, and as much later as it did in the run.
    fn new(graph: &Graph<'_>, delays: &[u64], without: Option<u32>) -> Schedule {
        let count = graph.work.items.len();
        let mut schedule = Schedule { begins: vec![0; count], ends: vec![0; count] };
        for index in &graph.order {
            let item = &graph.work.items[*index as usize];
            let (mut begin, mut end) = (0, 0);
            for edge in graph.edges(*index) {
                let is_free =
                    edge.link == Link::Launch && length(graph, item, without) < item.until - item.from;
                let lag = if is_free { 0 } else { edge.lag };
                let at = schedule.at(edge.before).saturating_add_signed(lag);
                let bound = if edge.is_for_end { &mut end } else { &mut begin };
                *bound = at.max(*bound);
            }
            begin += delays[*index as usize];
            schedule.begins[*index as usize] = begin;
            schedule.ends[*index as usize] = end.max(begin + length(graph, item, without));
        }
        schedule
    }

    fn at(&self, moment: Moment) -> u64 {
        let (begin, end) = (self.begins[moment.item as usize], self.ends[moment.item as usize]);
        begin.saturating_add(moment.offset).min(end)
    }

    fn last(&self) -> u64 {
        self.ends.iter().copied().max().unwrap_or(0)
    }
}

/// The critical path of a run, and what depends on it.
pub struct CriticalPath<'g, 'w> {
    graph: &'g Graph<'w>,
    /// By item: how much later it began than all that it depends on says.
    delays: Vec<u64>,
}

impl<'g, 'w> CriticalPath<'g, 'w> {
    /// Looks how long each item waited for nothing that is known.
    pub fn new(graph: &'g Graph<'w>) -> CriticalPath<'g, 'w> {
        let moment = |moment: Moment| {
            let its = &graph.work.items[moment.item as usize];
            its.from + moment.offset.min(its.until - its.from)
        };
        let delay = |index: u32| {
            let begins = graph.edges(index).iter().filter(|edge| !edge.is_for_end);
            let bound = begins.map(|edge| moment(edge.before).saturating_add_signed(edge.lag)).max();
            graph.work.items[index as usize].from - bound.unwrap_or(0)
        };
        let delays = (0..graph.work.items.len() as u32).map(delay).collect();
        CriticalPath { graph, delays }
    }

    /// How many cycles the work would take if a line took no time: the longest path through what depends on what, with
    /// everything else as it was.
    pub fn without(&self, line: u32) -> u64 {
        Schedule::new(self.graph, &self.delays, Some(line)).last()
    }

    /// How many cycles the work takes as the graph has it: as many as in the run.
    pub fn with_all(&self) -> u64 {
        Schedule::new(self.graph, &self.delays, None).last()
    }

    /// The parts of the path, first to last: they fill all cycles up to the end of the work.
    pub fn steps(&self) -> Vec<Step> {
        let items = &self.graph.work.items;
        let last = self.graph.order.iter().copied().max_by_key(|item| items[*item as usize].until);
        let mut steps = Vec::new();
        let mut next = last.map(|item| (item, items[item as usize].until));
        while let Some((index, until)) = next {
            let item = &items[index as usize];
            if until > item.from {
                let kind = StepKind::Work(self.main_share(item));
                steps.push(Step { item: index, before: None, from: item.from, until, kind });
            }
            next = self.go_back(index, &mut steps);
        }
        steps.reverse();
        steps
    }

    /// What an item had to wait for last: adds the parts in between, and returns where the path comes from.
    fn go_back(&self, index: u32, steps: &mut Vec<Step>) -> Option<(u32, u64)> {
        let items = &self.graph.work.items;
        let item = &items[index as usize];
        let ready = item.from - self.delays[index as usize];
        let at = |moment: Moment| {
            let its = &items[moment.item as usize];
            its.from + moment.offset.min(its.until - its.from)
        };
        let begins = self.graph.edges(index).iter().filter(|edge| !edge.is_for_end);
        let edge = begins.rev().find(|edge| at(edge.before).saturating_add_signed(edge.lag) == ready);
        let mut add = |from: u64, until: u64, kind: StepKind, before: Option<u32>| {
            if from < until {
                steps.push(Step { item: index, before, from, until, kind });
            }
        };
        let Some(edge) = edge else {
            add(0, item.from, StepKind::Delay, None);
            return None;
        };
        add(ready, item.from, StepKind::Delay, None);
        let kind = match edge.link {
            Link::Wavelet(color) => StepKind::Wavelet(color),
            Link::Room(color) => StepKind::Room(color),
            Link::Host => StepKind::Host,
            Link::Launch => StepKind::Work(self.main_share(item)),
            Link::Order | Link::Fifo | Link::Activation => StepKind::Delay,
        };
        let moment = at(edge.before).min(ready);
        add(moment, ready, kind, Some(edge.before.item));
        Some((edge.before.item, moment))
    }

    /// The line to which an item belongs most.
    fn main_share(&self, item: &Item) -> Share {
        let shares = self.graph.work.shares_of(item);
        shares.into_iter().max_by_key(|share| share.cycles).unwrap_or_default()
    }
}
