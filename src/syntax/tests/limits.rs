//! Hostile input is refused in bounded time.

use crate::source::FileId;
use crate::syntax::parse;

/// The rules that a text breaks.
fn rules(text: &str) -> Vec<String> {
    parse(FileId(0), text).problems.iter().map(|p| p.rule().to_string()).collect()
}

#[test]
fn a_million_brackets_or_prefixes_are_too_deep() {
    for open in ["(", "[", "{", ".{", "!", "-", "&", "*", "~ ", "comptime "] {
        let text = format!("const x = {}", open.repeat(1_000_000));
        assert_eq!(rules(&text), ["nesting-too-deep"], "{open}");
    }
}

#[test]
fn long_chains_are_too_deep() {
    let long = 5000;
    let chains = [
        format!("const x = 1{};", " + 1".repeat(long)),
        format!("const x = a{};", ".b".repeat(long)),
        format!("const x = a{};", "()".repeat(long)),
        format!("const x: {}u16 = 1;", "[1]".repeat(long)),
        format!("const x = {} 1;", "if (a) 1 else ".repeat(long)),
        format!("fn f() void {{ {} x = 1; }}", "if (a) {} else ".repeat(long)),
        format!("fn f() void {{ {} x = 1; }}", "while (a) ".repeat(long)),
    ];
    for text in chains {
        assert_eq!(rules(&text), ["nesting-too-deep"], "{}", &text[..40]);
    }
}

#[test]
fn ordinary_depth_is_fine() {
    let deep = 200;
    assert!(rules(&format!("const x = {}1{};", "(".repeat(deep), ")".repeat(deep))).is_empty());
    assert!(rules(&format!("const x = 1{};", " + 1".repeat(900))).is_empty());
}

#[test]
fn no_text_makes_the_parser_panic() {
    let words = [
        "fn", "f", "(", ")", "void", "{", "}", "if", "else", ";", ".{", ".", "=", "1", "\"", "$", "[", "]",
        "|", "switch", "=>", ",", ":", "task", "+", "*", "while", "for", "const", "var", "asm", "layout",
        "@x", "?", "\n", "'", "comptime", "return", "extern", "inline", "\u{e4}",
    ];
    // A fixed multiplicative generator: the same texts in every run.
    let mut state = 1u64;
    for _ in 0..2000 {
        let mut text = String::new();
        for _ in 0..30 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text.push_str(words[(state >> 33) as usize % words.len()]);
            text.push(' ');
        }
        let parsed = parse(FileId(0), &text);
        assert!(parsed.problems.len() <= 20);
        for label in parsed.problems.iter().filter_map(|p| p.0.primary.as_ref()) {
            let (lo, hi) = (label.span.lo as usize, label.span.hi as usize);
            assert!(text.get(lo..hi).is_some(), "{text}: {lo}..{hi} is no piece of it");
        }
    }
}
