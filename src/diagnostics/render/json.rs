use super::sheet::{Mark, Sheets};
use crate::diagnostics::{Diagnostic, Moment};
use serde::Serialize;
use serde_json::Value;

/// One diagnostic as a JSON object on one line.
pub fn one(sheets: &Sheets, d: &Diagnostic) -> String {
    super::json_line(&JsonDiagnostic {
        kind: "diagnostic",
        rule: &d.rule,
        severity: d.severity.name(),
        title: &d.title,
        labels: sheets.marks(d).iter().map(|m| LabelRecord::new(sheets, m)).collect(),
        notes: &d.notes,
        help: d.help.as_deref(),
        pe: d.moment.map(|m| [m.x, m.y]),
        cycle: d.moment.map(|m| m.cycle).filter(|cycle| *cycle != Moment::UNDATED),
        repeats: d.repeats,
        also_on: d.also_on,
        lowered_by: crate::diagnostics::level::is_lowerable(d).then(|| format!("-W {}", d.rule)),
        report: d.report.as_deref(),
    })
}

#[derive(Serialize)]
struct JsonDiagnostic<'a> {
    kind: &'static str,
    rule: &'a str,
    severity: &'a str,
    title: &'a str,
    labels: Vec<LabelRecord<'a>>,
    notes: &'a [String],
    help: Option<&'a str>,
    pe: Option<[u16; 2]>,
    cycle: Option<u64>,
    repeats: u64,
    also_on: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lowered_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<&'a Value>,
}

/// `lo` and `hi` are byte offsets; line and column count from 1.
#[derive(Serialize)]
struct LabelRecord<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    lo: usize,
    hi: usize,
    text: &'a str,
    primary: bool,
}

impl<'a> LabelRecord<'a> {
    fn new(sheets: &Sheets<'a>, mark: &Mark<'a>) -> LabelRecord<'a> {
        let (line, column) = sheets.line_column(mark);
        LabelRecord {
            file: sheets.exact_name_of(mark.file),
            line,
            column,
            lo: mark.range.start,
            hi: mark.range.end,
            text: mark.text,
            primary: mark.primary,
        }
    }
}
