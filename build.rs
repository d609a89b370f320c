//! Generates the parser from `grammar/csl.lalrpop`, and nothing else.

fn main() {
    println!("cargo:rerun-if-changed=grammar/csl.lalrpop");
    lalrpop::Configuration::new()
        .set_in_dir("grammar")
        .emit_rerun_directives(false)
        .process()
        .expect("the grammar is part of this repository and must be valid");
}
