//! What the layout block says: which PE runs what, and with which routes.

use super::streams::{Streams, smallest_fabric};
use super::unit::Unit;
use super::value::Value;
use crate::arch::{Color, PeCoord};
use crate::diagnostics::rules::layout as rules;
use crate::diagnostics::{Diag, Result};
use crate::image::{ColorConfig, ExportName, FabricPlace, NO_TILE, RouteTable};
use crate::source::Span;
use crate::syntax::ast::Name;
use crate::value::ty::Ty;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::rc::Rc;

/// More PEs than any wafer has are a typing mistake (the largest is 762 x 1172).
const MAX_PES: u64 = 2_000_000;

/// Whether PEs are told that they are in the first or last column. Programs that never ask are not told, so that
/// their columns share one tile.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Columns {
    /// Nothing has asked.
    #[default]
    Untold,
    /// Something has asked in vain: the program must be compiled again.
    Asked,
    /// They are told.
    Given,
}

impl Columns {
    /// A struct has no field of this name. That of `<memcpy/get_params>` has it, if the columns are given.
    pub fn ask(&mut self, of: &Ty, name: &str) {
        let is_told = matches!(name, "first_pe" | "last_pe" | "LAUNCH");
        let is_of_memcpy = || ["height", "MEMCPYD2H_4"].iter().all(|name| of.field(name).is_some());
        if *self == Columns::Untold && is_told && is_of_memcpy() {
            *self = Columns::Asked;
        }
    }
}

/// What the layout block has said so far.
#[derive(Debug, Default)]
pub struct LayoutScope {
    /// Whether PEs know their column.
    pub columns: Columns,
    /// `@set_rectangle`, and where.
    rectangle: Option<(u16, u16, Span)>,
    /// The distinct (file, parameters) pairs.
    classes: Vec<TileClass>,
    /// Classes by the fingerprint of their parameters.
    alike: FxHashMap<u64, Vec<u32>>,
    /// The class of each PE, row by row.
    place: Vec<u32>,
    /// `@set_color_config`
    routes: RouteTable,
    /// The class that is being compiled.
    class: u32,
    /// `@get_filter_id`
    filter_uses: Vec<FilterUse>,
    /// `@export_name`
    exports: Vec<ExportName>,
    /// The types that it names, in the same order.
    export_types: Vec<Ty>,
    /// `<memcpy/get_params>`
    streams: Option<Streams>,
    /// The program has a layout block.
    has_block: bool,
    /// The file of the layout block imports `<memcpy/get_params>`, also before the block has come to it.
    imports_streams: bool,
    /// There is no block: the code is that of regions.
    is_of_regions: bool,
    /// True while the block runs.
    is_running: bool,
    /// The block has ended with an error: what stands behind it was not done.
    has_failed: bool,
}

/// Everything that the layout has said, when all tiles are compiled.
#[derive(Debug)]
pub struct Placed {
    /// Columns and rows, and where they are set.
    pub rectangle: (u16, u16, Span),
    /// The class of each PE, row by row.
    pub place: Vec<u32>,
    /// The routes of all PEs but those that tiles set themselves.
    pub routes: RouteTable,
    /// What the host sees.
    pub exports: Vec<ExportName>,
    /// The streams to and from the host.
    pub streams: Option<Streams>,
}

/// PEs with the same file and parameters.
#[derive(Debug)]
pub struct TileClass {
    /// The file.
    pub unit: Rc<Unit>,
    /// The parameters.
    pub params: IndexMap<Name, Value>,
    /// The first `@set_tile_code` that asks for it.
    pub span: Option<Span>,
}

impl LayoutScope {
    /// The layout block begins; its file `imports_streams` if it mentions `<memcpy/get_params>`.
    pub fn begin(&mut self, imports_streams: bool) {
        (self.is_running, self.has_block, self.imports_streams) = (true, true, imports_streams);
    }

    /// The layout block has ended: with an error, if it `has_failed`.
    pub fn end(&mut self, has_failed: bool) {
        (self.is_running, self.has_failed) = (false, has_failed);
    }

    /// Whether the layout block is being evaluated.
    pub fn is_running(&self) -> bool {
        self.is_running
    }

    /// Whether the program has a layout block.
    pub fn has_block(&self) -> bool {
        self.has_block
    }

    /// Whether the layout block has ended with an error.
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Columns and rows, and where they are set.
    pub fn rectangle(&self) -> Option<(u16, u16, Span)> {
        self.rectangle
    }

    /// Columns and rows that nothing in the program says, and its first place.
    pub fn give_rectangle(&mut self, (width, height): (u16, u16), at: Span) {
        self.rectangle = Some((width, height, at));
    }

    /// The fabric around the rectangle, if nobody says how large it is. Where regions lie is not known here.
    pub fn smallest_fabric(&self) -> Option<FabricPlace> {
        let (width, height, _) = self.rectangle.filter(|_| !self.is_of_regions)?;
        Some(smallest_fabric((width, height), self.imports_streams || self.streams.is_some()))
    }

    /// From now on, code is that of regions, which a Python script places.
    pub fn begin_regions(&mut self) {
        self.is_of_regions = true;
    }

    /// Whether it is.
    pub fn is_of_regions(&self) -> bool {
        self.is_of_regions
    }

    /// A layout that nothing in the program says: the tile of each PE, row by row, and all routes.
    pub fn give(&mut self, place: Vec<u32>, routes: RouteTable) {
        (self.place, self.routes) = (place, routes);
    }

    /// The layout of a program without one: a single PE with this code.
    pub fn give_single(&mut self, unit: Rc<Unit>, params: IndexMap<Name, Value>) {
        self.give_rectangle((1, 1), Span::new(unit.file.id, 0, 0));
        self.give(vec![0], RouteTable::new(1));
        self.classes.push(TileClass { unit, params, span: None });
    }

    /// The position of a PE, if it lies in the rectangle.
    pub fn pe(&self, x: u32, y: u32) -> Option<usize> {
        let (w, h, _) = self.rectangle?;
        (x < u32::from(w) && y < u32::from(h)).then(|| y as usize * usize::from(w) + x as usize)
    }

    /// `@set_rectangle`
    pub fn set_rectangle(&mut self, w: u16, h: u16, span: Span) -> Result<()> {
        if let Some((_, _, first)) = self.rectangle {
            return Err(rules::RECTANGLE_TWICE.plain().at(span).also(first, "first set here"));
        }
        let pes = u64::from(w) * u64::from(h);
        if pes == 0 || pes > MAX_PES {
            return Err(rules::BAD_RECTANGLE.because(&[("width", &w), ("height", &h)]).at(span));
        }
        self.rectangle = Some((w, h, span));
        self.place = vec![NO_TILE; pes as usize];
        self.routes = RouteTable::new(pes as usize);
        Ok(())
    }

    /// `@set_tile_code`
    pub fn set_tile(&mut self, pe: usize, class: u32) -> Result<()> {
        if self.place[pe] != NO_TILE {
            let width = self.rectangle.map_or(1, |(width, ..)| usize::from(width));
            let at = PeCoord { x: (pe % width) as u16, y: (pe / width) as u16 };
            let diag = rules::TILE_TWICE.because(&[("pe", &at)]);
            let first = self.classes.get(self.place[pe] as usize).and_then(|class| class.span);
            return Err(first.into_iter().fold(diag, |diag, first| diag.also(first, "it is set here first")));
        }
        self.place[pe] = class;
        Ok(())
    }

    /// `@set_color_config`
    pub fn set_route(&mut self, pe: usize, color: Color, config: ColorConfig, at: Span) -> Result<()> {
        match self.routes.set(pe, color, config, Some(at)) {
            true => Ok(()),
            false => {
                let width = self.rectangle.map_or(1, |(width, ..)| width);
                Err(route_twice(&self.routes, (pe, width), color, at))
            }
        }
    }

    /// Every PE needs code.
    ///
    /// # Errors
    /// The block, which stands at `span`, has set no rectangle, or not the code of every PE.
    pub fn check_covered(&self, span: Span) -> Result<()> {
        let Some((width, _, set)) = self.rectangle else {
            return Err(rules::NO_RECTANGLE.plain().at(span));
        };
        let mut missing = (0..self.place.len()).filter(|pe| self.place[*pe] == NO_TILE);
        let Some(first) = missing.next() else { return Ok(()) };
        let at = PeCoord { x: (first % usize::from(width)) as u16, y: (first / usize::from(width)) as u16 };
        let mut c = rules::TILE_MISSING.because(&[("pe", &at)]).at(set).label("the rectangle");
        c = c.help(format!("write `@set_tile_code({}, {}, \"file.csl\", .{{}})`", at.x, at.y));
        match missing.count() {
            0 => Err(c),
            others => Err(c.note(format!("the same on {others} other PEs"))),
        }
    }

    /// Whether a file is the code of any PE.
    pub fn places(&self, unit: &Rc<Unit>) -> bool {
        self.classes.iter().any(|class| Rc::ptr_eq(&class.unit, unit))
    }

    /// The classes, to be compiled in this order.
    pub fn take_classes(&mut self) -> Vec<TileClass> {
        std::mem::take(&mut self.classes)
    }

    /// A class is compiled from here on.
    pub fn begin_class(&mut self, class: u32) {
        self.class = class;
    }

    /// `@get_filter_id`, in the class that is being compiled.
    pub fn use_filter(&mut self, color: Color, span: Span) {
        self.filter_uses.push(FilterUse { class: self.class, color, span });
    }

    /// What the class that is being compiled has said of filters.
    pub fn filters_used(&self) -> Vec<(Color, Span)> {
        let own = self.filter_uses.iter().rev().take_while(|used| used.class == self.class);
        let mut own: Vec<_> = own.map(|used| (used.color, used.span)).collect();
        own.reverse();
        own
    }

    /// Looks for the filters that `@get_filter_id` names, when all routes are known.
    pub fn check_filters(&self, placed: &Placed) -> Vec<Diag> {
        if self.filter_uses.is_empty() {
            return Vec::new();
        }
        let width = usize::from(placed.rectangle.0);
        let mut pes: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        placed.place.iter().enumerate().for_each(|(pe, class)| pes.entry(*class).or_default().push(pe));
        let unfiltered = |used: &FilterUse| {
            let lacks = |pe: &&usize| {
                let route = placed.routes.get(**pe, used.color);
                route.is_none_or(|c| c.config.filter.is_none())
            };
            let pe = pes.get(&used.class)?.iter().find(lacks)?;
            let at = PeCoord { x: (pe % width) as u16, y: (pe / width) as u16 };
            let c = rules::NO_FILTER.because(&[("color", &used.color), ("pe", &at)]).at(used.span);
            Some(c.help("give the color a `.filter` on every PE with this code"))
        };
        self.filter_uses.iter().filter_map(unfiltered).collect()
    }

    /// `@export_name`
    pub fn export(&mut self, export: ExportName, ty: Ty) {
        self.exports.push(export);
        self.export_types.push(ty);
    }

    /// What is advertised to the host, in order of its ids.
    pub fn exports(&self) -> &[ExportName] {
        &self.exports
    }

    /// The place among the exports of what is advertised under a name.
    pub fn find_export(&self, name: &str) -> Option<usize> {
        self.exports.iter().position(|e| e.name == name)
    }

    /// The type that is advertised with an export.
    pub fn export_type(&self, place: usize) -> &Ty {
        &self.export_types[place]
    }

    /// The streams to and from the host.
    pub fn streams(&self) -> Option<&Streams> {
        self.streams.as_ref()
    }

    /// What `<memcpy/get_params>` says of them.
    pub fn set_streams(&mut self, streams: Streams) {
        self.streams = Some(streams);
    }

    /// Everything that was said; `None` if there is no rectangle.
    pub fn take(&mut self) -> Option<Placed> {
        Some(Placed {
            rectangle: self.rectangle?,
            place: std::mem::take(&mut self.place),
            routes: std::mem::take(&mut self.routes),
            exports: std::mem::take(&mut self.exports),
            streams: self.streams.take(),
        })
    }

    /// The class of a (file, parameters) pair.
    pub fn class(&mut self, unit: &Rc<Unit>, params: IndexMap<Name, Value>, span: Span) -> u32 {
        let alike = self.alike.entry(fingerprint(&params)).or_default();
        let same = |n: &&u32| {
            let class = &self.classes[**n as usize];
            Rc::ptr_eq(&class.unit, unit) && class.params == params
        };
        if let Some(n) = alike.iter().find(same) {
            return *n;
        }
        let n = self.classes.len() as u32;
        alike.push(n);
        self.classes.push(TileClass { unit: unit.clone(), params, span: Some(span) });
        n
    }
}

/// A hash that does not depend on the order in which parameters were given.
fn fingerprint(params: &IndexMap<Name, Value>) -> u64 {
    let each = params.iter().map(|(name, value)| FxBuildHasher.hash_one((name, value.fingerprint())));
    each.fold(0, u64::wrapping_add)
}

/// A `@get_filter_id`, to be checked when all routes are known.
#[derive(Copy, Clone, Debug)]
struct FilterUse {
    /// The class that uses it.
    class: u32,
    /// The color.
    color: Color,
    /// The call.
    span: Span,
}

/// The diagnostic about a second configuration of a color on a PE.
pub fn route_twice(routes: &RouteTable, (pe, width): (usize, u16), color: Color, second: Span) -> Diag {
    let width = usize::from(width);
    let at = PeCoord { x: (pe % width) as u16, y: (pe / width) as u16 };
    let c = rules::ROUTE_TWICE.because(&[("color", &color), ("pe", &at)]).at(second);
    match routes.get(pe, color).and_then(|first| first.span) {
        Some(first) => c.also(first, "first set here"),
        None => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    #[test]
    fn a_rectangle_is_covered_when_every_pe_has_code() {
        let span = Span::new(FileId(0), 0, 0);
        let mut layout = LayoutScope::default();
        let told = |layout: &LayoutScope| layout.check_covered(span).map_err(|diag| diag.rule().to_string());
        assert_eq!(told(&layout), Err(rules::NO_RECTANGLE.name.to_string()));
        assert!(layout.set_rectangle(2, 1, span).is_ok());
        assert!(layout.set_tile(1, 0).is_ok() && layout.set_tile(1, 0).is_err());
        assert_eq!(told(&layout), Err(rules::TILE_MISSING.name.to_string()));
        assert!(layout.set_tile(0, 0).is_ok());
        assert_eq!(told(&layout), Ok(()));
    }
}
