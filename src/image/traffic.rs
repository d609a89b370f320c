//! What the code of a tile sends and takes, as far as its DSDs are known without running.

use super::code::{DsdOperand, DsdRef, Reg, VectorOp};
use super::computed::User;
use super::{Certain, TaskBinding, TaskKind, TileImage};
use crate::arch::{ArchName, Color, DsrId, InQueue, OutQueue};
use crate::dsd::{Dsd, FabIn, FabOut};
use crate::source::Span;
use rustc_hash::FxHashMap;

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
    /// Whether it sends on no other color and queue: a DSR that is loaded several times may hold others.
    pub is_sure: bool,
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
    /// Whether it takes of no other color and queue.
    pub is_sure: bool,
    /// Which operation it is.
    pub op: OpId,
    /// Where it stands.
    pub span: Span,
}

impl TileImage {
    /// Every operation that sends and whose DSD is known.
    pub fn sends(&self) -> impl Iterator<Item = Sending> {
        self.known_operands().into_iter().filter_map(|(dsd, is_sure, op, span)| match dsd {
            Dsd::FabOut(out) => {
                let (color, queue, control) = (self.color_out(&out), out.queue, out.control);
                Some(Sending { color, queue, control, is_sure, op, span })
            }
            Dsd::Mem(_) | Dsd::FabIn(_) | Dsd::Fifo(_) => None,
        })
    }

    /// Every operation that takes and whose DSD is known.
    pub fn takes(&self) -> impl Iterator<Item = Taking> {
        self.known_operands().into_iter().filter_map(|(dsd, is_sure, op, span)| match dsd {
            Dsd::FabIn(fabin) => {
                Some(Taking { color: self.color_in(&fabin), queue: fabin.queue, is_sure, op, span })
            }
            Dsd::Mem(_) | Dsd::FabOut(_) | Dsd::Fifo(_) => None,
        })
    }

    /// Whether an operation with a known DSD sends control wavelets.
    pub fn sends_control(&self) -> bool {
        let is_control = |dsd| matches!(dsd, Dsd::FabOut(out) if out.control || out.control_transform);
        self.known_operands().into_iter().any(|(dsd, ..)| is_control(dsd))
    }

    /// The first operation that sends on a color, if possible one that sends on no other.
    pub fn first_send(&self, color: Color) -> Option<Span> {
        let mut sends = self.sends().filter(|s| s.color == Some(color));
        let first = sends.next()?;
        if first.is_sure {
            Some(first.span)
        } else {
            sends.find(|s| s.is_sure).or(Some(first)).map(|s| s.span)
        }
    }

    /// Whether it sends on a color, and every operation that does so is asynchronous.
    pub fn sends_asynchronously(&self, color: Color) -> bool {
        let mut sends = self.sends().filter(|s| s.color == Some(color)).peekable();
        sends.peek().is_some() && sends.all(|send| self.is_asynchronous(send.op))
    }

    /// Whether an operation is asynchronous, by its own settings or those of a DSR.
    fn is_asynchronous(&self, op: OpId) -> bool {
        let OpId::Vector(n) = op else { return false };
        let vector = &self.vector_ops[n];
        let by_load = |operand: &DsdOperand| match operand {
            DsdOperand::Dsd(DsdRef::Dsr(dsr)) => {
                self.dsr_loads.iter().any(|load| load.dsr.id == dsr.id && load.config.is_async)
            }
            _ => false,
        };
        vector.config.is_async || vector.sources.iter().chain([&vector.dest]).any(by_load)
    }

    /// Whether operations use DSDs of the fabric that are only known at run time.
    pub fn has_unknown_dsds(&self) -> bool {
        self.operands().any(|(operand, ..)| match operand {
            DsdOperand::Dsd(at @ DsdRef::At(..)) => at.is_computed_fabric(),
            DsdOperand::Dsd(DsdRef::Dsr(dsr)) => {
                let mut loads = self.dsr_loads.iter().filter(|load| load.dsr.id == dsr.id);
                loads.any(|load| load.dsd.is_computed_fabric() || matches!(load.dsd, DsdRef::Dsr(_)))
            }
            DsdOperand::Dsd(DsdRef::Const(_))
            | DsdOperand::Scalar(_)
            | DsdOperand::Pointer(_)
            | DsdOperand::Nowhere => false,
        })
    }

    /// The input queue that is bound to a color.
    pub fn queue_of(&self, color: Color) -> Option<InQueue> {
        self.input_queues.iter().find(|b| b.color == color).map(|b| b.queue)
    }

    /// The task that takes the data wavelets of a color.
    pub fn data_task(&self, arch: ArchName, color: Color) -> Option<&TaskBinding> {
        let channel = arch.channel(color, self.queue_of(color))?;
        self.tasks.iter().find(|t| t.kind == TaskKind::Data && t.id.0 == channel)
    }

    /// How code names the channel on which data tasks take a color; `None` if they need a queue and no queue has it.
    pub fn channel_text(&self, arch: ArchName, color: Color) -> Option<String> {
        match (arch, self.queue_of(color)) {
            (ArchName::Wse2, _) => Some(format!("@get_color({color})")),
            (ArchName::Wse3, Some(queue)) => Some(format!("@get_input_queue({queue})")),
            (ArchName::Wse3, None) => None,
        }
    }

    /// The color whose wavelets a data task takes.
    pub fn color_of_task(&self, arch: ArchName, task: &TaskBinding) -> Option<Color> {
        match arch {
            ArchName::Wse2 => Some(Color(task.id.0)),
            ArchName::Wse3 => self.input_queues.iter().find(|b| b.queue.0 == task.id.0).map(|b| b.color),
        }
    }

    /// Whether something may take wavelets of a color; what is not known counts as taking.
    pub fn may_take(&self, arch: ArchName, color: Color) -> bool {
        let queue = self.queue_of(color);
        let Some(channel) = arch.channel(color, queue) else { return false };
        let by_task = self.tasks.iter().any(|t| match t.kind {
            TaskKind::Data => t.id.0 == channel,
            TaskKind::Control => true,
            TaskKind::Local => false,
        });
        let by_dsd = |t: Taking| t.color == Some(color) || t.queue.is_some() && t.queue == queue;
        by_task || self.has_unknown_dsds() || self.takes().any(by_dsd)
    }

    /// Operations that write to the FIFO of a name, or read from it.
    pub fn at_fifo(&self, name: &str, writes: bool) -> impl Iterator<Item = &VectorOp> {
        let is_it = move |operand: &DsdOperand| match operand {
            DsdOperand::Dsd(DsdRef::Const(n)) => matches!(
                self.dsds[*n as usize], Dsd::Fifo(fifo) if self.fifos[usize::from(fifo.0)].name == name
            ),
            _ => false,
        };
        self.vector_ops.iter().filter(move |op| match writes {
            true => is_it(&op.dest),
            false => op.sources.iter().any(is_it),
        })
    }

    /// The vector operands of all operations.
    fn operands(&self) -> impl Iterator<Item = (DsdOperand, OpId, Span)> {
        let vectors =
            self.vector_ops.iter().enumerate().flat_map(|(n, v)| {
                v.sources.iter().chain([&v.dest]).map(move |o| (*o, OpId::Vector(n), v.span))
            });
        let maps = self.maps.iter().enumerate().flat_map(|(n, m)| {
            m.inputs.iter().chain(&m.output).map(move |(o, _)| (*o, OpId::Map(n), m.span))
        });
        vectors.chain(maps)
    }

    /// The DSDs that operands may stand for, without those that are only known at run time, and whether they stand for no
    /// other.
    fn known_operands(&self) -> Vec<(Dsd, bool, OpId, Span)> {
        let computed = self.computed_dsds();
        let by_dsr = self.held(&computed);
        let mut found = Vec::new();
        for (operand, op, span) in self.operands() {
            match operand {
                DsdOperand::Dsd(DsdRef::Const(n)) => {
                    found.extend(self.dsds.get(n as usize).map(|dsd| (*dsd, true, op, span)));
                }
                DsdOperand::Dsd(DsdRef::At(register, _)) => {
                    let dsd = computed_for(op.user(register), &computed);
                    found.extend(dsd.map(|dsd| (dsd, true, op, span)));
                }
                DsdOperand::Dsd(DsdRef::Dsr(dsr)) => {
                    let held = by_dsr.get(&dsr.id);
                    found
                        .extend(held.into_iter().flat_map(|held| {
                            held.dsds.iter().map(move |dsd| (*dsd, held.is_sure, op, span))
                        }));
                }
                DsdOperand::Scalar(_) | DsdOperand::Pointer(_) | DsdOperand::Nowhere => {}
            }
        }
        found
    }

    /// What loads put into each DSR, as far as that is known.
    fn held(&self, computed: &[(User, Dsd)]) -> FxHashMap<DsrId, HeldByDsr> {
        let mut all: FxHashMap<DsrId, HeldByDsr> = FxHashMap::default();
        for (n, load) in self.dsr_loads.iter().enumerate() {
            let dsd = self.loaded(n, load.dsd, computed);
            let way = dsd.as_ref().map(|dsd| self.way(dsd));
            let held = all.entry(load.dsr.id).or_insert(HeldByDsr { dsds: Vec::new(), is_sure: true, way });
            held.is_sure &= held.way == way;
            held.dsds.extend(dsd);
        }
        all
    }

    /// What a load puts into its DSR, if that is known.
    fn loaded(&self, load: usize, dsd: DsdRef, computed: &[(User, Dsd)]) -> Option<Dsd> {
        match dsd {
            DsdRef::Const(n) => self.dsds.get(n as usize).copied(),
            DsdRef::At(..) => computed_for(User::Load(load), computed),
            DsdRef::Dsr(_) => None,
        }
    }

    /// Which way wavelets go through a DSD.
    fn way(&self, dsd: &Dsd) -> Way {
        match dsd {
            Dsd::FabIn(fabin) => (false, self.color_in(fabin), fabin.queue.map(|q| q.0)),
            Dsd::FabOut(out) => (true, self.color_out(out), out.queue.map(|q| q.0)),
            Dsd::Mem(_) | Dsd::Fifo(_) => (false, None, None),
        }
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

/// Which way wavelets go: whether out, on which color, through which queue.
type Way = (bool, Option<Color>, Option<u8>);

/// What loads put into a DSR.
struct HeldByDsr {
    /// As far as it is known.
    dsds: Vec<Dsd>,
    /// Whether wavelets go one way through all of it.
    is_sure: bool,
    /// The way through the first; `None` if that is not known.
    way: Option<Way>,
}

impl OpId {
    /// The operation as the user of a DSD at an address in a register.
    fn user(self, register: Reg) -> User {
        match self {
            OpId::Vector(n) => User::Vector(n, register),
            OpId::Map(n) => User::Map(n, register),
        }
    }
}

fn computed_for(user: User, computed: &[(User, Dsd)]) -> Option<Dsd> {
    computed.iter().find(|(u, _)| *u == user).map(|(_, dsd)| *dsd)
}
