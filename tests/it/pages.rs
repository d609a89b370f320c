//! The pages of the rules are true: the first program breaks the rule with the message shown, and
//! there is nothing to say about the others.
//!
//! A block ```` ```csl run --arch wse3 ```` is run with these arguments, one without `run` is only
//! compiled; a first block with `sketch` is not complete and not tried. `//- name.csl` starts another file.
//! `DOCS=write cargo test` writes the messages into the pages.

use crate::case_file::split;
use crate::rules::ELSEWHERE;
use crate::{files_below, root};
use cslrun::MemoryLoader;
use cslrun::cli::{Outcome, perform_words};
use std::path::Path;

/// The rule whose shortest program is too long for a page.
const TOO_LONG: &str = "nesting-too-deep";

/// A fenced block of a page.
#[derive(Debug, PartialEq, Eq)]
pub struct Block {
    /// What stands behind the fence.
    pub info: String,
    /// What stands between the fences.
    pub text: String,
}

#[test]
fn the_first_program_of_a_page_breaks_its_rule_as_shown() {
    let mut failures = Vec::new();
    for page in files_below(&root().join("docs/rules"), "md") {
        if let Err(failure) = check(&page) {
            failures.push(format!("{}: {failure}", page.display()));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

fn check(page: &Path) -> Result<(), String> {
    let rule = page.file_stem().expect("a file").to_string_lossy();
    let text = std::fs::read_to_string(page).map_err(|e| e.to_string())?;
    let blocks = blocks(&text);
    let mut programs = blocks.iter().filter(|b| b.info.starts_with("csl"));
    let broken = programs.next().ok_or("no program is shown")?;
    if programs.clone().next().is_none() {
        return Err("no repaired program is shown".to_string());
    }
    for repaired in programs {
        let outcome = perform(repaired)?;
        if !outcome.diagnostics.is_empty() {
            return Err(format!("a repaired program is not right\n{}", outcome.stderr_text(false)));
        }
    }
    if broken.info.ends_with("sketch") {
        let cannot_be_shown = rule == TOO_LONG || ELSEWHERE.iter().any(|(name, _)| *name == rule);
        return if cannot_be_shown { Ok(()) } else { Err("its program could be tried".to_string()) };
    }
    let outcome = perform(broken)?;
    let message = outcome.stderr_text(false);
    if !outcome.diagnostics.iter().any(|d| d.rule == rule) {
        return Err(format!("the first program does not break the rule\n{message}"));
    }
    let shown = blocks.iter().find(|b| b.info == "text").ok_or("no message is shown")?;
    if shown.text.trim_end() == message.trim_end() {
        return Ok(());
    }
    if crate::writes_docs() {
        let message = format!("```text\n{}\n```", message.trim_end());
        let shown = format!("```text\n{}```", shown.text);
        return std::fs::write(page, text.replacen(&shown, &message, 1)).map_err(|e| e.to_string());
    }
    Err(format!("the message is\n{message}"))
}

/// Runs or checks the program of a block.
pub fn perform(block: &Block) -> Result<Outcome, String> {
    let files = split("example.csl", &block.text);
    let mut loader = MemoryLoader::default();
    for file in &files {
        loader.add(&file.name, file.text.as_str());
    }
    let (run, args): (Vec<&str>, Vec<&str>) =
        block.info.split_whitespace().skip(1).partition(|w| *w == "run");
    let mut words = if run.is_empty() { vec!["cslrun", "check"] } else { vec!["cslrun"] };
    words.push(&files[0].name);
    words.extend(&args);
    perform_words(&words, &loader).ok_or_else(|| format!("wrong arguments: {}", block.info))
}

/// The blocks of a page, in order.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => open = Some(Block { info: info.trim().to_string(), text: String::new() }),
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

#[test]
fn blocks_are_found_with_their_info() {
    let text = "# a\n```csl run\nvar x;\n```\nb\n```text\n\nc\n```\n";
    let block = |info: &str, text: &str| Block { info: info.into(), text: text.into() };
    assert_eq!(blocks(text), [block("csl run", "var x;\n"), block("text", "\nc\n")]);
}
