//! Operands of the operations that do not fit into one step of code: vectors, maps, loads of DSRs,
//! requests of the library. They lie in tables of the tile, beside the code that names them.

use super::DsrRef;
use super::code::{Access, Reg};
use crate::arch::{TaskId, UtId};
use crate::dsd::Priority;
use crate::source::Span;
use crate::value::ty::DsdTy;
use serde::{Deserialize, Serialize};

/// What `EditDsd` changes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DsdEdit {
    /// `@set_dsd_base_addr`: the value is a word address; the offset is dropped.
    Base,
    /// `@increment_dsd_offset`: the value counts elements of this many words.
    Offset {
        /// Words per element.
        words: u8,
    },
    /// `@set_dsd_length`.
    Length,
    /// `@set_dsd_stride`.
    Stride,
    /// The color of a fabric DSD.
    Color,
    /// The queue of a fabric DSD.
    Queue,
}

impl DsdEdit {
    /// The property that it changes.
    pub fn word(self) -> &'static str {
        match self {
            DsdEdit::Base => "base address",
            DsdEdit::Offset { .. } => "offset",
            DsdEdit::Length => "length",
            DsdEdit::Stride => "stride",
            DsdEdit::Color => "color",
            DsdEdit::Queue => "queue",
        }
    }
}

/// A DSD operand.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DsdRef {
    /// `TileImage::dsds[n]`.
    Const(u32),
    /// The DSD value of this type at the word address in a register.
    At(Reg, DsdTy),
    /// A DSR.
    Dsr(DsrRef),
}

/// An operand of a DSD operation.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operand {
    /// A vector.
    Dsd(DsdRef),
    /// The scalar in a register.
    Scalar(Reg),
    /// The scalar at the word address in a register (destinations; `@map` arguments pass it on).
    Pointer(Reg),
    /// Nothing: the destination of `@dfilt`.
    Nowhere,
}

/// What happens when an asynchronous operation ends.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Completion {
    /// Nothing.
    #[default]
    Nothing,
    /// The task is activated.
    Activate(IdArg),
    /// The id is unblocked.
    Unblock(IdArg),
}

/// A task id, known or not.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum IdArg {
    /// Known at comptime.
    Known(TaskId),
    /// The number in a register.
    In(Reg),
}

/// `.on_control`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnControl {
    /// Ends with the ordinary completion.
    Terminate,
    /// Ends and does this instead.
    Then(Completion),
}

/// The settings of an asynchronous operation, on the operation or on a DSR load.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AsyncConfig {
    /// `.async`
    pub is_async: bool,
    /// `.activate` or `.unblock`
    pub completion: Completion,
    /// `.on_control`
    pub on_control: Option<OnControl>,
    /// `.priority`
    pub priority: Option<Priority>,
    /// `.ut_id`
    pub ut: Option<UtId>,
}

/// A DSD operation with its operands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorOp {
    /// Row of the table `dsd::ops`.
    pub op: u8,
    /// The destination.
    pub dest: Operand,
    /// The sources, left to right.
    pub sources: Vec<Operand>,
    /// The last argument.
    pub config: AsyncConfig,
    /// `.index`
    pub index: Option<Reg>,
    /// Where the returned bool goes.
    pub result: Option<Reg>,
    /// The call.
    pub span: Span,
}

/// An `@map` with its operands; the call itself is ordinary code between `MapNext` and `MapPut`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapOp {
    /// Inputs in order of the function's parameters, with the type of one element.
    pub inputs: Vec<(Operand, Access)>,
    /// The output, if the function returns something.
    pub output: Option<(Operand, Access)>,
    /// The call.
    pub span: Span,
}

/// A load of a DSR (and of XDSR and SRs).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DsrLoad {
    /// The register.
    pub dsr: DsrRef,
    /// The XDSR of a circular buffer or of a vector of several dimensions.
    pub xdsr: Option<u8>,
    /// The stride registers of a vector of several dimensions.
    pub strides: Vec<u8>,
    /// What is loaded; for loads before the start always `Const`.
    pub dsd: DsdRef,
    /// `.save_address`
    pub save_address: bool,
    /// `.single_step`
    pub single_step: bool,
    /// Asynchronous settings.
    pub config: AsyncConfig,
    /// The call.
    pub span: Span,
}

/// What the embedded library asks of the machine. Arguments and result as noted.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Intrinsic {
    /// `() u16`: column in the rectangle.
    PeX,
    /// `() u16`: row in the rectangle.
    PeY,
    /// `(id: u16, names: u32) u16`: where the advertised symbol with this id lies; the names of all
    /// stand in `TileImage::strings`, with commas between.
    SymbolAddress,
    /// `() void`: lets the PE take its next host command.
    UnblockCommandStream,
    /// `(on: bool) void`: starts or stops the time stamp counter; starting clears it.
    TscEnable,
    /// `() void`
    TscReset,
    /// `(word: u16) u16`: word 0..2 of the counter; word 0 latches the others.
    TscRead,
    /// `() u16`: next number of the active generator (`@random16`).
    Random16,
    /// `(id: u16) void`: `@set_active_prng`.
    SetActivePrng,
    /// `(seed: u32) void`: seeds the active generator.
    SeedPrng,
    /// `(text: u32) void`: prints a string of `TileImage::strings`.
    PrintString,
    /// `(x: u32, base: u16, digits: u16) void`: prints an integer in base 2, 10 or 16.
    PrintInt,
    /// `(x: f32) void`
    PrintF32,
    /// `(x: f16) void`
    PrintF16,
    /// `(function: u16, x: f32, y: f32) f32`: see `value::math::Function`.
    Math32,
    /// `(function: u16, x: f16, y: f16) f16`
    Math16,
    /// `(key: u32, tag: u16, lo: u32, hi: u32) void`: appends a record to a debug trace.
    /// Tags are 0 bool, 1 u8, 2 i8, 3 u16, 4 i16, 5 u32, 6 i32, 7 f16, 8 f32, 9 u64, 10 i64, 11 string
    /// (a number of `TileImage::strings`), 12 time stamp (48 bits).
    Trace,
    /// `(queue: u16) void`: `@queue_flush`, of input queue n, or of output queue n as 8 + n.
    QueueFlush,
    /// `(addr: u16) u16`: reads a configuration word.
    ConfigRead,
    /// `(addr: u16, value: u16) void`: writes a configuration word.
    ConfigWrite,
    /// `(axis: u16, color: u16, kind: u16, root: u16, count: u16, size: u16) void`: this PE begins a
    /// collective operation with its row (axis 0) or column (1) of `size` PEs. Kinds are 0 broadcast,
    /// 1 scatter, 2 gather, 3 reduce_fadds, 4 reduce_faddh.
    Collective,
    /// `(column: u16, row: u16, length: u16, room: u16) void`: the next `length` words on the color of
    /// messages, from a buffer of `room` elements, go to a PE.
    SendMessage,
    /// `(queue: u16, room: u16) void`: the next message of an input queue is received, without its
    /// header, into a buffer of `room` elements.
    ReceiveMessage,
}
