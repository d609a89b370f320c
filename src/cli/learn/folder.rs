use super::lesson::{Lesson, LessonFile};
use crate::cli::output::{self, write_file};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Where lessons are when nobody says anything else.
const USUAL: &str = "learn";

/// The folder in which the user works on the lessons.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// The folder asked for. Otherwise `learn`, or this folder if it is one of lessons itself.
    pub fn chosen(asked: Option<&Path>, lessons: &[Lesson]) -> Folder {
        let is_here = || lessons.iter().any(|lesson| Path::new(lesson.files[0].path).exists());
        Folder(match asked {
            Some(path) => path.to_path_buf(),
            None if !Path::new(USUAL).exists() && is_here() => PathBuf::from("."),
            None => PathBuf::from(USUAL),
        })
    }

    /// Where a file of a lesson is.
    pub fn path(&self, file: &LessonFile) -> PathBuf {
        if self.0 == Path::new(".") { file.path.into() } else { self.0.join(file.path) }
    }

    /// The command that works in it.
    pub fn command(&self) -> String {
        match self.shown().as_str() {
            USUAL | "." => "cslrun learn".to_string(),
            other => format!("cslrun learn --dir {other}"),
        }
    }

    /// The folder as the user knows it.
    pub fn shown(&self) -> String {
        self.0.display().to_string()
    }

    /// Writes the files that are not there, and tells how many lessons that were; what is there stays as
    /// it is.
    pub fn complete(&self, lessons: &[Lesson]) -> Result<usize, String> {
        let mut written = 0;
        for lesson in lessons {
            let mut new = false;
            for file in &lesson.files {
                new |= self.write_new(file)?;
            }
            written += usize::from(new);
        }
        Ok(written)
    }

    fn write_new(&self, file: &LessonFile) -> Result<bool, String> {
        let path = self.path(file);
        make_parent(&path)?;
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut new) => new.write_all(file.text.as_bytes()).map(|()| true).map_err(|e| refused(&path, &e)),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(e) => Err(refused(&path, &e)),
        }
    }

    /// Writes the files of a lesson as they were in the beginning.
    pub fn reset(&self, lesson: &Lesson) -> Result<(), String> {
        for file in &lesson.files {
            let path = self.path(file);
            make_parent(&path)?;
            write_file(&path, |out| out.write_all(file.text.as_bytes())).map_err(|e| refused(&path, &e))?;
        }
        Ok(())
    }

    /// What the files of a lesson hold now; `None` for what cannot be read.
    pub fn texts(&self, lesson: &Lesson) -> Vec<Option<String>> {
        lesson.files.iter().map(|file| fs::read_to_string(self.path(file)).ok()).collect()
    }
}

fn make_parent(path: &Path) -> Result<(), String> {
    let parent = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(parent).map_err(|e| refused(parent, &e))
}

fn refused(path: &Path, error: &std::io::Error) -> String {
    format!("{}; `--dir DIR` chooses another folder", output::unwritten(path, error))
}
