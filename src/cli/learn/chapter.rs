use super::lesson::Lesson;
use include_dir::{Dir, include_dir};

static PAGES: Dir = include_dir!("$CARGO_MANIFEST_DIR/docs/book/src");
static PROGRAMS: Dir = include_dir!("$CARGO_MANIFEST_DIR/docs/book/programs");

/// How a page includes a program, up to the path.
const INCLUDE: &str = "{{#include ../programs/";

/// The chapter of the book that a lesson names, with the programs that it shows; what to say if it names none.
pub fn chapter(lesson: &Lesson) -> Result<String, String> {
    let number = lesson.head.chapter.ok_or_else(|| format!("`{}` names no chapter", lesson.name()))?;
    let summary = PAGES.get_file("SUMMARY.md").and_then(|file| file.contents_utf8()).unwrap_or_default();
    let chapters = summary.lines().filter(|line| line.starts_with("- ["));
    let page = chapters.skip(number - 1).find_map(|line| line.split_once("](")?.1.split(')').next());
    let text = page.and_then(|page| PAGES.get_file(page)).and_then(|file| file.contents_utf8());
    let text = text.ok_or_else(|| format!("the book has no chapter {number}"))?;
    Ok(text.lines().map(|line| shown(line) + "\n").collect())
}

/// A line of a page, or the program that it stands for.
fn shown(line: &str) -> String {
    let path = line.strip_prefix(INCLUDE).and_then(|rest| rest.strip_suffix("}}"));
    let program = path.and_then(|path| PROGRAMS.get_file(path)).and_then(|file| file.contents_utf8());
    program.unwrap_or(line).trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::learn::lesson;

    #[test]
    fn every_chapter_that_a_lesson_names_is_there_with_its_programs() {
        let lessons = lesson::all();
        let named: Vec<&Lesson> = lessons.iter().filter(|lesson| lesson.head.chapter.is_some()).collect();
        assert!(named.len() > 20);
        for lesson in named {
            let text = chapter(lesson).expect(lesson.stem);
            assert!(text.starts_with("# ") && !text.contains("{{#include"), "{}", lesson.stem);
        }
    }
}
