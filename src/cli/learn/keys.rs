use crate::cli::terminal::KeyByKey;
use std::io::{IsTerminal, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// What the user can ask for while a lesson is watched.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// The next lesson that is not done.
    Next,
    /// The next hint.
    Hint,
    /// All lessons.
    List,
    /// The chapter of the book.
    Chapter,
    /// The lesson once more.
    Again,
    /// The end.
    Quit,
}

/// What the keys do, as one line for people.
pub const LEGEND: &str = "n next, h hint, l list, c chapter, r run again, q quit";

impl Key {
    fn of(letter: char) -> Option<Key> {
        Some(match letter.to_ascii_lowercase() {
            'n' => Key::Next,
            'h' => Key::Hint,
            'l' => Key::List,
            'c' => Key::Chapter,
            'r' => Key::Again,
            'q' => Key::Quit,
            _ => return None,
        })
    }
}

/// The keys of standard input.
pub struct Keys {
    keys: Receiver<Key>,
    /// The terminal hands them over one by one, without Enter.
    one_by_one: Option<KeyByKey>,
}

impl Keys {
    /// Reads from now on.
    pub fn of_stdin() -> Keys {
        let (sender, keys) = channel();
        let one_by_one = if std::io::stdin().is_terminal() { KeyByKey::begin("") } else { None };
        std::thread::spawn(move || {
            let letters = std::io::stdin().lock().bytes().map_while(Result::ok);
            for key in letters.filter_map(|byte| Key::of(byte.into())) {
                if sender.send(key).is_err() {
                    return;
                }
            }
        });
        Keys { keys, one_by_one }
    }

    /// How to press them.
    pub fn how(&self) -> &'static str {
        if self.one_by_one.is_some() { "keys" } else { "keys, then Enter" }
    }

    /// The next key; `None` if none comes within this time.
    pub fn next(&self, patience: Duration) -> Option<Key> {
        match self.keys.recv_timeout(patience) {
            Ok(key) => Some(key),
            Err(RecvTimeoutError::Timeout) => None,
            // Nobody presses anything any more; the files may still change.
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::sleep(patience);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_keys_and_the_rest_is_ignored() {
        let keys: Vec<Option<Key>> = "nH\nx".chars().map(Key::of).collect();
        assert_eq!(keys, [Some(Key::Next), Some(Key::Hint), None, None]);
    }

    #[test]
    fn when_the_letters_have_ended_there_are_no_keys() {
        let (sender, receiver) = channel();
        sender.send(Key::List).expect("a receiver");
        drop(sender);
        let keys = Keys { keys: receiver, one_by_one: None };
        let wait = Duration::from_millis(1);
        assert_eq!([keys.next(wait), keys.next(wait)], [Some(Key::List), None]);
    }
}
