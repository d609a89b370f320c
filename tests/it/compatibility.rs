//! `docs/compatibility.md` says what is true: its tables are made of the catalogue of builtins, of the
//! library, of the options of `cslc`, and of programs in `tests/compatibility` that are run.
//!
//! A table stands between `<!-- begin: name -->` and `<!-- end: name -->`. `DOCS=write cargo test` writes
//! them; `python/tests/test_compatibility.py` does the same for the tables of the host API.

use crate::library::names_of_page;
use crate::pages::{Block, perform};
use crate::root;
use cslrun::{Diagnostic, catalogue, cli};
use std::fmt::Write;
use std::fs;

#[test]
fn the_tables_are_what_they_are_made_of() {
    let page = root().join("docs/compatibility.md");
    let mut text = fs::read_to_string(&page).expect("the page");
    let mut differing = Vec::new();
    for (name, table) in [
        ("language", programs("language.csl")),
        ("old forms", programs("old_forms.csl")),
        ("builtins", builtins()),
        ("operations", operations()),
        ("library", library()),
        ("options", options()),
    ] {
        let (begin, end) = (format!("<!-- begin: {name} -->\n"), format!("<!-- end: {name} -->"));
        let start = text.find(&begin).unwrap_or_else(|| panic!("no {begin}")) + begin.len();
        let stop = start + text[start..].find(&end).unwrap_or_else(|| panic!("no {end}"));
        if text[start..stop] != table {
            text.replace_range(start..stop, &table);
            differing.push(name);
        }
    }
    if crate::writes_docs() {
        fs::write(&page, text).expect("a page that can be written");
    } else {
        assert!(differing.is_empty(), "DOCS=write cargo test writes {differing:?} of {}", page.display());
    }
}

/// A program of `tests/compatibility`.
struct Sample<'a> {
    release: &'a str,
    what: &'a str,
    block: Block,
}

fn samples(text: &str) -> Vec<Sample<'_>> {
    let read = |part| {
        let (head, program): (&str, &str) = str::split_once(part, '\n').expect("a program after its head");
        let mut words = head.split(" | ");
        let mut word = || words.next().expect("release, what and arguments").trim();
        let (release, what, info) = (word(), word(), format!("csl {}", word().replace("check", "")));
        Sample { release, what, block: Block { info, text: format!("//- example.csl\n{program}") } }
    };
    text.split("\n//= ").skip(1).map(read).collect()
}

fn programs(file: &str) -> String {
    let text = fs::read_to_string(root().join("tests/compatibility").join(file)).expect("the programs");
    let mut table = "| release | what | in cslrun |\n|---|---|---|\n".to_string();
    for Sample { release, what, block } in samples(&text) {
        let outcome = perform(&block).unwrap_or_else(|e| panic!("{what}: {e}"));
        if let Some(trouble) = &outcome.complaint {
            panic!("{what}: {trouble}");
        }
        let state = outcome.diagnostics.first().map_or("supported".to_string(), |first| {
            assert_eq!(first.title.lines().count(), 1, "{what}: a title in one line");
            said(first)
        });
        let must_run = block.info.contains("run") && outcome.diagnostics.is_empty();
        assert!(!must_run || !outcome.asserts_held.is_empty(), "{what}: no `@assert` is executed");
        row(&mut table, &[release, what, &state]);
    }
    table
}

/// How a diagnostic is shown in a table.
fn said(it: &Diagnostic) -> String {
    let state = match it.severity.name() {
        "warning" => "supported, with a warning",
        "unsupported" => "not supported",
        _ => "rejected",
    };
    let help = it.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
    format!("{state}: [{rule}](rules/{rule}.md), \"{}{help}\"", it.title, rule = it.rule)
}

fn builtins() -> String {
    let mut table = "| builtin | where | what it does |\n|---|---|---|\n".to_string();
    for builtin in catalogue::builtins() {
        row(&mut table, &[&format!("`{}`", builtin.usage), builtin.phase, builtin.doc]);
    }
    table
}

fn operations() -> String {
    let mut table = "| operation | what it does |\n|---|---|\n".to_string();
    for op in catalogue::operations() {
        row(&mut table, &[&format!("`@{}`", op.name), op.doc]);
    }
    table
}

/// The release that a module came with, which its page names if it is a later one than 0.9.
fn since(page: &str) -> &str {
    let release = page.lines().find_map(|line| line.strip_prefix("Since release ")?.strip_suffix('.'));
    release.unwrap_or("0.x")
}

fn library() -> String {
    let mut table = "| module | release | names |\n|---|---|---|\n".to_string();
    for (module, _) in catalogue::modules() {
        let page = fs::read_to_string(root().join(format!("docs/library/{module}.md"))).expect("its page");
        let names: Vec<String> = names_of_page(&page).iter().map(|name| format!("`{name}`")).collect();
        let link = format!("[`<{module}>`](library/{module}.md)");
        row(&mut table, &[&link, since(&page), &names.join(", ")]);
    }
    for module in catalogue::missing_modules() {
        let program = format!("const m = @import_module(\"<{module}>\");\ntask main() void {{ m.f(); }}\n");
        let block = Block { info: "csl".to_string(), text: program };
        let outcome = perform(&block).expect("an outcome");
        let state = said(outcome.diagnostics.first().expect("a diagnostic"));
        row(&mut table, &[&format!("`<{module}>`"), "0.x", &state]);
    }
    table
}

fn options() -> String {
    let mut table = "| option of `cslc` | in cslrun |\n|---|---|\n".to_string();
    for (option, acts) in cli::cslc_options() {
        row(
            &mut table,
            &[&format!("`{option}`"), if acts { "supported" } else { "accepted, without effect" }],
        );
    }
    table
}

fn row(table: &mut String, cells: &[&str]) {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    writeln!(table, "| {} |", cells.join(" | ")).expect("a string grows");
}
