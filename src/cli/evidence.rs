use super::number;
use super::outcome::Outcome;
use crate::debug::variable_tree;
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::run::ASSERTION_FAILED;
use crate::{Diagnostic, FileId, Inside, PeCoord, PeView, Runner, Scalar, SourceMap, VariableValue};

/// More elements than this are not shown one by one.
const MOST_ELEMENTS: usize = 32;
/// How many of the first elements are shown then.
const FIRST: usize = 16;

/// Adds to each failed `@assert` of a run that has ended what its variables hold.
pub fn add(outcome: &mut Outcome, runner: &mut Runner) {
    add_values(&mut outcome.diagnostics, &outcome.sources, runner);
}

/// Adds to each failed `@assert` what the variables and parameters that it names hold on the PE where it failed; the run
/// has ended there.
pub fn add_values(diagnostics: &mut [Diagnostic], sources: &SourceMap, runner: &mut Runner) {
    for diagnostic in diagnostics.iter_mut().filter(|d| d.rule == ASSERTION_FAILED.name) {
        let notes = values(diagnostic, sources, runner).unwrap_or_default();
        diagnostic.notes.extend(notes);
    }
}

fn values(diagnostic: &Diagnostic, sources: &SourceMap, runner: &mut Runner) -> Option<Vec<String>> {
    let (label, moment) = (diagnostic.primary.as_ref()?, diagnostic.moment?);
    let file = sources.file(label.span.file);
    let asserted = file.text.get(label.span.lo as usize..label.span.hi as usize)?;
    let mut named: Vec<&str> = Vec::new();
    for name in names(asserted) {
        if !named.contains(&name) {
            named.push(name);
        }
    }
    let view = runner.look(PeCoord { x: moment.x, y: moment.y })?;
    Some(named.into_iter().filter_map(|name| value(&view, label.span.file, name)).collect())
}

/// What a name in a file stands for: a local of the innermost call, a variable, or a parameter of the tile.
fn value(view: &PeView<'_>, file: FileId, name: &str) -> Option<String> {
    let is_global = |held: &VariableValue| {
        let symbol = &held.symbol;
        symbol.mutable && symbol.span.file == file && symbol.name.rsplit('.').next() == Some(name)
    };
    let local = view.locals(0).into_iter().find(|local| local.symbol.name == name);
    match local.or_else(|| view.globals().into_iter().find(is_global)) {
        Some(held) => shown(&held, name, view),
        None => view.param(name).map(|value| format!("`{name}` is {value}")),
    }
}

/// What a variable holds, or what a pointer to one value points to.
fn shown(held: &VariableValue, name: &str, view: &PeView<'_>) -> Option<String> {
    let symbol = &held.symbol;
    if held.words.is_empty() {
        return None;
    }
    match (&symbol.inside, symbol.element) {
        (Inside::Pointer { many: false, .. }, _) if symbol.dims.is_empty() => {
            let target = variable_tree(held, view).parts.into_iter().next()?;
            Some(format!("`{name}.*` holds {}", target.value))
        }
        (Inside::Pointer { .. }, _) => None,
        (Inside::Nothing, Some(scalar)) => Some(format!(
            "`{name}` holds {}",
            nested(&symbol.values(&held.words, scalar), &symbol.dims, scalar)
        )),
        _ => Some(format!("`{name}` holds {}", variable_tree(held, view).value)),
    }
}

/// The names in a text that may be those of variables: not of fields, builtins or functions.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = text.split(move |c| !is_part(c)).filter(|word| !word.is_empty());
    words.filter(move |word| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        let before = text[..start].chars().next_back();
        let after = text[start + word.len()..].chars().next();
        !matches!(before, Some('@' | '.')) && after != Some('(')
    })
}

/// The values as they are written in CSL, with brackets around each row.
fn nested(values: &[u64], dims: &[u32], scalar: Scalar) -> String {
    let shown = |part: &[u64]| part.iter().map(|v| number::show(*v, scalar)).collect::<Vec<_>>().join(", ");
    match dims {
        [] => shown(values),
        _ if values.len() > MOST_ELEMENTS => {
            format!("[{}, ..] ({} elements)", shown(&values[..FIRST]), grouped(values.len() as u64))
        }
        [_] => format!("[{}]", shown(values)),
        [_, inner @ ..] => {
            let row = inner.iter().product::<u32>().max(1) as usize;
            let rows: Vec<String> = values.chunks(row).map(|row| nested(row, inner, scalar)).collect();
            format!("[{}]", rows.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_fields_builtins_and_functions_are_left_out() {
        let text = "@assert(x[i] == f(y_2) and s.z != @as(i16, 3))";
        assert_eq!(names(text).collect::<Vec<_>>(), ["x", "i", "y_2", "and", "s", "i16", "3"]);
    }

    #[test]
    fn rows_have_brackets_of_their_own_and_long_arrays_are_cut() {
        let values: Vec<u64> = (0..6).collect();
        assert_eq!(nested(&values, &[2, 3], Scalar::I16), "[[0, 1, 2], [3, 4, 5]]");
        assert_eq!(nested(&values[..1], &[], Scalar::I16), "0");
        let many: Vec<u64> = vec![7; 1000];
        let text = nested(&many, &[10, 100], Scalar::I16);
        assert!(text.starts_with("[7, 7, ") && text.ends_with("7, ..] (1,000 elements)"), "{text}");
    }
}
