//! Diagnostics. Code raises a diagnostic without a source location; a caller that knows the span adds it.
//!
//! In: rules and facts. Out: `Diagnostic`s, and their text in several forms. Never: prints, or knows what a
//! program means.

mod fold;
mod level;
pub mod render;
mod rule;
pub mod rules;
mod script;
pub mod suggest;
mod undated;

pub use fold::fold_moments;
pub use level::{Group, Level, Levels, Lint, lints};
pub use rule::{Rule, Severity};

use crate::source::{SourceMap, Span};
use render::grouped;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt::Display;

/// A diagnostic under construction, possibly without a source location. Made by [`Rule::because`];
/// [`Diag::at`] adds the location.
#[derive(Clone, Debug)]
pub struct Diag(pub Box<Diagnostic>);

/// The result of a computation that can raise a diagnostic.
pub type Result<T, E = Diag> = std::result::Result<T, E>;

/// A text that points at a span of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Label {
    /// The piece.
    pub span: Span,
    /// A fact about it.
    pub text: String,
}

/// Where on the wafer, and when, a run-time diagnostic arose.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Moment {
    /// Column of the PE in the rectangle.
    pub x: u16,
    /// Row of the PE in the rectangle.
    pub y: u16,
    /// Cycle since the start of the run.
    pub cycle: u64,
}

/// A change of the text that does what the help says.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fix {
    /// What is replaced.
    pub what: Replaced,
    /// What it becomes.
    pub with: String,
}

/// The piece of text that a [`Fix`] replaces.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Replaced {
    /// A word in the place that is to blame.
    Word(String),
    /// This piece; an empty one if something is inserted.
    Span(Span),
    /// All of the place that is to blame, which also stands for `..` in what it becomes.
    Place,
}

/// One diagnostic as people read it: title, places, notes and one thing to do.
///
/// ```
/// use cslrun::{Arch, CompileOptions, MemoryLoader, Severity, compile};
///
/// let mut files = MemoryLoader::default();
/// files.add("pe.csl", "comptime {\n  @assert(1 > 2);\n}\n");
/// let compilation = compile("pe.csl".as_ref(), &files, &CompileOptions::new(Arch::Wse2));
///
/// let [diagnostic] = compilation.diagnostics.as_slice() else { panic!("one error") };
/// assert_eq!((diagnostic.rule.as_ref(), diagnostic.severity), ("comptime-assert", Severity::Error));
/// let span = diagnostic.primary.as_ref().expect("a place in the source").span;
/// assert_eq!(compilation.sources.line_col(span.file, span.lo).line, 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Name of the rule, kebab-case.
    pub rule: Cow<'static, str>,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong: lower case, no full stop.
    pub title: String,
    /// The place that is to blame; `None` when there is no text to show.
    pub primary: Option<Label>,
    /// Other places that matter.
    pub others: Vec<Label>,
    /// Facts without a place, in order.
    pub notes: Vec<String>,
    /// One thing to do.
    pub help: Option<String>,
    /// What a program can do about it: the help as a change of the text.
    pub fix: Option<Fix>,
    /// Whether the help is specific to this occurrence, not the default help of the rule.
    pub has_own_help: bool,
    /// The PE and cycle, for run-time diagnostics.
    pub moment: Option<Moment>,
    /// The calls in which it happened at run time, the innermost first, until the place outside of the library is found.
    pub calls: Vec<Span>,
    /// How often it happened again at the same source location, on any PE.
    pub repeats: u64,
    /// On how many further PEs the same happened.
    pub also_on: u64,
    /// Whether this one is an error whatever the level of its rule, because the program cannot continue.
    pub is_final: bool,
    /// The same as structured data for programs, where there is more than the texts say.
    pub report: Option<Box<serde_json::Value>>,
}

impl Diag {
    /// Places the diagnostic, unless it already has a place.
    pub fn at(mut self, span: Span) -> Diag {
        self.place(span);
        self
    }

    /// Like [`Diag::at`], for a caller that keeps the diagnostic.
    pub fn place(&mut self, span: Span) {
        self.0.primary.get_or_insert_with(|| Label { span, text: String::new() });
    }

    /// Sets the text of the primary label.
    pub fn label(mut self, text: impl Into<String>) -> Diag {
        if let Some(primary) = &mut self.0.primary {
            primary.text = text.into();
        }
        self
    }

    /// Adds another place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diag {
        self.0.others.push(Label { span, text: text.into() });
        self
    }

    /// Adds a fact without a place.
    pub fn note(mut self, text: impl Into<String>) -> Diag {
        self.0.notes.push(text.into());
        self
    }

    /// Sets the help. The first one wins, and any of them replaces the default help of the rule.
    pub fn help(mut self, text: impl Into<String>) -> Diag {
        if !self.0.has_own_help {
            (self.0.help, self.0.has_own_help) = (Some(text.into()), true);
        }
        self
    }

    /// Sets the help for a word that is probably another one, and the change of the text that makes it that one. `shown` is
    /// the other word as the help shows it.
    pub fn did_you_mean(mut self, word: &str, with: &str, shown: impl Display) -> Diag {
        if !self.0.has_own_help {
            self.0.fix = Some(Fix { what: Replaced::Word(word.to_string()), with: with.to_string() });
        }
        self.help(format!("did you mean `{shown}`?"))
    }

    /// Sets the change of the text that does what the help says: this piece becomes another one.
    pub fn replace(mut self, span: Span, with: impl Into<String>) -> Diag {
        self.0.fix = Some(Fix { what: Replaced::Span(span), with: with.into() });
        self
    }

    /// Names the PE and the cycle.
    pub fn on(mut self, moment: Moment) -> Diag {
        self.0.moment.get_or_insert(moment);
        self
    }

    /// Makes it an error whatever the level of its rule, because the program cannot continue.
    pub fn for_good(mut self) -> Diag {
        self.0.is_final = true;
        self.0.severity = self.0.severity.max(Severity::Error);
        self
    }

    /// The same title and facts, as another rule.
    pub fn under(mut self, rule: &'static Rule) -> Diag {
        (self.0.rule, self.0.severity) = (rule.name.into(), rule.severity);
        self
    }

    /// Adds structured data for programs.
    pub fn report(mut self, report: serde_json::Value) -> Diag {
        self.0.report = Some(Box::new(report));
        self
    }

    /// The name of the broken rule.
    pub fn rule(&self) -> &str {
        &self.0.rule
    }
}

impl Diagnostic {
    /// Points a run-time diagnostic about a line of the library at the call of the program that led there.
    pub fn leave_library(&mut self, sources: &SourceMap) {
        let calls = std::mem::take(&mut self.calls);
        if let (Some(primary), Some(outside)) = (&mut self.primary, sources.outside_library(&calls))
            && sources.file(primary.span.file).is_library()
            && calls.first() == Some(&primary.span)
        {
            primary.span = outside;
        }
    }

    /// The change of the text that does what the help says: what is replaced, and by what. `None` if there is none, or if
    /// the word does not stand exactly once in the place that is to blame.
    pub fn edit(&self, sources: &SourceMap) -> Option<(Span, String)> {
        let fix = self.fix.as_ref()?;
        let span = match &fix.what {
            Replaced::Word(word) => the_word(sources, self.primary.as_ref()?.span, word)?,
            Replaced::Span(span) => *span,
            Replaced::Place => self.primary.as_ref()?.span,
        };
        let with = match &fix.what {
            Replaced::Place => fix.with.replacen("..", sources.file(span.file).text.get(span.range())?, 1),
            Replaced::Word(_) | Replaced::Span(_) => fix.with.clone(),
        };
        (!sources.file(span.file).is_library()).then_some((span, with))
    }
}

/// The only place of a word in a piece of text.
fn the_word(sources: &SourceMap, piece: Span, word: &str) -> Option<Span> {
    let text = sources.file(piece.file).text.get(piece.range())?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut places = text
        .match_indices(word)
        .map(|(at, _)| at)
        .filter(|at| !text[..*at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word));
    let lo = piece.lo as usize + places.next()?;
    places.next().is_none().then(|| Span::new(piece.file, lo, lo + word.len()))
}

impl From<Diag> for Diagnostic {
    fn from(c: Diag) -> Diagnostic {
        *c.0
    }
}

/// A number with a noun: `2 arguments`.
pub fn counted(n: u64, what: &str) -> String {
    match (n, what) {
        (1, _) => format!("1 {what}"),
        (_, "index") => format!("{} indices", grouped(n)),
        (_, _) => format!("{} {what}s", grouped(n)),
    }
}

/// Places the error of a result.
pub trait At<T> {
    /// Places the diagnostic, unless it already has a place.
    fn at(self, span: Span) -> Result<T>;
}

impl<T> At<T> for Result<T> {
    fn at(self, span: Span) -> Result<T> {
        self.map_err(|c| c.at(span))
    }
}

/// Collects diagnostics, dropping exact repeats.
#[derive(Clone, Debug, Default)]
pub struct Sink {
    all: Vec<Diagnostic>,
    /// How many of these are errors.
    errors: usize,
    seen: FxHashSet<(Cow<'static, str>, Option<Span>, String)>,
    levels: Levels,
}

impl Sink {
    /// An empty sink in which rules have these levels.
    pub fn new(levels: Levels) -> Sink {
        Sink { levels, ..Sink::default() }
    }

    /// Adds a diagnostic. An exact repeat (same rule, location and title) is dropped, and so is a warning
    /// whose level is `allow`. An error stays an error: only [`Sink::lint`] knows that the program can
    /// continue.
    pub fn push(&mut self, diagnostic: impl Into<Diagnostic>) {
        let d: Diagnostic = diagnostic.into();
        let d = if d.severity == Severity::Warning { self.levels.judge(d) } else { Some(d) };
        if let Some(d) = d
            && self.seen.insert((d.rule.clone(), d.primary.as_ref().map(|label| label.span), d.title.clone()))
        {
            self.errors += usize::from(d.severity.is_error());
            self.all.push(d);
        }
    }

    /// Adds a diagnostic after which the program can continue, and applies its level.
    pub fn lint(&mut self, diagnostic: impl Into<Diagnostic>) {
        if let Some(d) = self.levels.judge(diagnostic.into()) {
            self.push(d);
        }
    }

    /// Everything so far, in order.
    pub fn all(&self) -> &[Diagnostic] {
        &self.all
    }

    /// How many are errors (of any kind worse than a warning).
    pub fn errors(&self) -> usize {
        self.errors
    }
}
