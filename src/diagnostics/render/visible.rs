//! Escapes characters that a terminal would interpret instead of showing them.

use std::borrow::Cow;

/// Whether a character moves the cursor, changes the direction of writing, or means something else to a
/// terminal than a sign; line breaks and tabs are harmless.
fn commands(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\0'..='\x1f' | '\x7f'..='\u{9f}' => true,
        '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        _ => false,
    }
}

/// Makes a text of a program safe to print: characters that a terminal would interpret become CSL escapes.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(commands) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            c if !commands(c) => out.push(c),
            '\0'..='\x7f' => out += &format!("\\x{:02x}", u32::from(c)),
            _ => out += &format!("\\u{{{:x}}}", u32::from(c)),
        }
    }
    Cow::Owned(out)
}

/// Escapes characters in JSON that a terminal would interpret; they can occur only in strings.
pub fn escaped_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            c if commands(c) => out += &format!("\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out
}

/// The character itself, or a stand-in of the same length in UTF-8.
pub fn stand_in(c: char) -> char {
    match c {
        c if !commands(c) => c,
        '\0'..='\x7f' => ' ',
        '\u{80}'..='\u{9f}' => '\u{b7}',
        _ => '\u{fffd}',
    }
}
