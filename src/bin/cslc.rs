//! `cslc`: the compiler command; see `cslrun::cli`.

/// Huge pages for what a large wafer takes; see docs/ARCHITECTURE.md.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cslrun::cli::keep_huge_pages();
    let words: Vec<String> = std::env::args_os().skip(1).map(|w| w.to_string_lossy().into_owned()).collect();
    cslrun::cli::cslc(words).into()
}
