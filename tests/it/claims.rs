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
fn cases_name_claims_that_exist_and_of_their_kind() {
    let claims = claims();
    for case in all_cases() {
        let path = case.path.display();
        for id in &case.claims {
            let kind = claims.get(id).unwrap_or_else(|| panic!("{path}: there is no claim {id}"));
            let marked = !case.marks().is_empty();
            match kind.as_str() {
                "rejects-with-error" | "undefined-behaviour-must-be-detected" | "warning" => {
                    assert!(marked, "{path}: {id} is about a diagnostic, and none is marked");
                }
                "runtime-behaviour" => assert!(case.run, "{path}: {id} is about a run, and it does not run"),
                _ => {}
            }
        }
    }
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
