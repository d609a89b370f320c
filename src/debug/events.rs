//! What happens in a run, as a session sees it.

use super::breakpoints::{Breakpoint, Kind};
use super::stop::StopKind;
use super::timeline::{Event, Position};
use crate::{Notice, PeCoord, Runner};

/// The breakpoints that an event has met, and why the run stops; `None` if it goes on.
pub fn met(
    (event, at): (&Event, Position),
    all: &mut [Breakpoint],
    (stepper, warnings): (Option<PeCoord>, bool),
) -> Option<(StopKind, Vec<u32>)> {
    let mut hits = Vec::new();
    let mut meet = |which: &dyn Fn(&Breakpoint) -> bool| {
        let met = all.iter_mut().filter(|b| which(b)).filter_map(|b| b.meet(at).then_some(b.id));
        hits.extend(met);
    };
    match event {
        Event::Notice(Notice::Code { pe, wanted_by, is_step, .. }) => {
            meet(&|b| wanted_by.contains(&b.id));
            let has_stepped = *is_step && stepper == Some(*pe);
            match hits.is_empty() {
                true => has_stepped.then_some((StopKind::Step, hits)),
                false => Some((StopKind::Breakpoint, hits)),
            }
        }
        Event::Notice(Notice::Arrival { wanted_by, .. }) => {
            meet(&|b| wanted_by.contains(&b.id));
            (!hits.is_empty()).then_some((StopKind::Breakpoint, hits))
        }
        Event::Write(pe, at, _) => {
            meet(&|b| matches!(&b.kind, Kind::Words { pe: on, addr, .. } if on == pe && addr == at));
            (!hits.is_empty()).then_some((StopKind::Data, hits))
        }
        Event::Warning => warnings.then_some((StopKind::Exception, hits)),
    }
}

/// Adds the lines that the program has printed since the last call.
pub fn tell_lines(runner: &mut Runner, (told, written): &mut (usize, u64), output: &mut Vec<String>) {
    if runner.written() <= *written {
        return;
    }
    *written = runner.written();
    let lines = runner.printed();
    if lines.len() > *told {
        output.extend(lines[*told..].iter().map(|line| format!("{}: {}", line.pe, line.text)));
        *told = lines.len();
    }
}
