use super::outcome::Outcome;
use super::page::{rendered, styled};
use crate::MessageFormat;
use crate::diagnostics::{Group, Rule, rules, suggest};
use anstyle::Style;
use std::fmt::Write;

/// Lines longer than this are hard to read, however wide the terminal is.
const WIDEST: usize = 100;

/// `cslrun explain [RULE]`, for a terminal of this width or, without one, as the plain text of the
/// page.
pub fn explain(name: Option<&str>, width: Option<usize>) -> Outcome {
    let mut outcome = Outcome::new(MessageFormat::Plain);
    let width = width.map(|w| w.min(WIDEST));
    let Some(name) = name else {
        outcome.printed = everything(width);
        return outcome;
    };
    // People copy what they see: `error[name]`.
    let name = name.rsplit_once('[').map_or(name, |(_, inner)| inner.trim_end_matches(']'));
    let is_alike = |rule: &&Rule| rule.name.contains(name) || group(rule) == Some(name);
    let alike: Vec<&Rule> = rules::all().filter(|rule| !name.is_empty() && is_alike(rule)).collect();
    match (rules::find(name), alike.as_slice()) {
        (Some(rule), _) => outcome.printed = page(rule, width),
        (None, [only]) => outcome.printed = page(only, width),
        (None, []) => outcome.refuse(unknown(name)),
        (None, several) => outcome.printed = list(several, name, width),
    }
    outcome
}

/// The group whose levels are set together with that of a rule.
fn group(rule: &Rule) -> Option<&'static str> {
    rule.lint.map(|lint| lint.group.name())
}

fn everything(width: Option<usize>) -> String {
    let mut out = String::new();
    for (topic, rules) in rules::topics() {
        let heading = if width.is_some() { styled(topic, Style::new().bold()) } else { topic.to_string() };
        let _ = writeln!(out, "{heading}\n{}", list(rules, "", width));
    }
    let [groups @ .., last] = Group::ALL.map(|group| format!("`{}`", group.name()));
    let groups = groups.join(", ");
    let usage =
        "`cslrun explain RULE` prints the page of a rule; part of a name lists the rules that contain it,";
    format!("{out}{usage}\nand {groups} or {last} those of a group.\n")
}

/// A line for each rule; those whose names begin with `start` come first.
fn list(rules: &[&Rule], start: &str, width: Option<usize>) -> String {
    let mut sorted = rules.to_vec();
    sorted.sort_by_key(|rule| (!rule.name.starts_with(start), rule.name));
    let longest = sorted.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for rule in sorted {
        let line = format!("  {:longest$}  {}", rule.name, rule.meaning.trim());
        let _ = writeln!(out, "{}", width.map_or(line.clone(), |width| cut(&line, width)));
    }
    out
}

fn cut(line: &str, width: usize) -> String {
    match line.chars().count() > width {
        true => line.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
        false => line.to_string(),
    }
}

fn page(rule: &Rule, width: Option<usize>) -> String {
    let text = rules::page(rule);
    let text = text.map_or_else(|| format!("# {}\n\n{}\n", rule.name, rule.meaning.trim()), str::to_string);
    match width {
        Some(width) => rendered(&text, width),
        None => text,
    }
}

fn unknown(name: &str) -> String {
    let hint = match suggest::nearest(name, rules::all().map(|r| r.name)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`cslrun explain` lists all rules".to_string(),
    };
    format!("there is no rule `{name}`; {hint}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Exit;

    #[test]
    fn a_part_of_a_name_lists_the_rules_that_hold_it() {
        let printed = explain(Some("fifo-dsr"), None).printed;
        let names: Vec<_> = printed.lines().filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(names, ["fifo-dsr-empty", "fifo-dsr-load", "fifo-dsr-missing", "fifo-dsr-numbers"]);
    }

    #[test]
    fn rules_that_begin_with_a_part_come_first() {
        let printed = explain(Some("data"), None).printed;
        let names: Vec<_> = printed.lines().filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(names, ["data-race", "control-as-data"]);
    }

    #[test]
    fn the_name_of_a_group_lists_its_rules() {
        let printed = explain(Some("style"), None).printed;
        let style = rules::all().filter(|rule| group(rule) == Some("style"));
        assert_eq!(printed.lines().count(), style.count());
        assert!(printed.contains("  old-color-config  "), "{printed}");
    }

    #[test]
    fn the_only_rule_that_holds_a_part_is_shown_itself() {
        assert!(explain(Some("chained"), None).printed.starts_with("# chained-comparison\n"));
    }

    #[test]
    fn every_rule_is_listed_in_a_line_that_fits() {
        let printed = explain(None, Some(60)).printed;
        let plain = anstream::adapter::strip_str(&printed).to_string();
        let lines: Vec<&str> = plain.lines().filter(|line| line.starts_with("  ")).collect();
        assert_eq!(lines.len(), rules::all().count());
        assert!(lines.iter().all(|line| line.chars().count() <= 60));
    }

    #[test]
    fn an_unknown_name_is_corrected() {
        let outcome = explain(Some("dead-lok"), None);
        assert_eq!(outcome.exit, Exit::Usage);
        assert!(explain(Some("deadlok"), None).complaint.expect("no such rule").contains("`deadlock`"));
    }
}
