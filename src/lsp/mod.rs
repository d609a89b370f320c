//! `cslrun lsp`: what cslrun knows, under the cursor of an editor, by the Language Server Protocol.
//!
//! In: requests and texts of an editor on standard input. Out: answers and diagnostics on standard output. Never: decides
//! what CSL means, which the facade of the library does, or reads the environment.
//!
//! One thread talks to the editor: it knows the files ([`workspace`]) with their names, and answers from these and from
//! what the last compilations have found. Another thread compiles ([`analysis`]), a moment after the last change.

mod actions;
mod analysis;
mod commands;
mod complete;
mod context;
mod diagnostics;
mod embedded;
mod facts;
mod files;
mod hints;
mod hover;
mod layout;
mod navigate;
mod project;
mod rename;
mod requests;
mod resolve;
mod server;
mod signature;
mod state;
mod text;
mod tokens;
mod workspace;

pub use embedded::EmbeddedServer;

use crate::{CompileOptions, Extent, FileId, Program, Span};
use std::path::PathBuf;

/// What the server takes from the commands, so that there is one of each.
#[derive(Clone, Copy, Debug)]
pub struct Services {
    /// The file and the options in the words of a call of `cslc`.
    pub cslc: fn(&[String]) -> Option<(PathBuf, CompileOptions)>,
    /// The pictures of `cslrun dsd`, by the places of the code that builds the DSDs.
    pub pictures: fn(&Program) -> Vec<(Span, String)>,
    /// Name and picture, as SVG, of a DSD that is built by code at an extent of a file.
    pub drawing: fn(&Program, FileId, Extent) -> Option<(String, String)>,
    /// The routes and the queues of a color.
    pub color: fn(&Program, u8) -> String,
    /// What is bound to an id of a type, such as `local_task_id`.
    pub bound: fn(&Program, &str, u16) -> String,
    /// The data structure registers of each operation, and why it has these.
    pub registers: fn(&Program) -> Vec<(Span, String, String)>,
    /// The memory that the tiles take whose code is in a file.
    pub memory: fn(&Program, &str) -> String,
}

/// Where the server may write files for the editor to show, such as the library.
pub type CacheFolder = Option<PathBuf>;

/// Serves one editor until it says goodbye. Whether it has said so properly.
///
/// # Errors
/// The editor breaks the protocol, or the system gives no thread.
pub fn serve(services: Services, cache: CacheFolder) -> Result<bool, String> {
    server::serve(services, cache)
}
