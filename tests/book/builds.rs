//! The book builds with mdBook, and the pages that come out are whole.

use mdbook_driver::MDBook;
use std::collections::BTreeSet;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// Builds the book into a folder of its own; gives the folder.
fn built() -> PathBuf {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = repository.join("target/book");
    let mut book = MDBook::load(repository.join("docs/book")).expect("a book that mdBook can read");
    book.config.build.build_dir = folder.clone();
    book.build().expect("a book that mdBook can build");
    folder
}

/// The pages of the table of contents, in order.
fn chapters() -> Vec<String> {
    let summary = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/src/SUMMARY.md");
    let text = read_to_string(summary).expect("a table of contents");
    let links = text.lines().filter_map(|line| line.split("](").nth(1)?.strip_suffix(".md)"));
    links.map(str::to_string).collect()
}

#[test]
fn every_chapter_becomes_a_page_with_its_listings_and_without_broken_links() {
    let folder = built();
    let chapters = chapters();
    assert!(chapters.len() > 15, "{} chapters", chapters.len());
    let mut broken = BTreeSet::new();
    for chapter in chapters {
        let page = folder.join(format!("{chapter}.html"));
        let html = read_to_string(&page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
        assert!(!html.contains("{{#"), "{chapter}: something is not included");
        let main = html.split("<main>").nth(1).and_then(|rest| rest.split("</main>").next()).expect("a text");
        let targets = ["href=\"", "src=\""].iter().flat_map(|attribute| main.split(attribute).skip(1));
        for target in targets.filter_map(|rest| rest.split(['"', '#']).next()) {
            let is_elsewhere = target.is_empty() || target.contains("://");
            if !is_elsewhere && !folder.join(target).exists() {
                broken.insert(format!("{chapter}: {target}"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:?}");
}
