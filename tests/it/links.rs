//! Links of the documentation lead somewhere: to a file, and to a heading if they name one.

use crate::{files_below, root};
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

fn pages() -> Vec<PathBuf> {
    let mut pages = files_below(&root().join("docs"), "md");
    pages.extend(files_below(&root().join("examples"), "md"));
    pages.extend(["README.md", "CONTRIBUTING.md", "llms.txt"].map(|page| root().join(page)));
    pages
}

#[test]
fn every_link_of_a_page_leads_to_a_file_and_a_heading() {
    let mut broken = Vec::new();
    let mut count = 0;
    for page in pages() {
        let text = read_to_string(&page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
        for link in links(&text).into_iter().filter(|link| !link.contains("://")) {
            count += 1;
            if !leads_somewhere(&page, &text, &link) {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(count > 20, "{count} links");
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

/// llms.txt is the map of the documentation for programs that read it: <https://llmstxt.org>.
#[test]
fn the_map_of_the_documentation_lists_every_page() {
    let text = read_to_string(root().join("llms.txt")).expect("the map");
    let mut lines = text.lines().filter(|line| !line.is_empty());
    assert_eq!(lines.next(), Some("# cslrun"));
    assert!(lines.next().is_some_and(|line| line.starts_with("> ")), "a summary");
    let sections = text.split("\n## ").skip(1);
    for line in sections.flat_map(|section| section.lines().skip(1)).filter(|line| !line.is_empty()) {
        let is_entry = line.starts_with("- [") && line.contains("](") && line.contains("): ");
        assert!(is_entry, "not a link with a description: {line}");
    }
    let listed = links(&text);
    for page in std::fs::read_dir(root().join("docs")).expect("the documentation") {
        let name = page.expect("a readable folder").file_name().to_string_lossy().into_owned();
        let link = format!("docs/{name}");
        assert!(!name.ends_with(".md") || listed.contains(&link), "llms.txt does not list {link}");
    }
}

fn leads_somewhere(page: &Path, text: &str, link: &str) -> bool {
    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
    let target = page.parent().expect("a page in a folder").join(file);
    match (file, heading) {
        (_, "") => target.exists(),
        ("", heading) => headings(text).any(|h| h == heading),
        (_, heading) => read_to_string(target).is_ok_and(|text| headings(&text).any(|h| h == heading)),
    }
}

/// What stands in the parentheses of `[..](..)`, outside of code.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        let prose: String = line.split('`').step_by(2).collect();
        let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        found.extend(targets.map(str::to_string));
    }
    found
}

/// The names by which links call headings: lower case, with `-` for blanks, without other marks.
fn headings(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter(|line| line.starts_with('#')).map(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        words.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
    })
}

#[test]
fn links_in_code_are_no_links() {
    let text = "a [b](c.md) and `[d](e)` and [`f`](g.md#h)\n```\n[i](j)\n```\n";
    assert_eq!(links(text), ["c.md", "g.md#h"]);
    assert_eq!(headings("## What `it` is, and why\n").collect::<Vec<_>>(), ["what-it-is-and-why"]);
}
