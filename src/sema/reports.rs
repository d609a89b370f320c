//! What has been said about a program so far.

use crate::diagnostics::rules::{comptime, syntax};
use crate::diagnostics::{Diag, Levels, Result, Rule, Sink};
use crate::source::Span;

/// The way of diagnostics to the sink.
pub struct Reports<'s> {
    sink: &'s mut Sink,
    levels: Levels,
    faults: u64,
    told: u64,
    /// The place of the first error that was suppressed, if none has been reported.
    untold: Option<Span>,
    is_muted: bool,
    /// A file has a syntax error: what it hides may be all that is wrong with the rest.
    has_syntax_error: bool,
    /// What is kept aside instead of being shown, since `begin_capture`.
    captured: Option<Vec<Diag>>,
    /// What was shown since `begin_record`; `None` if it cannot be repeated.
    record: Option<Vec<Diag>>,
}

impl<'s> Reports<'s> {
    /// Nothing has been said.
    pub fn new(sink: &'s mut Sink, levels: Levels) -> Reports<'s> {
        Reports {
            sink,
            levels,
            faults: 0,
            told: 0,
            untold: None,
            is_muted: false,
            has_syntax_error: false,
            captured: None,
            record: None,
        }
    }

    /// Errors in the sink.
    pub fn errors(&self) -> usize {
        self.sink.errors()
    }

    /// Errors so far, counting those that only follow from others and are not shown.
    pub fn faults(&self) -> u64 {
        self.faults
    }

    /// Diagnostics so far, of any level, counting those that are not shown.
    pub fn told(&self) -> u64 {
        self.told
    }

    /// Counts a diagnostic; whether it is to be shown, as it does not only repeat one.
    pub fn count(&mut self, diag: &Diag) -> bool {
        if self.is_muted {
            return false;
        }
        self.told += 1;
        self.faults += u64::from(diag.0.severity.is_error());
        if diag.rule().is_empty() && self.sink.errors() == 0 && self.captured.is_none() {
            self.untold = self.untold.or(diag.0.primary.as_ref().map(|label| label.span));
        }
        let is_checked = !self.has_syntax_error || is_about_names_and_types(diag) || is_about_syntax(diag);
        !diag.rule().is_empty() && is_checked
    }

    /// Where something was left out as a consequence of a mistake, if none was told: a program without its statements must
    /// not run.
    pub fn untold(&self) -> Option<Span> {
        self.untold.filter(|_| self.sink.errors() == 0)
    }

    /// Notes a syntax error: from here on only names and types are checked.
    pub fn note_syntax_error(&mut self) {
        self.has_syntax_error = true;
    }

    /// Captures diagnostics from here on instead of showing them.
    pub fn begin_capture(&mut self) {
        self.captured = Some(Vec::new());
    }

    /// Ends the capture, and returns what was captured.
    pub fn end_capture(&mut self) -> Vec<Diag> {
        self.captured.take().unwrap_or_default()
    }

    /// Whether nothing is reported from here on.
    pub fn set_muted(&mut self, is_muted: bool) {
        self.is_muted = is_muted;
    }

    /// Whether diagnostics are shown now: they are neither suppressed nor captured.
    pub fn shows(&self) -> bool {
        !self.is_muted && self.captured.is_none()
    }

    /// Shows a diagnostic that was counted.
    pub fn show(&mut self, diag: Diag) {
        if self.is_muted {
            return;
        }
        if let Some(captured) = &mut self.captured {
            captured.push(diag);
            return;
        }
        if let Some(record) = &mut self.record {
            record.push(diag.clone());
        }
        self.sink.push(diag);
    }

    /// Records what is shown from here on.
    pub fn begin_record(&mut self) {
        self.record = Some(Vec::new());
    }

    /// Makes the record unusable: something has happened that compiling the same again would not repeat.
    pub fn spoil_record(&mut self) {
        self.record = None;
    }

    /// What was shown since `begin_record`, if to show it again is all that is to be repeated.
    pub fn take_record(&mut self) -> Option<Vec<Diag>> {
        self.record.take()
    }

    /// Applies the level of its rule to a diagnostic after which the program can continue.
    ///
    /// # Errors
    /// The diagnostic itself if its level is `deny`.
    pub fn weigh(&self, diag: Diag) -> Result<Option<Diag>> {
        self.levels.weigh(diag)
    }
}

/// Rules about names and types, which hold whatever else a program says.
const NAMES_AND_TYPES: [&Rule; 36] = [
    &comptime::UNKNOWN_NAME,
    &comptime::UNKNOWN_BUILTIN,
    &comptime::UNKNOWN_FIELD,
    &comptime::UNKNOWN_LABEL,
    &comptime::UNKNOWN_LIBRARY,
    &comptime::UNKNOWN_MEMBER,
    &comptime::DUPLICATE_NAME,
    &comptime::FILE_NOT_FOUND,
    &comptime::TYPE_MISMATCH,
    &comptime::BAD_OPERAND,
    &comptime::BAD_OPERANDS,
    &comptime::BAD_CAST,
    &comptime::BAD_BITCAST,
    &comptime::BAD_SHIFT,
    &comptime::NOT_A_TYPE,
    &comptime::NOT_CALLABLE,
    &comptime::NOT_INDEXABLE,
    &comptime::NOT_ITERABLE,
    &comptime::NOT_ADDRESSABLE,
    &comptime::NOT_A_POINTER,
    &comptime::NOT_A_STRUCT,
    &comptime::NOT_ASSIGNABLE,
    &comptime::NOT_COMPTIME,
    &comptime::COMPTIME_ONLY,
    &comptime::CONST_ASSIGNMENT,
    &comptime::MISSING_FIELD,
    &comptime::NO_COMMON_TYPE,
    &comptime::ARGUMENT_COUNT,
    &comptime::INDEX_COUNT,
    &comptime::INDEX_RANGE,
    &comptime::RETURN_VALUE,
    &comptime::INTEGER_OVERFLOW,
    &comptime::ARRAY_LITERAL_LENGTH,
    &comptime::TASK_CALL,
    &comptime::MISSING_RETURN,
    &comptime::SHADOWS_TYPE,
];

/// Whether a diagnostic is about a name or a type.
pub fn is_about_names_and_types(diag: &Diag) -> bool {
    NAMES_AND_TYPES.iter().any(|rule| rule.name == diag.rule())
}

fn is_about_syntax(diag: &Diag) -> bool {
    syntax::ALL.iter().any(|rule| rule.name == diag.rule())
}
