//! `cslrun learn`: small programs with one thing wrong or missing, in order.
//!
//! In: a folder in which the user repairs them. Out: how far the user has come, the next program and
//! what is wrong with it. Never: overwrites a file unless told to, or trusts anything but a run.

mod chapter;
mod folder;
mod keys;
mod lesson;
mod look;
mod text;
mod watch;

pub use watch::watch;

use super::args::LearnArgs;
use super::outcome::Outcome;
use super::{Exit, output};
use crate::{Loader, MessageFormat};
use folder::Folder;
use lesson::Lesson;
use look::Look;

/// `cslrun learn [LESSON]`; of `--watch`, one turn.
pub fn learn(args: &LearnArgs, loader: &dyn Loader) -> Outcome {
    Class::new(args, loader).answer(args).unwrap_or_else(refusal)
}

/// The lessons, and where the user works on them.
struct Class<'l> {
    lessons: Vec<Lesson>,
    folder: Folder,
    loader: &'l dyn Loader,
}

impl<'l> Class<'l> {
    fn new(args: &LearnArgs, loader: &'l dyn Loader) -> Class<'l> {
        let lessons = lesson::all();
        Class { folder: Folder::chosen(args.dir.as_deref(), &lessons), lessons, loader }
    }

    fn answer(&self, args: &LearnArgs) -> Result<Outcome, String> {
        if args.list {
            return Ok(says(text::list(&self.lessons, &self.done())));
        }
        let named = self.named(args)?;
        if let Some(number) = args.hint {
            let lesson = named.or_else(|| self.first_open()).ok_or("all lessons are done")?;
            return text::hint(lesson, number, &self.folder.command()).map(says);
        }
        if args.chapter {
            let lesson = named.or_else(|| self.first_open()).ok_or("all lessons are done")?;
            return text::chapter(lesson, output::width()).map(says);
        }
        match named {
            Some(lesson) if args.solution => Ok(says(text::solution(lesson))),
            Some(lesson) if args.reset => {
                self.folder.reset(lesson)?;
                Ok(says(format!("lesson {} has been reset\n", lesson.number)))
            }
            Some(_) | None => {
                let written = self.complete()?;
                let mut outcome = match (named, self.first_open()) {
                    (Some(lesson), open) => self.named_turn(lesson, open),
                    (None, Some(lesson)) => self.turn(lesson, &self.folder.command()).0,
                    (None, None) => self.end(),
                };
                outcome.printed.insert_str(0, &written);
                Ok(outcome)
            }
        }
    }

    /// The lesson that the user has named.
    fn named(&self, args: &LearnArgs) -> Result<Option<&Lesson>, String> {
        args.lesson.as_deref().map(|word| lesson::find(&self.lessons, word)).transpose()
    }

    /// Writes what is not there, and says so.
    fn complete(&self) -> Result<String, String> {
        Ok(match self.folder.complete(&self.lessons)? {
            0 => String::new(),
            1 => format!("wrote 1 lesson into {}\n", self.folder.shown()),
            n => format!("wrote {n} lessons into {}\n", self.folder.shown()),
        })
    }

    /// Which lessons are done.
    fn done(&self) -> Vec<bool> {
        self.lessons.iter().map(|lesson| Look::is_done(lesson, &self.folder, self.loader)).collect()
    }

    fn first_open(&self) -> Option<&Lesson> {
        self.lessons.iter().find(|lesson| !Look::is_done(lesson, &self.folder, self.loader))
    }

    /// The next lesson that is not done, after this one or from the beginning.
    fn open_after(&self, lesson: &Lesson) -> Option<&Lesson> {
        let (before, after) = self.lessons.split_at(lesson.number);
        let others = after.iter().chain(before).filter(|other| other.number != lesson.number);
        others.into_iter().find(|other| !Look::is_done(other, &self.folder, self.loader))
    }

    /// Runs the lesson that the user has named; `open` is the first that is not done.
    fn named_turn(&self, lesson: &Lesson, open: Option<&Lesson>) -> Outcome {
        let again = format!("{} {}", self.folder.command(), lesson.name());
        let (mut outcome, done) = self.turn(lesson, &again);
        if let Some(open) = open.filter(|_| done) {
            outcome.printed += &text::next(open, &self.folder);
        }
        outcome
    }

    /// Runs a lesson with the command `again`; tells what came of it, and whether it is done.
    fn turn(&self, lesson: &Lesson, again: &str) -> (Outcome, bool) {
        let look = Look::at(lesson, &self.folder, self.loader);
        let printed = text::progress(&self.done()) + &text::page(lesson, &look, &self.folder, again);
        let done = look.done();
        let mut outcome = Outcome { printed, ..look.outcome };
        if outcome.exit == Exit::Fine && !done {
            outcome.exit = Exit::WentWrong;
        }
        outcome.complaint = outcome.complaint.or(look.left);
        (outcome, done)
    }

    /// What there is to say when every lesson is done.
    fn end(&self) -> Outcome {
        says(text::progress(&self.done()) + &text::end(&self.folder))
    }
}

fn says(text: String) -> Outcome {
    Outcome { printed: text, ..Outcome::new(MessageFormat::Plain) }
}

fn refusal(complaint: String) -> Outcome {
    let mut outcome = Outcome::new(MessageFormat::Plain);
    outcome.refuse(complaint);
    outcome
}
