//! The results of tests as JUnit XML, in the form that cargo-nextest writes and CI servers read.

use crate::diagnostics::render::printable;
use std::fmt::Write;

/// The tests of a file.
pub struct TestFile {
    /// The file.
    pub name: String,
    /// Its tests, in order.
    pub cases: Vec<TestCase>,
}

/// One test.
pub struct TestCase {
    /// The function.
    pub name: String,
    /// Whether and how it has failed.
    pub ended: Ended,
    /// What it has printed.
    pub printed: String,
}

/// How a test has ended.
pub enum Ended {
    /// Well.
    Passed,
    /// It has failed.
    Failed(Problem),
    /// It could not begin.
    NotBegun(Problem),
}

/// What is wrong.
pub struct Problem {
    /// The rule.
    pub rule: String,
    /// The title of the diagnostic.
    pub title: String,
    /// The diagnostics as text.
    pub text: String,
}

/// The document. Nothing in it depends on the clock: there is no date, and every time is 0.
pub fn document(files: &[TestFile]) -> String {
    let all = counts(files.iter().flat_map(|file| &file.cases));
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"cslrun\" {all} time=\"0\">");
    for file in files {
        let name = attribute(&file.name);
        let _ = writeln!(out, "  <testsuite name=\"{name}\" {} time=\"0\">", counts(&file.cases));
        for case in &file.cases {
            test_case(&mut out, &name, case);
        }
        out.push_str("  </testsuite>\n");
    }
    out + "</testsuites>\n"
}

fn counts<'a>(cases: impl IntoIterator<Item = &'a TestCase>) -> String {
    let (mut tests, mut failures, mut errors) = (0, 0, 0);
    for case in cases {
        tests += 1;
        match case.ended {
            Ended::Passed => {}
            Ended::Failed(_) => failures += 1,
            Ended::NotBegun(_) => errors += 1,
        }
    }
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"")
}

fn test_case(out: &mut String, class: &str, case: &TestCase) {
    let name = attribute(&case.name);
    let _ = write!(out, "    <testcase name=\"{name}\" classname=\"{class}\" time=\"0\"");
    if matches!(case.ended, Ended::Passed) && case.printed.is_empty() {
        out.push_str("/>\n");
        return;
    }
    out.push_str(">\n");
    match &case.ended {
        Ended::Passed => {}
        Ended::Failed(problem) => element(out, "failure", problem),
        Ended::NotBegun(problem) => element(out, "error", problem),
    }
    if !case.printed.is_empty() {
        let _ = writeln!(out, "      <system-out>{}</system-out>", escaped(&case.printed));
    }
    out.push_str("    </testcase>\n");
}

fn element(out: &mut String, tag: &str, problem: &Problem) {
    let (rule, title, text) = (attribute(&problem.rule), attribute(&problem.title), escaped(&problem.text));
    let _ = writeln!(out, "      <{tag} type=\"{rule}\" message=\"{title}\">{text}</{tag}>");
}

/// A text inside of an element. Characters that XML cannot hold, not even escaped, become escapes of CSL.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\u{fffe}' | '\u{ffff}' => out += &format!("\\u{{{:x}}}", u32::from(c)),
            c => out.push(c),
        }
    }
    out
}

/// The value of an attribute, in which a reader would make blanks of line breaks and tabs.
fn attribute(text: &str) -> String {
    escaped(text).replace('\n', "&#10;").replace('\t', "&#9;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_comes_through_or_is_escaped() {
        let text: String = (0..0x11_0000).filter_map(char::from_u32).collect();
        let problem = Problem { rule: "a-rule".into(), title: text.clone(), text: text.clone() };
        let case = TestCase { name: "test_a".into(), ended: Ended::Failed(problem), printed: text.clone() };
        let file = TestFile { name: "a\"<&>\t\n.csl".into(), cases: vec![case] };
        let document = document(&[file]);
        let xml = roxmltree::Document::parse(&document).expect("valid XML");
        let find = |tag: &str| xml.descendants().find(|node| node.has_tag_name(tag)).expect("an element");
        assert_eq!(find("testsuite").attribute("name"), Some("a\"<&>\t\n.csl"));
        let shown = printable(&text).replace('\u{fffe}', "\\u{fffe}").replace('\u{ffff}', "\\u{ffff}");
        assert_eq!(find("failure").attribute("message"), Some(shown.as_str()));
        assert_eq!(find("failure").text(), Some(shown.as_str()));
        assert_eq!(find("system-out").text(), Some(shown.as_str()));
        assert!(shown.contains("\\x1b") && shown.contains("\\x00") && shown.contains('\u{1f600}'));
    }
}
