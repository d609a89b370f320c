use super::folder::Folder;
use super::keys::{Key, Keys, LEGEND};
use super::lesson::Lesson;
use super::{Class, refusal, says, text};
use crate::Loader;
use crate::cli::args::LearnArgs;
use crate::cli::outcome::Outcome;
use crate::cli::{Exit, output};
use std::time::Duration;

/// How often the files are looked at. An editor may need a moment between taking the old file away
/// and writing the new one.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);

/// `cslrun learn --watch`: runs a lesson whenever it changes, and goes on to the next when it is done.
pub fn watch(args: &LearnArgs, loader: &dyn Loader, show: impl Fn(&Outcome) -> Exit) -> Exit {
    let class = Class::new(args, loader);
    let watch = Watch { class: &class, show: &show };
    watch.follow(args, &Keys::of_stdin()).unwrap_or_else(|diag| show(&refusal(diag)))
}

/// Lessons that are watched.
struct Watch<'w, S> {
    class: &'w Class<'w>,
    show: &'w S,
}

/// Why a lesson is left.
enum Left<'l> {
    /// It is done.
    Done,
    /// The user wants this one instead, if there is another one.
    For(Option<&'l Lesson>),
    /// The user wants to stop.
    End(Exit),
}

impl<'w, S: Fn(&Outcome) -> Exit> Watch<'w, S> {
    fn follow(&self, args: &LearnArgs, keys: &Keys) -> Result<Exit, String> {
        let mut named = self.class.named(args)?;
        (self.show)(&says(self.class.complete()?));
        while let Some(lesson) = named.take().or_else(|| self.class.first_open()) {
            match self.lesson(lesson, keys) {
                Left::Done => {}
                Left::For(other) => named = Some(other.unwrap_or(lesson)),
                Left::End(exit) => return Ok(exit),
            }
        }
        Ok((self.show)(&self.class.end()))
    }

    /// Runs a lesson again and again until it is left.
    fn lesson(&self, lesson: &'w Lesson, keys: &Keys) -> Left<'w> {
        let mut hints = 0;
        loop {
            let before = self.class.folder.texts(lesson);
            output::clear();
            let (outcome, done) = self.class.turn(lesson, &self.class.folder.command());
            let exit = (self.show)(&outcome);
            if exit == Exit::Interrupted {
                return Left::End(exit);
            }
            if done {
                return Left::Done;
            }
            loop {
                let how = keys.how();
                let line = format!("\nwatching lesson {} for changes; {how}: {LEGEND}\n", lesson.number);
                (self.show)(&says(text::muted(&line)));
                match wait(&self.class.folder, lesson, &before, keys) {
                    None | Some(Key::Again) => break,
                    Some(Key::Next) => return Left::For(self.class.open_after(lesson)),
                    Some(Key::Quit) => return Left::End(Exit::Fine),
                    Some(Key::Hint) => {
                        hints = (hints + 1).min(lesson.hints.len());
                        self.say(text::hint(lesson, hints, &self.class.folder.command()));
                    }
                    Some(Key::List) => self.say(Ok(text::list(&self.class.lessons, &self.class.done()))),
                    Some(Key::Chapter) => self.say(text::chapter(lesson, output::width())),
                }
            }
        }
    }

    fn say(&self, answer: Result<String, String>) {
        (self.show)(&answer.map_or_else(refusal, |text| says(format!("\n{text}"))));
    }
}

/// Returns when the files are others than before and have come to rest, or with the key that is pressed.
fn wait(folder: &Folder, lesson: &Lesson, before: &[Option<String>], keys: &Keys) -> Option<Key> {
    let mut last = before.to_vec();
    loop {
        if let Some(key) = keys.next(BETWEEN_LOOKS) {
            return Some(key);
        }
        let now = folder.texts(lesson);
        if now == last && now != before {
            return None;
        }
        last = now;
    }
}
