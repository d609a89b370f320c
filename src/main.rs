//! `cslrun`: compiles and runs CSL programs; see `cslrun::cli`.

/// Huge pages for what a large wafer takes; see docs/ARCHITECTURE.md.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cslrun::cli::keep_huge_pages();
    cslrun::cli::main()
}
