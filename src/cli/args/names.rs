//! Names in arguments.

/// `NAME=VALUE`, taken apart.
pub(super) fn named(text: &str) -> Result<(String, &str), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((identifier(name)?, value.trim()))
}

/// A name that is not empty.
pub(super) fn identifier(name: &str) -> Result<String, String> {
    match name.trim() {
        "" => Err("the name is missing".to_string()),
        name => Ok(name.to_string()),
    }
}
