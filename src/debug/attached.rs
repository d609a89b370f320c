//! The run of a host script under a debugger: the script acts and waits as always, and somebody looks at the run meanwhile.
//!
//! While the script waits for the wafer, the debugger lets the run go on or keeps it. While the script computes, an editor
//! may look at the last moment of the run and go back from there; the terminal belongs to the script.

use super::Debuggee;
use super::console::Console;
use super::dap::AttachedServer;
use super::goal::{Goal, Wait};
use super::prompt::exchange;
use super::session::Session;
use super::stop::StopKind;
use crate::{Failure, Program, RunOptions, Runner, facts_again};
use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpStream;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Where somebody debugs the run of a script.
pub enum Place {
    /// At a terminal, with what is typed there and where to write.
    Prompt(Box<dyn BufRead + Send>, Box<dyn Write + Send>),
    /// In an editor that has connected.
    Editor(TcpStream),
}

/// The run of a host script that somebody debugs.
pub struct AttachedRun(Front);

enum Front {
    Prompt(Box<Prompt>),
    Editor(AttachedServer),
}

struct Prompt {
    console: Console,
    /// Becomes true at Ctrl-C.
    pause: &'static AtomicBool,
    input: Box<dyn BufRead + Send>,
    output: Box<dyn Write + Send>,
    last: String,
    /// Whether the run continues without a debugger.
    is_free: bool,
}

impl AttachedRun {
    /// A run that has not begun; returns when the debugger lets it go on. `pause` becomes true at Ctrl-C, which pauses the
    /// run; when the run stands already and an editor looks at it, Ctrl-C ends that.
    ///
    /// # Errors
    /// What the system says about the editor or the terminal.
    pub fn begin(
        (program, options): (Arc<Program>, RunOptions),
        place: Place,
        pause: &'static AtomicBool,
    ) -> io::Result<AttachedRun> {
        let facts = facts_again(&program);
        let debuggee = Debuggee { program, facts, options, host: None };
        let front = match place {
            Place::Prompt(input, mut output) => {
                let console = Console::new(Session::new(debuggee, pause));
                let (width, height) = console.session.program().size();
                writeln!(
                    output,
                    "{width} x {height} PEs, before the first cycle; `help` lists the commands"
                )?;
                let last = String::new();
                Front::Prompt(Box::new(Prompt { console, pause, input, output, last, is_free: false }))
            }
            Place::Editor(stream) => {
                let input = BufReader::new(stream.try_clone()?);
                Front::Editor(AttachedServer::new(debuggee, input, stream, pause))
            }
        };
        let mut run = AttachedRun(front);
        run.hold();
        Ok(run)
    }

    /// Whether nobody debugs it any longer.
    pub fn is_free(&self) -> bool {
        match &self.0 {
            Front::Prompt(prompt) => prompt.is_free,
            Front::Editor(server) => server.is_free(),
        }
    }

    /// Looks at the run as it is for the script.
    pub fn look<R>(&mut self, look: impl FnOnce(&mut Runner) -> R) -> R {
        self.with(|session| look(&mut session.frontier().runner))
    }

    /// The script changes the run, such as by a copy that it queues.
    pub fn act<T>(&mut self, act: impl Fn(&mut Runner) -> T + Send + Sync + 'static) -> T {
        match self.is_free() {
            true => self.look(act),
            false => self.with(|session| session.frontier().act(Arc::new(act))),
        }
    }

    /// The script waits: the run goes on until the goal is reached, and may stand on the way. `finish` asks it for what the
    /// script wants; it comes to its end at once if the goal is reached, and fails if it cannot be.
    ///
    /// # Errors
    /// What `finish` says, or why the run cannot go on.
    pub fn run<T>(
        &mut self,
        goal: Goal,
        finish: impl Fn(&mut Runner) -> Result<T, Failure> + Send + Sync + 'static,
    ) -> Result<T, Failure> {
        // Somebody may have stopped it while the script has computed.
        self.hold();
        if self.is_free() || self.with(|session| session.failure().is_some()) {
            return self.look(finish);
        }
        let finish = Arc::new(finish);
        let tried = Arc::clone(&finish);
        let trial = Box::new(move |runner: &mut Runner| tried(runner).err());
        self.with(|session| session.wait(Wait { goal, trial }));
        self.arrived();
        self.hold();
        self.with(Session::end_wait);
        match self.with(|session| session.failure()) {
            // The run has come to its end, and cannot do more.
            Some(failure) => Err(failure),
            None => self.act(move |runner| finish(runner)),
        }
    }

    /// The script is done with the run.
    pub fn end(&mut self) {
        match &mut self.0 {
            Front::Prompt(prompt) => prompt.is_free = true,
            Front::Editor(server) => server.end(),
        }
    }

    fn with<R>(&mut self, act: impl FnOnce(&mut Session) -> R) -> R {
        match &mut self.0 {
            Front::Prompt(prompt) => act(&mut prompt.console.session),
            Front::Editor(server) => server.with(act),
        }
    }

    /// Tells where the run stands, unless it goes on by itself.
    fn arrived(&mut self) {
        match &mut self.0 {
            Front::Editor(server) => server.arrived(),
            Front::Prompt(prompt) => prompt.arrived(),
        }
    }

    /// Waits until the run is to go on.
    fn hold(&mut self) {
        match &mut self.0 {
            Front::Editor(server) => server.hold(),
            Front::Prompt(prompt) => prompt.talk(),
        }
    }
}

impl Prompt {
    fn arrived(&mut self) {
        let reply = self.console.moved();
        if self.output.write_all(reply.text.as_bytes()).is_err() {
            self.let_go();
        }
    }

    /// Talks with whoever debugs until the run is to go on.
    fn talk(&mut self) {
        while !self.is_free && self.console.session.stop.kind != StopKind::Host {
            let Prompt { console, pause, input, output, last, .. } = self;
            let done = exchange(console, pause, (input, output), (false, last));
            if !matches!(done, Ok(ControlFlow::Continue(()))) {
                self.let_go();
            }
        }
    }

    fn let_go(&mut self) {
        self.is_free = true;
        self.console.session.let_go(self.pause);
    }
}
