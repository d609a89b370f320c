//! A run that somebody debugs: where it stands, where it is to stop, and how it gets there in both directions.

mod back;
mod host;

use super::breakpoints::{Breakpoint, Kind, Logs, Wish, condition};
use super::comptime::Comptime;
use super::events::{met, tell_lines};
use super::expression::{EvalContext, Expression};
use super::goal::{Course, Goal, HostScript, Wait};
use super::script::{Ending, HostAction, World};
use super::stop::{Exceptions, Stop, StopKind, failed, finished};
use super::timeline::{Event, Forward, Moment, Position, Sought, Timeline, Watchers};
use super::value::Value;
use crate::{
    DebugRequest, Diagnostic, Fact, FileId, Notice, PeCoord, PeView, Program, RunOptions, Runner, StepKind,
    tidy,
};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Copies of a small run.
const MOST_COPIES: u64 = 64;
/// Bytes that all copies may take, as an estimate.
const MOST_BYTES: u64 = 1 << 30;

/// What is debugged.
pub struct Debuggee {
    /// The program.
    pub program: Arc<Program>,
    /// What was known before the run; `None` if that is not kept.
    pub facts: Option<Vec<Fact>>,
    /// How it runs.
    pub options: RunOptions,
    /// What the host does; `None` if a script decides that while it runs.
    pub host: Option<Vec<HostAction>>,
}

/// How far a step goes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the next line, over calls.
    Over,
    /// To the next line, also in a function that is called.
    In,
    /// Out of the function.
    Out,
}

/// A run under a debugger.
pub struct Session {
    program: Arc<Program>,
    comptime: Arc<Comptime>,
    timeline: Timeline,
    breakpoints: Vec<Breakpoint>,
    next_id: u32,
    position: Position,
    /// The cycle that was asked for, if nothing happens between it and the beginning of the tick at which the run
    /// stands.
    asked: Option<u64>,
    focus: PeCoord,
    /// Why the run stands.
    pub stop: Stop,
    /// What ends it.
    pub exceptions: Exceptions,
    pause: &'static AtomicBool,
    logs: Logs,
    /// Lines that were told, and how much the program had written by then.
    told: (usize, u64),
    output: Vec<String>,
    /// The script that is the host, if there is one.
    script: Option<HostScript>,
}

impl Session {
    /// A run that has not begun. `pause` becomes true when it is to stop.
    pub fn new(debuggee: Debuggee, pause: &'static AtomicBool) -> Session {
        let Debuggee { program, facts, options, host } = debuggee;
        let comptime = Arc::new(Comptime::new(program.sources(), facts.as_deref()));
        // The plain engine does nothing ahead of the clock, so that every moment is as it was.
        let options = RunOptions { plain: true, threads: 1, stop: None, pulse: None, ..options };
        let each = Runner::footprint(&program).max(1);
        let most = (MOST_BYTES / each).clamp(4, MOST_COPIES) as usize;
        let focus = program.pes().next().unwrap_or(PeCoord { x: 0, y: 0 });
        let runner = Runner::new(Arc::clone(&program), options);
        let (world, script) = match host {
            Some(actions) => (World::new(runner, actions), None),
            None => (
                World::of_script(runner),
                Some(HostScript { wait: None, course: Course::On, shows_end: true }),
            ),
        };
        Session {
            program,
            comptime,
            timeline: Timeline::new(world, most),
            breakpoints: Vec::new(),
            next_id: 1,
            position: Position::START,
            asked: None,
            focus,
            stop: Stop::new(StopKind::Entry, "before the first cycle".to_string()),
            exceptions: Exceptions { errors: true, hangs: true, warnings: false },
            pause,
            logs: Logs::default(),
            told: (0, 0),
            output: Vec::new(),
            script,
        }
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The breakpoints.
    pub fn breakpoints(&self) -> &[Breakpoint] {
        &self.breakpoints
    }

    /// How often a breakpoint was met before this moment.
    pub fn hits(&self, breakpoint: &Breakpoint) -> usize {
        breakpoint.met_until(self.position)
    }

    /// The PE that is looked at.
    pub fn focus(&self) -> PeCoord {
        self.focus
    }

    /// Looks at another PE.
    ///
    /// # Errors
    /// A sentence: there is no code.
    pub fn select(&mut self, at: PeCoord) -> Result<(), String> {
        self.program.tile_of(at).ok_or(format!("{at} has no code"))?;
        self.focus = at;
        Ok(())
    }

    /// The run as it stands, to look at.
    pub fn runner(&mut self) -> &mut Runner {
        self.timeline.show(self.position)
    }

    /// A PE as it stands.
    pub fn look<R>(
        &mut self,
        at: PeCoord,
        with: impl FnOnce(&PeView<'_>, &Comptime) -> R,
    ) -> Result<R, String> {
        let comptime = Arc::clone(&self.comptime);
        let view = self.timeline.show(self.position).look(at).ok_or(format!("{at} has no code"))?;
        Ok(with(&view, &comptime))
    }

    /// The cycle in which the run stands.
    pub fn cycle(&mut self) -> u64 {
        let (position, focus) = (self.position, self.focus);
        if let (Moment::Start, Some(cycle)) = (position.moment, self.asked) {
            return cycle;
        }
        let runner = self.timeline.show(position);
        match position.moment {
            Moment::Code(..) => runner.look(focus).map_or(0, |view| view.cycle()),
            Moment::Start => runner.next_cycle(),
            Moment::Arrival(..) | Moment::End => runner.next_cycle().saturating_sub(1),
        }
    }

    /// What was printed since the last call.
    pub fn take_output(&mut self) -> Vec<String> {
        std::mem::take(&mut self.output)
    }

    /// The value of an expression in a call of a PE, and the same with its parts.
    ///
    /// # Errors
    /// A sentence that says why it has none.
    pub fn evaluate(&mut self, text: &str, at: PeCoord, call: usize) -> Result<(Value, crate::Tree), String> {
        let expression = Expression::parse(text)?;
        self.look(at, |view, comptime| {
            let value = expression.value(&EvalContext { view, call, comptime })?;
            let tree = value.tree(text, view);
            Ok((value, tree))
        })?
    }

    /// Adds a breakpoint; its number.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub fn add(&mut self, kind: Kind, wish: &Wish<'_>) -> Result<u32, String> {
        let id = self.next_id;
        self.breakpoints.push(Breakpoint::new((&self.program, &self.comptime), id, kind, wish)?);
        self.next_id += 1;
        Ok(id)
    }

    /// Removes the breakpoints for which `which` is true; how many there were.
    pub fn remove(&mut self, which: impl Fn(&Breakpoint) -> bool) -> usize {
        let before = self.breakpoints.len();
        self.breakpoints.retain(|breakpoint| !which(breakpoint));
        before - self.breakpoints.len()
    }

    /// The file of the program that a path means.
    pub fn file(&self, path: &str) -> Option<FileId> {
        let files = self.program.sources().files();
        let wanted = tidy(Path::new(path));
        let absolute = |p: &Path| std::path::absolute(p).unwrap_or_else(|_| p.to_path_buf());
        let is_it = |name: &str| {
            tidy(Path::new(name)) == wanted || tidy(&absolute(Path::new(name))) == tidy(&absolute(&wanted))
        };
        let exact = files.iter().position(|file| is_it(&file.name));
        let ends = || files.iter().position(|file| Path::new(&file.name).ends_with(&wanted));
        exact.or_else(ends).map(|n| FileId(n as u32))
    }

    /// What stops the run, and what is noted besides.
    fn sought(&self) -> Sought {
        let marks = self.breakpoints.iter().flat_map(|b| b.places.iter().copied()).collect();
        let colors = self.breakpoints.iter().map(|b| match b.kind {
            Kind::Color(color) => 1u32.checked_shl(color.into()).unwrap_or(0),
            Kind::Line { .. } | Kind::Function(_) | Kind::Words { .. } => 0,
        });
        let words = self.breakpoints.iter().filter_map(|b| match b.kind {
            Kind::Words { pe, addr, words, .. } => Some((pe, addr, words)),
            Kind::Line { .. } | Kind::Function(_) | Kind::Color(_) => None,
        });
        let width = self.program.size().0;
        let request = DebugRequest {
            marks,
            colors: colors.fold(0, |all, color| all | color),
            condition: Some(condition(&self.breakpoints, &self.comptime, &self.logs, width)),
            ..DebugRequest::default()
        };
        Sought { request, step: None, words: words.collect() }
    }

    /// Goes on until something stops the run.
    pub fn go_on(&mut self) {
        self.forward(None);
    }

    /// Does a step of the PE that is looked at.
    pub fn step(&mut self, step: Step) {
        let frame = self.frame();
        let kind = match (step, frame) {
            (Step::Over, Some(frame)) => StepKind::LineOver(frame),
            (Step::Out, Some(frame)) => StepKind::Out(frame),
            (Step::In, _) | (_, None) => StepKind::Line,
        };
        self.forward(Some(kind));
    }

    fn frame(&mut self) -> Option<u16> {
        let focus = self.focus;
        self.look(focus, |view, _| view.calls().first().map(|call| call.frame)).ok().flatten()
    }

    fn forward(&mut self, step: Option<StepKind>) {
        if let Some((_, end)) = self.timeline.ending()
            && self.position >= end
        {
            if self.script.is_some() {
                // The script learns what has gone wrong.
                self.stop = Stop::new(StopKind::Host, String::new());
                return;
            }
            self.stop.text = "the run has ended here; it can only go back".to_string();
            self.stop.report = String::new();
            return;
        }
        self.count_hits();
        if let Some(script) = &mut self.script {
            script.course = step.map_or(Course::On, Course::Step);
        }
        let (from, focus) = (self.position, self.focus);
        let mut sought = self.sought();
        sought.step = step.map(|kind| (focus, kind));
        let mut all = std::mem::take(&mut self.breakpoints);
        let warnings = self.exceptions.warnings;
        let mut found = None;
        let mut accept = |event: &Event, at: Position| {
            found = met((event, at), &mut all, (step.map(|_| focus), warnings));
            found.is_some()
        };
        let (logs, told, output) = (&self.logs, &mut self.told, &mut self.output);
        let mut each = |runner: &mut Runner, tick: u64, found: Option<Position>| {
            let is_new = |at: Position| at > from && found.is_none_or(|found| at <= found);
            let new =
                logs.take().into_iter().filter(|(moment, _)| is_new(Position { tick, moment: *moment }));
            output.extend(new.map(|(_, line)| line));
            tell_lines(runner, told, output);
        };
        let hold = |world: &World| host::acts_now(self.script.as_ref(), world);
        let watchers = Watchers { accept: &mut accept, each: &mut each, hold: &hold };
        let end = self.timeline.forward(from, (&sought, None), self.pause, watchers);
        self.breakpoints = all;
        self.settle(end, found);
        let here = self.position;
        self.breakpoints
            .iter_mut()
            .filter(|b| b.counted >= from)
            .for_each(|b| b.counted = b.counted.max(here));
    }

    /// Counts how often breakpoints with a number of hits were met before this moment.
    fn count_hits(&mut self) {
        let here = self.position;
        let lacks = |b: &&mut Breakpoint| b.hits.is_some() && b.counted < here;
        let Some(from) = self.breakpoints.iter_mut().filter(lacks).map(|b| b.counted).min() else { return };
        let (sought, mut all) = (self.sought(), std::mem::take(&mut self.breakpoints));
        let mut tell = |event: &Event, at: Position| drop(met((event, at), &mut all, (None, false)));
        self.timeline.scan((from, here), &sought, &mut tell);
        // The run has written on its way here what breakpoints write.
        self.logs.take();
        all.iter_mut().filter(|b| b.counted >= from).for_each(|b| b.counted = b.counted.max(here));
        self.breakpoints = all;
    }

    /// The run stands where a search forward has ended.
    fn settle(&mut self, end: Forward, found: Option<(StopKind, Vec<u32>)>) {
        match end {
            Forward::Found(event, position) => {
                let (kind, ids) = found.unwrap_or((StopKind::Step, Vec::new()));
                self.arrive(&event, position, kind, ids);
            }
            Forward::Reached(position) => self.stand(position, StopKind::Goto, String::new()),
            Forward::Paused(position) => {
                self.pause.store(false, Ordering::Relaxed);
                self.stand(position, StopKind::Pause, String::new());
            }
            Forward::Ended(ending, position) => self.end(&ending, position),
            Forward::HostActs(position) => {
                let script = self.script.as_mut();
                let ends = script.is_some_and(|script| {
                    let is_end = script.wait.as_ref().is_some_and(|wait| wait.goal == Goal::End);
                    is_end && std::mem::take(&mut script.shows_end)
                });
                let text = "the run has finished; when it goes on, so does the host script";
                let (kind, text) = if ends { (StopKind::Pause, text) } else { (StopKind::Host, "") };
                self.stand(position, kind, text.to_string());
            }
        }
    }

    fn stand(&mut self, position: Position, kind: StopKind, text: String) {
        (self.position, self.asked) = (position, None);
        self.stop = Stop::new(kind, text);
    }

    fn arrive(&mut self, event: &Event, position: Position, kind: StopKind, ids: Vec<u32>) {
        self.position = position;
        let sources = self.program.sources();
        let text = match event {
            Event::Notice(Notice::Arrival { color, data, .. }) => {
                format!("a wavelet of color {color}: {data:#010x}")
            }
            Event::Write(pe, at, write) => {
                let who = write.span.map_or("the host".to_string(), |span| sources.describe(span));
                let is_it = |b: &&Breakpoint| matches!(&b.kind, Kind::Words { pe: on, addr, .. } if on == pe && addr == at);
                let name = self.breakpoints.iter().find(is_it).map(|b| match &b.kind {
                    Kind::Words { name, .. } => name.clone(),
                    Kind::Line { .. } | Kind::Function(_) | Kind::Color(_) => String::new(),
                });
                format!("`{}` is written by {who}", name.unwrap_or_default())
            }
            Event::Warning => "the program has caused a warning".to_string(),
            Event::Notice(Notice::Code { .. }) => String::new(),
        };
        match event {
            Event::Notice(notice) => self.focus = notice.pe(),
            Event::Write(pe, ..) => self.focus = *pe,
            Event::Warning => {
                let warning = self.runner().warnings().pop();
                if let Some(moment) = warning.and_then(|warning| warning.moment) {
                    self.focus = PeCoord { x: moment.x, y: moment.y };
                }
            }
        }
        let text = self.failed_condition(event, &ids).unwrap_or(text);
        self.stop = Stop { breakpoints: ids, ..Stop::new(kind, text) };
    }

    /// Why the condition of a breakpoint that was met has no value.
    fn failed_condition(&mut self, event: &Event, ids: &[u32]) -> Option<String> {
        let Event::Notice(notice) = event else { return None };
        let met: Vec<_> = self.breakpoints.iter().filter(|b| ids.contains(&b.id)).cloned().collect();
        let look = |view: &PeView<'_>, comptime: &Comptime| {
            let failed = |b: &Breakpoint| {
                let context = EvalContext { view, call: b.call(), comptime };
                let why = b.condition.as_ref()?.value(&context).and_then(|value| value.truth()).err()?;
                Some(format!("the condition of breakpoint {} has no value: {why}", b.id))
            };
            met.iter().find_map(failed)
        };
        self.look(notice.pe(), look).ok().flatten()
    }

    /// The run has ended.
    fn end(&mut self, ending: &Ending, position: Position) {
        self.position = position;
        let (stop, moment) = match ending {
            Ending::Finished(warnings) => finished(&self.program, warnings),
            Ending::Failed(failure) => failed(&self.program, failure, self.exceptions),
        };
        if let Some(at) = moment.filter(|at| self.program.tile_of(*at).is_some()) {
            self.focus = at;
        }
        self.stop = stop;
    }

    /// Goes to the beginning of a cycle, whatever stops the run on the way.
    pub fn go_to_cycle(&mut self, cycle: u64) {
        if cycle < self.cycle() {
            let position = self.timeline.position_of(cycle);
            self.stand(position, StopKind::Goto, String::new());
            self.asked = Some(cycle);
            return;
        }
        if let Some(script) = &mut self.script {
            script.course = Course::Cycle(cycle);
        }
        let (told, output) = (&mut self.told, &mut self.output);
        let mut each = |runner: &mut Runner, _: u64, _: Option<Position>| tell_lines(runner, told, output);
        let sought = (&Sought::default(), Some(cycle));
        let hold = |world: &World| host::acts_now(self.script.as_ref(), world);
        let watchers = Watchers { accept: &mut |_, _| false, each: &mut each, hold: &hold };
        let end = self.timeline.forward(self.position, sought, self.pause, watchers);
        let is_there = matches!(end, Forward::Reached(_));
        self.settle(end, None);
        self.asked = is_there.then_some(cycle);
    }

    /// Goes to the beginning of the run.
    pub fn go_to_start(&mut self) {
        self.at_the_start("before the first cycle");
    }

    /// The report about the end of the run, if it stands there.
    pub fn report(&self) -> Option<Vec<Diagnostic>> {
        match self.timeline.ending()? {
            (Ending::Failed(failure), end) if end == self.position => {
                Some(failure.diagnostics(self.program.sources()))
            }
            _ => None,
        }
    }
}
