//! A server for editors that speak the Debug Adapter Protocol.
//!
//! One thread reads, so that a request to pause reaches a run; the other one answers. The protocol has no crate that is
//! kept: its messages are few, and are written here as JSON.

mod attached;
mod breakpoints;
mod launch;
mod show;
mod wire;

pub use attached::AttachedServer;

use super::console::Console;
use super::session::Step;
use super::stop::{Exceptions, StopKind};
use super::{Debuggee, Services};
use crate::PeCoord;
use serde_json::{Value, json};
use show::{Handle, thread_id};
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};

/// Serves one editor; whether it has said goodbye.
///
/// # Errors
/// A sentence: the editor breaks the protocol, or does not listen.
pub fn serve(
    services: Services,
    input: impl BufRead + Send + 'static,
    output: impl Write,
) -> Result<bool, String> {
    // There is one server in a process.
    let pause: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
    let messages = reader(input, pause);
    let mut server = Server::new(services, output, pause);
    for message in messages {
        match message? {
            Some(message) => server.answer(&message)?,
            None => return Ok(false),
        }
        if server.is_over {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The messages of an editor, which a thread reads. A request to pause is noted at once.
fn reader(input: impl BufRead + Send + 'static, pause: &'static AtomicBool) -> Receiver<Read> {
    let (send, messages) = channel();
    std::thread::spawn(move || {
        let mut input = input;
        loop {
            let message = wire::read(&mut input);
            if let Ok(Some(message)) = &message
                && ["pause", "terminate", "disconnect"].iter().any(|command| message["command"] == *command)
            {
                pause.store(true, Ordering::Relaxed);
            }
            let is_last = !matches!(message, Ok(Some(_)));
            if send.send(message).is_err() || is_last {
                return;
            }
        }
    });
    messages
}

/// A message, the end of them, or what is wrong with one.
type Read = Result<Option<Value>, String>;

/// What a request has brought: the body of the response, and what follows it.
struct Answer {
    body: Value,
    then: Then,
}

/// What follows a response.
enum Then {
    Nothing,
    /// The editor may configure.
    Initialized,
    /// The run goes on.
    Run(fn(&mut Console)),
    /// The run stands elsewhere.
    Stopped,
    /// The debugger ends.
    Over,
}

impl From<Value> for Answer {
    fn from(body: Value) -> Answer {
        Answer { body, then: Then::Nothing }
    }
}

type Answered = Result<Answer, String>;

struct Server<W> {
    services: Services,
    output: W,
    /// Messages sent.
    sent: i64,
    pause: &'static AtomicBool,
    console: Option<Console>,
    /// What variables refer to while the run stands.
    handles: Vec<Handle>,
    /// The calls that frames refer to.
    frames: Vec<(PeCoord, usize)>,
    /// The number of the first line, as the editor counts.
    first_line: usize,
    stops_at: launch::StopsAt,
    is_over: bool,
}

impl<W: Write> Server<W> {
    fn new(services: Services, output: W, pause: &'static AtomicBool) -> Server<W> {
        Server {
            services,
            output,
            sent: 0,
            pause,
            console: None,
            handles: Vec::new(),
            frames: Vec::new(),
            first_line: 1,
            stops_at: launch::StopsAt::default(),
            is_over: false,
        }
    }

    fn answer(&mut self, message: &Value) -> Result<(), String> {
        if message["type"] != "request" {
            return Ok(());
        }
        let command = message["command"].as_str().unwrap_or_default();
        let answered = self.perform(command, &message["arguments"]);
        let (success, body, then) = match answered {
            Ok(Answer { body, then }) => (json!({ "success": true }), body, then),
            Err(why) => {
                let error =
                    json!({ "id": 1, "format": why.replace('{', "(").replace('}', ")"), "showUser": true });
                (json!({ "success": false, "message": why }), json!({ "error": error }), Then::Nothing)
            }
        };
        let mut response = json!({
            "type": "response", "request_seq": message["seq"], "command": command, "body": body,
        });
        for (key, value) in success.as_object().into_iter().flatten() {
            response[key] = value.clone();
        }
        self.send(response)?;
        self.follow(then)
    }

    fn follow(&mut self, then: Then) -> Result<(), String> {
        match then {
            Then::Nothing => Ok(()),
            Then::Initialized => self.event("initialized", json!({})),
            Then::Run(run) => {
                if let Some(console) = &mut self.console {
                    run(console);
                }
                self.stopped()
            }
            Then::Stopped => self.stopped(),
            Then::Over => {
                self.is_over = true;
                Ok(())
            }
        }
    }

    fn send(&mut self, mut message: Value) -> Result<(), String> {
        self.sent += 1;
        message["seq"] = json!(self.sent);
        wire::write(&mut self.output, &message).map_err(|why| format!("cannot write to the editor: {why}"))
    }

    fn event(&mut self, event: &str, body: Value) -> Result<(), String> {
        self.send(json!({ "type": "event", "event": event, "body": body }))
    }

    fn perform(&mut self, command: &str, args: &Value) -> Answered {
        match command {
            "initialize" => Ok(self.initialize(args).into()),
            "launch" => self.launch(args),
            "attach" => self.attach(args),
            "configurationDone" => self.configured(),
            "setBreakpoints" => self.set_breakpoints(args).map(Answer::from),
            "setFunctionBreakpoints" => self.set_function_breakpoints(args).map(Answer::from),
            "setDataBreakpoints" => self.set_data_breakpoints(args).map(Answer::from),
            "dataBreakpointInfo" => self.data_breakpoint_info(args).map(Answer::from),
            "setExceptionBreakpoints" => self.set_exceptions(args),
            "threads" => self.threads().map(Answer::from),
            "stackTrace" => self.stack(args).map(Answer::from),
            "scopes" => self.scopes(args).map(Answer::from),
            "variables" => self.variables(args).map(Answer::from),
            "source" => self.source(args).map(Answer::from),
            "evaluate" => self.evaluate(args),
            "exceptionInfo" => self.exception_info().map(Answer::from),
            "continue" => self.run(args, |console| console.session.go_on()),
            "next" => self.run(args, |console| console.session.step(Step::Over)),
            "stepIn" => self.run(args, |console| console.session.step(Step::In)),
            "stepOut" => self.run(args, |console| console.session.step(Step::Out)),
            "stepBack" => self.run(args, |console| console.session.step_back()),
            "reverseContinue" => self.run(args, |console| console.session.go_back()),
            "restart" => self.run(args, |console| console.session.go_to_start()),
            "pause" => {
                // A run that stands already has nothing to pause.
                self.pause.store(false, Ordering::Relaxed);
                let is_beside = self.console()?.session.stand_beside_script();
                let then = if is_beside { Then::Stopped } else { Then::Nothing };
                Ok(Answer { body: json!({}), then })
            }
            "terminate" => {
                self.pause.store(false, Ordering::Relaxed);
                self.event("terminated", json!({})).map(|()| json!({}).into())
            }
            "disconnect" => Ok(Answer { body: json!({}), then: Then::Over }),
            other => Err(format!("cslrun does not offer the request `{other}`")),
        }
    }

    fn console(&mut self) -> Result<&mut Console, String> {
        self.console.as_mut().ok_or("no program is debugged: send `launch` first".to_string())
    }

    fn set_exceptions(&mut self, args: &Value) -> Answered {
        let filters = strings(&args["filters"]);
        let known = ["errors", "hangs", "warnings"];
        if let Some(unknown) = filters.iter().find(|filter| !known.contains(&filter.as_str())) {
            return Err(format!(
                "`{unknown}` is not a kind of exception; there are errors, hangs and warnings"
            ));
        }
        let has = |name: &str| filters.iter().any(|filter| filter == name);
        let wanted = Exceptions { errors: has("errors"), hangs: has("hangs"), warnings: has("warnings") };
        self.console()?.session.exceptions = wanted;
        Ok(json!({}).into())
    }

    /// The editor is done with breakpoints: the run begins.
    fn configured(&mut self) -> Answered {
        let stops_on_entry = self.stops_at.entry;
        self.console()?;
        let then = if stops_on_entry { Then::Stopped } else { Then::Run(|console| console.session.go_on()) };
        Ok(Answer { body: json!({}), then })
    }

    fn run(&mut self, args: &Value, run: fn(&mut Console)) -> Answered {
        if let Some(at) = self.thread(args)? {
            self.console()?.session.select(at)?;
        }
        self.console()?;
        Ok(Answer { body: json!({ "allThreadsContinued": true }), then: Then::Run(run) })
    }

    /// The run stands: the editor is told where and why.
    fn stopped(&mut self) -> Result<(), String> {
        self.handles.clear();
        self.frames.clear();
        let Some(console) = &mut self.console else { return Ok(()) };
        console.call = 0;
        let (output, stop) = (console.session.take_output(), console.session.stop.clone());
        let (focus, program) = (console.session.focus(), Arc::clone(console.session.program()));
        for line in output {
            self.event("output", json!({ "category": "stdout", "output": format!("{line}\n") }))?;
        }
        if !stop.report.is_empty() {
            self.event("output", json!({ "category": "console", "output": stop.report }))?;
        }
        let is_over = match stop.kind {
            StopKind::Ended => !self.stops_at.end || stop.text.is_empty(),
            _ => false,
        };
        if is_over {
            return self.event("terminated", json!({}));
        }
        if stop.kind == StopKind::Host {
            return Ok(());
        }
        let reason = match stop.kind {
            StopKind::Entry => "entry",
            StopKind::Step => "step",
            StopKind::Breakpoint => "breakpoint",
            StopKind::Data => "data breakpoint",
            StopKind::Pause | StopKind::Ended | StopKind::Host => "pause",
            StopKind::Goto => "goto",
            StopKind::Exception => "exception",
        };
        let mut body = json!({
            "reason": reason, "threadId": thread_id(&program, focus), "allThreadsStopped": true,
        });
        if !stop.text.is_empty() {
            body["description"] = json!(stop.text);
            body["text"] = json!(stop.text);
        }
        if !stop.breakpoints.is_empty() {
            body["hitBreakpointIds"] = json!(stop.breakpoints);
        }
        self.event("stopped", body)
    }

    fn evaluate(&mut self, args: &Value) -> Answered {
        let text = args["expression"].as_str().unwrap_or_default().trim();
        let (at, call) = self.frame(&args["frameId"])?;
        let console = self.console()?;
        if args["context"] == "repl" && Console::knows(text) {
            console.session.select(at)?;
            console.call = call;
            let reply = console.perform(text)?;
            let then = if reply.ends {
                Then::Over
            } else if reply.has_moved {
                Then::Stopped
            } else {
                Then::Nothing
            };
            let body = json!({ "result": reply.text.trim_end(), "variablesReference": 0 });
            return Ok(Answer { body, then });
        }
        let (_, tree) = console.session.evaluate(text, at, call)?;
        let reference = self.refer(tree.parts, (at, call), text.to_string());
        let mut body = json!({ "result": tree.value, "variablesReference": reference });
        if !tree.ty.is_empty() {
            body["type"] = json!(tree.ty);
        }
        Ok(body.into())
    }

    fn exception_info(&mut self) -> Result<Value, String> {
        let session = &self.console()?.session;
        let report = session.report().ok_or("the run does not stand at an exception")?;
        let rule = report.first().map_or(String::new(), |first| first.rule.to_string());
        let title = report.first().map_or(String::new(), |first| first.title.clone());
        Ok(json!({
            "exceptionId": rule, "description": title, "breakMode": "always",
            "details": { "message": session.stop.report },
        }))
    }
}

/// The strings of a list.
fn strings(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|item| item.as_str().map(str::to_string)).collect()
}
