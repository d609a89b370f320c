//! Every module of the library has a page below `docs/library`, whose program runs and whose names
//! exist.

use crate::pages::{Block, blocks, perform};
use crate::{files_below, root};
use cslrun::catalogue;
use std::collections::BTreeSet;

/// The text of each page, under the name of its module.
fn pages() -> Vec<(String, String)> {
    let folder = root().join("docs/library");
    let read = |path: &std::path::PathBuf| {
        let name = path.strip_prefix(&folder).expect("a page below the folder").with_extension("");
        (name.display().to_string(), std::fs::read_to_string(path).expect("a readable page"))
    };
    files_below(&folder, "md").iter().map(read).collect()
}

#[test]
fn every_module_has_a_page_and_every_page_a_module() {
    let pages: BTreeSet<String> = pages().into_iter().map(|(name, _)| name).collect();
    let modules: BTreeSet<String> = catalogue::modules().map(|(name, _)| name.to_string()).collect();
    assert_eq!(pages, modules);
}

#[test]
fn the_names_of_a_page_are_declared_by_its_module() {
    for (module, page) in pages() {
        assert!(page.starts_with(&format!("# <{module}>\n")), "{module}: the title");
        let text = catalogue::modules().find(|(name, _)| *name == module).expect("a module").1;
        for name in names_of_page(&page) {
            let declares = |word: &str| text.contains(&format!("{word} {name}"));
            assert!(
                ["fn", "const", "var", "param", "task"].into_iter().any(declares),
                "{module} has no `{name}`"
            );
        }
    }
}

/// What stands in backticks in the first column of the tables, up to an opening parenthesis.
pub fn names_of_page(page: &str) -> Vec<String> {
    let cells = page.lines().filter_map(|l| l.strip_prefix("| `")?.split(" |").next());
    let names = cells.flat_map(|cell| cell.split("`, `"));
    names.map(|name| name.split(['(', '`', ':', ' ']).next().unwrap_or_default().to_string()).collect()
}

#[test]
fn the_programs_of_a_page_run() {
    for (module, page) in pages() {
        let blocks = blocks(&page);
        let programs: Vec<&Block> = blocks.iter().filter(|b| b.info.starts_with("csl run")).collect();
        assert!(!programs.is_empty(), "{module}: no program");
        for program in programs {
            assert!(program.text.contains(&format!("<{module}>")), "{module} is not used");
            let outcome = perform(program).unwrap_or_else(|e| panic!("{module}: {e}"));
            assert!(outcome.diagnostics.is_empty(), "{module}\n{}", outcome.stderr_text(false));
            assert!(!outcome.asserts_held.is_empty(), "{module}: no `@assert` is executed");
        }
    }
}
