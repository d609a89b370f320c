//! "Did you mean": the nearest known name.

/// The candidate nearest to `word`, if it is near enough to be a typing mistake.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    // Every name of one letter is near every other.
    if length < 2 {
        return None;
    }
    let limit = (length / 3).max(1);
    candidates
        .into_iter()
        .map(|c| (strsim::damerau_levenshtein(word, c), c))
        .filter(|(d, c)| *d <= limit && *c != word)
        .min()
        .map(|(_, c)| c)
}
