//! What an editor shows while the run stands: PEs as threads, calls, and variables as trees.

use super::Server;
use crate::debug::console::tasks;
use crate::debug::{expression, value};
use crate::{FileId, PeCoord, Program, Span, Tree};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// PEs that are threads of their own; the others are grouped by the code that they run.
const MOST_THREADS: usize = 100;
/// The first number of a thread that stands for a group.
const GROUPS: u64 = 1 << 24;

/// What variables refer to.
pub enum Handle {
    /// A scope of a call.
    Scope(PeCoord, usize, &'static str),
    /// Parts of a value, with the expression of the whole.
    Parts(PeCoord, usize, String, Vec<Tree>),
}

/// The scopes of a call, and whether they take long to read.
const SCOPES: [(&str, bool); 9] = [
    ("Locals", false),
    ("Globals", false),
    ("Comptime", true),
    ("Tasks", true),
    ("Queues", true),
    ("Operations", true),
    ("DSRs", true),
    ("FIFOs", true),
    ("Routes", true),
];

/// The number of the thread that is a PE.
pub fn thread_id(program: &Program, at: PeCoord) -> u64 {
    1 + u64::from(at.y) * u64::from(program.size().0) + u64::from(at.x)
}

impl<W: Write> Server<W> {
    /// The PE of the thread that a request names; `None` if it names none.
    pub(super) fn thread(&mut self, args: &Value) -> Result<Option<PeCoord>, String> {
        let Some(id) = args["threadId"].as_u64() else { return Ok(None) };
        let program = self.console()?.session.program().clone();
        let at = match id.checked_sub(GROUPS) {
            Some(tile) => {
                program.pes().find(|at| program.tile_of(*at).is_some_and(|t| u64::from(t.0) == tile))
            }
            None => program.pes().find(|at| thread_id(&program, *at) == id),
        };
        at.map(Some).ok_or(format!("there is no thread {id}"))
    }

    pub(super) fn threads(&mut self) -> Result<Value, String> {
        let session = &mut self.console()?.session;
        let (program, focus) = (session.program().clone(), session.focus());
        let mut first: Vec<PeCoord> = vec![focus];
        let busy: Vec<PeCoord> =
            session.runner().looks().filter(|view| view.is_busy()).map(|view| view.at()).collect();
        first.extend(busy.into_iter().filter(|at| *at != focus));
        let mut is_listed = vec![false; usize::from(program.size().0) * usize::from(program.size().1)];
        let number = |at: PeCoord| (thread_id(&program, at) - 1) as usize;
        first.truncate(MOST_THREADS);
        first.iter().for_each(|at| is_listed[number(*at)] = true);
        let idle: Vec<PeCoord> =
            program.pes().filter(|at| !is_listed[number(*at)]).take(MOST_THREADS - first.len()).collect();
        first.extend(idle);
        first.iter().for_each(|at| is_listed[number(*at)] = true);
        let mut threads: Vec<Value> = first
            .iter()
            .filter(|at| program.tile_of(**at).is_some())
            .map(|at| {
                let file = program.tile_of(*at).map_or("", |(_, file)| file);
                json!({ "id": thread_id(&program, *at), "name": format!("{at} {file}") })
            })
            .collect();
        let mut groups: BTreeMap<u32, (u64, PeCoord)> = BTreeMap::new();
        for at in program.pes().filter(|at| !is_listed[number(*at)]) {
            let Some((tile, _)) = program.tile_of(at) else { continue };
            groups.entry(tile).or_insert((0, at)).0 += 1;
        }
        threads.extend(groups.into_iter().map(|(tile, (count, at))| {
            let file = program.tile_of(at).map_or("", |(_, file)| file);
            let name = format!("{count} more PEs with {file}, such as {at}");
            json!({ "id": GROUPS + u64::from(tile), "name": name })
        }));
        Ok(json!({ "threads": threads }))
    }

    pub(super) fn stack(&mut self, args: &Value) -> Result<Value, String> {
        let focus = self.console()?.session.focus();
        let at = self.thread(args)?.unwrap_or(focus);
        let (calls, activity) =
            self.console()?.session.look(at, |view, _| (view.calls(), view.activity()))?;
        let from = args["startFrame"].as_u64().unwrap_or(0) as usize;
        let most = args["levels"].as_u64().filter(|levels| *levels > 0).unwrap_or(u64::MAX) as usize;
        let mut shown: Vec<(String, Option<Span>)> =
            calls.into_iter().map(|call| (call.name, Some(call.span))).collect();
        if shown.is_empty() {
            shown.push(match activity {
                Some((name, span, _)) => (format!("idle since {name} ended"), Some(span)),
                None => ("idle: no task has run".to_string(), None),
            });
        }
        let total = shown.len();
        let mut frames = Vec::new();
        for (call, (name, span)) in shown.into_iter().enumerate().skip(from).take(most) {
            self.frames.push((at, call));
            let mut frame = json!({ "id": self.frames.len(), "name": name, "line": 0, "column": 0 });
            if let Some(span) = span {
                self.place(span, &mut frame)?;
            }
            frames.push(frame);
        }
        Ok(json!({ "stackFrames": frames, "totalFrames": total }))
    }

    /// Adds a place in the program to a frame.
    fn place(&mut self, span: Span, frame: &mut Value) -> Result<(), String> {
        let first_line = self.first_line;
        let program = self.console()?.session.program().clone();
        let sources = program.sources();
        let (from, to) = (sources.line_col(span.file, span.lo), sources.line_col(span.file, span.hi));
        let file = sources.file(span.file);
        frame["line"] = json!(from.line + first_line - 1);
        frame["column"] = json!(from.column + first_line - 1);
        frame["endLine"] = json!(to.line + first_line - 1);
        frame["endColumn"] = json!(to.column + first_line - 1);
        frame["source"] = match file.is_library() {
            true => {
                json!({ "name": file.name, "sourceReference": span.file.0 + 1, "presentationHint": "deemphasize" })
            }
            false => {
                let path =
                    std::path::absolute(Path::new(&file.name)).unwrap_or_else(|_| file.name.clone().into());
                let name =
                    path.file_name().map_or(file.name.clone(), |name| name.to_string_lossy().into_owned());
                json!({ "name": name, "path": path })
            }
        };
        Ok(())
    }

    pub(super) fn source(&mut self, args: &Value) -> Result<Value, String> {
        let reference = args["source"]["sourceReference"].as_u64().or(args["sourceReference"].as_u64());
        let program = self.console()?.session.program().clone();
        let number = reference.and_then(|reference| reference.checked_sub(1)).unwrap_or(u64::MAX);
        if number >= program.sources().files().len() as u64 {
            return Err("there is no such source".to_string());
        }
        let file = program.sources().file(FileId(number as u32));
        Ok(json!({ "content": &*file.text }))
    }

    /// The call that a frame is; without one that of the PE that is looked at.
    pub(super) fn frame(&mut self, id: &Value) -> Result<(PeCoord, usize), String> {
        match id.as_u64() {
            None => Ok((self.console()?.session.focus(), 0)),
            Some(id) => {
                let found = id.checked_sub(1).and_then(|n| self.frames.get(n as usize)).copied();
                found.ok_or(format!("there is no frame {id} any more: the run has moved on"))
            }
        }
    }

    pub(super) fn scopes(&mut self, args: &Value) -> Result<Value, String> {
        if args["frameId"].as_u64().is_none() {
            return Err("`scopes` must name a frame".to_string());
        }
        let (at, call) = self.frame(&args["frameId"])?;
        let scopes = SCOPES.map(|(name, is_expensive)| {
            self.handles.push(Handle::Scope(at, call, name));
            json!({ "name": name, "variablesReference": self.handles.len(), "expensive": is_expensive })
        });
        Ok(json!({ "scopes": scopes }))
    }

    /// The number under which parts of a value can be asked for; 0 if there are none.
    pub(super) fn refer(
        &mut self,
        parts: Vec<Tree>,
        (at, call): (PeCoord, usize),
        expression: String,
    ) -> usize {
        if parts.is_empty() {
            return 0;
        }
        self.handles.push(Handle::Parts(at, call, expression, parts));
        self.handles.len()
    }

    /// The call and the expression of a part of a value.
    pub(super) fn part(&mut self, reference: u64, name: &str) -> Result<((PeCoord, usize), String), String> {
        match self.handle(reference)? {
            Handle::Scope(at, call, _) => Ok(((*at, *call), name.to_string())),
            Handle::Parts(at, call, whole, _) => Ok(((*at, *call), joined(whole, name))),
        }
    }

    fn handle(&self, reference: u64) -> Result<&Handle, String> {
        let found = reference.checked_sub(1).and_then(|n| self.handles.get(n as usize));
        found.ok_or(format!("there are no variables {reference} any more: the run has moved on"))
    }

    pub(super) fn variables(&mut self, args: &Value) -> Result<Value, String> {
        let reference = args["variablesReference"].as_u64().unwrap_or_default();
        let (at, call, whole, trees) = match self.handle(reference)? {
            Handle::Scope(at, call, name) => {
                let (at, call, name) = (*at, *call, *name);
                (at, call, None, self.scope(at, call, name)?)
            }
            Handle::Parts(at, call, whole, parts) => (*at, *call, Some(whole.clone()), parts.clone()),
        };
        let mut variables = Vec::new();
        for tree in trees {
            let expression =
                whole.as_ref().map_or_else(|| tree.name.clone(), |whole| joined(whole, &tree.name));
            let reference = self.refer(tree.parts, (at, call), expression.clone());
            let mut variable =
                json!({ "name": tree.name, "value": tree.value, "variablesReference": reference });
            if !tree.ty.is_empty() {
                variable["type"] = json!(tree.ty);
                variable["evaluateName"] = json!(expression);
            }
            variables.push(variable);
        }
        Ok(json!({ "variables": variables }))
    }

    fn scope(&mut self, at: PeCoord, call: usize, name: &str) -> Result<Vec<Tree>, String> {
        if name == "Routes" {
            return Ok(self.console()?.session.runner().routes(at));
        }
        self.console()?.session.look(at, |view, comptime| match name {
            "Locals" => view.locals(call).iter().map(|held| value::tree(held, view)).collect(),
            "Globals" => view.globals().iter().map(|held| value::tree(held, view)).collect(),
            "Comptime" => {
                let place = view.calls().get(call).map(|call| call.span);
                let place = place.or(view.activity().map(|(_, span, _)| span));
                place.map_or_else(Vec::new, |place| {
                    let derived = |name: &str| expression::derived(name, comptime, Some(place), view);
                    comptime.of_file(place, view, &derived)
                })
            }
            "Tasks" => tasks(view),
            "Queues" => view.queues(),
            "Operations" => view.operations(),
            "DSRs" => view.registers(),
            _ => view.fifos(),
        })
    }
}

/// The expression of a part: groups of elements have the names of their elements.
fn joined(whole: &str, part: &str) -> String {
    match part {
        group if group.contains("..") => whole.to_string(),
        index if index.starts_with('[') => format!("{whole}{index}"),
        field => format!("{whole}.{field}"),
    }
}
