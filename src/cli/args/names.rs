//! Names and numbers in arguments.

use std::path::PathBuf;

/// `NAME=VALUE`, taken apart.
pub(super) fn named(text: &str) -> Result<(String, &str), String> {
    let Some((name, value)) = text.split_once('=') else {
        // `cslc` takes `--params=n:4`.
        return Err(match text.split_once(':') {
            Some((name, value)) => format!("write `{name}={value}`"),
            None => "expected NAME=VALUE".to_string(),
        });
    };
    Ok((identifier(name)?, value.trim()))
}

/// A name that is not empty.
pub(super) fn identifier(name: &str) -> Result<String, String> {
    match name.trim() {
        "" => Err("the name is missing".to_string()),
        name => Ok(name.to_string()),
    }
}

/// A file that is written, which must not be one of a program.
pub(super) fn output(text: &str) -> Result<PathBuf, String> {
    match text.to_ascii_lowercase().ends_with(".csl") {
        true => Err(format!("`{text}` may be a program, and would be overwritten; choose another name")),
        false => Ok(PathBuf::from(text)),
    }
}

/// A limit in cycles.
pub(super) fn max_cycles(text: &str) -> Result<u64, String> {
    let number = text.replace(['_', ','], "").parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "the number of cycles must be a positive whole number, such as 1000000".to_string())
}

/// How often something may be done.
pub(super) fn positive(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "it must be a positive whole number".to_string())
}

/// A seed.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "a seed is a whole number from 0 on".to_string())
}
