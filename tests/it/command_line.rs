//! What the command line refuses before anything runs, and what a command says that a limit or the user has ended.

use crate::cli::{Folder, answers};

/// A test that never ends.
const ENDLESS_TEST: &str = "var n: u32 = 0;\nfn test_endless() void { while (true) { n += 1; } }\n\
                            comptime { @export_symbol(test_endless); }\n";

#[test]
fn a_test_without_end_is_stopped_by_a_limit_that_can_be_raised() {
    let folder = Folder::with("test-limit", "test_a.csl", ENDLESS_TEST);
    let output = folder.cslrun("test --max-cycles 20_000");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("not finished after 20,000 cycles"), "{text}");
    assert!(text.contains("raise the limit with --max-cycles"), "{text}");
    let text = String::from_utf8_lossy(&folder.cslrun("test").stdout).into_owned();
    assert!(text.contains("not finished after 10,000,000 cycles"), "{text}");
}
