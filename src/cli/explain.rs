use super::{Exit, output};
use crate::diagnostics::{Rule, rules, suggest};
use include_dir::{Dir, include_dir};
use std::fmt::Write;

static PAGES: Dir = include_dir!("$CARGO_MANIFEST_DIR/docs/rules");

/// `cslrun explain [RULE]`
pub fn explain(name: Option<&str>) -> Exit {
    let Some(name) = name else {
        output::print(&list());
        return Exit::Fine;
    };
    // People copy what they see: `error[name]`.
    let name = name.rsplit_once('[').map_or(name, |(_, inner)| inner.trim_end_matches(']'));
    match rules::find(name) {
        Some(rule) => {
            output::print(&page(rule));
            Exit::Fine
        }
        None => {
            output::complain(&unknown(name));
            Exit::Usage
        }
    }
}

fn list() -> String {
    let mut all: Vec<&Rule> = rules::all().collect();
    all.sort_by_key(|r| r.name);
    let width = all.iter().map(|r| r.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for rule in all {
        let _ = writeln!(out, "{:width$}  {}", rule.name, rule.why.trim());
    }
    out
}

fn page(rule: &Rule) -> String {
    match PAGES.get_file(format!("{}.md", rule.name)).and_then(|f| f.contents_utf8()) {
        Some(text) => text.to_string(),
        None => format!("# {}\n\n{}\n", rule.name, rule.why.trim()),
    }
}

fn unknown(name: &str) -> String {
    let hint = match suggest::nearest(name, rules::all().map(|r| r.name)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`cslrun explain` lists all rules".to_string(),
    };
    format!("there is no rule `{name}`; {hint}")
}
