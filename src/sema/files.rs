//! The files of a compilation: each is read and parsed once, and found again by its path.

use super::effects::{Effects, root};
use super::operator_heights::heights;
use super::options::CompileOptions;
use super::unbound::unmentioned;
use super::unit::{Unit, declared_name};
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{Diag, Result, suggest};
use crate::source::{LoadError, Loader, SourceMap, Span, tidy};
use crate::stdlib;
use crate::syntax::ast::{self, ExprKind, StmtKind, UnaryOp};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The files read so far, and those that are being imported.
pub struct Files<'s> {
    loader: &'s dyn Loader,
    sources: &'s mut SourceMap,
    import_paths: &'s [PathBuf],
    /// The folder that imports are confined to.
    import_root: Option<&'s Path>,
    units: FxHashMap<PathBuf, Rc<Unit>>,
    /// The files that imports have led to, by the importing file and the name: a layout names one for each PE.
    found: FxHashMap<PathBuf, FxHashMap<String, Rc<Unit>>>,
    /// Folder of the root file.
    root_dir: PathBuf,
    /// Imports under way, outermost first, and where each is asked for.
    importing: Vec<(PathBuf, Option<Span>)>,
    /// What is wrong with files that were parsed and is not reported yet.
    problems: Vec<Diag>,
}

impl<'s> Files<'s> {
    /// No file has been read yet.
    pub fn new(loader: &'s dyn Loader, sources: &'s mut SourceMap, options: &'s CompileOptions) -> Files<'s> {
        Files {
            loader,
            sources,
            import_paths: &options.import_paths,
            import_root: options.import_root.as_deref(),
            units: FxHashMap::default(),
            found: FxHashMap::default(),
            root_dir: PathBuf::new(),
            importing: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// All texts, by the numbers that spans name.
    pub fn sources(&self) -> &SourceMap {
        self.sources
    }

    /// The text between the ends of a span.
    pub fn text(&self, span: Span) -> &str {
        self.sources.file(span.file).text.get(span.lo as usize..span.hi as usize).unwrap_or("")
    }

    /// The text of the file before a span, and behind it.
    pub fn around(&self, span: Span) -> (&str, &str) {
        let text = &self.sources.file(span.file).text;
        (text.get(..span.lo as usize).unwrap_or(""), text.get(span.hi as usize..).unwrap_or(""))
    }

    /// The call of the program that leads to a function of the library, which is called at a place; `around` leads to
    /// that place.
    pub fn library_call(&self, function: Span, place: Span, around: Option<Span>) -> Option<Span> {
        let is_library = |span: Span| self.sources.file(span.file).is_library();
        match (is_library(function), is_library(place)) {
            (true, false) => Some(place),
            (true, true) => around,
            (false, _) => None,
        }
    }

    /// A diagnostic about a line of the library is one about the call of the program that led there.
    pub fn blame_caller(&self, mut c: Diag) -> Diag {
        let is_library = |span: Span| self.sources.file(span.file).is_library();
        let d = &mut *c.0;
        let call = d.others.iter().position(|label| !is_library(label.span));
        if let (Some(primary), Some(call)) = (&mut d.primary, call)
            && is_library(primary.span)
        {
            std::mem::swap(primary, &mut d.others[call]);
        }
        c
    }

    /// What is wrong with the files that were parsed since the last call.
    pub fn take_problems(&mut self) -> Vec<Diag> {
        std::mem::take(&mut self.problems)
    }

    /// The file at a path, whose folder becomes that of the root file.
    ///
    /// # Errors
    /// The diagnostic about a file that cannot be read.
    pub fn root(&mut self, path: &Path) -> Result<Rc<Unit>> {
        self.root_dir = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let shown = path.display().to_string();
        self.at(path, &shown).map_err(|why| {
            let mut diag = self.unreadable(&shown, why);
            // No line imports it, so that the place in the file itself is to blame.
            diag.0.primary = diag.0.others.pop();
            let is_missing = diag.rule() == rules::FILE_NOT_FOUND.name;
            if is_missing {
                diag.help("check the name of the file, and the folder that it is in")
            } else {
                diag
            }
        })
    }

    /// The diagnostic about a file that cannot be read.
    pub fn unreadable(&mut self, shown: &str, why: LoadError) -> Diag {
        let unreadable = |why: String| rules::UNREADABLE_FILE.because(&[("file", &shown), ("why", &why)]);
        match (why, self.import_root) {
            (LoadError::NotUtf8 { at, text }, _) => {
                let diag = rules::NOT_UTF8.because(&[("file", &shown), ("offset", &grouped(at as u64))]);
                let file = self.sources.add(shown, text);
                diag.also(Span::new(file, at, at + 1), "here")
            }
            (LoadError::Other(why), _) => unreadable(why),
            (LoadError::Written, _) => unreadable("this command would overwrite it".to_string())
                .help("choose another name for what the command writes"),
            (LoadError::Outside, Some(root)) => unreadable(format!(
                "it lies outside of `{}`, to which `--import-root` confines imports",
                root.display()
            )),
            (LoadError::NotFound | LoadError::Outside, _) => {
                rules::FILE_NOT_FOUND.because(&[("file", &shown)])
            }
        }
    }

    /// The same for a file that is imported.
    fn imported(&mut self, path: &Path, shown: &str) -> Result<Rc<Unit>, LoadError> {
        self.loader.admit(path, self.import_root)?;
        self.at(path, shown)
    }

    /// Reads and parses a file once.
    fn at(&mut self, path: &Path, shown: &str) -> Result<Rc<Unit>, LoadError> {
        if let Some(known) = self.units.get(path) {
            return Ok(known.clone());
        }
        let text = self.loader.load(path)?;
        Ok(self.parse(path.to_path_buf(), shown, text, false))
    }

    /// Parses a text that stands for the file at a path.
    pub fn parse(&mut self, path: PathBuf, shown: &str, text: String, library: bool) -> Rc<Unit> {
        let id = self.sources.add(shown, text);
        let text = self.sources.file(id).text.clone();
        let parsed = crate::syntax::parse(id, &text);
        self.problems.extend(parsed.problems);
        let mut names = FxHashMap::default();
        let layouts = parsed.file.decls.iter().filter_map(|decl| match decl {
            ast::Decl::Layout(_, span) => Some(*span),
            _ => None,
        });
        if let [first, second, ..] = layouts.collect::<Vec<_>>()[..] {
            let diag = rules::DUPLICATE_NAME.because(&[("name", &"layout")]).at(second);
            self.problems
                .push(diag.also(first, "the first block").help("a program has one layout: join the blocks"));
        }
        for (i, decl) in parsed.file.decls.iter().enumerate() {
            let Some(name) = declared_name(decl) else { continue };
            if let Some(first) = names.insert(name.name.clone(), i as u32) {
                let first_span =
                    declared_name(&parsed.file.decls[first as usize]).map_or(name.span, |n| n.span);
                let diag = rules::DUPLICATE_NAME
                    .because(&[("name", &name.name)])
                    .at(name.span)
                    .also(first_span, "first declared here");
                self.problems.push(diag);
            }
        }
        let addressed = Rc::new(addressed_names(&parsed.file));
        let assigned = assigned_names(&parsed.file);
        let effects = Effects::of(&parsed.file);
        let unit = Rc::new(Unit {
            unmentioned: unmentioned(&parsed.file),
            heights: heights(&parsed.file),
            last_places: vec![Cell::new(None); parsed.file.exprs.len()],
            file: parsed.file,
            path: path.clone(),
            library,
            names,
            effects,
            addressed,
            assigned,
        });
        self.units.insert(path, unit.clone());
        unit
    }

    /// Where a field is set in a struct within a place.
    pub fn field_within(&self, place: Span, field: &str) -> Option<Span> {
        let unit = self.units.values().find(|unit| unit.file.id == place.file)?;
        let is_inside = |span: Span| place.lo <= span.lo && span.hi <= place.hi;
        unit.file.exprs.iter().filter(|expr| is_inside(expr.span)).find_map(|expr| match &expr.kind {
            ExprKind::Struct { fields, .. } => {
                let (name, value) = fields.iter().find(|(name, _)| name.name == field)?;
                let dot = Span { lo: name.span.lo - 1, ..name.span };
                Some(dot.to(unit.file.expr(*value).span))
            }
            _ => None,
        })
    }

    /// Finds the file of an import: a library file, or a path relative to the importing file, to the
    /// root file, or to an import path.
    ///
    /// # Errors
    /// The diagnostic about an import at `span` that leads to no readable file.
    pub fn find(&mut self, from: &Path, name: &str, span: Span) -> Result<Rc<Unit>> {
        if name.starts_with('<') {
            return self.find_in_library(name, span);
        }
        if let Some(unit) = self.found.get(from).and_then(|names| names.get(name)) {
            return Ok(unit.clone());
        }
        let mut folders = vec![from.parent().unwrap_or(Path::new("")).to_path_buf(), self.root_dir.clone()];
        folders.extend(self.import_paths.iter().cloned());
        let mut outside = None;
        for folder in &folders {
            let path = tidy(&folder.join(name));
            match self.imported(&path, &path.display().to_string()) {
                Ok(unit) => {
                    self.found.entry(from.to_path_buf()).or_default().insert(name.to_string(), unit.clone());
                    return Ok(unit);
                }
                Err(LoadError::NotFound) => {}
                Err(LoadError::Outside) => outside = outside.or(Some(path)),
                Err(why) => return Err(self.unreadable(&path.display().to_string(), why).at(span)),
            }
        }
        if let Some(path) = outside {
            return Err(self.unreadable(&path.display().to_string(), LoadError::Outside).at(span));
        }
        let mut diag = rules::FILE_NOT_FOUND.because(&[("file", &name)]).at(span);
        if stdlib::find(name).is_some() {
            return Err(diag.did_you_mean(name, &format!("<{name}>"), format!("<{name}>")));
        }
        for f in folders.iter().collect::<indexmap::IndexSet<_>>() {
            let f = if f.as_os_str().is_empty() { ".".to_string() } else { f.display().to_string() };
            diag = diag.note(format!("looked in `{f}`"));
        }
        Err(diag)
    }

    fn find_in_library(&mut self, name: &str, span: Span) -> Result<Rc<Unit>> {
        let path = PathBuf::from(name);
        if let Some(unit) = self.units.get(&path) {
            return Ok(unit.clone());
        }
        let Some(inner) = name.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')) else {
            let inner = name.trim_matches(['<', '>']);
            let diag = rules::UNKNOWN_LIBRARY.because(&[("name", &name)]).at(span);
            return Err(diag.help(format!("write `<{inner}>`")));
        };
        if let Some(text) = stdlib::find(inner) {
            return Ok(self.parse(path, name, text.to_string(), true));
        }
        for folder in self.import_paths {
            for file in [inner.to_string(), format!("{inner}.csl")] {
                if let Ok(unit) = self.imported(&folder.join(&file), &file) {
                    return Ok(unit);
                }
            }
        }
        if stdlib::is_missing(inner) {
            return Err(rules::UNSUPPORTED_LIBRARY.because(&[("name", &name)]).at(span));
        }
        let diag = rules::UNKNOWN_LIBRARY.because(&[("name", &name)]).at(span);
        Err(match suggest::nearest(inner, stdlib::names()) {
            Some(near) => diag.did_you_mean(inner, near, format!("<{near}>")),
            None => diag.help("see `docs/library` for the existing modules"),
        })
    }

    /// The text of a file that is no code, named relative to the file `from`.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn data(&self, from: &Path, name: &str) -> Result<String, LoadError> {
        let path = from.parent().unwrap_or(Path::new("")).join(name);
        self.loader.admit(&path, self.import_root)?;
        self.loader.load(&path)
    }

    /// The layout in the folder of a file that uses the file as the code of PEs, if it has one of the usual names.
    pub fn layout_beside(&self, path: &Path) -> Option<PathBuf> {
        let used = format!("\"{}\"", path.file_name()?.to_str()?);
        let layouts =
            LAYOUT_NAMES.iter().map(|name| path.with_file_name(name)).filter(|layout| layout != path);
        layouts.into_iter().find(|layout| {
            let text = self.loader.admit(layout, self.import_root).and_then(|()| self.loader.load(layout));
            text.is_ok_and(|text| text.contains("@set_tile_code") && text.contains(&used))
        })
    }

    /// The code of a tile, or the layout, begins with this file: no import is under way.
    pub fn begin(&mut self, path: PathBuf, at: Option<Span>) {
        self.importing = vec![(path, at)];
    }

    /// Whether an import of this file would lead back to one that is under way.
    ///
    /// # Errors
    /// The diagnostic about the cycle, which the import at `span` closes.
    pub fn check_cycle(&self, path: &Path, span: Span) -> Result<()> {
        let Some(first) = self.importing.iter().position(|(p, _)| p == path) else { return Ok(()) };
        let chain: Vec<String> = self.importing[first..]
            .iter()
            .map(|(p, _)| p.as_path())
            .chain([path])
            .map(|p| p.display().to_string())
            .collect();
        let mut diag = rules::IMPORT_CYCLE.because(&[("chain", &chain.join(" -> "))]).at(span);
        for (p, at) in &self.importing[first + 1..] {
            if let Some(at) = at {
                diag = diag.also(*at, format!("`{}` is imported here", p.display()));
            }
        }
        Err(diag)
    }

    /// The imports of a file are evaluated from here until `end_import`.
    pub fn begin_import(&mut self, path: PathBuf, at: Span) {
        self.importing.push((path, Some(at)));
    }

    /// The imports of the file that was begun last are done.
    pub fn end_import(&mut self) {
        self.importing.pop();
    }
}

/// The names that programs give the file with their layout.
const LAYOUT_NAMES: [&str; 2] = ["layout.csl", "code.csl"];

/// Names below an `&`: such locals must lie in memory.
fn addressed_names(file: &ast::File) -> FxHashSet<ast::Name> {
    let operand = |kind: &ExprKind| match kind {
        ExprKind::Unary(UnaryOp::AddressOf, operand) => Some(*operand),
        _ => None,
    };
    let addressed = file.exprs.iter().filter_map(|e| operand(&e.kind));
    addressed.filter_map(|operand| Some(root(file, operand)?.1.clone())).collect()
}

/// Names on the left of a `=`.
fn assigned_names(file: &ast::File) -> FxHashSet<ast::Name> {
    let place = |kind: &StmtKind| match kind {
        StmtKind::Assign { lhs, .. } => Some(*lhs),
        _ => None,
    };
    let assigned = file.stmts.iter().filter_map(|s| place(&s.kind));
    assigned.filter_map(|place| Some(root(file, place)?.1.clone())).collect()
}
