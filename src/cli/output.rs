use super::record::Record;
use crate::diagnostics::render::json_line;
use anstream::{AutoStream, ColorChoice};
use std::cell::RefCell;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use terminal_size::Width;
#[cfg(not(target_family = "wasm"))]
use terminal_size::terminal_size_of;

/// Characters of the line on stderr that is rewritten in place.
static REWRITTEN: Mutex<usize> = Mutex::new(0);

/// Whether a program reads stderr, line by line.
static JSON: AtomicBool = AtomicBool::new(false);

/// Whether what the command prints goes to stdout.
static LIVE: AtomicBool = AtomicBool::new(false);

/// Files with their paths, in the order in which they were written.
type WrittenFiles = Vec<(PathBuf, Vec<u8>)>;

thread_local! {
    /// Where files go that are not written to the disk.
    static KEPT: RefCell<Option<WrittenFiles>> = const { RefCell::new(None) };
}

/// Does something whose files are kept instead of written to the disk.
pub fn keeping_files<R>(act: impl FnOnce() -> R) -> (R, WrittenFiles) {
    let before = KEPT.replace(Some(Vec::new()));
    let result = act();
    (result, KEPT.replace(before).unwrap_or_default())
}

/// Whether the command touches neither the terminal nor the disk.
pub fn is_apart() -> bool {
    KEPT.with_borrow(Option::is_some)
}

/// From now on the command complains in JSON, or in words, and shows its progress only to people.
pub fn speak(in_json: bool) {
    JSON.store(in_json, Ordering::Relaxed);
}

/// Whether the command complains in JSON.
pub fn speaks_json() -> bool {
    JSON.load(Ordering::Relaxed)
}

/// From now on lines that a program prints are shown while it runs: what the command prints goes to stdout.
pub fn show_lines_at_once() {
    LIVE.store(true, Ordering::Relaxed);
}

/// Whether lines that a program prints are shown while it runs.
pub fn shows_lines_at_once() -> bool {
    LIVE.load(Ordering::Relaxed) && !is_apart()
}

/// Writes to stdout, styles only where they can be shown. A reader that has gone away is no fault of
/// anyone: what is left is dropped. Any other failure is told on stderr; false then.
pub fn print(text: &str) -> bool {
    rewrite("");
    let mut out = anstream::stdout().lock();
    is_written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Writes the text of a program to stdout byte by byte, unless that is a terminal; otherwise like [`print`].
pub fn print_text(text: &str) -> bool {
    let mut out = io::stdout().lock();
    if out.is_terminal() {
        drop(out);
        return print(text);
    }
    is_written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

fn is_written(result: io::Result<()>) -> bool {
    match result {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("the output cannot be written: {e}"));
            false
        }
        Ok(()) | Err(_) => true,
    }
}

/// The sentence about a file that cannot be written, with the reason.
pub fn unwritten(path: &Path, why: impl Display) -> String {
    format!("{} cannot be written: {why}", path.display())
}

/// Writes a file, whole or not at all: it is written under another name in the same folder and then renamed. What is
/// no regular file, such as a device, is written as it is. A file that exists keeps its mode and its other names; if it has
/// several names, its text is replaced in place.
///
/// # Errors
/// What the system says; the file is then as it was before.
pub fn write_file(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if is_apart() {
        let mut content = Vec::new();
        fill(&mut content)?;
        KEPT.with_borrow_mut(|kept| kept.get_or_insert_default().push((path.to_path_buf(), content)));
        return Ok(());
    }
    let write = |to: &Path| {
        let mut out = BufWriter::new(File::create(to)?);
        fill(&mut out)?;
        out.flush()
    };
    // A link stays one, and leads to the new file.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let known = fs::metadata(path).ok();
    let is_other = known.as_ref().is_some_and(|known| !known.is_file());
    let Some(name) = path.file_name().filter(|_| !is_other) else { return write(path) };
    let part = path.with_file_name(format!(".{}.{}.part", name.to_string_lossy(), std::process::id()));
    let written = write(&part).and_then(|()| match known {
        // Its other names lead to the new text, too.
        Some(known) if has_other_names(&known) => {
            fs::write(path, fs::read(&part)?).and_then(|()| fs::remove_file(&part))
        }
        Some(known) => {
            fs::set_permissions(&part, known.permissions())?;
            fs::rename(&part, path)
        }
        None => fs::rename(&part, path),
    });
    if written.is_err() {
        // It may not even have been made.
        let _ = fs::remove_file(&part);
    }
    written
}

/// Why a file cannot be written, as far as its folder tells. The file is not made.
pub fn obstacle(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        _ if path.is_dir() => Some(format!("{} is a folder", path.display())),
        Some(folder) if !folder.exists() => Some(format!("there is no folder {}", folder.display())),
        Some(folder) if !folder.is_dir() => Some(format!("{} is not a folder", folder.display())),
        Some(_) | None => None,
    }
}

/// Whether a file has several names on the disk (hard links).
#[cfg(unix)]
fn has_other_names(file: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(file) > 1
}

#[cfg(not(unix))]
fn has_other_names(_file: &fs::Metadata) -> bool {
    false
}

/// Clears the terminal, if that is where stdout goes.
pub fn clear() {
    let mut out = io::stdout().lock();
    if out.is_terminal() {
        let _ = out.write_all(b"\x1b[2J\x1b[3J\x1b[H").and_then(|()| out.flush());
    }
}

/// Writes to the terminal as it is, also what no file should get; whether that was possible.
pub fn draw(text: &str) -> bool {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_ok()
}

/// Columns and rows of the terminal.
pub fn size() -> (usize, usize) {
    let found = terminal_size_of(io::stdout());
    found.map_or((80, 24), |(Width(width), terminal_size::Height(height))| (width.into(), height.into()))
}

/// The width of the terminal, if that is where stdout goes.
pub fn width() -> Option<usize> {
    terminal_size_of(io::stdout()).map(|(Width(width), _)| width.into())
}

/// A browser has no terminal.
#[cfg(target_family = "wasm")]
fn terminal_size_of(_stream: impl Write) -> Option<(Width, terminal_size::Height)> {
    None
}

/// Writes to stderr.
pub fn print_error(text: &str) {
    rewrite("");
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Whether somebody looks at stderr who would see a line change.
pub fn is_watched() -> bool {
    !speaks_json() && io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Puts a text into the line on stderr that is rewritten in place; nothing clears it.
pub fn rewrite(text: &str) {
    let Ok(mut before) = REWRITTEN.lock() else { return };
    if text.is_empty() && *before == 0 {
        return;
    }
    // A line that breaks could not be taken back.
    let width = terminal_size_of(io::stderr()).map_or(80, |(Width(width), _)| usize::from(width));
    let text: String = text.chars().take(width.saturating_sub(1)).collect();
    let after = text.chars().count();
    let blanks = " ".repeat(before.saturating_sub(after));
    let end = if after == 0 { "\r" } else { "" };
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(format!("\r{text}{blanks}{end}").as_bytes()).and_then(|()| stderr.flush());
    *before = after;
}

/// Says on stderr, in the name of the command, what stands in the way.
pub fn complain(text: &str) {
    print_error(&match speaks_json() {
        true => json_line(&Record::Message { text }),
        false => format!("cslrun: {text}\n"),
    });
}

/// Whether diagnostics are shown in colour.
pub fn colored() -> bool {
    let stderr = io::stderr();
    stderr.is_terminal() && AutoStream::choice(&stderr) != ColorChoice::Never
}
