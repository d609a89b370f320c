//! The tile under construction: what it has beside functions and data.

use crate::arch::{Arch, ArchName, Color, InQueue, TaskId};
use crate::dsd::{Dsd, FifoId, Priority};
use crate::image::{OperandPlace, QueueBinding, TaskBinding, TaskKind, TeardownCause, TileImage};
use crate::sema::value::FnRef;
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// What the image of a tile holds beside functions and data, and what is still to be settled about it.
#[derive(Debug, Default)]
pub struct Tile {
    /// The parts that are finished.
    pub image: TileImage,
    /// Tasks that FIFOs activate, looked up when everything is bound.
    pub fifo_tasks: Vec<FifoTask>,
    /// Tasks that loads name before they are bound.
    pub load_tasks: Vec<LoadTask>,
    /// `@set_control_task_table`: its stride, and where.
    pub control_table: Option<(u8, Span)>,
    /// `.ctrl_table_id` of the input queues.
    pub queue_tables: [u8; 8],
    /// Alternatives of `@bind_rotating_tasks`, in the order of `TileImage::rotations`.
    pub alternatives: Vec<(FnRef, TaskBinding)>,
    /// Queues that `@queue_flush` names, and where.
    pub flushes: Vec<(TeardownCause, Span)>,
    /// Which function each task binding stands for.
    bound: Vec<(FnRef, TaskId)>,
    /// Ids of local tasks that are activated at the start, blocked or unblocked: what is done to them, and where.
    pub id_uses: Vec<(TaskId, &'static str, Span)>,
    /// Ids without a task about which there is a warning, bit = id.
    pub warned: u64,
    /// Ids of local tasks that code activates, bit = id.
    pub activated_by_code: u64,
    /// Input queues that a DSD names together with a color (WSE-2).
    implicit_queues: Vec<(InQueue, Color, Span)>,
    /// Ids of data tasks that `@bind_task` has bound, bit = id.
    old_tasks: u64,
    /// Ids that `@unblock` has unblocked before the start, bit = id.
    unblocked: u64,
    dsd_numbers: FxHashMap<Dsd, u32>,
    origin_numbers: FxHashMap<Span, u16>,
    places: FxHashSet<OperandPlace>,
}

impl Tile {
    /// The number of a DSD constant of the tile.
    pub fn dsd_constant(&mut self, d: Dsd) -> u32 {
        *self.dsd_numbers.entry(d).or_insert_with(|| {
            self.image.dsds.push(d);
            self.image.dsds.len() as u32 - 1
        })
    }

    /// A place that messages about a DSD can name.
    pub fn origin(&mut self, span: Span) -> u16 {
        *self.origin_numbers.entry(span).or_insert_with(|| {
            self.image.origins.push(span);
            u16::try_from(self.image.origins.len()).unwrap_or(0)
        })
    }

    /// Records where a DSD of an operation is declared.
    pub fn note_place(&mut self, place: OperandPlace) {
        if self.places.insert(place) {
            self.image.places.push(place);
        }
    }

    /// A text of the tile.
    pub fn string(&mut self, text: &str) -> u32 {
        let strings = &mut self.image.strings;
        let at = strings.iter().position(|s| s == text).unwrap_or_else(|| {
            strings.push(text.to_string());
            strings.len() - 1
        });
        at as u32
    }

    /// Binds a task to an id.
    pub fn add_task(&mut self, f: FnRef, binding: TaskBinding) {
        self.bound.push((f, binding.id));
        self.image.tasks.push(binding);
    }

    /// Notes that `@bind_task` has bound a data task.
    pub fn note_old_task(&mut self, id: TaskId) {
        self.old_tasks |= 1 << id.0;
    }

    /// An id is activated: if `@bind_task` has bound a data task to it, that is a local task as well. Says whether it is.
    pub fn activate_old_task(&mut self, id: TaskId) -> bool {
        let is_old = self.old_tasks & 1 << id.0 != 0;
        let of = |kind| move |task: &&TaskBinding| task.id == id && task.kind == kind;
        let tasks = &mut self.image.tasks;
        if is_old && !tasks.iter().any(|task| of(TaskKind::Local)(&task)) {
            let local = tasks.iter().find(of(TaskKind::Data)).cloned();
            tasks.extend(local.map(|task| TaskBinding { kind: TaskKind::Local, ..task }));
        }
        is_old
    }

    /// Records the first use of an id of a local task.
    pub fn note_use(&mut self, id: TaskId, what: &'static str, at: Span) {
        if self.id_uses.iter().all(|known| known.0 != id) {
            self.id_uses.push((id, what, at));
        }
    }

    /// The id of a task that is bound already.
    pub fn task_id(&self, f: FnRef) -> Option<TaskId> {
        self.bound.iter().find(|(g, _)| *g == f).map(|(_, id)| *id)
    }

    /// Whether a task is bound to an id.
    pub fn is_bound(&self, f: FnRef, id: TaskId) -> bool {
        self.bound.contains(&(f, id))
    }

    /// Blocks or unblocks an id before the start.
    pub fn set_blocked(&mut self, id: u16, block: bool) {
        if block {
            self.image.blocked |= 1 << id;
        } else {
            self.image.blocked &= !(1 << id);
            self.unblocked |= 1 << id;
        }
    }

    /// On WSE-2 a DSD that names a queue and a color binds them, unless `@initialize_queue` does.
    pub fn bind_implicitly(&mut self, queue: InQueue, color: Color, span: Span) {
        self.implicit_queues.push((queue, color, span));
    }

    /// Binds the queues that nothing else has bound.
    pub fn finish_queues(&mut self) {
        for (queue, color, span) in std::mem::take(&mut self.implicit_queues) {
            let bound = &mut self.image.input_queues;
            if !bound.iter().any(|b| b.queue == queue || b.color == color) {
                bound.push(QueueBinding { queue, color, priority: Priority::High, explicit: false, span });
            }
        }
    }

    /// A channel without a data task starts blocked unless `@unblock` said otherwise (ruling OQ-47).
    pub fn block_free_channels(&mut self, arch: &Arch) {
        let channels = match arch.name {
            ArchName::Wse2 => usize::from(arch.routable_colors),
            ArchName::Wse3 => arch.input_queue_depth.len(),
        };
        let image = &mut self.image;
        let taken =
            |id: usize| image.tasks.iter().any(|t| usize::from(t.id.0) == id && t.kind != TaskKind::Control);
        let free: u64 = (0..channels).filter(|id| !taken(*id)).map(|id| 1 << id).sum();
        image.blocked |= free & !self.unblocked;
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
