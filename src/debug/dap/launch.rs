//! The beginning of a session: what the server can do, and which program is debugged.

use super::{Answer, Answered, Debuggee, Server, Then, strings};
use crate::debug::console::Console;
use crate::debug::session::Session;
use serde_json::{Value, json};
use std::io::Write;

/// Where a run stops by itself.
#[derive(Copy, Clone, Debug)]
pub struct StopsAt {
    /// Before the first cycle.
    pub entry: bool,
    /// When it has finished, so that it can go back.
    pub end: bool,
}

impl StopsAt {
    fn of(args: &Value) -> StopsAt {
        StopsAt {
            entry: args["stopOnEntry"].as_bool().unwrap_or(false),
            end: args["stopAtEnd"].as_bool().unwrap_or(true),
        }
    }
}

impl Default for StopsAt {
    fn default() -> StopsAt {
        StopsAt { entry: false, end: true }
    }
}

impl<W: Write> Server<W> {
    pub(super) fn initialize(&mut self, args: &Value) -> Value {
        self.first_line = usize::from(args["linesStartAt1"] != json!(false));
        let filter =
            |name: &str, label: &str, on: bool| json!({ "filter": name, "label": label, "default": on });
        json!({
            "supportsConfigurationDoneRequest": true,
            "supportsFunctionBreakpoints": true,
            "supportsConditionalBreakpoints": true,
            "supportsHitConditionalBreakpoints": true,
            "supportsLogPoints": true,
            "supportsDataBreakpoints": true,
            "supportsStepBack": true,
            "supportsEvaluateForHovers": true,
            "supportsExceptionInfoRequest": true,
            "supportsRestartRequest": true,
            "supportsTerminateRequest": true,
            "exceptionBreakpointFilters": [
                filter("errors", "Errors of the program", true),
                filter("hangs", "Hangs and the cycle limit", true),
                filter("warnings", "Warnings", false),
            ],
        })
    }

    pub(super) fn launch(&mut self, args: &Value) -> Answered {
        if let Some(console) = &self.console {
            let hint = if console.session.has_script() { ": send `attach`" } else { "" };
            return Err(format!("a program is already being debugged{hint}"));
        }
        let words = words(args)?;
        let debuggee: Debuggee = (self.services.prepare)(&words)?;
        self.stops_at = StopsAt::of(args);
        let session = Session::new(debuggee, self.pause);
        self.console = Some(Console::new(session));
        Ok(Answer { body: json!({}), then: Then::Initialized })
    }

    /// The run of a host script, which waits for an editor.
    pub(super) fn attach(&mut self, args: &Value) -> Answered {
        let stops_at = StopsAt::of(args);
        let session = self.console.as_mut().map(|console| &mut console.session);
        let Some(session) = session.filter(|session| session.has_script()) else {
            return Err(
                "there is no host script here: start it with `cs_python --cslrun-debug=PORT`, and attach \
                        to that port; or send `launch`"
                    .to_string(),
            );
        };
        session.show_end(stops_at.end);
        self.stops_at = stops_at;
        Ok(Answer { body: json!({}), then: Then::Initialized })
    }
}

/// The words of a call of `cslrun run` that does the same.
fn words(args: &Value) -> Result<Vec<String>, String> {
    let program =
        args["program"].as_str().ok_or("`launch` must name the program: a file with a layout block")?;
    let mut words = vec![program.to_string()];
    if let Some(arch) = args["arch"].as_str() {
        words.extend(["--arch".to_string(), arch.to_string()]);
    }
    match &args["params"] {
        Value::Null => {}
        Value::Object(params) => {
            for (name, value) in params {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_string);
                words.extend(["--param".to_string(), format!("{name}={value}")]);
            }
        }
        _ => return Err("`params` is an object, such as { \"N\": 4 }".to_string()),
    }
    for (list, option) in [("sets", "--set"), ("launches", "--launch"), ("importPaths", "--import-path")] {
        if !(args[list].is_null() || args[list].is_array()) {
            return Err(format!("`{list}` is a list of strings"));
        }
        words.extend(strings(&args[list]).into_iter().flat_map(|text| [option.to_string(), text]));
    }
    words.extend(strings(&args["args"]));
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_becomes_the_words_of_a_command() {
        let args = json!({
            "program": "layout.csl", "arch": "wse3", "params": { "N": 4, "on": true },
            "sets": ["A=1,2"], "launches": ["run"], "args": ["--max-cycles", "9"],
        });
        let expected = [
            "layout.csl",
            "--arch",
            "wse3",
            "--param",
            "N=4",
            "--param",
            "on=true",
            "--set",
            "A=1,2",
            "--launch",
            "run",
            "--max-cycles",
            "9",
        ];
        assert_eq!(words(&args), Ok(expected.map(str::to_string).to_vec()));
        assert!(words(&json!({})).is_err() && words(&json!({ "program": "a", "sets": 1 })).is_err());
    }
}
