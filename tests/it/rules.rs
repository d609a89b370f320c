//! The catalogue of rules, its pages and its cases keep step.

use crate::case_file::{all_cases, cases_of_rules};
use crate::{elsewhere, files_below, root};
use cslrun::catalogue;
use std::collections::BTreeSet;

/// Rules that no program on the command line can break, and the file whose tests break them.
pub const ELSEWHERE: &[(&str, &str)] = &[
    ("copy-out-of-bounds", "src/host/tests.rs"),
    ("copy-size", "src/host/tests.rs"),
    ("fabric-too-small", "src/cli/cslc/geometry.rs"),
    ("interrupted", "tests/it/interruptions.rs"),
    ("not-utf8", "tests/it/cli.rs"),
    ("region-outside", "src/host/tests.rs"),
    ("stream-color", "src/host/tests.rs"),
    ("symbol-absent", "python/tests/test_sdklayout.py"),
    ("unreadable-file", "tests/it/cli.rs"),
];

fn names() -> BTreeSet<String> {
    catalogue::rules().map(|r| r.name.to_string()).collect()
}

fn pages() -> BTreeSet<String> {
    let pages = files_below(&root().join("docs/rules"), "md");
    pages.iter().map(|p| p.file_stem().expect("a file").to_string_lossy().into_owned()).collect()
}

fn listed<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    names.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

#[test]
fn every_rule_has_a_page_and_every_page_a_rule() {
    let (names, pages) = (names(), pages());
    assert!(names.is_subset(&pages), "rules without a page: {}", listed(names.difference(&pages)));
    assert!(pages.is_subset(&names), "pages without a rule: {}", listed(pages.difference(&names)));
}

#[test]
fn every_page_starts_with_its_name_and_shows_a_program() {
    for name in pages() {
        let path = root().join("docs/rules").join(format!("{name}.md"));
        let text = std::fs::read_to_string(path).expect("a readable page");
        assert!(text.starts_with(&format!("# {name}\n")), "{name}: the title");
        assert!(text.contains("```csl"), "{name}: a program");
    }
}

#[test]
fn every_rule_has_a_case_that_breaks_it() {
    let mut broken: BTreeSet<String> = all_cases().into_iter().filter_map(|c| c.rule).collect();
    for (rule, file) in ELSEWHERE {
        let text = std::fs::read_to_string(root().join(file)).expect("a readable file");
        assert!(text.contains(&format!("\"{rule}\"")), "{file} does not test {rule}");
        assert!(broken.insert(rule.to_string()), "{rule} has a case");
    }
    let names = names();
    assert!(names.is_subset(&broken), "rules without a case: {}", listed(names.difference(&broken)));
}

#[test]
fn every_rule_is_shown_in_plain_and_in_rich_form() {
    let cases = cases_of_rules();
    for name in names() {
        let case = match elsewhere::SHOWN.contains(&name.as_str()) {
            true => &root().join("tests/it/snapshots").join(&name),
            false => cases.get(&name).unwrap_or_else(|| panic!("no case shows {name}")),
        };
        for snapshot in [case.with_extension("snap"), case.with_extension("rich.snap")] {
            let text = std::fs::read_to_string(&snapshot).unwrap_or_default();
            assert!(text.contains(&format!("[{name}]: ")), "{} does not show {name}", snapshot.display());
        }
    }
    let rich: BTreeSet<_> = cases.values().map(|case| case.with_extension("rich.snap")).collect();
    let snapshots = files_below(&root().join("tests/cases"), "snap");
    for path in snapshots.into_iter().filter(|p| p.to_string_lossy().ends_with(".rich.snap")) {
        assert!(rich.contains(&path), "{} shows the case of no rule", path.display());
    }
}

/// Rules whose message is all that can be said: the program has said it itself.
const SPOKEN_BY_THE_PROGRAM: &[&str] = &["assertion-failed", "comptime-assert", "comptime-print"];

#[test]
fn every_message_says_what_to_do() {
    for (rule, case) in cases_of_rules().iter().filter(|(r, _)| !SPOKEN_BY_THE_PROGRAM.contains(&r.as_str()))
    {
        let text = std::fs::read_to_string(case.with_extension("snap")).unwrap_or_default();
        let messages = text.split("\n\n").filter(|m| m.lines().any(|l| l.contains(&format!("[{rule}]: "))));
        for message in messages {
            let helps = message.matches("= help: ").count();
            assert!(helps == 1, "{rule}: a message with {helps} helps\n{message}");
        }
    }
}

#[test]
fn a_help_has_only_the_holes_of_its_title() {
    for rule in catalogue::rules() {
        let help = rule.help.unwrap_or_default();
        let holes = help.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(hole, _)| hole);
        for hole in holes.filter(|hole| hole.chars().all(|c| c.is_ascii_lowercase()) && !hole.is_empty()) {
            assert!(rule.title.contains(&format!("{{{hole}}}")), "{}: `{hole}` is no fact", rule.name);
        }
    }
}

#[test]
fn the_check_finds_the_mistake_of_every_broken_layout() {
    let cases = all_cases();
    let broken: Vec<_> =
        cases.iter().filter(|c| c.path.to_string_lossy().contains("layout/broken/")).collect();
    assert!(broken.len() >= 25, "{} broken layouts", broken.len());
    for case in broken {
        let path = case.path.display();
        assert!(!case.run, "{path}: found by running it");
        let name = case.rule.as_ref().unwrap_or_else(|| panic!("{path}: it breaks no rule"));
        let marked = case.marks().iter().any(|m| m.what.ends_with(&format!("[{name}]")));
        assert!(marked, "{path}: no line is marked with {name}");
    }
}

#[test]
fn every_mistake_of_a_beginner_is_answered_with_what_to_write() {
    let folder = root().join("tests/cases/beginner");
    let cases: Vec<_> = all_cases().into_iter().filter(|c| c.path.starts_with(&folder)).collect();
    assert!(cases.len() >= 120, "{} cases", cases.len());
    for case in cases {
        let path = case.path.display();
        assert!(case.help.as_ref().is_some_and(|help| !help.is_empty()), "{path}: no `//! help:`");
        let snapshot = std::fs::read_to_string(case.path.with_extension("snap")).unwrap_or_default();
        assert!(snapshot.contains("= help: "), "{path}: no help");
        assert!(!snapshot.contains("or remove"), "{path}: to remove is no repair");
    }
}

#[test]
fn every_case_says_what_it_shows() {
    let names = names();
    for case in all_cases() {
        let path = case.path.display();
        assert!(case.what.is_some(), "{path}: no `//! what:`");
        match (&case.rule, &case.topic) {
            (Some(rule), None) => {
                assert!(names.contains(rule), "{path}: there is no rule `{rule}`");
                let marked = case.marks().iter().any(|m| m.what.ends_with(&format!("[{rule}]")));
                assert!(marked, "{path}: no mark for `{rule}`");
            }
            (None, Some(_)) => {}
            (Some(_), Some(_)) | (None, None) => panic!("{path}: either `//! rule:` or `//! topic:`"),
        }
    }
}

#[test]
fn names_and_titles_of_rules_have_one_form() {
    let mut seen = BTreeSet::new();
    for rule in catalogue::rules() {
        let name = rule.name;
        assert!(seen.insert(name), "{name} is declared twice");
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{name}");
        assert!(!rule.title.ends_with('.'), "{name}: a title has no full stop");
        let lower = !rule.title.starts_with(char::is_uppercase) || rule.title.starts_with("PE(");
        assert!(lower, "{name}: a title starts in lower case");
        assert!(rule.why.is_empty() || rule.why.ends_with('.'), "{name}: the reason is a sentence");
        assert!(is_a_sentence(rule.meaning.trim()), "{name}: the meaning is one sentence, as plain text");
    }
}

/// One sentence without placeholders, so that it can stand in a list.
fn is_a_sentence(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_uppercase() || c == '`' || c == '.');
    starts && text.ends_with('.') && !text.contains(". ") && !text.contains('{')
}
