//! The terminal as something that hands over keys one by one.

use crate::debug::Key;
use std::io::Read;
use std::sync::{Mutex, PoisonError};

/// While this lives, keys come without Enter and are not shown.
pub struct KeyByKey(());

/// How the terminal was before.
#[cfg(unix)]
static BEFORE: Mutex<Option<rustix::termios::Termios>> = Mutex::new(None);
#[cfg(not(unix))]
static BEFORE: Mutex<Option<()>> = Mutex::new(None);

/// What is written to the terminal when that is over, such as to leave a screen.
static FAREWELL: Mutex<&str> = Mutex::new("");

impl KeyByKey {
    /// Reads single keys from now on; `None` if the terminal cannot. `farewell` is written when that ends.
    #[cfg(unix)]
    pub fn begin(farewell: &'static str) -> Option<KeyByKey> {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let stdin = std::io::stdin();
        let before = tcgetattr(&stdin).ok()?;
        let mut now = before.clone();
        // Ctrl-C is still a signal.
        now.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        tcsetattr(&stdin, OptionalActions::Now, &now).ok()?;
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(before);
        *FAREWELL.lock().unwrap_or_else(PoisonError::into_inner) = farewell;
        Some(KeyByKey(()))
    }

    /// There are no such terminals here.
    #[cfg(not(unix))]
    pub fn begin(_: &'static str) -> Option<KeyByKey> {
        None
    }
}

impl Drop for KeyByKey {
    fn drop(&mut self) {
        restore();
    }
}

/// Restores the terminal, also when the process ends suddenly.
pub fn restore() {
    let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
    if before.is_none() {
        return;
    }
    super::output::draw(&FAREWELL.lock().unwrap_or_else(PoisonError::into_inner));
    #[cfg(unix)]
    if let Some(before) = before {
        use rustix::termios::{OptionalActions, tcsetattr};
        // A terminal that is gone needs nothing.
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &before);
    }
}

/// The next key of a terminal; what is no key that anybody asks for is skipped.
pub fn key(input: &mut impl Read) -> Key {
    loop {
        let Some(byte) = next(input) else { return Key::End };
        let found = match byte {
            b'\r' | b'\n' => Some(Key::Enter),
            8 | 127 => Some(Key::Backspace),
            b'\t' => Some(Key::Tab),
            4 => Some(Key::End),
            27 => sequence(input),
            0..32 => None,
            _ => letter(byte, input).map(Key::Char),
        };
        if let Some(key) = found {
            return key;
        }
    }
}

fn next(input: &mut impl Read) -> Option<u8> {
    let mut byte = [0];
    loop {
        match input.read(&mut byte) {
            Ok(0) => return None,
            Ok(_) => return Some(byte[0]),
            // Ctrl-C while nothing runs.
            Err(why) if why.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// A letter of one to four bytes in UTF-8.
fn letter(first: u8, input: &mut impl Read) -> Option<char> {
    let more = match first {
        0xc0..0xe0 => 1,
        0xe0..0xf0 => 2,
        0xf0.. => 3,
        _ => 0,
    };
    let mut bytes = vec![first];
    for _ in 0..more {
        bytes.push(next(input)?);
    }
    std::str::from_utf8(&bytes).ok()?.chars().next()
}

/// A key that sends several bytes, after Escape.
fn sequence(input: &mut impl Read) -> Option<Key> {
    let introducer = next(input)?;
    if !matches!(introducer, b'[' | b'O') {
        return None;
    }
    let mut numbers = String::new();
    let last = loop {
        match next(input)? {
            byte @ (b'0'..=b'9' | b';') => numbers.push(byte.into()),
            byte => break byte,
        }
    };
    let number = numbers.split(';').next().unwrap_or_default();
    Some(match (last, number) {
        (b'A', _) => Key::Up,
        (b'B', _) => Key::Down,
        (b'C', _) => Key::Right,
        (b'D', _) => Key::Left,
        (b'Z', _) => Key::BackTab,
        (b'~', "5") => Key::PageUp,
        (b'~', "6") => Key::PageDown,
        (b'~', "15") => Key::F(5),
        (b'~', "17") => Key::F(6),
        (b'~', "18") => Key::F(7),
        (b'~', "19") => Key::F(8),
        (b'~', "20") => Key::F(9),
        (b'~', "21") => Key::F(10),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_from_what_terminals_send() {
        let mut input = "a\u{fc}\x1b[A\x1b[15~\x1b[1;5C\x1b[99~\t\x1bOB\x7f\n\x04".as_bytes();
        let keys: Vec<Key> = std::iter::repeat_with(|| key(&mut input)).take(9).collect();
        let wanted = [
            Key::Char('a'),
            Key::Char('\u{fc}'),
            Key::Up,
            Key::F(5),
            Key::Right,
            Key::Tab,
            Key::Down,
            Key::Backspace,
            Key::Enter,
        ];
        assert_eq!(keys, wanted);
        assert_eq!(key(&mut input), Key::End);
        assert_eq!(key(&mut "\x1b[".as_bytes()), Key::End);
    }
}
