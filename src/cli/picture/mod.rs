//! Pictures of DSDs for `cslrun dsd`: which elements an operation visits in which order, and in how many cycles.
//!
//! In: a `Program` that was compiled to keep its descriptors. Out: text or SVG. [`views`] collects the facts
//! of each DSD; [`text`] and [`svg`] draw them. Never: runs anything, or prints.

mod draw;
mod grid;
mod stream;
mod svg;

pub use draw::text;
pub use svg::svg;

use crate::dsd::{Dsd, FifoId, Mem};
use crate::image::code::DsdEdit;
use crate::image::{Descriptor, NO_TILE, TileImage};
use crate::{PeCoord, Program, SourceMap, Span, Symbol};
use grid::ArrayGrid;
use std::borrow::Cow;
use stream::StreamView;

/// Which DSDs of a program to look at; those that meet all conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Built in this file.
    pub file: Option<String>,
    /// Built in this line.
    pub line: Option<usize>,
    /// The value of this constant or variable.
    pub name: Option<String>,
}

/// A DSD and all that can be said of it.
#[derive(Clone, Debug)]
pub struct View<'p> {
    name: Option<String>,
    /// `file:line:column` of where it is built.
    place: String,
    /// The source text that builds it, on one line.
    code: String,
    descriptor: Cow<'p, Descriptor>,
    /// One of the PEs that build it, and how many do.
    home: (PeCoord, usize),
    elements: ViewedDsd<'p>,
}

/// What it is a DSD of.
#[derive(Clone, Debug)]
enum ViewedDsd<'p> {
    Memory(MemoryView<'p>),
    Stream(StreamView),
}

/// A DSD over memory.
#[derive(Clone, Debug)]
struct MemoryView<'p> {
    mem: Mem,
    /// The array behind it, if its elements have a known size.
    array: Option<&'p Symbol>,
    /// Words per element.
    words: u16,
    /// The array with the visits.
    grid: Option<ArrayGrid>,
    /// Address of each element in order of visits, as far as they lie in memory; at most [`MOST`].
    addresses: Vec<u16>,
}

/// Visits that are followed; more do not make a picture clearer.
const MOST: usize = 10_000;

/// The DSDs that `chosen` names, each once, in order of the source text.
pub fn views<'p>(program: &'p Program, chosen: &Chosen) -> Vec<View<'p>> {
    let mut views: Vec<View<'p>> = Vec::new();
    for (number, tile) in program.tiles.iter().enumerate() {
        let home = home(program, number);
        let fifos = tile.fifos.iter().enumerate().map(|(n, fifo)| {
            let dsd = Dsd::Fifo(FifoId(n as u8));
            Cow::Owned(Descriptor { span: fifo.span, dsd, open: Vec::new() })
        });
        for descriptor in tile.descriptors.iter().map(Cow::Borrowed).chain(fifos) {
            match views.iter_mut().find(|v| v.descriptor == descriptor) {
                Some(same) => same.home.1 += home.1,
                None => views.push(View::new(program, tile, descriptor, home)),
            }
        }
    }
    views.retain(|v| chosen.takes(&program.sources, v));
    views.sort_by_key(|v| v.descriptor.span);
    views
}

/// The first PE with this tile, and how many have it.
fn home(program: &Program, tile: usize) -> (PeCoord, usize) {
    let has = |place: &&u32| **place != NO_TILE && **place as usize == tile;
    let first = program.place.iter().position(|p| has(&p)).unwrap_or(0);
    (program.pe_coord(first), program.place.iter().filter(has).count())
}

impl Chosen {
    fn takes(&self, sources: &SourceMap, view: &View<'_>) -> bool {
        let span = view.descriptor.span;
        let file = &sources.file(span.file).name;
        let first = sources.line_col(span.file, span.lo).line;
        let last = sources.line_col(span.file, span.hi).line;
        self.file.as_ref().is_none_or(|f| file == f || file.ends_with(&format!("/{f}")))
            && self.line.is_none_or(|line| (first..=last).contains(&line))
            && self.name.as_ref().is_none_or(|name| view.name.as_ref() == Some(name))
    }
}

impl<'p> View<'p> {
    fn new(
        program: &'p Program,
        tile: &'p TileImage,
        descriptor: Cow<'p, Descriptor>,
        home: (PeCoord, usize),
    ) -> View<'p> {
        let span = descriptor.span;
        let text = &program.sources.file(span.file).text;
        let code = &text[span.lo as usize..span.hi as usize];
        View {
            name: name_before(text, span),
            place: program.sources.describe(span),
            code: code.split_whitespace().collect::<Vec<_>>().join(" "),
            home,
            elements: match &descriptor.dsd {
                Dsd::Mem(mem) => ViewedDsd::Memory(MemoryView::new(tile, *mem, &descriptor.open)),
                Dsd::FabIn(f) => ViewedDsd::Stream(StreamView::coming(program, tile, home.0, f)),
                Dsd::FabOut(f) => ViewedDsd::Stream(StreamView::leaving(program, tile, home.0, f)),
                Dsd::Fifo(id) => ViewedDsd::Stream(StreamView::through(&tile.fifos[usize::from(id.0)])),
            },
            descriptor,
        }
    }

    /// Whether a property is only known when the program runs.
    fn is_open(&self, edit: DsdEdit) -> bool {
        self.descriptor.open.iter().any(|property| property == edit.name())
    }

    /// The array with the visits, if all that decides them is known.
    fn grid(&self) -> Option<&ArrayGrid> {
        match &self.elements {
            ViewedDsd::Memory(memory) => memory.grid.as_ref(),
            ViewedDsd::Stream(_) => None,
        }
    }

    /// The code that builds it.
    pub fn span(&self) -> Span {
        self.descriptor.span
    }

    /// The constant or variable that it is the first value of.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// `name, file:line:column`
    pub fn title(&self) -> String {
        match &self.name {
            Some(name) => format!("{name}, {}", self.place),
            None => self.place.clone(),
        }
    }
}

impl<'p> MemoryView<'p> {
    fn new(tile: &'p TileImage, mem: Mem, open: &[String]) -> MemoryView<'p> {
        let array = tile.symbols.iter().find(|s| s.addr == mem.lo && s.addr + s.words == mem.hi);
        let words = array.and_then(|s| s.element).map_or(1, |e| e.words());
        // What is set at run time may make any of them another.
        let addresses = if open.is_empty() { addresses(&mem, words) } else { Vec::new() };
        let grid = array.filter(|_| open.is_empty()).and_then(|s| ArrayGrid::new(s, words, &addresses));
        MemoryView { mem, array, words, grid, addresses }
    }

    /// How many of the followed visits leave the array.
    fn outside(&self) -> usize {
        let inside =
            |at: &&u16| **at >= self.mem.lo && u32::from(**at) + u32::from(self.words) <= self.mem.hi.into();
        self.addresses.len() - self.addresses.iter().filter(inside).count()
    }

    /// Elements between neighbours in a dimension; the step delta takes back what the faster
    /// dimensions have moved.
    fn stride(&self, dim: usize) -> i32 {
        let faster: i32 = (0..dim).map(|d| (i32::from(self.mem.extent[d]) - 1) * self.stride(d)).sum();
        i32::from(self.mem.step[dim]) + faster
    }

    /// How many stride registers a load takes (seed: `@load_to_dsr_xdsr_sr`).
    fn stride_registers(&self) -> usize {
        let dims = usize::from(self.mem.dims);
        dims.saturating_sub(if self.mem.step[0] == 1 { 2 } else { 1 })
    }
}

fn addresses(mem: &Mem, words: u16) -> Vec<u16> {
    use crate::dsd::access::AddressCursor;
    let mut cursor = AddressCursor::new(mem, mem.base, words, (0, u16::MAX));
    let count = (mem.length() as usize).min(MOST);
    (0..count).map_while(|_| cursor.next_element().ok()).map(|at| at as u16).collect()
}

/// The name in `const name = ` or `var name: type = ` in front of `span`.
fn name_before(text: &str, span: Span) -> Option<String> {
    let head = text[..span.lo as usize].trim_end().strip_suffix('=')?;
    let at = ["const ", "var "].into_iter().filter_map(|word| Some(head.rfind(word)? + word.len())).max()?;
    let name = head[at..].split([':', ' ', '\n']).next()?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name && !head[at..].contains(';')).then(|| name.to_string())
}

#[cfg(test)]
mod tests;
