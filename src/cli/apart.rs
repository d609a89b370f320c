//! Commands for a host that has no terminal and no disk, such as a page in a browser.
//!
//! In: the words of a command line, and the files that it may read. Out: what the command would have printed and
//! written. Never: touches the process.

use super::args::{self, Command};
use super::picture::{self, Chosen};
use super::{Exit, output, perform};
use crate::{CompileOptions, Levels, Loader, MessageFormat, Program, Span, render};
use std::ffi::OsString;
use std::path::PathBuf;

/// What a command did.
#[derive(Debug)]
pub struct Performed {
    /// How it ended.
    pub exit: Exit,
    /// What goes to stdout.
    pub stdout: String,
    /// What goes to stderr.
    pub stderr: String,
    /// The same results as lines of JSON (docs/formats.md), whatever format the command line asks for.
    pub records: String,
    /// The diagnostics as lines of JSON.
    pub diagnostics: String,
    /// The files that it wrote.
    pub files: Vec<(PathBuf, Vec<u8>)>,
}

/// Does what a command line asks for: the words after `cslrun`. What it writes is kept in memory.
pub fn perform_apart(words: &[String], loader: &dyn Loader) -> Performed {
    let command = match args::parse(line(words), Levels::default()) {
        Ok(Command::Lsp) => return refused("`cslrun lsp` needs a standard input", Exit::Usage),
        Ok(Command::Book(_) | Command::Play(_)) => {
            return refused("`cslrun book` and `cslrun play` need a network", Exit::Usage);
        }
        Ok(Command::Debug(_)) => return refused("`cslrun debug` needs a standard input", Exit::Usage),
        Ok(Command::Learn(args)) if args.watch => return refused("`--watch` needs a disk", Exit::Usage),
        Ok(command) => command,
        Err(refusal) => {
            return match refusal.complaint() {
                Some(words) => refused(words.trim_end(), Exit::Usage),
                None => Performed { stdout: refusal.text(), ..refused("", Exit::Fine) },
            };
        }
    };
    let (outcome, files) = output::keeping_files(|| perform(&command, loader));
    let (stdout, stderr) = outcome.streams(false);
    let all = || outcome.earlier.iter().chain([&outcome]);
    Performed {
        exit: outcome.exit,
        stdout: stdout.into_owned(),
        stderr,
        records: all().map(|one| one.records.as_str()).collect(),
        diagnostics: all()
            .map(|one| render(&one.sources, &one.diagnostics, MessageFormat::Json, false))
            .collect(),
        files,
    }
}

/// The program that a command line of `run`, `profile`, `dsd` or `dump` compiles, and how.
///
/// # Errors
/// Why the words make no sense, or that the command compiles no single program.
pub fn compiled_program(words: &[String]) -> Result<(PathBuf, CompileOptions), String> {
    let command = args::parse(line(words), Levels::default())
        .map_err(|refusal| refusal.complaint().unwrap_or_default().trim_end().to_string())?;
    let compile = match &command {
        Command::Run(args) => &args.compile,
        Command::Dsd(args) => &args.compile,
        Command::Dump(compile) => compile,
        _ => return Err("the command does not compile exactly one program".to_string()),
    };
    Ok((compile.file.clone(), compile.options()))
}

/// A DSD of a program, as `cslrun dsd` shows it.
#[derive(Debug)]
pub struct DsdPicture {
    /// The code that builds it.
    pub span: Span,
    /// Its name and place.
    pub title: String,
    /// The picture as text.
    pub text: String,
    /// The picture as SVG.
    pub svg: String,
}

/// The DSDs of a program that was compiled with [`CompileOptions::keep_descriptors`], in order of the source text.
pub fn dsd_pictures(program: &Program) -> Vec<DsdPicture> {
    let picture = |view: &picture::View<'_>| DsdPicture {
        span: view.span(),
        title: view.title(),
        text: picture::text(view),
        svg: picture::svg(view),
    };
    picture::views(program, &Chosen::default()).iter().map(picture).collect()
}

fn line(words: &[String]) -> impl Iterator<Item = OsString> {
    std::iter::once("cslrun").chain(words.iter().map(String::as_str)).map(OsString::from)
}

fn refused(words: &str, exit: Exit) -> Performed {
    let text = if words.is_empty() { String::new() } else { format!("cslrun: {words}\n") };
    let [stdout, records, diagnostics] = [const { String::new() }; 3];
    Performed { exit, stdout, stderr: text, records, diagnostics, files: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryLoader;

    const PROGRAM: &str = "var x = [3]u16{ 1, 2, 3 };\n\
        const all = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{3} -> x[i] });\n\
        task main() void { @add16(all, all, 1); }\n\
        comptime { const id = @get_local_task_id(8); @bind_local_task(main, id); @activate(id); }\n";

    fn performed(line: &str) -> Performed {
        let mut files = MemoryLoader::default();
        files.add("pe.csl", PROGRAM);
        let words: Vec<String> = line.split(' ').map(str::to_string).collect();
        perform_apart(&words, &files)
    }

    #[test]
    fn what_a_command_prints_and_writes_is_kept() {
        let done = performed("pe.csl --get x --report out.html --cycles off");
        assert_eq!((done.exit, done.stderr.as_str()), (Exit::Fine, ""));
        assert_eq!(done.stdout, "x = [2, 3, 4]\nthe report of the run is in out.html\n");
        assert!(done.records.starts_with(r#"{"kind":"variable","name":"x""#), "{}", done.records);
        let [(path, page)] = done.files.as_slice() else { panic!("one file") };
        assert!(path.ends_with("out.html") && page.starts_with(b"<!"));
        assert!(!std::path::Path::new("out.html").exists());
    }

    #[test]
    fn what_is_wrong_is_said_to_people_and_to_programs() {
        let done = performed("pe.csl --get y");
        assert_eq!(done.exit, Exit::Usage);
        assert!(done.stderr.contains("`y`") && done.diagnostics.starts_with('{'), "{done:?}");
        let done = performed("pe.csl --arch wse9");
        assert!(done.exit == Exit::Usage && done.stderr.contains("wse9"), "{done:?}");
        assert!(performed("--help").stdout.contains("Usage"));
        assert_eq!(performed("lsp").exit, Exit::Usage);
    }

    #[test]
    fn pictures_come_with_the_place_of_their_code() {
        let (file, options) =
            compiled_program(&["pe.csl".to_string(), "--arch=wse3".to_string()]).expect("a program");
        let options = CompileOptions { keep_descriptors: true, ..options };
        let mut files = MemoryLoader::default();
        files.add(&file, PROGRAM);
        let program = crate::compile(&file, &files, &options).into_program().expect("a program");
        let pictures = dsd_pictures(&program);
        let [picture] = pictures.as_slice() else { panic!("one DSD") };
        assert!(PROGRAM[picture.span.lo as usize..].starts_with("@get_dsd"));
        assert!(picture.svg.starts_with("<svg") && picture.title.starts_with("all, pe.csl:2"));
    }
}
