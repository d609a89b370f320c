//! A PE as a debugger shows it: calls with their variables, globals, and the parts of the machine as trees of text.

use crate::arch::{PeCoord, TEARDOWN_TASK};
use crate::dsd::{Dsd, ENDLESS, Mem, MemKind};
use crate::image::code::{byte_behind, word_of};
use crate::image::{Local, LocalPlace, Program, Symbol, TaskKind, TileImage};
use crate::source::Span;
use crate::wafer::{Activity, ExecutionPoint, FrameState, Pe, QueueState, need_words};

/// An operation in the code of a tile.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpAddress {
    /// The number of the tile.
    pub tile: u32,
    /// The function.
    pub function: u32,
    /// The operation.
    pub pc: u32,
}

/// A PE at one moment of a run.
pub struct PeView<'w> {
    program: &'w Program,
    tile: &'w TileImage,
    pe: &'w Pe,
    at: PeCoord,
}

/// A call that has not returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The function or task.
    pub name: String,
    /// What it executes.
    pub span: Span,
    /// Its declaration.
    pub declared: Span,
    /// The operation, without its count in the history of the PE.
    pub code: OpAddress,
    /// The address of its frame.
    pub frame: u16,
}

/// A variable with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableValue {
    /// Name and type; the address of one that lies in a register is 0.
    pub symbol: Symbol,
    /// Its words; empty if it has no value yet.
    pub words: Vec<u16>,
    /// Whether it lies in memory.
    pub in_memory: bool,
    /// The function that it belongs to, if that was expanded in place of a call.
    pub expanded: Option<String>,
}

/// A task of a PE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskView {
    /// Its name.
    pub name: String,
    /// Its number.
    pub id: u8,
    /// What makes it run, such as `local`.
    pub kind: &'static str,
    /// What the picker knows of it, such as "active, blocked".
    pub state: String,
}

/// A value with parts, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// Its name.
    pub name: String,
    /// Its value on one line.
    pub value: String,
    /// Its type; empty if it has none.
    pub ty: String,
    /// Its parts.
    pub parts: Vec<Tree>,
}

impl Tree {
    /// A value without parts.
    pub fn leaf(name: impl Into<String>, value: impl ToString) -> Tree {
        Tree { name: name.into(), value: value.to_string(), ..Tree::default() }
    }

    /// A value with parts.
    pub fn with(name: impl Into<String>, value: impl ToString, parts: Vec<Tree>) -> Tree {
        Tree { parts, ..Tree::leaf(name, value) }
    }
}

impl<'w> PeView<'w> {
    /// A PE of a program; `None` if it has no code.
    pub(super) fn new(program: &'w Program, pe: &'w Pe) -> Option<PeView<'w>> {
        let at = pe.place();
        Some(PeView { program, tile: program.tile_at(at)?, pe, at })
    }

    /// The PE.
    pub fn at(&self) -> PeCoord {
        self.at
    }

    /// The file of its tile.
    pub fn file(&self) -> &str {
        &self.tile.file
    }

    /// The value of a parameter of its tile, as shown.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.tile.params.value(name)
    }

    /// The cycle up to which its main thread has run.
    pub fn cycle(&self) -> u64 {
        self.pe.busy_until()
    }

    /// How many operations its code has begun, and the last of them.
    pub fn progress(&self) -> (u64, Option<ExecutionPoint>) {
        self.pe.progress()
    }

    /// The operation of a place in the history of this PE.
    pub fn code_at(&self, ExecutionPoint { function, pc, .. }: ExecutionPoint) -> OpAddress {
        let tile = self.program.place[self.program.pe_index(self.at)];
        OpAddress { tile, function: function.0, pc: pc as u32 }
    }

    /// The calls of the main thread, the innermost first.
    pub fn calls(&self) -> Vec<Call> {
        self.pe.frames().iter().enumerate().map(|(outer, frame)| self.call(outer, frame)).collect()
    }

    fn call(&self, outer: usize, frame: &FrameState) -> Call {
        let function = &self.tile.functions[frame.function.0 as usize];
        let pc = position(outer, frame);
        let tile = self.program.place[self.program.pe_index(self.at)];
        Call {
            name: function.name.clone(),
            span: function.spans.get(pc).copied().unwrap_or(function.span),
            declared: function.span,
            code: OpAddress { tile, function: frame.function.0, pc: pc as u32 },
            frame: frame.address,
        }
    }

    /// The task or function that has run last, with its declaration, and whether it has ended.
    pub fn activity(&self) -> Option<(String, Span, bool)> {
        let Activity { name, span, places, .. } = self.pe.activity()?;
        Some((name.to_string(), span, places.is_empty()))
    }

    /// What it waits for, each on one line.
    pub fn waits(&self) -> Vec<String> {
        self.pe
            .operations()
            .map(|wait| format!("@{} waits for {}", wait.name, need_words(&wait.on)))
            .collect()
    }

    /// Whether something on it is in progress or waits.
    pub fn is_busy(&self) -> bool {
        !self.pe.frames().is_empty() || !self.pe.waits().is_empty()
    }

    /// The variables of a call, counted from the innermost.
    pub fn locals(&self, call: usize) -> Vec<VariableValue> {
        let frames = self.pe.frames();
        let Some(frame) = frames.get(call) else { return Vec::new() };
        let function = &self.tile.functions[frame.function.0 as usize];
        let pc = position(call, frame);
        function.locals_at(pc).map(|local| self.local(local, call, frame)).collect()
    }

    fn local(&self, local: &Local, call: usize, frame: &FrameState) -> VariableValue {
        let function = &self.tile.functions[frame.function.0 as usize];
        let count = usize::from(local.ty.words);
        let register = |variable| self.pe.register_of(call, function.register(variable));
        let (addr, words) = match local.place {
            LocalPlace::Register(variable) => {
                let words = register(variable).map(|bits| (0..count).map(|k| word(bits, k)).collect());
                (None, words)
            }
            LocalPlace::Frame(off) => {
                let addr = frame.address.wrapping_add(off);
                (Some(addr), self.words(addr.into(), count))
            }
            LocalPlace::Behind(variable, off) => {
                let addr = register(variable).map(|bits| (bits as u16).wrapping_add(off));
                (addr, addr.and_then(|addr| self.words(addr.into(), count)))
            }
        };
        VariableValue {
            symbol: local.at(addr.unwrap_or(0)),
            words: words.unwrap_or_default(),
            in_memory: addr.is_some(),
            expanded: local.expanded.as_ref().map(ToString::to_string),
        }
    }

    /// The globals, in order of address.
    pub fn globals(&self) -> Vec<VariableValue> {
        self.tile.symbols.iter().map(|symbol| self.global(symbol)).collect()
    }

    fn global(&self, symbol: &Symbol) -> VariableValue {
        let words = self.words(symbol.addr.into(), symbol.words.into()).unwrap_or_default();
        VariableValue { symbol: symbol.clone(), words, in_memory: true, expanded: None }
    }

    /// A global by its name, or by the name that it has in a module whose code is in the file of a place.
    pub fn find_global(&self, name: &str, place: Option<Span>) -> Option<VariableValue> {
        let in_file = |symbol: &&Symbol| {
            place.is_some_and(|place| place.file == symbol.span.file)
                && symbol.name.rsplit('.').next() == Some(name)
        };
        let symbols = &self.tile.symbols;
        let found = symbols.iter().find(in_file).or_else(|| symbols.iter().find(|s| s.name == name))?;
        Some(self.global(found))
    }

    /// Words of its memory; `None` beyond its end.
    pub fn words(&self, addr: usize, count: usize) -> Option<Vec<u16>> {
        self.pe.words(addr, count)
    }

    /// The byte that is so many bytes behind an address, which may be that of a byte.
    pub fn byte(&self, addr: u16, index: u16) -> Option<u8> {
        let addr = byte_behind(addr.into(), index.into()) as usize;
        let [low, high] = self.words(word_of(addr), 1)?[0].to_le_bytes();
        Some(if word_of(addr) == addr { low } else { high })
    }

    /// How many words the variable at an address still has from there on; 0 if there is none.
    pub fn words_from(&self, addr: u16) -> u16 {
        self.symbol_at(addr).map_or(0, |symbol| symbol.addr + symbol.words - addr)
    }

    fn symbol_at(&self, addr: u16) -> Option<&Symbol> {
        self.tile.symbol_at(addr)
    }

    /// The variable at an address, such as `x + 4`.
    pub fn name_of(&self, addr: u16) -> String {
        if word_of(addr.into()) != usize::from(addr) {
            return format!("the high byte of {}", self.name_of(word_of(addr.into()) as u16));
        }
        match self.symbol_at(addr) {
            Some(symbol) if symbol.addr == addr => symbol.name.clone(),
            Some(symbol) => format!("{} + {}", symbol.name, addr - symbol.addr),
            None if addr >= self.tile.data_end => format!("{addr:#06x} on the stack"),
            None => format!("{addr:#06x}"),
        }
    }

    /// The task table.
    pub fn tasks(&self) -> Vec<TaskView> {
        let states = self.pe.task_states();
        let running = self.activity().filter(|(.., has_ended)| !has_ended).map(|(name, ..)| name);
        let tasks = self.tile.tasks.iter().filter(|task| task.id.0 != TEARDOWN_TASK).map(|task| {
            let is = |set: u64| set & 1u64.checked_shl(task.id.0.into()).unwrap_or(0) != 0;
            let words = [
                (running.as_ref() == Some(&task.name), "running"),
                (is(states.active), "active"),
                (is(states.blocked), "blocked"),
                (!is(states.begun), "has not run"),
            ];
            let state: Vec<_> = words.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect();
            TaskView {
                name: task.name.clone(),
                id: task.id.0,
                kind: match task.kind {
                    TaskKind::Local => "local",
                    TaskKind::Data => "data",
                    TaskKind::Control => "control",
                },
                state: if state.is_empty() { "idle".to_string() } else { state.join(", ") },
            }
        });
        tasks.collect()
    }

    /// The queues with their wavelets.
    pub fn queues(&self) -> Vec<Tree> {
        self.pe.queue_states().iter().map(queue).collect()
    }

    /// The DSD operations in progress.
    pub fn operations(&self) -> Vec<Tree> {
        let waits = self.waits();
        let states = self.pe.operation_states();
        let trees = states.iter().map(|state| {
            let thread =
                state.microthread.map_or("main thread".to_string(), |ut| format!("microthread {ut}"));
            let total = state.total.map_or("an open number".to_string(), |total| total.to_string());
            let mut value = format!("@{}: {} of {total} elements done", state.name, state.done);
            if let Some(since) = state.waits_since {
                value += &format!(", waits since cycle {since}");
            }
            let parts = vec![Tree::leaf("at", self.program.sources.describe(state.span))];
            Tree::with(thread, value, parts)
        });
        let mut all: Vec<Tree> = trees.collect();
        all.extend(waits.into_iter().map(|wait| Tree::leaf("waits", wait)));
        all
    }

    /// The data structure registers that have been loaded.
    pub fn registers(&self) -> Vec<Tree> {
        let trees = self.pe.dsrs().into_iter().map(|state| {
            let mut tree = self.dsd(&state.dsd);
            tree.name = state.id.to_string();
            if let Dsd::Mem(_) = state.dsd {
                tree.parts.push(Tree::leaf("next element", self.name_of(state.at)));
            }
            if state.save_address {
                tree.parts.push(Tree::leaf("save_address", true));
            }
            if state.is_async {
                tree.parts.push(Tree::leaf("async", true));
            }
            tree.parts.push(Tree::leaf("loaded at", self.program.sources.describe(state.span)));
            tree
        });
        trees.collect()
    }

    /// The FIFOs.
    pub fn fifos(&self) -> Vec<Tree> {
        let levels = self.pe.fifo_levels();
        let fifos = self.tile.fifos.iter().zip(levels);
        fifos
            .map(|(fifo, level)| Tree::leaf(&*fifo.name, format!("{} of {} words", level.used, level.size)))
            .collect()
    }

    /// A DSD as a tree.
    pub fn dsd(&self, dsd: &Dsd) -> Tree {
        match dsd {
            Dsd::Mem(mem) => self.mem(mem),
            Dsd::FabIn(f) => fabric("fabin_dsd", f.color.map(|c| c.0), f.queue.map(|q| q.0), f.extent),
            Dsd::FabOut(f) => fabric("fabout_dsd", f.color.map(|c| c.0), f.queue.map(|q| q.0), f.extent),
            Dsd::Fifo(id) => {
                let name = self.tile.fifos.get(usize::from(id.0)).map_or("", |fifo| &fifo.name);
                Tree::leaf("", format!("FIFO {name}"))
            }
        }
    }

    fn mem(&self, mem: &Mem) -> Tree {
        let kind = match mem.kind {
            MemKind::Mem1d => "mem1d_dsd",
            MemKind::Mem4d => "mem4d_dsd",
            MemKind::Circbuf => "circbuf_dsd",
        };
        let dims = usize::from(mem.dims);
        let extent: Vec<String> = mem.extent[..dims].iter().rev().map(u16::to_string).collect();
        let step: Vec<String> = mem.step[..dims].iter().rev().map(i16::to_string).collect();
        let base = self.name_of(mem.base);
        let mut parts = vec![
            Tree::leaf("base", format!("{base} ({:#06x})", mem.base)),
            Tree::leaf("extent", extent.join(" x ")),
            Tree::leaf("step", step.join(", ")),
        ];
        if mem.wrap != 0 {
            parts.push(Tree::leaf("wraps after", format!("{} words", mem.wrap)));
        }
        Tree::with("", format!("{kind}: {} of {base}", extent.join(" x ")), parts)
    }
}

/// The operation that a call executes: that of a caller is the one before the next.
fn position(outer: usize, frame: &FrameState) -> usize {
    frame.pc.saturating_sub(usize::from(outer > 0))
}

/// The k-th word of a register, the low one first.
fn word(bits: u64, k: usize) -> u16 {
    bits.checked_shr(16 * k as u32).unwrap_or(0) as u16
}

fn fabric(kind: &str, color: Option<u8>, queue: Option<u8>, extent: u16) -> Tree {
    let count = if extent == ENDLESS { "endless".to_string() } else { extent.to_string() };
    let mut parts = Vec::new();
    parts.extend(color.map(|color| Tree::leaf("color", color)));
    parts.extend(queue.map(|queue| Tree::leaf("queue", queue)));
    parts.push(Tree::leaf("extent", &count));
    let through = color.map_or(String::new(), |color| format!(" of color {color}"));
    Tree::with("", format!("{kind}: {count}{through}"), parts)
}

fn queue(state: &QueueState) -> Tree {
    let name = match (state.is_output, state.input, state.output) {
        (false, Some(number), _) => format!("input queue {number}"),
        (false, None, _) => "private input queue".to_string(),
        (true, _, Some(number)) => format!("output queue {number}"),
        (true, _, None) => "private output queue".to_string(),
    };
    let color = state.color.map_or("no color".to_string(), |color| format!("color {color}"));
    let value = format!("{color}, {} of {} wavelets", state.wavelets.len(), state.depth);
    let parts = state.wavelets.iter().enumerate().map(|(n, wavelet)| {
        let control = if wavelet.control { " (control)" } else { "" };
        Tree::leaf(format!("[{n}]"), format!("{:#010x}{control}", wavelet.data))
    });
    Tree::with(name, value, parts.collect())
}
