//! The server of an editor that has attached to a host script.
//!
//! A thread of its own answers, also while the script computes: the run stands then at its last moment so far. Whoever of
//! the two looks at the run or moves it locks it meanwhile.

use super::{Read, Server, reader};
use crate::debug::console::Console;
use crate::debug::session::Session;
use crate::debug::stop::StopKind;
use crate::debug::{Debuggee, Services};
use serde_json::json;
use std::io::BufRead;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often to look for Ctrl-C.
const LOOK: Duration = Duration::from_millis(100);

/// How long an editor may take to say goodbye.
const FAREWELL: Duration = Duration::from_secs(2);

/// The script's end of a server that answers by itself.
pub struct AttachedServer(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    /// Something was answered, or the run is free.
    has_changed: Condvar,
}

struct State {
    server: Server<TcpStream>,
    /// Whether the script waits until the debugger lets it go on.
    is_held: bool,
    /// Nobody debugs the run any longer.
    is_free: bool,
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
        let state = Mutex::new(State { server, is_held: false, is_free: false });
        let shared = Arc::new(Shared { state, has_changed: Condvar::new() });
        let (messages, own) = (reader(input, pause), Arc::clone(&shared));
        std::thread::spawn(move || own.answer_all(&messages));
        AttachedServer(shared)
    }

    /// Does something with the run.
    pub fn with<R>(&self, act: impl FnOnce(&mut Session) -> R) -> R {
        act(self.0.lock().session())
    }

    /// Whether nobody debugs the run any longer.
    pub fn is_free(&self) -> bool {
        self.0.lock().is_free
    }

    /// Tells the editor where the run stands, unless it goes on by itself.
    pub fn arrived(&self) {
        let mut state = self.0.lock();
        if !state.is_free && state.server.stopped().is_err() {
            state.let_go();
        }
    }

    /// Waits until the run is to go on.
    pub fn hold(&self) {
        let mut state = self.0.lock();
        state.is_held = true;
        while !state.is_free && state.stands() {
            state = self.0.has_changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.is_held = false;
    }

    /// The script is done with the run: the editor is told, and may say goodbye.
    pub fn end(&self) {
        let mut state = self.0.lock();
        let mut is_there = !state.is_free && state.server.event("terminated", json!({})).is_ok();
        while is_there && !state.is_free {
            let waited = self.0.has_changed.wait_timeout(state, FAREWELL);
            let (after, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            (state, is_there) = (after, !timeout.timed_out());
        }
        state.is_free = true;
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers one request after the other, until nobody debugs the run any longer.
    fn answer_all(&self, messages: &Receiver<Read>) {
        loop {
            let message = messages.recv_timeout(LOOK);
            let mut state = self.lock();
            if state.is_free {
                return;
            }
            match message {
                // Ctrl-C at a run that stands is for the script.
                Err(RecvTimeoutError::Timeout) if state.is_held && state.stands() => {
                    if !state.server.pause.load(Ordering::Relaxed) {
                        continue;
                    }
                    state.let_go();
                }
                Err(RecvTimeoutError::Timeout) => continue,
                message => {
                    let stays = matches!(message, Ok(Ok(Some(message))) if state.answer(&message));
                    if !stays {
                        // The editor has left, and nobody has asked the script to stop.
                        state.server.pause.store(false, Ordering::Relaxed);
                        state.let_go();
                    }
                }
            }
            self.has_changed.notify_all();
        }
    }
}

impl State {
    fn session(&mut self) -> &mut Session {
        &mut self.server.console.as_mut().expect("it is there from the beginning").session
    }

    /// Whether the run is to stand, so that the script waits for it.
    fn stands(&mut self) -> bool {
        self.session().stop.kind != StopKind::Host
    }

    /// Answers a request; false if the editor has left.
    fn answer(&mut self, message: &serde_json::Value) -> bool {
        self.server.answer(message).is_ok() && !self.server.is_over
    }

    fn let_go(&mut self) {
        self.is_free = true;
        let stop = self.server.pause;
        self.session().let_go(stop);
    }
}
