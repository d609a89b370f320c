//! `cslrun lsp`, driven over standard input and output.

mod client;
mod edits;
mod examples;
mod recording;

/// Exchanges in all recordings, at least.
const LEAST_EXCHANGES: usize = 60;

#[test]
fn recordings_come_out_as_they_were() {
    crate::recordings_come_out_as_they_were("tests/lsp", LEAST_EXCHANGES, recording::replay);
}
