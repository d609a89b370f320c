//! As much of HTTP/1.1 as a browser on the same machine needs for static files.
//!
//! A connection is one request: that is simple, and costs nothing without a network between. The crates for it are
//! large (hyper) or have not been released for years (tiny_http).

use super::pages::{File, Pages};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

/// A request is not longer than this, or no request of a browser for a file of the site.
const MOST_BYTES: u64 = 16 << 10;

/// How long a connection may stay silent. Browsers open some in advance and say nothing.
const PATIENCE: Duration = Duration::from_secs(10);

/// Answers requests, each in a thread of its own, for ever.
pub fn serve(listener: &TcpListener, pages: Box<dyn Pages>) {
    let pages: Arc<dyn Pages> = Arc::from(pages);
    for stream in listener.incoming().flatten() {
        let pages = Arc::clone(&pages);
        // A browser asks again for what the system had no thread for, and may leave while it is answered.
        let _ = std::thread::Builder::new().spawn(move || answer(stream, &*pages));
    }
}

fn answer(mut stream: TcpStream, pages: &dyn Pages) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let head = head(&mut stream)?;
    if head.is_empty() {
        return Ok(());
    }
    stream.write_all(&response(&head, pages))
}

/// The bytes of a request up to the blank line.
fn head(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut part = [0; 2048];
    let mut stream = stream.take(MOST_BYTES);
    while !bytes.windows(4).any(|four| four == b"\r\n\r\n") {
        let count = stream.read(&mut part)?;
        if count == 0 {
            break;
        }
        bytes.extend_from_slice(&part[..count]);
    }
    Ok(bytes)
}

/// What a request gets.
fn response(head: &[u8], pages: &dyn Pages) -> Vec<u8> {
    let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let words: Vec<&str> = line.split(' ').collect();
    let (method, target) = match words[..] {
        [method, target, version] if version.starts_with("HTTP/1.") => (method, target),
        _ => return words_of("400 Bad Request", ""),
    };
    if !matches!(method, "GET" | "HEAD") {
        return words_of("405 Method Not Allowed", "Allow: GET, HEAD\r\n");
    }
    let Some(path) = path_of(target) else { return words_of("404 Not Found", "") };
    let file =
        if path.is_empty() || path.ends_with('/') { format!("{path}index.html") } else { path.clone() };
    match pages.file(&file) {
        Some(found) => {
            let mut whole = fields_of(&file, &found).into_bytes();
            if method == "GET" {
                whole.extend_from_slice(&found.bytes);
            }
            whole
        }
        // Links in a page are relative to its folder, so the address has to end with one.
        None if pages.file(&format!("{path}/index.html")).is_some() => {
            words_of("301 Moved Permanently", &format!("Location: /{path}/\r\n"))
        }
        None => words_of("404 Not Found", ""),
    }
}

/// The path in the site that an address names: without `?`, decoded, relative. `None` for what no site has.
fn path_of(target: &str) -> Option<String> {
    let path = target.split(['?', '#']).next()?.strip_prefix('/')?;
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let (digits, tail) = rest.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = tail;
    }
    let path = String::from_utf8(bytes).ok()?;
    let parts = path.strip_suffix('/').unwrap_or(&path).split('/');
    let is_plain = |part: &str| {
        !matches!(part, "" | "." | "..") && !part.contains(['\\', ':']) && !part.contains(char::is_control)
    };
    (path.is_empty() || parts.into_iter().all(is_plain)).then_some(path)
}

/// The status line and the fields of a file that is found.
fn fields_of(path: &str, file: &File<'_>) -> String {
    let encoding = if file.is_compressed { "Content-Encoding: gzip\r\n" } else { "" };
    let length = file.bytes.len();
    // The service worker keeps what it needs; everything else may be that of another version a minute later.
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {}\r\nContent-Length: {length}\r\n{encoding}Cache-Control: no-cache\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        type_of(path)
    )
}

/// An answer without a file.
fn words_of(status: &str, fields: &str) -> Vec<u8> {
    let length = status.len() + 1;
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n{fields}Connection: close\r\n\r\n{status}\n"
    )
    .into_bytes()
}

fn type_of(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "csl" | "py" | "sh" | "md" | "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct OnePage;

    impl Pages for OnePage {
        fn file(&self, path: &str) -> Option<File<'_>> {
            let is_there = matches!(path, "play/index.html" | "a b.js");
            is_there.then_some(File { bytes: b"text"[..].into(), is_compressed: path.ends_with("js") })
        }
    }

    fn answered(request: &str) -> String {
        String::from_utf8(response(request.as_bytes(), &OnePage)).unwrap()
    }

    #[test]
    fn files_have_a_type_and_a_length() {
        let page = answered("GET /play/?x=1 HTTP/1.1\r\nHost: a\r\n\r\n");
        assert!(page.starts_with(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 4\r\n"
        ));
        assert!(page.ends_with("\r\n\r\ntext"), "{page}");
        let script = answered("GET /a%20b.js HTTP/1.1\r\n\r\n");
        assert!(script.contains("Content-Encoding: gzip\r\n"), "{script}");
        assert!(answered("HEAD /play/ HTTP/1.1\r\n\r\n").ends_with("Connection: close\r\n\r\n"));
    }

    #[test]
    fn a_folder_without_a_slash_moves_to_the_one_with_it() {
        let answer = answered("GET /play HTTP/1.1\r\n\r\n");
        assert!(
            answer.starts_with("HTTP/1.1 301 ") && answer.contains("\r\nLocation: /play/\r\n"),
            "{answer}"
        );
    }

    #[test]
    fn what_is_no_request_for_a_file_of_the_site_gets_none() {
        for (request, status) in [
            ("GET /none.html HTTP/1.1\r\n\r\n", "404"),
            ("GET /play/../Cargo.toml HTTP/1.1\r\n\r\n", "404"),
            ("GET /%2e%2e/Cargo.toml HTTP/1.1\r\n\r\n", "404"),
            ("GET //etc/passwd HTTP/1.1\r\n\r\n", "404"),
            ("GET /a%2 HTTP/1.1\r\n\r\n", "404"),
            ("GET /c:%5Cx HTTP/1.1\r\n\r\n", "404"),
            ("GET http://other/ HTTP/1.1\r\n\r\n", "404"),
            ("POST /play/ HTTP/1.1\r\n\r\n", "405"),
            ("GET /play/\r\n\r\n", "400"),
            ("\u{0}\u{1}", "400"),
        ] {
            assert!(answered(request).starts_with(&format!("HTTP/1.1 {status} ")), "{request}");
        }
    }
}
