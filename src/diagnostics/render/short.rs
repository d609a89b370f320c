use super::sheet::Sheets;
use crate::diagnostics::Diagnostic;

/// `file:line:column: error[rule]: title (PE(x,y), cycle n)`, one line.
pub fn one(sheets: &Sheets, d: &Diagnostic) -> String {
    let place = match sheets.marks(d).first() {
        Some(mark) if mark.primary => format!("{}: ", sheets.place(mark)),
        Some(_) | None => String::new(),
    };
    let occurrence = super::occurrence(d).map(|o| format!(" ({o})")).unwrap_or_default();
    let title = d.title.replace('\n', " ");
    format!("{place}{}[{}]: {title}{occurrence}\n", d.severity.name(), d.rule)
}
