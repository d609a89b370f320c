//! The book and the reference pages as one site.
//!
//! In: the repository: the chapters of the book with their programs, and the pages of the documentation,
//! which the tests of cslrun check. Out: a folder of static pages that needs no server of its own.
//! Never: a copy of a page in the repository, or a page whose program the tests do not run.

mod chapter;
mod code;
mod console;
mod exercise;
mod html;
mod lessons;
mod links;
mod markdown;
mod picture;
mod reference;
mod site;

pub use picture::Cslrun;
pub use site::{Page, Site};

use anyhow::{Context, Result};
use mdbook_driver::MDBook;
use mdbook_driver::book::{Book, BookItem, Chapter, SectionNumber};
use mdbook_driver::config::Config;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext, parse_input};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Files of mdBook's own theme that no page of ours refers to.
const UNUSED: [&str; 10] = [
    "ayu-highlight.css",
    "book.js.map",
    "clipboard.min.js",
    "css/chrome.css",
    "css/print.css",
    "css/variables.css",
    "highlight.css",
    "highlight.js",
    "mark.min.js.map",
    "tomorrow-night.css",
];

/// Folders that the pages refer to, with their names in the site.
const COPIED: [(&str, &str); 4] = [
    ("docs/book/programs", "programs"),
    ("docs/book/exercises", "exercises"),
    ("docs/book/solutions", "solutions"),
    ("docs/img", "img"),
];

/// Builds the site of a repository into a folder, which is emptied first.
///
/// # Errors
/// A page that cannot be read or built, or a picture that `cslrun` cannot draw.
pub fn build(repository: &Path, cslrun: &Cslrun, folder: &Path) -> Result<()> {
    let root = repository.join("docs/book");
    let mut config = Config::from_disk(root.join("book.toml"))?;
    config.build.build_dir = folder.to_path_buf();
    // Those of book.toml are for the command `mdbook`: here they are this crate.
    config.set("preprocessor", BTreeMap::<String, String>::new())?;
    let mut book = MDBook::load_with_config(&root, config)?;
    let site = Site::of(repository, chapters_of(book.iter()), cslrun)?;
    book.with_preprocessor(Pages { site, cslrun: cslrun.clone() });
    book.build()?;
    for name in UNUSED {
        let _ = fs::remove_file(folder.join(name));
    }
    for (from, to) in COPIED {
        copy(&repository.join(from), &folder.join(to))?;
    }
    Ok(())
}

/// Serves the command `mdbook` as a preprocessor: takes its message, and answers with the book as it is to be rendered.
///
/// # Errors
/// A message that is not understood, a page that cannot be built, or a picture that `cslrun` cannot draw.
pub fn preprocess(repository: &Path, cslrun: &Cslrun, input: impl Read, output: impl Write) -> Result<()> {
    let (context, book) = parse_input(input)?;
    let site = Site::of(repository, chapters_of(book.iter()), cslrun)?;
    let book = Pages { site, cslrun: cslrun.clone() }.run(&context, book)?;
    Ok(serde_json::to_writer(output, &book)?)
}

/// The pages of the table of contents: title and file name.
fn chapters_of<'b>(items: impl Iterator<Item = &'b BookItem>) -> Vec<(String, String)> {
    let chapters = items.filter_map(|item| match item {
        BookItem::Chapter(chapter) => {
            Some((chapter.name.clone(), chapter.source_path.as_ref()?.display().to_string()))
        }
        BookItem::Separator | BookItem::PartTitle(_) => None,
    });
    chapters.collect()
}

/// What is done to the book before mdBook renders it: the chapters are drawn, and all other pages added.
struct Pages {
    site: Site,
    cslrun: Cslrun,
}

impl Preprocessor for Pages {
    fn name(&self) -> &str {
        "cslrun"
    }

    fn run(&self, _: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let mut failed = None;
        let mut number = 0;
        book.for_each_chapter_mut(|chapter| {
            let Some(path) = chapter.path.clone() else { return };
            match self.site.page(&path).map(|page| chapter::markdown(&self.site, page, &self.cslrun)) {
                Some(Ok(text)) => chapter.content = text,
                Some(Err(error)) => failed = Some(error.context(path.display().to_string())),
                None => {}
            }
            if chapter.number.is_some() {
                number += 1;
                chapter.name = format!("{number}. {}", chapter.name);
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        for part in self.site.parts() {
            book.push_item(BookItem::PartTitle(part.title.clone()));
            for page in &part.pages {
                number += 1;
                book.push_item(self.chapter(page, &[number])?);
            }
        }
        Ok(book)
    }
}

impl Pages {
    /// A page with those below it. mdBook nests them by their numbers, which are not shown.
    fn chapter(&self, page: &Page, number: &[u32]) -> Result<BookItem> {
        let text = chapter::markdown(&self.site, page, &self.cslrun)
            .with_context(|| page.path.display().to_string())?;
        let mut chapter = Chapter::new(&page.title, text, page.path.clone(), Vec::new());
        chapter.number = Some(SectionNumber::new(number));
        for (below, i) in page.below.iter().zip(1..) {
            chapter.sub_items.push(self.chapter(below, &[number, &[i]].concat())?);
        }
        Ok(BookItem::Chapter(chapter))
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    for file in files_below(from)? {
        let target = to.join(file.strip_prefix(from)?);
        fs::create_dir_all(target.parent().context("a file in a folder")?)?;
        fs::copy(&file, &target).with_context(|| file.display().to_string())?;
    }
    Ok(())
}

/// All files below a folder, in order of their paths. What a host script leaves behind is not of the site.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        match path.is_dir() {
            true if path.ends_with("out") || path.ends_with("simfab_traces") => {}
            true => found.extend(files_below(&path)?),
            false => found.push(path),
        }
    }
    found.sort();
    Ok(found)
}
