//! The elements that a DSD visits, however it was made, against nested loops.

use super::arrays::Array;
use super::choices::Choices;
use super::cursors::{AddressCursor, VARIABLES, sum};
use super::number::Elem;
use super::trial::{Trial, check};
use std::fmt::Write;

#[test]
fn tensor_accesses_of_any_rank_visit_what_nested_loops_visit() {
    check("tensor_access", 40, tensor);
}

#[test]
fn edited_dsds_visit_what_their_properties_say() {
    check("edits", 40, edited);
}

#[test]
fn the_index_of_an_operation_moves_its_dsds() {
    check("index", 40, indexed);
}

/// A vector of `count` elements in the order of an array of its own, and the array.
pub fn flat(choices: &mut Choices, name: &str, elem: Elem, count: usize) -> (Array, String) {
    let ty = choices.pick(elem.types());
    let array =
        Array { name: name.to_string(), ty, elem, limit: None, sizes: Vec::new(), data: vec![0; count] };
    let dsd = format!("@get_dsd(mem1d_dsd, .{{ .tensor_access = |i|{{{count}}} -> {name}[i] }})");
    (array, dsd)
}

/// The width of the elements, and the operation that copies them.
pub fn width(choices: &mut Choices) -> (Elem, &'static str) {
    choices.pick(&[(Elem::Int16, "@mov16"), (Elem::Int32, "@mov32")])
}

/// Copies between a vector that visits `visited` elements of `array` and one that is flat.
fn copy(
    choices: &mut Choices,
    prefix: &str,
    mut trial: Trial,
    (mut array, dsd): (Array, String),
    visited: &[usize],
    operation: (&str, &str),
) -> Trial {
    let (mut line, line_dsd) = flat(choices, &format!("{prefix}_f"), array.elem, visited.len());
    let _ = writeln!(trial.globals, "const {prefix}_g = {line_dsd};");
    let to_line = choices.once_in(2);
    array.fill(choices);
    line.fill(choices);
    trial.globals.push_str(&array.declaration());
    trial.globals.push_str(&line.declaration());
    let (name, rest) = operation;
    let flat_dsd = format!("{prefix}_g");
    let (dest, source) = if to_line { (flat_dsd, dsd) } else { (dsd, flat_dsd) };
    let _ = writeln!(trial.body, "  {name}({dest}, {source}{rest});");
    for (k, place) in visited.iter().enumerate() {
        match to_line {
            true => line.data[k] = array.data[*place],
            false => array.data[*place] = line.data[k],
        }
    }
    trial.expected.extend([array, line].map(Array::expected));
    trial
}

/// An access to an array of up to four dimensions with up to four variables.
fn tensor(choices: &mut Choices, prefix: &str) -> Trial {
    let (elem, operation) = width(choices);
    let mem4d = choices.once_in(2);
    let variables = if mem4d { 1 + choices.below(4) as usize } else { 1 };
    let lengths: Vec<usize> = (0..variables).map(|_| 1 + choices.below(4) as usize).collect();
    let indices = Index::several(choices, &lengths);
    let (sizes, visited) = visit(&lengths, &indices);
    let array = Array {
        name: format!("{prefix}_a"),
        ty: choices.pick(elem.types()),
        elem,
        limit: None,
        data: vec![0; sizes.iter().product()],
        sizes,
    };
    let written: Vec<_> = indices.iter().map(|index| sum(&index.factors, index.offset)).collect();
    let shown: Vec<_> = lengths.iter().map(usize::to_string).collect();
    let kind = if mem4d { "mem4d_dsd" } else { "mem1d_dsd" };
    let vars = VARIABLES[..variables].join(", ");
    let access = format!("|{vars}|{{{}}} -> {}[{}]", shown.join(", "), array.name, written.join(", "));
    let mut trial = Trial::default();
    let held = choices.pick(&["const", "var"]);
    let _ =
        writeln!(trial.globals, "{held} {prefix}_d = @get_dsd({kind}, .{{ .tensor_access = {access} }});");
    copy(choices, prefix, trial, (array, format!("{prefix}_d")), &visited, (operation, ""))
}

/// One index of an access: a factor for each variable, and an offset.
struct Index {
    factors: Vec<i32>,
    offset: i32,
}

impl Index {
    /// Up to four; most of them follow few variables, so that arrays stay small.
    fn several(choices: &mut Choices, lengths: &[usize]) -> Vec<Index> {
        let rank = 1 + choices.below(4);
        let mut room = 300;
        let mut all = Vec::new();
        for _ in 0..rank {
            let mut factors = vec![0; lengths.len()];
            for (factor, length) in factors.iter_mut().zip(lengths) {
                let tried = choices.between(-2, 3);
                let reach = tried.unsigned_abs() as usize * (length - 1) + 4;
                if choices.once_in(2) && reach < room {
                    *factor = tried;
                    room /= reach;
                }
            }
            let lowest: i32 =
                factors.iter().zip(lengths).map(|(f, length)| (f * (*length as i32 - 1)).min(0)).sum();
            all.push(Index { factors, offset: choices.below(2) as i32 - lowest });
        }
        all
    }

    fn at(&self, variables: &[usize]) -> usize {
        let moved: i32 = self.factors.iter().zip(variables).map(|(f, v)| f * *v as i32).sum();
        usize::try_from(self.offset + moved).expect("an index in the array")
    }
}

/// The smallest array for an access, and the elements visited, as four nested loops find them.
fn visit(lengths: &[usize], indices: &[Index]) -> (Vec<usize>, Vec<usize>) {
    let length = |n: usize| lengths.get(n).copied().unwrap_or(1);
    let mut tuples = Vec::new();
    for a in 0..length(0) {
        for b in 0..length(1) {
            for c in 0..length(2) {
                for d in 0..length(3) {
                    let variables = &[a, b, c, d][..lengths.len()];
                    tuples.push(indices.iter().map(|index| index.at(variables)).collect::<Vec<_>>());
                }
            }
        }
    }
    let sizes: Vec<usize> =
        (0..indices.len()).map(|k| tuples.iter().map(|t| t[k]).max().expect("an element") + 1).collect();
    let place = |tuple: &Vec<usize>| tuple.iter().zip(&sizes).fold(0, |place, (k, size)| place * size + k);
    let visited = tuples.iter().map(place).collect();
    (sizes, visited)
}

/// A DSD that becomes what it is by `@set_dsd_*` and `@increment_dsd_offset`, or has it from its
/// fields.
fn edited(choices: &mut Choices, prefix: &str) -> Trial {
    let (elem, operation) = width(choices);
    let count = 1 + choices.below(12) as usize;
    let mut cursor = AddressCursor::any(choices, count);
    let name = format!("{prefix}_a");
    let mut size = cursor.end();
    let ty = choices.pick(elem.types());
    let mut trial = Trial::default();
    let value = match choices.below(6) {
        0 => cursor.fields(&name),
        1 => {
            let lowest = cursor.places().into_iter().min().expect("an element");
            let by = choices.between(-lowest, 3);
            let before = AddressCursor { offset: cursor.offset + by, ..cursor.clone() };
            size = size.max(before.end());
            format!("@increment_dsd_offset({}, {}, {ty})", before.dsd(&name), -by)
        }
        2 if !cursor.mem4d => {
            let before = AddressCursor { lengths: vec![1 + choices.below(4) as usize], ..cursor.clone() };
            match before.places().iter().all(|place| *place >= 0) {
                true => {
                    size = size.max(before.end());
                    format!("@set_dsd_length({}, {count})", before.dsd(&name))
                }
                false => cursor.dsd(&name),
            }
        }
        3 if !cursor.mem4d => {
            let before = AddressCursor { factors: vec![choices.below(3) as i32], ..cursor.clone() };
            size = size.max(before.end());
            format!("@set_dsd_stride({}, {})", before.dsd(&name), cursor.factors[0])
        }
        4 if cursor.factors.iter().all(|factor| *factor >= 0) => {
            let other = format!("{prefix}_o");
            let _ = writeln!(trial.globals, "var {other} = @zeros([{size}]{ty});");
            let before = cursor.dsd(&other);
            // The offset goes with the base.
            cursor.offset = 0;
            let base = choices.pick(&["", "&"]);
            format!("@set_dsd_base_addr({before}, {base}{name})")
        }
        _ => cursor.dsd(&name),
    };
    size += choices.below(3) as usize;
    let array = Array { name, ty, elem, limit: None, sizes: Vec::new(), data: vec![0; size] };
    let held = choices.below(3);
    match held {
        0 => trial.globals.push_str(&format!("const {prefix}_d = {value};\n")),
        1 => trial.globals.push_str(&format!("var {prefix}_d = {value};\n")),
        _ => trial.body.push_str(&format!("  var {prefix}_d = {value};\n")),
    }
    copy(choices, prefix, trial, (array, format!("{prefix}_d")), &cursor.indices(), (operation, ""))
}

/// A DSD with `wavelet_index_offset`, and an operation with an index.
fn indexed(choices: &mut Choices, prefix: &str) -> Trial {
    let count = 1 + choices.below(12) as usize;
    let cursor = AddressCursor::any(choices, count);
    let name = format!("{prefix}_a");
    let index = choices.below(20) as usize;
    let size = cursor.end() + index + choices.below(3) as usize;
    let array = Array {
        name: name.clone(),
        ty: "u16",
        elem: Elem::Int16,
        limit: None,
        sizes: Vec::new(),
        data: vec![0; size],
    };
    let mut trial = Trial::default();
    let value = cursor.dsd(&name).replace(" })", ", .wavelet_index_offset = true })");
    let _ = writeln!(trial.globals, "const {prefix}_d = {value};\nvar {prefix}_i: u16 = {index};");
    let rest = match choices.once_in(2) {
        true => format!(", 0, .{{ .index = {prefix}_i }}"),
        false => format!(", 0, .{{ .index = {index} }}"),
    };
    let visited: Vec<usize> = cursor.indices().iter().map(|place| place + index).collect();
    copy(choices, prefix, trial, (array, format!("{prefix}_d")), &visited, ("@or16", &rest))
}
