//! The embedded library and the pages of rules as files, which editors can open.

use crate::catalogue;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes them below a folder, unless they are there. Gives the folder of the library and that of the pages; none if it
/// cannot be written.
pub fn write(cache: &Path) -> (Option<PathBuf>, Option<PathBuf>) {
    let folder = cache.join(env!("CARGO_PKG_VERSION"));
    let library = folder.join("library");
    let mut modules = catalogue::modules().map(|(name, text)| (format!("{name}.csl"), text));
    let library = modules.all(|(name, text)| put(&library.join(name), text)).then_some(library);
    let rules = folder.join("rules");
    let mut pages =
        catalogue::rules().filter_map(|rule| Some((format!("{}.md", rule.name), catalogue::page(rule)?)));
    let rules = pages.all(|(name, text)| put(&rules.join(name), text)).then_some(rules);
    (library, rules)
}

/// Whether the file has this text in the end.
fn put(path: &Path, text: &str) -> bool {
    if fs::read_to_string(path).is_ok_and(|there| there == text) {
        return true;
    }
    let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text));
    written.is_ok()
}
