//! Whether a program that was read from a file keeps the promises of one that was compiled.
//!
//! In: a [`Program`] whose bytes could be read. Out: nothing, or why it cannot be run. A checksum finds damage, but
//! anybody can forge one, and a PE does not look twice at what comptime has promised: numbers of registers, functions
//! and tables, targets of jumps, addresses of variables. Takes time in proportion to the program; lists that tiles
//! share are looked at once.

use super::verdict::{Verdict, ensure};
use super::verify_code::{CodeNeeds, Sizes};
use super::verify_tables::{self, Named, task_id};
use super::{
    ExportTarget, Fifo, FnId, Function, NO_TILE, Program, SdkLayoutData, Shared, Symbol, TeardownCause,
    TileImage,
};
use crate::arch::{Arch, Color, PeCoord};
use crate::dsd::Dsd;
use crate::source::{SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// FIFOs of a tile; each takes a DSR.
const MOST_FIFOS: usize = 64;

impl Program {
    /// Checks a program that was read from a file.
    ///
    /// # Errors
    /// It cannot be run.
    pub(super) fn verify(&self) -> Verdict {
        ensure(self.is_whole() && self.sources.is_whole(), "its tables do not fit")?;
        let arch = self.arch.numbers();
        let has_tile = |tile: &u32| *tile == NO_TILE || (*tile as usize) < self.tiles.len();
        ensure(self.place.iter().all(has_tile), "a PE has a tile that does not exist")?;
        self.routes.verify(arch)?;
        let colors = self.memcpy.iter().flat_map(|its| its.h2d.iter().chain(&its.d2h)).flatten();
        colors.copied().try_for_each(|color| routable(color, arch))?;
        let mut known = Known::new(&self.sources, arch);
        self.routes.declared().iter().filter_map(|d| d.span).try_for_each(|span| known.span(span))?;
        self.exports.iter().try_for_each(|export| known.span(export.span))?;
        for tile in &self.tiles {
            known.tile(tile)?;
        }
        self.sdk_layout.as_ref().map_or(Ok(()), |layout| self.verify_layout(layout, arch))
    }

    fn verify_layout(&self, layout: &SdkLayoutData, arch: &Arch) -> Verdict {
        let is_inside = |at: PeCoord| at.x < self.width && at.y < self.height;
        for stream in &layout.streams {
            ensure(is_inside(stream.pe), "a stream ends outside of the program")?;
            routable(stream.color, arch)?;
        }
        for region in &layout.regions {
            let (right, bottom) = (
                u32::from(region.at.x) + u32::from(region.width),
                u32::from(region.at.y) + u32::from(region.height),
            );
            let fits = right <= self.width.into() && bottom <= self.height.into();
            ensure(fits, "a region lies outside of the program")?;
        }
        for initial in &layout.initial {
            let has_code = is_inside(initial.pe) && self.tile_at(initial.pe).is_some();
            let end = usize::from(initial.addr) + initial.words.len();
            let fits = has_code && end <= arch.memory_words as usize;
            ensure(fits, "initial data lie outside of memory")?;
        }
        Ok(())
    }
}

fn routable(color: Color, arch: &Arch) -> Verdict {
    ensure(color.0 < arch.routable_colors, "a color is not routable")
}

/// Two lists by their places in memory; tiles that share them need one look.
type Pair = (usize, usize);

/// What has been looked at.
struct Known<'p> {
    sources: &'p SourceMap,
    arch: &'static Arch,
    /// What code needs, by its place in memory.
    code: FxHashMap<usize, CodeNeeds>,
    /// Lists that are all right.
    lists: FxHashSet<usize>,
    /// The DSDs of a tile with so many FIFOs that are all right.
    dsds: FxHashSet<(usize, usize)>,
    /// The registers of each of the operations on DSDs, with the DSDs that they name.
    vectors: FxHashMap<Pair, Vec<usize>>,
    /// Functions that are all right, and whether they name entries of tables that tiles do not share.
    functions: FxHashMap<([usize; 3], [usize; 2], Sizes), bool>,
    /// By the place of the operations on DSDs and that of the DSDs: the last tile that has both.
    alike: FxHashMap<Pair, &'p TileImage>,
}

/// Where a list lies. The program keeps it.
fn place<T>(list: &Shared<T>) -> usize {
    list.as_ptr() as usize
}

impl<'p> Known<'p> {
    fn new(sources: &'p SourceMap, arch: &'static Arch) -> Known<'p> {
        Known {
            sources,
            arch,
            code: FxHashMap::default(),
            lists: FxHashSet::default(),
            dsds: FxHashSet::default(),
            vectors: FxHashMap::default(),
            functions: FxHashMap::default(),
            alike: FxHashMap::default(),
        }
    }

    fn span(&self, span: Span) -> Verdict {
        ensure(self.sources.has(span), "a place lies outside of its file")
    }

    /// Looks at the places of a list, unless that was done.
    fn spans<T>(&mut self, list: &Shared<T>, of: impl Fn(&T) -> Span) -> Verdict {
        if self.is_new(list) { list.iter().try_for_each(|entry| self.span(of(entry))) } else { Ok(()) }
    }

    fn is_new<T>(&mut self, list: &Shared<T>) -> bool {
        // Empty lists have no place of their own.
        !list.is_empty() && self.lists.insert(place(list))
    }

    fn tile(&mut self, tile: &'p TileImage) -> Verdict {
        self.memory(tile)?;
        self.tasks(tile)?;
        self.queues(tile)?;
        self.spans(&tile.origins, |span| *span)?;
        self.spans(&tile.registers, |register| register.span)?;
        self.spans(&tile.operands, |operand| operand.span)?;
        if self.is_new(&tile.places) {
            let mut spans = tile.places.iter().flat_map(|place| [place.op, place.dsd]);
            spans.try_for_each(|span| self.span(span))?;
        }
        tile.descriptors.iter().try_for_each(|descriptor| self.span(descriptor.span))?;
        self.tables(tile)?;
        self.code_of(tile)
    }

    /// Looks at the functions of a tile. Most tiles have the same ones as another that names the same DSDs.
    fn code_of(&mut self, tile: &'p TileImage) -> Verdict {
        let pair = (place(&tile.vector_ops), place(&tile.dsds));
        let known = self.alike.insert(pair, tile).filter(|other| has_equal_tables(tile, other));
        let known = known.map_or([].as_slice(), |other| &other.functions);
        for (n, function) in tile.functions.iter().enumerate() {
            if !known.get(n).is_some_and(|known| Arc::ptr_eq(function, known) || is_alike(function, known)) {
                self.function(function, tile)?;
            }
        }
        Ok(())
    }

    fn memory(&mut self, tile: &TileImage) -> Verdict {
        const OUTSIDE: &str = "a variable lies outside of memory";
        let end = usize::from(tile.data_end);
        ensure(tile.data.len() <= end && end <= self.arch.memory_words as usize, OUTSIDE)?;
        if self.is_new(&tile.symbols) {
            let after = |s: &Symbol| usize::from(s.addr) + usize::from(s.words);
            ensure(tile.symbols.iter().all(|s| after(s) <= end), OUTSIDE)?;
            ensure(tile.symbols.is_sorted_by_key(|s| s.addr), "the variables are not in order")?;
            tile.symbols.iter().try_for_each(|s| self.span(s.span))?;
        }
        tile.exports.iter().try_for_each(|export| match export.target {
            ExportTarget::Pointer(at) | ExportTarget::Data(at) => ensure(usize::from(at) <= end, OUTSIDE),
            ExportTarget::Fn(f) => has_function(tile, f),
        })?;
        tile.fifos.iter().try_for_each(|fifo| self.fifo(fifo))
    }

    fn fifo(&self, fifo: &Fifo) -> Verdict {
        let words = usize::from(fifo.capacity) * usize::from(fifo.element_words);
        let is_inside = usize::from(fifo.base) + words <= self.arch.memory_words as usize;
        let is_whole = fifo.capacity > 0 && matches!(fifo.element_words, 1 | 2);
        ensure(is_inside && is_whole, "a FIFO lies outside of memory")?;
        let [dest, _, src1] = self.arch.dsrs;
        let (dsr, xdsr) = (fifo.registers.dsr, fifo.registers.xdsr);
        let has_registers = dsr < dest.min(src1) && xdsr < self.arch.xdsrs;
        ensure(has_registers, "a FIFO has a register that the machine does not have")?;
        fifo.activate_push.iter().chain(&fifo.activate_pop).copied().try_for_each(task_id)?;
        self.span(fifo.span)
    }

    fn tasks(&self, tile: &TileImage) -> Verdict {
        for task in &tile.tasks {
            task_id(task.id)?;
            has_function(tile, task.function)?;
            ensure(task.params.len() <= 2, "a task has more parameters than a wavelet has parts")?;
            self.span(task.span)?;
        }
        for handler in &tile.handlers {
            has_function(tile, handler.function)?;
            self.span(handler.span)?;
            match handler.on {
                TeardownCause::Teardown(color) => routable(color, self.arch)?,
                TeardownCause::EmptyInput(queue) => self.input_queue(queue.0)?,
                TeardownCause::EmptyOutput(queue) => self.output_queue(queue.0)?,
            }
        }
        tile.rotations.iter().flat_map(|r| [r.main, r.alternative]).try_for_each(task_id)
    }

    fn queues(&self, tile: &TileImage) -> Verdict {
        for bound in &tile.input_queues {
            self.input_queue(bound.queue.0)?;
            routable(bound.color, self.arch)?;
            self.span(bound.span)?;
        }
        for bound in &tile.output_queues {
            self.output_queue(bound.queue.0)?;
            routable(bound.color, self.arch)?;
            self.span(bound.span)?;
        }
        for (color, config, span) in &tile.local_routes {
            routable(*color, self.arch)?;
            config.verify()?;
            self.span(*span)?;
        }
        tile.mailbox.map_or(Ok(()), |queue| self.input_queue(queue.0))
    }

    fn input_queue(&self, queue: u8) -> Verdict {
        let count = self.arch.input_queue_depth.len();
        ensure(usize::from(queue) < count, "an input queue does not exist")
    }

    fn output_queue(&self, queue: u8) -> Verdict {
        let count = self.arch.output_queue_depth.len();
        ensure(usize::from(queue) < count, "an output queue does not exist")
    }

    fn tables(&mut self, tile: &TileImage) -> Verdict {
        let Known { arch, .. } = *self;
        ensure(tile.fifos.len() <= MOST_FIFOS, "there are more FIFOs than registers")?;
        if self.dsds.insert((place(&tile.dsds), tile.fifos.len())) {
            let check = |dsd: &Dsd| verify_tables::dsd(dsd, arch, &tile.fifos);
            tile.dsds.iter().try_for_each(check)?;
        }
        let named = Named { arch, dsds: &tile.dsds };
        let pair = (place(&tile.vector_ops), place(&tile.dsds));
        if !self.vectors.contains_key(&pair) {
            tile.vector_ops.iter().try_for_each(|vector| self.span(vector.span))?;
            let registers = tile.vector_ops.iter().map(|vector| named.vector(vector));
            self.vectors.insert(pair, registers.collect::<Result<_, _>>()?);
        }
        for map in &tile.maps {
            named.map(map, 0)?;
            self.span(map.span)?;
        }
        for load in &tile.dsr_loads {
            named.load(load)?;
            self.span(load.span)?;
        }
        for load in &tile.initial_dsrs {
            let load = tile.dsr_loads.get(*load as usize);
            named.initial_load(load.ok_or("a load before the start does not exist")?)?;
        }
        Ok(())
    }

    fn function(&mut self, function: &Function, tile: &TileImage) -> Verdict {
        self.span(function.span)?;
        let sizes = Sizes {
            registers: function.registers.into(),
            strings: tile.strings.len(),
            functions: tile.functions.len(),
            dsds: tile.dsds.len(),
            fifos: tile.fifos.len(),
        };
        let given = usize::from(function.params) + function.consts.len();
        ensure(given <= sizes.registers, "a function has more constants than registers")?;
        // Whatever of the tile decides about its code, apart from tables that tiles do not share.
        let lists = [place(&function.code), place(&function.spans), place(&function.locals)];
        let tables = [place(&tile.vector_ops), place(&tile.dsds)];
        let same = (lists, tables, sizes);
        let has_tables = match self.functions.get(&same) {
            Some(known) => *known,
            None => {
                let has_tables = self.code(function, tile, sizes)?;
                self.functions.insert(same, has_tables);
                has_tables
            }
        };
        if has_tables { self.own_tables(function, tile) } else { Ok(()) }
    }

    /// Looks at code; says whether it names entries of tables that tiles do not share.
    fn code(&mut self, function: &Function, tile: &TileImage, sizes: Sizes) -> Result<bool, &'static str> {
        self.spans(&function.spans, |span| *span)?;
        self.spans(&function.locals, |local| local.span)?;
        let is_covered = function.spans.len() == function.code.len();
        ensure(is_covered, "an operation has no place in the source")?;
        let needs = match self.code.entry(place(&function.code)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(CodeNeeds::of(&function.code)?),
        };
        needs.check(sizes)?;
        let of_vectors = &self.vectors[&(place(&tile.vector_ops), place(&tile.dsds))];
        let fits = |n: &u32| of_vectors.get(*n as usize).is_some_and(|count| *count <= sizes.registers);
        ensure(needs.vectors.iter().all(fits), BEYOND_TABLES)?;
        Ok(needs.has_own_tables())
    }

    /// Looks at the maps and loads that code names.
    fn own_tables(&self, function: &Function, tile: &TileImage) -> Verdict {
        let needs = &self.code[&place(&function.code)];
        let fits = |count: Option<usize>| count.is_some_and(|n| n <= function.registers.into());
        let named = Named { arch: self.arch, dsds: &tile.dsds };
        for (n, base) in &needs.maps {
            let map = tile.maps.get(*n as usize).map(|map| named.map(map, *base));
            ensure(fits(map.transpose()?), BEYOND_TABLES)?;
        }
        for n in &needs.loads {
            let load = tile.dsr_loads.get(*n as usize).map(|load| named.load(load));
            ensure(fits(load.transpose()?), BEYOND_TABLES)?;
        }
        let has_output = |n: &u32| tile.maps.get(*n as usize).is_some_and(|map| map.output.is_some());
        ensure(needs.outputs.iter().all(has_output), BEYOND_TABLES)
    }
}

/// Whether code that fits one tile fits the other, which has the same operations on DSDs and DSDs.
fn has_equal_tables(tile: &TileImage, other: &TileImage) -> bool {
    let sizes = |tile: &TileImage| (tile.strings.len(), tile.functions.len(), tile.fifos.len());
    sizes(tile) == sizes(other) && tile.maps == other.maps && tile.dsr_loads == other.dsr_loads
}

/// Whether functions differ at most in what is not looked at: names and values.
fn is_alike(function: &Function, other: &Function) -> bool {
    let sizes = |f: &Function| (f.registers, f.params, f.consts.len(), f.span);
    function.code.is_same(&other.code)
        && function.spans.is_same(&other.spans)
        && function.locals.is_same(&other.locals)
        && sizes(function) == sizes(other)
}

const BEYOND_TABLES: &str = "code names an entry of a table that does not exist, or that does not fit it";

fn has_function(tile: &TileImage, f: FnId) -> Verdict {
    ensure((f.0 as usize) < tile.functions.len(), "a task or an export has no function")
}

#[cfg(test)]
mod tests;
