use super::chapter;
use super::folder::Folder;
use super::lesson::Lesson;
use super::look::Look;
use crate::cli::page::{rendered, styled};
use anstyle::{AnsiColor, Style};
use std::fmt::Write;

const TITLE: Style = Style::new().bold();
const DONE: Style = AnsiColor::Green.on_default();
const MUTED: Style = Style::new().dimmed();

/// Lines longer than this are hard to read, however wide the terminal is.
const WIDEST: usize = 100;

/// A text that is less important.
pub fn muted(text: &str) -> String {
    styled(text, MUTED)
}

/// How far the user has come.
pub fn progress(done: &[bool]) -> String {
    let (count, all) = (done.iter().filter(|d| **d).count(), done.len());
    let bar: String = done.iter().map(|d| if *d { styled("#", DONE) } else { ".".to_string() }).collect();
    format!("{count} of {all} lessons done  [{bar}]\n")
}

/// What there is to do in a lesson, and what to do next; `again` is the command that runs it.
pub fn page(lesson: &Lesson, look: &Look, folder: &Folder, again: &str) -> String {
    let title = format!("Lesson {}: {}", lesson.number, lesson.head.title);
    let mut out = format!("\n{}\n", styled(&title, TITLE));
    for file in &lesson.files {
        let _ = writeln!(out, "  {}", folder.path(file).display());
    }
    if look.done() {
        return out + &styled("This lesson is done.", DONE) + "\n";
    }
    for line in &lesson.head.task {
        let _ = writeln!(out, "  | {line}");
    }
    let _ = write!(out, "\nChange the program, then run `{again}` again. Stuck? `{again} --hint`");
    if lesson.head.chapter.is_some() {
        let _ = write!(out, ", `{again} --chapter`");
    }
    if let Some(rule) = look.rule() {
        let _ = write!(out, ", `cslrun explain {rule}`");
    }
    out + "\n\n" + &printed(look)
}

/// What the program prints.
fn printed(look: &Look) -> String {
    match look.lines().join("\n") {
        lines if lines.is_empty() => String::new(),
        lines => format!("It prints:\n{lines}\n\n"),
    }
}

/// How to go on with the first lesson that is not done.
pub fn next(open: &Lesson, folder: &Folder) -> String {
    format!("Next is lesson {}: `{}`\n", open.number, folder.command())
}

/// What follows when every lesson is done.
pub fn end(folder: &Folder) -> String {
    format!(
        "\nThat was the last lesson. Your programs are in {}; continue with `cslrun explain` and docs/book.\n",
        folder.shown()
    )
}

/// All lessons with a mark at those that are done.
pub fn list(lessons: &[Lesson], done: &[bool]) -> String {
    let width = lessons.iter().map(|lesson| lesson.name().len()).max().unwrap_or(0);
    let mut out = String::new();
    for (lesson, done) in lessons.iter().zip(done) {
        let mark = if *done { styled("done", DONE) } else { "    ".to_string() };
        let (number, name, title) = (lesson.number, lesson.name(), lesson.head.title);
        let _ = writeln!(out, "{mark} {number:2}  {name:width$}  {title}");
    }
    out + &progress(done)
}

/// One hint, and how to get the next one with the command of the folder.
pub fn hint(lesson: &Lesson, number: usize, command: &str) -> Result<String, String> {
    let (name, all) = (lesson.name(), lesson.hints.len());
    let Some(hint) = number.checked_sub(1).and_then(|i| lesson.hints.get(i)) else {
        return Err(format!("there are {all} hints for `{name}`"));
    };
    let next = match number < all {
        true => format!("`{command} {name} --hint {}` shows the next one", number + 1),
        false => format!("`{command} {name} --solution` shows the solution"),
    };
    Ok(format!("Lesson {}, hint {number} of {all}:\n{hint}\n\n{next}\n", lesson.number))
}

/// The chapter of the book about a lesson, for a terminal of this width or, without one, as it is written.
pub fn chapter(lesson: &Lesson, width: Option<usize>) -> Result<String, String> {
    let text = chapter::chapter(lesson)?;
    Ok(width.map_or(text.clone(), |width| rendered(&text, width.min(WIDEST))))
}

/// The program repaired.
pub fn solution(lesson: &Lesson) -> String {
    match lesson.solution.as_slice() {
        [one] => one.text.to_string(),
        many => many.iter().map(|file| format!("// {}\n{}\n", file.path, file.text)).collect(),
    }
}
