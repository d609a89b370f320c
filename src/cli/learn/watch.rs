use super::folder::Folder;
use super::lesson::Lesson;
use super::{Class, refusal, says};
use crate::Loader;
use crate::cli::Exit;
use crate::cli::args::LearnArgs;
use crate::cli::outcome::Outcome;
use std::time::Duration;

/// How often the files are looked at. An editor may need a moment between taking the old file away
/// and writing the new one.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);

/// `cslrun learn --watch`: runs a lesson whenever it changes, and goes on to the next when it is done.
pub fn watch(args: &LearnArgs, loader: &dyn Loader, show: impl Fn(&Outcome) -> Exit) -> Exit {
    let class = Class::new(args, loader);
    follow(&class, args, &show).unwrap_or_else(|diag| show(&refusal(diag)))
}

fn follow(class: &Class, args: &LearnArgs, show: &impl Fn(&Outcome) -> Exit) -> Result<Exit, String> {
    let mut named = class.named(args)?;
    show(&says(class.complete()?));
    while let Some(lesson) = named.take().or_else(|| class.first_open()) {
        loop {
            let before = class.folder.texts(lesson);
            let (outcome, done) = class.turn(lesson, &class.folder.command());
            let exit = show(&outcome);
            if exit == Exit::Interrupted {
                return Ok(exit);
            }
            if done {
                break;
            }
            show(&says(format!("\nwatching lesson {} for changes; press Ctrl-C to stop\n", lesson.number)));
            wait_for_change(&class.folder, lesson, &before);
        }
    }
    Ok(show(&class.end()))
}

/// Returns when the files are others than before, and have come to rest.
fn wait_for_change(folder: &Folder, lesson: &Lesson, before: &[Option<String>]) {
    let mut last = before.to_vec();
    loop {
        std::thread::sleep(BETWEEN_LOOKS);
        let now = folder.texts(lesson);
        if now == last && now != before {
            return;
        }
        last = now;
    }
}
