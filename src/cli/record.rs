//! What a command prints, as records: with `--message-format json`, each is a line of JSON (docs/formats.md).

use super::number;
use crate::{Diagnostic, PeCoord, Scalar};
use serde::Serialize;
use serde_json::Value;

/// One line of JSON on stdout; `kind` names the variant.
#[derive(Serialize, Debug)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Record<'a> {
    /// A line that the program has printed.
    Printed(PrintedRecord<'a>),
    /// A variable that `--get` reads.
    Variable {
        /// Its name.
        name: &'a str,
        /// The type of an element.
        #[serde(rename = "type")]
        ty: &'static str,
        /// Whether it is one value rather than an array.
        single: bool,
        /// Its elements on each PE, row by row.
        pes: Vec<PeValues>,
    },
    /// The length of a run that has ended well, an estimate.
    Cycles {
        /// The number of cycles.
        cycles: u64,
    },
    /// A file that was written.
    File {
        /// Its path.
        path: String,
        /// What is in it: `trace`, `report`, `profile`, `variable`, `picture`, `schedule` or `tests`.
        holds: &'static str,
        /// The PEs with code that have no such variable.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        without: Vec<(u16, u16)>,
    },
    /// A text that is made for people.
    Text {
        /// What it shows: `dump`, `dsd`, `trace` or `profile`.
        of: &'static str,
        /// The text.
        text: &'a str,
    },
    /// A program in which no error was found.
    Checked {
        /// The program.
        file: String,
        /// Columns and rows of PEs.
        size: (u16, u16),
        /// Distinct programs of PEs.
        programs: usize,
        /// How many warnings there are.
        warnings: usize,
    },
    /// A file that `check --fix` has changed.
    Fixed {
        /// The file.
        file: &'a str,
        /// How many changes.
        changes: usize,
    },
    /// Runs with different seeds that have ended alike.
    Seeds {
        /// The first seed.
        first: u64,
        /// The last seed whose run has ended; `None` if not even the first has.
        last: Option<u64>,
        /// Whether all of them have failed.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        failed: bool,
        /// Whether the user has stopped the command before the other seeds.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        interrupted: bool,
    },
    /// The schedules that were tried, all of which have ended alike.
    Explored(Explored),
    /// A schedule whose result differs.
    Schedule {
        /// The number of the run that has found it.
        run: u64,
        /// The schedule, for `cslrun run --schedule`.
        text: &'a str,
    },
    /// One test.
    Test(TestRecord<'a>),
    /// All tests.
    Tests {
        /// How many have passed.
        passed: usize,
        /// How many have failed; a file that does not compile is one.
        failed: usize,
    },
    /// What cslrun has to say about itself: a wrong command line, a file, an internal error.
    Message {
        /// The text.
        text: &'a str,
    },
}

/// A line that the program has printed.
#[derive(Serialize, Debug)]
pub struct PrintedRecord<'a> {
    /// Column and row of the PE.
    pub pe: (u16, u16),
    /// When; `None` with `--cycles off`.
    pub cycle: Option<u64>,
    /// The line.
    pub text: &'a str,
}

/// The elements of a variable on one PE.
#[derive(Serialize, Debug)]
pub struct PeValues {
    /// Column and row of the PE.
    pub pe: (u16, u16),
    /// The elements: numbers, truth values, or `"NaN"`, `"inf"` and `"-inf"`.
    pub values: Vec<Value>,
}

/// How a search of schedules has ended.
#[derive(Serialize, Debug, Default)]
pub struct Explored {
    /// Whether all schedules that matter were tried.
    pub complete: bool,
    /// Different schedules.
    pub schedules: u64,
    /// Runs, of at most `budget`.
    pub runs: u64,
    /// The limit of `--budget`.
    pub budget: u64,
    /// If not complete: all schedules with so many unusual decisions were tried.
    pub depth: Option<usize>,
    /// Whether the user has stopped the search.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
}

/// How a test has ended.
#[derive(Serialize, Debug)]
pub struct TestRecord<'a> {
    /// The file of the test.
    pub file: &'a str,
    /// The function; `None` for a file that does not compile.
    pub name: Option<&'a str>,
    /// Whether it has passed.
    pub passed: bool,
    /// What it has printed.
    pub printed: Vec<PrintedRecord<'a>>,
    /// What is wrong, in the form of a diagnostic on a line of its own.
    pub diagnostics: Vec<Value>,
}

/// An element of a variable as JSON. Floats are written in the shortest form that reads back as the same value.
pub fn value(bits: u64, scalar: Scalar) -> Value {
    let text = number::show(bits, scalar);
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

/// Column and row.
pub fn place(pe: PeCoord) -> (u16, u16) {
    (pe.x, pe.y)
}

/// Diagnostics as they stand on lines of their own.
pub fn diagnostics(sources: &crate::SourceMap, all: &[Diagnostic]) -> Vec<Value> {
    let lines = crate::render(sources, all, crate::MessageFormat::Json, false);
    lines.lines().map(|line| serde_json::from_str(line).expect("each diagnostic is one object")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn elements_are_numbers_where_json_has_them() {
        let f32 = |f: f32| value(u64::from(f.to_bits()), Scalar::F32);
        assert_eq!([f32(0.1), f32(-2.0), f32(1e30)], [json!(0.1), json!(-2.0), json!(1e30)]);
        assert_eq!([f32(f32::INFINITY), f32(f32::NAN)], [json!("inf"), json!("NaN")]);
        assert_eq!(value(u64::MAX, Scalar::U64).to_string(), "18446744073709551615");
        assert_eq!([value(0xffff, Scalar::I16), value(1, Scalar::Bool)], [json!(-1), json!(true)]);
    }
}
