//! The run of a host script under a debugger: the script acts and waits as always, and somebody looks at the run meanwhile.
//!
//! The debugger and the script take turns on one thread. While the script waits for the wafer, the debugger lets the run go
//! on or keeps it; while the script computes, requests wait.

use super::Debuggee;
use super::console::Console;
use super::dap::AttachedServer;
use super::goal::{Goal, Wait};
use super::prompt::exchange;
use super::session::Session;
use super::stop::StopKind;
use crate::{Failure, Program, RunOptions, Runner};
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
pub struct AttachedRun {
    front: Front,
    /// Becomes true at Ctrl-C.
    stop: &'static AtomicBool,
    /// Nobody debugs it any longer.
    is_free: bool,
}

enum Front {
    Prompt(Box<Prompt>),
    Editor(Box<AttachedServer>),
}

struct Prompt {
    console: Console,
    pause: &'static AtomicBool,
    input: Box<dyn BufRead + Send>,
    output: Box<dyn Write + Send>,
    last: String,
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
        let debuggee = Debuggee { program, facts: Vec::new(), options, host: None };
        let front = match place {
            Place::Prompt(input, mut output) => {
                let console = Console::new(Session::new(debuggee, pause));
                let (width, height) = console.session.program().size();
                writeln!(
                    output,
                    "{width} x {height} PEs, before the first cycle; `help` lists the commands"
                )?;
                Front::Prompt(Box::new(Prompt { console, pause, input, output, last: String::new() }))
            }
            Place::Editor(stream) => {
                let input = BufReader::new(stream.try_clone()?);
                Front::Editor(Box::new(AttachedServer::new(debuggee, input, stream, pause)))
            }
        };
        let mut run = AttachedRun { front, stop: pause, is_free: false };
        run.talk();
        Ok(run)
    }

    /// Whether nobody debugs it any longer.
    pub fn is_free(&self) -> bool {
        self.is_free
    }

    /// The run as it is for the script, to look at it.
    pub fn runner(&mut self) -> &mut Runner {
        &mut self.session().frontier().runner
    }

    /// The script changes the run, such as by a copy that it queues.
    pub fn act<T>(&mut self, act: impl Fn(&mut Runner) -> T + Send + Sync + 'static) -> T {
        match self.is_free {
            true => act(self.runner()),
            false => self.session().frontier().act(Arc::new(act)),
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
        if self.is_free || self.session().failure().is_some() {
            return finish(self.runner());
        }
        let finish = Arc::new(finish);
        let tried = Arc::clone(&finish);
        let trial = Box::new(move |runner: &mut Runner| tried(runner).err());
        self.session().wait(Wait { goal, trial });
        self.arrived();
        self.talk();
        self.session().end_wait();
        match self.session().failure() {
            // The run has come to its end, and cannot do more.
            Some(failure) => Err(failure),
            None => self.act(move |runner| finish(runner)),
        }
    }

    /// The script is done with the run.
    pub fn end(&mut self) {
        if let Front::Editor(server) = &mut self.front
            && !self.is_free
        {
            server.end();
        }
        self.is_free = true;
    }

    fn session(&mut self) -> &mut Session {
        match &mut self.front {
            Front::Prompt(prompt) => &mut prompt.console.session,
            Front::Editor(server) => server.session(),
        }
    }

    /// Tells where the run stands, unless it goes on by itself.
    fn arrived(&mut self) {
        let is_told = match &mut self.front {
            Front::Editor(server) => server.arrived(),
            Front::Prompt(prompt) => {
                let reply = prompt.console.moved();
                prompt.output.write_all(reply.text.as_bytes()).is_ok()
            }
        };
        if !is_told {
            self.let_go();
        }
    }

    /// Talks with whoever debugs until the run is to go on.
    fn talk(&mut self) {
        while !self.is_free && self.session().stop.kind != StopKind::Host {
            let goes_on = match &mut self.front {
                Front::Editor(server) => server.answer_next(),
                Front::Prompt(prompt) => {
                    let Prompt { console, pause, input, output, last } = &mut **prompt;
                    let done = exchange(console, pause, (input, output), (false, last));
                    matches!(done, Ok(ControlFlow::Continue(())))
                }
            };
            if !goes_on {
                self.let_go();
            }
        }
    }

    /// Nobody debugs the run any longer: the script goes on as if nobody had.
    fn let_go(&mut self) {
        self.is_free = true;
        self.session().end_wait();
        self.session().forget();
        let stop = self.stop;
        self.runner().stop_when(stop);
    }
}
