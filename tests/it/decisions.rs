//! The page of decisions names places that exist, and the answers that comments refer to.

use crate::{files_below, root};
use std::collections::BTreeSet;

fn page() -> String {
    std::fs::read_to_string(root().join("docs/decisions.md")).expect("the page of decisions")
}

fn sources() -> Vec<String> {
    let files = files_below(&root().join("src"), "rs");
    files.iter().map(|path| std::fs::read_to_string(path).expect("a source file")).collect()
}

/// Whether a word in backticks is a path, a name of the source, or a rule.
fn exists(word: &str, sources: &[String]) -> bool {
    let path = word.trim_start_matches("src/").trim_matches(['<', '>']);
    let folders = ["", "src", "src/stdlib/csl"].map(|folder| root().join(folder));
    let is_path = folders.iter().any(|f| f.join(path).exists() || f.join(format!("{path}.csl")).exists());
    let name = word.rsplit("::").next().unwrap_or(word);
    is_path || !word.contains('/') && sources.iter().any(|text| text.contains(name))
}

/// The numbers `OQ-36`, `OQ-17b` of a text.
fn numbers(text: &str) -> BTreeSet<String> {
    let each = text.split("OQ-").skip(1).map(|rest| {
        let digits = rest.chars().take_while(char::is_ascii_digit);
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let letter = after.chars().next().filter(|c| matches!(c, 'a'..='d'));
        digits.chain(letter).collect::<String>()
    });
    each.filter(|number| !number.is_empty()).collect()
}

#[test]
fn every_decision_lives_in_a_place_that_exists() {
    let sources = sources();
    let page = page();
    let decisions = page.lines().filter(|l| l.starts_with("| ") && !l.starts_with("| question"));
    for row in decisions {
        let (_, place) = row.trim_end_matches(" |").rsplit_once(" | ").expect("a row has columns");
        let words: Vec<&str> = place.split('`').skip(1).step_by(2).collect();
        assert!(!words.is_empty(), "it names no place: {row}");
        for word in words {
            assert!(exists(word, &sources), "there is no `{word}`: {row}");
        }
    }
}

#[test]
fn every_decision_that_the_source_names_is_listed() {
    let listed = numbers(&page());
    let named: BTreeSet<String> = sources().iter().flat_map(|text| numbers(text)).collect();
    let missing: Vec<_> = named.difference(&listed).collect();
    assert!(missing.is_empty(), "not in docs/decisions.md: OQ-{missing:?}");
}
