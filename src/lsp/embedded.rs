//! The server for an editor in the same process, such as a page in a browser: no threads, no disk.

use super::Services;
use super::analysis::{self, Job};
use super::server::Server;
use super::text::Text;
use crate::{CompileOptions, catalogue};
use crossbeam_channel::Receiver;
use lsp_server::Message;
use lsp_types::InitializeParams;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Where the files of the library seem to lie.
const LIBRARY: &str = "/library";

/// A server that works when it is called.
pub struct EmbeddedServer {
    services: Services,
    server: Server,
    sent: Receiver<Message>,
    jobs: Receiver<Job>,
}

impl EmbeddedServer {
    /// A server for an editor with these abilities, the parameters of the request `initialize`.
    ///
    /// # Errors
    /// They are not what the protocol asks for.
    pub fn new(services: Services, params: Value) -> Result<EmbeddedServer, String> {
        let params: InitializeParams = serde_json::from_value(params).map_err(|e| e.to_string())?;
        let (to_editor, sent) = crossbeam_channel::unbounded();
        let (send_job, jobs) = crossbeam_channel::unbounded();
        let mut server = Server::new(services, to_editor, send_job, &params);
        let workspace = &mut server.state.workspace;
        workspace.library = Some(PathBuf::from(LIBRARY));
        for (name, text) in catalogue::modules() {
            let path = Path::new(LIBRARY).join(format!("{name}.csl"));
            workspace.open(&path, Text::new(text, workspace.in_bytes), 0);
        }
        Ok(EmbeddedServer { services, server, sent, jobs })
    }

    /// The program that all files belong to, and how it is compiled.
    pub fn set_program(&mut self, root: &Path, options: CompileOptions) {
        self.server.arch = Some(options.arch);
        self.server.given = Some((root.to_path_buf(), options));
        self.server.has_changed = true;
    }

    /// Takes a message of the editor. Gives those for the editor: the answer, if it was a request.
    ///
    /// # Errors
    /// It is no message of the protocol.
    pub fn receive(&mut self, message: Value) -> Result<Vec<Message>, String> {
        match serde_json::from_value(message).map_err(|e| e.to_string())? {
            Message::Request(request) => self.server.answer(request),
            Message::Notification(notification) => self.server.notice(notification),
            // Nothing depends on what the editor answers.
            Message::Response(_) => {}
        }
        Ok(self.sent.try_iter().collect())
    }

    /// Compiles the program if something has changed. Gives the messages with what is wrong.
    pub fn compile(&mut self) -> Vec<Message> {
        while self.server.has_changed {
            self.server.start();
            for job in self.jobs.try_iter().collect::<Vec<_>>() {
                self.server.finish(analysis::perform(&job, &self.services));
            }
        }
        self.sent.try_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arch;
    use serde_json::json;

    fn services() -> Services {
        Services {
            cslc: |_| None,
            pictures: |_| Vec::new(),
            drawing: |_, _, _| None,
            color: |_, _| String::new(),
            bound: |_, _, _| String::new(),
            registers: |_| Vec::new(),
            memory: |_, _| String::new(),
        }
    }

    fn opened(text: &str) -> EmbeddedServer {
        let mut server = EmbeddedServer::new(services(), json!({ "capabilities": {} })).expect("parameters");
        server.set_program(Path::new("/p/pe.csl"), CompileOptions::new(Arch::Wse3));
        let document = json!({ "uri": "file:///p/pe.csl", "languageId": "csl", "version": 1, "text": text });
        let open = json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } });
        assert!(server.receive(open).expect("a message").is_empty());
        server
    }

    #[test]
    fn errors_come_when_the_host_asks_for_them() {
        let mut server = opened("comptime { const n: u16 = 65536; }\n");
        let messages = server.compile();
        let text = serde_json::to_string(&messages).expect("JSON");
        assert!(text.contains("publishDiagnostics") && text.contains("65536"), "{text}");
        assert!(server.compile().is_empty());
    }

    #[test]
    fn a_request_is_answered_at_once() {
        let mut server = opened("const n = 3 * 4;\n");
        server.compile();
        let at = json!({ "textDocument": { "uri": "file:///p/pe.csl" }, "position": { "line": 0, "character": 6 } });
        let answer = server
            .receive(json!({ "id": 7, "method": "textDocument/hover", "params": at }))
            .expect("a message");
        let text = serde_json::to_string(&answer).expect("JSON");
        assert!(text.contains("comptime_int = 12") && text.contains("\"id\":7"), "{text}");
        assert!(server.receive(json!({ "nonsense": true })).is_err());
    }
}
