//! The tile under construction.

use super::signature::{Beside, ParamKind, Pending, Signature};
use super::value::{FnRef, GlobalId, Value};
use crate::arch::{Color, InQueue, TaskId};
use crate::diagnostics::Label;
use crate::dsd::{Dsd, FifoId};
use crate::image::code::{FnId, Function};
use crate::image::{Event, TaskBinding, TileImage};
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;

/// Room that something asks for.
#[derive(Copy, Clone, Debug)]
pub struct Placement {
    /// Size.
    pub words: u32,
    /// Alignment, in words.
    pub align: u32,
}

/// What is known of the tile so far.
#[derive(Debug, Default)]
pub struct TileBuilder {
    /// The parts that are finished.
    pub image: TileImage,
    /// Functions by id; `None` until written.
    pub functions: Vec<Option<Function>>,
    /// Functions still to be written.
    pub pending: VecDeque<Pending>,
    /// Instances of each function.
    pub instances: FxHashMap<FnRef, Vec<(Vec<ParamKind>, FnId)>>,
    /// The function being written.
    pub writing: Option<FnRef>,
    /// The calls that lead to it if it is an instance of a generic function, the innermost first.
    pub calls: Vec<Label>,
    /// Signatures of functions that are not generic.
    pub signatures: FxHashMap<FnRef, Rc<Signature>>,
    /// Constants without a name that code needs in memory.
    pub constants: Vec<(Value, GlobalId)>,
    /// Globals that have an address, in order of address.
    pub placed: Vec<GlobalId>,
    /// Vector operations of the function being written.
    pub side_tables: Beside,
    /// Which function each task binding stands for.
    pub bound: Vec<(FnRef, TaskId)>,
    /// Tasks that FIFOs activate, looked up when everything is bound.
    pub fifo_tasks: Vec<FifoTask>,
    /// Tasks that loads name before they are bound.
    pub load_tasks: Vec<LoadTask>,
    /// Input queues that a DSD names together with a color (WSE-2).
    pub implicit_queues: Vec<(InQueue, Color, Span)>,
    /// `@set_control_task_table`: its stride, and where.
    pub control_table: Option<(u8, Span)>,
    /// `.ctrl_table_id` of the input queues.
    pub queue_tables: [u8; 8],
    /// Alternatives of `@bind_rotating_tasks`, in the order of `TileImage::rotations`.
    pub alternatives: Vec<(FnRef, TaskBinding)>,
    /// Queues that `@queue_flush` names, and where.
    pub flushes: Vec<(Event, Span)>,
    /// Ids that `@unblock` has unblocked before the start, bit = id.
    pub unblocked: u64,
    pub(super) dsd_numbers: FxHashMap<Dsd, u32>,
    pub(super) origin_numbers: FxHashMap<Span, u16>,
    pub(super) next_word: u32,
}

impl TileBuilder {
    /// Takes the next free words of memory.
    pub fn reserve(&mut self, p: Placement) -> u16 {
        let at = self.next_word.next_multiple_of(p.align.max(1));
        self.next_word = at.saturating_add(p.words);
        at as u16
    }

    /// The id of a task that is bound already.
    pub fn task_id(&self, f: FnRef) -> Option<TaskId> {
        self.bound.iter().find(|(g, _)| *g == f).map(|(_, id)| *id)
    }
}

/// A task that a load names before a comptime block has bound it.
#[derive(Clone, Debug)]
pub struct LateTask {
    /// The task.
    pub task: FnRef,
    /// Whether it is activated and not unblocked.
    pub activate: bool,
    /// Whether `.on_control` names it.
    pub at_control: bool,
    /// Where it is named.
    pub at: Span,
}

/// A load before the start, and a task that it names.
#[derive(Clone, Debug)]
pub struct LoadTask {
    /// Its number in `TileImage::dsr_loads`.
    pub load: usize,
    /// The task.
    pub late: LateTask,
}

/// A setting of a FIFO that names a task. It is looked up when all tasks are bound.
#[derive(Clone, Debug)]
pub struct FifoTask {
    /// The FIFO.
    pub fifo: FifoId,
    /// `.activate_push` or `.activate_pop`.
    pub setting: &'static str,
    /// The task.
    pub task: TaskName,
    /// Where it stands.
    pub span: Span,
}

/// How a setting names a task.
#[derive(Copy, Clone, Debug)]
pub enum TaskName {
    /// By itself.
    Task(FnRef),
    /// By its id.
    Id(TaskId),
}
