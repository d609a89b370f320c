use super::number;
use super::outcome::Outcome;
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::run::ASSERTION_FAILED;
use crate::{Diagnostic, PeCoord, Runner, Scalar, SourceMap, Symbol};

/// More elements than this are not shown one by one.
const MOST_ELEMENTS: usize = 32;
/// How many of the first elements are shown then.
const FIRST: usize = 16;

/// Adds to each failed `@assert` what the globals that it names hold on the PE where it failed.
pub fn add(outcome: &mut Outcome, runner: &mut Runner) {
    let failed = outcome.diagnostics.iter_mut().filter(|d| d.rule == ASSERTION_FAILED.name);
    for diagnostic in failed {
        let notes = holds(diagnostic, &outcome.sources, runner);
        diagnostic.notes.extend(notes);
    }
}

fn holds(diagnostic: &Diagnostic, sources: &SourceMap, runner: &mut Runner) -> Vec<String> {
    let (Some(label), Some(moment)) = (&diagnostic.primary, diagnostic.moment) else { return Vec::new() };
    let at = PeCoord { x: moment.x, y: moment.y };
    let text = &sources.file(label.span.file).text;
    let asserted = text.get(label.span.lo as usize..label.span.hi as usize).unwrap_or_default();
    let Some(symbols) = runner.program().symbols(at) else { return Vec::new() };
    let named = |symbol: &&Symbol| {
        let bare = symbol.name.rsplit('.').next().unwrap_or_default();
        symbol.span.file == label.span.file && symbol.mutable && names(asserted).any(|name| name == bare)
    };
    let full: Vec<String> = symbols.iter().filter(named).map(|symbol| symbol.name.clone()).collect();
    full.iter().filter_map(|name| note(runner, at, name)).collect()
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

fn note(runner: &mut Runner, at: PeCoord, name: &str) -> Option<String> {
    let (symbol, words) = runner.read_symbol(at, name).ok()?;
    let scalar = symbol.element?;
    let values = symbol.values(&words, scalar);
    let bare = name.rsplit('.').next().unwrap_or(name);
    Some(format!("`{bare}` holds {}", nested(&values, &symbol.dims, scalar)))
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
