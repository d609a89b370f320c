//! The lessons of `cslrun learn`, a page each.

use crate::site::Page;
use anyhow::{Context, Result};
use std::fmt::Write;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// The page about lessons, with the lessons below it.
pub fn page(repository: &Path) -> Result<Page> {
    let mut page = Page::read(repository, "docs/learn.md", "reference/learn.md")?;
    let starts = repository.join("docs/lessons/start");
    let mut entries: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(&starts)? {
        entries.push(entry?.path());
    }
    entries.sort();
    page.below = entries.iter().map(|entry| lesson(entry)).collect::<Result<_>>()?;
    Ok(page)
}

/// The chapter that the head of a lesson names, such as `3`.
pub fn chapter(lesson: &Page) -> Option<usize> {
    let read = lesson.text.lines().find_map(|line| line.strip_prefix("Chapter "))?;
    read.split(['.', ' ']).next()?.parse().ok()
}

fn lesson(entry: &Path) -> Result<Page> {
    let stem = entry.file_stem().context("a name")?.to_string_lossy().into_owned();
    let program = if entry.is_dir() { entry.join("layout.csl") } else { entry.to_path_buf() };
    let text = read_to_string(&program)?;
    let lines = text.lines().take_while(|line| line.starts_with("//"));
    let head: Vec<&str> = lines.map(|line| line.trim_start_matches("//").trim()).collect();
    let title = head.first().and_then(|line| line.strip_prefix("Lesson ")).context("a head")?;
    let (number, name) = title.split_once(": ").context("a number and a title")?;
    let mut page = format!("# {name}\n\n");
    for line in &head[1..] {
        let _ = match line.split_once(": ") {
            Some(("Task", task)) => writeln!(page, "**Task:** {task}"),
            Some(("Read", chapter)) => writeln!(page, "{}\n", read(chapter)),
            Some(("Fails", rule)) => writeln!(page, "It fails with `{rule}`.\n"),
            Some(("Run", arguments)) => writeln!(page, "It runs with `{arguments}`.\n"),
            Some(("Prints", output)) => writeln!(page, "It has to print `{output}`.\n"),
            Some(_) | None => writeln!(page, "{line}"),
        };
    }
    let words = stem.split_once('-').map_or(stem.as_str(), |(_, words)| words);
    let _ = writeln!(page, "\n`cslrun learn {words}` runs it, and tells whether it is done.");
    Ok(Page {
        title: format!("{number}. {name}"),
        path: format!("lessons/{stem}.md").into(),
        source: Path::new("docs/lessons/start").join(entry.file_name().context("a name")?),
        text: page,
        below: Vec::new(),
    })
}

/// `chapter 3 of the book, Title` as the page says it.
fn read(chapter: &str) -> String {
    let rest = chapter.trim_start_matches("chapter ");
    let (number, title) = rest.split_once(" of the book, ").unwrap_or((rest, ""));
    format!("Chapter {number}. {title} explains what it needs.")
}

/// The name of a lesson's files: `03-types`.
pub fn stem(page: &Page) -> Option<String> {
    page.source.strip_prefix("docs/lessons/start").ok()?;
    Some(page.source.file_stem()?.to_string_lossy().into_owned())
}

/// The hints, the first one first.
pub fn hints(repository: &Path, stem: &str) -> Result<Vec<String>> {
    let text = read_to_string(repository.join(format!("docs/lessons/hints/{stem}.txt")))?;
    Ok(text.trim().split("\n\n").map(str::to_string).collect())
}
