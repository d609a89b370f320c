//! Recordings of an editor and the debugger as text: files, then exchanges, each with what came back.
//!
//! `== NAME` begins a file, `> REQUEST {arguments}` an exchange. `> variables SCOPE [NAME]` asks for the scopes of the
//! innermost call of the PE that has stopped, and then for the variables of one of them. `DATA` is the last `dataId`.

use super::client::Client;
use crate::cli::Folder;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// The recording as it would be written now, and the number of its exchanges.
pub fn replay(name: &str, script: &str) -> (String, usize) {
    let folder = Folder::new(&format!("dap-{name}"));
    let root = folder.0.canonicalize().expect("a folder");
    let mut out = String::new();
    let mut files: Vec<(String, String)> = Vec::new();
    let mut lines = script.lines().peekable();
    while let Some(line) = lines.next_if(|line| !line.starts_with("> ")) {
        let _ = writeln!(out, "{line}");
        match (line.strip_prefix("== "), files.last_mut()) {
            (Some(file), _) => files.push((file.to_string(), String::new())),
            (None, Some((_, text))) => *text += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    for (file, text) in &files {
        std::fs::write(root.join(file), text).expect("a writable file");
    }
    let mut session = Session { client: Client::new(&root), stopped: 1, data: String::new() };
    let mut count = 0;
    for line in lines.filter_map(|line| line.strip_prefix("> ")) {
        count += 1;
        let _ = writeln!(out, "> {line}");
        for line in session.perform(line).replace(&*root.to_string_lossy(), "DIR").lines() {
            let _ = writeln!(out, "  {}", line.trim_end());
        }
    }
    assert_eq!(session.client.end(), Some(0), "{name}: the server ends properly");
    (out, count)
}

struct Session {
    client: Client,
    /// The thread that has stopped last.
    stopped: u64,
    /// The data that were asked for last.
    data: String,
}

impl Session {
    fn perform(&mut self, line: &str) -> String {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        if command == "variables" && !rest.starts_with('{') {
            return self.variables(rest);
        }
        let arguments = match rest {
            "" => json!({ "threadId": self.stopped }),
            rest => serde_json::from_str(&rest.replace("DATA", &self.data)).expect("valid JSON"),
        };
        let answer = self.client.ask(command, arguments);
        let mut out = match answer {
            Ok(body) => {
                self.data = body["dataId"].as_str().map_or(std::mem::take(&mut self.data), str::to_string);
                shown(&body)
            }
            Err(why) => format!("error: {why}\n"),
        };
        for event in self.client.events_of_last_request() {
            let body = &event["body"];
            if event["event"] == "stopped" {
                self.stopped = body["threadId"].as_u64().unwrap_or(self.stopped);
            }
            let _ = match body["output"].as_str() {
                Some(text) => writeln!(out, "output: {}", text.trim_end()),
                None => writeln!(out, "{}: {body}", event["event"].as_str().unwrap_or_default()),
            };
        }
        out
    }

    /// The variables of a scope, or the parts of one of them.
    fn variables(&mut self, rest: &str) -> String {
        let (scope, name) = rest.split_once(' ').unwrap_or((rest, ""));
        let stack = self.client.ask("stackTrace", json!({ "threadId": self.stopped })).expect("a stack");
        let frame = &stack["stackFrames"][0]["id"];
        let scopes = self.client.ask("scopes", json!({ "frameId": frame })).expect("scopes");
        let all = self.of(&named(&scopes["scopes"], scope)["variablesReference"]);
        match name {
            "" => shown(&all),
            name => shown(&self.of(&named(&all["variables"], name)["variablesReference"])),
        }
    }

    fn of(&mut self, reference: &Value) -> Value {
        self.client.ask("variables", json!({ "variablesReference": reference })).expect("variables")
    }
}

fn named(list: &Value, name: &str) -> Value {
    let found = list.as_array().into_iter().flatten().find(|item| item["name"] == name);
    found.unwrap_or_else(|| panic!("nothing is called {name} in {list}")).clone()
}

/// A body, a line for each item of its lists.
fn shown(body: &Value) -> String {
    let mut out = String::new();
    for (key, value) in body.as_object().into_iter().flatten() {
        match value {
            Value::Array(items) => items.iter().for_each(|item| {
                let _ = writeln!(out, "{}", item_text(item));
            }),
            Value::String(text) => {
                let _ = writeln!(out, "{key}: {text}");
            }
            other => {
                let _ = writeln!(out, "{key}: {other}");
            }
        }
    }
    out
}

/// A variable as people read it, a call with its place; anything else as it is.
fn item_text(item: &Value) -> String {
    let text = |key: &str| item[key].as_str().unwrap_or_default().to_string();
    if item["value"].is_string() {
        let ty = if item["type"].is_string() { format!(": {}", text("type")) } else { String::new() };
        let more = if item["variablesReference"] == json!(0) { "" } else { " (has parts)" };
        return format!("{}{ty} = {}{more}", text("name"), text("value"));
    }
    if item["column"].is_number() {
        let source = Path::new(item["source"]["path"].as_str().unwrap_or("nowhere")).file_name();
        let source = source.map_or(String::new(), |name| name.to_string_lossy().into_owned());
        return format!("{} at {source}:{}:{}", text("name"), item["line"], item["column"]);
    }
    item.to_string()
}
