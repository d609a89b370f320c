//! Links of a line of Markdown, as the site needs them.

use crate::site::{Page, Site};

/// The line with links to places of the site. Code that names a rule or a module becomes a link; a link to a file
/// that the site does not have becomes its text.
pub fn linked(site: &Site, page: &Page, line: &str) -> String {
    if line.starts_with("# <") {
        // The name of a module is no tag.
        return line.replace('<', "&lt;");
    }
    if line.starts_with('#') || line.starts_with('<') {
        return line.to_string();
    }
    let mut out = String::new();
    // Where the link that is open begins in `out`.
    let mut opened: Vec<usize> = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['`', '[', ']']) {
        out.push_str(&rest[..at]);
        let mark = &rest[at..=at];
        rest = &rest[at + 1..];
        match mark {
            "`" => rest = push_code(site, page, &mut out, rest, opened.is_empty()),
            "[" => {
                opened.push(out.len());
                out.push('[');
            }
            _ => {
                let begin = opened.pop();
                let link = rest.strip_prefix('(').and_then(|inside| inside.split_once(')'));
                match (begin, link) {
                    (Some(begin), Some((link, behind))) => {
                        rest = behind;
                        match site.target(page, link) {
                            Some(target) => out.push_str(&format!("]({target})")),
                            None => drop(out.remove(begin)),
                        }
                    }
                    (Some(_), None) | (None, _) => out.push(']'),
                }
            }
        }
    }
    out.push_str(rest);
    out
}

/// Pushes a span of code, which begins at `rest`; gives what is behind it.
fn push_code<'t>(site: &Site, page: &Page, out: &mut String, rest: &'t str, may_link: bool) -> &'t str {
    let Some((code, behind)) = rest.split_once('`') else {
        out.push('`');
        return rest;
    };
    match site.page_of(page, code).filter(|_| may_link) {
        Some(target) => out.push_str(&format!("[`{code}`]({target})")),
        None => out.push_str(&format!("`{code}`")),
    }
    behind
}
