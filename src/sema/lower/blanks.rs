//! Blanks of a tile: constants of functions and words of data that are computed from parameters in which tiles
//! differ. Filled in with the values of another tile, they make its image out of that of the first.

use super::renumber::SideTables;
use crate::image::TileImage;
use crate::image::code::{FnId, Reg};
use crate::value::symbolic::TermId;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// All blanks of a tile.
#[derive(Debug)]
pub struct Blanks {
    /// In functions that are written.
    pub functions: Vec<FunctionBlanks>,
    /// In memory.
    pub data: Vec<DataBlank>,
}

/// Constants of a function. Until they are filled in, each has a register of its own; then equal constants share one.
#[derive(Debug)]
pub struct FunctionBlanks {
    /// The function.
    pub function: FnId,
    /// Positions among its constants, and terms.
    pub terms: Vec<(u16, TermId)>,
    /// Operations beside its code that name its registers.
    pub side_tables: SideTables,
}

/// Words of memory.
#[derive(Debug)]
pub struct DataBlank {
    /// The first.
    pub at: usize,
    /// How many, lowest bits first.
    pub words: usize,
    /// Their term.
    pub term: TermId,
}

impl Blanks {
    /// Fills all blanks of an image in; `None` if a term has no value.
    pub fn fill(&self, image: &mut TileImage, value: impl Fn(TermId) -> Option<i64>) -> Option<()> {
        for function in &self.functions {
            function.fill(image, &value)?;
        }
        if self.data.is_empty() {
            return Some(());
        }
        let data = &mut *image.data;
        for blank in &self.data {
            let end = blank.at + blank.words;
            if data.len() < end {
                data.resize(end, 0);
            }
            let bits = value(blank.term)?;
            for (i, word) in data[blank.at..end].iter_mut().enumerate() {
                *word = (bits >> (16 * i)) as u16;
            }
        }
        let used = data.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        data.truncate(used);
        Some(())
    }
}

impl FunctionBlanks {
    fn fill(&self, image: &mut TileImage, value: impl Fn(TermId) -> Option<i64>) -> Option<()> {
        let function = image.function_mut(self.function);
        for (at, term) in &self.terms {
            function.consts[usize::from(*at)] = value(*term)? as u64;
        }
        let mut distinct: IndexSet<u64, FxBuildHasher> = IndexSet::default();
        let places: Vec<Reg> =
            function.consts.iter().map(|bits| distinct.insert_full(*bits).0 as Reg).collect();
        let shared = (places.len() - distinct.len()) as Reg;
        if shared == 0 {
            return Some(());
        }
        let params = function.params;
        let renumbered = |r: Reg| match r.checked_sub(params) {
            None => r,
            Some(n) => places.get(usize::from(n)).map_or_else(|| r - shared, |place| params + place),
        };
        function.consts = distinct.into_iter().collect();
        function.registers = (function.registers - shared).max(1);
        function.code.iter_mut().for_each(|op| op.map_registers(renumbered));
        self.side_tables.renumber(image, renumbered);
        Some(())
    }
}
