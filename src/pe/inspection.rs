//! The state of a PE for whoever looks at it, such as a debugger: copies of its parts, and nothing changes.

use super::element::Pe;
use super::threads::MAIN;
use crate::arch::{Color, DsrFile, DsrId, InQueue, OutQueue, PeCoord, UtId};
use crate::dsd::{Dsd, FifoAccess};
use crate::exec::sanitizer::NO_VALUE;
use crate::fabric::Wavelet;
use crate::image::FnId;
use crate::image::code::Reg;
use crate::source::Span;

/// A call that has not returned.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FrameState {
    /// The function.
    pub function: FnId,
    /// The operation that it does now, or next.
    pub pc: usize,
    /// The address of its frame in memory.
    pub address: u16,
}

/// A data structure register that has been loaded.
#[derive(Copy, Clone, Debug)]
pub struct DsrState {
    /// The register.
    pub id: DsrId,
    /// What it describes.
    pub dsd: Dsd,
    /// The address of the next element.
    pub at: u16,
    /// Whether operations leave there the address at which they have ended.
    pub save_address: bool,
    /// Whether operations with it are asynchronous.
    pub is_async: bool,
    /// The load.
    pub span: Span,
}

/// A queue between a PE and its router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueState {
    /// The input queue, unless it is a private one.
    pub input: Option<InQueue>,
    /// The output queue, unless it is a private one.
    pub output: Option<OutQueue>,
    /// Whether it is an output queue.
    pub is_output: bool,
    /// Its color; `None` for an output queue without one.
    pub color: Option<Color>,
    /// How many wavelets it has room for.
    pub depth: usize,
    /// Its wavelets, the oldest first.
    pub wavelets: Vec<Wavelet>,
}

/// A FIFO.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FifoLevel {
    /// Words in it.
    pub used: u16,
    /// Words that it has room for.
    pub size: u16,
}

/// A DSD operation in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationState {
    /// Its microthread; `None` for the main thread.
    pub microthread: Option<UtId>,
    /// Its name, without `@`.
    pub name: &'static str,
    /// Elements that are done.
    pub done: u32,
    /// All of its elements; `None` if the number is not known.
    pub total: Option<u32>,
    /// The cycle since which it waits for something.
    pub waits_since: Option<u64>,
    /// The operation in the program.
    pub span: Span,
}

/// What the task picker knows; bit = id.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TaskStates {
    /// Local tasks that are active.
    pub active: u64,
    /// Tasks and channels that are blocked.
    pub blocked: u64,
    /// Tasks that have started at least once.
    pub begun: u64,
}

impl Pe {
    /// Where it is.
    pub fn place(&self) -> PeCoord {
        self.at
    }

    /// The calls of the main thread, the innermost first.
    pub fn frames(&self) -> Vec<FrameState> {
        let frames = self.main.calls.all().iter().rev();
        frames.map(|f| FrameState { function: f.function, pc: f.pc, address: f.address }).collect()
    }

    /// A register of a call, counted from the innermost; `None` if it has no value.
    pub fn register_of(&self, call: usize, reg: Reg) -> Option<u64> {
        self.main.calls.register_of(call, reg).filter(|value| *value != NO_VALUE)
    }

    /// Words of its memory; words that nobody has written are zero. `None` beyond its end.
    pub fn words(&self, addr: usize, count: usize) -> Option<Vec<u16>> {
        if addr + count > self.memory.size() {
            return None;
        }
        let words = self.memory.words();
        Some((addr..addr + count).map(|at| words.get(at).copied().unwrap_or(0)).collect())
    }

    /// The registers that have been loaded, by file and number.
    pub fn dsrs(&self) -> Vec<DsrState> {
        let mut all = Vec::new();
        for file in [DsrFile::Dest, DsrFile::Src0, DsrFile::Src1] {
            for (number, loaded) in self.registers.file(file).iter().enumerate() {
                let Some(loaded) = loaded else { continue };
                all.push(DsrState {
                    id: DsrId { file, number: number as u8 },
                    dsd: loaded.dsd,
                    at: loaded.at,
                    save_address: loaded.save_address,
                    is_async: loaded.settings.is_async,
                    span: loaded.span,
                });
            }
        }
        all
    }

    /// Its queues, the input queues first.
    pub fn queue_states(&self) -> Vec<QueueState> {
        let inputs = self.queues.inputs.iter().map(|inbox| QueueState {
            input: inbox.queue,
            output: None,
            is_output: false,
            color: Some(inbox.color),
            depth: inbox.depth.into(),
            wavelets: inbox.items.iter().copied().collect(),
        });
        let outputs = self.queues.outputs.iter().map(|outbox| QueueState {
            input: None,
            output: outbox.queue,
            is_output: true,
            color: outbox.color,
            depth: outbox.depth.into(),
            wavelets: outbox.items.iter().map(|item| item.wavelet()).collect(),
        });
        inputs.chain(outputs).collect()
    }

    /// How full its FIFOs are, by number.
    pub fn fifo_levels(&self) -> Vec<FifoLevel> {
        let levels = self.fifos.iter().map(|fifo| {
            let (used, free) = (fifo.room(FifoAccess::Pop), fifo.room(FifoAccess::Push));
            FifoLevel { used, size: used + free }
        });
        levels.collect()
    }

    /// The operations in progress, those of microthreads first.
    pub fn operation_states(&self) -> Vec<OperationState> {
        let states = self.threads.iter().map(|(place, thread)| OperationState {
            microthread: (place != MAIN).then_some(UtId(place as u8)),
            name: thread.operation.name(),
            done: thread.operation.done,
            total: thread.operation.total,
            waits_since: thread.waits(&self.queues).map(|(_, since)| since),
            span: thread.span,
        });
        states.collect()
    }

    /// The text of a line that has not ended, with the cycle in which it was last added to and the place, innermost
    /// call first.
    pub fn unprinted_text(&self) -> Option<(&str, u64, &[Span])> {
        let (cycle, calls) = self.rare.line.last();
        (!self.rare.line.text.is_empty()).then_some((self.rare.line.text.as_str(), cycle, calls))
    }

    /// The states of its tasks.
    pub fn task_states(&self) -> TaskStates {
        let state = &self.tasks.state;
        TaskStates { active: state.active, blocked: state.blocked, begun: self.tasks.begun }
    }
}
