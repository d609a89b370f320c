//! What is promised is tested: every statement of the DSD language has a case, and every entry of
//! `docs/undefined.md` a rule with a case on either side of it.

use crate::case_file::{Case, all_cases};
use crate::root;
use cslrun::catalogue;
use std::collections::{BTreeMap, BTreeSet};

/// Identifiers and kinds of the lines `- **DSD-001** | section | kind | ..`.
fn claims() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(root().join("docs/claims.md")).expect("the claims");
    let lines = text.lines().filter_map(|l| l.strip_prefix("- **"));
    lines
        .map(|line| {
            let (id, rest) = line.split_once("**").expect("the end of the identifier");
            let kind = rest.split('|').nth(2).unwrap_or_default().trim();
            (id.to_string(), kind.to_string())
        })
        .collect()
}

#[test]
fn there_are_as_many_claims_as_the_page_says() {
    assert_eq!(claims().len(), 367);
}

#[test]
fn claims_are_checked_by_cases_of_their_kind() {
    let claims = claims();
    let mut checked: BTreeMap<&str, bool> = BTreeMap::new();
    let cases = all_cases();
    for case in &cases {
        let path = case.path.display();
        for id in &case.claims {
            let kind = claims.get(id).unwrap_or_else(|| panic!("{path}: there is no claim {id}"));
            let right = match kind.as_str() {
                "rejects-with-error" | "undefined-behaviour-must-be-detected" | "warning" => {
                    !case.marks().is_empty()
                }
                "runtime-behaviour" => case.run,
                _ => true,
            };
            *checked.entry(id).or_default() |= right;
        }
    }
    let wrong: Vec<&str> = checked.into_iter().filter(|(_, right)| !right).map(|(id, _)| id).collect();
    assert!(wrong.is_empty(), "no case marks a diagnostic or runs: {}", wrong.join(", "));
}

#[test]
fn every_claim_has_a_case() {
    let named: BTreeSet<String> = all_cases().into_iter().flat_map(|c| c.claims).collect();
    let missing: Vec<String> = claims().into_keys().filter(|id| !named.contains(id)).collect();
    assert!(missing.is_empty(), "claims without a case: {}", missing.join(", "));
}

#[test]
fn clean_cases_come_close_to_rules_that_exist() {
    let names: BTreeSet<&str> = catalogue::rules().map(|r| r.name).collect();
    for Case { path, clean, rule, .. } in all_cases() {
        let path = path.display();
        for name in &clean {
            assert!(names.contains(name.as_str()), "{path}: there is no rule `{name}`");
            assert_ne!(Some(name), rule.as_ref(), "{path}: it breaks `{name}`");
        }
    }
}

/// A row of `docs/undefined.md`: the entry, its rules, when they are found, the example.
struct Entry {
    id: String,
    rules: Vec<String>,
    found: String,
    example: String,
}

fn undefined() -> Vec<Entry> {
    let text = std::fs::read_to_string(root().join("docs/undefined.md")).expect("the page");
    let rows = text.lines().filter(|l| l.starts_with("| UB-"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [id, _, rules, found, example] = cells[..] else { panic!("five cells: {row}") };
        Entry {
            id: id.to_string(),
            rules: rules.split('`').skip(1).step_by(2).map(str::to_string).collect(),
            found: found.to_string(),
            example: example.to_string(),
        }
    })
    .collect()
}

#[test]
fn every_entry_of_undefined_behaviour_has_rules_or_a_reason() {
    let entries = undefined();
    assert_eq!(entries.len(), 68);
    for Entry { id, rules, found, example } in entries {
        assert!(!example.is_empty(), "{id}: neither an example nor a reason");
        let times: BTreeSet<&str> = found.split(", ").filter(|t| !t.is_empty()).collect();
        assert!(times.is_subset(&BTreeSet::from(["compile", "run", "end"])), "{id}: found {found}");
        assert_eq!(rules.is_empty(), times.is_empty(), "{id}: a rule is found at some time");
    }
}

#[test]
fn every_rule_of_undefined_behaviour_has_a_case_on_either_side() {
    let cases = all_cases();
    let by_tests = crate::rules::ELSEWHERE.iter().map(|(rule, _)| *rule);
    let broken: BTreeSet<&str> = cases.iter().filter_map(|c| c.rule.as_deref()).chain(by_tests).collect();
    let clean: BTreeSet<&str> = cases.iter().flat_map(|c| &c.clean).map(String::as_str).collect();
    for Entry { id, rules, .. } in undefined() {
        for rule in &rules {
            assert!(broken.contains(rule.as_str()), "{id}: no case breaks `{rule}`");
            assert!(
                clean.contains(rule.as_str()),
                "{id}: no case comes close to `{rule}` (`//! clean: {rule}`)"
            );
        }
    }
}
