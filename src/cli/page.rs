//! Pages of the documentation as a terminal shows them: the few forms of Markdown that they use.

use anstyle::{AnsiColor, Style};
use std::fmt::Write;

const HEADING: Style = Style::new().bold().underline();
const CODE: Style = AnsiColor::Cyan.on_default();
const COMMENT: Style = Style::new().dimmed();
const TROUBLE: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Text in a style.
pub fn styled(text: &str, style: Style) -> String {
    format!("{style}{text}{style:#}")
}

/// A page with headings and code in styles, and its paragraphs in lines of at most `width` characters.
pub fn rendered(markdown: &str, width: usize) -> String {
    let mut out = String::new();
    let mut paragraph: Vec<&str> = Vec::new();
    let mut block: Option<&str> = None;
    for line in markdown.lines().chain([""]) {
        match (block, line.strip_prefix("```")) {
            (None, Some(info)) => block = Some(info.split(' ').next().unwrap_or_default()),
            (Some(_), Some(_)) => block = None,
            (Some(language), None) => {
                let _ = writeln!(out, "  {}", code(line, language));
            }
            (None, None) if line.starts_with('#') => {
                let _ = writeln!(out, "{}", styled(line.trim_start_matches('#').trim(), HEADING));
            }
            (None, None) if line.is_empty() => {
                let _ = write!(out, "{}", wrapped(&paragraph.join(" "), width));
                paragraph.clear();
                out.push('\n');
            }
            (None, None) => paragraph.push(line),
        }
    }
    format!("{}\n", out.trim_end())
}

/// A line of a code block; messages look as the command prints them.
fn code(line: &str, language: &str) -> String {
    let is_message = language == "text";
    match line.split_once("//") {
        _ if is_message && (line.starts_with("error[") || line.starts_with("unsupported[")) => {
            styled(line, TROUBLE)
        }
        _ if is_message && line.starts_with("warning[") => styled(line, WARNING),
        Some((program, comment)) if !is_message => {
            format!("{program}{}", styled(&format!("//{comment}"), COMMENT))
        }
        Some(_) | None => line.to_string(),
    }
}

/// A paragraph in lines, with what stands between backticks in the style of code.
fn wrapped(paragraph: &str, width: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    let mut is_code = false;
    for word in paragraph.split_whitespace() {
        let length = word.chars().filter(|c| *c != '`').count();
        if column > 0 && column + 1 + length > width {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        column += length;
        for (i, part) in word.split('`').enumerate() {
            is_code ^= i > 0;
            out.push_str(&if is_code && !part.is_empty() { styled(part, CODE) } else { part.to_string() });
        }
    }
    if column > 0 {
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn paragraphs_fit_the_terminal_and_code_stays_as_it_is() {
        let page =
            "# a-rule\n\nOne two `three four` five.\n\n```csl run\nvar a: u16; // long line of code\n```\n";
        let shown = plain(&rendered(page, 12));
        assert_eq!(shown, "a-rule\n\nOne two\nthree four\nfive.\n\n  var a: u16; // long line of code\n");
    }

    #[test]
    fn code_between_backticks_is_styled_across_words_and_lines() {
        let shown = rendered("use `a b` now\n", 6);
        assert_eq!(plain(&shown), "use a\nb now\n");
        assert_eq!(shown.matches(&format!("{CODE}")).count(), 2);
    }

    #[test]
    fn a_message_is_shown_in_the_color_of_its_kind() {
        assert!(rendered("```text\nerror[x]: y\n```\n", 80).contains(&styled("error[x]: y", TROUBLE)));
    }
}
