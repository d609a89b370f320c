//! Commands as people type them, named as in gdb: at the prompt of `cslrun debug`, and in the console of an editor.

mod info;

pub use info::tasks;

use super::breakpoints::{Breakpoint, Kind, Wish, function_code};
use super::session::{Session, Step};
use super::stop::StopKind;
use super::value::Value;
use crate::{Color, FileId, PeCoord, Span};
use info::shown;
use std::fmt::Write;

/// Lines that `list` shows before and after the current one.
const AROUND: usize = 5;

/// What a command has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// What there is to read.
    pub text: String,
    /// Whether the run stands elsewhere.
    pub has_moved: bool,
    /// Whether the debugger is to end.
    pub ends: bool,
}

/// A session, and the call that is looked at.
pub struct Console {
    /// The session.
    pub session: Session,
    /// Counted from the innermost.
    pub call: usize,
}

/// The commands with their short names and what they do.
pub const COMMANDS: &[(&str, &str, &str)] = &[
    ("break", "b", "break FILE:LINE | LINE | FUNCTION | color N [PE(x,y)] [if EXPRESSION]: stop there"),
    ("watch", "w", "watch EXPRESSION: stop when the variable is written on this PE"),
    ("delete", "d", "delete [N]: remove breakpoint N, or all"),
    ("continue", "c", "run until something stops it"),
    ("next", "n", "to the next line of this PE, over calls"),
    ("step", "s", "to the next line of this PE, also in a function that is called"),
    ("finish", "fin", "run until the function returns"),
    ("reverse-next", "rn", "back to the line before"),
    (
        "reverse-continue",
        "rc",
        "back to the last breakpoint; from a hang or an error, to the last line before it",
    ),
    ("cycle", "cy", "cycle N: to the beginning of cycle N, forward or back"),
    ("run", "r", "back to the beginning of the run"),
    ("pe", "", "pe X Y: look at another PE"),
    ("backtrace", "bt", "the calls of this PE"),
    ("frame", "f", "frame N: look at another call"),
    ("print", "p", "print EXPRESSION"),
    ("list", "l", "the program around this line"),
    (
        "info",
        "i",
        "info breakpoints | locals | globals | comptime | tasks | queues | registers | fifos | operations | routes | pes",
    ),
    ("who", "", "who wrote EXPRESSION | who sends: the last write; the PEs that would have to act"),
    ("why", "", "why the run stands here"),
    ("help", "h", "this list"),
    ("quit", "q", "end the debugger"),
];

impl Console {
    /// A console for a session.
    pub fn new(session: Session) -> Console {
        Console { session, call: 0 }
    }

    /// Whether a line begins with the long name of a command: a short one may be a variable.
    pub fn knows(line: &str) -> bool {
        let word = line.split_whitespace().next().unwrap_or_default();
        let is_command = COMMANDS.iter().any(|(name, ..)| *name == word && *name != "run");
        is_command || line.trim().starts_with("run to cycle")
    }

    /// Does what a line says.
    ///
    /// # Errors
    /// A sentence that says why it cannot be done.
    pub fn perform(&mut self, line: &str) -> Result<Reply, String> {
        let line = line.trim();
        if let Some(cycle) = line.strip_prefix("run to cycle") {
            return self.cycle(cycle);
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let name =
            full_name(word).ok_or(format!("there is no command `{word}`; `help` lists the commands"))?;
        match name {
            "break" => self.add_breakpoint(rest),
            "watch" => self.watch(rest),
            "delete" => self.delete(rest),
            "pe" => self.select(rest),
            "frame" => self.select_call(rest),
            "backtrace" => self.backtrace().map(told),
            "print" => self.print(rest).map(told),
            "list" => self.list(rest).map(told),
            "info" => self.info(rest).map(told),
            "who" => self.who(rest).map(told),
            "why" => Ok(told(self.why())),
            "help" => Ok(told(help())),
            "quit" => Ok(Reply { ends: true, ..Reply::default() }),
            "cycle" => self.cycle(rest),
            _ => {
                match name {
                    "continue" => self.session.go_on(),
                    "next" => self.session.step(Step::Over),
                    "step" => self.session.step(Step::In),
                    "finish" => self.session.step(Step::Out),
                    "reverse-next" => self.session.step_back(),
                    "reverse-continue" => self.session.go_back(),
                    _ => self.session.go_to_start(),
                }
                Ok(self.moved())
            }
        }
    }

    /// The run stands elsewhere.
    pub fn moved(&mut self) -> Reply {
        self.call = 0;
        let mut text = String::new();
        for line in self.session.take_output() {
            let _ = writeln!(text, "{line}");
        }
        // A run that a host script goes on with does not stand.
        if self.session.stop.kind != StopKind::Host {
            text += &self.why();
        }
        Reply { text, has_moved: true, ends: false }
    }

    /// Where the run stands, and why.
    pub fn place(&mut self) -> String {
        let mut text = String::new();
        let (cycle, focus, stop) = (self.session.cycle(), self.session.focus(), self.session.stop.clone());
        let why = match stop.kind {
            StopKind::Breakpoint | StopKind::Data => {
                let numbers: Vec<String> = stop.breakpoints.iter().map(u32::to_string).collect();
                format!("breakpoint {}", numbers.join(", "))
            }
            StopKind::Pause => "paused".to_string(),
            _ => String::new(),
        };
        let parts: Vec<&str> = [&*why, &*stop.text].into_iter().filter(|part| !part.is_empty()).collect();
        let mut head = format!("{focus}, cycle {cycle}");
        if !parts.is_empty() {
            head += &format!(": {}", parts.join(": "));
        }
        let _ = writeln!(text, "{head}");
        if let Some((span, what)) = self.current() {
            let sources = self.session.program().sources();
            let at = sources.line_col(span.file, span.lo);
            let _ = writeln!(text, "{what} at {}:{}", sources.file(span.file).name, at.line);
            let _ = writeln!(text, "{:>5}  {}", at.line, line_text(&sources.file(span.file).text, at.line));
        }
        text
    }

    /// The file of the code that runs on this PE, or will.
    pub fn file(&mut self) -> Option<FileId> {
        if let Some((span, _)) = self.current() {
            return Some(span.file);
        }
        let (_, name) = self.session.program().tile_of(self.session.focus())?;
        self.session.file(name)
    }

    /// The place of the call that is looked at, and what it is.
    pub fn current(&mut self) -> Option<(Span, String)> {
        let (focus, call) = (self.session.focus(), self.call);
        let found = self.session.look(focus, |view, _| {
            let calls = view.calls();
            match calls.get(call) {
                Some(call) => Some((call.span, format!("in `{}`", call.name))),
                None => {
                    view.activity().map(|(name, span, _)| (span, format!("idle since `{name}` ended; it is")))
                }
            }
        });
        found.ok().flatten()
    }

    fn add_breakpoint(&mut self, text: &str) -> Result<Reply, String> {
        let (place, condition) = match text.split_once(" if ") {
            Some((place, condition)) => (place.trim(), Some(condition)),
            None => (text, None),
        };
        let (kind, pe) = self.place_to_stop(place)?;
        let id = self.session.add(kind, &Wish { pe, condition, ..Wish::default() })?;
        let breakpoint = self.session.breakpoints().iter().find(|b| b.id == id).cloned();
        Ok(told(breakpoint.map_or(String::new(), |b| format!("breakpoint {id}: {}\n", self.describe(&b)))))
    }

    /// What a breakpoint is to wait for, and on which PE, if it is on one.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn place_to_stop(&mut self, text: &str) -> Result<(Kind, Option<PeCoord>), String> {
        let (place, pe) = match text.find("PE(") {
            Some(at) => (text[..at].trim(), Some(coordinates(&text[at + 2..])?)),
            None => (text.trim(), None),
        };
        Ok((self.kind(place)?, pe))
    }

    /// What a breakpoint is to wait for.
    fn kind(&mut self, place: &str) -> Result<Kind, String> {
        if let Some(color) = place.strip_prefix("color ") {
            let number = color.trim().parse().ok().filter(|number| *number < Color::COUNT);
            let why = || format!("`{}` is not a color: they are 0 to {}", color.trim(), Color::COUNT - 1);
            return Ok(Kind::Color(number.ok_or_else(why)?));
        }
        let here = self.file();
        let (file, line) = match place.rsplit_once(':') {
            Some((file, line)) => {
                (self.session.file(file).ok_or(format!("the program has no file `{file}`"))?, line)
            }
            None if place.parse::<usize>().is_ok() => {
                (here.ok_or("this PE has no code: write FILE:LINE")?, place)
            }
            None if function_code(self.session.program(), place).is_empty() => {
                return Err(match place {
                    "" => "write where to stop: FILE:LINE, LINE, FUNCTION or color N".to_string(),
                    _ => format!("the program has no function or task `{place}`"),
                });
            }
            None => return Ok(Kind::Function(place.to_string())),
        };
        let line = line.trim().parse().map_err(|_| format!("`{line}` is not a line"))?;
        let line = self
            .session
            .program()
            .line_with_code(file, line)
            .ok_or(format!("there is no code at line {line} or after it"))?;
        Ok(Kind::Line { file, line })
    }

    fn watch(&mut self, text: &str) -> Result<Reply, String> {
        let (addr, words) = self.words(text)?;
        let (pe, name) = (self.session.focus(), text.to_string());
        let id = self.session.add(Kind::Words { pe, addr, words, name }, &Wish::default())?;
        Ok(told(format!("breakpoint {id}: `{text}` on {pe} is written\n")))
    }

    /// The words of a variable of this PE.
    ///
    /// # Errors
    /// A sentence: it has none.
    pub fn words(&mut self, text: &str) -> Result<(usize, usize), String> {
        let (focus, call) = (self.session.focus(), self.call);
        match self.session.evaluate(text, focus, call)?.0 {
            Value::VariableValue(held) if held.in_memory => {
                Ok((held.symbol.addr.into(), held.symbol.words.into()))
            }
            _ => Err(format!("`{text}` is not in memory")),
        }
    }

    fn delete(&mut self, text: &str) -> Result<Reply, String> {
        let count = match text {
            "" => self.session.remove(|_| true),
            number => {
                let id: u32 = number.parse().map_err(|_| format!("`{number}` is not a breakpoint"))?;
                self.session.remove(|b| b.id == id)
            }
        };
        if count == 0 { Err("there is no such breakpoint".to_string()) } else { Ok(Reply::default()) }
    }

    fn describe(&self, breakpoint: &Breakpoint) -> String {
        let mut text = match &breakpoint.kind {
            Kind::Line { file, line } => {
                format!("{}:{line}", self.session.program().sources().file(*file).name)
            }
            Kind::Function(name) => format!("`{name}` begins"),
            Kind::Color(color) => format!("a wavelet of color {color} arrives"),
            Kind::Words { pe, name, .. } => format!("`{name}` on {pe} is written"),
        };
        if let Some(pe) = breakpoint.pe {
            text += &format!(" on {pe}");
        }
        if breakpoint.condition.is_some() {
            text += ", with a condition";
        }
        text
    }

    fn select(&mut self, text: &str) -> Result<Reply, String> {
        self.session.select(coordinates(text)?)?;
        self.call = 0;
        Ok(told(self.place()))
    }

    fn select_call(&mut self, text: &str) -> Result<Reply, String> {
        let call: usize = text.parse().map_err(|_| format!("`{text}` is not the number of a call"))?;
        let focus = self.session.focus();
        let calls = self.session.look(focus, |view, _| view.calls().len())?;
        if call >= calls {
            return Err(match calls {
                1 => "there is 1 call, with the number 0".to_string(),
                _ => format!("there are {calls} calls, counted from 0"),
            });
        }
        self.call = call;
        self.list("").map(told)
    }

    fn backtrace(&mut self) -> Result<String, String> {
        let (focus, program) = (self.session.focus(), self.session.program().clone());
        self.session.look(focus, |view, _| {
            let lines = view.calls().into_iter().enumerate().map(|(n, call)| {
                format!("#{n} `{}` at {}\n", call.name, program.sources().describe(call.span))
            });
            let text: String = lines.collect();
            if text.is_empty() { "no code runs here\n".to_string() } else { text }
        })
    }

    fn print(&mut self, text: &str) -> Result<String, String> {
        let (focus, call) = (self.session.focus(), self.call);
        let (_, tree) = self.session.evaluate(text, focus, call)?;
        Ok(shown(&tree, 0))
    }

    fn list(&mut self, text: &str) -> Result<String, String> {
        let current = self.current().map(|(span, _)| span);
        let (name, line) = text.rsplit_once(':').map_or((None, text), |(file, line)| (Some(file), line));
        let file = match name {
            Some(name) => self.session.file(name).ok_or(format!("the program has no file `{name}`"))?,
            None => current.map(|span| span.file).ok_or("no code has run here yet")?,
        };
        let sources = self.session.program().sources();
        let here = current.filter(|span| span.file == file);
        let here = here.map_or(0, |span| sources.line_col(span.file, span.lo).line);
        let middle = if text.is_empty() { Ok(here) } else { line.trim().parse() };
        let middle: usize = middle.map_err(|_| format!("`{line}` is not a line"))?;
        let lines = sources.file(file).text.lines().enumerate().map(|(n, line)| (n + 1, line));
        let shown = lines.filter(|(n, _)| n.abs_diff(middle) <= AROUND);
        let text = shown.map(|(n, line)| format!("{}{n:>5}  {line}\n", if n == here { '>' } else { ' ' }));
        Ok(text.collect())
    }

    /// Where the run stands, and why, with the report of its end.
    fn why(&mut self) -> String {
        let report = self.session.stop.report.clone();
        report + &self.place()
    }
}

fn told(text: String) -> Reply {
    Reply { text, ..Reply::default() }
}

impl Console {
    fn cycle(&mut self, text: &str) -> Result<Reply, String> {
        let cycle = text.trim().parse().map_err(|_| format!("`{}` is not a cycle", text.trim()))?;
        self.session.go_to_cycle(cycle);
        Ok(self.moved())
    }
}

/// The command that a word means.
fn full_name(word: &str) -> Option<&'static str> {
    let known =
        COMMANDS.iter().find(|(name, short, _)| *name == word || (!short.is_empty() && *short == word));
    known.map(|(name, ..)| *name)
}

fn help() -> String {
    let lines = COMMANDS.iter().map(|(name, short, text)| {
        let short = if short.is_empty() { String::new() } else { format!(", {short}") };
        format!("{:<22}{text}\n", format!("{name}{short}"))
    });
    lines.collect()
}

/// Reads `1 2`, `1,2`, `(1,2)` or `PE(1,2)`.
pub fn coordinates(text: &str) -> Result<PeCoord, String> {
    let inner = text.trim().trim_start_matches("PE").trim_start_matches('(').trim_end_matches(')');
    let mut numbers = inner.split([',', ' ']).filter(|part| !part.is_empty()).map(str::parse);
    match (numbers.next(), numbers.next(), numbers.next()) {
        (Some(Ok(x)), Some(Ok(y)), None) => Ok(PeCoord { x, y }),
        _ => Err(format!("`{}` is not a PE; write its column and row, such as 1 0", text.trim())),
    }
}

fn line_text(text: &str, line: usize) -> &str {
    text.lines().nth(line.saturating_sub(1)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pe_is_written_in_several_ways() {
        for text in ["1 2", "1,2", "(1, 2)", "PE(1,2)", " PE(1, 2) "] {
            assert_eq!(coordinates(text), Ok(PeCoord { x: 1, y: 2 }), "{text}");
        }
        for text in ["", "1", "1 2 3", "a b", "-1 0", "70000 0"] {
            assert!(coordinates(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_command_has_one_name_and_one_short_name() {
        let mut words: Vec<&str> = COMMANDS.iter().flat_map(|(name, short, _)| [*name, *short]).collect();
        words.retain(|word| !word.is_empty());
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count);
    }
}
