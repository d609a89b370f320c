//! Blocks that show a command with its output, and diagnostics.

use crate::code;
use crate::html::{attribute, escaped, span};
use crate::picture::Cslrun;
use crate::site::{Page, Site};
use anyhow::Result;
use std::fmt::Write;
use std::path::Path;

/// A console block of a page, a figure for each command. The picture of a DSD is a drawing.
pub fn figures(site: &Site, page: &Page, cslrun: &Cslrun, text: &str) -> Result<String> {
    let mut out = String::new();
    for (command, output) in commands(text) {
        let shown = shown(site, page, &command, &output);
        let is_picture = command.starts_with("cslrun dsd ") && output.contains("\n  built on ");
        if !is_picture {
            let needs = needs(site, page, &command);
            let data = data("console", page, &command);
            let _ = write!(out, "<figure {data}>{needs}\n\n{shown}\n\n</figure>\n\n");
            continue;
        }
        let svg = cslrun.picture(&command, &site.repository.join(folder(page)))?;
        let name = command.split([':', ' ']).nth(3).unwrap_or(&command);
        let _ = write!(
            out,
            "<figure {}>\n<figcaption><code>{}</code></figcaption>\n<div class=\"drawing\">\n{svg}\n</div>\n<details><summary>What <code>cslrun \
             dsd</code> says about <code>{}</code></summary>\n\n{shown}\n\n</details>\n</figure>\n\n",
            data("picture", page, &command),
            escaped(&command),
            escaped(name),
        );
    }
    Ok(out)
}

/// A host script runs in no browser, which the page says where it shows one.
fn needs(site: &Site, page: &Page, command: &str) -> String {
    if !command.starts_with("sh ../") {
        return String::new();
    }
    let target = site.target(page, "../../host-scripts.md").unwrap_or_default().replace(".md", ".html");
    format!(
        "<figcaption>The host script needs the <a href=\"{target}\">Python package</a>; it does not run in a browser.</figcaption>"
    )
}

/// Where the commands of a page run: beside it, but those of the page of the command line in the root.
fn folder(page: &Page) -> &Path {
    match page.source.parent() {
        Some(folder) if !page.source.ends_with("cli.md") => folder,
        Some(_) | None => Path::new(""),
    }
}

/// The attributes by which a script finds a command of the book and its program.
fn data(class: &str, page: &Page, command: &str) -> String {
    let mut words = command.split_whitespace().skip(1);
    let program =
        words.find_map(|word| word.strip_prefix("../")).filter(|_| page.source.starts_with("docs/book"));
    let program = program.map_or(String::new(), |file| {
        let file = file.split(':').next().unwrap_or(file);
        format!(" data-program=\"{}\"", attribute(file))
    });
    format!("class=\"{class}\" data-command=\"{}\"{program}", attribute(command))
}

/// Commands with their outputs.
fn commands(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => found.push((command.to_string(), String::new())),
            (None, Some((_, output))) => {
                // The status is for the tests.
                let is_status = output.is_empty() && line.strip_prefix("? ").is_some();
                if !is_status {
                    let _ = writeln!(output, "{line}");
                }
            }
            (None, None) => {}
        }
    }
    found
}

fn shown(site: &Site, page: &Page, command: &str, output: &str) -> String {
    let prompt = format!("{} {}\n", span("prompt", "$"), span("command", command));
    format!("<pre class=\"console\"><code>{prompt}{}</code></pre>", colored(site, page, output.trim_end()))
}

/// A block of text that may hold diagnostics.
pub fn text_block(site: &Site, page: &Page, text: &str) -> String {
    let is_diagnostic = text.lines().any(|line| severity(line).is_some());
    match is_diagnostic {
        true => format!("<pre class=\"console\"><code>{}</code></pre>", colored(site, page, text)),
        false => code::block("text", text),
    }
}

/// Diagnostics with their titles and marks in colors, and with links to the pages of the rules.
fn colored(site: &Site, page: &Page, text: &str) -> String {
    let lines = text.lines().map(|line| match severity(line) {
        Some((severity, rule, title)) => {
            let name = match site.page_of(page, rule) {
                Some(target) => format!("<a href=\"{}\">{rule}</a>", target.replace(".md", ".html")),
                None => escaped(rule),
            };
            format!("<span class=\"{severity}\">{severity}[{name}]</span><b>{}</b>", escaped(title))
        }
        None if is_mark(line) => span("mark", line),
        None if line.trim_start().starts_with("= help:") => span("help", line),
        None => escaped(line),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// `error[rule]: title` in its parts.
fn severity(line: &str) -> Option<(&str, &str, &str)> {
    let (severity, rest) = line.split_once('[')?;
    let (rule, title) = rest.split_once(']')?;
    let is_title = matches!(severity, "error" | "warning") && title.starts_with(": ");
    is_title.then_some((severity, rule, title))
}

/// Whether a line of a report underlines the line above it.
fn is_mark(line: &str) -> bool {
    let marks = line.split_once('|').map_or("", |(_, marks)| marks.trim_start());
    let is_gutter = line.split_once('|').is_some_and(|(gutter, _)| gutter.trim().is_empty());
    is_gutter && marks.starts_with("^^")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_commands_with_outputs() {
        let shown = commands("$ cslrun a.csl\n? 3\none\n\ntwo\n$ ls\n");
        assert_eq!(shown[0], ("cslrun a.csl".to_string(), "one\n\ntwo\n".to_string()));
        assert_eq!(shown[1], ("ls".to_string(), String::new()));
    }

    #[test]
    fn titles_and_marks_are_found() {
        assert_eq!(severity("error[deadlock]: x"), Some(("error", "deadlock", ": x")));
        assert_eq!(severity("x[0]: error"), None);
        assert!(is_mark("   |   ^^^^ here") && !is_mark("7 |   ^^^^"));
    }
}
