use super::sheet::{Mark, Sheets};
use crate::diagnostics::{Diagnostic, Severity};

/// `::error file=..,line=..,col=..,endLine=..,title=..::message`: a workflow command of GitHub Actions, one line.
pub fn one(sheets: &Sheets, d: &Diagnostic) -> String {
    let command = match d.severity {
        Severity::Error | Severity::Unsupported => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let marks = sheets.marks(d);
    let primary = marks.first().filter(|mark| mark.primary);
    let mut properties: Vec<String> = Vec::new();
    if let Some(mark) = primary {
        let ((line, column), (last, _)) = sheets.region(mark);
        properties.push(format!("file={}", property(in_repository(sheets.name_of(mark.file)))));
        properties.push(format!("line={line},col={column},endLine={last}"));
    }
    properties.push(format!("title={}", property(&format!("{}[{}]", d.severity.name(), d.rule))));
    let message = data(&message(sheets, d, &marks));
    format!("::{command} {}::{message}\n", properties.join(","))
}

/// A text without a place, such as a wrong command line, as an error of the workflow.
pub fn error(text: &str) -> String {
    format!("::error title=cslrun::{}\n", data(text))
}

/// GitHub shows the place of the annotation, but neither labels nor notes: they become lines of the message.
fn message(sheets: &Sheets, d: &Diagnostic, marks: &[Mark]) -> String {
    let mut lines = vec![d.title.clone()];
    for mark in marks {
        match (mark.primary, mark.text) {
            (_, "") => {}
            (true, text) => lines.push(text.to_string()),
            (false, text) => lines.push(format!("{}: {text}", sheets.place(mark))),
        }
    }
    lines.extend(super::notes(d));
    lines.extend(d.help.iter().map(|help| format!("help: {help}")));
    lines.join("\n")
}

/// The path as GitHub knows it.
fn in_repository(name: &str) -> &str {
    name.strip_prefix("./").unwrap_or(name)
}

/// What stands behind `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, which `,` and `:` would end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_command_or_a_property_is_escaped() {
        assert_eq!(data("50 %\r\n::error::x, y"), "50 %25%0D%0A::error::x, y");
        assert_eq!(property("C:\\a,b%\n.csl"), "C%3A\\a%2Cb%25%0A.csl");
        assert_eq!(error("no file\na.csl"), "::error title=cslrun::no file%0Aa.csl\n");
    }
}
