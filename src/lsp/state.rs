//! What the server knows, for whoever answers.

use super::Services;
use super::analysis::Analysis;
use super::workspace::Workspace;
use lsp_server::ErrorCode;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

/// What the server knows.
pub struct State {
    /// What it takes from the commands.
    pub services: Services,
    /// The files.
    pub workspace: Workspace,
    /// The programs as they were compiled last.
    pub analyses: Vec<Rc<Analysis>>,
    /// The programs as they were when they had no errors.
    pub whole: BTreeMap<PathBuf, Rc<Analysis>>,
    /// Pages of rules, as files.
    pub pages: Option<PathBuf>,
    /// Whether the editor fills in snippets.
    pub has_snippets: bool,
}

/// Why a request is not answered.
#[derive(Debug)]
pub struct Refusal {
    /// As the protocol counts them.
    pub code: i32,
    /// For people.
    pub words: String,
}

impl Refusal {
    /// The request makes sense, but cannot be done.
    pub fn failed(words: impl Into<String>) -> Refusal {
        Refusal { code: ErrorCode::RequestFailed as i32, words: words.into() }
    }
}

/// What a request is answered with.
pub type Answer<T> = Result<T, Refusal>;
