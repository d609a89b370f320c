//! `docs/levels.md` lists every rule with a level, and cases show how programs go on.

use crate::case_file::{Case, CaseFile, all_cases};
use crate::root;
use cslrun::Level;
use cslrun::catalogue::{Rule, lints, rules_before_a_run};
use std::collections::BTreeMap;

/// Rules that no program on the command line can break, and the file whose tests go on behind them.
const ELSEWHERE: &[(&str, &str)] = &[("copy-out-of-bounds", "src/host/tests.rs")];

/// The rows of the table: the name of a rule, then the other cells.
fn rows() -> BTreeMap<String, Vec<String>> {
    let text = std::fs::read_to_string(root().join("docs/levels.md")).expect("the page of levels");
    let table = text.lines().filter(|line| line.starts_with("| `"));
    let rows = table.map(|line| {
        let mut cells = line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_string());
        (cells.next().expect("a name").replace('`', ""), cells.collect())
    });
    rows.filter(|(_, cells): &(String, Vec<String>)| cells.len() > 1).collect()
}

#[test]
fn the_page_has_a_row_for_each_rule_with_a_level() {
    let rows = rows();
    for rule in lints() {
        let lint = rule.lint.expect("a level");
        let row =
            rows.get(rule.name).unwrap_or_else(|| panic!("docs/levels.md has no row for {}", rule.name));
        let [group, default, evidence, goes_on] = row.as_slice() else { panic!("{}: four cells", rule.name) };
        assert_eq!(group, lint.group.name(), "{}: the group", rule.name);
        assert_eq!(default, lint.default.name(), "{}: the default", rule.name);
        assert!(!evidence.is_empty() && !goes_on.is_empty(), "{}: an empty cell", rule.name);
    }
    assert_eq!(rows.len(), lints().len(), "docs/levels.md has rows of rules without a level");
}

/// Whether a case runs behind a rule to its end, and asserts what it finds there. What is only found by
/// `cslrun check` does not stop that command.
fn goes_on(case: &Case, rule: &'static Rule) -> bool {
    let marks = case.marks();
    let warned = marks.iter().any(|mark| mark.what == format!("warning[{}]", rule.name));
    let asserts = case.files.iter().flat_map(CaseFile::asserts).count();
    let is_checked = rules_before_a_run().iter().any(|known| known.name == rule.name)
        && rule.lint.is_some_and(|lint| lint.default == Level::Warn);
    let to_the_end = (is_checked && !case.run) || (case.run && asserts > 0);
    warned && to_the_end && marks.iter().all(|mark| mark.what.starts_with("warning"))
}

#[test]
fn each_rule_with_a_level_has_a_case_that_goes_on() {
    let cases = all_cases();
    let mut missing = Vec::new();
    for rule in lints() {
        if let Some((name, file)) = ELSEWHERE.iter().find(|(name, _)| *name == rule.name) {
            let text = std::fs::read_to_string(root().join(file)).expect("a readable file");
            assert!(text.contains(&format!("-W {name}")), "{file} does not lower {name}");
        } else if !cases.iter().any(|case| goes_on(case, rule)) {
            missing.push(rule.name);
        }
    }
    assert!(missing.is_empty(), "rules without a case that goes on: {}", missing.join(", "));
}

#[test]
fn a_rule_that_is_denied_says_how_to_lower_it() {
    let denied = all_cases().into_iter().filter(|case| case.rule.is_some());
    for case in denied {
        let rule = case.rule.clone().expect("a rule");
        let is_denied = lints()
            .iter()
            .any(|lint| lint.name == rule && lint.lint.is_some_and(|lint| lint.default == Level::Deny));
        let Ok(text) = std::fs::read_to_string(case.path.with_extension("snap")) else { continue };
        // What leaves the memory is an error at every level.
        let is_final = text.contains("is outside of the memory\n");
        // Of all ids only the colors of old programs have a meaning, and only as tasks.
        let is_final = is_final || rule == "id-out-of-range" && !text.contains("for a task, write");
        if is_denied && text.contains(&format!("error[{rule}]")) && !is_final {
            assert!(text.contains(&format!("`-W {rule}` makes")), "{}", case.path.display());
        }
    }
}
