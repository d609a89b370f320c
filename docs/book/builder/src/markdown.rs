//! The blocks of a page: code between fences, and all other text, line by line.

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// A line outside of code.
    Line(String),
    /// A block of code: what follows the opening fence, and the text.
    Code { info: String, text: String },
}

/// The blocks of a text.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else {
            blocks.push(Block::Line(line.to_string()));
            continue;
        };
        let text: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        blocks.push(Block::Code { info: info.to_string(), text: text.join("\n") });
    }
    blocks
}

/// The file that a block of code includes.
pub fn included(text: &str) -> Option<&str> {
    text.trim().strip_prefix("{{#include ")?.strip_suffix("}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_kept_apart_from_text() {
        let code = Block::Code { info: "csl run".to_string(), text: "x\n\ny".to_string() };
        let line = |text: &str| Block::Line(text.to_string());
        assert_eq!(blocks("a\n```csl run\nx\n\ny\n```\nb\n"), [line("a"), code, line("b")]);
        assert_eq!(included("{{#include ../a.csl}}"), Some("../a.csl"));
    }
}
