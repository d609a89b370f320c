//! Folders and files that a command line names.
//!
//! In: a [`Command`]. Out: why one of its folders cannot be searched or one of its files cannot be written, and a loader
//! that reads no program from a file that is to be written. A run of an hour should not end with the news that a folder is
//! missing. Never: makes a file or a folder.

use super::args::{Command, CompileArgs, HostStep, RunArgs, TraceTarget};
use super::output;
use crate::{LoadError, Loader, MessageFormat};
use std::fs;
use std::path::Path;

/// What a command line names.
pub struct NamedPaths<'a> {
    /// How the command shows what is wrong.
    pub format: MessageFormat,
    /// The program.
    program: Option<&'a Path>,
    /// Folders that are searched, with their options.
    folders: Vec<(&'static str, &'a Path)>,
    /// Files that are written.
    files: Vec<&'a Path>,
}

/// A loader that refuses the files that a command writes.
pub struct SparingLoader<'a> {
    loader: &'a dyn Loader,
    /// They exist.
    written: Vec<FileIdentity>,
}

/// What tells one file from another, whatever names and links it has.
#[derive(PartialEq, Eq)]
struct FileIdentity {
    /// The device and the number of the file on it.
    #[cfg(unix)]
    inode: (u64, u64),
    #[cfg(not(unix))]
    path: std::path::PathBuf,
}

impl FileIdentity {
    /// That of a file that exists.
    fn of(path: &Path) -> Option<FileIdentity> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let file = fs::metadata(path).ok()?;
            Some(FileIdentity { inode: (file.dev(), file.ino()) })
        }
        #[cfg(not(unix))]
        Some(FileIdentity { path: fs::canonicalize(path).ok()? })
    }
}

impl Loader for SparingLoader<'_> {
    fn load(&self, path: &Path) -> Result<String, LoadError> {
        match FileIdentity::of(path) {
            Some(file) if self.written.contains(&file) => Err(LoadError::Written),
            Some(_) | None => self.loader.load(path),
        }
    }

    fn admit(&self, path: &Path, root: Option<&Path>) -> Result<(), LoadError> {
        self.loader.admit(path, root)
    }
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
    output::obstacle(path).map(|why| output::unwritten(path, why))
}

impl<'a> NamedPaths<'a> {
    /// What a command names.
    pub fn of(command: &'a Command) -> NamedPaths<'a> {
        let (folders, files) = (Vec::new(), Vec::new());
        let mut named = NamedPaths { format: MessageFormat::Plain, program: None, folders, files };
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
                named.format = args.format.format();
                named.folders.extend(args.folders());
                named.files.extend(args.junit.as_deref());
            }
            // The others name no folder that must exist, or look at it themselves before they do anything.
            _ => {}
        }
        named
    }

    /// Why the command cannot do its work, as far as these folders and files tell.
    pub fn obstacle(&self) -> Option<String> {
        // Nothing is on the disk then.
        if output::is_apart() {
            return None;
        }
        let missing = self.folders.iter().find_map(|(option, path)| missing_folder(option, path));
        let written = self.written();
        let is_lost = |path: &&Path| FileIdentity::of(path).is_some_and(|file| written.contains(&file));
        let lost = || {
            let path = self.program.filter(is_lost)?.display();
            Some(format!(
                "`{path}` is the program, and would be overwritten; choose another name for the output"
            ))
        };
        missing.or_else(lost).or_else(|| self.files.iter().find_map(|path| unwritable_file(path)))
    }

    /// Reads with a loader what the command does not write: a program may import what is no `.csl` file.
    pub fn spared_by(&self, loader: &'a dyn Loader) -> SparingLoader<'a> {
        SparingLoader { loader, written: if output::is_apart() { Vec::new() } else { self.written() } }
    }

    /// The files that exist and are written.
    fn written(&self) -> Vec<FileIdentity> {
        self.files.iter().filter_map(|path| FileIdentity::of(path)).collect()
    }

    fn compile(&mut self, args: &'a CompileArgs) {
        self.format = args.format();
        self.program = Some(&args.file);
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
