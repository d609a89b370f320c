//! What the code of a tile sends and takes, as far as its DSDs are known without running.

use super::code::{DsdRef, Operand};
use super::{Certain, TaskKind, TileImage};
use crate::arch::{ArchName, Color, InQueue, OutQueue};
use crate::dsd::{Dsd, FabIn, FabOut};
use crate::source::Span;

/// An operation of a tile.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OpId {
    /// A number of `TileImage::vector_ops`.
    Vector(usize),
    /// A number of `TileImage::maps`.
    Map(usize),
}

impl Certain {
    /// Whether an operation is among them.
    pub fn contains(&self, op: OpId) -> bool {
        match op {
            OpId::Vector(n) => self.vectors[n],
            OpId::Map(n) => self.maps[n],
        }
    }
}

/// An operation that sends wavelets.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Sending {
    /// The color; on WSE-3 that of the queue.
    pub color: Option<Color>,
    /// The queue.
    pub queue: Option<OutQueue>,
    /// Whether all of them are control wavelets.
    pub control: bool,
    /// Which operation it is.
    pub op: OpId,
    /// Where it stands.
    pub span: Span,
}

/// An operation that takes wavelets.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Taking {
    /// The color; on WSE-3 that of the queue.
    pub color: Option<Color>,
    /// The queue.
    pub queue: Option<InQueue>,
    /// Which operation it is.
    pub op: OpId,
    /// Where it stands.
    pub span: Span,
}

impl TileImage {
    /// Every operation that sends and whose DSD is known.
    pub fn sends(&self) -> impl Iterator<Item = Sending> {
        self.known_operands().filter_map(|(dsd, op, span)| match dsd {
            Dsd::FabOut(out) => {
                let (color, queue, control) = (self.color_out(out), out.queue, out.control);
                Some(Sending { color, queue, control, op, span })
            }
            Dsd::Mem(_) | Dsd::FabIn(_) | Dsd::Fifo(_) => None,
        })
    }

    /// Every operation that takes and whose DSD is known.
    pub fn takes(&self) -> impl Iterator<Item = Taking> {
        self.known_operands().filter_map(|(dsd, op, span)| match dsd {
            Dsd::FabIn(fabin) => Some(Taking { color: self.color_in(fabin), queue: fabin.queue, op, span }),
            Dsd::Mem(_) | Dsd::FabOut(_) | Dsd::Fifo(_) => None,
        })
    }

    /// The first operation that sends on a color.
    pub fn first_send(&self, color: Color) -> Option<Span> {
        self.sends().find(|s| s.color == Some(color)).map(|s| s.span)
    }

    /// Whether operations use DSDs that are only known at run time.
    pub fn has_unknown_dsds(&self) -> bool {
        self.operands().any(|(operand, ..)| match operand {
            Operand::Dsd(DsdRef::At(..)) => true,
            Operand::Dsd(DsdRef::Dsr(dsr)) => {
                self.dsr_loads.iter().any(|l| l.dsr.id == dsr.id && !matches!(l.dsd, DsdRef::Const(_)))
            }
            Operand::Dsd(DsdRef::Const(_)) | Operand::Scalar(_) | Operand::Pointer(_) | Operand::Nowhere => {
                false
            }
        })
    }

    /// Whether something may take wavelets of a color; what is not known counts as taking.
    pub fn may_take(&self, arch: ArchName, color: Color) -> bool {
        let queue = self.input_queues.iter().find(|b| b.color == color).map(|b| b.queue);
        let channel = match arch {
            ArchName::Wse2 => Some(color.0),
            ArchName::Wse3 => queue.map(|q| q.0),
        };
        // On WSE-3 wavelets reach a PE through a queue only.
        let Some(channel) = channel else { return false };
        let by_task = self.tasks.iter().any(|t| match t.kind {
            TaskKind::Data => t.id.0 == channel,
            TaskKind::Control => true,
            TaskKind::Local => false,
        });
        let by_dsd = |t: Taking| t.color == Some(color) || t.queue.is_some() && t.queue == queue;
        by_task || self.has_unknown_dsds() || self.takes().any(by_dsd)
    }

    /// The vector operands of all operations.
    fn operands(&self) -> impl Iterator<Item = (Operand, OpId, Span)> {
        let vectors =
            self.vector_ops.iter().enumerate().flat_map(|(n, v)| {
                v.sources.iter().chain([&v.dest]).map(move |o| (*o, OpId::Vector(n), v.span))
            });
        let maps = self.maps.iter().enumerate().flat_map(|(n, m)| {
            m.inputs.iter().chain(&m.output).map(move |(o, _)| (*o, OpId::Map(n), m.span))
        });
        vectors.chain(maps)
    }

    fn known_operands(&self) -> impl Iterator<Item = (&Dsd, OpId, Span)> {
        self.operands().flat_map(|(operand, op, span)| self.known(operand).map(move |d| (d, op, span)))
    }

    /// The DSDs that an operand may stand for, without those that are only known at run time.
    fn known(&self, operand: Operand) -> impl Iterator<Item = &Dsd> {
        let (constant, register) = match operand {
            Operand::Dsd(DsdRef::Const(n)) => (Some(n), None),
            Operand::Dsd(DsdRef::Dsr(dsr)) => (None, Some(dsr.id)),
            Operand::Dsd(DsdRef::At(..)) | Operand::Scalar(_) | Operand::Pointer(_) | Operand::Nowhere => {
                (None, None)
            }
        };
        let loads = self.dsr_loads.iter().filter(move |l| Some(l.dsr.id) == register);
        let loaded = loads.filter_map(|l| match l.dsd {
            DsdRef::Const(n) => Some(n),
            DsdRef::At(..) | DsdRef::Dsr(_) => None,
        });
        constant.into_iter().chain(loaded).filter_map(|n| self.dsds.get(n as usize))
    }

    fn color_out(&self, out: &FabOut) -> Option<Color> {
        let bound = || self.output_queues.iter().find(|b| Some(b.queue) == out.queue).map(|b| b.color);
        out.color.or_else(bound)
    }

    fn color_in(&self, fabin: &FabIn) -> Option<Color> {
        let bound = || self.input_queues.iter().find(|b| Some(b.queue) == fabin.queue).map(|b| b.color);
        fabin.color.or_else(bound)
    }
}
