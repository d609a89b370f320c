//! Every grammar knows the words of the language: tree-sitter, and the TextMate grammar of VS Code.

use super::{file, language};
use cslrun::{KEYWORDS, catalogue};
use std::collections::BTreeSet;

type Words = BTreeSet<String>;

fn set<'w>(words: impl IntoIterator<Item = &'w str>) -> Words {
    words.into_iter().map(str::to_string).collect()
}

/// The words between quotes.
fn quoted(text: &str) -> Words {
    set(text.split('"').skip(1).step_by(2))
}

fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let rest = text.split_once(from).unwrap_or_else(|| panic!("no {from}")).1;
    rest.split_once(to).unwrap_or_else(|| panic!("no {to} behind {from}")).0
}

fn types_of_tree_sitter() -> Words {
    let text = file("editors/tree-sitter-csl/queries/highlights.scm");
    quoted(between(&text, "(#any-of? @type.builtin", "))"))
}

/// The words that a pattern such as `\b(if|else)\b` of the TextMate grammar lists, for names that begin so.
fn words_of_text_mate(prefixes: &[&str]) -> Words {
    fn visit(value: &serde_json::Value, prefixes: &[&str], words: &mut Words) {
        let text = |key| value.get(key).and_then(|v| v.as_str()).unwrap_or_default();
        let (name, pattern) = (text("name"), text("match"));
        let listed = pattern.strip_prefix("\\b(").and_then(|rest| rest.strip_suffix(")\\b"));
        if let Some(listed) = listed
            && prefixes.iter().any(|prefix| name.starts_with(prefix))
        {
            words.extend(set(listed.split('|')));
        }
        match value {
            serde_json::Value::Array(all) => all.iter().for_each(|v| visit(v, prefixes, words)),
            serde_json::Value::Object(all) => all.values().for_each(|v| visit(v, prefixes, words)),
            _ => {}
        }
    }
    let grammar = file("editors/vscode/syntaxes/csl.tmLanguage.json");
    let mut words = Words::new();
    visit(&serde_json::from_str(&grammar).expect("JSON"), prefixes, &mut words);
    words
}

/// The directions are words for a reader, but names for the language.
fn with_directions(words: &Words) -> Words {
    words.union(&set(["NORTH", "SOUTH", "EAST", "WEST", "RAMP"])).cloned().collect()
}

#[test]
fn all_know_the_reserved_words() {
    // `noinline` is a word only before `fn`.
    let reserved = set(KEYWORDS.iter().copied().chain(["noinline"]));
    let language = language();
    let is_letters = |word: &str| word.chars().all(|c| c.is_ascii_lowercase());
    // Kind 0 is the end of the text.
    let kinds = (1..language.node_kind_count() as u16).filter_map(|id| {
        let is_literal = !language.node_kind_is_named(id);
        language.node_kind_for_id(id).filter(|kind| is_literal && is_letters(kind))
    });
    let named = ["anytype", "undefined", "unreachable"];
    assert_eq!(set(kinds.chain(named)), reserved, "tree-sitter");

    let prefixes = ["keyword.control", "keyword.operator.word", "storage", "constant.language"];
    assert_eq!(words_of_text_mate(&prefixes), with_directions(&reserved), "TextMate");
}

#[test]
fn all_know_the_same_types() {
    let types = types_of_tree_sitter();
    let missing: Vec<_> = catalogue::types().into_iter().filter(|ty| !types.contains(*ty)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert_eq!(words_of_text_mate(&["support.type"]), types, "TextMate");
}
