//! The embedded library, in CSL.
//!
//! In: the name between `<` and `>`. Out: program text.
//! Never: knows what the text means.
//!
//! Only these files may use the builtins whose names begin with `__`; `sema::builtins` has them in
//! `library.rs`, `intrinsics.rs` and `config.rs`. A file below `csl` is found by its name, with nothing else
//! to register.
//!
//! A function of theirs may take several numbers of arguments: a call of `name` with two of them is one of
//! `name__with_2`, if that is declared beside it.

use include_dir::{Dir, include_dir};
use std::collections::BTreeMap;
use std::sync::LazyLock;

static FOLDER: Dir = include_dir!("$CARGO_MANIFEST_DIR/src/stdlib/csl");

/// Library files of the SDK that nobody has written for cslrun yet.
const MISSING: &[&str] = &["kernels/fft/get_params"];

/// Functions of the SDK that a library file here lacks, with what to write instead.
const MISSING_MEMBERS: &[(&str, &str, &str)] = &[
    (
        "message_passing",
        "encode_header",
        "send the message with `send_message`, which makes the header: the documents do not describe its bits",
    ),
    ("debug", "tagged_put_u8", "write `trace(x)`: the SDK's library uses this function itself"),
    ("debug", "put_u16", "write `trace(x)`: the SDK's library uses this function itself"),
    ("debug", "put_u32", "write `trace(x)`: the SDK's library uses this function itself"),
];

/// The text of a library file; `path` is the name without `<` and `>`.
pub fn find(path: &str) -> Option<&'static str> {
    // Release 0.9 had the library for several channels under a name of its own.
    if let Some(file) = path.strip_prefix("memcpy_multi/") {
        return find(&format!("memcpy/{file}"));
    }
    files().get(path).copied()
}

/// The names of all library files, in alphabetical order, without `<` and `>`.
pub fn names() -> impl Iterator<Item = &'static str> {
    files().keys().copied()
}

/// Whether the SDK has a library file of this name that is missing here.
pub fn is_missing(path: &str) -> bool {
    MISSING.contains(&path)
}

/// What to write instead of a function of the SDK that a library file here lacks.
pub fn instead_of(path: &str, member: &str) -> Option<&'static str> {
    let mut members = MISSING_MEMBERS.iter();
    members.find(|(file, name, _)| (*file, *name) == (path, member)).map(|(.., instead)| *instead)
}

/// The names of library files of the SDK that are missing here, without `<` and `>`.
pub fn missing() -> impl Iterator<Item = &'static str> {
    MISSING.iter().copied()
}

/// Names and texts of all files below the folder.
fn files() -> &'static BTreeMap<&'static str, &'static str> {
    static FILES: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
        let mut all = BTreeMap::new();
        let mut folders = vec![&FOLDER];
        while let Some(folder) = folders.pop() {
            folders.extend(folder.dirs());
            all.extend(folder.files().filter_map(|file| {
                let name = file.path().to_str()?.strip_suffix(".csl")?;
                Some((name, file.contents_utf8()?))
            }));
        }
        all
    });
    &FILES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_and_lead_to_their_text() {
        let all: Vec<_> = names().collect();
        assert!(all.is_sorted() && all.len() > 40, "{all:?}");
        assert!(find("memcpy/get_params").is_some_and(|text| text.contains("fn get_params(")));
        assert_eq!(find("<math>"), None);
        assert_eq!(find("mathematics"), None);
    }

    #[test]
    fn what_is_missing_is_not_there() {
        assert!(MISSING.iter().all(|path| find(path).is_none()));
        assert!(MISSING_MEMBERS.iter().all(|(path, member, _)| {
            find(path).is_some_and(|text| !text.contains(&format!("fn {member}(")))
        }));
        assert!(is_missing("kernels/fft/get_params") && !is_missing("math") && !is_missing("mathematics"));
    }
}
