//! HTML pages that need nothing else: what the report of a run and its profile have in common.
//!
//! `page.html` holds the head of every page and the place of everything, and `page.css` the looks. The scripts of a page
//! draw what the data say, which stand in it as JSON, and most of them within that in a packed form (`packed.rs`). The
//! scripts may wait for them.

mod packed;

pub use packed::{Form, Packer, packed_json};

use serde::Serialize;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// What the scripts of all pages need.
const SCRIPT: &str = include_str!("packed.js");

/// What makes a page.
pub struct Page<'a, Data> {
    /// What the browser shows as its title.
    pub title: &'a str,
    /// The looks of its own elements.
    pub style: &'a str,
    /// Its own elements, as HTML.
    pub body: &'a str,
    /// Its scripts, in the order in which one needs the other.
    pub scripts: &'a [&'a str],
    /// What the scripts find as JSON in the element `data`.
    pub data: &'a Data,
}

impl<Data: Serialize> Page<'_, Data> {
    /// The page as HTML.
    pub fn html(&self) -> String {
        let json = serde_json::to_string(self.data).expect("numbers and strings are always valid JSON");
        let parts = [
            ("{{title}}", as_text(self.title)),
            ("{{style}}", format!("{STYLE}\n{}", self.style)),
            ("{{body}}", self.body.to_string()),
            // `</script>` would end the data; `<` stands only in strings.
            ("{{data}}", json.replace('<', "\\u003c")),
            (
                "{{script}}",
                format!("(async () => {{\n\"use strict\";\n{SCRIPT}\n{}}})();", self.scripts.join("\n")),
            ),
        ];
        filled(TEMPLATE, &parts)
    }
}

/// The template with each mark replaced, in their order: what is filled in is not looked at again.
fn filled(template: &str, parts: &[(&str, String)]) -> String {
    let (mut page, mut rest) = (String::new(), template);
    for (mark, text) in parts {
        let (before, after) = rest.split_once(mark).expect("the template has every mark, in order");
        page.push_str(before);
        page.push_str(text);
        rest = after;
    }
    page + rest
}

fn as_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[test]
fn what_is_filled_in_is_not_looked_at_again() {
    let parts = [("{{a}}", "{{b}}".to_string()), ("{{b}}", "x".to_string())];
    assert_eq!(filled("1 {{a}} 2 {{b}} 3", &parts), "1 {{b}} 2 x 3");
}
