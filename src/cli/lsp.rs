//! `cslrun lsp`

use super::outcome::Outcome;
use super::picture::{self, Chosen};
use super::{Exit, cslc, listing};
pub use crate::lsp::EmbeddedServer;
use crate::lsp::{Services, serve};
use crate::{Extent, FileId, MessageFormat, Program, Span};
use std::path::PathBuf;

/// Serves an editor on standard input and output until it ends.
pub fn lsp() -> Outcome {
    let mut outcome = Outcome::new(MessageFormat::Plain);
    match serve(services(), cache_folder()) {
        Ok(true) => {}
        // The protocol asks for it when the editor leaves without a word.
        Ok(false) => outcome.exit = Exit::Rejected,
        Err(why) => outcome.refuse(format!("the editor breaks the Language Server Protocol: {why}")),
    }
    outcome
}

/// A server for an editor in the same process; `params` are those of the request `initialize`.
///
/// # Errors
/// The parameters are not what the protocol asks for.
pub fn language_server(params: serde_json::Value) -> Result<EmbeddedServer, String> {
    EmbeddedServer::new(services(), params)
}

fn services() -> Services {
    Services {
        cslc: cslc::compiled_file,
        pictures,
        drawing,
        color: listing::color,
        bound: listing::bound,
        registers: listing::registers_of_operations,
        memory: listing::memory,
    }
}

fn pictures(program: &Program) -> Vec<(Span, String)> {
    picture::views(program, &Chosen::default())
        .iter()
        .map(|view| (view.span(), picture::text(view)))
        .collect()
}

fn drawing(program: &Program, file: FileId, (lo, hi): Extent) -> Option<(String, String)> {
    let touches = |span: Span| span.file == file && span.lo < hi && lo < span.hi;
    let views = picture::views(program, &Chosen::default());
    let view = views.iter().find(|view| touches(view.span()))?;
    Some((view.name().unwrap_or("DSD").to_string(), picture::svg(view)))
}

/// Where files for the editor to show may lie.
fn cache_folder() -> Option<PathBuf> {
    let given = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || Some(given("HOME")?.join(".cache"));
    let local = given("XDG_CACHE_HOME").or_else(home).or_else(|| given("LOCALAPPDATA"));
    Some(local?.join("cslrun"))
}
