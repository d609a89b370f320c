//! The history of a run: any moment of it can be shown, and searched for events in both directions.
//!
//! A run is deterministic. Copies of it are kept every so many ticks, and a moment is found by going on from the last
//! copy before it. Their number is bounded: when there are too many, every other one is dropped.

use super::script::{Ending, Tick, World};
use crate::{DebugRequest, Failure, Notice, PeCoord, Runner, SeenWrite, StepKind};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ticks between two copies at first.
const FIRST_INTERVAL: u64 = 1 << 10;
/// A copy is also kept so many ticks before the moment that is shown, because the next one is often close to it.
const NEAR: u64 = 64;

/// Ticks between two copies that a search back considers to keep.
const CLOSE: u64 = 1 << 9;

/// A moment in a tick, in the order in which they come.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moment {
    /// Before anything happens in it.
    Start,
    /// The n-th wavelet of interest arrives, on the PE of this number.
    Arrival(usize, usize),
    /// The PE of this number is about to begin its n-th operation.
    Code(usize, u64),
    /// Everything has happened.
    End,
}

/// A moment of the run.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The tick.
    pub tick: u64,
    /// The moment in it.
    pub moment: Moment,
}

impl Position {
    /// Before anything runs.
    pub const START: Position = Position { tick: 0, moment: Moment::Start };

    /// The beginning of a tick.
    pub fn start_of(tick: u64) -> Position {
        Position { tick, moment: Moment::Start }
    }

    /// The first tick that does nothing before this.
    fn end(self) -> u64 {
        if self.moment == Moment::Start { self.tick } else { self.tick + 1 }
    }
}

/// Something that happens at a position.
#[derive(Clone, Debug)]
pub enum Event {
    /// Code or a wavelet.
    Notice(Notice),
    /// Words that are watched have been written on a PE; the first of these words.
    Write(PeCoord, usize, SeenWrite),
    /// There is a new warning.
    Warning,
}

/// What is looked for.
#[derive(Clone, Default)]
pub struct Sought {
    /// Operations and wavelets.
    pub request: DebugRequest,
    /// The end of a step.
    pub step: Option<(PeCoord, StepKind)>,
    /// Words: PE, first word, number.
    pub words: Vec<(PeCoord, usize, usize)>,
}

/// Who is asked while a run goes forward.
pub struct Watchers<'w> {
    /// Whether an event stops the run.
    pub accept: &'w mut dyn FnMut(&Event, Position) -> bool,
    /// Sees the run after each tick, the number of that, and what was found in it.
    pub each: &'w mut dyn FnMut(&mut Runner, u64, Option<Position>),
    /// Whether the host script acts before the next tick, which was never done; a failure if it has waited in vain.
    pub hold: &'w dyn Fn(&World) -> Option<Result<(), Failure>>,
}

/// How a search forward has ended.
#[derive(Clone, Debug)]
pub enum Forward {
    /// An event was accepted.
    Found(Event, Position),
    /// The cycle is reached.
    Reached(Position),
    /// Somebody has asked to stop.
    Paused(Position),
    /// The host script is to act.
    HostActs(Position),
    /// The run has ended.
    Ended(Ending, Position),
}

/// What was there before a tick.
#[derive(Default)]
struct Before {
    /// Of each PE with words that are watched: writes, and operations that its code had begun.
    writes: BTreeMap<(u16, u16), (usize, u64)>,
    /// Warnings.
    warnings: usize,
}

/// The run with its history.
pub struct Timeline {
    saved: BTreeMap<u64, World>,
    /// Copies at most, apart from the first.
    most: usize,
    interval: u64,
    near: Option<(u64, World)>,
    /// The run at the beginning of a tick.
    world: World,
    tick: u64,
    /// The first tick that has not been done yet.
    furthest: u64,
    /// How the run has ended, and in which tick.
    end: Option<(u64, Ending)>,
    shown: Option<(Position, Runner)>,
    /// What was there before the tick.
    before: Before,
}

impl Timeline {
    /// A run that has not begun, with so many copies of it at most.
    pub fn new(mut world: World, most: usize) -> Timeline {
        world.runner.debug(&DebugRequest::default());
        Timeline {
            saved: BTreeMap::from([(0, world.fork())]),
            most,
            interval: FIRST_INTERVAL,
            near: None,
            world,
            tick: 0,
            furthest: 0,
            end: None,
            shown: None,
            before: Default::default(),
        }
    }

    /// How the run has ended, if it was followed to its end.
    pub fn ending(&self) -> Option<(&Ending, Position)> {
        self.end.as_ref().map(|(tick, ending)| (ending, Position { tick: *tick, moment: Moment::End }))
    }

    /// The run as far as it has come, for the host script to act on it.
    pub fn frontier(&mut self) -> &mut World {
        self.shown = None;
        self.go_to(self.furthest);
        self.world.runner.debug(&DebugRequest::default());
        self.world.catch_up();
        &mut self.world
    }

    /// Forgets all copies: the run is to be debugged no longer.
    pub fn forget(&mut self) {
        self.frontier();
        self.saved = BTreeMap::new();
        self.near = None;
    }

    /// The run as it is at a position. It is only to be looked at.
    pub fn show(&mut self, position: Position) -> &mut Runner {
        if self.shown.as_ref().is_none_or(|(shown, _)| *shown != position) {
            self.go_to(position.tick);
            let mut runner = self.at(position);
            runner.end_watches();
            self.shown = Some((position, runner));
        }
        &mut self.shown.as_mut().expect("it was just set").1
    }

    fn at(&mut self, position: Position) -> Runner {
        let mut world = self.world.fork();
        let program = self.world.runner.program();
        let (width, _) = program.size();
        let pe =
            |n: usize| PeCoord { x: (n % usize::from(width)) as u16, y: (n / usize::from(width)) as u16 };
        world.runner.debug(&DebugRequest::default());
        match position.moment {
            Moment::Start => {
                world.catch_up();
                return world.runner;
            }
            Moment::End => {}
            Moment::Code(n, count) => world.runner.stop_pe_at(pe(n), count),
            Moment::Arrival(_, n) => {
                // The PE is shown as it is before it does anything with the wavelet.
                let count = world.runner.look(pe(n)).map_or(0, |view| view.progress().0);
                world.runner.stop_pe_at(pe(n), count);
            }
        }
        world.tick();
        world.runner
    }

    /// Goes to the beginning of a tick.
    fn go_to(&mut self, tick: u64) {
        if self.tick == tick {
            return;
        }
        let (saved, _) = self.saved.range(..=tick).next_back().expect("the first tick is saved");
        let near = self.near.as_ref().map(|(near, _)| *near).filter(|near| *near <= tick);
        let best = near.map_or(*saved, |near| near.max(*saved));
        if self.tick > tick || self.tick < best {
            self.restore(best);
        }
        let keep = (tick - self.tick > NEAR).then(|| tick - NEAR);
        while self.tick < tick {
            if Some(self.tick) == keep {
                self.near = Some((self.tick, self.world.fork()));
            }
            if self.advance().is_some() {
                return;
            }
        }
    }

    fn restore(&mut self, tick: u64) {
        let near = self.near.as_ref().filter(|(near, _)| *near == tick).map(|(_, world)| world);
        let world = near.or_else(|| self.saved.get(&tick)).expect("a tick that is kept");
        (self.world, self.tick) = (world.fork(), tick);
        self.world.runner.end_watches();
        self.world.runner.debug(&DebugRequest::default());
    }

    /// Does a tick; how the run has ended, if it has.
    fn advance(&mut self) -> Option<Ending> {
        if let Some((end, ending)) = &self.end
            && self.tick > *end
        {
            return Some(ending.clone());
        }
        if self.tick == self.furthest {
            self.save();
            self.furthest += 1;
        }
        let tick = self.world.tick();
        self.tick += 1;
        match tick {
            Tick::Moved => None,
            Tick::Ended(ending) => {
                self.end = Some((self.tick - 1, ending.clone()));
                Some(ending)
            }
        }
    }

    fn save(&mut self) {
        if !self.tick.is_multiple_of(self.interval) || self.saved.contains_key(&self.tick) {
            return;
        }
        if self.saved.len() > self.most {
            self.interval *= 2;
            let interval = self.interval;
            self.saved.retain(|tick, _| tick.is_multiple_of(interval));
            if !self.tick.is_multiple_of(interval) {
                return;
            }
        }
        self.saved.insert(self.tick, self.world.fork());
    }

    /// Prepares the run for a search.
    fn seek(&mut self, sought: &Sought) {
        let runner = &mut self.world.runner;
        runner.end_watches();
        runner.debug(&sought.request);
        if let Some((pe, kind)) = sought.step {
            runner.step_pe(pe, kind);
        }
        for (pe, addr, words) in &sought.words {
            runner.watch(*pe, *addr, *words);
        }
        sought.request.notices.take();
        let writes =
            sought.words.iter().map(|(pe, ..)| ((pe.x, pe.y), (0, operations(runner, *pe)))).collect();
        self.before = Before { writes, warnings: runner.warned() };
    }

    /// Does a tick, and gives what has happened in it.
    fn watched_tick(&mut self, sought: &Sought) -> (Vec<(Event, Position)>, Option<Ending>) {
        let tick = self.tick;
        let ending = self.advance();
        let program = self.world.runner.program();
        let width = usize::from(program.size().0);
        let number = |at: PeCoord| usize::from(at.y) * width + usize::from(at.x);
        let mut events = Vec::new();
        for (n, notice) in sought.request.notices.take().into_iter().enumerate() {
            let pe = number(notice.pe());
            let moment = match notice {
                Notice::Code { place, .. } => Moment::Code(pe, place.count),
                Notice::Arrival { .. } => Moment::Arrival(n, pe),
            };
            events.push((Event::Notice(notice), Position { tick, moment }));
        }
        let end = Position { tick, moment: Moment::End };
        let mut looked_at: Vec<PeCoord> = Vec::new();
        for (pe, ..) in &sought.words {
            if looked_at.contains(pe) {
                continue;
            }
            looked_at.push(*pe);
            let writes = self.world.runner.writes(*pe);
            let (known, begun) = self.before.writes.entry((pe.x, pe.y)).or_default();
            // The code of a PE can do many operations in a tick: it is shown before the one that follows the write.
            let position = |operation: u64| match operation > *begun {
                true => Position { tick, moment: Moment::Code(number(*pe), operation) },
                false => end,
            };
            let new = writes.get(*known..).unwrap_or_default();
            events.extend(new.iter().map(|(at, n, write)| (Event::Write(*pe, *at, *write), position(*n))));
            (*known, *begun) = (writes.len(), operations(&mut self.world.runner, *pe));
        }
        events.sort_by_key(|(_, position)| *position);
        let warned = self.world.runner.warned();
        if warned > self.before.warnings {
            events.push((Event::Warning, end));
        }
        self.before.warnings = warned;
        (events, ending)
    }

    /// Looks for the first event behind a position that is accepted. Stops at the beginning of the tick that does a
    /// cycle, when `pause` becomes true, or when the host script is to act.
    pub fn forward(
        &mut self,
        from: Position,
        (sought, cycle): (&Sought, Option<u64>),
        pause: &AtomicBool,
        watchers: Watchers<'_>,
    ) -> Forward {
        let Watchers { accept, each, hold } = watchers;
        self.shown = None;
        self.go_to(from.tick);
        self.seek(sought);
        loop {
            let here = Position::start_of(self.tick);
            if here > from && pause.load(Ordering::Relaxed) {
                return Forward::Paused(here);
            }
            if self.tick == self.furthest {
                match hold(&self.world) {
                    None => {}
                    Some(Ok(())) => return Forward::HostActs(here),
                    Some(Err(failure)) => return self.fail(failure),
                }
            }
            let (events, ending) = self.watched_tick(sought);
            let found =
                events.into_iter().find(|(event, position)| *position > from && accept(event, *position));
            each(&mut self.world.runner, here.tick, found.as_ref().map(|(_, position)| *position));
            if let Some((event, position)) = found {
                return Forward::Found(event, position);
            }
            if cycle.is_some_and(|cycle| self.world.runner.next_cycle() > cycle) {
                return Forward::Reached(here);
            }
            if let (Some(ending), Some((end, _))) = (ending, &self.end) {
                return Forward::Ended(ending, Position { tick: *end, moment: Moment::End });
            }
        }
    }

    /// The host script has waited in vain.
    fn fail(&mut self, failure: Failure) -> Forward {
        let (last, ending) = (self.tick.saturating_sub(1), Ending::Failed(failure));
        self.end = Some((last, ending.clone()));
        Forward::Ended(ending, Position { tick: last, moment: Moment::End })
    }

    /// Tells all events between two positions of what has run so far.
    pub fn scan(
        &mut self,
        (from, to): (Position, Position),
        sought: &Sought,
        tell: &mut dyn FnMut(&Event, Position),
    ) {
        self.shown = None;
        self.go_to(from.tick);
        self.seek(sought);
        while self.tick < to.end() {
            let (events, ending) = self.watched_tick(sought);
            let is_between = |at: Position| from < at && at < to;
            events.iter().filter(|(_, at)| is_between(*at)).for_each(|(event, at)| tell(event, *at));
            if ending.is_some() {
                return;
            }
        }
    }

    /// Looks for the last event before a position that is accepted; `None` if there is none, or `pause` becomes true.
    pub fn backward(
        &mut self,
        from: Position,
        sought: &Sought,
        pause: &AtomicBool,
        accept: &mut dyn FnMut(&Event, Position) -> bool,
    ) -> Option<(Event, Position)> {
        self.shown = None;
        let mut end = from.end();
        while end > 0 {
            let begin = self.last_kept_before(end);
            self.restore(begin);
            self.seek(sought);
            let (mut found, mut close) = (None, None);
            while self.tick < end {
                if (self.tick - begin).is_multiple_of(CLOSE) && self.tick > begin {
                    close = Some((self.tick, self.world.fork()));
                }
                let (events, ending) = self.watched_tick(sought);
                let last = events.into_iter().rev().find(|(event, at)| *at < from && accept(event, *at));
                if last.is_some() {
                    found = last;
                    // What is shown next is not far from here.
                    self.near = close.take().or(self.near.take());
                }
                if ending.is_some() || pause.load(Ordering::Relaxed) {
                    break;
                }
            }
            if found.is_some() || pause.load(Ordering::Relaxed) {
                return found;
            }
            end = begin;
        }
        None
    }

    fn last_kept_before(&self, end: u64) -> u64 {
        let (saved, _) = self.saved.range(..end).next_back().expect("the first tick is saved");
        let near = self.near.as_ref().map(|(near, _)| *near).filter(|near| *near < end);
        near.map_or(*saved, |near| near.max(*saved))
    }

    /// The beginning of the tick that does a cycle, in what has run so far.
    pub fn position_of(&mut self, cycle: u64) -> Position {
        let before = self.saved.iter().rev().find(|(_, world)| world.runner.next_cycle() <= cycle);
        let (tick, _) = before.unwrap_or_else(|| self.saved.iter().next().expect("the first tick is saved"));
        self.restore(*tick);
        loop {
            let here = self.tick;
            let is_over = here >= self.furthest || self.advance().is_some();
            if is_over || self.world.runner.next_cycle() > cycle {
                return Position::start_of(here);
            }
        }
    }
}

/// How many operations the code of a PE has begun.
fn operations(runner: &mut Runner, pe: PeCoord) -> u64 {
    runner.look(pe).map_or(0, |view| view.progress().0)
}
