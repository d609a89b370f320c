//! "Did you mean": the nearest known name.

use super::Diag;

/// Names that a help lists at most.
const MOST_LISTED: usize = 12;

/// The help for an unknown name: the nearest known one, or else all of them after `they_are`.
pub fn instead<'a>(c: Diag, word: &str, known: impl IntoIterator<Item = &'a str>, they_are: &str) -> Diag {
    let known: Vec<&str> = known.into_iter().collect();
    if let Some(near) = nearest(word, known.iter().copied()) {
        return c.did_you_mean(word, near, near);
    }
    let listed: Vec<String> = known.iter().take(MOST_LISTED).map(|name| format!("`{name}`")).collect();
    match (listed.is_empty(), known.len() > MOST_LISTED) {
        (true, _) => c,
        (false, true) => c.help(format!("{they_are} {} and others", listed.join(", "))),
        (false, false) => c.help(format!("{they_are} {}", listed.join(", "))),
    }
}

/// The candidate that differs from `word` only in capitals and underscores: `total_sum` for `totalSum`.
pub fn other_style<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| -> String {
        text.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect()
    };
    let folded = plain(word);
    if folded.len() < 2 {
        return None;
    }
    candidates.into_iter().find(|candidate| *candidate != word && plain(candidate) == folded)
}

/// The candidate nearest to `word`, if `word` can be a typing mistake for it.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    // Every name of one letter is near every other.
    if length < 2 {
        return None;
    }
    let limit = (length / 3).max(1);
    let candidates: Vec<&str> = candidates.into_iter().collect();
    if let Some(same) = other_style(word, candidates.iter().copied()) {
        return Some(same);
    }
    // There are no floats of 64 bits: a function named after them is meant for those of 32.
    if let Some(stem) = word.strip_suffix("_f64")
        && let Some(narrow) = candidates.iter().find(|c| c.strip_suffix("_f32") == Some(stem))
    {
        return Some(narrow);
    }
    candidates
        .into_iter()
        .map(|c| (strsim::damerau_levenshtein(word, c), c))
        .filter(|(d, c)| *d <= limit && *c != word)
        .min()
        .map(|(_, c)| c)
}
