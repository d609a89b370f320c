//! Single values in words.

use crate::dsd::{Dsd, ENDLESS, FabIn, FabOut, Mem, MemKind, Priority, Simd, ZeroSource};
use crate::image::routes::{ColorConfig, Filter, Inject, PopMode, Position, Switches};
use std::fmt::Display;

/// A descriptor with its numbers.
pub fn dsd(dsd: &Dsd) -> String {
    match dsd {
        Dsd::Mem(m) => mem(m),
        Dsd::FabIn(f) => fabin(f),
        Dsd::FabOut(f) => fabout(f),
        Dsd::Fifo(id) => format!("fifo {}", id.0),
    }
}

fn mem(m: &Mem) -> String {
    let kind = match m.kind {
        MemKind::Mem1d => "mem1d",
        MemKind::Mem4d => "mem4d",
        MemKind::Circbuf => "circbuf",
    };
    let dims = usize::from(m.dims);
    let extent = list(&m.extent[..dims], " x ");
    let mut out = format!("{kind} at {:#06x}, extent {extent}, step {}", m.base, list(&m.step[..dims], ", "));
    if m.wrap != 0 {
        out += &format!(", wraps after {} words", m.wrap);
    }
    if m.index_offset {
        out += ", offset by the index";
    }
    out
}

fn fabin(f: &FabIn) -> String {
    let mut out = format!("fabin{}{}", option(" color", f.color), option(" queue", f.queue));
    out += &fabric(f.extent, f.simd, f.priority, f.control_transform);
    out
}

fn fabout(f: &FabOut) -> String {
    let mut out = format!("fabout{}{}", option(" color", f.color), option(" queue", f.queue));
    out += &fabric(f.extent, f.simd, f.priority, f.control_transform);
    let flags = [
        (f.control, "control"),
        (f.index_offset, "carries the index"),
        (f.advance_switch, "advances the switch"),
    ];
    for (_, flag) in flags.iter().filter(|(on, _)| *on) {
        out += &format!(", {flag}");
    }
    match f.zero {
        None => {}
        Some(ZeroSource::First) => out += ", clears its first source",
        Some(ZeroSource::Second) => out += ", clears its second source",
    }
    out
}

fn fabric(extent: u16, simd: Simd, at: Priority, control_transform: bool) -> String {
    let mut out = match extent {
        ENDLESS => ", endless".to_string(),
        n => format!(", extent {n}"),
    };
    out += match simd {
        Simd::Off => "",
        Simd::Simd32 => ", simd 32",
        Simd::Simd64 => ", simd 64",
        Simd::Simd32Or64 => ", simd 32 or 64",
        Simd::Max => ", simd max",
    };
    if at != Priority::Low {
        out += &format!(", priority {}", priority(at));
    }
    if control_transform {
        out += ", transforms control wavelets";
    }
    out
}

/// The level in CSL.
pub fn priority(priority: Priority) -> &'static str {
    match priority {
        Priority::Low => "low",
        Priority::Medium => "medium",
        Priority::High => "high",
    }
}

/// Everything about one color, on one line.
pub fn config(c: &ColorConfig) -> String {
    let mut out = format!("{} -> {}", or_dash(c.rx), or_dash(c.tx));
    if c.swap_x {
        out += ", swaps x";
    }
    if c.swap_y {
        out += ", swaps y";
    }
    out += match c.inject {
        None => "",
        Some(Inject::Low) => ", injects at low priority",
        Some(Inject::High) => ", injects at high priority",
    };
    if let Some(s) = &c.switches {
        out += &switches(s);
    }
    if let Some(f) = &c.filter {
        out += &filter(f);
    }
    if c.teardown {
        out += ", in teardown";
    }
    out
}

fn switches(s: &Switches) -> String {
    let mut out = String::new();
    for (i, position) in s.positions.iter().enumerate() {
        if let Some(Position { rx, tx }) = position {
            out += &format!("; pos{}{}{}", i + 1, option(" rx", *rx), option(" tx", *tx));
        }
    }
    out += &format!("; starts at pos{}", s.current);
    if s.ring {
        out += ", ring";
    }
    out += match s.pop {
        PopMode::NoPop => "",
        PopMode::AlwaysPop => ", always pops",
        PopMode::OnAdvance => ", pops on advance",
        PopMode::OnAdvanceNop => ", pops on advance and NOP",
    };
    out
}

fn filter(f: &Filter) -> String {
    match f {
        Filter::Range { min, max } => format!("; passes index {min}..{max}"),
        Filter::Counter { sparse, count_data, count_control, init, limit1, limit2, max, filter_control } => {
            let what = match (count_data, count_control) {
                (true, true) => "wavelets",
                (true, false) => "data wavelets",
                (false, true) => "control wavelets",
                (false, false) => "nothing",
            };
            format!(
                "; {}counts {what} from {init}, passes up to {max}{}{}{}",
                if *sparse { "sparsely " } else { "" },
                option(", limit", *limit1),
                option(", limit2", *limit2),
                if *filter_control { ", also of control wavelets" } else { "" },
            )
        }
    }
}

fn or_dash(set: impl Display) -> String {
    let text = set.to_string();
    if text.is_empty() { "-".to_string() } else { text }
}

fn option(name: &str, value: Option<impl Display>) -> String {
    value.map_or(String::new(), |v| format!("{name} {v}"))
}

fn list(numbers: &[impl Display], between: &str) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}
