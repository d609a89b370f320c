//! `cslrun lsp`, driven over standard input and output.

mod client;
mod edits;
mod examples;
mod recording;

use crate::{root, writes_docs};

/// Exchanges in all recordings, at least.
const LEAST_EXCHANGES: usize = 60;

#[test]
fn recordings_come_out_as_they_were() {
    let (mut different, mut exchanges) = (Vec::new(), 0);
    let mut paths: Vec<_> = std::fs::read_dir(root().join("tests/lsp"))
        .expect("a folder of recordings")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    for path in paths {
        let script = std::fs::read_to_string(&path).expect("a recording");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let (now, count) = recording::replay(&name, &script);
        exchanges += count;
        if now != script && writes_docs() {
            std::fs::write(&path, now).expect("a writable recording");
        } else if now != script {
            let diff =
                similar::TextDiff::from_lines(&script, &now).unified_diff().context_radius(2).to_string();
            different.push(format!("{}:\n{diff}", path.display()));
        }
    }
    assert!(different.is_empty(), "{}\nDOCS=write accepts this", different.join("\n"));
    assert!(exchanges >= LEAST_EXCHANGES, "only {exchanges} exchanges");
}
