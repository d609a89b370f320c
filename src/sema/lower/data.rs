//! Globals, and the memory of a PE that they take.

use super::blanks::DataBlank;
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{Diag, Result};
use crate::image::{Symbol, TileImage, VariableType};
use crate::sema::operand::comptime_only;
use crate::sema::unit::Global;
use crate::sema::value::{GlobalId, Pointee, Pointer, Value};
use crate::sema::variable_type::variable_type;
use crate::source::{SourceMap, Span};
use crate::value::ty::{DsdTy, PtrTy, Ty};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// How many symbols a message about a full memory names.
const SHOWN_SYMBOLS: usize = 5;

/// The globals of all modules of a tile, or of the layout. A global takes memory when code first needs its
/// address.
#[derive(Debug, Default)]
pub struct Data {
    globals: Vec<Global>,
    /// Constants without a name that code needs in memory.
    constants: Vec<(Value, GlobalId)>,
    /// Globals that have an address, in order of address.
    placed: Vec<GlobalId>,
    /// Words taken so far.
    words: u32,
    /// Variables that their own files may assign.
    variables: FxHashSet<GlobalId>,
    /// Words that depend on parameters.
    blanks: Vec<DataBlank>,
    /// Globals whose first value has been taken by code, by their declarations.
    folded: FxHashSet<Span>,
    /// Constants that operations write, and DSDs that code may assign, by their declarations: known of all tiles compiled so
    /// far.
    written: FxHashSet<Span>,
}

impl Data {
    /// The data of the next tile; only what operations write is remembered.
    pub fn begin_tile(&mut self) {
        *self = Data { written: std::mem::take(&mut self.written), ..Data::default() };
    }

    /// A global.
    pub fn get(&self, id: GlobalId) -> &Global {
        &self.globals[id.0 as usize]
    }

    /// A new global.
    pub fn add(&mut self, g: Global) -> GlobalId {
        self.globals.push(g);
        GlobalId(self.globals.len() as u32 - 1)
    }

    /// A constant without a name (a table that is indexed at run time).
    pub fn constant(&mut self, v: &Value, span: Span) -> GlobalId {
        if let Some((_, id)) = self.constants.iter().find(|(known, _)| known == v) {
            return *id;
        }
        let ty = v.ty();
        let id = self.add(Global {
            name: format!("constant {}", self.constants.len()),
            align: ty.align_words(),
            ty,
            value: v.clone(),
            is_var: false,
            undefined: false,
            addr: None,
            explicit_align: None,
            defined_by: None,
            span,
        });
        self.constants.push((v.clone(), id));
        id
    }

    /// Raises the alignment of a global that has no address yet, in words.
    pub fn align(&mut self, id: GlobalId, words: u32) {
        let g = &mut self.globals[id.0 as usize];
        g.align = g.align.max(words);
    }

    /// The address of a global; gives it room in memory at its first use.
    ///
    /// # Errors
    /// Its type has no form in memory.
    pub fn place(&mut self, id: GlobalId) -> Result<u16> {
        let g = self.get(id);
        if let Some(addr) = g.addr {
            return Ok(addr);
        }
        if let Some(definition) = g.defined_by {
            return self.place(definition);
        }
        let words = g.ty.words().ok_or_else(|| comptime_only(&g.ty).at(g.span))?;
        let at = self.words.next_multiple_of(g.align.max(1));
        self.words = at.saturating_add(words);
        let addr = at as u16;
        self.globals[id.0 as usize].addr = Some(addr);
        self.placed.push(id);
        Ok(addr)
    }

    /// Globals that have an address, in order of address.
    pub fn placed(&self) -> &[GlobalId] {
        &self.placed
    }

    /// Words taken so far, which may be more than a PE has.
    pub fn words(&self) -> u32 {
        self.words
    }

    /// A pointer to a whole global array, as `&array` gives it.
    pub fn pointer_to(&self, id: GlobalId) -> Value {
        let g = self.get(id);
        let ty = PtrTy { to: g.ty.clone(), is_const: !g.is_var, many: false };
        Value::Ptr(Pointer { ty: Arc::new(ty), to: Pointee::Global(id, 0) })
    }

    /// The bytes of a global that a program may touch.
    pub fn bytes(&self, id: GlobalId) -> u32 {
        match &self.get(id).ty {
            Ty::Array(a) if a.elem.is_byte() => u32::try_from(a.len()).unwrap_or(u32::MAX),
            ty => ty.words().unwrap_or(0).saturating_mul(2),
        }
    }

    /// Whether code may take the first value of a global instead of reading it: it is a constant or a DSD, and as far as is
    /// known nothing writes it. Most DSDs that programs declare `var` are never assigned; known ones take no memory and are
    /// faster. A `mem4d_dsd` stays a variable, because it may need more stride registers than one that is known at comptime.
    pub fn may_fold(&mut self, id: GlobalId) -> bool {
        let Global { is_var, span, ref value, .. } = *self.get(id);
        if is_var && (!is_plain_dsd(value) || self.variables.contains(&id)) || self.written.contains(&span) {
            return false;
        }
        self.folded.insert(span);
        true
    }

    /// An operation writes a constant, by its declaration.
    pub fn write_constant(&mut self, declaration: Span) {
        self.written.insert(declaration);
    }

    /// The file of a variable may assign it.
    pub fn keep_variable(&mut self, id: GlobalId) {
        self.variables.insert(id);
    }

    /// Code assigns a global, or takes its address; perhaps code of another file than its own.
    pub fn assign(&mut self, id: GlobalId) {
        let Global { span, ref value, .. } = *self.get(id);
        if is_plain_dsd(value) && !self.variables.contains(&id) {
            self.written.insert(span);
        }
    }

    /// How many constants operations write, and how many DSDs code may assign.
    pub fn written(&self) -> usize {
        self.written.len()
    }

    /// Whether code has taken the first value of a global that is written.
    pub fn has_folded_too_much(&self) -> bool {
        !self.folded.is_disjoint(&self.written)
    }

    /// Keeps words that depend on parameters.
    pub fn keep_blank(&mut self, blank: DataBlank) {
        self.blanks.push(blank);
    }

    /// The words that depend on parameters.
    pub fn take_blanks(&mut self) -> Vec<DataBlank> {
        std::mem::take(&mut self.blanks)
    }

    /// The constant that begins at an address.
    pub fn constant_at(&self, addr: u16) -> Option<&Global> {
        let globals = self.placed.iter().map(|id| self.get(*id));
        let mut constants = globals.filter(|g| !g.is_var && g.ty.words() != Some(0));
        constants.find(|g| g.addr == Some(addr))
    }

    /// The variable or constant that begins at an address.
    pub fn vector_at(&self, addr: u16) -> Option<&Global> {
        let mut globals = self.placed.iter().map(|id| self.get(*id));
        globals.find(|g| g.addr == Some(addr) && g.ty.words() != Some(0))
    }

    /// The diagnostic about data that a PE with so many words cannot hold.
    pub fn check_size(&self, limit: u32, sources: &SourceMap) -> Option<Diag> {
        if self.words <= limit {
            return None;
        }
        let mut symbols: Vec<_> = self.placed.iter().map(|id| self.get(*id)).collect();
        symbols.sort_by_key(|g| std::cmp::Reverse(g.ty.words().unwrap_or(u32::MAX)));
        let mut diag = rules::PROGRAM_TOO_LARGE
            .because(&[
                ("used", &grouped(u64::from(self.words) * 2)),
                ("limit", &grouped(u64::from(limit) * 2)),
            ])
            .at(symbols.first()?.span);
        for g in symbols.iter().take(SHOWN_SYMBOLS) {
            let bytes = grouped(u64::from(g.ty.words().unwrap_or(u32::MAX)) * 2);
            diag = diag.note(format!("`{}` takes {bytes} bytes ({})", g.name, sources.describe(g.span)));
        }
        Some(diag)
    }

    /// Puts the words of all globals and the symbols into an image, if they fit into `limit` words.
    pub fn fill(&self, image: &mut TileImage, limit: u32, mut words: Vec<u16>) {
        if self.words > limit {
            return;
        }
        while words.last() == Some(&0) {
            words.pop();
        }
        image.data = words.into();
        image.data_end = self.words as u16;
        let symbol = |g: &Global| {
            let VariableType { text, words, dims, element, bits, inside } = variable_type(&g.ty);
            let (name, addr) = (g.name.clone(), g.addr.unwrap_or(0));
            let (mutable, undefined) = (g.is_var, g.undefined);
            Symbol {
                name,
                addr,
                words,
                ty: text,
                dims,
                element,
                bits,
                inside,
                mutable,
                undefined,
                span: g.span,
            }
        };
        image.symbols.extend(self.placed.iter().map(|id| symbol(self.get(*id))));
        image.symbols.sort_by_key(|s| s.addr);
    }
}

/// Whether it is a DSD that needs the same registers at run time and at comptime.
fn is_plain_dsd(value: &Value) -> bool {
    let is_plain = |ty| matches!(ty, Ty::Dsd(DsdTy::Mem1d | DsdTy::FabIn | DsdTy::FabOut));
    matches!(value, Value::Dsd(_)) && is_plain(value.ty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    fn span(at: usize) -> Span {
        Span::new(FileId(0), at, at + 1)
    }

    /// A constant of 32 bits that is declared at a place.
    fn constant(data: &mut Data, at: usize) -> GlobalId {
        data.add(Global {
            name: format!("c{at}"),
            ty: Ty::U32,
            value: Value::u32(1),
            is_var: false,
            undefined: false,
            addr: None,
            align: 1,
            explicit_align: None,
            defined_by: None,
            span: span(at),
        })
    }

    #[test]
    fn a_global_gets_memory_when_its_address_is_first_asked_for() {
        let mut data = Data::default();
        let (first, second) = (constant(&mut data, 0), constant(&mut data, 1));
        data.align(first, 4);
        assert_eq!(data.words(), 0);
        assert_eq!(data.place(second).ok(), Some(0));
        assert_eq!(data.place(first).ok(), Some(4));
        assert_eq!(data.place(second).ok(), Some(0));
        assert_eq!((data.placed(), data.words()), ([second, first].as_slice(), 6));
    }

    #[test]
    fn equal_constants_without_a_name_are_one_global() {
        let mut data = Data::default();
        let one = data.constant(&Value::u32(1), span(0));
        assert_eq!(data.constant(&Value::u32(1), span(5)), one);
        assert_ne!(data.constant(&Value::u32(2), span(5)), one);
    }

    #[test]
    fn what_one_tile_writes_is_not_folded_in_the_next() {
        let mut data = Data::default();
        let id = constant(&mut data, 7);
        assert!(data.may_fold(id));
        data.write_constant(span(7));
        assert!(data.has_folded_too_much());
        data.begin_tile();
        let id = constant(&mut data, 7);
        assert!(!data.may_fold(id) && !data.has_folded_too_much());
    }
}
