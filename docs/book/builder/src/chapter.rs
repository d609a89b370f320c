//! A page as mdBook gets it: listings, pictures and exercises as HTML, all links as the site needs them.

use crate::exercise::Exercise;
use crate::markdown::{Block, blocks, included};
use crate::picture::Cslrun;
use crate::site::{Page, Site, between};
use crate::{code, console, lessons, links};
use anyhow::{Context, Result};
use std::fs::read_to_string;
use std::path::Path;

/// The Markdown of a page for mdBook.
pub fn markdown(site: &Site, page: &Page, cslrun: &Cslrun) -> Result<String> {
    let writer = Writer { site, page, cslrun };
    let (text, exercises) = page.text.split_once("\n## Exercises\n").unwrap_or((&page.text, ""));
    let mut out = writer.blocks(text)?;
    if let Some(stem) = lessons::stem(page) {
        out.push_str(&writer.lesson(&stem)?);
    }
    if !exercises.is_empty() {
        out.push_str("\n## Exercises\n\n");
        for section in exercises.split("\n### ").skip(1) {
            out.push_str(&writer.exercise(section)?);
        }
    }
    out.push_str(&writer.more());
    Ok(out)
}

struct Writer<'s> {
    site: &'s Site,
    page: &'s Page,
    cslrun: &'s Cslrun,
}

impl Writer<'_> {
    fn blocks(&self, text: &str) -> Result<String> {
        let mut out = String::new();
        for block in blocks(text) {
            match block {
                Block::Line(line) => out.push_str(&links::linked(self.site, self.page, &line)),
                Block::Code { info, text } => {
                    out.push_str("\n\n");
                    out.push_str(&self.code(&info, &text)?);
                }
            }
            out.push('\n');
        }
        Ok(out)
    }

    fn code(&self, info: &str, text: &str) -> Result<String> {
        if let Some(file) = included(text) {
            let folder = self.page.source.parent().context("a page in a folder")?;
            let path = self.site.repository.join(folder).join(file);
            let text = read_to_string(&path).with_context(|| path.display().to_string())?;
            let caption = file.trim_start_matches("../");
            return Ok(code::listing(info, caption, text.trim_end()));
        }
        match info {
            "console" => console::figures(self.site, self.page, self.cslrun, text),
            "text" | "" => Ok(console::text_block(self.site, self.page, text)),
            _ => Ok(code::block(info, text)),
        }
    }

    /// An exercise: its heading and what follows it, up to the next one.
    fn exercise(&self, section: &str) -> Result<String> {
        let (task, rest) = section.split_once("\n```console\n").context("an exercise with a command")?;
        let rest = format!("```console\n{rest}");
        let command = rest.lines().find_map(|line| line.strip_prefix("$ ")).context("a command")?;
        let exercise = Exercise::of_command(&self.site.repository, command)?
            .with_context(|| format!("`{command}` runs no exercise"))?;
        Ok([
            exercise.opening(),
            self.blocks(&format!("### {task}\n"))?,
            exercise.programs(),
            self.blocks(&rest)?,
            exercise.closing(),
        ]
        .concat())
    }

    fn lesson(&self, stem: &str) -> Result<String> {
        let lesson = Exercise::of_lesson(&self.site.repository, stem)?;
        let mut out = format!("\n\n{}{}", lesson.opening(), lesson.programs());
        for (number, hint) in (1..).zip(lessons::hints(&self.site.repository, stem)?) {
            let hint = hint.lines().map(|line| links::linked(self.site, self.page, line)).collect::<Vec<_>>();
            out.push_str(&format!(
                "<details class=\"hint\"><summary>Hint {number}</summary>\n\n{}\n\n</details>\n\n",
                hint.join("\n")
            ));
        }
        Ok(out + &lesson.closing())
    }

    /// Where the subject of this page is met elsewhere.
    fn more(&self) -> String {
        let Some(name) = crate::reference::name(&self.page.source) else { return self.lessons() };
        let chapters = self.site.chapters().iter().filter(|chapter| mentions(self.site, chapter, &name));
        let list = self.list(chapters);
        if list.is_empty() {
            list
        } else {
            format!("\n\n<nav class=\"more\">\n\n**In the book:** {list}\n\n</nav>\n")
        }
    }

    /// The lessons that belong to this chapter.
    fn lessons(&self) -> String {
        let number =
            self.page.source.file_stem().and_then(|stem| stem.to_str()?.split('-').next()?.parse().ok());
        let (Some(number), true) = (number, self.page.source.starts_with("docs/book")) else {
            return String::new();
        };
        let lessons = self.site.pages().filter(|page| lessons::stem(page).is_some());
        let list = self.list(lessons.filter(|lesson| lessons::chapter(lesson) == Some(number)));
        if list.is_empty() {
            list
        } else {
            format!("\n\n<nav class=\"more\">\n\n**Lessons:** {list}\n\n</nav>\n")
        }
    }

    fn list<'p>(&self, pages: impl Iterator<Item = &'p Page>) -> String {
        let link = |page: &Page| format!("[{}]({})", page.title, between(&self.page.path, &page.path));
        pages.map(link).collect::<Vec<_>>().join(", ")
    }
}

/// Whether a chapter, or a program that it shows, names a rule or a module.
fn mentions(site: &Site, chapter: &Page, name: &str) -> bool {
    let is_module = name.starts_with('<');
    let wanted = match is_module {
        true => [format!("`{name}`"), format!("\"{name}\"")],
        false => [format!("`{name}`"), format!("[{name}]")],
    };
    let has = |text: &str| wanted.iter().any(|wanted| text.contains(wanted));
    has(&chapter.text)
        || is_module
            && blocks(&chapter.text).iter().any(|block| match block {
                Block::Code { text, .. } => included(text).is_some_and(|file| {
                    let folder = chapter.source.parent().unwrap_or(Path::new(""));
                    read_to_string(site.repository.join(folder).join(file)).is_ok_and(|text| has(&text))
                }),
                Block::Line(_) => false,
            })
}
