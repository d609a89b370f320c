//! Exercises: the program to repair, a hint to unfold, and the solution.

use crate::{code, files_below, html};
use anyhow::{Context, Result};
use std::fmt::Write;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// Files by the names that a page calls them.
type Files = Vec<(String, String)>;

/// What a section of exercises shows beside its text.
pub struct Exercise {
    /// `03-a`, or `lesson-07`.
    pub id: String,
    /// The command that runs it.
    pub command: String,
    /// Where its files are in the site, such as `exercises/03-a.csl`.
    program: String,
    files: Files,
    solution: Files,
}

impl Exercise {
    /// The exercise of a chapter that a command of its page runs.
    pub fn of_command(repository: &Path, command: &str) -> Result<Option<Exercise>> {
        let mut words = command.split_whitespace();
        let Some(program) = words.find_map(|word| word.strip_prefix("../exercises/")) else {
            return Ok(None);
        };
        let entry = program.split('/').next().unwrap_or(program);
        let book = repository.join("docs/book");
        Ok(Some(Exercise {
            id: entry.trim_end_matches(".csl").to_string(),
            command: command.to_string(),
            program: format!("exercises/{program}"),
            files: files(&book.join("exercises").join(entry))?,
            solution: files(&book.join("solutions").join(entry))?,
        }))
    }

    /// A lesson of `cslrun learn`, such as `03-types`.
    pub fn of_lesson(repository: &Path, stem: &str) -> Result<Exercise> {
        let lessons = repository.join("docs/lessons");
        let file = lessons.join("start").join(format!("{stem}.csl"));
        let entry = if file.is_file() { format!("{stem}.csl") } else { stem.to_string() };
        let (number, name) = stem.split_once('-').context("a number and a name")?;
        Ok(Exercise {
            id: format!("lesson-{number}"),
            command: format!("cslrun learn {name}"),
            program: format!("lessons/{entry}"),
            files: without_heads(files(&lessons.join("start").join(&entry))?),
            solution: without_heads(files(&lessons.join("solutions").join(&entry))?),
        })
    }

    /// The beginning of the section.
    pub fn opening(&self) -> String {
        format!(
            "<section class=\"exercise\" id=\"exercise-{0}\" data-exercise=\"{0}\" data-command=\"{1}\" \
             data-program=\"{2}\">\n\n",
            self.id,
            html::attribute(&self.command),
            html::attribute(&self.program)
        )
    }

    /// Its files. Those that the solution changes are unfolded.
    pub fn programs(&self) -> String {
        let mut out = String::new();
        for (name, text) in &self.files {
            let (is_open, class) = match self.changes(name, text) {
                true => (" open", format!(" exercise-{}", self.id)),
                false => ("", String::new()),
            };
            let _ = write!(
                out,
                "<details class=\"program\" data-file=\"{0}\"{is_open}><summary>{0}</summary>\n\n{1}\n\n</details>\n\n",
                html::attribute(name),
                code::block(&format!("{}{class}", language(name)), text)
            );
        }
        out
    }

    /// The files that the solution changes, folded, and the end of the section.
    pub fn closing(&self) -> String {
        let mut out = "<details class=\"solution\"><summary>Solution</summary>\n\n".to_string();
        for (name, text) in &self.solution {
            let is_new = self.files.iter().all(|(other, old)| other != name || old != text);
            if is_new {
                out.push_str(&code::listing(language(name), name, text));
                out.push('\n');
            }
        }
        out + "</details>\n\n</section>\n"
    }

    fn changes(&self, name: &str, text: &str) -> bool {
        self.solution.iter().any(|(other, new)| other == name && new != text)
    }
}

/// The file of a program, or those of its folder.
fn files(entry: &Path) -> Result<Files> {
    let paths: Vec<PathBuf> = match entry.is_dir() {
        true => files_below(entry)?,
        false => vec![entry.to_path_buf()],
    };
    let base = entry.parent().context("a file in a folder")?;
    let read = |path: PathBuf| -> Result<(String, String)> {
        let name = path.strip_prefix(if entry.is_dir() { entry } else { base })?.display().to_string();
        let text = read_to_string(&path).with_context(|| path.display().to_string())?;
        Ok((name, text.trim_end().to_string()))
    };
    let is_source =
        |path: &PathBuf| path.extension().is_some_and(|kind| ["csl", "py", "sh"].iter().any(|k| kind == *k));
    paths.into_iter().filter(is_source).map(read).collect()
}

/// Lessons begin with a comment that their pages show as text.
fn without_heads(files: Files) -> Files {
    let body = |text: String| match text.starts_with("// Lesson ") {
        true => text
            .lines()
            .skip_while(|line| line.starts_with("//"))
            .collect::<Vec<_>>()
            .join("\n")
            .trim()
            .to_string(),
        false => text,
    };
    files.into_iter().map(|(name, text)| (name, body(text))).collect()
}

/// The language of a file.
fn language(file: &str) -> &'static str {
    match Path::new(file).extension().and_then(|kind| kind.to_str()) {
        Some("csl") => "csl",
        Some("py") => "python",
        Some("sh") => "sh",
        Some(_) | None => "text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lesson_is_shown_without_its_head() {
        let files = vec![("a.csl".to_string(), "// Lesson 1: x\n// y\n\nvar x: u16;".to_string())];
        assert_eq!(without_heads(files)[0].1, "var x: u16;");
        assert_eq!([language("a.csl"), language("run.py"), language("x")], ["csl", "python", "text"]);
    }
}
