//! What depends on what: for each item, what it had to wait for before it could begin or end.
//!
//! An edge says: no earlier than so many cycles after a moment of another item. Whatever an item waited for longer than all
//! of its edges is a constant delay: turns of microthreads, arbitration at routers, latencies of the host.

use super::items::{Item, ItemKind, PeWork, Work};
use super::records::{MAIN_THREAD, Origin, PeRecords, Started};
use crate::arch::Color;
use crate::trace::Reason;
use rustc_hash::FxHashMap;

/// A moment of an item: so many cycles after its beginning; its end if that is longer than it lasts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The item.
    pub item: u32,
    /// Cycles since it began.
    pub offset: u64,
}

/// Why an item cannot begin before another one has come so far.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Link {
    /// The same thread did it before.
    Order,
    /// The main thread launched the operation.
    Launch,
    /// A wavelet of this color had to come.
    Wavelet(Color),
    /// Room for a wavelet of this color had to come.
    Room(Color),
    /// A FIFO had to get an element or room.
    Fifo,
    /// The end of an operation activates or unblocks the task.
    Activation,
    /// The host launches it, or sends a wavelet, once all before is done.
    Host,
}

/// An edge.
#[derive(Copy, Clone, Debug)]
pub struct Edge {
    /// What comes before.
    pub before: Moment,
    /// Cycles from there.
    pub lag: i64,
    /// Why.
    pub link: Link,
    /// Whether it holds for the end of the item, instead of its beginning.
    pub is_for_end: bool,
}

/// All items in an order in which each comes after those that it depends on.
pub struct Graph<'w> {
    /// The work.
    pub work: &'w Work,
    /// The items, by the time at which they begin.
    pub order: Vec<u32>,
    /// By item: its edges, as a range of `edges`.
    ranges: Vec<(u32, u32)>,
    edges: Vec<Edge>,
}

/// What edges are found with.
struct Finder<'w> {
    work: &'w Work,
    notes: &'w [(u32, PeRecords)],
    /// By PE, row by row: its place among those of the work.
    places: FxHashMap<u32, usize>,
    /// By sending PE and color: the items that have taken such wavelets.
    takers: FxHashMap<(u32, Color), Vec<u32>>,
    /// Cycles in which commands of the host began.
    commands: &'w [u64],
    /// Ends of items and the items, in order.
    ends: Vec<(u64, u32)>,
    rank: Vec<u32>,
}

impl<'w> Graph<'w> {
    /// The graph of a run; commands of the host began in these cycles.
    pub fn new(work: &'w Work, notes: &'w [(u32, PeRecords)], commands: &'w [u64]) -> Graph<'w> {
        let mut order: Vec<u32> = (0..work.items.len() as u32).collect();
        order.sort_by_key(|item| {
            let item = &work.items[*item as usize];
            // What ends in a cycle can be followed by code in the same cycle.
            (item.from, !matches!(item.kind, ItemKind::Moves { .. }), item.pe, item.until)
        });
        let finder = Finder::new(work, notes, commands, &order);
        let mut graph = Graph { work, order, ranges: vec![(0, 0); work.items.len()], edges: Vec::new() };
        for pe in &work.pes {
            finder.edges_of(pe, &mut graph);
        }
        graph
    }

    /// The edges of an item.
    pub fn edges(&self, item: u32) -> &[Edge] {
        let (from, to) = self.ranges[item as usize];
        &self.edges[from as usize..to as usize]
    }
}

impl<'w> Finder<'w> {
    fn new(work: &'w Work, notes: &'w [(u32, PeRecords)], commands: &'w [u64], order: &[u32]) -> Finder<'w> {
        let places = work.pes.iter().enumerate().map(|(place, pe)| (pe.index, place)).collect();
        let mut ends: Vec<(u64, u32)> =
            work.items.iter().enumerate().map(|(index, item)| (item.until, index as u32)).collect();
        ends.sort_unstable();
        let mut rank = vec![0; work.items.len()];
        order.iter().enumerate().for_each(|(at, item)| rank[*item as usize] = at as u32);
        let mut finder = Finder { work, notes, places, takers: FxHashMap::default(), commands, ends, rank };
        for (place, pe) in work.pes.iter().enumerate() {
            for item in &pe.items {
                let Some(origin) = finder.origin(place, pe, *item) else { continue };
                if let Some(color) = finder.received(*item) {
                    finder.takers.entry((origin.pe, color)).or_default().push(*item);
                }
            }
        }
        let items = &work.items;
        finder.takers.values_mut().for_each(|takers| takers.sort_by_key(|item| items[*item as usize].from));
        finder
    }

    fn item(&self, item: u32) -> &'w Item {
        &self.work.items[item as usize]
    }

    fn origin(&self, place: usize, pe: &PeWork, item: u32) -> Option<Origin> {
        pe.origins.get(&item).map(|origin| self.notes[place].1.origins[*origin as usize])
    }

    /// The color of the wavelets that an item takes.
    fn received(&self, item: u32) -> Option<Color> {
        match self.item(item).kind {
            ItemKind::Prepare { started: Started::Wavelet(color), .. } => Some(color),
            ItemKind::Moves { operation, .. } => {
                let reads = self.work.operations[operation as usize].noted.reads;
                (reads != 0).then(|| Color(reads.trailing_zeros() as u8))
            }
            ItemKind::Prepare { .. } | ItemKind::Code { .. } | ItemKind::Start { .. } => None,
        }
    }

    /// Finds the edges of all items of a PE.
    fn edges_of(&self, pe: &PeWork, graph: &mut Graph<'_>) {
        let place = self.places[&pe.index];
        let mut last: [Option<u32>; MAIN_THREAD as usize + 1] = Default::default();
        let mut launches = pe.launches.iter().peekable();
        let mut launched: [Option<(u64, u64)>; MAIN_THREAD as usize + 1] = Default::default();
        for index in &pe.items {
            let item = self.item(*index);
            let thread = usize::from(item.thread);
            while let Some((thread, from, first)) = launches.next_if(|(_, _, first)| *first <= item.from) {
                launched[usize::from(*thread)] = Some((*from, *first));
                last[usize::from(*thread)] = None;
            }
            let start = graph.edges.len();
            let mut push = |before: Option<Moment>, lag: Option<i64>, link: Link, is_for_end: bool| {
                let Some(before) = before.filter(|before| before.item != *index) else { return };
                if self.rank[before.item as usize] >= self.rank[*index as usize] {
                    return;
                }
                let its = self.item(before.item);
                let moment = its.from + before.offset.min(its.until - its.from);
                let target = if is_for_end { item.until } else { item.from };
                let most = target as i64 - moment as i64;
                let lag = lag.unwrap_or(most).min(most);
                graph.edges.push(Edge { before, lag, link, is_for_end });
            };
            let end = |item: u32| Some(Moment { item, offset: u64::MAX });
            if let Some(before) = last[thread] {
                push(end(before), Some(0), Link::Order, false);
            } else if let Some((from, first)) = launched[thread].take() {
                let before = self.main_at(pe, from);
                push(before, Some((first - from) as i64), Link::Launch, false);
            }
            if let ItemKind::Prepare { started, .. } = item.kind {
                self.begin_task(pe, item, started, &mut push);
            }
            self.end_wait(pe, item, &mut push);
            if let (Some(origin), Some(color)) = (self.origin(place, pe, *index), self.received(*index)) {
                let is_for_end = matches!(item.kind, ItemKind::Moves { .. });
                self.come(origin, color, is_for_end, &mut push);
            }
            graph.ranges[*index as usize] = (start as u32, graph.edges.len() as u32);
            last[thread] = Some(*index);
        }
    }

    /// What has ended the wait before an item.
    fn end_wait(
        &self,
        pe: &PeWork,
        item: &Item,
        push: &mut impl FnMut(Option<Moment>, Option<i64>, Link, bool),
    ) {
        let waits = self.work.waits_of(pe);
        let first = waits.partition_point(|wait| wait.until < item.from);
        let mut ended = waits[first..].iter().take_while(|wait| wait.until == item.from);
        let Some(wait) = ended.find(|wait| wait.thread == item.thread) else { return };
        match wait.on {
            Reason::Wavelet { color, .. } => {
                let notes = &self.notes[self.places[&pe.index]].1;
                if let Some(origin) = wait.origin.map(|origin| notes.origins[origin as usize]) {
                    self.come(origin, color, false, push);
                }
            }
            Reason::Space { color, .. } => {
                push(self.taker(pe.index, color, item.from), None, Link::Room(color), false);
            }
            Reason::FifoData(_) | Reason::FifoSpace(_) => {
                push(self.other_thread(pe, item), None, Link::Fifo, false);
            }
            Reason::Unblock => {}
        }
    }

    /// What a task or function had to wait for, apart from the main thread and its wavelet.
    fn begin_task(
        &self,
        pe: &PeWork,
        item: &Item,
        started: Started,
        push: &mut impl FnMut(Option<Moment>, Option<i64>, Link, bool),
    ) {
        match started {
            Started::Active(id) => {
                let behind = pe.completions.partition_point(|end| end.at <= item.from + 1);
                if let Some(end) = pe.completions[..behind].iter().rev().find(|end| end.id == id) {
                    let last = self.last_of(pe, end.thread, end.at);
                    push(
                        last.map(|item| Moment { item, offset: u64::MAX }),
                        Some(-1),
                        Link::Activation,
                        false,
                    );
                }
            }
            Started::Launched => push(self.before_command(item.from), None, Link::Host, false),
            Started::Wavelet(_) => {}
        }
    }

    /// The edge of a wavelet that has come.
    fn come(
        &self,
        origin: Origin,
        color: Color,
        is_for_end: bool,
        push: &mut impl FnMut(Option<Moment>, Option<i64>, Link, bool),
    ) {
        if origin.from_host {
            return push(self.before_command(origin.sent), None, Link::Host, is_for_end);
        }
        let Some(before) = self.sender(origin, color) else { return };
        let its = self.item(before.item);
        let sent = its.from + before.offset.min(its.until - its.from);
        let lag = origin.delivered as i64 - sent as i64 + i64::from(is_for_end);
        push(Some(before), Some(lag), Link::Wavelet(color), is_for_end);
    }

    /// The item that has sent a wavelet.
    fn sender(&self, origin: Origin, color: Color) -> Option<Moment> {
        let pe = &self.work.pes[*self.places.get(&origin.pe)?];
        let behind = pe.items.partition_point(|item| self.item(*item).from <= origin.sent);
        let before = &pe.items[..behind];
        let sends = |item: &&u32| self.work.sends(self.item(**item)) == Some(color);
        let sender = before.iter().rev().take(MOST_LOOKS).find(sends);
        let code = || before.iter().rev().find(|item| self.item(**item).thread == MAIN_THREAD);
        let item = *sender.or_else(code)?;
        Some(Moment { item, offset: origin.sent - self.item(item).from })
    }

    /// The item that was taking wavelets of a sender when it got room.
    fn taker(&self, sender: u32, color: Color, at: u64) -> Option<Moment> {
        let takers = self.takers.get(&(sender, color))?;
        let behind = takers.partition_point(|item| self.item(*item).from < at);
        let item = *takers[..behind].last()?;
        Some(Moment { item, offset: at - 1 - self.item(item).from })
    }

    /// What another thread of the same PE did last.
    fn other_thread(&self, pe: &PeWork, item: &Item) -> Option<Moment> {
        let behind = pe.items.partition_point(|other| self.item(*other).from <= item.from);
        let others = pe.items[..behind].iter().rev().take(MOST_LOOKS);
        let other = *others.into_iter().find(|other| self.item(**other).thread != item.thread)?;
        Some(Moment { item: other, offset: item.from - self.item(other).from })
    }

    /// What the main thread did in a cycle.
    fn main_at(&self, pe: &PeWork, at: u64) -> Option<Moment> {
        let behind = pe.items.partition_point(|item| self.item(*item).from <= at);
        let item = pe.items[..behind].iter().rev().find(|item| self.item(**item).thread == MAIN_THREAD)?;
        Some(Moment { item: *item, offset: at - self.item(*item).from })
    }

    /// The last item of a thread that ends by a cycle.
    fn last_of(&self, pe: &PeWork, thread: u8, at: u64) -> Option<u32> {
        let behind = pe.items.partition_point(|item| self.item(*item).from < at);
        pe.items[..behind].iter().rev().find(|item| self.item(**item).thread == thread).copied()
    }

    /// What ended last before the host began the command that was the last before a cycle.
    fn before_command(&self, at: u64) -> Option<Moment> {
        let begun = self.commands.partition_point(|start| *start <= at);
        let begun = *self.commands.get(begun.checked_sub(1)?)?;
        let behind = self.ends.partition_point(|(end, _)| *end <= begun);
        let (_, item) = self.ends.get(behind.checked_sub(1)?)?;
        Some(Moment { item: *item, offset: u64::MAX })
    }
}

/// Items that are looked at in the search for the one that has sent a wavelet.
const MOST_LOOKS: usize = 64;
