use super::outcome::Outcome;
use crate::diagnostics::render::MessageFormat;
use crate::diagnostics::{Rule, rules, suggest};
use include_dir::{Dir, include_dir};
use std::fmt::Write;

static PAGES: Dir = include_dir!("$CARGO_MANIFEST_DIR/docs/rules");

/// `cslrun explain [RULE]`
pub fn explain(name: Option<&str>) -> Outcome {
    let mut outcome = Outcome::new(MessageFormat::Plain);
    // People copy what they see: `error[name]`.
    let bare = name.map(|n| n.rsplit_once('[').map_or(n, |(_, inner)| inner.trim_end_matches(']')));
    match bare.map(|name| (name, rules::find(name))) {
        None => outcome.printed = list(),
        Some((_, Some(rule))) => outcome.printed = page(rule),
        Some((name, None)) => outcome.refuse(unknown(name)),
    }
    outcome
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
