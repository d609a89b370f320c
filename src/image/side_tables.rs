//! Operands of the operations that do not fit into one step of code: vectors, maps, loads of DSRs,
//! requests of the library. They lie in tables of the tile, beside the code that names them.

use super::DsrRef;
use super::operands::{Access, Reg};
use crate::arch::{TaskId, UtId};
use crate::dsd::Priority;
use crate::dsd::ops::{Form, OPS};
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
    pub fn name(self) -> &'static str {
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

impl DsdRef {
    /// Whether it is a fabric DSD at an address in a register.
    pub fn is_computed_fabric(self) -> bool {
        matches!(self, DsdRef::At(_, DsdTy::FabIn | DsdTy::FabOut))
    }
}

/// An operand of a DSD operation.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DsdOperand {
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
    pub dest: DsdOperand,
    /// The sources, left to right.
    pub sources: Vec<DsdOperand>,
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
    pub inputs: Vec<(DsdOperand, Access)>,
    /// The output, if the function returns something.
    pub output: Option<(DsdOperand, Access)>,
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
    /// The DSD names a queue that is not bound to its color: a load that runs ends the run.
    pub is_unbound: bool,
    /// The call.
    pub span: Span,
}

impl VectorOp {
    /// The form in which the operation is called.
    pub fn form(&self) -> &'static Form {
        let is_vector = |operand: &DsdOperand| matches!(operand, DsdOperand::Dsd(_));
        let fits = |form: &&Form| {
            form.to_pointer == matches!(self.dest, DsdOperand::Pointer(_))
                && form.sources.len() == self.sources.len()
                && form.sources.iter().zip(&self.sources).all(|(s, v)| s.is_vector() == is_vector(v))
        };
        let forms = OPS[usize::from(self.op)].forms;
        forms.iter().find(fits).expect("comptime lets through only forms of the table")
    }
}
