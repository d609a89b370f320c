//! The profile as one HTML page that needs nothing else.

use crate::diagnostics::render::{estimated_cycles, grouped};
use crate::profile::Profile;
use serde_json::json;

const PAGE: &str = include_str!("page.html");
/// The looks of the page of a report, and what is added to them.
const STYLES: [&str; 2] = [include_str!("../report/page.css"), include_str!("page.css")];
const SCRIPT: &str = include_str!("page.js");

/// The page of a profile; `texts` are those of its files.
pub fn page(title: &str, profile: &Profile, texts: &[String]) -> String {
    let note = match (profile.cut, profile.bars.blur) {
        (Some(cut), _) => {
            format!("There was too much to note: this is the run up to cycle {}.", grouped(cut))
        }
        (None, 0) => String::new(),
        (None, blur) => {
            format!("Bars that are closer than {blur} cycles are drawn as one: there are too many.")
        }
    };
    let rows = if profile.bars.is_partial {
        " Below, the PEs on the critical path and the busiest ones have a row."
    } else {
        ""
    };
    let note = note + rows;
    let data = json!({
        "title": title,
        "verdict": estimated_cycles(profile.cycles),
        "note": note,
        "profile": profile,
        "bars": profile.bars,
        "texts": texts,
    });
    let script = format!("(() => {{\n\"use strict\";\n{SCRIPT}}})();");
    let parts = [
        ("{{title}}", format!("Profile of {title}").replace('&', "&amp;").replace('<', "&lt;")),
        ("{{style}}", STYLES.join("\n")),
        // `</script>` would end the data; `<` stands only in strings.
        ("{{data}}", data.to_string().replace('<', "\\u003c")),
        ("{{script}}", script),
    ];
    let (mut page, mut rest) = (String::new(), PAGE);
    for (mark, text) in parts {
        let (before, after) = rest.split_once(mark).expect("the template has every mark, in order");
        page.push_str(before);
        page.push_str(&text);
        rest = after;
    }
    page + rest
}
