//! The profile as one HTML page that needs nothing else.

use crate::cli::html::{Page, packed_json};
use crate::diagnostics::render::{estimated_cycles, grouped};
use crate::profile::Profile;
use serde_json::json;

const BODY: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// In the order in which one needs the other.
const SCRIPTS: [&str; 7] = [
    include_str!("data.js"),
    include_str!("elements.js"),
    include_str!("wafer.js"),
    include_str!("numbers.js"),
    include_str!("source.js"),
    include_str!("time.js"),
    include_str!("main.js"),
];

/// The page of a profile; `texts` are those of its files.
pub fn page(title: &str, profile: &Profile, texts: &[String]) -> String {
    let note = match (profile.cut, profile.bars.blur) {
        (Some(cut), _) => {
            format!("The limit of records was reached: this is the run up to cycle {}.", grouped(cut))
        }
        (None, 0) => String::new(),
        (None, blur) => {
            format!("There are too many bars: those closer than {} cycles are drawn as one.", grouped(blur))
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
    // A browser unpacks it sooner than it would read ten times as much.
    let data = packed_json(&data);
    let title = format!("Profile of {title}");
    Page { title: &title, style: STYLE, body: BODY, scripts: &SCRIPTS, data: &data }.html()
}
