//! Code with its words in colors, as HTML.

use crate::html::{attribute, escaped, span};

// A test compares both lists with those of cslrun (`tests/it/book.rs`), which is not compiled for the book.
const KEYWORDS: &str = " align and anytype asm break comptime const continue else enum export extern false fn for if \
    inline layout linkname linksection noinline or packed param return struct switch task true undefined union unreachable \
    var volatile while ";

const TYPES: &str = " void bool type comptime_int comptime_float comptime_string comptime_struct f16 f32 bf16 cb16 \
    anyopaque direction imported_module range color data_task_id local_task_id control_task_id input_queue \
    output_queue ut_id mem1d_dsd mem4d_dsd circbuf_dsd fabin_dsd fabout_dsd dsr_dest dsr_src0 dsr_src1 \
    dsr_fifo_dest dsr_fifo_src1 xdsr sr ";

/// A listing with a caption: the name of the file.
pub fn listing(language: &str, caption: &str, text: &str) -> String {
    let program = match caption.strip_prefix("programs/").and_then(|file| file.split(['/', '.']).next()) {
        Some(program) => format!("{language} program-{program}"),
        None => language.to_string(),
    };
    format!(
        "<figure class=\"listing\" data-file=\"{0}\">\n<figcaption>{1}</figcaption>\n\n{2}\n\n</figure>\n",
        attribute(caption),
        escaped(caption),
        block(&program, text)
    )
}

/// A block of code. Scripts find programs by the class behind its language.
pub fn block(info: &str, text: &str) -> String {
    let (language, class) = info.split_once([' ', ',']).unwrap_or((info, ""));
    let inner = match language {
        "csl" => csl(text),
        "python" | "py" | "sh" => scripted(text),
        _ => escaped(text),
    };
    let class = if class.starts_with("program-") || class.starts_with("exercise-") { class } else { "" };
    let classes = format!("language-{} {class}", if language.is_empty() { "text" } else { language });
    format!("<pre class=\"code\"><code class=\"{}\">{inner}</code></pre>", attribute(classes.trim()))
}

/// CSL: comments, strings, builtins, numbers, keywords and types.
pub fn csl(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    // The name of a field may be that of a type: `.output_queue`.
    let mut is_field = false;
    while let Some(first) = rest.chars().next() {
        let length = token(rest, first);
        let (word, behind) = rest.split_at(length);
        out.push_str(&match class(word, first).filter(|_| !is_field) {
            Some(class) => span(class, word),
            None => escaped(word),
        });
        is_field = word == ".";
        rest = behind;
    }
    out
}

/// The length of the token at the start of a text.
fn token(text: &str, first: char) -> usize {
    let run = |wanted: fn(char) -> bool| text.find(|c: char| !wanted(c)).unwrap_or(text.len());
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match first {
        '/' if text.starts_with("//") => text.find('\n').unwrap_or(text.len()),
        '"' | '\'' => quoted(text, first),
        '@' => 1 + text[1..].find(|c: char| !is_word(c)).unwrap_or(text.len() - 1),
        '0'..='9' => number(text),
        c if is_word(c) => run(|c| c.is_ascii_alphanumeric() || c == '_'),
        c if c.is_whitespace() => run(char::is_whitespace),
        c => c.len_utf8(),
    }
}

fn quoted(text: &str, quote: char) -> usize {
    let mut escapes = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escapes => escapes = false,
            '\\' => escapes = true,
            c if c == quote => return at + 1,
            '\n' => return at,
            _ => {}
        }
    }
    text.len()
}

/// A number may have one point and an exponent: `1.5e-3`, `0x1f`.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let is_part = match bytes[at] {
            b'.' => bytes.get(at + 1).is_some_and(u8::is_ascii_digit) && !text[..at].contains('.'),
            b'-' | b'+' => matches!(bytes[at - 1], b'e' | b'E') && !text.starts_with("0x"),
            byte => byte.is_ascii_alphanumeric() || byte == b'_',
        };
        if !is_part {
            break;
        }
        at += 1;
    }
    at
}

fn class(word: &str, first: char) -> Option<&'static str> {
    let listed = |list: &str| list.contains(&format!(" {word} "));
    let is_sized =
        |c: char| "iu".contains(c) && word.len() > 1 && word[1..].bytes().all(|b| b.is_ascii_digit());
    match first {
        '/' if word.len() > 1 => Some("comment"),
        '"' | '\'' => Some("string"),
        '@' => Some("builtin"),
        '0'..='9' => Some("number"),
        _ if listed(KEYWORDS) => Some("keyword"),
        c if listed(TYPES) || is_sized(c) => Some("type"),
        _ => None,
    }
}

/// Python and shell: comments and strings.
fn scripted(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['#', '"', '\'']) {
        out.push_str(&escaped(&rest[..at]));
        let found = &rest[at..];
        let first = found.chars().next().unwrap_or('#');
        let length = match first {
            '#' => found.find('\n').unwrap_or(found.len()),
            quote => quoted(found, quote),
        };
        let class = if first == '#' { "comment" } else { "string" };
        out.push_str(&span(class, &found[..length]));
        rest = &found[length..];
    }
    out + &escaped(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csl_has_colors_and_loses_nothing() {
        let html = csl("const x = @as(u16, 1.5e-3); // \"<\"\n");
        let expected = "<span class=\"keyword\">const</span> x = <span class=\"builtin\">@as</span>(<span \
                        class=\"type\">u16</span>, <span class=\"number\">1.5e-3</span>); <span \
                        class=\"comment\">// \"&lt;\"</span>\n";
        assert_eq!(html, expected);
    }

    #[test]
    fn a_slash_divides_and_a_range_of_fields_is_no_number() {
        assert_eq!(csl("a/b.color"), "a/b.color");
        assert_eq!(csl("1.x"), "<span class=\"number\">1</span>.x");
    }
}
