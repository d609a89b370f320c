//! Adds up the tables of a profile.

use super::ProfiledRun;
use super::accounts::{Class, PeAccount};
use super::bars::Bars;
use super::items::{ItemKind, PeWork, Work};
use super::path::{CriticalPath, Step, StepKind};
use super::sites::{Share, Sites};
use super::summary::{
    ColorProfile, Free, FunctionProfile, LineProfile, LinkProfile, PathPart, PeProfile, Phase, Profile,
    QueueProfile, Slice,
};
use crate::arch::{Color, InQueue, OutQueue};
use crate::image::NO_TILE;
use crate::source::FileId;
use crate::trace::{HostEvent, Reason};
use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Lines for which a run without them is computed.
const MOST_FREE: usize = 8;

/// The tables of a profile while they are filled.
pub(super) struct Tables<'r> {
    run: &'r ProfiledRun,
    work: &'r Work,
    profile: Profile,
    starts: Vec<u64>,
    files: IndexSet<u32>,
    colors: BTreeMap<u8, ColorProfile>,
    slices: FxHashMap<(u32, u32, u32, u32), u64>,
    end: u64,
}

impl<'r> Tables<'r> {
    /// Empty tables of the lines and functions that have run.
    pub fn new(run: &'r ProfiledRun, work: &'r Work, sites: &Sites<'_>, end: u64) -> Tables<'r> {
        let program = &run.program;
        let mut tables = Tables {
            run,
            work,
            profile: Profile {
                cycles: run.end,
                until: end,
                width: program.width,
                height: program.height,
                machine: program.arch.to_string(),
                ..Profile::default()
            },
            starts: Vec::new(),
            files: IndexSet::new(),
            colors: BTreeMap::new(),
            slices: FxHashMap::default(),
            end,
        };
        for (file, line) in &sites.lines {
            let source = program.sources.file(FileId(*file));
            let text = source.text.lines().nth(*line as usize - 1).unwrap_or_default().trim().to_string();
            let (file, line, is_library) = (tables.file(*file), *line, source.is_library());
            tables.profile.lines.push(LineProfile { file, line, text, is_library, ..LineProfile::default() });
        }
        for (name, (file, line)) in &sites.functions {
            let (name, file, line) = (name.clone(), tables.file(*file), *line);
            tables.profile.functions.push(FunctionProfile { name, file, line, ..FunctionProfile::default() });
        }
        tables.add_phases();
        tables.add_operations();
        tables.add_traffic();
        tables
    }

    fn file(&mut self, file: u32) -> u32 {
        let (number, is_new) = self.files.insert_full(file);
        if is_new {
            self.profile.sources.push(FileId(file));
            self.profile.files.push(self.run.program.sources.file(FileId(file)).name.clone());
        }
        number as u32
    }

    fn add_phases(&mut self) {
        let begins = |event: &&HostEvent| !event.is_wait && event.begun.is_some_and(|begun| begun < self.end);
        let mut commands: Vec<&HostEvent> = self.run.host.iter().filter(begins).collect();
        commands.sort_by_key(|command| command.begun);
        let mut phases: Vec<Phase> = Vec::new();
        if commands.first().is_none_or(|first| first.begun > Some(0)) {
            let name = if commands.is_empty() { "the whole run" } else { "before the first command" };
            phases.push(Phase { name: name.to_string(), ..Phase::default() });
        }
        for command in commands {
            let from = command.begun.unwrap_or(0);
            // Of commands that begin in the same cycle, the last one has the time up to the next.
            if phases.last().is_some_and(|last| last.from == from) {
                phases.pop();
            }
            let (name, place) = (command.what.clone(), command.place.clone());
            phases.push(Phase { name, place, from, ..Phase::default() });
        }
        let ends = phases.iter().skip(1).map(|phase| phase.from).chain([self.end]).collect::<Vec<_>>();
        phases.iter_mut().zip(ends).for_each(|(phase, end)| phase.until = end);
        self.starts = phases.iter().map(|phase| phase.from).collect();
        self.profile.phases = phases;
    }

    /// The first cycle of each phase.
    pub fn phase_starts(&self) -> &[u64] {
        &self.starts
    }

    /// The cycles in which commands of the host began.
    pub fn command_starts(&self) -> Vec<u64> {
        let mut all: Vec<u64> = self.run.host.iter().filter(|e| !e.is_wait).filter_map(|e| e.begun).collect();
        all.sort_unstable();
        all
    }

    fn add_operations(&mut self) {
        for operation in &self.work.operations {
            let share = &operation.share;
            self.add_elements(share);
        }
    }

    fn add_elements(&mut self, share: &Share) {
        let line = &mut self.profile.lines[share.line as usize];
        line.elements += share.elements;
        line.best_cycles += share.best_cycles;
        self.profile.functions[share.function as usize].elements += share.elements;
    }

    fn color(&mut self, color: Color) -> &mut ColorProfile {
        self.colors
            .entry(color.0)
            .or_insert_with(|| ColorProfile { color: color.0, ..ColorProfile::default() })
    }

    fn add_traffic(&mut self) {
        let run = self.run;
        let mut links: BTreeMap<(u32, usize), LinkProfile> = BTreeMap::new();
        for link in &run.traffic.links {
            let color = self.color(link.color);
            color.hops += link.words;
            color.busiest = color.busiest.max(link.words);
            let at = run.program.pe_coord(link.pe as usize);
            let row = links.entry((link.pe, link.to as usize)).or_insert_with(|| LinkProfile {
                x: at.x,
                y: at.y,
                to: link.to.name(),
                words: 0,
                colors: Vec::new(),
            });
            row.words += link.words;
            row.colors.push((link.color.0, link.words));
        }
        for ramp in &run.traffic.ramps {
            let color = self.color(ramp.color);
            color.sent += ramp.sent;
            color.delivered += ramp.delivered;
        }
        self.profile.links = links.into_values().collect();
        self.profile.links.sort_by_key(|link| std::cmp::Reverse(link.words));
    }

    /// Adds a PE and its account.
    pub fn add_pe(&mut self, place: usize, pe: &PeWork, account: &PeAccount) {
        let notes = &self.run.pes[place].1;
        let at = self.run.program.pe_coord(pe.index as usize);
        let mut row = PeProfile { x: at.x, y: at.y, times: account.times, ..PeProfile::default() };
        row.memory = notes.memory;
        row.fullest = notes.queues.iter().map(|mark| 100 * mark.most / mark.depth.max(1)).max().unwrap_or(0);
        for ramp in of_pe(&self.run.traffic.ramps, pe.index, |ramp| ramp.pe) {
            row.sent += ramp.sent;
            row.delivered += ramp.delivered;
        }
        row.hops =
            of_pe(&self.run.traffic.links, pe.index, |link| link.pe).iter().map(|link| link.words).sum();
        for mark in &notes.queues {
            let queue = mark.input.map(|InQueue(q)| q).or(mark.output.map(|OutQueue(q)| q));
            self.profile.queues.push(QueueProfile {
                x: at.x,
                y: at.y,
                is_input: mark.is_input,
                queue,
                color: mark.color.0,
                most: mark.most,
                depth: mark.depth,
            });
        }
        self.add_items(place, pe, account, &mut row);
        self.add_waits(pe);
        self.profile.times.add_all(&account.times);
        for (phase, times) in self.profile.phases.iter_mut().zip(&account.phases) {
            phase.times.add_all(times);
        }
        self.profile.pes.push(row);
    }

    fn add_items(&mut self, place: usize, pe: &PeWork, account: &PeAccount, row: &mut PeProfile) {
        let operations = &self.work.operations[pe.operations.0..pe.operations.1];
        row.elements = operations.iter().map(|operation| operation.share.elements).sum();
        let mut own: BTreeMap<u32, u64> = BTreeMap::new();
        for (index, hidden) in pe.items.iter().zip(&account.hidden) {
            let item = &self.work.items[*index as usize];
            row.hidden += hidden;
            if let ItemKind::Prepare { .. } = item.kind {
                row.tasks += 1;
                self.profile.functions[item.task as usize].starts += 1;
            }
            for share in self.work.shares_of(item) {
                let busy = share.cycles - hidden;
                *own.entry(share.line).or_default() += busy;
                row.elements += share.elements;
                self.add_elements(&share);
                let line = &mut self.profile.lines[share.line as usize];
                line.busy += busy;
                line.hidden += hidden;
                line.element_cycles += share.element_cycles;
                let function = &mut self.profile.functions[share.function as usize];
                function.busy += busy;
                function.hidden += hidden;
                let key = (place as u32, item.task, share.function, share.line);
                *self.slices.entry(key).or_default() += busy;
            }
        }
        own.keys().for_each(|line| self.profile.lines[*line as usize].pes += 1);
    }

    fn add_waits(&mut self, pe: &PeWork) {
        for wait in self.work.waits_of(pe) {
            let cycles = wait.until - wait.from;
            match wait.on {
                Reason::Wavelet { color, .. } => self.color(color).wavelet += cycles,
                Reason::Space { color, .. } => self.color(color).room += cycles,
                Reason::FifoData(_) | Reason::FifoSpace(_) | Reason::Unblock => {}
            }
            let Some(operation) = wait.operation else { continue };
            let share = self.work.operations[operation as usize].share;
            let line = &mut self.profile.lines[share.line as usize];
            match Class::of(wait.on) {
                Class::Wavelet => line.wavelet += cycles,
                Class::Room => line.room += cycles,
                Class::Fifo => line.fifo += cycles,
                Class::Busy | Class::Task | Class::Idle => {}
            }
            self.profile.functions[share.function as usize].waits += cycles;
        }
    }

    /// PEs with code to which nothing has happened were idle all the time.
    pub fn add_unmade(&mut self) {
        let with_code = self.run.program.place.iter().filter(|tile| **tile != NO_TILE).count();
        let idle = (with_code.saturating_sub(self.run.pes.len())) as u64;
        self.profile.times.add(Class::Idle, idle * self.end);
        for phase in &mut self.profile.phases {
            phase.times.add(Class::Idle, idle * (phase.until - phase.from));
        }
    }

    /// Adds the critical path.
    pub fn add_path(&mut self, steps: &[Step], path: &CriticalPath<'_, '_>) {
        let mut reached = 0;
        for step in steps {
            self.add_step(step);
            reached = step.until;
        }
        if reached < self.end {
            let rest = PathPart {
                from: reached,
                until: self.end,
                what: "other",
                pe: None,
                before: None,
                line: None,
                color: None,
            };
            self.profile.path.other += self.end - reached;
            self.profile.path.parts.push(rest);
        }
        let mut candidates: Vec<(u64, u32)> =
            self.profile.lines.iter().enumerate().map(|(n, line)| (line.path, n as u32)).collect();
        candidates.sort_by_key(|(cycles, line)| (std::cmp::Reverse(*cycles), *line));
        let behind = self.end - path.with_all().min(self.end);
        for (_, line) in candidates.into_iter().take(MOST_FREE).filter(|(cycles, _)| *cycles > 0) {
            self.profile.path.free.push(Free { line, cycles: path.without(line) + behind });
        }
    }

    fn add_step(&mut self, step: &Step) {
        let item = &self.work.items[step.item as usize];
        let (cycles, mut line, mut color) = (step.length(), None, None);
        let path = &mut self.profile.path;
        let what = match step.kind {
            StepKind::Work(share) => {
                path.work += cycles;
                line = Some(share.line);
                "work"
            }
            StepKind::Wavelet(of) => {
                path.wavelet += cycles;
                color = Some(of);
                "wavelet"
            }
            StepKind::Room(of) => {
                path.room += cycles;
                color = Some(of);
                "room"
            }
            StepKind::Host => {
                path.host += cycles;
                "host"
            }
            StepKind::Delay => {
                path.other += cycles;
                "other"
            }
        };
        let before = step.before.map(|before| self.work.items[before as usize].pe);
        path.parts.push(PathPart {
            from: step.from,
            until: step.until,
            what,
            pe: Some(item.pe),
            before,
            line,
            color: color.map(|color| color.0),
        });
        self.profile.pes[item.pe as usize].path += cycles;
        if let Some(color) = color {
            self.color(color).path += cycles;
        }
        if let StepKind::Work(share) = step.kind {
            for (line, function, part) in self.divided(step, share) {
                self.profile.lines[line as usize].path += part;
                self.profile.functions[function as usize].path += part;
            }
        }
    }

    /// The cycles of a step by line and function: those of a part of an item in proportion.
    fn divided(&self, step: &Step, most: Share) -> Vec<(u32, u32, u64)> {
        let item = &self.work.items[step.item as usize];
        let is_code = matches!(item.kind, ItemKind::Code { .. });
        if !is_code {
            return vec![(most.line, most.function, step.length())];
        }
        let (length, part) = (item.until - item.from, step.length());
        let shares = self.work.shares_of(item);
        let scaled = |cycles: u64| (u128::from(cycles) * u128::from(part) / u128::from(length.max(1))) as u64;
        let mut all: Vec<(u32, u32, u64)> =
            shares.iter().map(|share| (share.line, share.function, scaled(share.cycles))).collect();
        let rest = part.saturating_sub(all.iter().map(|(_, _, cycles)| cycles).sum());
        all.push((most.line, most.function, rest));
        all
    }

    /// The finished profile: tables in order, and numbers of lines and functions to match.
    pub fn finish(mut self, cut: Option<u64>) -> Profile {
        let mut profile = self.profile;
        profile.cut = cut;
        profile.colors = std::mem::take(&mut self.colors).into_values().collect();
        let lines = sorted(&mut profile.lines, |line| (line.busy, line.wavelet + line.room + line.fifo));
        let functions = sorted(&mut profile.functions, |function| (function.busy, function.waits));
        for part in &mut profile.path.parts {
            part.line = part.line.map(|line| lines[line as usize]);
        }
        // Those on the critical path are drawn first of all, then the busiest.
        let rank = |place: usize| profile.pes.get(place).map_or((0, 0), |pe| (pe.path, pe.times.busy));
        let mut bars = Bars::new(self.work, rank);
        for line in bars.line.iter_mut().filter(|line| **line >= 0) {
            *line = i64::from(lines[*line as usize]);
        }
        profile.bars = bars;
        profile.path.free.iter_mut().for_each(|free| free.line = lines[free.line as usize]);
        let slice = |((pe, task, function, line), busy): ((u32, u32, u32, u32), u64)| Slice {
            pe,
            task: functions.get(task as usize).copied(),
            function: functions[function as usize],
            line: lines[line as usize],
            busy,
        };
        profile.slices = self.slices.into_iter().filter(|(_, busy)| *busy > 0).map(slice).collect();
        profile.slices.sort_unstable_by_key(|slice| (slice.pe, slice.task, slice.function, slice.line));
        profile
    }
}

/// The rows of a PE among rows that are sorted by PE.
fn of_pe<T>(rows: &[T], pe: u32, its: impl Fn(&T) -> u32) -> &[T] {
    let first = rows.partition_point(|row| its(row) < pe);
    let behind = rows.partition_point(|row| its(row) <= pe);
    &rows[first..behind]
}

/// Sorts rows by falling keys; gives the new number of each old one.
fn sorted<T, K: Ord>(rows: &mut Vec<T>, key: impl Fn(&T) -> K) -> Vec<u32> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|row| std::cmp::Reverse(key(&rows[*row])));
    let mut numbers = vec![0; rows.len()];
    order.iter().enumerate().for_each(|(new, old)| numbers[*old] = new as u32);
    let mut old: Vec<Option<T>> = rows.drain(..).map(Some).collect();
    rows.extend(order.iter().filter_map(|row| old[*row].take()));
    numbers
}
