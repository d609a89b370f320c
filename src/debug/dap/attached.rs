//! The server of an editor that has attached to a host script.

use super::{Read, Server, new_pause, reader};
use crate::debug::console::Console;
use crate::debug::session::Session;
use crate::debug::{Debuggee, Services};
use serde_json::json;
use std::io::BufRead;
use std::net::TcpStream;
use std::sync::mpsc::Receiver;
use std::time::Duration;

/// How long an editor may take to say goodbye.
const FAREWELL: Duration = Duration::from_secs(2);

/// A server that works when it is called.
pub struct AttachedServer {
    server: Server<TcpStream>,
    messages: Receiver<Read>,
}

impl AttachedServer {
    /// A server for a run that has not begun.
    pub fn new(
        debuggee: Debuggee,
        input: impl BufRead + Send + 'static,
        output: TcpStream,
    ) -> AttachedServer {
        let pause = new_pause();
        let services = Services { prepare: |_| Err("the program is that of the host script".to_string()) };
        let mut server = Server::new(services, output, pause);
        server.console = Some(Console::new(Session::new(debuggee, pause)));
        AttachedServer { server, messages: reader(input, pause) }
    }

    /// The run.
    pub fn session(&mut self) -> &mut Session {
        &mut self.server.console.as_mut().expect("it is there from the beginning").session
    }

    /// Tells the editor where the run stands; false if it is gone.
    pub fn arrived(&mut self) -> bool {
        self.server.stopped().is_ok()
    }

    /// Answers the next request; false if the editor has left.
    pub fn answer_next(&mut self) -> bool {
        let Ok(Ok(Some(message))) = self.messages.recv() else { return false };
        self.server.answer(&message).is_ok() && !self.server.is_over
    }

    /// The script is done with the run: the editor is told, and may say goodbye.
    pub fn end(&mut self) {
        if self.server.event("terminated", json!({})).is_err() {
            return;
        }
        while let Ok(Ok(Some(message))) = self.messages.recv_timeout(FAREWELL) {
            if self.server.answer(&message).is_err() || self.server.is_over {
                return;
            }
        }
    }
}
