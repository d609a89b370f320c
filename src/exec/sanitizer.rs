//! Shadow memory of a PE: which locals have no value yet, where the stack ends, and which variable a pointer
//! points into.
//!
//! Only words of the stack are watched for missing values, because globals start as zero. An address below the
//! stack costs one comparison.

use super::memory::{self, load, store};
use super::variables::{
    PointerStep, const_written, dangling, local_at, local_behind, out_of_local, out_of_symbol, part_of,
    symbol_at, unset_register,
};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::{DANGLING_POINTER, POINTER_OUT_OF_BOUNDS, UNSET_VARIABLE};
use crate::image::code::{Access, BYTES, byte_behind, word_of};
use crate::image::{FnId, Symbol, TileImage};

/// The bit pattern of a register without a value. Registers hold normalised integers, so only 64-bit integers
/// could be equal to it, and programs are unlikely to compute this number.
pub(crate) const NO_VALUE: u64 = 0xbad5_0bad_5eed_0bad;

/// The content of words without a value. A word counts as unset only if it is marked and still holds this, so a
/// store that leaves the mark in place does no harm.
const NO_WORD: u16 = 0xbad5;

/// Pointers whose variable is remembered.
const POINTERS: usize = 4;

/// The shadow memory of one PE.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Sanitizer {
    /// First address of the stack; beyond every address if nothing is watched.
    stack: usize,
    /// The lowest address for which stores must be checked: the first constant, or the stack.
    first: usize,
    /// Size of the memory, in words.
    size: usize,
    /// Words without a value, bit = distance from `stack`.
    unset: Vec<u64>,
    /// The variables that the last checked pointer steps were in: first word, and one past the last. It is a
    /// cache; the register of the pointer tells the place, so that code may walk over several arrays in turns.
    near: [(usize, usize); POINTERS],
    /// A pointer step into the stack that is still to be judged: only the call stack tells which local that is.
    asked: Option<PointerStep>,
    /// The variable that was last written through a pointer: first word, and one past the last. It is a cache.
    written: (usize, usize),
    /// The last call that has returned with a frame: its first word, one past the last, the function.
    left: Option<(usize, usize, FnId)>,
    /// The word that the last diagnostic is about.
    pub culprit: Option<usize>,
}

impl Sanitizer {
    /// Watches a tile, or nothing.
    pub fn new(tile: &TileImage, size: usize, checked: bool) -> Sanitizer {
        let stack = if checked { tile.data_end.into() } else { usize::MAX };
        let constant = tile.symbols.iter().find(|s| checked && !s.mutable && s.words > 0);
        let first = constant.map_or(stack, |s| s.addr.into());
        let nothing = (0, 0);
        Sanitizer {
            stack,
            size,
            first,
            written: nothing,
            unset: Vec::new(),
            near: [nothing; POINTERS],
            asked: None,
            left: None,
            culprit: None,
        }
    }

    /// Whether anything is watched.
    pub fn is_on(&self) -> bool {
        self.stack != usize::MAX
    }

    /// The initial content of a register variable without a value.
    #[inline(always)]
    pub fn no_value(&self) -> u64 {
        if self.is_on() { NO_VALUE } else { 0 }
    }

    /// An error if a register has no value.
    #[inline(always)]
    pub fn check_value(&self, value: u64, tile: &TileImage, at: (FnId, usize)) -> Result<(), Diag> {
        if value == NO_VALUE { Err(unset_register(tile, at)) } else { Ok(()) }
    }

    /// Checks a read through a pointer; `top` is the end of the innermost call's frame.
    #[inline(always)]
    pub fn load(&mut self, memory: &[u16], at: usize, kind: Access, top: usize) -> Result<u64, Diag> {
        if at >= self.stack && !self.is_open(at, kind, top) {
            self.before_load(memory, at, kind, top)?;
        }
        load(memory, at, kind)
    }

    /// Checks a write through a pointer.
    #[inline(always)]
    pub fn store(
        &mut self,
        tile: &TileImage,
        memory: &mut [u16],
        (at, kind): (usize, Access),
        value: u64,
        top: usize,
    ) -> Result<(), Diag> {
        if at >= self.first && !(at >= self.stack && self.is_open(at, kind, top)) {
            self.before_store(tile, at, kind, top)?;
        }
        store(memory, at, kind, value)
    }

    /// Whether a place in the stack belongs to a call that has not returned, and no word of the stack is unset. The high
    /// byte of a word is none, because its address is above all others.
    #[inline(always)]
    fn is_open(&self, at: usize, kind: Access, top: usize) -> bool {
        at + usize::from(kind.words()) <= top && self.unset.is_empty()
    }

    #[inline(never)]
    fn before_load(&mut self, memory: &[u16], at: usize, kind: Access, top: usize) -> Result<(), Diag> {
        let at = if kind.is_byte() { word_of(at) } else { at };
        let end = at + usize::from(kind.words());
        if at < self.stack {
            return Ok(());
        }
        self.check_alive(at, end, top)?;
        if self.unset.is_empty() {
            return Ok(());
        }
        match (at..end).find(|word| self.is_unset(*word) && memory.get(*word) == Some(&NO_WORD)) {
            Some(word) => {
                self.culprit = Some(word);
                Err(UNSET_VARIABLE.because(&[("name", &"a local")]))
            }
            None => Ok(()),
        }
    }

    #[inline(never)]
    fn before_store(&mut self, tile: &TileImage, at: usize, kind: Access, top: usize) -> Result<(), Diag> {
        let words = usize::from(kind.words());
        let at = if kind.is_byte() { word_of(at) } else { at };
        if at < self.first {
            return Ok(());
        }
        if at < self.stack {
            return self.constant_at(tile, at).map_or(Ok(()), |symbol| Err(const_written(symbol)));
        }
        self.check_alive(at, at + words, top)?;
        self.give_value(at, words);
        Ok(())
    }

    fn check_alive(&mut self, at: usize, end: usize, top: usize) -> Result<(), Diag> {
        // The memory itself refuses addresses beyond its end.
        if end > top && end <= self.size {
            self.culprit = Some(at);
            return Err(DANGLING_POINTER.because(&[("what", &"memory behind all variables")]));
        }
        Ok(())
    }

    /// The constant that a word belongs to; a word below the first constant costs one comparison.
    #[inline]
    pub fn constant_at<'t>(&mut self, tile: &'t TileImage, at: usize) -> Option<&'t Symbol> {
        let known = at < self.first || at >= self.stack || at >= self.written.0 && at < self.written.1;
        if known { None } else { self.constant_among(tile, at) }
    }

    fn constant_among<'t>(&mut self, tile: &'t TileImage, at: usize) -> Option<&'t Symbol> {
        let symbol = symbol_at(tile, at)?;
        if symbol.mutable {
            let start = usize::from(symbol.addr);
            self.written = (start, start + usize::from(symbol.words));
        }
        (!symbol.mutable).then_some(symbol)
    }

    /// Records the end of a call whose frame is `start..end`.
    #[inline]
    pub fn leave(&mut self, start: usize, end: usize, function: FnId) {
        if end > start {
            self.left = Some((start, end, function));
            // The cached variable may be a local of this call, whose words another call can reuse.
            for near in &mut self.near {
                if near.1 > self.stack {
                    *near = (0, 0);
                }
            }
        }
    }

    fn is_unset(&self, word: usize) -> bool {
        let bit = word - self.stack;
        self.unset.get(bit / 64).is_some_and(|bits| bits & 1 << (bit % 64) != 0)
    }

    /// Marks words as having no value.
    pub fn take_value(&mut self, memory: &mut [u16], at: usize) {
        if !self.is_on() {
            return;
        }
        memory.fill(NO_WORD);
        for bit in at - self.stack..at - self.stack + memory.len() {
            if self.unset.len() <= bit / 64 {
                self.unset.resize(bit / 64 + 1, 0);
            }
            self.unset[bit / 64] |= 1 << (bit % 64);
        }
    }

    /// Marks words as having a value.
    pub fn give_value(&mut self, at: usize, words: usize) {
        if self.unset.is_empty() {
            return;
        }
        for (place, mask) in self.marks(at, words) {
            self.unset[place] &= !mask;
        }
    }

    /// Sets words without a value to zero.
    pub fn settle(&mut self, memory: &mut [u16], at: usize, words: usize) {
        for word in at.max(self.stack)..at.saturating_add(words).min(memory.len()) {
            if self.is_unset(word) {
                memory[word] = 0;
                self.give_value(word, 1);
            }
        }
    }

    /// The range of marks of these words, for the words that can have one.
    fn marks(&self, at: usize, words: usize) -> impl Iterator<Item = (usize, u64)> + use<> {
        let first = at.max(self.stack) - self.stack;
        let end = (at + words).saturating_sub(self.stack).min(self.unset.len() * 64);
        masks(first, end)
    }

    /// Copies words between two addresses, and their marks.
    ///
    /// # Errors
    /// One of the words does not exist, or is not allocated yet.
    pub fn copy(&mut self, memory: &mut [u16], to: u64, from: u64, words: u16) -> Result<(), Diag> {
        let (to, from) = (usize::from(to as u16), usize::from(from as u16));
        memory::copy(memory, to, from, words.into())?;
        self.copy_marks(to, from, words.into());
        Ok(())
    }

    fn copy_marks(&mut self, to: usize, from: usize, words: usize) {
        if self.unset.is_empty() || to < self.stack {
            return;
        }
        let unset: Vec<bool> =
            (from..from + words).map(|word| word >= self.stack && self.is_unset(word)).collect();
        self.give_value(to, words);
        for (k, _) in unset.iter().enumerate().filter(|(_, unset)| **unset) {
            let bit = to + k - self.stack;
            if self.unset.len() <= bit / 64 {
                self.unset.resize(bit / 64 + 1, 0);
            }
            self.unset[bit / 64] |= 1 << (bit % 64);
        }
    }

    /// The address `index` elements of `words` words behind `base`, which register number `a` holds; it must lie in the
    /// variable behind `base`.
    #[inline(always)]
    pub fn step(
        &mut self,
        tile: &TileImage,
        (a, base): (usize, u64),
        index: u64,
        words: u16,
    ) -> Result<u64, Diag> {
        if words == BYTES {
            return self.step_bytes(tile, (a, base), index);
        }
        self.step_words(tile, (a, base), index, words)
    }

    /// The same for elements that are not bytes.
    #[inline(always)]
    pub fn step_words(
        &mut self,
        tile: &TileImage,
        (a, base): (usize, u64),
        index: u64,
        words: u16,
    ) -> Result<u64, Diag> {
        // An index of a pointer to many may be negative; addresses have 16 bits.
        let to = base.wrapping_add(index.wrapping_mul(words.into())) & 0xffff;
        let (low, high) = self.near[a % POINTERS];
        let (low, high, from, at) = (low as i64, high as i64, base as i64, to as i64);
        // One branch for all four limits: what is below the first or beyond the second makes the sign negative.
        let limits = [
            from.wrapping_sub(low),
            high.wrapping_sub(1).wrapping_sub(from),
            at.wrapping_sub(low),
            high.wrapping_sub(at + i64::from(words)),
        ];
        if limits[0] | limits[1] | limits[2] | limits[3] < 0 {
            self.step_elsewhere(tile, (a, base as usize), to as usize, (index, words))?;
        }
        Ok(to)
    }

    /// The same for bytes.
    #[inline(never)]
    fn step_bytes(&mut self, tile: &TileImage, (a, base): (usize, u64), index: u64) -> Result<u64, Diag> {
        let to = byte_behind(base, index);
        let (low, high) = self.near[a % POINTERS];
        let (from, at) = (word_of(base as usize), word_of(to as usize));
        if !(low..high).contains(&from) || !(low..high).contains(&at) {
            self.step_elsewhere(tile, (a, from), at, (index, BYTES))?;
        }
        Ok(to)
    }

    #[cold]
    fn step_elsewhere(
        &mut self,
        tile: &TileImage,
        (a, from): (usize, usize),
        at: usize,
        (index, words): (u64, u16),
    ) -> Result<(), Diag> {
        if !self.is_on() {
            return Ok(());
        }
        let each = words;
        let words = if each == BYTES { 1 } else { words };
        if from >= self.stack {
            // An index of a signed type is kept sign-extended.
            let index = index as i64;
            self.asked = Some(PointerStep { from, at, end: at + usize::from(words), each, index });
            return Err(POINTER_OUT_OF_BOUNDS.because(&[("index", &index), ("name", &"a local")]));
        }
        let Some(symbol) = symbol_at(tile, from) else { return Ok(()) };
        let (low, high) = (usize::from(symbol.addr), usize::from(symbol.addr) + usize::from(symbol.words));
        self.near[a % POINTERS] = (low, high);
        if at >= low && at + usize::from(words) <= high {
            return Ok(());
        }
        Err(out_of_symbol(symbol, from, index, each))
    }

    /// Judges a pointer step that starts in the stack: may it continue? `calls` are the calls that
    /// have not returned: their first words and functions.
    pub fn may_step(&mut self, tile: &TileImage, calls: impl Iterator<Item = (usize, FnId)>) -> bool {
        let Some(PointerStep { from, at, end, .. }) = self.asked else { return false };
        // Code that the compiler did not write can use the mark of a register without a value as an address.
        if from > u16::MAX.into() {
            return false;
        }
        let local = local_behind(tile, calls, from);
        match local.map(|(low, local)| (low, low + usize::from(local.ty.words))) {
            Some((low, high)) if at < low || end > high => return false,
            Some(words) => self.near = [words; POINTERS],
            // Words without a name are temporaries of the compiler, which have no bounds.
            None => self.near = [(from.min(at), end.max(from + 1)); POINTERS],
        }
        self.asked = None;
        true
    }

    /// Names the local that the last diagnostic is about, if it is about one. `calls` are the calls
    /// that have not returned: their first words and functions.
    pub fn explain(
        &mut self,
        diag: Diag,
        tile: &TileImage,
        calls: impl Iterator<Item = (usize, FnId)>,
    ) -> Diag {
        if let Some(step) = self.asked.take() {
            return match local_behind(tile, calls, step.from) {
                Some((low, local)) => out_of_local(local, low, step),
                None => diag,
            };
        }
        let Some(word) = self.culprit.take() else { return diag };
        if diag.rule() == DANGLING_POINTER.name {
            let left = self.left.filter(|(start, end, _)| (*start..*end).contains(&word));
            let Some((start, _, function)) = left else {
                return diag.help("point to a global, or to a local of a function that is still running");
            };
            return dangling(tile, function, word - start);
        }
        let local = calls.filter(|(start, _)| *start <= word).last();
        match local.and_then(|(start, function)| local_at(tile, function, word - start)) {
            Some(local) => UNSET_VARIABLE
                .because(&[("name", &local.name)])
                .also(local.span, "declared without a value")
                .help(part_of(local)),
            None => diag,
        }
    }
}

/// The bits from `first` to before `end`, as masks of the 64-bit words that hold them.
fn masks(first: usize, end: usize) -> impl Iterator<Item = (usize, u64)> {
    let places = if first < end { first / 64..end.div_ceil(64) } else { 0..0 };
    places.map(move |place| {
        let above = u64::MAX << (first.max(place * 64) - place * 64);
        let below = u64::MAX >> (64 - (end - place * 64).min(64));
        (place, above & below)
    })
}

#[cfg(test)]
mod tests {
    use super::{Sanitizer, masks};
    use crate::image::TileImage;

    #[test]
    fn masks_hold_each_bit_once() {
        for (first, end) in [(0, 0), (0, 1), (3, 3), (5, 4), (0, 64), (63, 65), (64, 128), (7, 200)] {
            let held: Vec<usize> = masks(first, end)
                .flat_map(|(place, mask)| {
                    (0..64).filter(move |k| mask & 1 << k != 0).map(move |k| place * 64 + k)
                })
                .collect();
            assert_eq!(held, (first..end).collect::<Vec<_>>());
        }
    }

    #[test]
    fn giving_all_words_a_value_looks_only_at_those_that_had_none() {
        let mut guard = Sanitizer::new(&TileImage::default(), 24_576, true);
        let mut memory = [0; 100];
        guard.take_value(&mut memory, 10);
        assert!(guard.is_unset(10) && guard.is_unset(109) && !guard.is_unset(110));
        assert_eq!(guard.marks(0, 24_576).count(), 2);
        guard.give_value(0, 24_576);
        assert!((0..200).all(|word| !guard.is_unset(word)));
    }
}
