//! The text of a case: a header, and the files behind it. The inputs of the fuzzer are such texts, too.

/// Keys and values of the lines `//! key: value` that a case begins with.
pub fn header(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().take_while(|line| line.starts_with("//!"));
    lines.map(|line| {
        let line = line.trim_start_matches("//!");
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        (key.trim(), value.trim())
    })
}

/// Names and texts of the files, each of which begins behind a line `//- name`; a case without such a line is one file
/// called `name`, header and all.
pub fn files(name: &str, text: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("//- ") {
            Some(name) => files.push((name.trim().to_string(), String::new())),
            None => files.last_mut().into_iter().for_each(|(_, text)| text.push_str(line)),
        }
    }
    if files.is_empty() {
        files.push((name.to_string(), text.to_string()));
    }
    files
}
