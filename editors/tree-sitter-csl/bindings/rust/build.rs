//! Compiles the generated parser.

fn main() {
    println!("cargo::rerun-if-changed=src");
    cc::Build::new().std("c11").include("src").file("src/parser.c").opt_level(1).compile("tree-sitter-csl");
}
