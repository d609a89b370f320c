//! The layering of `src`: which module may use which other.

use crate::{files_below, root};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::RandomState;
use std::path::Path;

/// Which module may use which: the table of docs/ARCHITECTURE.md. What a row does not list is forbidden.
fn allowed() -> BTreeMap<String, BTreeSet<String>> {
    let page = std::fs::read_to_string(root().join("docs/ARCHITECTURE.md")).expect("the page");
    let (_, section) = page.split_once("\n## Layering\n").expect("a section about layering");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows =
        section.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | "));
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_string).collect();
    rows.map(|(module, cell)| (module.to_string(), names(cell))).collect()
}

/// What stands in the table for the names that `src/lib.rs` offers.
const FACADE: &str = "lib";

/// The names that `src/lib.rs` offers.
fn facade() -> BTreeSet<String> {
    let code = product_code(&root().join("src/lib.rs"));
    let mut paths = BTreeSet::new();
    for (at, start) in code.match_indices("pub use ") {
        expand("", &code[at + start.len()..], &mut paths);
    }
    let renamed = code.split(" as ").skip(1).filter_map(|rest| rest.split([',', '}', ';']).next());
    let names = paths.iter().filter_map(|path| path.rsplit("::").next());
    names.chain(renamed).map(str::to_string).collect()
}

/// The module of a path at the root of the crate, or what stands for the names that the crate offers.
fn used_module<'p>(path: &'p str, facade: &BTreeSet<String>) -> &'p str {
    let first = path.split("::").next().unwrap_or_default();
    // A function may be called like the module that it lies in.
    let is_offered = facade.contains(first) && !path.starts_with(&format!("{first}::{first}"));
    if is_offered { FACADE } else { first }
}

/// The row of a file: the longest that names a module around it.
fn row_of<'t>(path: &Path, table: &'t BTreeMap<String, BTreeSet<String>>) -> Option<&'t String> {
    let below = path.strip_prefix(root().join("src")).ok()?.with_extension("");
    let file = below.to_string_lossy().replace('/', "::");
    let holds = |row: &&String| file == **row || file.starts_with(&format!("{row}::"));
    table.keys().filter(holds).max_by_key(|row| row.len())
}

/// What a PE may know of the fabric.
const RAMP: &[&str] = &["Wavelet", "Ramp"];

#[test]
fn every_module_uses_only_the_modules_of_its_row() {
    let allowed = allowed();
    let mut breaches = Vec::new();
    let facade = facade();
    // What no file of a row has used so far.
    let mut unused = BTreeMap::new();
    for path in files_below(&root().join("src"), "rs") {
        let Some(module) = module_of(&path) else { continue };
        let Some(row) = row_of(&path, &allowed) else {
            breaches.push(format!("{}: `{module}` is not in the table", path.display()));
            continue;
        };
        let uses = unused.entry(row.clone()).or_insert_with(|| allowed[row].clone());
        for used in paths_of_crate(&product_code(&path)) {
            let first = used_module(&used, &facade);
            if first != module && !allowed[row].contains(first) {
                breaches.push(format!("{}: `{row}` may not use `{first}`", path.display()));
            }
            uses.remove(first);
        }
    }
    assert!(breaches.is_empty(), "\n{}", breaches.join("\n"));
    assert!(allowed.keys().eq(unused.keys()), "the table has rows of modules that do not exist: {allowed:?}");
    unused.retain(|_, uses| !uses.is_empty());
    assert!(unused.is_empty(), "the table allows what nobody uses: {unused:?}");
}

#[test]
fn the_list_of_modules_names_every_one() {
    let page = std::fs::read_to_string(root().join("docs/ARCHITECTURE.md")).expect("the page");
    let list = page.split("```").nth(1).expect("the list");
    let listed: BTreeSet<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let files = files_below(&root().join("src"), "rs");
    let modules: BTreeSet<String> = files.iter().filter_map(|path| module_of(path)).collect();
    let missing: Vec<_> = modules.iter().filter(|module| !listed.contains(module.as_str())).collect();
    assert!(missing.is_empty(), "docs/ARCHITECTURE.md does not list {missing:?}");
}

#[test]
fn a_pe_knows_of_the_fabric_only_its_ramp() {
    for path in files_below(&root().join("src/pe"), "rs") {
        for used in paths_of_crate(&product_code(&path)) {
            let mut parts = used.split("::");
            if parts.next() == Some("fabric") {
                let item = parts.find(|part| *part != "ramp").unwrap_or_default();
                assert!(RAMP.contains(&item), "{}: fabric::{item}", path.display());
            }
        }
    }
}

#[test]
fn only_the_command_line_prints() {
    for path in files_below(&root().join("src"), "rs") {
        if matches!(module_of(&path).as_deref(), Some("cli") | None) {
            continue;
        }
        let code = product_code(&path);
        for word in ["println!", "print!", "dbg!", "std::env"] {
            assert!(!code.contains(word), "{}: {word}", path.display());
        }
    }
}

/// Modules in which not even a file and the one above it import each other.
const STRICT: &[&str] = &["sema", "exec", "pe"];

/// Elsewhere a file may use what the file above it declares, which has to name the files below it.
#[test]
fn files_of_a_module_import_each_other_in_one_direction() {
    let mut circles = BTreeMap::new();
    for outer in allowed().keys().filter(|row| !row.contains("::")) {
        let folder = root().join("src").join(outer);
        let files = files_below(&folder, "rs");
        let module = |path: &Path| {
            let below = path.strip_prefix(&folder).expect("a file of the module").with_extension("");
            let name = below.to_string_lossy().into_owned();
            name.strip_suffix("mod").map_or(name.clone(), |outer| outer.trim_end_matches('/').to_string())
        };
        // The file above them all may lie beside the folder.
        let above = [String::new()];
        let modules: BTreeSet<String> = files.iter().map(|path| module(path)).chain(above).collect();
        let mut imports = DiGraphMap::<&str, (), RandomState>::new();
        for path in &files {
            let name = modules.get(&module(path)).expect("a file of the module");
            for used in imported(outer, name, &product_code(path)) {
                let used = modules.get(nearest(&used, &modules)).expect("a module or the root of all");
                let is_above = used.is_empty() || name.starts_with(&format!("{used}/"));
                if used != name && (STRICT.contains(&outer.as_str()) || !is_above) {
                    imports.add_edge(name.as_str(), used.as_str(), ());
                }
            }
        }
        let found: Vec<Vec<String>> = tarjan_scc(&imports)
            .into_iter()
            .filter(|files| files.len() > 1)
            .map(|files| files.into_iter().map(str::to_string).collect())
            .collect();
        if !found.is_empty() {
            circles.insert(outer.clone(), found);
        }
    }
    assert!(circles.is_empty(), "files that import each other: {circles:#?}");
}

/// What a file imports from the module around it, and the files below it, as paths in that module.
fn imported(around: &str, module: &str, code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("super::").filter(|(at, _)| !code[..*at].ends_with("super::")) {
        let (mut outer, mut rest) = (module, code[at..].split(';').next().unwrap_or_default());
        while let Some(inner) = rest.strip_prefix("super::") {
            (outer, rest) = (outer.rsplit_once('/').map_or("", |(outer, _)| outer), inner);
        }
        let mut paths = BTreeSet::new();
        expand("", rest, &mut paths);
        found.extend(paths.into_iter().map(|path| format!("{outer}/{}", path.replace("::", "/"))));
    }
    let here = paths_of_crate(code).into_iter();
    found.extend(
        here.filter_map(|path| Some(path.strip_prefix(around)?.strip_prefix("::")?.replace("::", "/"))),
    );
    let below = code.lines().filter_map(|line| line.trim().rsplit_once("mod ")?.1.strip_suffix(';'));
    found.extend(below.map(|name| format!("{module}/{name}")));
    found.into_iter().map(|path| path.trim_start_matches('/').to_string()).collect()
}

/// The module of a path, which may name an item of it.
fn nearest<'p>(path: &'p str, modules: &BTreeSet<String>) -> &'p str {
    let mut path = path;
    while !modules.contains(path) {
        path = path.rsplit_once('/').map_or("", |(outer, _)| outer);
    }
    path
}

#[test]
fn grouped_and_single_paths_are_both_found() {
    let code =
        "use crate::a::{b as z, c};\nuse crate::{d::e, f::{g, h}};\ncrate::rules! {}\nlet x = crate::i::j();";
    let found: Vec<String> = paths_of_crate(code).into_iter().collect();
    assert_eq!(found, ["a::b", "a::c", "d::e", "diagnostics::rules", "f::g", "f::h", "i::j"]);
}

/// The folder or file below `src` that holds this file; `None` for what stands above the modules.
fn module_of(path: &Path) -> Option<String> {
    let below = path.strip_prefix(root().join("src")).ok()?;
    let module = below.components().next()?.as_os_str().to_string_lossy();
    let module = module.trim_end_matches(".rs");
    (!["lib", "main", "bin"].contains(&module)).then(|| module.to_string())
}

/// The code of a file without comments and without its tests.
fn product_code(path: &Path) -> String {
    if path.file_stem().is_some_and(|stem| stem == "tests") || path.iter().any(|part| part == "tests") {
        return String::new();
    }
    let text = std::fs::read_to_string(path).expect("a readable source file");
    let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code = |line: &str| line.split("//").next().unwrap_or_default().to_string();
    product.lines().map(code).collect::<Vec<_>>().join("\n")
}

/// Every path that starts at `crate`, with groups taken apart.
fn paths_of_crate(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest: String = code[at + "crate::".len()..].chars().take_while(|c| *c != ';').collect();
        if rest.starts_with("rules!") {
            found.insert("diagnostics::rules".to_string());
        } else {
            expand("", &rest, &mut found);
        }
    }
    found
}

/// Adds the path at the start of `text`; returns what follows it.
fn expand<'t>(prefix: &str, text: &'t str, found: &mut BTreeSet<String>) -> &'t str {
    let text = text.trim_start();
    if let Some(mut group) = text.strip_prefix('{') {
        loop {
            group = expand(prefix, group, found).trim_start();
            match group.strip_prefix(',') {
                Some(rest) if !rest.trim_start().starts_with('}') => group = rest,
                Some(_) | None => break,
            }
        }
        return group.trim_start_matches([',', ' ', '\n']).strip_prefix('}').unwrap_or(group);
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let path = if prefix.is_empty() { word.to_string() } else { format!("{prefix}::{word}") };
    if let Some(deeper) = rest.strip_prefix("::") {
        return expand(&path, deeper, found);
    }
    if let Some(other) = rest.strip_prefix(" as ") {
        // The name that it has in this file says nothing about where it comes from.
        let end = other.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(other.len());
        found.insert(path);
        return &other[end..];
    }
    found.insert(path);
    rest
}
