//! DSDs whose elements do not lie in an array: streams from and to the fabric, and FIFOs. They are
//! drawn as stations that every element passes.

use crate::diagnostics::counted;
use crate::dsd::{ENDLESS, FabIn, FabOut, FifoAction, Priority, Simd, ZeroSource};
use crate::image::{Fifo, TileImage};
use crate::{Color, PeCoord, Program};

/// A stream, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StreamView {
    /// What an element passes, in order.
    pub stations: Vec<String>,
    /// What is known, by name.
    pub facts: Vec<(&'static str, String)>,
}

impl StreamView {
    /// Wavelets that arrive.
    pub fn coming(program: &Program, tile: &TileImage, home: PeCoord, f: &FabIn) -> StreamView {
        let bound = tile.input_queues.iter().find(|b| f.queue.is_some_and(|q| q == b.queue));
        let color = f.color.or(bound.map(|b| b.color));
        let depths = program.arch.numbers().input_queue_depth;
        let queue = f.queue.map(|q| format!("input queue {q}, {} deep", depths[usize::from(q.0)]));
        let queue = queue.unwrap_or_else(|| "a private queue".to_string());
        let mut facts = vec![("receives", count(f.extent)), ("color", color_words(color))];
        facts.extend(color.and_then(|color| route(program, home, color)).map(|route| ("route", route)));
        facts.push(("queue", queue.clone()));
        if f.control_transform {
            facts.push(("control", "XORs the mask of the PE into the index of control wavelets".into()));
        }
        facts.extend(common(f.simd, f.priority));
        let end = match f.extent {
            ENDLESS => "only at a control wavelet, if the operation sets `.on_control`",
            _ => "when that many elements have arrived",
        };
        facts.push(("ends", end.to_string()));
        facts.push(("waits", waits("there is no wavelet")));
        facts.extend(costs(f.extent));
        let stations = vec![station(color), queue, elements(f.extent), "operation".to_string()];
        StreamView { stations, facts }
    }

    /// Wavelets that leave.
    pub fn leaving(program: &Program, tile: &TileImage, home: PeCoord, f: &FabOut) -> StreamView {
        let bound = tile.output_queues.iter().find(|b| f.queue.is_some_and(|q| q == b.queue));
        let color = f.color.or(bound.map(|b| b.color));
        let depths = program.arch.numbers().output_queue_depth;
        let depth = |q: usize| depths.get(q).map_or(String::new(), |depth| format!(", {depth} deep"));
        let queue = f.queue.map(|q| format!("output queue {q}{}", depth(q.0.into())));
        let queue = queue.unwrap_or_else(|| "a private queue".to_string());
        let mut facts = vec![("sends", count(f.extent)), ("color", color_words(color))];
        facts.extend(color.and_then(|color| route(program, home, color)).map(|route| ("route", route)));
        facts.push(("queue", queue.clone()));
        let kind =
            if f.control { "control wavelets, which routers and tasks act on" } else { "data wavelets" };
        facts.push(("wavelets", kind.to_string()));
        if f.control_transform {
            facts.push(("control", "XORs the mask of the PE into the index of control wavelets".into()));
        }
        if f.index_offset {
            facts.push(("index", "the `.index` of the operation goes into bits 31..16 of each".into()));
        }
        if f.advance_switch {
            facts.push(("switch", "the switch of this PE moves when the last wavelet has left".into()));
        }
        if let Some(zero) = f.zero {
            let which = if zero == ZeroSource::First { "first" } else { "second" };
            facts.push((
                "clears",
                format!("the {which} source of the operation, when all wavelets have left"),
            ));
        }
        facts.extend(common(f.simd, f.priority));
        facts.push(("waits", waits("the queue is full")));
        facts.extend(costs(f.extent));
        let stations = vec!["operation".to_string(), elements(f.extent), queue, station(color)];
        StreamView { stations, facts }
    }

    /// Elements on their way from one operation to another.
    pub fn through(fifo: &Fifo) -> StreamView {
        let last = fifo.base + fifo.capacity * u16::from(fifo.element_words) - 1;
        let bits = 16 * u16::from(fifo.element_words);
        let mut facts = vec![
            ("holds", format!("{} of {bits} bits", counted(fifo.capacity.into(), "element"))),
            ("buffer", format!("words {:#06x} to {last:#06x}", fifo.base)),
            ("when empty", reader(fifo.empty_action)),
            ("when full", writer(fifo.full_action)),
        ];
        for (name, task, when) in [
            ("activate_push", fifo.activate_push, "an element arrives after a read found the FIFO empty"),
            ("activate_pop", fifo.activate_pop, "an element leaves after a write found the FIFO full"),
        ] {
            facts.extend(task.map(|task| (name, format!("activates task {task} when {when}"))));
        }
        facts.extend(common(fifo.simd, fifo.priority));
        let chosen = if fifo.explicit { "chosen by the program" } else { "chosen by the compiler" };
        let (dsr, xdsr) = (fifo.registers.dsr, fifo.registers.xdsr);
        facts.push((
            "registers",
            format!("dest DSR {dsr} to write, src1 DSR {dsr} to read, XDSR {xdsr} for both ends; {chosen}"),
        ));
        let stations = vec![
            "writing operation".to_string(),
            format!("{}: room for {}", fifo.name, fifo.capacity),
            "reading operation".to_string(),
        ];
        StreamView { stations, facts }
    }
}

fn color_words(color: Option<Color>) -> String {
    color.map_or("the color of the queue".to_string(), |color| color.to_string())
}

fn station(color: Option<Color>) -> String {
    color.map_or("fabric".to_string(), |color| format!("fabric, color {color}"))
}

/// Where the router of the first PE takes the color from, and where it leads.
fn route(program: &Program, at: PeCoord, color: Color) -> Option<String> {
    let config = &program.routes.get(program.pe_index(at), color)?.config;
    let names = |sides: crate::image::routes::Directions| {
        let names: Vec<&str> = sides.iter().map(|side| side.name()).collect();
        names.join(", ")
    };
    let moves = if config.switches.is_some() { ", until a switch moves" } else { "" };
    Some(format!("on {at} from {} to {}{moves}", names(config.rx), names(config.tx)))
}

fn count(extent: u16) -> String {
    match extent {
        ENDLESS => "wavelets without limit".to_string(),
        n => counted(n.into(), "element"),
    }
}

fn elements(extent: u16) -> String {
    match extent {
        ENDLESS => "no limit".to_string(),
        n => counted(n.into(), "element"),
    }
}

fn common(simd: Simd, priority: Priority) -> Vec<(&'static str, String)> {
    let carries = match simd {
        Simd::Off => None,
        Simd::Simd32 => Some("two 16-bit elements in each wavelet"),
        Simd::Simd64 => Some("two wavelets at a time"),
        Simd::Simd32Or64 => {
            Some("two 16-bit elements in each wavelet, and two wavelets at a time if two are there")
        }
        Simd::Max => Some("as many elements at a time as are there"),
    };
    let first = match priority {
        Priority::Low => None,
        Priority::Medium => Some("medium"),
        Priority::High => Some("high"),
    };
    let simd = carries.map(|carries| ("simd", carries.to_string()));
    simd.into_iter().chain(first.map(|first| ("priority", first.to_string()))).collect()
}

fn waits(when: &str) -> String {
    format!("while {when}; the task waits too, unless the operation sets `.async = true`")
}

fn costs(extent: u16) -> Vec<(&'static str, String)> {
    let cycles = match extent {
        ENDLESS => "at least 1 for each wavelet (estimate)".to_string(),
        n => format!("at least {} (estimate): 1 to start, then one wavelet per cycle", u32::from(n) + 1),
    };
    vec![("registers", "1 DSR".to_string()), ("cycles", cycles)]
}

fn reader(action: FifoAction) -> String {
    after("read", action)
}

fn writer(action: FifoAction) -> String {
    after("write", action)
}

fn after(who: &str, action: FifoAction) -> String {
    match action {
        FifoAction::TestOrSuspend => {
            format!("an asynchronous {who} waits; a synchronous one ends and returns false")
        }
        FifoAction::Terminate => format!("the {who} ends"),
        FifoAction::Suspend => format!("the {who} waits"),
        FifoAction::Fault => "the program stops".to_string(),
    }
}
