//! Folders and files that a command line names.
//!
//! In: a [`Command`]. Out: why one of its folders cannot be searched or one of its files cannot be written. A run of an
//! hour should not end with the news that a folder is missing. Never: makes a file or a folder.

use super::args::{Command, CompileArgs, HostStep, RunArgs, TraceTarget};
use super::output;
use crate::MessageFormat;
use std::path::Path;

/// What a command line names.
#[derive(Default)]
struct NamedPaths<'a> {
    /// Folders that are searched, with their options.
    folders: Vec<(&'static str, &'a Path)>,
    /// Files that are written.
    files: Vec<&'a Path>,
}

/// Why a command cannot do its work, as far as the folders and files tell that it names.
pub fn obstacle(command: &Command) -> Option<String> {
    // Nothing is on the disk then.
    if output::is_apart() {
        return None;
    }
    let named = NamedPaths::of(command);
    let missing = named.folders.into_iter().find_map(|(option, path)| missing_folder(option, path));
    missing.or_else(|| named.files.into_iter().find_map(unwritable_file))
}

/// Why a folder cannot be searched that an option names.
pub fn missing_folder(option: &str, path: &Path) -> Option<String> {
    let shown = path.display();
    match path {
        _ if path.is_dir() => None,
        _ if path.exists() => Some(format!("{option}: {shown} is not a folder")),
        _ => Some(format!("{option}: there is no folder {shown}")),
    }
}

fn unwritable_file(path: &Path) -> Option<String> {
    output::obstacle(path).map(|why| format!("{} cannot be written: {why}", path.display()))
}

/// How a command shows what is wrong.
pub fn format(command: &Command) -> MessageFormat {
    match command {
        Command::Run(args) => args.compile.format(),
        Command::Check(args) => args.compile.format(),
        Command::Explore(args) => args.run.compile.format(),
        Command::Dump(args) => args.format(),
        Command::Dsd(args) => args.compile.format(),
        Command::Test(args) => args.format.format(),
        _ => MessageFormat::Plain,
    }
}

impl<'a> NamedPaths<'a> {
    fn of(command: &'a Command) -> NamedPaths<'a> {
        let mut named = NamedPaths::default();
        match command {
            Command::Run(args) => named.run(args),
            Command::Check(args) => named.compile(&args.compile),
            Command::Explore(args) => {
                named.run(&args.run);
                named.files.extend(args.schedule_file.as_deref());
            }
            Command::Dump(args) => named.compile(args),
            Command::Dsd(args) => {
                named.compile(&args.compile);
                named.files.extend(args.svg.as_deref());
            }
            Command::Test(args) => {
                named.folders.extend(args.folders());
                named.files.extend(args.junit.as_deref());
            }
            // The others name no folder that must exist, or look at it themselves before they do anything.
            _ => {}
        }
        named
    }

    fn compile(&mut self, args: &'a CompileArgs) {
        self.folders.extend(args.folders());
    }

    fn run(&mut self, args: &'a RunArgs) {
        self.compile(&args.compile);
        if let Some(TraceTarget::Text(path) | TraceTarget::Chrome(path)) = &args.trace.trace {
            self.files.push(path);
        }
        self.files.extend(args.report.as_deref());
        self.files.extend(args.profile.iter().filter_map(|profile| profile.path.as_deref()));
        self.files.extend(args.steps.iter().filter_map(|step| match step {
            HostStep::Get(_, file) => file.as_deref(),
            HostStep::Set(..) | HostStep::Launch(..) => None,
        }));
    }
}
