//! Messages as the Language Server Protocol and the Debug Adapter Protocol send them: JSON behind its length.

use crate::cli::PATIENCE;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};

/// A server in a process of its own, and the streams to it.
pub struct Server {
    child: Child,
    /// What it reads; without it the server ends.
    output: Option<Box<dyn Write>>,
    messages: Receiver<Value>,
}

impl Server {
    /// A server that writes to `input` and reads from `output`.
    pub fn new(child: Child, input: impl Read + Send + 'static, output: impl Write + 'static) -> Server {
        let (send, messages) = channel();
        std::thread::spawn(move || {
            let mut input = BufReader::new(input);
            while let Some(message) = read(&mut input) {
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        Server { child, output: Some(Box::new(output)), messages }
    }

    /// A server that talks over standard input and output.
    pub fn of_stdio(mut child: Child) -> Server {
        let input = child.stdout.take().expect("a pipe");
        let output = child.stdin.take().expect("a pipe");
        Server::new(child, input, output)
    }

    /// The number of the process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Sends a message, whatever is in it.
    pub fn send(&mut self, text: &str) {
        let output = self.output.as_mut().expect("the server listens");
        write!(output, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        output.flush().expect("the server reads");
    }

    /// The next message.
    pub fn receive(&mut self) -> Value {
        self.messages.recv_timeout(PATIENCE).expect("the server answers in time")
    }

    /// Says no more; the exit status.
    pub fn leave(&mut self) -> Option<i32> {
        self.output = None;
        self.child.wait().expect("a child of ours").code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse().ok(),
            Some(_) => {}
            None => break,
        }
    }
    let mut bytes = vec![0; length?];
    output.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}
