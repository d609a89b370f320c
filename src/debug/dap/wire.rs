//! Messages of the Debug Adapter Protocol on a stream.

use serde_json::Value;
use std::io::{self, BufRead, Write};

/// A longer message is no message.
const MOST_BYTES: usize = 64 << 20;

/// Reads the next message; `None` at the end.
///
/// # Errors
/// A sentence: what comes is no message.
pub fn read(input: &mut impl BufRead) -> Result<Option<Value>, String> {
    let mut length = None;
    loop {
        let mut line = String::new();
        match input.read_line(&mut line) {
            Ok(0) => return Ok(None),
            Ok(_) => {}
            Err(why) => return Err(format!("cannot read the input: {why}")),
        }
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("Content-Length") => {
                length = value.trim().parse::<usize>().ok().filter(|length| *length <= MOST_BYTES);
            }
            Some(_) => {}
            None if line.trim_end().is_empty() => break,
            None => return Err("a message must begin with `Content-Length`".to_string()),
        }
    }
    let mut bytes = vec![0; length.ok_or("a message must say how long it is")?];
    input.read_exact(&mut bytes).map_err(|why| format!("a message is cut off: {why}"))?;
    serde_json::from_slice(&bytes).map(Some).map_err(|why| format!("a message is not JSON: {why}"))
}

/// Writes a message.
///
/// # Errors
/// What the system says.
pub fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_are_read_as_they_were_written() {
        let message = json!({ "seq": 1, "type": "request", "command": "threads" });
        let mut bytes = Vec::new();
        write(&mut bytes, &message).expect("a vector takes all");
        write(&mut bytes, &message).expect("a vector takes all");
        let mut input = &bytes[..];
        assert_eq!(read(&mut input), Ok(Some(message.clone())));
        assert_eq!(read(&mut input), Ok(Some(message)));
        assert_eq!(read(&mut input), Ok(None));
    }

    #[test]
    fn anything_else_is_refused_in_a_sentence() {
        for text in [
            "hello\r\n\r\n",
            "\r\n{}",
            "Content-Length: 5\r\n\r\n{}",
            "Content-Length: 2\r\n\r\nxx",
            "Content-Length: 99999999999\r\n\r\n",
        ] {
            assert!(read(&mut text.as_bytes()).is_err(), "{text:?}");
        }
    }
}
