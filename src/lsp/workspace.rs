//! The files at hand: those that are open as the editor has them, the others as they are on the disk.

use super::text::Text;
use crate::{DeclarationKind, FileIndex, index, tidy};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Files that are looked at below a folder, at most: a home directory is no project.
const MOST_FILES: usize = 5_000;

/// Entries of folders that are looked at, at most.
const MOST_ENTRIES: usize = 50_000;

/// Folders within folders that are looked at.
const MOST_LEVELS: usize = 12;

/// A file and its names.
#[derive(Clone, Debug)]
pub struct File {
    /// The text.
    pub text: Text,
    /// What it declares.
    pub index: Arc<FileIndex>,
    /// What it declared before the last syntax error; for names in what cannot be parsed now.
    pub last_whole: Option<(Text, Arc<FileIndex>)>,
    /// Its version in the editor; `None` if it is not open.
    pub version: Option<i32>,
    /// When it was written, on the disk.
    stamp: Option<SystemTime>,
}

impl File {
    fn new(text: Text, version: Option<i32>, stamp: Option<SystemTime>, before: Option<&File>) -> File {
        let index = Arc::new(index(&text.text));
        let last_whole = match before {
            _ if index.is_whole => None,
            Some(before) if before.index.is_whole => Some((before.text.clone(), before.index.clone())),
            Some(before) => before.last_whole.clone(),
            None => None,
        };
        File { text, index, last_whole, version, stamp }
    }

    /// The text of a declaration on one line, without its value if that is long.
    pub fn signature(&self, at: usize) -> String {
        let d = &self.index.declarations[at];
        let extent = match d.kind {
            DeclarationKind::Function | DeclarationKind::Task => d.ty.unwrap_or(d.whole),
            _ => d.whole,
        };
        let text = self.text.slice(extent).split_whitespace().collect::<Vec<_>>().join(" ");
        match text.char_indices().nth(200) {
            Some((end, _)) => format!("{}..", &text[..end]),
            None => text,
        }
    }

    /// The comment above a declaration; one that begins with the file is about the file.
    pub fn comment(&self, at: usize) -> String {
        let mut line = self.text.line(self.index.declarations[at].whole.0);
        let mut lines = Vec::new();
        while line > 0 && self.text.line_text(line - 1).trim_start().starts_with("//") {
            line -= 1;
            lines.push(self.text.line_text(line).trim_start().trim_start_matches(['/', '!']).trim());
        }
        if line == 0 && !lines.is_empty() {
            return String::new();
        }
        lines.reverse();
        lines.join("\n").trim().to_string()
    }
}

/// All files at hand.
#[derive(Debug, Default)]
pub struct Workspace {
    folders: BTreeSet<PathBuf>,
    files: BTreeMap<PathBuf, File>,
    /// Whether the editor counts columns in bytes.
    pub in_bytes: bool,
    /// Where the embedded library lies as files for the editor.
    pub library: Option<PathBuf>,
}

impl Workspace {
    /// No files; `in_bytes`: how the editor counts columns.
    pub fn new(in_bytes: bool) -> Workspace {
        Workspace { in_bytes, ..Workspace::default() }
    }

    /// Looks at a folder and what is below it.
    pub fn add_folder(&mut self, folder: &Path) {
        self.folders.insert(folder.to_path_buf());
        self.refresh();
    }

    /// A file is open, with this text.
    pub fn open(&mut self, path: &Path, text: Text, version: i32) {
        if !self.folders.iter().any(|folder| path.starts_with(folder))
            && let Some(folder) = path.parent()
        {
            self.add_folder(folder);
        }
        let file = File::new(text, Some(version), None, self.files.get(path));
        self.files.insert(path.to_path_buf(), file);
    }

    /// A file is no longer open.
    pub fn close(&mut self, path: &Path) {
        self.files.remove(path);
        self.read(path);
    }

    /// A file, open or not.
    pub fn file(&self, path: &Path) -> Option<&File> {
        self.files.get(path)
    }

    /// All files, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = (&PathBuf, &File)> {
        self.files.iter()
    }

    /// The open files.
    pub fn open_files(&self) -> impl Iterator<Item = (&PathBuf, &File)> {
        self.files.iter().filter(|(_, file)| file.version.is_some())
    }

    /// Reads a file from the disk, if it is not open.
    pub fn read(&mut self, path: &Path) {
        let known = self.files.get(path);
        if known.is_some_and(|file| file.version.is_some()) {
            return;
        }
        let stamp = std::fs::metadata(path).and_then(|data| data.modified()).ok();
        if known.is_some_and(|file| stamp.is_some() && file.stamp == stamp) {
            return;
        }
        match std::fs::read_to_string(path) {
            Ok(text) => {
                let file = File::new(Text::new(text, self.in_bytes), None, stamp, None);
                self.files.insert(path.to_path_buf(), file);
            }
            Err(_) => drop(self.files.remove(path)),
        }
    }

    /// Looks again at all folders.
    pub fn refresh(&mut self) {
        let mut found = BTreeSet::new();
        for folder in &self.folders {
            let mut entries = MOST_ENTRIES;
            below(folder, MOST_LEVELS, &mut entries, &mut found);
        }
        self.files.retain(|path, file| file.version.is_some() || found.contains(path));
        for path in found {
            self.read(&path);
        }
        if let Some(library) = self.library.clone() {
            for (name, _) in crate::catalogue::modules() {
                self.read(&library.join(format!("{name}.csl")));
            }
        }
    }

    /// The file that an import names.
    pub fn imported(&self, from: &Path, name: &str) -> Option<PathBuf> {
        if let Some(name) = name.strip_prefix('<') {
            let path = self.library.as_ref()?.join(format!("{}.csl", name.trim_end_matches('>')));
            return self.files.contains_key(&path).then_some(path);
        }
        if name.is_empty() {
            return None;
        }
        let beside = tidy(&from.parent()?.join(name));
        if self.files.contains_key(&beside) {
            return Some(beside);
        }
        // It is found in the folder of the layout, or in an import path: the nearest file of this name.
        let tail = Path::new(name);
        let common =
            |path: &PathBuf| path.components().zip(from.components()).take_while(|(a, b)| a == b).count();
        self.files.keys().filter(|path| path.ends_with(tail)).max_by_key(|path| common(path)).cloned()
    }

    /// The root files of the programs that a file belongs to: those with a layout block that reach it, or else those that
    /// reach it and that nothing reaches.
    pub fn roots_of(&self, path: &Path) -> Vec<PathBuf> {
        let mut importers: BTreeMap<PathBuf, BTreeSet<&PathBuf>> = BTreeMap::new();
        for (from, file) in &self.files {
            for import in &file.index.imports {
                if let Some(to) = self.imported(from, &import.path) {
                    importers.entry(to).or_default().insert(from);
                }
            }
        }
        let (mut reaching, mut next) = (BTreeSet::from([path.to_path_buf()]), vec![path.to_path_buf()]);
        while let Some(to) = next.pop() {
            for from in importers.get(&to).into_iter().flatten() {
                if reaching.insert((*from).clone()) {
                    next.push((*from).clone());
                }
            }
        }
        let has_layout =
            |path: &&PathBuf| self.files.get(*path).is_some_and(|file| file.index.layout.is_some());
        let mut roots: Vec<PathBuf> = reaching.iter().filter(has_layout).cloned().collect();
        if roots.is_empty() {
            roots = reaching.into_iter().filter(|path| !importers.contains_key(path)).collect();
        }
        // The nearest ones first.
        let common =
            |root: &PathBuf| root.components().zip(path.components()).take_while(|(a, b)| a == b).count();
        roots.sort_by_key(|root| (root != path, usize::MAX - common(root)));
        roots
    }

    /// Whether a file belongs to the embedded library.
    pub fn is_library(&self, path: &Path) -> bool {
        self.library.as_ref().is_some_and(|library| path.starts_with(library))
    }
}

fn below(folder: &Path, levels: usize, entries: &mut usize, found: &mut BTreeSet<PathBuf>) {
    let Ok(all) = std::fs::read_dir(folder) else { return };
    for entry in all.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if *entries == 0 || found.len() >= MOST_FILES {
            return;
        }
        *entries -= 1;
        let is_skipped = name.starts_with('.') || ["target", "node_modules"].contains(&&*name);
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && levels > 0 && !is_skipped => {
                below(&path, levels - 1, entries, found)
            }
            Ok(kind) if kind.is_file() && name.ends_with(".csl") => drop(found.insert(path)),
            _ => {}
        }
    }
}
