//! Small programs and their trees, in the form that `tree-sitter test` reads.

use super::{files_below, here, parse};

/// The title and the body of each case of a file, between lines of `=`.
fn cases(text: &str) -> Vec<(&str, &str)> {
    let bar = format!("\n{}\n", "=".repeat(80));
    let parts: Vec<&str> = text.split(&bar).skip(1).collect();
    parts.chunks(2).map(|case| (case[0], case[1])).collect()
}

/// A tree without the names of fields and without layout.
fn plain(tree: &str) -> String {
    let words = tree.split_whitespace().filter(|word| !word.ends_with(':'));
    words.collect::<Vec<_>>().join(" ").replace(" )", ")")
}

#[test]
fn every_program_of_the_corpus_has_its_tree() {
    let (mut count, bar) = (0, format!("\n{}\n", "-".repeat(80)));
    for path in files_below(&here().join("test/corpus"), "txt") {
        let text = format!("\n{}", std::fs::read_to_string(&path).expect("text"));
        for (title, body) in cases(&text) {
            let (program, tree) = body.split_once(&bar).expect("a line of `-` between program and tree");
            let found = parse(program);
            let sexp = found.root_node().to_sexp();
            match title.split_once("\n:error") {
                Some((title, _)) => {
                    assert!(found.root_node().has_error(), "{}: {title}: {sexp}", path.display())
                }
                None => assert_eq!(plain(&sexp), plain(tree), "{}: {title}", path.display()),
            }
            count += 1;
        }
    }
    assert!(count >= 28, "{count} cases");
}
