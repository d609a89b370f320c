//! Every case below `tests/cases` is a test, named by its path: `cargo cases dsd/fifo` runs those whose
//! name holds these letters.
//!
//! The text of the diagnostics is a snapshot beside the case, in rich form, too, for the case that stands
//! for its rule.

#[allow(dead_code, reason = "the other tests look at more of a case")]
#[path = "it/case_file.rs"]
mod case_file;
#[path = "it/cases.rs"]
mod cases;
#[path = "it/files.rs"]
mod files;

use crate::case_file::{Case, cases_of_rules};
use crate::cases::check;
use crate::files::{files_below, root};
use cslrun::MessageFormat;
use libtest_mimic::{Arguments, Trial};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn main() {
    let folder = root().join("tests/cases");
    let of_rules: BTreeSet<PathBuf> = cases_of_rules().into_values().collect();
    let trial = |path: PathBuf| {
        let name = path.strip_prefix(&folder).expect("a path below the folder").with_extension("");
        let is_of_rule = of_rules.contains(&path);
        Trial::test(name.display().to_string(), move || Ok(check_case(&path, is_of_rule)?))
    };
    let trials: Vec<Trial> = files_below(&folder, "csl").into_iter().map(trial).collect();
    assert!(trials.len() > 700, "{} cases below {}", trials.len(), folder.display());
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Runs a case and compares what is said with its snapshots.
fn check_case(path: &Path, is_of_rule: bool) -> Result<(), String> {
    let case = Case::read(path)?;
    let mut outcome = check(&case)?;
    let name = path.file_stem().expect("a file").to_string_lossy();
    if !case.marks().is_empty() {
        compare(path, &name, &outcome.stderr_text(false));
    }
    if is_of_rule {
        outcome.format = MessageFormat::Rich;
        compare(path, &format!("{name}.rich"), &outcome.stderr_text(false));
    }
    Ok(())
}

fn compare(path: &Path, name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(path.parent().expect("a case in a folder"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}
