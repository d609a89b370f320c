//! What is promised is tested: every statement of the DSD language has a case, and every entry of
//! `docs/undefined.md` a rule with a case on either side of it.

use crate::case_file::{Case, all_cases};
use crate::root;
use cslrun::diagnostics::rules;
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
    let names: BTreeSet<&str> = rules::all().map(|r| r.name).collect();
    for Case { path, clean, rule, .. } in all_cases() {
        let path = path.display();
        for name in &clean {
            assert!(names.contains(name.as_str()), "{path}: there is no rule `{name}`");
            assert_ne!(Some(name), rule.as_ref(), "{path}: it breaks `{name}`");
        }
    }
}
