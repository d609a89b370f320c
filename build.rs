//! Generates the parser from `grammar/csl.lalrpop`.

fn main() {
    println!("cargo:rerun-if-changed=grammar/csl.lalrpop");
    // A new file of the library becomes part of the crate without a change of its sources.
    println!("cargo:rerun-if-changed=src/stdlib/csl");
    lalrpop::Configuration::new()
        .set_in_dir("grammar")
        .emit_rerun_directives(false)
        .process()
        .expect("the grammar is part of this repository and must be valid");
}
