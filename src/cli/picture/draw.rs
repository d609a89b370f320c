//! The picture in a terminal.

use super::grid::ArrayGrid;
use super::stream::StreamView;
use super::{MOST, MemoryView, View, ViewedDsd};
use crate::diagnostics::counted;
use crate::dsd::MemKind;
use crate::image::code::DsdEdit;
use std::fmt::Write;

/// Addresses listed at most.
const LISTED: usize = 64;

/// Everything about a DSD, for a terminal.
pub fn text(view: &View<'_>) -> String {
    let mut out = format!("{}\n  {}\n\n", view.title(), view.code);
    let (pe, count) = view.home;
    let home = if count == 1 { pe.to_string() } else { format!("{pe} and {} more", count - 1) };
    fact(&mut out, "built on", &home);
    if !view.descriptor.open.is_empty() {
        let open = format!("{}: set at run time", view.descriptor.open.join(", "));
        fact(&mut out, "not known yet", &open);
    }
    match &view.elements {
        ViewedDsd::Memory(memory) => push_memory(&mut out, view, memory),
        ViewedDsd::Stream(stream) => push_stream(&mut out, view, stream),
    }
    if let Some(grid) = view.grid() {
        push_grid(&mut out, grid);
    }
    out
}

/// The property that decides some facts is set when the program runs.
const LATER: &str = "set at run time";

fn fact(out: &mut String, name: &str, value: &str) {
    let _ = writeln!(out, "  {name:<14} {value}");
}

fn push_memory(out: &mut String, view: &View<'_>, memory: &MemoryView<'_>) {
    let mem = &memory.mem;
    let array = match memory.array {
        Some(s) => {
            format!("{}: {}, words {:#06x} to {:#06x}", s.name, s.ty, s.addr, s.addr + s.words.max(1) - 1)
        }
        None => "an unknown array".to_string(),
    };
    let base_is_open = view.is_open(DsdEdit::Base);
    if !base_is_open {
        fact(out, "over", &array);
    }
    fact(out, "starts at", &beginning(view, memory));
    let length_is_open = view.is_open(DsdEdit::Length);
    if length_is_open {
        fact(out, "elements", &format!("{LATER}, {} bits each", 16 * memory.words));
    } else {
        fact(out, "elements", &elements(memory));
    }
    for dim in 0..usize::from(mem.dims) {
        fact(out, if dim == 0 { "dimensions" } else { "" }, &dimension(view, memory, dim));
    }
    if mem.wrap > 0 {
        fact(out, "wraps", &format!("after {} elements", mem.wrap / memory.words));
    }
    if mem.index_offset {
        fact(out, "offset", "each operation adds its `.index`, in 16-bit words, to the start");
    }
    match view.descriptor.open.is_empty() {
        true => fact(out, "bounds", &verdict(memory)),
        false => fact(out, "bounds", "unknown; each element is checked at run time"),
    }
    fact(out, "registers", &registers(memory));
    match length_is_open {
        true => fact(out, "cycles", "at least 1 to start and 1 for each element (estimate)"),
        false => fact(out, "cycles", &cycles(memory)),
    }
    let listed: Vec<String> = memory.addresses.iter().take(LISTED).map(|at| element(memory, *at)).collect();
    let more = if mem.length() as usize > LISTED { ", ..." } else { "" };
    if !listed.is_empty() {
        push_wrapped(out, "visits", &format!("{}{more}", listed.join(", ")));
    }
}

/// Where it begins, as far as that is known.
fn beginning(view: &View<'_>, memory: &MemoryView<'_>) -> String {
    match view.descriptor.open.iter().any(|property| property == "offset") {
        _ if view.is_open(DsdEdit::Base) => format!("an address {LATER}"),
        true => format!("{}, plus an offset {LATER}", element(memory, memory.mem.base)),
        false => element(memory, memory.mem.base),
    }
}

/// `A[1, 2]`, or the word address if it is outside of the array.
fn element(memory: &MemoryView<'_>, at: u16) -> String {
    let Some(array) = memory.array else { return format!("word {at:#06x}") };
    let words = i32::from(memory.words);
    let offset = i32::from(at) - i32::from(array.addr);
    if offset < 0 || offset >= i32::from(array.words) {
        return format!("word {at:#06x} outside {}", array.name);
    }
    if array.dims.is_empty() {
        return array.name.clone();
    }
    let mut rest = (offset / words) as u32;
    let mut index: Vec<String> = Vec::new();
    for size in array.dims.iter().rev() {
        index.insert(0, (rest % size).to_string());
        rest /= size;
    }
    format!("{}[{}]", array.name, index.join(", "))
}

fn elements(memory: &MemoryView<'_>) -> String {
    let bits = 16 * memory.words;
    match memory.mem.length() {
        1 => format!("1, {bits} bits"),
        n => format!("{n}, {bits} bits each"),
    }
}

/// One line per induction variable; the last one is the fastest.
fn dimension(view: &View<'_>, memory: &MemoryView<'_>, dim: usize) -> String {
    let mem = &memory.mem;
    if mem.dims == 1 && !view.descriptor.open.is_empty() {
        let open = |edit, known: String| if view.is_open(edit) { "?".to_string() } else { known };
        let extent = open(DsdEdit::Length, mem.extent[0].to_string());
        return format!("extent {extent}, stride {}", open(DsdEdit::Stride, memory.stride(0).to_string()));
    }
    let (extent, stride, step) = (mem.extent[dim], memory.stride(dim), mem.step[dim]);
    let speed = match (mem.dims, dim) {
        (1, _) => "",
        (_, 0) => " (fastest)",
        (dims, dim) if dim + 1 == usize::from(dims) => " (slowest)",
        _ => "",
    };
    let mut line = format!("extent {extent}, stride {stride}{speed}");
    if dim > 0 {
        let _ = write!(
            line,
            "; step {step:+}, because the faster dimensions have already moved {}",
            stride - i32::from(step)
        );
    }
    line
}

fn verdict(memory: &MemoryView<'_>) -> String {
    let all = memory.mem.length() as usize;
    let followed = memory.addresses.len();
    match memory.outside() {
        0 if followed < all.min(MOST) => format!("leaves the memory of the PE after {followed} elements"),
        0 if memory.array.is_none() => "unknown, because the array is unknown".to_string(),
        0 => "all elements are inside the array".to_string(),
        n => format!("outside the array: {n} of {}; an operation on them is an error", elements_word(all)),
    }
}

fn registers(memory: &MemoryView<'_>) -> String {
    match memory.mem.kind {
        MemKind::Mem1d => "1 DSR".to_string(),
        MemKind::Circbuf => "1 DSR and 1 XDSR, which holds the wraparound".to_string(),
        MemKind::Mem4d => {
            let strides = memory.stride_registers();
            let why = match (strides, memory.mem.step[0]) {
                (0, 1) => "the fastest stride is 1, so the next dimension needs no SR",
                (_, 1) => "the fastest stride is 1, so the two fastest dimensions need no SR",
                _ => "the fastest dimension needs no SR",
            };
            format!("1 DSR, 1 XDSR, {}: {why}", counted(strides as u64, "SR"))
        }
    }
}

fn cycles(memory: &MemoryView<'_>) -> String {
    let n = memory.mem.length();
    format!("about {} (estimate) at one element per cycle: 1 to start, {n} for the elements", n + 1)
}

fn push_stream(out: &mut String, view: &View<'_>, stream: &StreamView) {
    for (name, value) in &stream.facts {
        let decided_by: &[DsdEdit] = match *name {
            "receives" | "sends" | "cycles" => &[DsdEdit::Length],
            "color" | "route" => &[DsdEdit::Color, DsdEdit::Queue],
            "queue" => &[DsdEdit::Queue],
            _ => &[],
        };
        match decided_by.iter().any(|edit| view.is_open(*edit)) {
            true if *name == "route" => {}
            true => fact(out, name, LATER),
            false => push_wrapped(out, name, value),
        }
    }
    if view.descriptor.open.is_empty() {
        let _ = writeln!(out, "\n  [{}]", stream.stations.join("] -> ["));
    }
}

fn elements_word(count: usize) -> String {
    counted(count as u64, "element")
}

/// A long list, broken between its parts.
fn push_wrapped(out: &mut String, name: &str, list: &str) {
    const WIDTH: usize = 84;
    let mut line = String::new();
    let mut name = name;
    for part in list.split_inclusive(", ").flat_map(|p| p.split_inclusive("], ")) {
        if !line.is_empty() && line.len() + part.len() > WIDTH {
            fact(out, name, line.trim_end());
            (name, line) = ("", String::new());
        }
        line.push_str(part);
    }
    fact(out, name, line.trim_end());
}

fn push_grid(out: &mut String, grid: &ArrayGrid) {
    let cells = grid.cells();
    let width =
        cells.iter().map(String::len).chain([(grid.columns - 1).to_string().len()]).max().unwrap_or(1);
    let labels = grid.labels.iter().map(String::len).max().unwrap_or(1);
    let row =
        |cells: &mut dyn Iterator<Item = String>| cells.map(|c| format!(" {c:>width$}")).collect::<String>();
    let head = row(&mut (0..grid.columns).map(|c| c.to_string()));
    let _ = writeln!(out, "\n  {:labels$} |{head}", "");
    let _ = writeln!(out, "  {}-+{}", "-".repeat(labels), "-".repeat(head.len()));
    for (label, cells) in grid.labels.iter().zip(cells.chunks(grid.columns)) {
        let _ = writeln!(out, "  {label:>labels$} |{}", row(&mut cells.iter().cloned()));
    }
    let _ = writeln!(out, "\n  the numbers give the order in which the elements are visited");
}
