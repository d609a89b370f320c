//! Which pages there are, from which files of the repository they come, and where they go.

use crate::picture::Cslrun;
use crate::{lessons, reference};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs::read_to_string;
use std::path::{Component, Path, PathBuf};

/// A page of the site.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its title in the table of contents.
    pub title: String,
    /// Its place in the site, such as `rules/deadlock.md`.
    pub path: PathBuf,
    /// The file in the repository from which its links lead.
    pub source: PathBuf,
    /// Its text, in Markdown.
    pub text: String,
    /// Pages under it in the table of contents.
    pub below: Vec<Page>,
}

impl Page {
    /// A page of the repository. Its title is its heading.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(repository: &Path, source: &str, path: &str) -> Result<Page> {
        let text = read_to_string(repository.join(source)).with_context(|| source.to_string())?;
        let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(source);
        let title = title.replace('`', "");
        Ok(Page { title, path: path.into(), source: source.into(), text, below: Vec::new() })
    }

    /// This page and all below it.
    pub fn all(&self) -> Vec<&Page> {
        let mut pages = vec![self];
        pages.extend(self.below.iter().flat_map(Page::all));
        pages
    }
}

/// A titled part of the table of contents.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its title.
    pub title: String,
    /// Its pages.
    pub pages: Vec<Page>,
}

/// All pages.
#[derive(Clone, Debug)]
pub struct Site {
    /// The repository.
    pub repository: PathBuf,
    chapters: Vec<Page>,
    parts: Vec<Part>,
    /// Places of the pages by their files in the repository.
    places: BTreeMap<PathBuf, PathBuf>,
    /// Names in code that have a page: rules, and modules of the library in angle brackets.
    names: BTreeMap<String, PathBuf>,
}

impl Site {
    /// The site of a repository with these chapters: titles and file names.
    ///
    /// # Errors
    /// A page cannot be read, or `cslrun` does not run.
    pub fn of(repository: &Path, chapters: Vec<(String, String)>, cslrun: &Cslrun) -> Result<Site> {
        let read = |(title, file): (String, String)| -> Result<Page> {
            let page = Page::read(repository, &format!("docs/book/src/{file}"), &file)?;
            Ok(Page { title, ..page })
        };
        let chapters = chapters.into_iter().map(read).collect::<Result<Vec<_>>>()?;
        let mut parts = reference::parts(repository, cslrun)?;
        let lessons = lessons::page(repository)?;
        for page in parts.iter_mut().flat_map(|part| &mut part.pages) {
            if page.source == lessons.source {
                *page = lessons.clone();
            }
        }
        let mut site = Site {
            repository: repository.to_path_buf(),
            chapters,
            parts,
            places: BTreeMap::new(),
            names: BTreeMap::new(),
        };
        let all: Vec<(PathBuf, PathBuf)> =
            site.pages().map(|page| (page.source.clone(), page.path.clone())).collect();
        for (source, path) in all {
            if let Some(name) = reference::name(&source) {
                site.names.insert(name, path.clone());
            }
            site.places.entry(source).or_insert(path);
        }
        Ok(site)
    }

    /// All pages, chapters first.
    pub fn pages(&self) -> impl Iterator<Item = &Page> {
        let others = self.parts.iter().flat_map(|part| part.pages.iter().flat_map(Page::all));
        self.chapters.iter().chain(others)
    }

    /// The page at a place of the site.
    pub fn page(&self, path: &Path) -> Option<&Page> {
        self.pages().find(|page| page.path == path)
    }

    /// The chapters of the book, the introduction among them.
    pub fn chapters(&self) -> &[Page] {
        &self.chapters
    }

    /// What follows the chapters in the table of contents.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Where a link of a page leads, seen from that page; `None` if the site has no such page or picture.
    pub fn target(&self, page: &Page, link: &str) -> Option<String> {
        let (file, heading) = link.split_once('#').unwrap_or((link, ""));
        if file.is_empty() || file.contains("://") {
            return Some(link.to_string());
        }
        let source = tidy(&page.source.parent()?.join(file));
        let place = match source.strip_prefix("docs/img") {
            Ok(picture) => Path::new("img").join(picture),
            Err(_) => self.places.get(&source)?.clone(),
        };
        let heading = if heading.is_empty() { String::new() } else { format!("#{heading}") };
        Some(format!("{}{heading}", between(&page.path, &place)))
    }

    /// The page about what a piece of code names, seen from another page: a rule or a module of the library.
    pub fn page_of(&self, page: &Page, code: &str) -> Option<String> {
        let place = self.names.get(code).filter(|place| **place != page.path)?;
        Some(between(&page.path, place))
    }
}

/// A path without `.` and `..`.
fn tidy(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                whole.pop();
            }
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => whole.push(part),
        }
    }
    whole
}

/// The relative link from one page to another.
pub fn between(from: &Path, to: &Path) -> String {
    let ups = from.components().count() - 1;
    let to: Vec<String> = to.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    "../".repeat(ups) + &to.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_go_up_to_the_root_of_the_site() {
        assert_eq!(between(Path::new("a.md"), Path::new("rules/b.md")), "rules/b.md");
        assert_eq!(between(Path::new("rules/a.md"), Path::new("c.md")), "../c.md");
        assert_eq!(tidy(Path::new("docs/book/src/../../cli.md")), Path::new("docs/cli.md"));
    }
}
