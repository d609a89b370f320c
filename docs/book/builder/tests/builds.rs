//! The site builds, and what comes out is whole: every page, every picture, every link.

use book::{Cslrun, build, preprocess};
use mdbook_driver::MDBook;
use mdbook_driver::book::{Book, BookItem};
use mdbook_driver::config::Config;
use mdbook_preprocessor::PreprocessorContext;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().expect("the repository")
}

/// The folder of the site, which is built once.
fn site() -> &'static Path {
    static SITE: OnceLock<PathBuf> = OnceLock::new();
    SITE.get_or_init(|| {
        let folder = repository().join("target/book");
        let cslrun = Cslrun::of(&repository()).expect("cslrun");
        build(&repository(), &cslrun, &folder).unwrap_or_else(|e| panic!("{e:?}"));
        folder
    })
}

fn files_below(folder: &Path, kind: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            found.extend(files_below(&path, kind));
        } else if path.extension().is_some_and(|found| found == kind) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The text of each page by its path in the site.
fn pages() -> BTreeMap<String, String> {
    let files = files_below(site(), "html").into_iter();
    let read = |file: PathBuf| {
        let name = file.strip_prefix(site()).expect("a page of the site").display().to_string();
        (name, read_to_string(&file).expect("a readable page"))
    };
    files.map(read).collect()
}

/// What is between `<main>` and `</main>`.
fn main_of(html: &str) -> &str {
    html.split_once("<main").and_then(|(_, rest)| rest.split_once("</main>")).map_or("", |(main, _)| main)
}

#[test]
fn every_page_of_the_documentation_has_a_page() {
    let pages = pages();
    let mut missing = BTreeSet::new();
    for (folder, place) in [("docs/rules", "rules"), ("docs/library", "library"), ("docs/book/src", "")] {
        let folder = repository().join(folder);
        for file in files_below(&folder, "md").iter().filter(|file| !file.ends_with("SUMMARY.md")) {
            let path = Path::new(place).join(file.strip_prefix(&folder).expect("a file below"));
            let path = path.with_extension("html").display().to_string();
            if !pages.contains_key(&path) {
                missing.insert(path);
            }
        }
    }
    for entry in std::fs::read_dir(repository().join("docs")).expect("the documentation") {
        let name = entry.expect("a readable folder").file_name().to_string_lossy().to_lowercase();
        let path = format!("reference/{}", name.replace(".md", ".html"));
        if name.ends_with(".md") && !pages.contains_key(&path) {
            missing.insert(path);
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
    assert!(pages.keys().filter(|page| page.starts_with("lessons/")).count() > 40);
    assert!(pages.keys().filter(|page| page.starts_with("examples/")).count() > 10);
}

#[test]
fn an_index_leads_to_every_page_below_it() {
    let pages = pages();
    for folder in ["rules", "library", "examples"] {
        let index = main_of(&pages[&format!("{folder}/index.html")]);
        for page in pages.keys().filter(|page| page.starts_with(&format!("{folder}/"))) {
            let is_listed = page.ends_with("index.html") || index.contains(&format!("href=\"../{page}\""));
            assert!(is_listed, "{page} is not in the index");
        }
    }
}

#[test]
fn every_link_leads_to_a_page_and_a_heading() {
    let pages = pages();
    let mut broken = BTreeSet::new();
    let mut count = 0;
    for (name, html) in &pages {
        for target in
            ["href=\"", "src=\""].iter().flat_map(|attribute| main_of(html).split(attribute).skip(1))
        {
            let target = target.split('"').next().unwrap_or_default();
            if target.contains("://") {
                continue;
            }
            count += 1;
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let folder = Path::new(name).parent().expect("a page in a folder");
            let path = if file.is_empty() { name.clone() } else { tidy(&folder.join(file)) };
            let leads = match pages.get(&path) {
                Some(html) => heading.is_empty() || html.contains(&format!("id=\"{heading}\"")),
                None => site().join(&path).is_file(),
            };
            if !leads {
                broken.insert(format!("{name}: {target}"));
            }
        }
    }
    assert!(count > 1000, "{count} links");
    assert!(broken.is_empty(), "{broken:#?}");
}

/// A path without `..`.
fn tidy(path: &Path) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.iter().map(|part| part.to_str().expect("Unicode")) {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

#[test]
fn every_dsd_that_a_chapter_shows_is_drawn() {
    let pages = pages();
    let folder = repository().join("docs/book/src");
    for file in files_below(&folder, "md") {
        let text = read_to_string(&file).expect("a readable chapter");
        let shown = text.lines().filter(|line| line.starts_with("$ cslrun dsd ")).count();
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let Some(html) = pages.get(&format!("{name}.html")) else { continue };
        assert_eq!(html.matches("<figure class=\"picture\"").count(), shown, "{name}");
        assert_eq!(main_of(html).matches("<svg").count(), shown, "{name}");
        assert_eq!(
            main_of(html).matches("class=\"visited\"").count() > 0,
            shown > 0,
            "{name}: nothing is visited"
        );
        for color in ["fill=\"white\"", "#cfe8ff", "#e07a00", "fill=\"gray\""] {
            assert!(!main_of(html).contains(color), "{name}: {color} is not of the theme");
        }
    }
}

#[test]
fn exercises_have_their_programs_a_hint_and_a_solution() {
    for (name, html) in pages().iter().filter(|(name, _)| name.starts_with(|c: char| c.is_ascii_digit())) {
        let sections: Vec<&str> = html.split("<section class=\"exercise\"").skip(1).collect();
        assert_eq!(sections.len(), 2, "{name}");
        for section in sections {
            let section = section.split("</section>").next().unwrap_or_default();
            assert!(section.contains("class=\"program\""), "{name}: no program");
            assert!(section.contains(" exercise-"), "{name}: no program to change");
            assert!(section.contains("<details class=\"hint\">"), "{name}: no hint");
            let solution = section.split("<details class=\"solution\">").nth(1).unwrap_or_default();
            assert!(solution.contains("<figure class=\"listing\""), "{name}: no solution");
        }
        assert!(!html.contains("{{#"), "{name}: something is not included");
    }
}

#[test]
fn the_site_can_be_searched_and_asks_no_other_one_for_anything() {
    let index = read_to_string(site().join("searchindex.js")).expect("an index of words");
    for page in ["rules/deadlock.html", "18-host.html", "library/memcpy/memcpy.html"] {
        assert!(index.contains(page), "{page} is not in the index");
    }
    for (name, html) in pages() {
        let head = html.split("<main").next().unwrap_or_default();
        for loaded in
            ["src=\"", "<link rel=\"stylesheet\" href=\""].iter().flat_map(|tag| head.split(tag).skip(1))
        {
            let loaded = loaded.split('"').next().unwrap_or_default();
            assert!(!loaded.contains("//"), "{name} loads {loaded}");
            let file = tidy(&Path::new(&name).parent().expect("a folder").join(loaded));
            assert!(site().join(&file).is_file(), "{name}: {file} is missing");
        }
    }
    for style in files_below(site(), "css") {
        assert!(!read_to_string(&style).expect("a readable style").contains("url("), "{}", style.display());
    }
}

#[test]
fn code_that_names_a_rule_or_a_module_is_a_link_and_pages_of_rules_lead_back() {
    let pages = pages();
    assert!(pages["01-one-vector.html"].contains("<a href=\"rules/assertion-failed.html\"><code>"));
    assert!(pages["18-host.html"].contains("<a href=\"library/memcpy/memcpy.html\"><code>"));
    assert!(pages["rules/deadlock.html"].contains("<a href=\"../25-hang.html\">"));
    assert!(pages["library/collectives_2d/pe.html"].contains("<a href=\"../../21-collectives.html\">"));
    assert!(pages["03-operands.html"].contains("<a href=\"lessons/"), "lessons of a chapter");
}

#[test]
fn the_command_mdbook_gets_the_same_pages() {
    let root = repository().join("docs/book");
    let config = Config::from_disk(root.join("book.toml")).expect("a configuration");
    let command: BTreeMap<String, BTreeMap<String, String>> = config.preprocessors().expect("preprocessors");
    assert_eq!(command["cslrun"]["command"], "cargo run --quiet --package book -- --preprocess");

    let mut config = config;
    config.set("preprocessor", BTreeMap::<String, String>::new()).expect("a configuration");
    let book = MDBook::load_with_config(&root, config.clone()).expect("the book").book;
    let context = PreprocessorContext::new(root, config, "html".to_string());
    let message = serde_json::to_vec(&(context, book)).expect("JSON");
    let mut answer = Vec::new();
    let cslrun = Cslrun::of(&repository()).expect("cslrun");
    preprocess(&repository(), &cslrun, &message[..], &mut answer).unwrap_or_else(|e| panic!("{e:?}"));
    let book: Book = serde_json::from_slice(&answer).expect("a book");
    let chapters = book.iter().filter_map(|item| match item {
        BookItem::Chapter(chapter) => Some((chapter.path.clone()?.display().to_string(), &chapter.content)),
        BookItem::Separator | BookItem::PartTitle(_) => None,
    });
    let chapters: BTreeMap<String, &String> = chapters.collect();
    assert!(chapters["12-two-pes.md"].contains("<figure class=\"listing\""));
    assert!(chapters.contains_key("rules/deadlock.md"));
}
