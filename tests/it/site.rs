//! `cslrun book` and `cslrun play`: files of a site on this machine, and what stands in the way.

use crate::cli::{Folder, answers, finish, spawn};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command};

/// A folder with a small site in it, and a file beside it.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    for (path, text) in [
        ("site/book/index.html", "<title>the book</title>"),
        ("site/play/index.html", "<title>the playground</title>"),
        ("site/assets/play.js", "let x;"),
        ("secret.txt", "not of the site"),
    ] {
        let path = folder.0.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a writable folder");
        std::fs::write(path, text).expect("a writable file");
    }
    folder
}

/// A server that is ended with the test.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn new(folder: &Folder, line: &str) -> Server {
        let mut child = spawn(&folder.0, line);
        let mut first = String::new();
        let stdout = child.stdout.as_mut().expect("a pipe");
        BufReader::new(stdout).read_line(&mut first).expect("a line");
        let port = first.split([':', '/']).nth(4).and_then(|port| port.parse().ok());
        Server { child, port: port.unwrap_or_else(|| panic!("no address: {first}")) }
    }

    /// What it answers to the bytes of a request.
    fn answer(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the server listens");
        stream.write_all(request.as_bytes()).expect("the server reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the server answers");
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_site_is_served_and_nothing_else() {
    let folder = folder("site-served");
    for (part, title) in [("book", "the book"), ("play", "the playground")] {
        let server = Server::new(&folder, &format!("{part} --site site --port 0"));
        let page = server.answer(&format!("GET /{part}/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains(title), "{page}");
        assert!(server.answer("GET /assets/play.js HTTP/1.1\r\n\r\n").contains("text/javascript"));
        for path in ["/../secret.txt", "/%2e%2e/secret.txt", "/book/../../secret.txt", "/none"] {
            let answer = server.answer(&format!("GET {path} HTTP/1.1\r\n\r\n"));
            assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
        }
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_server() {
    let folder = folder("site-ends");
    let mut server = Server::new(&folder, "play --site site --port 0");
    // A connection that says nothing does not keep it.
    let _silent = TcpStream::connect(("127.0.0.1", server.port)).expect("the server listens");
    let sent = Command::new("kill").args(["-INT", &server.child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    assert_eq!(server.child.wait().expect("a child of ours").code(), Some(0));
}

#[test]
fn a_port_in_use_is_one_line() {
    let folder = folder("site-port");
    let server = Server::new(&folder, "book --site site --port 0");
    let output = finish(spawn(&folder.0, &format!("play --site site --port {}", server.port)));
    let expected = format!("port {} is in use; choose another one, or `--port 0` for any", server.port);
    answers(&output, 2, &[&expected]);
    assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1, "{output:?}");
}

#[test]
fn a_folder_without_a_site_is_refused() {
    let folder = folder("site-none");
    answers(&folder.cslrun("play --site nowhere"), 2, &["nowhere is no site", "`scripts/site`"]);
    answers(&folder.cslrun("book --port much"), 2, &["--port"]);
}

#[cfg(not(feature = "site"))]
#[test]
fn without_a_site_the_command_says_how_to_get_one() {
    let output = Folder::new("site-missing").cslrun("book");
    answers(&output, 2, &["scripts/site", "cslrun book --site target/site", "--features site"]);
}
