//! Where the code of a tile sends: for reports that name the other side.

use super::TileImage;
use super::code::{DsdRef, Operand};
use crate::arch::{Color, OutQueue};
use crate::dsd::{Dsd, FabOut};
use crate::source::Span;

impl TileImage {
    /// The first operation that sends on a color, as far as its DSD is known without running.
    pub fn first_send(&self, color: Color) -> Option<Span> {
        self.sends().find(|(sent, ..)| *sent == Some(color)).map(|(.., span)| span)
    }

    /// Color, queue and place of every operation that sends and whose DSD is known.
    pub fn sends(&self) -> impl Iterator<Item = (Option<Color>, Option<OutQueue>, Span)> {
        let vectors = self.vector_ops.iter().map(|op| (op.dest, op.span));
        let maps = self.maps.iter().filter_map(|m| Some((m.output?.0, m.span)));
        vectors.chain(maps).filter_map(|(dest, span)| {
            let Operand::Dsd(dsd) = dest else { return None };
            let out = self.fabout(dsd)?;
            Some((self.color_of(out), out.queue, span))
        })
    }

    fn fabout(&self, dsd: DsdRef) -> Option<&FabOut> {
        let constant = match dsd {
            DsdRef::Const(n) => n,
            DsdRef::Dsr(dsr) => match self.dsr_loads.iter().find(|l| l.dsr.id == dsr.id)?.dsd {
                DsdRef::Const(n) => n,
                DsdRef::At(..) | DsdRef::Dsr(_) => return None,
            },
            DsdRef::At(..) => return None,
        };
        match self.dsds.get(constant as usize)? {
            Dsd::FabOut(out) => Some(out),
            Dsd::Mem(_) | Dsd::FabIn(_) | Dsd::Fifo(_) => None,
        }
    }

    fn color_of(&self, out: &FabOut) -> Option<Color> {
        let bound = || self.output_queues.iter().find(|b| Some(b.queue) == out.queue).map(|b| b.color);
        out.color.or_else(bound)
    }
}
