//! Levels of rules that a script chooses.

use cslrun::{Group, Level, Levels, cli};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A level and the name of a rule or group.
pub type Choice = (String, String);

/// The levels of the environment variable `CSLRUN_FLAGS`, changed by choices. Whatever their order, what
/// names a rule counts more than what names its group, and that more than `all`.
pub fn chosen(choices: &[Choice]) -> PyResult<Levels> {
    let mut levels = cli::levels_of_environment().map_err(PyValueError::new_err)?;
    let mut choices: Vec<&Choice> = choices.iter().collect();
    choices.sort_by_key(|(_, name)| breadth(name));
    for (word, name) in choices {
        let level = Level::ALL.into_iter().find(|level| level.name() == word);
        let level = level.ok_or_else(|| PyValueError::new_err(format!("there is no level `{word}`")))?;
        levels.choose(level, name).map_err(PyValueError::new_err)?;
    }
    Ok(levels)
}

/// 0 for what means every rule, 1 for a group, 2 for a rule.
fn breadth(name: &str) -> u8 {
    let is_group = Group::ALL.into_iter().any(|group| group.name() == name);
    if name == "all" { 0 } else { 2 - u8::from(is_group) }
}

/// Complains about variables of the environment that make no sense.
#[pyfunction]
pub fn check_environment() -> PyResult<()> {
    chosen(&[])?;
    cli::RunSettings::of_environment().map(|_| ()).map_err(PyValueError::new_err)
}
