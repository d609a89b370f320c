//! The program image: everything comptime has decided, as plain data.
//!
//! In: nothing; `sema` fills it. Out: `Program`, a value that can be dumped, compared, stored and
//! run many times. Never: does anything but describe itself.

mod allocation;
mod certain;
pub mod code;
mod computed;
mod conditions;
pub mod file;
mod function;
mod interface;
pub mod intrinsics;
mod locals;
mod operands;
mod origin;
mod params;
mod program;
mod registers;
pub mod routes;
mod scalar;
mod sdk_layout;
mod shared;
mod side_tables;
mod starts;
mod stored;
pub mod superinstructions;
pub mod traffic;
mod verdict;
mod verify;
mod verify_code;
mod verify_tables;

pub use allocation::{OperandRegisters, RegisterUse};
pub use certain::Certain;
pub use code::{FnId, Op};
pub use function::Function;
pub use locals::{Field, Inside, Local, LocalPlace, Variable, VariableType};
pub use origin::{Fp16Format, Origin, ParamValue};
pub use params::TileParams;
pub use program::{FabricPlace, MemcpyColors, NO_TILE, Program};
pub use routes::{ColorConfig, RouteTable};
pub use scalar::Scalar;
pub use sdk_layout::{CodeRegion, HostStream, InitialWords, SdkLayoutData};
pub use shared::Shared;

use crate::arch::{Color, DsrId, InQueue, OutQueue, TaskId};
use crate::dsd::{Dsd, FifoAction, FifoId, Priority, Simd};
use crate::source::Span;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One `@export_name` of the layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportName {
    /// The advertised name.
    pub name: String,
    /// Data or function.
    pub kind: ExportKind,
    /// Where it is written.
    pub span: Span,
}

impl ExportName {
    /// Whether it is a constant, or a pointer to constants. The flag of `@export_name` says of a pointer
    /// that it does not change itself; what it points to may.
    pub fn is_constant(&self) -> bool {
        let ExportKind::Var { ty, mutable, .. } = &self.kind else { return false };
        match ty.strip_prefix("[*]").or_else(|| ty.strip_prefix('*')) {
            Some(behind) => behind.starts_with("const "),
            None => !mutable,
        }
    }
}

/// What a name of the host interface stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportKind {
    /// A variable, normally a pointer to many.
    Var {
        /// The type as written in CSL, such as `[*]f32`.
        ty: String,
        /// Element type behind the pointer (or of the variable itself).
        element: Scalar,
        /// The flag of `@export_name`: of a pointer, whether it may point elsewhere later.
        mutable: bool,
    },
    /// A function that the host may launch.
    Fn {
        /// Types of its parameters.
        inputs: Vec<Scalar>,
    },
}

/// Everything that PEs with the same code share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TileImage {
    /// The file, as shown.
    pub file: String,
    /// The parameter values, as shown.
    pub params: TileParams,
    /// Contents of memory from address 0 at the start; what follows is zero.
    pub data: Shared<u16>,
    /// First word that no global uses; the stack begins here.
    pub data_end: u16,
    /// Globals in order of address.
    pub symbols: Shared<Symbol>,
    /// What this tile exports, by name.
    pub exports: Shared<Export>,
    /// All functions that can run. Tiles share those in which they do not differ.
    pub functions: Vec<Arc<Function>>,
    /// Operands of `Op::Vector`.
    pub vector_ops: Shared<code::VectorOp>,
    /// Operands of the `Op::Map..` family.
    pub maps: Shared<code::MapOp>,
    /// Operands of `Op::LoadDsr`.
    pub dsr_loads: Shared<code::DsrLoad>,
    /// DSD constants.
    pub dsds: Shared<Dsd>,
    /// What `Mem::origin` of DSDs stands for, less 1.
    pub origins: Shared<Span>,
    /// Where the DSDs of operations on the fabric are declared.
    pub places: Shared<OperandPlace>,
    /// FIFOs by `FifoId`.
    pub fifos: Shared<Fifo>,
    /// Loads that take effect before the start, as indices into `dsr_loads`.
    pub initial_dsrs: Vec<u32>,
    /// Configuration words that a comptime block has set, in that order.
    pub initial_config: Vec<(u16, u16)>,
    /// Bound tasks.
    pub tasks: Shared<TaskBinding>,
    /// Tasks of its files that nothing can bind to an id: no file mentions them.
    pub unbound: Shared<UnboundTask>,
    /// What the teardown task runs, when the program has none of its own.
    pub handlers: Vec<Handler>,
    /// Data tasks whose place another task takes every so often (WSE-3).
    pub rotations: Vec<Rotation>,
    /// Added to the id that a control wavelet names, by input queue (WSE-3).
    pub control_tables: [u8; 8],
    /// Tasks active at the start, bit = task id.
    pub active: u64,
    /// Tasks that nothing activates, but code would that other parameters of the program may choose, bit = task id.
    pub conditional: u64,
    /// Ids blocked at the start, bit = task id; channels without a data task are among them unless
    /// `@unblock` said otherwise (ruling OQ-47).
    pub blocked: u64,
    /// Microthreads blocked at the start, bit = id.
    pub blocked_microthreads: u8,
    /// Input queues bound to colors.
    pub input_queues: Shared<QueueBinding<InQueue>>,
    /// Output queues bound to colors.
    pub output_queues: Shared<QueueBinding<OutQueue>>,
    /// Routes set by `@set_local_color_config`, and where.
    pub local_routes: Shared<(Color, ColorConfig, Span)>,
    /// Strings of `Op::Assert`, `Op::Trap` and the print intrinsics.
    pub strings: Shared<String>,
    /// Which DSRs, XDSRs and SRs hold what, for people.
    pub registers: Shared<RegisterUse>,
    /// Every DSD that the program builds, if the compilation was asked to keep them.
    pub descriptors: Vec<Descriptor>,
    /// Which registers each operation works on, for people.
    pub operands: Shared<OperandRegisters>,
    /// Whether it binds tasks to colors, as programs for releases before SDK 1.1 do.
    pub has_old_tasks: bool,
    /// Whether the tile takes part in memcpy commands.
    pub has_memcpy: bool,
    /// The colors of streams that the tile gives `<memcpy/memcpy>`.
    pub streams: MemcpyColors,
    /// The input queue of `<message_passing>`: the control wavelet that ends a message starts no task.
    pub mailbox: Option<InQueue>,
}

/// A DSD as the program builds it, for people who want to see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Descriptor {
    /// The `@get_dsd` or `@set_dsd_..` that builds it.
    pub span: Span,
    /// What is known of it.
    pub dsd: Dsd,
    /// The properties that are only known when the program runs.
    pub open: Vec<String>,
}

/// Where a DSD is declared that is an operand of an operation on the fabric.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct OperandPlace {
    /// The operation.
    pub op: Span,
    /// Where the DSD is declared.
    pub dsd: Span,
    /// What the DSD is to the operation.
    pub role: OperandRole,
}

/// What a DSD is to an operation; it may be several of these.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OperandRole {
    /// It determines the number of elements.
    Length,
    /// It receives wavelets.
    In,
    /// It sends them.
    Out,
    /// It is in memory: 0 is the destination, the sources follow.
    Memory(u8),
}

impl TileImage {
    /// The variable that an address lies in.
    pub fn symbol_at(&self, addr: u16) -> Option<&Symbol> {
        let holds = |s: &&Symbol| (s.addr..s.addr.saturating_add(s.words)).contains(&addr);
        self.symbols.iter().find(holds)
    }

    /// A function, to change it. If other tiles share it, this one gets a copy of its own.
    pub fn function_mut(&mut self, f: FnId) -> &mut Function {
        Arc::make_mut(&mut self.functions[f.0 as usize])
    }

    /// Where the DSD is declared that plays a role in an operation.
    pub fn operand_place(&self, op: Span, role: OperandRole) -> Option<Span> {
        self.places.iter().find(|place| place.op == op && place.role == role).map(|place| place.dsd)
    }
}

/// A global in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// `name`, or `module.name`.
    pub name: String,
    /// First word.
    pub addr: u16,
    /// Size in words.
    pub words: u16,
    /// The type as written in CSL.
    pub ty: String,
    /// Sizes of an array, slowest dimension first; empty for other types.
    pub dims: Vec<u32>,
    /// The scalar that it is made of, if all its parts are of one kind.
    pub element: Option<Scalar>,
    /// The bits of the integers that it is made of, such as 4 for `[2]u4`.
    pub bits: Option<u32>,
    /// What its parts are; of an array, those of each element.
    pub inside: Inside,
    /// Declared `var`.
    pub mutable: bool,
    /// Declared `undefined`: its words have no value before something writes them.
    pub undefined: bool,
    /// The declaration.
    pub span: Span,
}

impl Symbol {
    /// How many elements `words` of it hold; two bytes of an array share a word.
    pub fn elements(&self, words: usize, scalar: Scalar) -> usize {
        if self.is_bytes(scalar) { 2 * words } else { words / usize::from(scalar.words()) }
    }

    /// The bits of its elements.
    pub fn values(&self, words: &[u16], scalar: Scalar) -> Vec<u64> {
        if self.is_bytes(scalar) {
            let count = self.dims.iter().map(|dim| *dim as usize).product();
            let bytes = words.iter().flat_map(|word| word.to_le_bytes());
            return bytes.take(count).map(u64::from).collect();
        }
        let bits = |chunk: &[u16]| chunk.iter().rev().fold(0u64, |all, word| all << 16 | u64::from(*word));
        words.chunks(scalar.words().into()).map(bits).collect()
    }

    /// Whether it is an array of bytes.
    pub fn is_bytes(&self, scalar: Scalar) -> bool {
        matches!(scalar, Scalar::I8 | Scalar::U8) && !self.dims.is_empty()
    }
}

/// What one tile offers under an exported name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// The advertised name.
    pub name: String,
    /// Where it is.
    pub target: ExportTarget,
    /// Element type behind a pointer, or of a variable.
    pub element: Option<Scalar>,
    /// Types of the parameters of a function.
    pub inputs: Vec<Scalar>,
}

/// The place behind an exported name.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportTarget {
    /// The word at this address holds the pointer to the data.
    Pointer(u16),
    /// The data themselves start here.
    Data(u16),
    /// A function.
    Fn(FnId),
}

/// A FIFO: a circular buffer in memory with a pair of DSRs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fifo {
    /// First word of the buffer.
    pub base: u16,
    /// Capacity in elements.
    pub capacity: u16,
    /// Words per element: 1 or 2.
    pub element_words: u8,
    /// Task activated on a push after an empty event.
    pub activate_push: Option<TaskId>,
    /// Task activated on a pop after a full event.
    pub activate_pop: Option<TaskId>,
    /// What an operation does that finds it empty.
    pub empty_action: FifoAction,
    /// What an operation does that finds it full (WSE-3).
    pub full_action: FifoAction,
    /// Priority of asynchronous operations on it (WSE-3).
    pub priority: Priority,
    /// How many elements move together (WSE-2).
    pub simd: Simd,
    /// Its registers.
    pub registers: FifoRegisters,
    /// Whether the program chose them, and not the compiler.
    pub explicit: bool,
    /// Name of the constant that holds it.
    pub name: String,
    /// The `@allocate_fifo` call.
    pub span: Span,
}

/// The registers that a FIFO keeps for as long as the program runs.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FifoRegisters {
    /// Number of its dest and src1 DSRs (they are equal).
    pub dsr: u8,
    /// Number of its XDSR.
    pub xdsr: u8,
}

/// What makes a task run.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TaskKind {
    /// `@activate`.
    Local,
    /// A data wavelet at the head of its queue. The number is the color on WSE-2, the queue on WSE-3.
    Data,
    /// A control wavelet that carries its number.
    Control,
}

/// One row of the task table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskBinding {
    /// The number.
    pub id: TaskId,
    /// What makes it run.
    pub kind: TaskKind,
    /// Its code.
    pub function: FnId,
    /// Types of its parameters: none, one of 16 or 32 bits, or two of 16 bits.
    pub params: Vec<Scalar>,
    /// Its name.
    pub name: String,
    /// The `@bind_*_task` call.
    pub span: Span,
}

/// A task whose `@bind_*_task` call was forgotten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnboundTask {
    /// Its name.
    pub name: String,
    /// The head of its declaration.
    pub span: Span,
    /// Whether it takes something of a wavelet: no local task does.
    pub has_params: bool,
}

/// A function that the teardown task runs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handler {
    /// When.
    pub on: TeardownCause,
    /// Its code.
    pub function: FnId,
    /// The call that set it.
    pub span: Span,
}

/// What makes the teardown task run.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TeardownCause {
    /// The color goes into teardown.
    Teardown(Color),
    /// The input queue is empty after `@queue_flush`.
    EmptyInput(InQueue),
    /// The output queue is empty after `@queue_flush`.
    EmptyOutput(OutQueue),
}

impl std::fmt::Display for TeardownCause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TeardownCause::Teardown(color) => write!(f, "color {color}"),
            TeardownCause::EmptyInput(queue) => write!(f, "input queue {queue}"),
            TeardownCause::EmptyOutput(queue) => write!(f, "output queue {queue}"),
        }
    }
}

/// `@bind_rotating_tasks`: whenever the counter is at its limit, the alternative runs instead.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rotation {
    /// The data task.
    pub main: TaskId,
    /// The control task that takes its place.
    pub alternative: TaskId,
    /// The counter at the start.
    pub init: u32,
    /// Starts of the data task between two of the alternative.
    pub limit: u32,
}

/// A queue and its color.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueBinding<Q> {
    /// The queue.
    pub queue: Q,
    /// Its color.
    pub color: Color,
    /// Priority of the queue's microthread (WSE-2).
    pub priority: Priority,
    /// Whether `@initialize_queue` said so (otherwise a DSD did, WSE-2 only).
    pub explicit: bool,
    /// Where it is bound.
    pub span: Span,
}

/// A DSR, and whether it was named by a FIFO type.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DsrRef {
    /// The register.
    pub id: DsrId,
    /// Named by `dsr_fifo_dest` or `dsr_fifo_src1`.
    pub fifo: bool,
}

/// A FIFO value is its number.
pub type FifoRef = FifoId;
