//! The server of an editor that has attached to a host script.

use super::{Read, Server, reader};
use crate::debug::console::Console;
use crate::debug::session::Session;
use crate::debug::{Debuggee, Services};
use serde_json::json;
use std::io::BufRead;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// How often to look for Ctrl-C.
const LOOK: Duration = Duration::from_millis(100);

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
        pause: &'static AtomicBool,
    ) -> AttachedServer {
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

    /// Answers the next request; false if the editor has left, or at Ctrl-C.
    pub fn answer_next(&mut self) -> bool {
        let stays = loop {
            match self.messages.recv_timeout(LOOK) {
                Ok(Ok(Some(message))) => {
                    break self.server.answer(&message).is_ok() && !self.server.is_over;
                }
                // Ctrl-C at a run that stands is for the script.
                Err(RecvTimeoutError::Timeout) if self.server.pause.load(Ordering::Relaxed) => return false,
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Ok(None) | Err(_)) | Err(RecvTimeoutError::Disconnected) => break false,
            }
        };
        if !stays {
            // The editor has left, and nobody has asked the script to stop.
            self.server.pause.store(false, Ordering::Relaxed);
        }
        stays
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
