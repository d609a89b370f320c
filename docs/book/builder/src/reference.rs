//! The pages behind the chapters: those that `llms.txt`, the map of the documentation, lists, the rules, the
//! library and the examples.

use crate::picture::Cslrun;
use crate::site::{Page, Part};
use crate::{files_below, html};
use anyhow::{Context, Result};
use std::fmt::Write;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// The parts of the table of contents behind the book.
pub fn parts(repository: &Path, cslrun: &Cslrun) -> Result<Vec<Part>> {
    let map = read_to_string(repository.join("llms.txt"))?;
    let mut parts = Vec::new();
    for section in map.split("\n## ").skip(1) {
        let title = section.lines().next().unwrap_or_default().to_string();
        let sources = section.lines().filter_map(|line| line.split("](").nth(1)?.split(')').next());
        let of_docs = sources.filter(|source| {
            source.strip_prefix("docs/").is_some_and(|name| name.ends_with(".md") && !name.contains('/'))
        });
        let pages: Vec<Page> = of_docs.map(|source| page(repository, source)).collect::<Result<_>>()?;
        if !pages.is_empty() {
            parts.push(Part { title, pages });
        }
    }
    parts.push(Part {
        title: "Look up".to_string(),
        pages: vec![rules(repository, cslrun)?, library(repository)?, examples(repository)?],
    });
    Ok(parts)
}

fn page(repository: &Path, source: &str) -> Result<Page> {
    let name = source.trim_start_matches("docs/").to_lowercase();
    Page::read(repository, source, &format!("reference/{name}"))
}

/// What code calls the subject of a page: `deadlock`, `<math>`.
pub fn name(source: &Path) -> Option<String> {
    let stem = source.with_extension("");
    if stem.ends_with("index") {
        return None;
    }
    if let Ok(rule) = stem.strip_prefix("docs/rules") {
        return Some(rule.display().to_string());
    }
    Some(format!("<{}>", stem.strip_prefix("docs/library").ok()?.display()))
}

fn rules(repository: &Path, cslrun: &Cslrun) -> Result<Page> {
    let intro = "Every diagnostic belongs to a rule, whose name is in brackets: `error[deadlock]`. \
                 `cslrun explain deadlock` prints the same page.";
    let below = pages_of(repository, "docs/rules", "rules")?;
    let rows = grouped(&cslrun.output(&["explain"], repository)?);
    Ok(index("Rules", "docs/rules", "rules/index.md", intro, vec![rows], below))
}

/// The list that `cslrun explain` prints, in which the rows of a group are indented, with links.
fn grouped(list: &str) -> String {
    let line = |line: &str| match line.strip_prefix("  ").and_then(|row| row.split_once(' ')) {
        Some((name, gist)) => format!("- [{name}]({name}.md): {}\n", gist.trim()),
        // The last line says how to go on at the prompt.
        None if line.is_empty() || line.starts_with('`') => String::new(),
        None => format!("\n## {line}\n\n"),
    };
    list.lines().map(line).collect()
}

fn library(repository: &Path) -> Result<Page> {
    let intro = "The modules of the standard library that cslrun has, with all their names. \
                 `@import_module(\"<math>\")` imports one.";
    let below = pages_of(repository, "docs/library", "library")?;
    let rows = below.iter().map(|page| row(page, "docs/library", &html::escaped(&page.title))).collect();
    Ok(index("Library", "docs/library", "library/index.md", intro, rows, below))
}

/// The pages of a folder of the repository, in a folder of the site.
fn pages_of(repository: &Path, folder: &str, place: &str) -> Result<Vec<Page>> {
    let mut pages = Vec::new();
    for file in files_below(&repository.join(folder))? {
        let source = file.strip_prefix(repository)?;
        let path = Path::new(place).join(source.strip_prefix(folder)?);
        let shown = source.to_str().context("a name in Unicode")?;
        pages.push(Page::read(repository, shown, path.to_str().context("a name in Unicode")?)?);
    }
    Ok(pages)
}

/// An example is its README, with its files behind it.
fn examples(repository: &Path) -> Result<Page> {
    let mut below = Vec::new();
    let mut folders: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(repository.join("examples"))? {
        folders.push(entry?.path());
    }
    folders.sort();
    for folder in folders {
        let name = folder.file_name().context("a folder with a name")?.to_string_lossy().into_owned();
        let source = format!("examples/{name}/README.md");
        let mut page = Page::read(repository, &source, &format!("examples/{name}.md"))?;
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            page.title = format!("{} {}", &name[..2], page.title);
            for file in files_below(&folder)? {
                let of_program = file.extension().is_some_and(|kind| kind == "csl");
                if of_program {
                    let file = file.file_name().context("a name")?.to_string_lossy().into_owned();
                    let _ = write!(page.text, "\n```csl\n{{{{#include {file}}}}}\n```\n");
                }
            }
        }
        below.push(page);
    }
    let rows = below.iter().map(|page| row(page, "examples", &page.title)).collect();
    let intro = "Each folder of `examples` in the repository shows one idea. The tests run them all.";
    Ok(index("Examples", "examples", "examples/index.md", intro, rows, below))
}

/// A row of an index: the page is named by its file, as seen from the folder of all of them.
fn row(page: &Page, folder: &str, name: &str) -> String {
    let file = page.source.strip_prefix(folder).unwrap_or(&page.source);
    format!("- [{name}]({}): {}\n", file.display(), gist(&page.text))
}

/// The first sentence of a page.
fn gist(text: &str) -> String {
    let paragraph: Vec<&str> =
        text.lines().skip(1).skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty()).collect();
    let paragraph = paragraph.join(" ");
    let end = paragraph.find(". ").map_or(paragraph.len(), |end| end + 1);
    paragraph[..end].to_string()
}

fn index(title: &str, folder: &str, path: &str, intro: &str, rows: Vec<String>, below: Vec<Page>) -> Page {
    Page {
        title: title.to_string(),
        path: path.into(),
        source: Path::new(folder).join("index.md"),
        text: format!("# {title}\n\n{intro}\n\n{}", rows.concat()),
        below,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_and_modules_have_names_in_code() {
        assert_eq!(name(Path::new("docs/rules/deadlock.md")).as_deref(), Some("deadlock"));
        assert_eq!(name(Path::new("docs/library/memcpy/memcpy.md")).as_deref(), Some("<memcpy/memcpy>"));
        assert_eq!(name(Path::new("docs/cli.md")), None);
        assert_eq!(name(Path::new("docs/rules/index.md")), None);
    }

    #[test]
    fn the_gist_is_the_first_sentence() {
        assert_eq!(gist("# a\n\nOne\nthing. Another.\n"), "One thing.");
    }

    #[test]
    fn rules_are_listed_in_groups() {
        assert_eq!(
            grouped("Names\n  a-b   One.\n\nNext\n\n`x`\n"),
            "\n## Names\n\n- [a-b](a-b.md): One.\n\n## Next\n\n"
        );
    }
}
