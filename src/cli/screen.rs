//! The debugger on the whole terminal.

use super::output;
use super::terminal::{KeyByKey, key};
use crate::debug::{Debuggee, Role, Screen};
use anstyle::{AnsiColor, Effects, Style};
use std::fmt::Write;
use std::io::{IsTerminal, stdin, stdout};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

/// Another screen, which leaves what stands on the first one.
const ENTER: &str = "\x1b[?1049h";
const LEAVE: &str = "\x1b[?1049l";

/// Whether there is a terminal that can show a screen.
pub fn is_possible() -> bool {
    let is_plain = std::env::var_os("TERM").is_none_or(|name| name.is_empty() || name == "dumb");
    stdin().is_terminal() && stdout().is_terminal() && !is_plain
}

/// Debugs a program on the terminal; gives it back if the terminal cannot be used.
pub fn debug(debuggee: Debuggee, pause: &'static AtomicBool) -> Option<Debuggee> {
    let Some(_keys) = KeyByKey::begin(LEAVE) else { return Some(debuggee) };
    output::draw(ENTER);
    let mut screen = Screen::new(debuggee, pause);
    let mut input = stdin().lock();
    loop {
        if !output::draw(&frame(&mut screen)) {
            return None;
        }
        if let ControlFlow::Break(()) = screen.press(key(&mut input)) {
            return None;
        }
    }
}

/// The screen as the terminal wants it.
fn frame(screen: &mut Screen) -> String {
    let (width, height) = output::size();
    let (rows, cursor) = screen.rows(width, height);
    let mut text = "\x1b[H".to_string();
    for (n, row) in rows.iter().take(height).enumerate() {
        if n > 0 {
            text += "\r\n";
        }
        for (piece, role) in row {
            let style = style(*role);
            let _ = write!(text, "{style}{piece}{style:#}");
        }
    }
    let _ = write!(text, "\x1b[J\x1b[{height};{}H", cursor + 1);
    text
}

fn style(role: Role) -> Style {
    let plain = Style::new();
    match role {
        Role::Plain => plain,
        Role::Title => plain.effects(Effects::INVERT),
        Role::Here => plain.bold().fg_color(Some(AnsiColor::Yellow.into())),
        Role::Muted => plain.effects(Effects::DIMMED),
    }
}
