//! The loop: messages of the editor, finished compilations, and the moment to start the next one.

use super::analysis::{self, Done, Job};
use super::state::State;
use super::text::{Text, path_of, uri_of};
use super::workspace::{File, Workspace};
use super::{CacheFolder, Services, diagnostics, files, requests};
use crate::{Arch, CompileOptions};
use crossbeam_channel::{Receiver, Sender, select};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self, Notification as _, PublishDiagnostics};
use lsp_types::request::{Request as _, Shutdown};
use lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, InitializeParams,
    PositionEncodingKind, PublishDiagnosticsParams, Uri,
};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// After a change nothing is compiled for this long: the next one may be on its way, as an editor sends the changes of
/// several cursors one after the other. Keys come more slowly than that; while one compilation is under way, the changes
/// that come are left to the next.
const PAUSE: Duration = Duration::from_millis(5);

/// A server for one editor.
pub(super) struct Server {
    pub state: State,
    /// Whether the editor asks again for hints when it is told to.
    refreshes_hints: bool,
    pub arch: Option<Arch>,
    /// The one program of an editor that knows how it is compiled.
    pub given: Option<(PathBuf, CompileOptions)>,
    connection: Sender<Message>,
    jobs: Sender<Job>,
    /// The number of the newest job, and whether it is done.
    number: u64,
    is_busy: bool,
    /// Whether something has changed since the last job.
    pub has_changed: bool,
    /// When to start the next job.
    due: Option<Instant>,
    /// When the last notification came.
    received: Option<Instant>,
    published: BTreeSet<PathBuf>,
    requests: i32,
    /// Whether the editor has asked for the end.
    is_shut_down: bool,
}

/// Serves one editor; whether it has ended properly.
pub fn serve(services: Services, cache: CacheFolder) -> Result<bool, String> {
    let (connection, threads) = Connection::stdio();
    let is_proper = converse(&connection, services, cache)?;
    drop(connection);
    // An editor that is gone reads nothing.
    if is_proper {
        threads.join().map_err(|e| format!("the editor cannot be reached: {e}"))?;
    }
    Ok(is_proper)
}

fn converse(connection: &Connection, services: Services, cache: CacheFolder) -> Result<bool, String> {
    let (id, params) = match connection.initialize_start() {
        Ok(started) => started,
        Err(e) if e.channel_is_disconnected() => return Ok(false),
        Err(e) => return Err(e.to_string()),
    };
    let params: InitializeParams = serde_json::from_value(params).map_err(|e| e.to_string())?;
    let (jobs, done) = analysis::start(services).map_err(|e| e.to_string())?;
    let mut server = Server::new(services, connection.sender.clone(), jobs, &params);
    let result = serde_json::json!({
        "capabilities": requests::capabilities(server.state.workspace.in_bytes),
        "serverInfo": { "name": "cslrun", "version": env!("CARGO_PKG_VERSION") },
    });
    connection.initialize_finish(id, result).map_err(|e| e.to_string())?;
    if let Some(cache) = cache {
        (server.state.workspace.library, server.state.pages) = files::write(&cache);
    }
    server.add_folders(&params);
    server.watch_files(&params);
    server.run(connection, &done)
}

impl Server {
    pub fn new(
        services: Services,
        connection: Sender<Message>,
        jobs: Sender<Job>,
        params: &InitializeParams,
    ) -> Server {
        let of_client = &params.capabilities;
        let encodings = of_client.general.as_ref().and_then(|general| general.position_encodings.clone());
        let in_bytes = encodings.is_some_and(|all| all.contains(&PositionEncodingKind::UTF8));
        let options = params.initialization_options.as_ref();
        let arch = options.and_then(|options| Arch::parse(options.get("arch")?.as_str()?));
        let document = of_client.text_document.as_ref();
        let item =
            document.and_then(|all| all.completion.as_ref()?.completion_item.as_ref()?.snippet_support);
        let workspace = of_client.workspace.as_ref();
        let refreshes = workspace.and_then(|all| all.inlay_hint.as_ref()?.refresh_support);
        let state = State {
            services,
            workspace: Workspace::new(in_bytes),
            analyses: Vec::new(),
            whole: BTreeMap::new(),
            pages: None,
            has_snippets: item == Some(true),
        };
        Server {
            state,
            refreshes_hints: refreshes == Some(true),
            arch,
            given: None,
            connection,
            jobs,
            number: 0,
            is_busy: false,
            has_changed: false,
            due: None,
            received: None,
            published: BTreeSet::new(),
            requests: 0,
            is_shut_down: false,
        }
    }

    fn add_folders(&mut self, params: &InitializeParams) {
        let folders = params.workspace_folders.iter().flatten().map(|folder| &folder.uri);
        #[expect(deprecated, reason = "older editors name their one folder like this")]
        let folders = folders.chain(&params.root_uri);
        for folder in folders.filter_map(path_of).collect::<BTreeSet<_>>() {
            self.state.workspace.add_folder(&folder);
        }
    }

    /// Asks the editor to tell when files change on the disk, if it can.
    fn watch_files(&mut self, params: &InitializeParams) {
        let workspace = params.capabilities.workspace.as_ref();
        let watches = workspace.and_then(|all| all.did_change_watched_files.as_ref()?.dynamic_registration);
        if watches == Some(true) {
            let globs = ["**/*.csl", "**/cslrun.toml", "**/commands*.sh"];
            let watchers: Vec<_> =
                globs.iter().map(|glob| serde_json::json!({ "globPattern": glob })).collect();
            let registration = serde_json::json!({
                "id": "files", "method": "workspace/didChangeWatchedFiles", "registerOptions": { "watchers": watchers },
            });
            self.ask("client/registerCapability", serde_json::json!({ "registrations": [registration] }));
        }
    }

    fn run(&mut self, connection: &Connection, done: &Receiver<Done>) -> Result<bool, String> {
        loop {
            if std::mem::take(&mut self.has_changed) {
                // The pause is over sooner if the change took time to note.
                self.due = Some(self.received.unwrap_or_else(Instant::now) + PAUSE);
            }
            let pause = self.due.map(|due| due.saturating_duration_since(Instant::now()));
            let timer = pause.map_or_else(crossbeam_channel::never, crossbeam_channel::after);
            select! {
                recv(connection.receiver) -> message => match message {
                    Ok(Message::Request(request)) => {
                        self.request(request);
                    }
                    Ok(Message::Notification(notification)) if notification.method == "exit" => {
                        return Ok(self.is_shut_down);
                    }
                    Ok(Message::Notification(notification)) => {
                        self.received = Some(Instant::now());
                        self.notice(notification);
                    }
                    // Nothing depends on what the editor answers.
                    Ok(Message::Response(_)) => {}
                    Err(_) => return Ok(false),
                },
                recv(done) -> done => match done {
                    Ok(done) => self.finish(done),
                    Err(_) => return Err("the thread that compiles has ended".to_string()),
                },
                recv(timer) -> _ => self.start(),
            }
        }
    }

    /// After the request to shut down there is nothing to ask any more.
    fn request(&mut self, request: Request) {
        if self.is_shut_down {
            let words = "the server was shut down".to_string();
            let code = ErrorCode::InvalidRequest as i32;
            return self.send(Message::Response(Response::new_err(request.id, code, words)));
        }
        if request.method == Shutdown::METHOD {
            self.is_shut_down = true;
            return self.send(Message::Response(Response::new_ok(request.id, ())));
        }
        self.answer(request);
    }

    pub fn answer(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let answer = catch_unwind(AssertUnwindSafe(|| requests::answer(&self.state, &method, params)));
        let response = match answer {
            Ok(Ok(value)) => Response::new_ok(id, value),
            Ok(Err(refusal)) => Response::new_err(id, refusal.code, refusal.words),
            Err(_) => fault(id),
        };
        self.send(Message::Response(response));
    }

    pub fn notice(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            notification::DidOpenTextDocument::METHOD => {
                with(params, |params: DidOpenTextDocumentParams| {
                    let document = params.text_document;
                    let text = Text::new(document.text, self.state.workspace.in_bytes);
                    self.set_text(&document.uri, text, document.version);
                });
            }
            notification::DidChangeTextDocument::METHOD => {
                with(params, |params: DidChangeTextDocumentParams| {
                    let document = params.text_document;
                    let Some(mut text) = self.open_text(&document.uri) else { return };
                    for change in &params.content_changes {
                        text = text.changed(change);
                    }
                    self.set_text(&document.uri, text, document.version);
                });
            }
            notification::DidCloseTextDocument::METHOD => {
                with(params, |params: DidCloseTextDocumentParams| {
                    if let Some(path) = path_of(&params.text_document.uri) {
                        self.state.workspace.close(&path);
                        self.soon();
                    }
                });
            }
            notification::DidSaveTextDocument::METHOD
            | notification::DidChangeWatchedFiles::METHOD
            | notification::DidChangeWorkspaceFolders::METHOD => {
                self.state.workspace.refresh();
                self.soon();
            }
            _ => {}
        }
    }

    fn open_text(&self, uri: &Uri) -> Option<Text> {
        let file = self.state.workspace.file(&path_of(uri)?)?;
        file.version.is_some().then(|| file.text.clone())
    }

    fn set_text(&mut self, uri: &Uri, text: Text, version: i32) {
        // A text without a file has a name for as long as it is open.
        let Some(path) = path_of(uri) else { return };
        self.state.workspace.open(&path, text, version);
        self.soon();
    }

    /// Something has changed: the programs are compiled after a short pause.
    fn soon(&mut self) {
        self.has_changed = true;
    }

    /// Sends a job to whoever compiles.
    pub fn start(&mut self) {
        (self.has_changed, self.due) = (false, None);
        self.number += 1;
        if self.is_busy {
            // The end of the job that is under way starts the next one.
            return;
        }
        self.is_busy = true;
        let open: Vec<(&PathBuf, _)> = self
            .state
            .workspace
            .open_files()
            .filter(|(path, _)| !self.state.workspace.is_library(path))
            .collect();
        let texts = open.iter().map(|(path, file)| ((*path).clone(), file.text.text.clone())).collect();
        let roots = |path: &Path| match &self.given {
            Some((program, _)) => vec![program.clone()],
            None => self.state.workspace.roots_of(path),
        };
        let wanted = open.iter().map(|(path, _)| ((*path).clone(), roots(path))).collect();
        let has_layout = |file: &File| file.index.layout.is_some();
        let with_layout = self.state.workspace.files().filter(|(_, file)| has_layout(file));
        let layouts = with_layout.map(|(path, _)| path.clone()).collect();
        let (arch, given) = (self.arch, self.given.clone());
        let versions =
            open.iter().filter_map(|(path, file)| Some(((*path).clone(), file.version?))).collect();
        let texts = Arc::new(texts);
        let job = Job { number: self.number, texts, versions, wanted, layouts, arch, given };
        // Without that thread the loop ends, too.
        let _ = self.jobs.send(job);
    }

    /// Takes what a job has found, and tells the editor.
    pub fn finish(&mut self, done: Done) {
        self.is_busy = false;
        let shown = diagnostics::shown(&self.state.workspace, &done.analyses, self.state.pages.as_deref());
        self.publish(shown, &done.versions);
        self.state.analyses = done.analyses.into_iter().map(Rc::new).collect();
        for analysis in &self.state.analyses {
            if analysis.program.is_some() {
                self.state.whole.insert(analysis.root.clone(), analysis.clone());
            }
        }
        let is_needed = |root: &PathBuf| self.state.analyses.iter().any(|analysis| analysis.root == *root);
        self.state.whole.retain(|root, _| is_needed(root));
        if self.refreshes_hints {
            self.ask("workspace/inlayHint/refresh", serde_json::Value::Null);
        }
        if done.number < self.number {
            self.start();
        }
    }

    /// Tells what is wrong with these versions of files: a newer one may be under way.
    fn publish(
        &mut self,
        shown: BTreeMap<PathBuf, Vec<lsp_types::Diagnostic>>,
        versions: &BTreeMap<PathBuf, i32>,
    ) {
        let before = std::mem::take(&mut self.published);
        let gone =
            before.iter().filter(|path| !shown.contains_key(*path)).map(|path| (path.clone(), Vec::new()));
        let gone: Vec<_> = gone.collect();
        for (path, diagnostics) in shown.into_iter().chain(gone) {
            let is_open = self.state.workspace.file(&path).is_some_and(|file| file.version.is_some());
            let version = versions.get(&path).copied().filter(|_| is_open);
            if !diagnostics.is_empty() {
                self.published.insert(path.clone());
            }
            // Of a file that is not open there is something to say only if that is not what was said before.
            if version.is_some() || !diagnostics.is_empty() || before.contains(&path) {
                self.send_diagnostics(&path, diagnostics, version);
            }
        }
    }

    fn send_diagnostics(&self, path: &Path, diagnostics: Vec<lsp_types::Diagnostic>, version: Option<i32>) {
        let Some(uri) = uri_of(path) else { return };
        let params = PublishDiagnosticsParams { uri, diagnostics, version };
        self.send(Message::Notification(Notification::new(PublishDiagnostics::METHOD.to_string(), params)));
    }

    fn ask(&mut self, method: &str, params: serde_json::Value) {
        self.requests += 1;
        let request = Request::new(RequestId::from(self.requests), method.to_string(), params);
        self.send(Message::Request(request));
    }

    fn send(&self, message: Message) {
        // An editor that is gone ends the loop at the next message.
        let _ = self.connection.send(message);
    }
}

/// Does something with the parameters of a notification, if they make sense.
fn with<P: DeserializeOwned>(params: serde_json::Value, act: impl FnOnce(P)) {
    if let Ok(params) = serde_json::from_value(params) {
        act(params);
    }
}

fn fault(id: RequestId) -> Response {
    let words = "an internal error of cslrun; it is described on standard error".to_string();
    Response::new_err(id, ErrorCode::InternalError as i32, words)
}
