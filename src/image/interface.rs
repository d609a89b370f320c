//! What the outside may ask of a compiled program.

use super::file::{self, FileError};
use super::{ExportKind, ExportName, ExportTarget, FabricPlace, HostStream, NO_TILE, Program, Symbol};
use crate::arch::{ArchName, PeCoord};
use crate::source::SourceMap;
use indexmap::IndexSet;

impl Program {
    /// The machine that it was compiled for.
    pub fn arch(&self) -> ArchName {
        self.arch
    }

    /// Columns and rows of the program rectangle, in PEs.
    pub fn size(&self) -> (u16, u16) {
        (self.width, self.height)
    }

    /// The fabric, and where the program rectangle lies in it.
    pub fn fabric(&self) -> FabricPlace {
        self.fabric
    }

    /// What the layout exports with `@export_name`, in its order.
    pub fn exports(&self) -> &[ExportName] {
        &self.exports
    }

    /// The functions that the host can launch: those that the layout advertises, and those that the code of a program
    /// without a layout block exports.
    pub fn functions(&self) -> Vec<&str> {
        let advertised = self.exports.iter().filter(|e| matches!(e.kind, ExportKind::Fn { .. }));
        let exports = self.tiles.iter().flat_map(|tile| &tile.exports);
        let exported = exports.filter(|e| matches!(e.target, ExportTarget::Fn(_)));
        let names = advertised.map(|e| e.name.as_str()).chain(exported.map(|e| e.name.as_str()));
        names.collect::<IndexSet<_>>().into_iter().collect()
    }

    /// The globals of a PE of the rectangle, in order of address; `None` if the layout sets no code for it.
    pub fn symbols(&self, at: PeCoord) -> Option<&[Symbol]> {
        self.tile_at(at).map(|tile| tile.symbols.as_slice())
    }

    /// How many different programs its PEs run: PEs with the same file and parameters share one.
    pub fn distinct_programs(&self) -> usize {
        self.tiles.len()
    }

    /// The number of the program that a PE of the rectangle runs; `None` if the layout sets no code for it.
    pub fn program_of(&self, at: PeCoord) -> Option<usize> {
        let number = self.place[self.pe_index(at)];
        (number != NO_TILE).then_some(number as usize)
    }

    /// Whether the code of a PE has a function or task of this name, exported or not.
    pub fn has_function(&self, name: &str) -> bool {
        self.tiles.iter().any(|tile| tile.functions.iter().any(|function| function.name == name))
    }

    /// Whether the program talks to the host through `<memcpy>`.
    pub fn uses_memcpy(&self) -> bool {
        self.memcpy.is_some()
    }

    /// The host streams of a layout that was described in Python; `None` for any other program.
    pub fn streams(&self) -> Option<&[HostStream]> {
        self.sdk_layout.as_ref().map(|layout| layout.streams.as_slice())
    }

    /// The source files, for diagnostics at run time.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// The program as bytes: a header with the version of cslrun, a checksum and the data.
    pub fn to_bytes(&self) -> Vec<u8> {
        file::to_bytes(self)
    }

    /// Reads the bytes that [`Program::to_bytes`] has written.
    ///
    /// # Errors
    /// The bytes were not written by this version of cslrun, or are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Program, FileError> {
        file::from_bytes(bytes)
    }
}
