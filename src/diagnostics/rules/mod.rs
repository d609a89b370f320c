//! The catalogue of rules, one file for each module that raises them.

pub mod check;
pub mod comptime;
pub mod dsd;
pub mod host;
pub mod layout;
pub mod run;
pub mod syntax;
pub mod tasks;

use super::Rule;
use include_dir::{Dir, include_dir};

static PAGES: Dir = include_dir!("$CARGO_MANIFEST_DIR/docs/rules");

/// The rules of each module, behind what they are about.
pub fn topics() -> [(&'static str, &'static [&'static Rule]); 8] {
    [
        ("The text of a program", syntax::ALL),
        ("Names, types and comptime", comptime::ALL),
        ("DSDs, DSRs, FIFOs and their operations", dsd::ALL),
        ("Tasks, ids and queues, and how a run ends", tasks::ALL),
        ("The layout: PEs, routes, exports", layout::ALL),
        ("What is found before the run", check::ALL),
        ("What a PE finds while it runs", run::ALL),
        ("What the host may ask for", host::ALL),
    ]
}

/// Every rule, module by module.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    topics().into_iter().flat_map(|(_, rules)| rules).copied()
}

/// The rule with this name.
pub fn find(name: &str) -> Option<&'static Rule> {
    all().find(|r| r.name == name)
}

/// The page of a rule, in Markdown.
pub fn page(rule: &Rule) -> Option<&'static str> {
    PAGES.get_file(format!("{}.md", rule.name))?.contents_utf8()
}
