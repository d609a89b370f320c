//! An editor for tests: it speaks the Debug Adapter Protocol with `cslrun debug` over standard input and output, or over
//! TCP.

use crate::cli::PATIENCE;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

/// An editor with a server.
pub struct Client {
    child: Child,
    output: Option<Box<dyn Write>>,
    messages: Receiver<Value>,
    requests: i64,
    /// Events since they were taken last.
    pub events: Vec<Value>,
}

impl Client {
    /// Starts a server in a folder.
    pub fn new(folder: &Path) -> Client {
        let mut child = server(folder, &["--dap"]);
        let input = child.stdout.take().expect("a pipe");
        let output = child.stdin.take().expect("a pipe");
        Client::of(child, Box::new(input), Box::new(output))
    }

    /// Starts a server in a folder that listens at a port, and connects to it.
    pub fn connected(folder: &Path) -> Client {
        let mut child = server(folder, &["--port", "0"]);
        let mut line = String::new();
        let says = child.stdout.as_mut().expect("a pipe");
        BufReader::new(says).read_line(&mut line).expect("the server says where it listens");
        let address = line.trim().rsplit(' ').next().expect("an address");
        let stream = TcpStream::connect(address).expect("the server listens");
        let input = stream.try_clone().expect("a second handle");
        Client::of(child, Box::new(input), Box::new(stream))
    }

    fn of(child: Child, input: Box<dyn Read + Send>, output: Box<dyn Write>) -> Client {
        let (send, messages) = channel();
        std::thread::spawn(move || {
            let mut input = BufReader::new(input);
            while let Some(message) = read(&mut input) {
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        Client { child, output: Some(output), messages, requests: 0, events: Vec::new() }
    }

    /// Sends a request; the body of the response, or the message of the error.
    pub fn ask(&mut self, command: &str, arguments: Value) -> Result<Value, String> {
        let id = self.send(command, arguments);
        loop {
            let mut message = self.receive();
            if message["type"] == "event" {
                self.events.push(message);
                continue;
            }
            if message["request_seq"] == json!(id) {
                return match message["success"].as_bool() {
                    Some(true) => Ok(message["body"].take()),
                    _ => Err(message["message"].as_str().unwrap_or_default().to_string()),
                };
            }
        }
    }

    /// Sends a request and does not wait; its number.
    pub fn send(&mut self, command: &str, arguments: Value) -> i64 {
        self.requests += 1;
        let message =
            json!({ "seq": self.requests, "type": "request", "command": command, "arguments": arguments });
        self.send_text(&message.to_string());
        self.requests
    }

    /// Sends a message, whatever is in it.
    pub fn send_text(&mut self, text: &str) {
        let output = self.output.as_mut().expect("the server listens");
        write!(output, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        output.flush().expect("the server reads");
    }

    /// Waits until all events that a request brings have come.
    pub fn events_of_last_request(&mut self) -> Vec<Value> {
        // Requests are answered one after the other.
        let _ = self.ask("nothing", Value::Null);
        std::mem::take(&mut self.events)
    }

    fn receive(&mut self) -> Value {
        self.messages.recv_timeout(PATIENCE).expect("the server answers in time")
    }

    /// Says goodbye; the exit status.
    pub fn end(mut self) -> Option<i32> {
        self.ask("disconnect", json!({})).expect("the server is polite");
        self.output = None;
        self.child.wait().expect("a child of ours").code()
    }

    /// Leaves without a word; the exit status.
    pub fn leave(mut self) -> Option<i32> {
        self.output = None;
        self.child.wait().expect("a child of ours").code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn server(folder: &Path, args: &[&str]) -> Child {
    // Measurements want another build than tests.
    let command = std::env::var("DAP_COMMAND").unwrap_or(env!("CARGO_BIN_EXE_cslrun").to_string());
    let command = Command::new(command)
        .current_dir(folder)
        .arg("debug")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    command.expect("the built command starts")
}

fn read(input: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse().ok(),
            Some(_) => {}
            None => break,
        }
    }
    let mut bytes = vec![0; length?];
    input.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}
