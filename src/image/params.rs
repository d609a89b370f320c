//! The parameters of a tile, as shown.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Ends each name and each value; no name has it, and values are shown with escapes.
const END: char = '\0';

/// Names and values of parameters, as shown. A wafer may have a tile for each PE, so all of them lie in one text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TileParams(String);

impl TileParams {
    /// Names with their values.
    pub fn new<N: fmt::Display, V: fmt::Display>(all: impl IntoIterator<Item = (N, V)>) -> TileParams {
        TileParams(all.into_iter().map(|(name, value)| format!("{name}{END}{value}{END}")).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut parts = self.0.split_terminator(END);
        std::iter::from_fn(move || Some((parts.next()?, parts.next()?)))
    }

    /// The value of a parameter.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

/// `x = 3, y = 4`
impl fmt::Display for TileParams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        f.write_str(&all.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_found_by_its_name() {
        let all = [("x", "3"), ("all", ".{ .x = 7, .y = 8 }"), ("name", "\"a, x = 2\""), ("none", "")];
        let params = TileParams::new(all);
        assert_eq!(params.value("x"), Some("3"));
        assert_eq!(params.value("all"), Some(".{ .x = 7, .y = 8 }"));
        assert_eq!(params.value("name"), Some("\"a, x = 2\""));
        assert_eq!(params.value("z"), None);
        assert!(params.iter().eq(all) && TileParams::default().is_empty());
        assert_eq!(TileParams::new([("x", 3), ("y", -4)]).to_string(), "x = 3, y = -4");
    }
}
