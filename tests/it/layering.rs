//! The walls between rooms: which room of `src` may name which other.

use crate::{files_below, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Anything absent is forbidden. The same table, with its reasons, is in docs/ARCHITECTURE.md.
const MAY_USE: &[(&str, &[&str])] = &[
    ("source", &[]),
    ("arch", &[]),
    ("ring", &[]),
    ("order", &[]),
    ("stdlib", &["source"]),
    ("diagnostics", &["source"]),
    ("syntax", &["source", "diagnostics"]),
    ("value", &["diagnostics", "arch"]),
    ("dsd", &["diagnostics", "value", "arch"]),
    ("image", &["source", "value", "dsd", "arch"]),
    ("sema", &["source", "stdlib", "diagnostics", "syntax", "value", "dsd", "image", "arch"]),
    ("sdklayout", &["source", "arch", "diagnostics", "sema", "image"]),
    ("trace", &["source", "image", "arch", "diagnostics"]),
    ("fabric", &["image", "arch", "diagnostics", "trace", "ring", "order"]),
    ("exec", &["source", "value", "dsd", "image", "arch", "diagnostics"]),
    ("pe", &["source", "value", "dsd", "image", "exec", "arch", "diagnostics", "trace", "fabric", "ring"]),
    ("wafer", &["source", "exec", "pe", "fabric", "image", "arch", "diagnostics", "trace", "order"]),
    ("host", &["source", "wafer", "image", "value", "diagnostics", "arch", "trace"]),
    ("check", &["source", "fabric", "image", "dsd", "arch", "diagnostics"]),
    ("compile", &["source", "check", "diagnostics", "image", "sdklayout", "sema", "syntax"]),
    ("catalogue", &["diagnostics", "dsd", "sema", "stdlib"]),
    ("cli", &["source", "compile", "check", "arch", "diagnostics", "sema", "dsd", "image", "trace", "host"]),
];

/// What a PE may know of the fabric.
const RAMP: &[&str] = &["Wavelet", "Ramp"];

#[test]
fn no_room_names_a_room_that_it_may_not_use() {
    let mut breaches = Vec::new();
    for path in files_below(&root().join("src"), "rs") {
        let Some(room) = room_of(&path) else { continue };
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == room) else {
            breaches.push(format!("{}: `{room}` is not in the table", path.display()));
            continue;
        };
        for used in paths_of_crate(&product_code(&path)) {
            let first = used.split("::").next().unwrap_or_default();
            if first != room && !allowed.contains(&first) {
                breaches.push(format!("{}: `{room}` may not use `{first}`", path.display()));
            }
        }
    }
    assert!(breaches.is_empty(), "\n{}", breaches.join("\n"));
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
        if matches!(room_of(&path).as_deref(), Some("cli") | None) {
            continue;
        }
        let code = product_code(&path);
        for word in ["println!", "print!", "dbg!", "std::env"] {
            assert!(!code.contains(word), "{}: {word}", path.display());
        }
    }
}

/// Rooms whose files import each other in no circle.
const IN_ORDER: &[&str] = &["sema", "exec", "pe"];

#[test]
fn files_of_a_room_in_order_import_each_other_in_no_circle() {
    for room in IN_ORDER {
        let folder = root().join("src").join(room);
        let files = files_below(&folder, "rs");
        let module = |path: &Path| {
            let below = path.strip_prefix(&folder).expect("a file of the room").with_extension("");
            let name = below.to_string_lossy().into_owned();
            name.strip_suffix("mod").map_or(name.clone(), |outer| outer.trim_end_matches('/').to_string())
        };
        let modules: BTreeSet<String> = files.iter().map(|path| module(path)).collect();
        let imports = |path: &PathBuf| {
            let name = module(path);
            let all = imported(room, &name, &product_code(path)).into_iter();
            let known = all.map(|path| nearest(&path, &modules)).filter(|other| *other != name);
            (name.clone(), known.collect::<BTreeSet<String>>())
        };
        let mut open: BTreeMap<String, BTreeSet<String>> = files.iter().map(imports).collect();
        // A file that imports no open file is part of no circle.
        while let Some(free) = open.iter().find(|(_, all)| all.iter().all(|other| !open.contains_key(other)))
        {
            let free = free.0.clone();
            open.remove(&free);
        }
        assert!(open.is_empty(), "circles in `{room}`: {open:#?}");
    }
}

/// What a module of a room imports from the room, and the modules below it, as paths in the room.
fn imported(room: &str, module: &str, code: &str) -> BTreeSet<String> {
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
        here.filter_map(|path| Some(path.strip_prefix(room)?.strip_prefix("::")?.replace("::", "/"))),
    );
    let below = code.lines().filter_map(|line| line.trim().rsplit_once("mod ")?.1.strip_suffix(';'));
    found.extend(below.map(|name| format!("{module}/{name}")));
    found.into_iter().map(|path| path.trim_start_matches('/').to_string()).collect()
}

/// The module of a path, which may name an item of it.
fn nearest(path: &str, modules: &BTreeSet<String>) -> String {
    let mut path = path;
    while !modules.contains(path) {
        path = path.rsplit_once('/').map_or("", |(outer, _)| outer);
    }
    path.to_string()
}

#[test]
fn grouped_and_single_paths_are_both_found() {
    let code =
        "use crate::a::{b, c};\nuse crate::{d::e, f::{g, h}};\ncrate::rules! {}\nlet x = crate::i::j();";
    let found: Vec<String> = paths_of_crate(code).into_iter().collect();
    assert_eq!(found, ["a::b", "a::c", "d::e", "diagnostics::rules", "f::g", "f::h", "i::j"]);
}

/// The folder or file below `src` that holds this file; `None` for what stands above the rooms.
fn room_of(path: &Path) -> Option<String> {
    let below = path.strip_prefix(root().join("src")).ok()?;
    let room = below.components().next()?.as_os_str().to_string_lossy();
    let room = room.trim_end_matches(".rs");
    (!["lib", "main", "bin"].contains(&room)).then(|| room.to_string())
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
    match rest.strip_prefix("::") {
        Some(deeper) => expand(&path, deeper, found),
        None => {
            found.insert(path);
            rest
        }
    }
}
