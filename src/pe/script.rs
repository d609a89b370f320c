//! What the operations of a PE do to its memory, written down so that it can be done on the memories
//! of other PEs, too.
//!
//! In: operations as they begin and end. Out: acts, to be done in their order on the memory of every
//! PE that does the same in the same cycles. Words that have come from elsewhere may differ there;
//! whenever the PE does something that could depend on them, the script is refused.

use super::Pe;
use super::again::{Preparer, Ready, Values};
use super::kept::Kept;
use super::memory::Memory;
use super::operation::{From, Intake, Operation, Outlet, To};
use super::watch::{FOREIGN, READ, WRITTEN, Watch};
use crate::arch::{Color, PeCoord};
use crate::dsd::Simd;
use crate::dsd::access::Walk;
use crate::dsd::local::{Dest, Source};
use crate::dsd::ops::DsdOp;
use std::collections::BTreeMap;
use std::ops::Range;

/// Elements in a row that an operation has sent or taken; the operation is named by its serial.
pub type Run = (u32, u32);

/// What a PE has done so far.
#[derive(Clone, Default)]
pub struct Script {
    acts: Vec<Act>,
    /// For each color, who has sent how many wavelets.
    sent: BTreeMap<Color, Vec<Run>>,
    /// For each color, who has taken how many.
    taken: BTreeMap<Color, Vec<Run>>,
    running: Vec<Running>,
    serials: u32,
    /// The memory as the acts so far leave it, except for foreign words.
    known: Vec<u16>,
    /// At the end: the words whose values may differ from PE to PE.
    foreign: Vec<Range<usize>>,
    now: u64,
    refused: bool,
}

/// Something to be done to the memory of a PE.
#[derive(Clone)]
pub struct Act {
    /// When it was done.
    pub cycle: u64,
    /// The operation, unless words are written whose values are the same on every PE.
    pub serial: Option<u32>,
    pub(super) deed: Deed,
}

#[derive(Clone)]
pub(super) enum Deed {
    Write(usize, Box<[u16]>),
    Operate(Box<Operation>),
}

/// An operation that goes on over several cycles, as it began.
#[derive(Clone)]
struct Running {
    place: usize,
    operation: Operation,
    serial: u32,
    touches: Touches,
}

/// Words that an operation works on.
#[derive(Clone, Default)]
struct Touches {
    reads: Vec<Range<usize>>,
    writes: Vec<Range<usize>>,
}

impl Touches {
    fn of(to: &To, from: &[From], count: u32) -> Touches {
        let mut touches = Touches::default();
        for from in from {
            if let From::Local(Source::Walk(walk)) = from {
                add_words(walk, count, &mut touches.reads);
            }
        }
        match to {
            To::Local(Dest::Walk(walk)) => add_words(walk, count, &mut touches.writes),
            To::Local(Dest::Scalar { at, words, .. }) => {
                touches.writes.push(*at..*at + usize::from(*words));
            }
            To::Fabric(_) | To::Fifo(_) | To::Nowhere => {}
        }
        touches
    }
}

fn add_words(walk: &Walk, count: u32, words: &mut Vec<Range<usize>>) {
    let (mut walk, each) = (*walk, usize::from(walk.words()));
    // An operation that leaves its memory is stopped, and with it the script.
    for row in walk.rows(count as usize).map_while(Result::ok) {
        let element = |k: usize| (row.at as isize + row.step as isize * k as isize) as usize;
        if row.step == each as i32 {
            words.push(row.at..row.at + row.count * each);
        } else {
            words.extend((0..row.count).map(|k| element(k)..element(k) + each));
        }
    }
}

impl Script {
    fn record(&mut self, serial: Option<u32>, deed: Deed) {
        self.acts.push(Act { cycle: self.now, serial, deed });
    }

    fn record_operation(&mut self, serial: Option<u32>, operation: Operation) {
        self.record(serial, Deed::Operate(Box::new(operation)));
    }

    /// Whether the operation depends on words that differ from PE to PE, or writes such words.
    fn is_foreign(watch: &Watch, operation: &Operation, touches: &Touches) -> bool {
        let passes = operation.color().is_some() || operation.intakes().next().is_some();
        let mut words = touches.reads.iter().chain(&touches.writes);
        passes || words.any(|words| watch.has(words, FOREIGN))
    }

    /// An operation may only touch what no other one in progress changes.
    fn check_others(&mut self, watch: &Watch, touches: &Touches) {
        let spoilt = touches.reads.iter().any(|words| watch.has(words, WRITTEN));
        self.refused |= spoilt || touches.writes.iter().any(|words| watch.has(words, READ | WRITTEN));
    }

    /// What the code has written to these words since the last act becomes an act.
    fn catch_up(&mut self, watch: &Watch, memory: &[u16], words: Range<usize>) {
        let mut at = words.start;
        let end = words.end.min(memory.len());
        self.known.resize(self.known.len().max(memory.len()), 0);
        let differs = |known: &[u16], word: usize| !watch.is_foreign(word) && known[word] != memory[word];
        while at < end {
            if !differs(&self.known, at) {
                at += 1;
                continue;
            }
            let changed = (at..end).take_while(|word| differs(&self.known, *word)).count();
            let values = &memory[at..at + changed];
            self.known[at..at + changed].copy_from_slice(values);
            self.record(None, Deed::Write(at, values.into()));
            at += changed;
        }
    }

    /// An operation on memory alone, before it is done.
    fn at_once(&mut self, watch: &mut Watch, memory: &Memory, operation: Operation) {
        let touches = Touches::of(&operation.to, &operation.from, operation.total.unwrap_or(0));
        self.check_others(watch, &touches);
        if !Script::is_foreign(watch, &operation, &touches) {
            return;
        }
        for words in &touches.reads {
            self.catch_up(watch, memory.words(), words.clone());
        }
        touches.writes.iter().for_each(|words| watch.mark(words, FOREIGN));
        self.record_operation(None, operation);
    }

    /// An operation begins that goes on over several cycles.
    fn begin(
        &mut self,
        watch: &mut Watch,
        memory: &Memory,
        place: usize,
        operation: &Operation,
        input: Option<Color>,
    ) {
        let Some(total) = operation.total.filter(|_| is_plain(operation)) else {
            return self.refused = true;
        };
        let touches = Touches::of(&operation.to, operation.sources(), total);
        self.check_others(watch, &touches);
        for words in &touches.reads {
            self.catch_up(watch, memory.words(), words.clone());
            watch.mark(words, READ);
        }
        touches.writes.iter().for_each(|words| watch.mark(words, WRITTEN | FOREIGN));
        let serial = self.serials;
        self.serials += 1;
        self.note_color(operation.color(), true, (serial, total));
        self.note_color(input, false, (serial, total));
        // What only sends is done with its memory when it begins: nobody may change that any more.
        if input.is_none() {
            self.record_operation(Some(serial), operation.clone());
        }
        self.running.push(Running { place, operation: operation.clone(), serial, touches });
    }

    /// Two operations at once on one color would share its wavelets.
    fn note_color(&mut self, color: Option<Color>, out: bool, run: Run) {
        let Some(color) = color else { return };
        let runs = if out { &mut self.sent } else { &mut self.taken };
        let runs = runs.entry(color).or_default();
        let last = runs.last().map(|(serial, _)| *serial);
        self.refused |= self.running.iter().any(|other| Some(other.serial) == last);
        runs.push(run);
    }

    fn end(&mut self, watch: &mut Watch, place: usize, done: u32) {
        let Some(at) = self.running.iter().position(|running| running.place == place) else {
            return self.refused = true;
        };
        let ended = self.running.remove(at);
        self.refused |= ended.operation.total != Some(done);
        watch.nobody_works();
        for running in &self.running {
            running.touches.reads.iter().for_each(|words| watch.mark(words, READ));
            running.touches.writes.iter().for_each(|words| watch.mark(words, WRITTEN));
        }
        if ended.operation.intakes().next().is_some() {
            self.record_operation(Some(ended.serial), ended.operation);
        }
    }

    /// What each PE has to keep for itself, and what to do with that; for PEs that begin with these words
    /// besides the foreign ones, and of whose memory so many are there at the end.
    pub fn prepare(&self, start: &[u16], size: usize, values: &mut Values) -> (Kept, Vec<Ready>) {
        let kept = Kept::new(&self.foreign, &self.acts);
        let mut preparer = Preparer::new(&kept, (start, size), values);
        let acts = self.acts.iter().filter_map(|act| preparer.prepare(act)).collect();
        (kept, acts)
    }

    /// Who has sent wavelets of a color, in order.
    pub fn sent(&self, color: Color) -> &[Run] {
        self.sent.get(&color).map_or(&[], Vec::as_slice)
    }

    /// The colors that were taken, and by whom, in order.
    pub fn taken(&self) -> impl Iterator<Item = (Color, &[Run])> {
        self.taken.iter().map(|(color, runs)| (*color, runs.as_slice()))
    }
}

/// Whether each element is a wavelet of its own, and nothing else happens.
fn is_plain(operation: &Operation) -> bool {
    let intake =
        |intake: &Intake| intake.control_transform.is_none() && !(intake.narrow && intake.simd != Simd::Off);
    let outlet = |outlet: &Outlet| {
        let is_data = !outlet.control && outlet.control_transform.is_none() && !outlet.advance_switch;
        is_data && !(outlet.narrow && outlet.simd != Simd::Off)
    };
    let has_fifo = operation.from.iter().any(|from| matches!(from, From::Fifo(_)));
    let to = match &operation.to {
        To::Local(_) => true,
        To::Fabric(out) => outlet(out),
        To::Fifo(_) | To::Nowhere => false,
    };
    to && !has_fifo
        && operation.intakes().count() <= 1
        && operation.intakes().all(intake)
        && operation.cleared.is_none()
        && !operation.stops_at_control
}

impl Pe {
    /// From now on writes a script; these words differ from PE to PE. Before anything runs.
    pub fn write_script(&mut self, foreign: &[Range<usize>]) {
        let mut watch = Watch::default();
        foreign.iter().for_each(|words| watch.mark(words, FOREIGN));
        self.guard.watch(Some(Box::new(watch)));
        self.script = Some(Box::new(Script { known: self.memory.words().to_vec(), ..Script::default() }));
    }

    /// The script up to now, without what code has written since the last act; `None` if the PE has done
    /// something that other PEs might not do.
    pub fn script(&self) -> Option<&Script> {
        let touched = self.guard.watch.as_ref().is_some_and(|watch| watch.touched);
        self.script.as_deref().filter(|script| !script.refused && !touched)
    }

    /// How many words may differ from PE to PE so far.
    pub fn foreign_words(&self) -> usize {
        self.guard.watch.as_ref().map_or(0, |watch| watch.foreign().iter().map(Range::len).sum())
    }

    /// The whole script; nothing is written any more.
    pub fn take_script(&mut self) -> Option<Script> {
        let watch = self.guard.watch(None)?;
        let mut script = self.script.take()?;
        let words = self.memory.words();
        script.catch_up(&watch, words, 0..words.len());
        script.foreign = watch.foreign();
        let is_over = script.running.is_empty();
        (is_over && !script.refused && !watch.touched).then_some(*script)
    }

    /// Whether a script is written.
    pub(super) fn writes_script(&self) -> bool {
        self.script.is_some()
    }

    /// The clock of what is written down next.
    pub(super) fn script_time(&mut self, now: u64) {
        if let Some(script) = &mut self.script {
            script.now = now;
        }
    }

    /// Something happens that no script describes.
    pub(super) fn refuse_script(&mut self) {
        if let Some(script) = &mut self.script {
            script.refused = true;
        }
    }

    /// An operation on memory alone is about to be done.
    pub(super) fn script_at_once(
        &mut self,
        op: &'static DsdOp,
        (dest, sources): (&Dest, &[Source; 3]),
        arity: usize,
        count: u32,
    ) {
        let (Some(script), Some(watch)) = (&mut self.script, &mut self.guard.watch) else { return };
        let kept = match (dest, sources[0]) {
            (Dest::Scalar { accumulates: true, .. }, Source::Scalar(first)) => first,
            _ => 0,
        };
        let mut operation = Operation::new(op, arity);
        (operation.to, operation.from) = (To::Local(*dest), sources.map(From::Local));
        (operation.total, operation.kept) = (Some(count), kept);
        script.at_once(watch, &self.memory, operation);
    }

    /// An operation begins that takes its time.
    pub(super) fn script_begin(&mut self, place: usize, operation: &Operation) {
        let (Some(script), Some(watch)) = (&mut self.script, &mut self.guard.watch) else { return };
        let input = operation.intakes().next().map(|intake| self.queues.inputs[intake.input].color);
        script.begin(watch, &self.memory, place, operation, input);
    }

    /// It has ended.
    pub(super) fn script_end(&mut self, place: usize, done: u32) {
        if let (Some(script), Some(watch)) = (&mut self.script, &mut self.guard.watch) {
            script.end(watch, place, done);
        }
    }

    /// A PE in the same state somewhere else, with words of its own among those of its memory.
    pub fn twin(&self, at: PeCoord, kept: &Kept, words: &[u16]) -> Pe {
        let mut twin = self.clone();
        twin.at = at;
        for (place, from) in kept.ranges() {
            twin.memory.reach(place.end);
            twin.memory.words_mut()[place].copy_from_slice(&words[from]);
        }
        twin
    }
}

impl Act {
    /// Wavelets that it takes.
    pub fn taken(&self) -> u32 {
        match &self.deed {
            Deed::Operate(operation) if operation.intakes().next().is_some() => operation.total.unwrap_or(0),
            Deed::Operate(..) | Deed::Write(..) => 0,
        }
    }

    /// Wavelets that it sends.
    pub fn sent(&self) -> u32 {
        match &self.deed {
            Deed::Operate(operation) if operation.color().is_some() => operation.total.unwrap_or(0),
            Deed::Operate(..) | Deed::Write(..) => 0,
        }
    }
}
