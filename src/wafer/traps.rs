//! Errors that the fabric detects: sends without a route, collisions, lost wavelets.

use super::bands::Bands;
use super::causes::send_span;
use super::findings::Findings;
use super::pe_array::PeArray;
use crate::arch::{Color, PeCoord};
use crate::diagnostics::rules::check::ROUTE_OFF_EDGE;
use crate::diagnostics::rules::tasks::{SIMULTANEOUS_ARRIVALS, UNROUTED_ASYNC, UNROUTED_COLOR};
use crate::diagnostics::{Diag, Diagnostic, Levels, Moment, counted};
use crate::fabric::{Collision, Fabric, Loss};
use crate::image::Program;

/// Senders of colliding wavelets that are named.
const NAMED: usize = 4;

/// The cycle that has just ended, on a PE.
pub(super) fn moment(at: PeCoord, now: u64) -> Moment {
    Moment { x: at.x, y: at.y, cycle: now.saturating_sub(1) }
}

/// Colors of which wavelets have left the rectangle; errors if that is denied.
pub(super) fn lost_wavelets(fabric: &Fabric, program: &Program, levels: &Levels) -> Vec<Diagnostic> {
    let warning = |loss: &Loss| {
        let Loss { color, pe, side, count, elsewhere } = *loss;
        let at = program.pe_coord(pe);
        let c = ROUTE_OFF_EDGE.because(&[("color", &color), ("side", &side), ("pe", &at)]);
        let c = match program.routes.get(pe, color).and_then(|declared| declared.span) {
            Some(span) => c.at(span).label(format!("goes {side} on {at}")),
            None => c,
        };
        let lost = format!("lost: {}", counted(count, "wavelet"));
        Diagnostic::from(c.note(match elsewhere {
            0 => lost,
            n => format!("{lost}, including those of {}", counted(n, "other PE")),
        }))
    };
    fabric.losses().iter().filter_map(|loss| levels.judge(warning(loss))).collect()
}

/// Sends on colors that the router of the sender does not know.
pub(super) fn trap_unrouted(findings: &mut Findings, fabric: &mut Fabric, pe_array: &PeArray, now: u64) {
    for (pe, color) in fabric.take_unrouted() {
        let at = pe_array.program().pe_coord(pe as usize);
        let sender = pe_array.get(pe as usize).and_then(|pe| pe.last_sender(color));
        let is_async = sender.is_some_and(|sender| sender.is_async);
        let rule = if is_async { &UNROUTED_ASYNC } else { &UNROUTED_COLOR };
        let mut diag = rule.because(&[("color", &color), ("pe", &at)]);
        if let Some(span) = send_span(pe_array, pe as usize, color) {
            diag = diag.at(span).label("sent here");
        }
        if !is_async {
            let help = format!("give color {color} a route on this PE with `@set_color_config`");
            diag = diag.help(help);
        }
        findings.hazard(at, diag.on(moment(at, now)));
    }
}

/// Wavelets of one color that come to a router from two sides at once.
pub(super) fn trap_collisions(findings: &mut Findings, bands: &mut Bands, pe_array: &PeArray, now: u64) {
    let collisions: Vec<Collision> =
        bands.iter_mut().flat_map(|band| band.fabric.take_collisions()).collect();
    if !collisions.is_empty() {
        bands.look(|fabric| name_collisions(findings, &collisions, fabric, pe_array, now));
    }
}

fn name_collisions(
    findings: &mut Findings,
    collisions: &[Collision],
    fabric: &Fabric,
    pe_array: &PeArray,
    now: u64,
) {
    for Collision { pe, color, sides } in collisions.iter().copied() {
        let program = pe_array.program();
        let at = program.pe_coord(pe);
        let sides: Vec<_> = sides.iter().collect();
        let names: Vec<_> = sides.iter().map(|d| d.name()).collect();
        let facts: [(&str, &dyn std::fmt::Display); 3] =
            [("pe", &at), ("color", &color), ("sides", &names.join(" and "))];
        let mut diag = SIMULTANEOUS_ARRIVALS.because(&facts);
        if let Some(span) = program.routes.get(pe, color).and_then(|d| d.span) {
            diag = diag.at(span).label("this route accepts both");
        }
        let diag = name_senders(diag, (pe, color), fabric, pe_array);
        let help = "make one side wait for the other, or use a separate color for each side";
        findings.hazard(at, diag.help(help).on(moment(at, now)));
    }
}

fn name_senders(mut diag: Diag, (pe, color): (usize, Color), fabric: &Fabric, pe_array: &PeArray) -> Diag {
    let senders =
        fabric.survey().senders(pe, color).into_iter().filter(|s| fabric.survey().sent(*s, color) > 0);
    for sender in senders.take(NAMED) {
        let (who, sent) = (pe_array.program().pe_coord(sender), fabric.survey().sent(sender, color));
        let text = format!("{who} has sent {sent} on color {color}");
        diag = match send_span(pe_array, sender, color) {
            Some(span) if diag.0.others.iter().all(|l| l.span != span) => diag.also(span, text),
            _ => diag.note(text),
        };
    }
    diag
}
