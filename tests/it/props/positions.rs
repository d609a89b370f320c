//! DSRs that remember where they are (`save_address`), and circular buffers.

use super::access::width;
use super::arrays::Array;
use super::choices::Choices;
use super::cursors::AddressCursor;
use super::number::Elem;
use super::trial::{Trial, check};
use std::fmt::Write;

#[test]
fn save_address_goes_on_behind_what_was_covered() {
    check("save_address", 40, saved);
}

#[test]
fn circular_buffers_go_round() {
    check("circbuf", 40, circular);
}

/// One operand of a sequence of copies: its array and the elements of each operation.
struct Operand {
    array: Array,
    rounds: Vec<Vec<usize>>,
}

/// Copies between two operands several times.
fn copies(choices: &mut Choices, prefix: &str, mut trial: Trial, mov: &str, mut ends: [Operand; 2]) -> Trial {
    for end in &mut ends {
        end.array.fill(choices);
        trial.globals.push_str(&end.array.declaration());
    }
    let [mut to, from] = ends;
    for (written, read) in to.rounds.iter().zip(&from.rounds) {
        let _ = writeln!(trial.body, "  {mov}({prefix}_dest, {prefix}_src);");
        for (place, source) in written.iter().zip(read) {
            to.array.data[*place] = from.array.data[*source];
        }
    }
    trial.expected.extend([to.array, from.array].map(Array::expected));
    trial
}

fn array(choices: &mut Choices, name: String, elem: Elem, size: usize) -> Array {
    let ty = choices.pick(elem.types());
    Array { name, ty, elem, sizes: Vec::new(), limit: None, data: vec![0; size] }
}

fn saved(choices: &mut Choices, prefix: &str) -> Trial {
    let (elem, mov) = width(choices);
    let count = 1 + choices.below(8) as usize;
    let rounds = 1 + choices.below(4) as usize;
    let mut trial = Trial::default();
    let ends = ["dest", "src"].map(|end| {
        let cursor = AddressCursor::any(choices, count);
        let saves = choices.once_in(2);
        saving(choices, &mut trial, (prefix, end), elem, (cursor, rounds, saves))
    });
    copies(choices, prefix, trial, mov, ends)
}

/// A DSR over a walk that goes on after each operation, if it `saves`.
fn saving(
    choices: &mut Choices,
    trial: &mut Trial,
    (prefix, end): (&str, &str),
    elem: Elem,
    (mut cursor, rounds, saves): (AddressCursor, usize, bool),
) -> Operand {
    let all = |first: &AddressCursor| {
        let next = |cursor: &AddressCursor| Some(if saves { cursor.next() } else { cursor.clone() });
        std::iter::successors(Some(first.clone()), next).take(rounds).collect::<Vec<_>>()
    };
    let lowest = all(&cursor).iter().flat_map(AddressCursor::places).min().unwrap_or(0);
    cursor.offset -= lowest.min(0);
    let cursors = all(&cursor);
    let size = cursors.iter().map(AddressCursor::end).max().unwrap_or(0) + choices.below(3) as usize;
    let array = array(choices, format!("{prefix}_{end}_a"), elem, size);
    let name = format!("{prefix}_{end}");
    let file = if end == "dest" { "dsr_dest" } else { "dsr_src1" };
    let _ = writeln!(trial.globals, "const {name} = @get_dsr({file}, {});", 1 + choices.below(5));
    let is_known = choices.once_in(2);
    let held = if is_known { "const" } else { "var" };
    let _ = writeln!(trial.globals, "{held} {name}_d = {};", cursor.dsd(&array.name));
    let settings = if saves { ", .{ .save_address = true }" } else { "" };
    let load = match cursor.mem4d {
        false => format!("@load_to_dsr({name}, {name}_d{settings})"),
        true => {
            let first = if end == "dest" { 0 } else { 3 };
            let needed = if is_known { stride_registers(&cursor) } else { 3 };
            let registers: Vec<_> = (first..first + needed).map(|n| format!("@get_sr({n})")).collect();
            let registers = registers.join(", ");
            format!(
                "@load_to_dsr_xdsr_sr({name}, @get_xdsr({first}), .{{ {registers} }}, {name}_d{settings})"
            )
        }
    };
    let _ = writeln!(trial.body, "  {load};");
    Operand { array, rounds: cursors.iter().map(AddressCursor::indices).collect() }
}

/// All dimensions but the fastest need one; the second does not if the fastest has stride 1.
fn stride_registers(cursor: &AddressCursor) -> usize {
    let dimensions = cursor.lengths.len();
    let short = dimensions > 1 && cursor.factors[dimensions - 1] == 1;
    dimensions - 1 - usize::from(short)
}

fn circular(choices: &mut Choices, prefix: &str) -> Trial {
    let (elem, mov) = width(choices);
    let size = 1 + choices.below(10) as usize;
    let count = 1 + choices.below(20) as usize;
    let rounds = 1 + choices.below(4) as usize;
    let saves = choices.once_in(2);
    let wrap = if choices.once_in(2) { Some(1 + choices.below(size as u32) as usize) } else { None };
    let buffer = array(choices, format!("{prefix}_b"), elem, size);
    let mut trial = Trial::default();
    let is_dest = choices.once_in(2);
    let (end, other, file) = if is_dest { ("dest", "src", "dsr_dest") } else { ("src", "dest", "dsr_src1") };
    let name = format!("{prefix}_{end}");
    let wraparound = wrap.map_or(String::new(), |wrap| format!(", .wraparound = {wrap}"));
    let _ = writeln!(trial.globals, "const {name} = @get_dsr({file}, 1);");
    let _ = writeln!(
        trial.globals,
        "{} {name}_d = @get_dsd(circbuf_dsd, .{{ .base_address = &{}, .extent = {count}{wraparound} }});",
        choices.pick(&["const", "var"]),
        buffer.name
    );
    let settings = if saves { ", .{ .save_address = true }" } else { "" };
    let _ = writeln!(trial.body, "  @load_to_dsr_xdsr({name}, @get_xdsr(6), {name}_d{settings});");
    let start = |round: usize| if saves { round * count } else { 0 };
    let place = |k: usize| k % wrap.unwrap_or(size);
    let visited = |round: usize| (0..count).map(|k| place(start(round) + k)).collect();
    let circular = Operand { array: buffer, rounds: (0..rounds).map(visited).collect() };
    // The other operand goes on, so that every round moves other data.
    let line = AddressCursor::line(count);
    let other = saving(choices, &mut trial, (prefix, other), elem, (line, rounds, true));
    let ends = if is_dest { [circular, other] } else { [other, circular] };
    copies(choices, prefix, trial, mov, ends)
}
