//! Breakpoints: where a run is to stop, and when.

use super::comptime::Comptime;
use super::expression::{EvalContext, Expression, is_built_in};
use super::timeline::{Moment, Position};
use crate::{
    Condition, DeclarationKind, Extent, FileId, OpAddress, PeCoord, PeView, Program, StopCandidate, index,
};
use std::sync::{Arc, Mutex, PoisonError};

/// What a breakpoint waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Code that comes to a line.
    Line {
        /// The file.
        file: FileId,
        /// The line, from 1.
        line: usize,
    },
    /// A function or task that begins.
    Function(String),
    /// A wavelet that comes into an input queue.
    Color(u8),
    /// Words of a PE that are written.
    Words {
        /// The PE.
        pe: PeCoord,
        /// The first word.
        addr: usize,
        /// How many.
        words: usize,
        /// What they are called.
        name: String,
    },
}

/// How often a breakpoint must be met before it counts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum HitCondition {
    /// The n-th time.
    Nth(u64),
    /// From the n-th time on.
    From(u64),
    /// Every n-th time.
    Every(u64),
}

impl HitCondition {
    /// Reads `5`, `== 5`, `>= 5`, `> 5` or `% 5`.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn parse(text: &str) -> Result<HitCondition, String> {
        let text = text.trim();
        let found = ["==", ">=", ">", "%"].iter().find_map(|word| Some((*word, text.strip_prefix(word)?)));
        let (operator, number) = found.unwrap_or(("==", text));
        let make = |n: u64| match operator {
            "%" => HitCondition::Every(n),
            ">=" => HitCondition::From(n),
            ">" => HitCondition::From(n.saturating_add(1)),
            _ => HitCondition::Nth(n),
        };
        match number.trim().parse() {
            Ok(n) if n > 0 => Ok(make(n)),
            _ => Err(format!("`{text}` is not a number of hits; write 5, >= 5, > 5 or % 5")),
        }
    }

    /// Whether the n-th hit counts.
    pub fn holds(self, n: u64) -> bool {
        match self {
            HitCondition::Nth(wanted) => n == wanted,
            HitCondition::From(wanted) => n >= wanted,
            HitCondition::Every(wanted) => n.is_multiple_of(wanted),
        }
    }
}

/// A breakpoint.
#[derive(Clone, Debug)]
pub struct Breakpoint {
    /// Its number.
    pub id: u32,
    /// What it waits for.
    pub kind: Kind,
    /// Only on this PE.
    pub pe: Option<PeCoord>,
    /// Only if this is true.
    pub condition: Option<Expression>,
    /// Only so often.
    pub hits: Option<HitCondition>,
    /// It does not stop, but writes this, in which `{..}` are expressions.
    pub log: Option<String>,
    /// The operations that it marks.
    pub places: Vec<OpAddress>,
    /// Where it was met in the run, in order.
    pub met: Vec<Position>,
    /// Up to here all places are known where it is met.
    pub counted: Position,
}

/// A breakpoint that is to be set.
#[derive(Clone, Debug, Default)]
pub struct Wish<'t> {
    /// Only on this PE.
    pub pe: Option<PeCoord>,
    /// An expression.
    pub condition: Option<&'t str>,
    /// How often, such as `>= 5`.
    pub hits: Option<&'t str>,
    /// What to write instead of a stop.
    pub log: Option<&'t str>,
}

impl Breakpoint {
    /// A breakpoint that was never met.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub fn new(
        (program, comptime): (&Program, &Comptime),
        id: u32,
        kind: Kind,
        wish: &Wish<'_>,
    ) -> Result<Breakpoint, String> {
        let places = match &kind {
            Kind::Line { file, line } => {
                let around = function_around(program, *file, *line);
                program.code_on_line(*file, *line, around)
            }
            Kind::Function(name) => function_code(program, name),
            Kind::Color(_) | Kind::Words { .. } => Vec::new(),
        };
        let known = |text: String| {
            let condition = Expression::parse(&text)?;
            let is_known = |name: &str| is_built_in(name) || program.has_variable(name) || comptime.has(name);
            if let Some(name) = condition.unknown_name(&is_known) {
                return Err(format!("the program has no variable `{name}`"));
            }
            // A wavelet comes whatever code runs, so that it means no locals.
            let is_global =
                |name: &str| is_built_in(name) || program.has_global(name, wish.pe) || comptime.has(name);
            match condition.unknown_name(&is_global) {
                Some(name) if matches!(kind, Kind::Color(_)) => Err(no_global(name, wish.pe)),
                Some(_) | None => Ok(condition),
            }
        };
        let present =
            |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_string);
        let condition = present(wish.condition).map(known).transpose()?;
        Ok(Breakpoint {
            id,
            kind,
            pe: wish.pe,
            condition,
            hits: present(wish.hits).map(|text| HitCondition::parse(&text)).transpose()?,
            log: present(wish.log),
            places,
            met: Vec::new(),
            counted: Position::START,
        })
    }

    /// Whether it waits for what a PE has come to.
    fn is_at(&self, view: &PeView<'_>, candidate: StopCandidate) -> bool {
        let waits = match candidate {
            StopCandidate::Code(place) => self.places.contains(&view.code_at(place)),
            StopCandidate::Arrival(color) => self.kind == Kind::Color(color.0),
        };
        waits && self.pe.is_none_or(|only| only == view.at())
    }

    /// The call, counted from the innermost, whose locals its expressions may name. A wavelet comes outside of all calls.
    pub fn call(&self) -> usize {
        match self.kind {
            Kind::Line { .. } | Kind::Function(_) => 0,
            Kind::Color(_) | Kind::Words { .. } => usize::MAX,
        }
    }

    /// It is met at a position; whether that counts. The run may have been there before.
    pub fn meet(&mut self, at: Position) -> bool {
        let before = self.met.partition_point(|met| *met < at);
        if self.met.get(before) != Some(&at) {
            self.met.insert(before, at);
        }
        self.hits.is_none_or(|hits| hits.holds(before as u64 + 1))
    }

    /// How often it was met up to a position.
    pub fn met_until(&self, at: Position) -> usize {
        self.met.partition_point(|met| *met <= at)
    }
}

/// Why a name cannot be in the condition of a color.
fn no_global(name: &str, pe: Option<PeCoord>) -> String {
    let who = pe.map_or("no PE".to_string(), |pe| pe.to_string());
    let has = if pe.is_some() { "has no" } else { "has a" };
    format!(
        "{who} {has} global `{name}`; a wavelet can come at any place of the code, so its condition cannot name locals"
    )
}

/// The operations with which a function or task begins: an inline function begins wherever it is expanded.
pub fn function_code(program: &Program, name: &str) -> Vec<OpAddress> {
    let own = program.code_of_function(name);
    if !own.is_empty() {
        return own;
    }
    let mut expansions = Vec::new();
    for (file, n) in program.sources().files().iter().zip(0..) {
        let declared = index(&file.text).declarations.into_iter();
        let bodies = declared.filter(|d| d.kind == DeclarationKind::Function && d.name == name);
        expansions.extend(bodies.flat_map(|d| program.code_of_expansions(FileId(n), d.whole)));
    }
    expansions
}

/// The text of the function or task that a line belongs to.
fn function_around(program: &Program, file: FileId, line: usize) -> Option<Extent> {
    let source = program.sources().file(file);
    let start = *source.line_starts().get(line.checked_sub(1)?)?;
    let is_code = |kind| matches!(kind, DeclarationKind::Function | DeclarationKind::Task);
    let functions = index(&source.text).declarations.into_iter().filter(|d| is_code(d.kind));
    functions.map(|d| d.whole).find(|(from, to)| (*from..*to).contains(&start))
}

/// Lines that breakpoints have written, with the moments in their ticks.
#[derive(Clone, Debug, Default)]
pub struct Logs(Arc<Mutex<Vec<(Moment, String)>>>);

impl Logs {
    fn add(&self, line: (Moment, String)) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    /// Takes them.
    pub fn take(&self) -> Vec<(Moment, String)> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Names the breakpoints that are to stop the run at a marked operation or a wavelet; those that write do so.
pub fn condition(
    breakpoints: &[Breakpoint],
    comptime: &Arc<Comptime>,
    logs: &Logs,
    width: u16,
) -> Arc<Condition> {
    let (all, comptime, logs) = (breakpoints.to_vec(), Arc::clone(comptime), logs.clone());
    Arc::new(move |view: &PeView<'_>, candidate: StopCandidate| {
        let at = view.at();
        let mut stopping = Vec::new();
        for breakpoint in all.iter().filter(|breakpoint| breakpoint.is_at(view, candidate)) {
            let context = EvalContext { view, call: breakpoint.call(), comptime: &comptime };
            // A condition without a value stops, so that somebody sees it.
            let condition = breakpoint.condition.as_ref();
            if !condition.is_none_or(|c| c.value(&context).and_then(|v| v.truth()).unwrap_or(true)) {
                continue;
            }
            match breakpoint.log.as_ref().filter(|_| matches!(candidate, StopCandidate::Code(_))) {
                Some(template) => {
                    let number = usize::from(at.y) * usize::from(width) + usize::from(at.x);
                    let moment = Moment::Code(number, view.progress().0);
                    logs.add((moment, format!("{at}: {}", filled(template, &context, view))));
                }
                None => stopping.push(breakpoint.id),
            }
        }
        stopping
    })
}

/// A text in which `{..}` are replaced by the values of expressions.
fn filled(template: &str, context: &EvalContext<'_>, view: &PeView<'_>) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((inside, after)) = behind.split_once('}') else { break };
        out += before;
        out += &match Expression::parse(inside).and_then(|expression| expression.value(context)) {
            Ok(value) => value.tree("", view).value,
            Err(why) => format!("<{why}>"),
        };
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hit_conditions_are_numbers_with_an_operator() {
        let holds = |text: &str| {
            let hits = HitCondition::parse(text).expect("a hit condition");
            (1..=6).filter(|n| hits.holds(*n)).collect::<Vec<u64>>()
        };
        assert_eq!(holds("3"), [3]);
        assert_eq!(holds(" == 2"), [2]);
        assert_eq!(holds(">= 5"), [5, 6]);
        assert_eq!(holds("> 5"), [6]);
        assert_eq!(holds("%2"), [2, 4, 6]);
        for text in ["", "x", "0", "< 3", "-1"] {
            assert!(HitCondition::parse(text).is_err(), "{text}");
        }
    }
}
