//! How the tile under construction becomes a [`TileImage`].

use super::operand::element_of;
use super::value::{FnRef, GlobalId};
use super::words::write_words;
use super::world::Sema;
use crate::arch::ArchName;
use crate::diagnostics::Result;
use crate::diagnostics::rules::comptime as rules;
use crate::dsd::{Dsd, Priority};
use crate::image::{QueueBinding, Symbol, TaskBinding, TaskKind, TileImage};
use crate::source::Span;
use crate::value::ty::Ty;

/// How many symbols a message about a full memory names.
const SHOWN_SYMBOLS: usize = 5;

impl Sema<'_> {
    /// The number of a DSD constant of the tile.
    pub fn dsd_constant(&mut self, d: Dsd) -> u32 {
        let tile = &mut self.world.tile;
        *tile.dsd_numbers.entry(d).or_insert_with(|| {
            tile.image.dsds.push(d);
            tile.image.dsds.len() as u32 - 1
        })
    }

    /// A place that messages about a DSD can name.
    pub fn origin(&mut self, span: Span) -> u16 {
        let tile = &mut self.world.tile;
        *tile.origin_numbers.entry(span).or_insert_with(|| {
            tile.image.origins.push(span);
            u16::try_from(tile.image.origins.len()).unwrap_or(0)
        })
    }

    /// Everything is said: writes the functions and fills the image.
    pub fn finish_tile(&mut self, file: String, params: String) -> TileImage {
        let data = self.write_tile();
        self.finish_queues();
        // What a comptime block has not done because of an error is no second mistake.
        if !self.world.has_failed_block {
            self.finish_tasks();
            self.finish_fifo_tasks();
            self.finish_load_tasks();
            self.check_loaded_queues();
            self.check_ignored_settings();
        }
        self.block_free_channels();
        self.check_memory();
        let mut image = std::mem::take(&mut self.world.tile.image);
        image.file = file;
        image.params = params;
        self.fill_memory(&mut image, data);
        let functions = std::mem::take(&mut self.world.tile.functions);
        image.functions = functions.into_iter().flatten().collect();
        super::registers::allocate(self.arch, &mut image).into_iter().for_each(|c| self.report(c));
        image
    }

    /// Writes code and data. Code places globals and constants; data holds pointers, which place the
    /// globals and ask for the functions behind them.
    fn write_tile(&mut self) -> Vec<u16> {
        let mut data = Vec::new();
        let mut next = 0;
        loop {
            self.write_functions();
            let Some(id) = self.world.tile.placed.get(next).copied() else { return data };
            next += 1;
            if self.world.tile.next_word > self.arch.memory_words {
                continue;
            }
            if let Err(diag) = self.fill_global(id, &mut data) {
                let span = self.global(id).span;
                self.report(diag.at(span));
            }
        }
    }

    /// On WSE-2 a DSD that names a queue and a color binds them, unless `@initialize_queue` did.
    fn finish_queues(&mut self) {
        for (queue, color, span) in std::mem::take(&mut self.world.tile.implicit_queues) {
            let bound = &mut self.world.tile.image.input_queues;
            if !bound.iter().any(|b| b.queue == queue || b.color == color) {
                bound.push(QueueBinding { queue, color, priority: Priority::High, explicit: false, span });
            }
        }
    }

    /// A channel without a data task starts blocked unless `@unblock` said otherwise (ruling OQ-47).
    fn block_free_channels(&mut self) {
        let channels = match self.arch.name {
            ArchName::Wse2 => usize::from(self.arch.routable_colors),
            ArchName::Wse3 => self.arch.input_queue_depth.len(),
        };
        let image = &mut self.world.tile.image;
        let taken =
            |id: usize| image.tasks.iter().any(|t| usize::from(t.id.0) == id && t.kind != TaskKind::Control);
        let free: u64 = (0..channels).filter(|id| !taken(*id)).map(|id| 1 << id).sum();
        image.blocked |= free & !self.world.tile.unblocked;
    }

    fn check_memory(&mut self) {
        let limit = self.arch.memory_words;
        let used = self.world.tile.next_word;
        if used <= limit {
            return;
        }
        let mut symbols: Vec<_> = self.world.tile.placed.iter().map(|id| self.global(*id)).collect();
        symbols.sort_by_key(|g| std::cmp::Reverse(g.ty.words().unwrap_or(u32::MAX)));
        let Some(largest) = symbols.first() else { return };
        let mut diag = rules::PROGRAM_TOO_LARGE
            .because(&[("used", &(u64::from(used) * 2)), ("limit", &(limit * 2))])
            .at(largest.span);
        for g in symbols.iter().take(SHOWN_SYMBOLS) {
            let bytes = u64::from(g.ty.words().unwrap_or(u32::MAX)) * 2;
            diag = diag.note(format!("`{}` takes {bytes} bytes ({})", g.name, self.sources.describe(g.span)));
        }
        self.report(diag);
    }

    fn fill_memory(&mut self, image: &mut TileImage, mut data: Vec<u16>) {
        if self.world.tile.next_word > self.arch.memory_words {
            return;
        }
        while data.last() == Some(&0) {
            data.pop();
        }
        image.data = data;
        image.data_end = self.world.tile.next_word as u16;
        for id in self.world.tile.placed.clone() {
            let g = self.global(id).clone();
            image.symbols.push(Symbol {
                name: g.name,
                addr: g.addr.unwrap_or(0),
                words: g.ty.words().unwrap_or(0) as u16,
                ty: g.ty.to_string(),
                dims: dims_of(&g.ty),
                element: element_of(&g.ty),
                mutable: g.is_var,
                span: g.span,
            });
        }
        image.symbols.sort_by_key(|s| s.addr);
    }

    fn fill_global(&mut self, id: GlobalId, data: &mut Vec<u16>) -> Result<()> {
        let g = self.global(id).clone();
        let (Some(addr), Some(words)) = (g.addr, g.ty.words()) else { return Ok(()) };
        let mut own = vec![0u16; words as usize];
        write_words(self, &g.value, &mut own)?;
        let end = usize::from(addr) + own.len();
        if data.len() < end {
            data.resize(end, 0);
        }
        data[usize::from(addr)..end].copy_from_slice(&own);
        Ok(())
    }

    /// Binds a task to an id.
    pub fn add_task(&mut self, f: FnRef, binding: TaskBinding) {
        self.world.tile.bound.push((f, binding.id));
        self.world.tile.image.tasks.push(binding);
    }
}

fn dims_of(ty: &Ty) -> Vec<u32> {
    match ty {
        Ty::Array(a) => a.dims.clone(),
        _ => Vec::new(),
    }
}
