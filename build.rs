//! Generates the parser from `grammar/csl.lalrpop`.

fn main() {
    println!("cargo:rerun-if-changed=grammar/csl.lalrpop");
    // A new file of the library becomes part of the crate without a change of its sources.
    println!("cargo:rerun-if-changed=src/stdlib/csl");
    let is_site_wanted = std::env::var_os("CARGO_FEATURE_SITE").is_some();
    if is_site_wanted && !std::path::Path::new("target/site.pack").is_file() {
        println!("cargo:error=the feature `site` needs target/site.pack: run `scripts/site` first");
    }
    lalrpop::Configuration::new()
        .set_in_dir("grammar")
        .emit_rerun_directives(false)
        .process()
        .expect("the grammar is part of this repository and must be valid");
}
