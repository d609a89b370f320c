//! Finds what the host refers to by name: exports, functions and variables of PEs.

use super::{CopyWidth, Region, Runner};
use crate::arch::PeCoord;
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::host::*;
use crate::diagnostics::{Diag, Diagnostic, Level, Result, Severity, counted, suggest};
use crate::image::{Export, ExportKind, ExportName, ExportTarget, FnId, Function, Scalar, Symbol, TileImage};
use crate::source::{FileId, Span};
use std::collections::BTreeSet;

/// The direction of a copy.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum CopyDirection {
    /// To the PE.
    In,
    /// From the PE.
    Out,
}

impl CopyDirection {
    /// The word for it: to or from the PEs.
    pub fn word(self) -> &'static str {
        match self {
            CopyDirection::In => "to",
            CopyDirection::Out => "from",
        }
    }
}

/// Data on one PE.
#[derive(Copy, Clone, Debug)]
pub(super) struct WordRange {
    /// First word.
    pub addr: usize,
    /// One past the last word of the allocation.
    pub end: usize,
}

/// The function of each PE, and the arguments in the form of register values.
pub(super) type LaunchTargets = (Vec<(PeCoord, FnId)>, Vec<u64>);

impl Runner {
    /// An error unless a name stands for data. Writing data that are exported as constants is only a warning.
    pub(super) fn check_variable(&mut self, name: &str, way: CopyDirection) -> Result<()> {
        match self.export(name) {
            Some(ExportName { kind: ExportKind::Fn { .. }, span, .. }) => {
                let facts = [("name", &name as &dyn std::fmt::Display), ("is", &"function")];
                let c = EXPORT_MISUSED.because(&facts).at(*span).label("exported here");
                Err(c.help(format!("launch it, for example with `--launch {name}`")))
            }
            Some(export) if way == CopyDirection::In && export.is_constant() => {
                let c = EXPORT_READ_ONLY.because(&[("name", &name)]).at(export.span).label("exported here");
                if let Some(c) = self.options.levels.weigh(c)? {
                    self.warnings.entry(key(name, &c)).or_insert(c.into());
                }
                Ok(())
            }
            Some(_) => Ok(()),
            None if self.program.tiles.iter().any(|t| self.data_target(t, name).is_some()) => Ok(()),
            None => Err(self.unknown(name)),
        }
    }

    /// An error about the first PE of a region that has no data with this name.
    pub(super) fn check_presence(&self, name: &str, region: Region) -> Result<()> {
        let tiles = self.program.tiles.iter();
        let has: Vec<bool> = tiles.map(|tile| self.data_target(tile, name).is_some()).collect();
        if has.iter().all(|has| *has) {
            return Ok(());
        }
        let lacks = |at: &PeCoord| {
            let tile = self.program.place[self.program.pe_index(*at)];
            !has.get(tile as usize).copied().unwrap_or(false)
        };
        match (0..region.pes()).filter_map(|place| region.pe(place)).find(lacks) {
            Some(at) => Err(self.absent(name, at)),
            None => Ok(()),
        }
    }

    /// The diagnostic about a PE that does not export a name.
    pub(super) fn absent(&self, name: &str, at: PeCoord) -> Diag {
        let c = EXPORT_ABSENT.because(&[("name", &name), ("pe", &at)]);
        match self.export(name) {
            Some(export) => c.at(export.span).label("advertised here"),
            None => c,
        }
    }

    /// The task that a function of a PE is.
    fn task_behind(&self, at: PeCoord, function: FnId) -> Option<Span> {
        let tile = self.program.tile_at(at)?;
        let is_task = tile.tasks.iter().any(|task| task.function == function);
        is_task.then(|| tile.functions[function.0 as usize].span)
    }

    /// The diagnostic about the launch of a task.
    fn launched_task(&self, name: &str, declared: Span) -> Diag {
        let diag = EXPORT_MISUSED.because(&[("name", &name), ("is", &"task")]);
        let diag = diag.at(declared).label("a task runs when its id is activated");
        let functions = self.program.tiles.iter().flat_map(|tile| {
            let is_own = |f: &Function| !self.program.sources.file(f.span.file).is_library();
            let is_task = move |n: u32| tile.tasks.iter().any(|task| task.function == FnId(n));
            let own = tile.functions.iter().zip(0..).filter(move |(f, n)| is_own(f) && !is_task(*n));
            own.map(|(f, _)| f.name.as_str())
        });
        let known: BTreeSet<&str> = functions.collect();
        let list: Vec<_> = known.iter().take(12).map(|name| format!("`{name}`")).collect();
        match list.is_empty() {
            true => diag.help("write an exported function that activates it, and launch that"),
            false => diag.help(format!("the functions that can be launched are {}", list.join(", "))),
        }
    }

    /// The functions behind a launch, and its arguments.
    pub(super) fn launch_targets(&self, name: &str, args: &[u32]) -> Result<LaunchTargets> {
        let inputs = match self.export(name) {
            Some(ExportName { kind: ExportKind::Fn { inputs }, .. }) => Some(inputs.as_slice()),
            Some(ExportName { kind: ExportKind::Var { .. }, span, .. }) => {
                let facts = [("name", &name as &dyn std::fmt::Display), ("is", &"variable")];
                let c = EXPORT_MISUSED.because(&facts).at(*span).label("exported here");
                return Err(c.help(format!("copy it, for example with `--get {name}` or `--set {name}=..`")));
            }
            None => None,
        };
        let of_tiles: Vec<_> =
            self.program.tiles.iter().map(|t| function(t, name, inputs.is_some())).collect();
        let mut pes = Vec::new();
        for (index, tile) in self.program.place.iter().enumerate() {
            let at = self.program.pe_coord(index);
            match of_tiles.get(*tile as usize) {
                Some(Some(f)) => pes.push((at, *f)),
                Some(None) if inputs.is_some() => return Err(self.absent(name, at)),
                Some(None) | None => {}
            }
        }
        let Some((at, first)) = pes.first() else { return Err(self.unknown_function(name)) };
        if let Some(task) = self.task_behind(*at, *first).filter(|_| inputs.is_none()) {
            return Err(self.launched_task(name, task));
        }
        let params = self.program.tile_at(*at).map_or(0, |t| t.functions[first.0 as usize].params);
        let takes = inputs.map_or(usize::from(params), <[Scalar]>::len);
        if takes != args.len() {
            let facts = [
                ("name", &name as &dyn std::fmt::Display),
                ("takes", &counted(takes as u64, "argument")),
                ("given", &args.len()),
            ];
            let c = LAUNCH_ARGUMENTS.because(&facts);
            return Err(match (self.export(name), inputs) {
                (Some(e), Some(inputs)) => {
                    let types: Vec<_> = inputs.iter().map(|ty| ty.name()).collect();
                    let call = format!("`{name}({})`", types.join(", "));
                    c.at(e.span).label("advertised here").help(format!("give the arguments of {call}"))
                }
                (None, _) | (_, None) => c,
            });
        }
        let scalar = |i: usize| inputs.map_or(Scalar::U32, |all| all[i]);
        Ok((pes, args.iter().enumerate().map(|(i, word)| register(scalar(i), *word)).collect()))
    }

    /// The export of a name.
    pub(super) fn export(&self, name: &str) -> Option<&ExportName> {
        self.program.exports.iter().find(|e| e.name == name)
    }

    /// Writes elements to a name on a PE.
    pub(super) fn write(&mut self, at: PeCoord, name: &str, width: CopyWidth, from: &[u32]) -> Result<()> {
        let addr = self.elements_of(at, name, width.words(), from.len(), CopyDirection::In)?;
        let halves = |word: &u32| [*word as u16, (*word >> 16) as u16];
        let words: Vec<u16> =
            from.iter().flat_map(|word| halves(word).into_iter().take(width.words())).collect();
        if let Some(pe) = self.wafer.pe(at) {
            pe.write_words(addr, &words)?;
            self.wafer.note_written(at);
        }
        Ok(())
    }

    /// Reads elements from a name on a PE.
    pub(super) fn read(&mut self, at: PeCoord, name: &str, width: CopyWidth, into: &mut [u32]) -> Result<()> {
        let addr = self.elements_of(at, name, width.words(), into.len(), CopyDirection::Out)?;
        let Some(pe) = self.wafer.pe(at) else { return Ok(()) };
        let words = pe.read_words(addr, into.len() * width.words())?;
        for (to, word) in into.iter_mut().zip(words.chunks(width.words())) {
            *to = u32::from(word[0]) | word.get(1).map_or(0, |high| u32::from(*high) << 16);
        }
        Ok(())
    }

    /// Address of `count` elements of `words` words behind a name on a PE. Reading too many is only a
    /// warning: public programs do it, and it overwrites nothing.
    pub(super) fn elements_of(
        &mut self,
        at: PeCoord,
        name: &str,
        words: usize,
        count: usize,
        way: CopyDirection,
    ) -> Result<usize> {
        let place = self.place_of(at, name).ok_or_else(|| self.absent(name, at))?;
        let has = place.end.saturating_sub(place.addr) / words;
        if count > has {
            let [shown, asked] = [has, count].map(|n| grouped(n as u64));
            let facts =
                [("name", &name as &dyn std::fmt::Display), ("has", &shown), ("asked", &asked), ("pe", &at)];
            let diag = COPY_OUT_OF_BOUNDS.because(&facts);
            let symbol = self.program.tile_at(at).and_then(|tile| symbol_around(tile, place.addr));
            let has_half =
                symbol.and_then(|symbol| symbol.element).is_none_or(|element| element.words() == 1);
            let fits_half = words == 2 && place.end.saturating_sub(place.addr) >= count;
            let diag = match fits_half && has_half {
                true => {
                    diag.help(format!("if the elements of `{name}` have 16 bits, copy with MEMCPY_16BIT"))
                }
                false => diag,
            };
            let diag = match symbol {
                Some(symbol) => {
                    let what = match symbol.name == name {
                        true => format!("`{name}` is a {}", symbol.ty),
                        false => format!("`{name}` points to `{}`, a {}", symbol.name, symbol.ty),
                    };
                    diag.at(symbol.span).label(what)
                }
                None => diag,
            };
            let diag = match way {
                CopyDirection::In => self.options.levels.weigh(diag)?,
                CopyDirection::Out => Some(diag).filter(|c| self.options.levels.of(c.rule()) != Level::Allow),
            };
            if let Some(diag) = diag {
                self.warn(name, diag);
            }
        }
        self.wafer.check_copy(at, place.addr, count * words, way == CopyDirection::In);
        Ok(place.addr)
    }

    /// Adds a diagnostic about a name as a warning, once for all PEs.
    fn warn(&mut self, name: &str, diag: Diag) {
        let key = key(name, &diag);
        match self.warnings.get_mut(&key) {
            Some(first) => first.also_on += 1,
            None => {
                let mut warning = Diagnostic::from(diag);
                warning.severity = Severity::Warning;
                self.warnings.insert(key, warning);
            }
        }
    }

    /// Where the data behind a name are on a PE now. An exported pointer may have changed since the start.
    pub(super) fn place_of(&mut self, at: PeCoord, name: &str) -> Option<WordRange> {
        let tile = self.program.tile_at(at)?.clone();
        let target = self.data_target(&tile, name)?;
        let pe = self.wafer.pe(at)?;
        let addr = match target {
            ExportTarget::Pointer(p) => usize::from(pe.read_words(p.into(), 1).ok()?[0]),
            ExportTarget::Data(addr) => usize::from(addr),
            ExportTarget::Fn(_) => return None,
        };
        let end = symbol_around(&tile, addr)
            .map_or(pe.memory().size(), |s| usize::from(s.addr) + usize::from(s.words));
        Some(WordRange { addr, end })
    }

    /// The diagnostic about a name that no PE has.
    pub(super) fn unknown(&self, name: &str) -> Diag {
        let mut known: BTreeSet<&str> = self.program.exports.iter().map(|e| e.name.as_str()).collect();
        for tile in &self.program.tiles {
            known.extend(tile.exports.iter().map(|e| e.name.as_str()));
        }
        let globals = || self.program.tiles.iter().flat_map(|t| t.symbols.iter().map(|s| s.name.as_str()));
        let c = UNKNOWN_EXPORT.because(&[("name", &name)]);
        let near =
            suggest::nearest(name, known.iter().copied()).or_else(|| suggest::nearest(name, globals()));
        if let Some(near) = near {
            return c.did_you_mean(name, near, near);
        }
        if let Some(declared) = self.declaration(name) {
            let help = format!("use `{name}` in code that runs, or export it with `@export_symbol({name})`");
            return c.at(declared).label("nothing that runs uses it, so it has no memory").help(help);
        }
        // What is not exported can be used, too, so it is named where nothing is.
        let (what, known) = match known.is_empty() {
            true => ("its variables are", globals().collect()),
            false => ("the program exports", known),
        };
        let list: Vec<_> = known.iter().take(12).map(|name| format!("`{name}`")).collect();
        match list.is_empty() {
            true => c.note("the program exports nothing and has no variables"),
            false => c.help(format!("{what} {}", list.join(", "))),
        }
    }

    /// The diagnostic about a function to launch that no PE has.
    fn unknown_function(&self, name: &str) -> Diag {
        let has_functions =
            |tile: &TileImage| tile.exports.iter().any(|e| matches!(e.target, ExportTarget::Fn(_)));
        if self.program.tiles.iter().any(|tile| has_functions(tile)) {
            return self.unknown(name);
        }
        let diag =
            UNKNOWN_EXPORT.because(&[("name", &name)]).note("the program exports no function to launch");
        diag.help(format!("export it: `@export_symbol({name})` in the PE's code, `@export_name(\"{name}\", fn()void)` in the layout"))
    }

    /// The diagnostic about a variable that a PE does not have.
    pub(super) fn no_symbol(&self, at: PeCoord, name: &str) -> Diag {
        /// PEs and variables that are named at most.
        const MOST: usize = 6;
        let diag = SYMBOL_ABSENT.because(&[("name", &name), ("pe", &at)]);
        let has = |tile: &TileImage| tile.symbols.iter().any(|symbol| symbol.name == name);
        let of_tiles: Vec<bool> = self.program.tiles.iter().map(|tile| has(tile)).collect();
        let places = self.program.place.iter().enumerate();
        let elsewhere = places.filter(|(_, tile)| of_tiles.get(**tile as usize).copied().unwrap_or_default());
        let elsewhere = elsewhere.map(|(index, _)| self.program.pe_coord(index).to_string());
        let elsewhere: Vec<String> = elsewhere.take(MOST).collect();
        let Some(tile) = self.program.tile_at(at) else {
            let diag = diag.note(format!("there is no code on {at}"));
            return if elsewhere.is_empty() {
                diag
            } else {
                diag.help(format!("read it from {}", elsewhere.join(", ")))
            };
        };
        if !elsewhere.is_empty() {
            return diag.help(format!("read it from {}", elsewhere.join(", ")));
        }
        let own: Vec<&str> = tile.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        let is_inside = |own: &&str| own.rsplit_once('.').is_some_and(|(_, variable)| variable == name);
        let inside: Vec<String> =
            own.iter().copied().filter(is_inside).map(|own| format!("`{own}`")).collect();
        if !inside.is_empty() {
            return diag.help(format!("name the module as well: {}", inside.join(" or ")));
        }
        if let Some(near) = suggest::nearest(name, own.iter().copied()) {
            return diag.did_you_mean(name, near, near);
        }
        if let Some(declared) = self.declaration(name) {
            let diag = diag.at(declared).label("nothing that runs uses it, so it has no memory");
            return diag.help(format!("use `{name}` in code that runs, or declare it with `export`"));
        }
        let list: Vec<String> = own.iter().take(MOST).map(|name| format!("`{name}`")).collect();
        match list.is_empty() {
            true => diag.note("no variable there is in memory"),
            false => diag.help(format!("its variables are {}", list.join(", "))),
        }
    }

    /// Where a file of the program declares a global.
    fn declaration(&self, name: &str) -> Option<Span> {
        let files = self.program.sources.files().iter().zip(0..).filter(|(file, _)| !file.is_library());
        files.into_iter().find_map(|(file, id)| {
            let names = file.text.match_indices(name).map(|(at, _)| at);
            let at = names.into_iter().find(|at| {
                let line = file.text[..*at].rsplit('\n').next().unwrap_or_default();
                let words: Vec<&str> = line.split_whitespace().collect();
                let ends = file.text[at + name.len()..].trim_start().starts_with([':', '=', ';']);
                let is_global =
                    !line.starts_with(char::is_whitespace) && line.ends_with(' ') && words.len() < 3;
                ends && is_global && matches!(words.last(), Some(&("var" | "const")))
            })?;
            Some(Span::new(FileId(id), at, at + name.len()))
        })
    }

    /// Data of a tile by a name that it exports, or by that of a global if the name is not advertised.
    pub(super) fn data_target(&self, tile: &TileImage, name: &str) -> Option<ExportTarget> {
        let is_data = |e: &&Export| e.name == name && !matches!(e.target, ExportTarget::Fn(_));
        let exported = tile.exports.iter().find(is_data).map(|e| e.target);
        match self.export(name) {
            Some(_) => exported,
            None => exported
                .or_else(|| tile.symbols.iter().find(|s| s.name == name).map(|s| ExportTarget::Data(s.addr))),
        }
    }
}

/// The key of a warning about a copy: the rule and the name.
fn key(name: &str, diag: &Diag) -> String {
    format!("{} {name}", diag.rule())
}

/// The global that contains an address.
pub(super) fn symbol_around(tile: &TileImage, addr: usize) -> Option<&Symbol> {
    tile.symbols
        .iter()
        .find(|s| (usize::from(s.addr)..usize::from(s.addr) + usize::from(s.words)).contains(&addr))
}

fn function(tile: &TileImage, name: &str, is_advertised: bool) -> Option<FnId> {
    let exported = tile.exports.iter().find(|e| e.name == name);
    match exported.map(|e| e.target) {
        Some(ExportTarget::Fn(f)) => Some(f),
        Some(ExportTarget::Pointer(_) | ExportTarget::Data(_)) => None,
        None if is_advertised => None,
        None => tile.functions.iter().position(|f| f.name == name).map(|i| FnId(i as u32)),
    }
}

/// A host word in the form of a register value.
fn register(scalar: Scalar, word: u32) -> u64 {
    match scalar {
        Scalar::Bool => u64::from(word & 1),
        Scalar::I8 => word as i8 as u64,
        Scalar::U8 => u64::from(word as u8),
        Scalar::I16 => word as i16 as u64,
        Scalar::U16 | Scalar::F16 | Scalar::Bf16 | Scalar::Cb16 => u64::from(word as u16),
        Scalar::I32 | Scalar::I64 => word as i32 as u64,
        Scalar::U32 | Scalar::U64 | Scalar::F32 => u64::from(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_takes_the_bits_of_its_type() {
        assert_eq!(register(Scalar::I16, 0x1234_ffff), -1i64 as u64);
        assert_eq!(register(Scalar::U16, 0x1234_ffff), 0xffff);
        assert_eq!(register(Scalar::F32, 0xbf80_0000), 0xbf80_0000);
        assert_eq!(register(Scalar::I32, 0xffff_fffe), -2i64 as u64);
    }
}
