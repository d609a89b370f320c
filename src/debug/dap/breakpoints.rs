//! Breakpoints, as editors set them: all of a kind or of a file at a time.

use super::Server;
use crate::PeCoord;
use crate::debug::breakpoints::{Kind, Wish};
use serde_json::{Value, json};
use std::io::Write;

impl<W: Write> Server<W> {
    pub(super) fn set_breakpoints(&mut self, args: &Value) -> Result<Value, String> {
        let first_line = self.first_line;
        let path = args["source"]["path"].as_str().or(args["source"]["name"].as_str()).unwrap_or_default();
        let session = &mut self.console()?.session;
        let wanted = args["breakpoints"].as_array().cloned().unwrap_or_default();
        let Some(file) = session.file(path) else {
            let message = format!("the program does not read {path}");
            let unverified = json!({ "verified": false, "message": message });
            return Ok(json!({ "breakpoints": vec![unverified; wanted.len()] }));
        };
        session.remove(|b| matches!(b.kind, Kind::Line { file: of, .. } if of == file));
        let set = wanted.iter().map(|wanted| {
            let line = wanted["line"].as_u64().unwrap_or_default() as usize + 1 - first_line;
            let found = session.program().line_with_code(file, line);
            let line = found.ok_or(format!("there is no code at line {line} or after it"));
            let added =
                line.and_then(|line| Ok((session.add(Kind::Line { file, line }, &wish(wanted))?, line)));
            match added {
                Ok((id, line)) => json!({ "id": id, "verified": true, "line": line + first_line - 1 }),
                Err(why) => json!({ "verified": false, "message": why }),
            }
        });
        let set: Vec<Value> = set.collect();
        Ok(json!({ "breakpoints": set }))
    }

    pub(super) fn set_function_breakpoints(&mut self, args: &Value) -> Result<Value, String> {
        let console = self.console()?;
        console.session.remove(|b| matches!(b.kind, Kind::Function(_) | Kind::Color(_)));
        let mut set = Vec::new();
        for wanted in args["breakpoints"].as_array().into_iter().flatten() {
            let name = wanted["name"].as_str().unwrap_or_default();
            let added = console.place_to_stop(name).and_then(|(kind, pe)| {
                if matches!(kind, Kind::Line { .. }) {
                    return Err(format!("`{name}` is not a function, a task or a color"));
                }
                console.session.add(kind, &Wish { pe, ..wish(wanted) })
            });
            set.push(match added {
                Ok(id) => json!({ "id": id, "verified": true }),
                Err(why) => json!({ "verified": false, "message": why }),
            });
        }
        Ok(json!({ "breakpoints": set }))
    }

    pub(super) fn data_breakpoint_info(&mut self, args: &Value) -> Result<Value, String> {
        let name = args["name"].as_str().unwrap_or_default();
        let ((at, call), text) = match args["variablesReference"].as_u64().filter(|reference| *reference > 0)
        {
            Some(reference) => self.part(reference, name)?,
            None => (self.frame(&args["frameId"])?, name.to_string()),
        };
        let console = self.console()?;
        console.session.select(at)?;
        console.call = call;
        match console.words(&text) {
            Ok((addr, words)) => Ok(json!({
                "dataId": format!("{} {} {addr} {words} {text}", at.x, at.y),
                "description": format!("`{text}` on {at}"), "accessTypes": ["write"], "canPersist": false,
            })),
            Err(why) => Ok(json!({ "dataId": null, "description": why })),
        }
    }

    pub(super) fn set_data_breakpoints(&mut self, args: &Value) -> Result<Value, String> {
        let session = &mut self.console()?.session;
        session.remove(|b| matches!(b.kind, Kind::Words { .. }));
        let mut set = Vec::new();
        for wanted in args["breakpoints"].as_array().into_iter().flatten() {
            let kind = words(wanted["dataId"].as_str().unwrap_or_default());
            let kind = kind.filter(|kind| match kind {
                Kind::Words { pe, addr, words, .. } => {
                    session.look(*pe, |view, _| view.words(*addr, *words).is_some()).unwrap_or(false)
                }
                Kind::Line { .. } | Kind::Function(_) | Kind::Color(_) => false,
            });
            let added = match kind {
                Some(_) if !wanted["condition"].is_null() => {
                    Err("a data breakpoint takes no condition, only a number of hits".to_string())
                }
                Some(kind) => session.add(kind, &wish(wanted)),
                None => Err("this is not data of the program; ask `dataBreakpointInfo` for it".to_string()),
            };
            set.push(match added {
                Ok(id) => json!({ "id": id, "verified": true }),
                Err(why) => json!({ "verified": false, "message": why }),
            });
        }
        Ok(json!({ "breakpoints": set }))
    }
}

/// What a breakpoint says besides its place.
fn wish(wanted: &Value) -> Wish<'_> {
    Wish {
        pe: None,
        condition: wanted["condition"].as_str(),
        hits: wanted["hitCondition"].as_str(),
        log: wanted["logMessage"].as_str(),
    }
}

/// The words that an id of data means.
fn words(id: &str) -> Option<Kind> {
    let mut parts = id.splitn(5, ' ');
    let pe = PeCoord { x: parts.next()?.parse().ok()?, y: parts.next()?.parse().ok()? };
    let (addr, words) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some(Kind::Words { pe, addr, words, name: parts.next()?.to_string() })
}
