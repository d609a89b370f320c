//! Access to whole variables on every PE that has them, as the command line needs it.

use super::names::{CopyDirection, symbol_around};
use super::{Failure, Runner};
use crate::arch::PeCoord;
use crate::diagnostics::rules::host::NO_ELEMENT_TYPE;
use crate::image::{ExportKind, ExportTarget, Scalar, Symbol};

/// A variable on all PEs that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// The type of its elements.
    pub scalar: Scalar,
    /// The bits of its integers: 4 for `u4`, whose elements have a word each.
    pub bits: Option<u32>,
    /// Whether it is one value rather than an array.
    pub single: bool,
    /// The PEs, row by row, with the number of elements on each.
    pub pes: Vec<(PeCoord, usize)>,
}

impl Runner {
    /// Looks up an exported name or a global on all PEs.
    ///
    /// # Errors
    /// [`Failure::Misuse`] if the program has no such variable, or its elements have no scalar type.
    pub fn variable(&mut self, name: &str) -> Result<Variable, Failure> {
        self.check_variable(name, CopyDirection::Out)?;
        let exported = match self.export(name).map(|e| &e.kind) {
            Some(ExportKind::Var { element, .. }) => Some(*element),
            Some(ExportKind::Fn { .. }) | None => None,
        };
        let (mut pes, mut found, mut bits, mut single) = (Vec::new(), None, None, true);
        for index in 0..self.program.place.len() {
            let at = self.program.pe_coord(index);
            let Some(place) = self.place_of(at, name) else { continue };
            let Some(tile) = self.program.tile_at(at) else { continue };
            let behind = symbol_around(tile, place.addr);
            let Some(scalar) = exported.or(behind.and_then(|s| s.element)) else {
                let ty = behind.map_or("unknown", |s| s.ty.as_str());
                return Err(NO_ELEMENT_TYPE.because(&[("name", &name), ("ty", &ty)]).into());
            };
            let target = self.data_target(tile, name);
            let words = place.end.saturating_sub(place.addr);
            let elements = elements_in(behind, words, scalar);
            single &= elements == 1 && matches!(target, Some(ExportTarget::Data(_))) && !is_array(behind);
            found = Some(scalar);
            bits = bits.or(behind.and_then(|symbol| symbol.bits));
            pes.push((at, elements));
        }
        let scalar = found.ok_or_else(|| match self.export(name) {
            Some(_) => self.absent(name, self.program.pe_coord(0)),
            None => self.unknown(name),
        })?;
        Ok(Variable { name: name.to_string(), scalar, bits, single, pes })
    }

    /// Reads a variable from every PE that has it, once the program lets the host copy.
    ///
    /// # Errors
    /// As [`Runner::variable`]; the run fails, stalls, reaches its cycle limit or is interrupted before all queued
    /// commands are done.
    pub fn read_variable(&mut self, name: &str) -> Result<(Variable, Vec<Vec<u64>>), Failure> {
        self.settle()?;
        self.read_settled(name)
    }

    /// As [`Runner::read_variable`], without waiting: the program already lets the host copy.
    ///
    /// # Errors
    /// As [`Runner::variable`].
    pub fn read_settled(&mut self, name: &str) -> Result<(Variable, Vec<Vec<u64>>), Failure> {
        let variable = self.variable(name)?;
        let mut all = Vec::with_capacity(variable.pes.len());
        for (at, elements) in &variable.pes {
            all.push(self.read_elements(*at, name, variable.scalar, *elements)?);
        }
        Ok((variable, all))
    }

    /// Writes elements, as bits, to a variable of one PE from its start. Call when nothing runs:
    /// before the start, or after `read_variable` or `run_until_idle`.
    ///
    /// # Errors
    /// [`Failure::Misuse`] if the PE has no such variable, or it is too small for the values.
    pub fn write_elements(
        &mut self,
        at: PeCoord,
        name: &str,
        scalar: Scalar,
        values: &[u64],
    ) -> Result<(), Failure> {
        self.check_variable(name, CopyDirection::In)?;
        if self.holds_bytes(at, name, scalar) {
            return self.write_bytes(at, name, values);
        }
        let words = usize::from(scalar.words());
        let addr = self.elements_of(at, name, words, values.len(), CopyDirection::In)?;
        let mut all = Vec::with_capacity(words * values.len());
        for value in values {
            all.extend((0..words).map(|i| (value >> (16 * i)) as u16));
        }
        if let Some(pe) = self.wafer.pe(at) {
            pe.write_words(addr, &all)?;
            self.wafer.note_written(at);
        }
        Ok(())
    }

    /// Runs until the host may write. Before the start of a program without memcpy it may write at once.
    ///
    /// # Errors
    /// The run fails, stalls, reaches its cycle limit or is interrupted before that.
    pub fn settle_for_writing(&mut self) -> Result<(), Failure> {
        match self.is_before_start() {
            true => Ok(()),
            false => self.settle(),
        }
    }

    /// The elements of an exported name or a global on one PE, as bits, with their type and the sizes of the array.
    /// It does not wait, so it can be called at any time.
    ///
    /// # Errors
    /// [`Failure::Misuse`] if the PE has no such variable, or its elements have no scalar type.
    pub fn peek(&mut self, at: PeCoord, name: &str) -> Result<(Scalar, Vec<u32>, Vec<u64>), Failure> {
        self.check_variable(name, CopyDirection::Out)?;
        let exported = match self.export(name).map(|e| &e.kind) {
            Some(ExportKind::Var { element, .. }) => Some(*element),
            Some(ExportKind::Fn { .. }) | None => None,
        };
        let place = self.place_of(at, name).ok_or_else(|| self.absent(name, at))?;
        let symbol = self.program.tile_at(at).and_then(|tile| symbol_around(tile, place.addr)).cloned();
        let Some(scalar) = exported.or(symbol.as_ref().and_then(|s| s.element)) else {
            let ty = symbol.as_ref().map_or("unknown", |s| s.ty.as_str());
            return Err(NO_ELEMENT_TYPE.because(&[("name", &name), ("ty", &ty)]).into());
        };
        let words = place.end.saturating_sub(place.addr);
        let dims = symbol.as_ref().filter(|s| s.element == Some(scalar)).map(|s| s.dims.clone());
        let elements = elements_in(symbol.as_ref(), words, scalar);
        let values = self.read_elements(at, name, scalar, elements)?;
        let dims = dims.filter(|dims| dims.iter().product::<u32>() as usize == values.len());
        Ok((scalar, dims.unwrap_or_else(|| vec![values.len() as u32]), values))
    }

    /// The words of a global on one PE, for debugging. It needs no export and does not wait.
    ///
    /// # Errors
    /// [`Failure::Misuse`] if the PE has no such global.
    pub fn read_symbol(&mut self, at: PeCoord, name: &str) -> Result<(Symbol, Vec<u16>), Failure> {
        let tile = self.program.tile_at(at).cloned();
        let symbol = tile.as_ref().and_then(|t| t.symbols.iter().find(|s| s.name == name)).cloned();
        let symbol = symbol.ok_or_else(|| self.no_symbol(at, name))?;
        let Some(pe) = self.wafer.pe(at) else { return Err(self.no_symbol(at, name).into()) };
        let words = pe.read_words(symbol.addr.into(), symbol.words.into())?.to_vec();
        Ok((symbol, words))
    }

    /// The first words of the memory of one PE, for debugging; `None` where the layout sets no code.
    pub fn memory(&mut self, at: PeCoord, words: usize) -> Option<&[u16]> {
        self.wafer.pe(at)?.read_words(0, words).ok()
    }

    /// Whether two elements of a variable share a word.
    fn holds_bytes(&mut self, at: PeCoord, name: &str, scalar: Scalar) -> bool {
        let Some(place) = self.place_of(at, name) else { return false };
        let tile = self.program.tile_at(at);
        tile.and_then(|tile| symbol_around(tile, place.addr)).is_some_and(|symbol| symbol.is_bytes(scalar))
    }

    fn write_bytes(&mut self, at: PeCoord, name: &str, values: &[u64]) -> Result<(), Failure> {
        let count = values.len().div_ceil(2);
        let addr = self.elements_of(at, name, 1, count, CopyDirection::In)?;
        let Some(pe) = self.wafer.pe(at) else { return Ok(()) };
        let mut bytes: Vec<u8> = pe.read_words(addr, count)?.iter().flat_map(|w| w.to_le_bytes()).collect();
        bytes.iter_mut().zip(values).for_each(|(byte, value)| *byte = *value as u8);
        let words: Vec<u16> = bytes.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        pe.write_words(addr, &words)?;
        self.wafer.note_written(at);
        Ok(())
    }

    fn read_elements(
        &mut self,
        at: PeCoord,
        name: &str,
        scalar: Scalar,
        count: usize,
    ) -> Result<Vec<u64>, Failure> {
        if self.holds_bytes(at, name, scalar) {
            let addr = self.elements_of(at, name, 1, count.div_ceil(2), CopyDirection::Out)?;
            let Some(pe) = self.wafer.pe(at) else { return Ok(Vec::new()) };
            let words = pe.read_words(addr, count.div_ceil(2))?;
            return Ok(words.iter().flat_map(|word| word.to_le_bytes()).take(count).map(u64::from).collect());
        }
        let words = usize::from(scalar.words());
        let addr = self.elements_of(at, name, words, count, CopyDirection::Out)?;
        let Some(pe) = self.wafer.pe(at) else { return Ok(Vec::new()) };
        let memory = pe.read_words(addr, count * words)?;
        let value = |chunk: &[u16]| chunk.iter().rev().fold(0u64, |v, w| v << 16 | u64::from(*w));
        Ok(memory.chunks(words).map(value).collect())
    }
}

/// How many elements `words` of a symbol hold: of an odd number of bytes, half of the last word belongs to nobody.
fn elements_in(symbol: Option<&Symbol>, words: usize, scalar: Scalar) -> usize {
    match symbol.filter(|s| s.is_bytes(scalar)) {
        Some(symbol) => symbol.dims.iter().map(|dim| *dim as usize).product::<usize>().min(2 * words),
        None => words / usize::from(scalar.words()),
    }
}

fn is_array(symbol: Option<&Symbol>) -> bool {
    symbol.is_some_and(|s| s.ty.starts_with('['))
}
