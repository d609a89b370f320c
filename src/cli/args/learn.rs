//! The arguments of `cslrun learn`.

use clap::Args;
use std::path::PathBuf;

/// What to do with the lessons.
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("what").multiple(false))]
pub struct LearnArgs {
    /// A lesson, by name or number [default: the first unsolved lesson]
    pub lesson: Option<String>,
    /// The folder of the lessons; missing files are created
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// List all lessons
    #[arg(long, group = "what")]
    pub list: bool,
    /// Show a hint: the first one, or hint N
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", group = "what")]
    #[arg(value_parser = hint_number)]
    pub hint: Option<usize>,
    /// Show the chapter of the book that the lesson names
    #[arg(long, group = "what")]
    pub chapter: bool,
    /// Rerun the lesson whenever it changes, and continue with the next one when it is done; keys give hints, the
    /// list and the chapter
    #[arg(long, group = "what")]
    pub watch: bool,
    /// Restore the original lesson
    #[arg(long, group = "what", requires = "lesson")]
    pub reset: bool,
    /// Show the solution
    #[arg(long, group = "what", requires = "lesson")]
    pub solution: bool,
}

fn hint_number(word: &str) -> Result<usize, String> {
    word.parse()
        .map_err(|_| "a hint is a number; put the lesson before it: `cslrun learn NAME --hint`".into())
}
