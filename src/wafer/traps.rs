//! What the fabric has found out about the program, as errors.

use super::Wafer;
use crate::arch::{Color, Direction, PeCoord};
use crate::diagnostics::rules::check::ROUTE_OFF_EDGE;
use crate::diagnostics::rules::tasks::{SIMULTANEOUS_ARRIVALS, UNROUTED_ASYNC, UNROUTED_COLOR};
use crate::diagnostics::{Diag, Diagnostic, Moment, counted};
use crate::fabric::{Collision, Loss};

/// Senders of colliding wavelets that are named.
const NAMED: usize = 4;

impl Wafer {
    /// Something that the wafer has found out on a PE: the end of the run, or a warning.
    pub(super) fn hazard(&mut self, pe: PeCoord, diag: Diag) {
        match self.cells.maker.options.levels.weigh(diag) {
            Err(diag) => self.trapped.push(diag),
            Ok(Some(warning)) => self.log.warn(pe, warning),
            Ok(None) => {}
        }
    }

    /// The last cycle, on a PE.
    fn moment(&self, pe: usize) -> Moment {
        let at = self.program.pe_coord(pe);
        Moment { x: at.x, y: at.y, cycle: self.now - 1 }
    }

    /// Colors of which wavelets have left the rectangle; errors if that is denied.
    pub(super) fn lost_wavelets(&self) -> Vec<Diagnostic> {
        let warning = |loss: &Loss| {
            let Loss { color, pe, side, count, elsewhere } = *loss;
            let at = self.program.pe_coord(pe);
            let c = ROUTE_OFF_EDGE.because(&[("color", &color), ("side", &side), ("pe", &at)]);
            let c = match self.program.routes.get(pe, color).and_then(|declared| declared.span) {
                Some(span) => c.at(span).label(format!("goes {side} on {at}")),
                None => c,
            };
            let lost = format!("lost: {}", counted(count, "wavelet"));
            Diagnostic::from(c.note(match elsewhere {
                0 => lost,
                n => format!("{lost}, those of {} included", counted(n, "other PE")),
            }))
        };
        let levels = self.cells.maker.options.levels;
        self.fabric.losses().iter().filter_map(|loss| levels.judge(warning(loss))).collect()
    }

    /// Sends on colors that the router of the sender does not know.
    pub(super) fn trap_unrouted(&mut self) {
        for (pe, color) in self.fabric.take_unrouted() {
            let at = self.program.pe_coord(pe as usize);
            let sender = self.cells.get(pe as usize).and_then(|cell| cell.last_sender(color));
            let is_async = sender.is_some_and(|sender| sender.is_async);
            let rule = if is_async { &UNROUTED_ASYNC } else { &UNROUTED_COLOR };
            let mut diag = rule.because(&[("color", &color), ("pe", &at)]);
            if let Some(span) = self.send_span(pe as usize, color) {
                diag = diag.at(span).label("sent here");
            }
            if !is_async {
                let help = format!("give color {color} a route on this PE with `@set_color_config`");
                diag = diag.help(help);
            }
            self.hazard(at, diag.on(self.moment(pe as usize)));
        }
    }

    /// Wavelets of one color that come to a router from two sides at once.
    pub(super) fn trap_collisions(&mut self) {
        for Collision { pe, color, sides } in self.fabric.take_collisions() {
            let at = self.program.pe_coord(pe);
            let sides: Vec<_> = Direction::ALL.into_iter().filter(|d| sides & 1 << *d as u8 != 0).collect();
            let names: Vec<_> = sides.iter().map(|d| d.word()).collect();
            let facts: [(&str, &dyn std::fmt::Display); 3] =
                [("pe", &at), ("color", &color), ("sides", &names.join(" and "))];
            let mut diag = SIMULTANEOUS_ARRIVALS.because(&facts);
            if let Some(span) = self.program.routes.get(pe, color).and_then(|d| d.span) {
                diag = diag.at(span).label("this route accepts both");
            }
            let diag = self.name_senders(diag, pe, color);
            let help = "let one side wait for the other, or use a color for each side";
            self.hazard(at, diag.help(help).on(self.moment(pe)));
        }
    }

    fn name_senders(&self, mut diag: Diag, pe: usize, color: Color) -> Diag {
        let senders = self.fabric.senders(pe, color).into_iter().filter(|s| self.fabric.sent(*s, color) > 0);
        for sender in senders.take(NAMED) {
            let (who, sent) = (self.program.pe_coord(sender), self.fabric.sent(sender, color));
            let text = format!("{who} has sent {sent} on color {color}");
            diag = match self.send_span(sender, color) {
                Some(span) if diag.0.others.iter().all(|l| l.span != span) => diag.also(span, text),
                _ => diag.note(text),
            };
        }
        diag
    }
}
