//! An editor for tests: it speaks the Debug Adapter Protocol with `cslrun debug` over standard input and output, or over
//! TCP.

use crate::wire::Server;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// An editor with a server.
pub struct Client {
    server: Server,
    requests: i64,
    /// Events since they were taken last.
    pub events: Vec<Value>,
}

impl Client {
    /// Starts a server in a folder.
    pub fn new(folder: &Path) -> Client {
        Client::of(Server::of_stdio(server(folder, &["--dap"])))
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
        Client::of(Server::new(child, input, stream))
    }

    fn of(server: Server) -> Client {
        Client { server, requests: 0, events: Vec::new() }
    }

    /// Sends a request; the body of the response, or the message of the error.
    pub fn ask(&mut self, command: &str, arguments: Value) -> Result<Value, String> {
        let id = self.send(command, arguments);
        loop {
            let mut message = self.server.receive();
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
        self.server.send(text);
    }

    /// Waits until all events that a request brings have come.
    pub fn events_of_last_request(&mut self) -> Vec<Value> {
        // Requests are answered one after the other.
        let _ = self.ask("nothing", Value::Null);
        std::mem::take(&mut self.events)
    }

    /// Says goodbye; the exit status.
    pub fn end(mut self) -> Option<i32> {
        self.ask("disconnect", json!({})).expect("the server is polite");
        self.server.leave()
    }

    /// Leaves without a word; the exit status.
    pub fn leave(mut self) -> Option<i32> {
        self.server.leave()
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
