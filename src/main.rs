//! `cslrun`: compiles and runs CSL programs; see `cslrun::cli`.

fn main() -> std::process::ExitCode {
    cslrun::cli::main()
}
