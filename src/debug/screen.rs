//! The debugger on a whole screen: the code, a part of the PE, what commands have answered, and the command that is typed.
//!
//! In: keys, and the size of the screen. Out: rows of text with the role of each piece.

use super::console::Console;
use super::session::Session;
use crate::debug::Debuggee;
use crate::debug::breakpoints::Kind;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// A key that is pressed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// A letter, digit or sign.
    Char(char),
    /// Ends a command.
    Enter,
    /// Takes the last letter back.
    Backspace,
    /// To the next part of the PE.
    Tab,
    /// To the part before.
    BackTab,
    /// To the command before.
    Up,
    /// To the command after that.
    Down,
    /// To the PE before.
    Left,
    /// To the next PE.
    Right,
    /// Shows what stands above.
    PageUp,
    /// Shows what stands below.
    PageDown,
    /// A function key.
    F(u8),
    /// There are no more keys.
    End,
}

/// What a piece of text on the screen is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Text like any other.
    Plain,
    /// Where the run stands.
    Title,
    /// The line that is executed.
    Here,
    /// Frames and keys.
    Muted,
}

/// A row of the screen.
pub type Row = Vec<(String, Role)>;

/// Parts of a PE, each by what `info` calls it.
const PARTS: [&str; 9] =
    ["locals", "globals", "comptime", "tasks", "queues", "operations", "registers", "routes", "pes"];

/// Function keys and their commands.
const FUNCTIONS: [(u8, &str); 6] =
    [(5, "continue"), (6, "reverse-continue"), (7, "reverse-next"), (8, "next"), (9, "step"), (10, "finish")];

/// Answers that are kept, in lines.
const MOST_ANSWERS: usize = 2_000;

/// Rows of answers.
const ANSWERS: usize = 8;

/// The debugger on a whole screen.
pub struct Screen {
    console: Console,
    pause: &'static AtomicBool,
    typed: String,
    /// Commands that were typed, and how many of them were gone back.
    before: Vec<String>,
    gone_back: usize,
    answers: Vec<String>,
    part: usize,
    /// Rows of the part that are above the screen.
    above: usize,
}

impl Screen {
    /// A run that has not begun. `pause` becomes true when it is to stop.
    pub fn new(debuggee: Debuggee, pause: &'static AtomicBool) -> Screen {
        Screen {
            console: Console::new(Session::new(debuggee, pause)),
            pause,
            typed: String::new(),
            before: Vec::new(),
            gone_back: 0,
            answers: vec!["type a command, such as `break main`; `help` lists them".to_string()],
            part: 0,
            above: 0,
        }
    }

    /// Does what a key asks for; the debugger ends with a break.
    pub fn press(&mut self, key: Key) -> ControlFlow<()> {
        match key {
            Key::Char(c) => self.typed.push(c),
            Key::Backspace => drop(self.typed.pop()),
            Key::Enter => return self.enter(),
            Key::Tab => self.turn_to(self.part + 1),
            Key::BackTab => self.turn_to(self.part + PARTS.len() - 1),
            Key::Up => self.recall(self.gone_back + 1),
            Key::Down => self.recall(self.gone_back.saturating_sub(1)),
            Key::Left => self.select(-1),
            Key::Right => self.select(1),
            Key::PageUp => self.above = self.above.saturating_sub(ANSWERS),
            Key::PageDown => self.above += ANSWERS,
            Key::F(n) => {
                if let Some((_, command)) = FUNCTIONS.iter().find(|(number, _)| *number == n) {
                    return self.perform(command);
                }
            }
            Key::End => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    fn enter(&mut self) -> ControlFlow<()> {
        let line = std::mem::take(&mut self.typed).trim().to_string();
        self.gone_back = 0;
        // An empty line repeats the last command, as in gdb.
        let line = if line.is_empty() { self.before.last().cloned().unwrap_or_default() } else { line };
        if line.is_empty() {
            return ControlFlow::Continue(());
        }
        if self.before.last() != Some(&line) {
            self.before.push(line.clone());
        }
        self.perform(&line)
    }

    fn perform(&mut self, line: &str) -> ControlFlow<()> {
        // What was asked while nothing ran is forgotten.
        self.pause.store(false, Ordering::Relaxed);
        self.answers.push(format!("(cslrun) {line}"));
        match self.console.perform(line) {
            Ok(reply) if reply.ends => return ControlFlow::Break(()),
            Ok(reply) => {
                self.answers.extend(reply.text.lines().map(str::to_string));
                if reply.has_moved {
                    self.above = 0;
                }
            }
            Err(why) => self.answers.extend(why.lines().map(str::to_string)),
        }
        let too_many = self.answers.len().saturating_sub(MOST_ANSWERS);
        self.answers.drain(..too_many);
        ControlFlow::Continue(())
    }

    fn turn_to(&mut self, part: usize) {
        (self.part, self.above) = (part % PARTS.len(), 0);
    }

    fn recall(&mut self, gone_back: usize) {
        self.gone_back = gone_back.min(self.before.len());
        let found = self.before.len().checked_sub(self.gone_back).and_then(|n| self.before.get(n));
        self.typed = found.cloned().unwrap_or_default();
    }

    /// Looks at the PE that stands so many places further.
    fn select(&mut self, by: isize) {
        let focus = self.console.session.focus();
        let all: Vec<_> = self.console.session.program().pes().collect();
        let here = all.iter().position(|pe| *pe == focus).unwrap_or(0);
        let next = (here as isize + by).rem_euclid(all.len().max(1) as isize) as usize;
        if let Some(pe) = all.get(next)
            && self.console.session.select(*pe).is_ok()
        {
            (self.console.call, self.above) = (0, 0);
        }
    }

    /// The screen, row by row, and the column of the cursor in the last row.
    pub fn rows(&mut self, width: usize, height: usize) -> (Vec<Row>, usize) {
        let answers = ANSWERS.min(height / 3);
        let middle = height.saturating_sub(answers + 4);
        let left = width * 3 / 5;
        let right = width.saturating_sub(left + 1);
        let title = self.console.place();
        let title = title.lines().next().unwrap_or_default().to_string();
        let mut rows: Vec<Row> = vec![vec![(fitted(&title, width), Role::Title)]];
        let code = self.code(middle);
        let part = self.part(middle);
        for n in 0..middle {
            let (text, role) = code.get(n).cloned().unwrap_or((String::new(), Role::Plain));
            let beside = part.get(n).map_or("", String::as_str);
            rows.push(vec![
                (fitted(&text, left), role),
                ("|".to_string(), Role::Muted),
                (fitted(beside, right), Role::Plain),
            ]);
        }
        rows.push(vec![("-".repeat(width), Role::Muted)]);
        let from = self.answers.len().saturating_sub(answers);
        for n in 0..answers {
            let text = self.answers.get(from + n).map_or("", String::as_str);
            rows.push(vec![(fitted(text, width), Role::Plain)]);
        }
        rows.push(vec![(fitted(&keys(), width), Role::Muted)]);
        let prompt = format!("(cslrun) {}", self.typed);
        let cursor = prompt.chars().count().min(width.saturating_sub(1));
        // Of a long command the end is seen.
        let hidden = prompt.chars().count().saturating_sub(width.saturating_sub(1));
        let prompt: String = prompt.chars().skip(hidden).collect();
        rows.push(vec![(fitted(&prompt, width), Role::Plain)]);
        (rows, cursor)
    }

    /// The code around the line that is executed.
    fn code(&mut self, height: usize) -> Vec<(String, Role)> {
        let Some(id) = self.console.file() else { return Vec::new() };
        let span = self.console.current().map(|(span, _)| span);
        let session = &self.console.session;
        let sources = session.program().sources();
        // Before any code has run, the file is shown from its beginning.
        let here = span.map_or(0, |span| sources.line_col(span.file, span.lo).line);
        let first = here.saturating_sub(height / 2).max(1);
        let marked = |line: usize| {
            let is_it =
                |kind: &Kind| matches!(kind, Kind::Line { file, line: of } if *file == id && *of == line);
            session.breakpoints().iter().any(|breakpoint| is_it(&breakpoint.kind))
        };
        let file = sources.file(id);
        let lines = file.text.lines().enumerate().map(|(n, text)| (n + 1, text));
        let shown = lines.filter(|(n, _)| (first..first + height).contains(n)).map(|(n, text)| {
            let mark = if marked(n) { '*' } else { ' ' };
            let arrow = if n == here { '>' } else { ' ' };
            let role = if n == here { Role::Here } else { Role::Plain };
            (format!("{mark}{arrow}{n:>5}  {text}"), role)
        });
        shown.collect()
    }

    /// The part of the PE that is chosen.
    fn part(&mut self, height: usize) -> Vec<String> {
        let name = PARTS[self.part];
        let text = match self.console.perform(&format!("info {name}")) {
            Ok(reply) => reply.text,
            Err(why) => why,
        };
        let lines: Vec<&str> = text.lines().collect();
        // The last page stays full.
        self.above = self.above.min(lines.len().saturating_sub(height.saturating_sub(1)));
        let head = format!("{name} (Tab: {})", PARTS[(self.part + 1) % PARTS.len()]);
        let shown = lines.into_iter().skip(self.above).map(|line| format!(" {line}"));
        std::iter::once(head).chain(shown).take(height).collect()
    }
}

fn keys() -> String {
    let functions = FUNCTIONS.iter().map(|(n, command)| format!("F{n} {command}"));
    let rest = ["Tab part", "<- -> PE", "PgUp PgDn", "Ctrl-C pause"].map(str::to_string);
    functions.chain(rest).collect::<Vec<_>>().join("  ")
}

/// A text in so many columns; what the terminal would not show as one column is replaced.
fn fitted(text: &str, width: usize) -> String {
    let shown = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let cut: String = shown.take(width).collect();
    format!("{cut:<width$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arch, CompileOptions, MemoryLoader, RunOptions, inspect};
    use std::sync::Arc;

    const PROGRAM: &str = "var n: u32 = 0;
task main() void {
  n += 1;
  n += 20;
}
const id = @get_local_task_id(8);
comptime {
  @bind_local_task(main, id);
  @activate(id);
}
";

    static PAUSE: AtomicBool = AtomicBool::new(false);

    fn screen() -> Screen {
        let mut files = MemoryLoader::default();
        files.add("pe.csl", PROGRAM);
        let found = inspect("pe.csl".as_ref(), &files, &CompileOptions::new(Arch::Wse3));
        let program = Arc::new(found.compilation.program.expect("a valid program"));
        let (facts, options) = (Some(found.facts), RunOptions::default());
        Screen::new(Debuggee { program, facts, options, host: Some(Vec::new()) }, &PAUSE)
    }

    fn text(screen: &mut Screen) -> String {
        let (rows, _) = screen.rows(100, 24);
        assert_eq!(rows.len(), 24);
        let lines = rows.iter().map(|row| row.iter().map(|(text, _)| text.as_str()).collect::<String>());
        let lines: Vec<String> = lines.collect();
        assert!(lines.iter().all(|line| line.chars().count() == 100), "{lines:?}");
        lines.join("\n")
    }

    fn type_in(screen: &mut Screen, line: &str) {
        line.chars().for_each(|c| assert!(screen.press(Key::Char(c)).is_continue()));
        assert!(screen.press(Key::Enter).is_continue());
    }

    #[test]
    fn commands_and_keys_move_the_run_and_the_screen_shows_where_it_stands() {
        let mut screen = screen();
        assert!(text(&mut screen).contains("    1  var n: u32 = 0;"), "{}", text(&mut screen));
        type_in(&mut screen, "break 4");
        type_in(&mut screen, "break main");
        assert!(text(&mut screen).contains("*     4    n += 20;"), "{}", text(&mut screen));
        let _ = screen.press(Key::F(5));
        assert!(text(&mut screen).contains(" >    3    n += 1;"), "{}", text(&mut screen));
        let _ = screen.press(Key::F(8));
        let _ = screen.press(Key::Tab);
        let shown = text(&mut screen);
        assert!(
            shown.contains("*>    4    n += 20;")
                && shown.contains("globals (Tab")
                && shown.contains("n = 1")
        );
        let _ = screen.press(Key::F(7));
        assert!(text(&mut screen).contains("n = 0"));
    }

    #[test]
    fn what_makes_no_sense_is_answered_on_the_screen() {
        let mut screen = screen();
        type_in(&mut screen, "brake main");
        assert!(text(&mut screen).contains("there is no command `brake`"));
        for key in
            [Key::Up, Key::Down, Key::Left, Key::Right, Key::PageUp, Key::PageDown, Key::F(1), Key::BackTab]
        {
            assert!(screen.press(key).is_continue());
            for (width, height) in [(0, 0), (1, 1), (20, 3), (300, 100)] {
                screen.rows(width, height);
            }
        }
        assert!(screen.press(Key::End).is_break());
    }

    #[test]
    fn commands_that_were_typed_come_back() {
        let mut screen = screen();
        type_in(&mut screen, "info tasks");
        type_in(&mut screen, "info queues");
        let _ = screen.press(Key::Up);
        let _ = screen.press(Key::Up);
        assert!(text(&mut screen).ends_with(&format!("{:<100}", "(cslrun) info tasks")));
        let _ = screen.press(Key::Down);
        assert!(text(&mut screen).contains("(cslrun) info queues"));
    }
}
