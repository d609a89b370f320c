use super::outcome::Outcome;
use super::{args, cslc, output};
use crate::MessageFormat;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io;
use std::path::Path;

/// `cslrun --man DIR`: a page for `cslrun`, for each of its subcommands and for `cslc`, from what `--help` shows.
pub fn man(folder: &Path) -> Outcome {
    let mut outcome = Outcome::new(MessageFormat::Plain);
    match write(folder) {
        Ok(count) => outcome.printed = format!("{count} pages are in {}\n", folder.display()),
        Err(e) => outcome.refuse(format!("the pages cannot be written to {}: {e}", folder.display())),
    }
    outcome
}

fn write(folder: &Path) -> io::Result<usize> {
    let pages = pages()?;
    std::fs::create_dir_all(folder)?;
    for (name, page) in &pages {
        output::write_file(&folder.join(format!("{name}.1")), |out| out.write_all(page))?;
    }
    Ok(pages.len())
}

/// The pages with their names.
fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut all = args::definition();
    all.build();
    // The page of `cslrun help` would only repeat that of `cslrun`.
    let subcommands = all.get_subcommands().filter(|command| command.get_name() != "help");
    let mut pages = Vec::new();
    for command in std::iter::once(&all).chain(subcommands) {
        let name = command.get_display_name().unwrap_or(command.get_name()).to_string();
        let mut page = Vec::new();
        Man::new(command.clone()).title(&name).render(&mut page)?;
        pages.push((name, page));
    }
    let mut page = Vec::new();
    cslc_page().to_writer(&mut page)?;
    pages.push(("cslc".to_string(), page));
    Ok(pages)
}

/// `cslc` reads its options itself; its page shows what its help lists.
fn cslc_page() -> Roff {
    let mut page = Roff::new();
    page.control("TH", ["cslc", "1", "", concat!("cslc (cslrun) ", env!("CARGO_PKG_VERSION"))]);
    page.control("SH", ["NAME"]);
    page.text([roman("cslc - compiles CSL for cs_python and the host scripts of the SDK")]);
    page.control("SH", ["SYNOPSIS"]);
    page.text([bold("cslc"), roman(" [options] <top.csl>")]);
    page.control("SH", ["OPTIONS"]);
    for (option, help) in cslc::listed_options() {
        page.control("TP", []);
        page.text([bold(option)]);
        page.text([roman(help)]);
    }
    page.control("SH", ["ENVIRONMENT"]);
    page.text([roman(cslc::environment())]);
    page
}
