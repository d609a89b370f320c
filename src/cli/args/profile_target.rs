//! Where a profile goes, and in which form.

use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// The forms of a profile.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProfileFormat {
    /// Some twenty lines (.txt)
    Text,
    /// An HTML page (.html)
    Html,
    /// All tables (.json)
    Json,
    /// For https://speedscope.app (.speedscope.json)
    Speedscope,
    /// For `go tool pprof` (.pb)
    Pprof,
}

/// Where a profile goes, and in which form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileTarget {
    /// The form.
    pub format: ProfileFormat,
    /// The file; `None` for standard output.
    pub path: Option<PathBuf>,
}

impl ProfileFormat {
    /// The form that the name of a file asks for.
    ///
    /// # Errors
    /// The name ends in nothing that is known.
    pub fn of(path: &Path) -> Result<ProfileFormat, String> {
        let name = path.to_string_lossy();
        let by_ending = [
            (".speedscope.json", ProfileFormat::Speedscope),
            (".json", ProfileFormat::Json),
            (".html", ProfileFormat::Html),
            (".txt", ProfileFormat::Text),
            (".pb", ProfileFormat::Pprof),
        ];
        let found = by_ending.into_iter().find(|(ending, _)| name.ends_with(ending));
        let why = || "the name must end in .html, .json, .speedscope.json, .pb or .txt".to_string();
        found.map(|(_, format)| format).ok_or_else(why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_says_what_is_written() {
        let of = |name: &str| ProfileFormat::of(name.as_ref());
        assert_eq!(of("a.html"), Ok(ProfileFormat::Html));
        assert_eq!(of("a.json"), Ok(ProfileFormat::Json));
        assert_eq!(of("x/a.speedscope.json"), Ok(ProfileFormat::Speedscope));
        assert_eq!(of("a.pb"), Ok(ProfileFormat::Pprof));
        assert_eq!(of("a.txt"), Ok(ProfileFormat::Text));
        assert!(of("a.csv").is_err());
    }
}
