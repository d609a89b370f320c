//! An editor for tests: it speaks the Language Server Protocol with `cslrun lsp` over standard input and output.

use crate::wire::Server;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An editor with a server.
pub struct Client {
    server: Server,
    /// The folder that is open.
    pub folder: PathBuf,
    /// Where the server writes files to show.
    pub cache: PathBuf,
    requests: i64,
    versions: std::collections::BTreeMap<String, i64>,
    /// The answer to `initialize`.
    pub greeting: Value,
    /// What was published since it was taken last.
    pub published: Vec<Value>,
}

/// The address of a file.
pub fn address(path: &Path) -> String {
    format!("file://{}", path.display())
}

impl Client {
    /// Starts a server in a folder and greets it.
    pub fn new(folder: &Path, options: Value) -> Client {
        // Measurements want another build than tests.
        let command = std::env::var("LSP_COMMAND").unwrap_or(env!("CARGO_BIN_EXE_cslrun").to_string());
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lsp-cache");
        let child = Command::new(command)
            .arg("lsp")
            .env("XDG_CACHE_HOME", &cache)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the built command starts");
        let mut client = Client {
            server: Server::of_stdio(child),
            folder: folder.to_path_buf(),
            cache,
            requests: 0,
            versions: Default::default(),
            greeting: Value::Null,
            published: Vec::new(),
        };
        let params = json!({
            "processId": null,
            "workspaceFolders": [{ "uri": address(folder), "name": "test" }],
            "capabilities": { "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } } },
            "initializationOptions": options,
        });
        client.greeting = client.ask("initialize", params).expect("the server greets");
        client.tell("initialized", json!({}));
        client
    }

    /// The number of the process.
    pub fn process(&self) -> u32 {
        self.server.process()
    }

    /// Sends a notification.
    pub fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request; the result, or the error.
    pub fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut message = self.receive();
            if message["id"] == json!(id) && message["method"].is_null() {
                return match message.get_mut("error") {
                    Some(error) => Err(error.take()),
                    None => Ok(message["result"].take()),
                };
            }
            self.note(message);
        }
    }

    /// Opens a file with a text; what is wrong afterwards.
    pub fn open(&mut self, path: &Path, text: &str) -> Vec<Value> {
        let uri = address(path);
        self.versions.insert(uri.clone(), 1);
        let document = json!({ "uri": uri, "languageId": "csl", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        self.wait(&uri, 1)
    }

    /// Changes an open file; what is wrong afterwards.
    pub fn change(&mut self, path: &Path, changes: Value) -> Vec<Value> {
        let version = self.change_only(path, changes);
        self.wait(&address(path), version)
    }

    /// Changes an open file and does not wait.
    pub fn change_only(&mut self, path: &Path, changes: Value) -> i64 {
        let uri = address(path);
        let version = self.versions.get_mut(&uri).expect("an open file");
        *version += 1;
        let version = *version;
        let document = json!({ "uri": uri, "version": version });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
        version
    }

    /// Waits for the diagnostics of a version; those of all files that came with them, in the order of the files.
    pub fn wait(&mut self, uri: &str, version: i64) -> Vec<Value> {
        loop {
            let of_version = |shown: &Value| shown["uri"] == uri && shown["version"] == json!(version);
            if self.published.iter().any(of_version) {
                break;
            }
            let message = self.receive();
            self.note(message);
        }
        // Whatever was published with it comes before the next answer.
        let _ = self.ask("cslrun/nothing", Value::Null);
        std::mem::take(&mut self.published)
    }

    fn note(&mut self, mut message: Value) {
        if message["method"] == "textDocument/publishDiagnostics" {
            self.published.push(message["params"].take());
        }
    }

    fn receive(&mut self) -> Value {
        self.server.receive()
    }

    fn send(&mut self, message: &Value) {
        self.server.send(&message.to_string());
    }

    /// Says goodbye; the exit status.
    pub fn end(mut self) -> Option<i32> {
        self.ask("shutdown", Value::Null).expect("the server is polite");
        self.tell("exit", Value::Null);
        self.server.leave()
    }
}
