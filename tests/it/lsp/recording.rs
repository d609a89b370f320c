//! Recordings of an editor and the server as text: files, then exchanges, each with what came back.
//!
//! `== NAME` begins a file, `> COMMAND` an exchange. `|` in a quoted piece of text is the cursor.

use super::client::{Client, address};
use crate::cli::Folder;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The recording as it would be written now, and the number of its exchanges.
pub fn replay(name: &str, script: &str) -> (String, usize) {
    let folder = Folder::new(&format!("lsp-{name}"));
    let root = folder.0.canonicalize().expect("a folder");
    let mut out = String::new();
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mut lines = script.lines().peekable();
    while let Some(line) = lines.next_if(|line| !line.starts_with("> ")) {
        let _ = writeln!(out, "{line}");
        if let Some(file) = line.strip_prefix("== ") {
            texts.insert(file.to_string(), String::new());
        }
        if !line.starts_with("== ")
            && let Some(file) = out.lines().rev().find_map(|line| line.strip_prefix("== "))
        {
            *texts.get_mut(file).expect("it was begun") += &format!("{line}\n");
        }
    }
    for (file, text) in &texts {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a writable folder");
        std::fs::write(path, text).expect("a writable file");
    }
    let mut session = Session { client: Client::new(&root, Value::Null), texts };
    let mut count = 0;
    for line in lines.filter_map(|line| line.strip_prefix("> ")) {
        count += 1;
        let _ = writeln!(out, "> {line}");
        let answer = session.perform(line);
        for line in answer.lines() {
            let _ = writeln!(out, "  {line}");
        }
    }
    assert_eq!(session.client.end(), Some(0), "{name}: the server ends properly");
    (out, count)
}

struct Session {
    client: Client,
    texts: BTreeMap<String, String>,
}

impl Session {
    fn perform(&mut self, line: &str) -> String {
        let words = words(line);
        let word = |n: usize| words.get(n).map(String::as_str).unwrap_or_default();
        let (command, file) = (word(0), word(1));
        let path = self.client.folder.join(file);
        let answer = match command {
            "greeting" => return shown(&self.client.greeting["capabilities"], &self.client),
            "open" => {
                let text = self.texts[file].clone();
                return self.published(|client| client.open(&path, &text));
            }
            "close" => {
                self.client
                    .tell("textDocument/didClose", json!({ "textDocument": { "uri": address(&path) } }));
                return String::new();
            }
            "replace" => {
                let text = self.texts.get_mut(file).expect("a file of the recording");
                let at = text.find(word(2)).expect("a text to replace");
                let range = json!({ "start": position(text, at), "end": position(text, at + word(2).len()) });
                text.replace_range(at..at + word(2).len(), word(3));
                let change = json!([{ "range": range, "text": word(3) }]);
                return self.published(|client| client.change(&path, change));
            }
            "raw" => {
                let params = serde_json::from_str(word(2)).expect("valid JSON");
                self.client.ask(word(1), params)
            }
            "command" => self.command(file, word(2), word(3)),
            _ => self.ask(command, file, &words[2..]),
        };
        if command == "tokens" {
            return tokens(&answer.expect("tokens"), &self.client.greeting, &self.texts[file]);
        }
        match answer {
            Ok(value) => shown(&value, &self.client),
            Err(error) => {
                format!("error {}: {}", error["code"], error["message"].as_str().unwrap_or_default())
            }
        }
    }

    fn ask(&mut self, command: &str, file: &str, rest: &[String]) -> Result<Value, Value> {
        let document = json!({ "uri": address(&self.client.folder.join(file)) });
        let mut params = json!({ "textDocument": document });
        let text = self.texts.get(file).cloned().unwrap_or_default();
        if let Some(place) = rest.first() {
            params["position"] = cursor(&text, place);
        }
        let end = position(&text, text.len());
        let everything = json!({ "start": { "line": 0, "character": 0 }, "end": end });
        let method = match command {
            "references" => {
                params["context"] = json!({ "includeDeclaration": true });
                "references"
            }
            "rename" => {
                params["newName"] = json!(rest[1]);
                "rename"
            }
            "tokens" => "semanticTokens/full",
            "symbols" => "documentSymbol",
            "links" => "documentLink",
            "folding" => "foldingRange",
            "signature" => "signatureHelp",
            "hints" => {
                params["range"] = everything;
                "inlayHint"
            }
            "format" => {
                params["options"] = json!({ "tabSize": 2, "insertSpaces": true });
                "formatting"
            }
            "actions" => {
                let at = params["position"].take();
                params["range"] = json!({ "start": at, "end": at });
                params["context"] = json!({ "diagnostics": [] });
                "codeAction"
            }
            other => other,
        };
        self.client.ask(&format!("textDocument/{method}"), params)
    }

    /// A command of the server for a file, with a position if there is one. Of a picture the number of its texts is shown.
    fn command(&mut self, name: &str, file: &str, place: &str) -> Result<Value, Value> {
        let mut arguments = vec![json!(address(&self.client.folder.join(file)))];
        if !place.is_empty() {
            arguments.push(cursor(&self.texts[file], place));
        }
        let params = json!({ "command": name, "arguments": arguments });
        let mut answer = self.client.ask("workspace/executeCommand", params)?;
        if let Some(svg) = answer["svg"].as_str().filter(|svg| svg.starts_with("<svg")) {
            answer["svg"] = json!(format!("{} texts", svg.matches("<text").count()));
        }
        Ok(answer)
    }

    fn published(&mut self, act: impl FnOnce(&mut Client) -> Vec<Value>) -> String {
        let mut out = String::new();
        for params in act(&mut self.client) {
            let file = shown(&params["uri"], &self.client);
            let diagnostics = params["diagnostics"].as_array().cloned().unwrap_or_default();
            if diagnostics.is_empty() {
                let _ = writeln!(out, "{}: nothing", file.trim());
            }
            for mut diagnostic in diagnostics {
                diagnostic.as_object_mut().expect("an object").remove("source");
                let _ = write!(out, "{}: {}", file.trim(), shown(&diagnostic, &self.client));
            }
        }
        out
    }
}

/// Each word with its type and its modifiers.
fn tokens(answer: &Value, greeting: &Value, text: &str) -> String {
    let legend = &greeting["capabilities"]["semanticTokensProvider"]["legend"];
    let numbers: Vec<usize> = answer["data"]
        .as_array()
        .expect("numbers")
        .iter()
        .map(|n| n.as_u64().expect("a number") as usize)
        .collect();
    let (mut out, mut line, mut column) = (String::new(), 0, 0);
    for token in numbers.chunks(5) {
        column = if token[0] == 0 { column + token[1] } else { token[1] };
        line += token[0];
        let units: Vec<u16> = text.lines().nth(line).expect("a line").encode_utf16().collect();
        let word = String::from_utf16_lossy(&units[column..column + token[2]]);
        let _ = write!(
            out,
            "{}:{} {word}: {}",
            line + 1,
            column + 1,
            legend["tokenTypes"][token[3]].as_str().expect("a type")
        );
        let modifiers = legend["tokenModifiers"].as_array().expect("a list").iter().enumerate();
        modifiers
            .filter(|(bit, _)| token[4] >> bit & 1 == 1)
            .for_each(|(_, name)| out += &format!(" {}", name.as_str().expect("a name")));
        out.push('\n');
    }
    out
}

/// Items of a list that are shown; the rest is counted.
const MOST_ITEMS: usize = 20;

/// The words of a command; quoted ones may hold blanks, `\n`, and `''` for a double quote.
fn words(line: &str) -> Vec<String> {
    let (mut all, mut rest) = (Vec::new(), line.trim());
    while !rest.is_empty() {
        let (word, next) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let end = quoted.find('"').expect("a closing quote");
                (quoted[..end].replace("\\n", "\n").replace("''", "\""), &quoted[end + 1..])
            }
            None if rest.starts_with(['{', '[']) => (rest.to_string(), ""),
            None => match rest.split_once(' ') {
                Some((word, next)) => (word.to_string(), next),
                None => (rest.to_string(), ""),
            },
        };
        all.push(word);
        rest = next.trim_start();
    }
    all
}

/// The place of the cursor `|` in the first piece of text like this.
fn cursor(text: &str, place: &str) -> Value {
    let (before, behind) = place.split_once('|').unwrap_or(("", place));
    let at = text.find(&format!("{before}{behind}")).unwrap_or_else(|| panic!("no `{place}` in the file"));
    position(text, at + before.len())
}

fn position(text: &str, at: usize) -> Value {
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    json!({ "line": line, "character": text[start..at].encode_utf16().count() })
}

/// A value as a few lines: ranges and addresses are short, and there are no quotes and brackets.
fn shown(value: &Value, client: &Client) -> String {
    let (root, cache) = (address(&client.folder), address(&client.cache));
    let mut out = String::new();
    write_value(&mut out, value, (&root, &cache), 0);
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

fn write_value(out: &mut String, value: &Value, (root, cache): (&str, &str), indent: usize) {
    let pad = "  ".repeat(indent);
    match value {
        Value::Null => out.push_str("nothing"),
        Value::String(text) => {
            let text = text
                .replace(cache, "CACHE")
                .replace(&format!("{root}/"), "")
                .replace(&root["file://".len()..], "FOLDER");
            match text.contains('\n') {
                true => {
                    for line in text.lines() {
                        let _ = write!(out, "\n{pad}  {line}");
                    }
                }
                false => out.push_str(&text),
            }
        }
        Value::Array(all) if all.is_empty() => out.push_str("none"),
        Value::Array(all) if all.iter().all(Value::is_number) => {
            let numbers: Vec<String> = all.iter().map(Value::to_string).collect();
            out.push_str(&numbers.join(" "));
        }
        Value::Array(all) => {
            for item in all.iter().take(MOST_ITEMS) {
                let _ = write!(out, "\n{pad}- ");
                write_value(out, item, (root, cache), indent + 1);
            }
            if all.len() > MOST_ITEMS {
                let _ = write!(out, "\n{pad}- and {} more", all.len() - MOST_ITEMS);
            }
        }
        Value::Object(fields) => match (fields.get("start"), fields.get("end"), fields.get("line")) {
            (Some(start), Some(end), _) => {
                let place = |at: &Value| {
                    format!(
                        "{}:{}",
                        at["line"].as_u64().unwrap_or(0) + 1,
                        at["character"].as_u64().unwrap_or(0) + 1
                    )
                };
                let _ = write!(out, "{}-{}", place(start), place(end));
            }
            (_, _, Some(line)) if fields.len() == 2 && fields.contains_key("character") => {
                let _ = write!(
                    out,
                    "{}:{}",
                    line.as_u64().unwrap_or(0) + 1,
                    fields["character"].as_u64().unwrap_or(0) + 1
                );
            }
            _ => {
                for (n, (name, value)) in fields.iter().enumerate() {
                    if n > 0 {
                        out.push_str(", ");
                    }
                    let _ = write!(out, "{}: ", name.replace(&format!("{root}/"), ""));
                    write_value(out, value, (root, cache), indent);
                }
            }
        },
        other => {
            let _ = write!(out, "{other}");
        }
    }
}
