//! What the layout block says: which PE runs what, and with which routes.

use super::unit::Unit;
use super::value::Value;
use crate::arch::Color;
use crate::diagnostics::rules::layout as rules;
use crate::diagnostics::{Diag, Result};
use crate::image::{ExportName, MemcpyColors, NO_TILE, RouteTable};
use crate::source::Span;
use crate::syntax::ast::Name;
use crate::value::ty::Ty;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::rc::Rc;

/// More PEs than any wafer has are a typing mistake (the largest is 762 x 1172).
const MAX_PES: u64 = 2_000_000;

/// What the layout block has said so far.
#[derive(Debug, Default)]
pub struct LayoutState {
    /// `@set_rectangle`, and where.
    pub rectangle: Option<(u16, u16, Span)>,
    /// The distinct (file, parameters) pairs.
    pub classes: Vec<TileClass>,
    /// Classes by the fingerprint of their parameters.
    pub alike: FxHashMap<u64, Vec<u32>>,
    /// The class of each PE, row by row.
    pub place: Vec<u32>,
    /// `@set_color_config`
    pub routes: RouteTable,
    /// The class that is being compiled.
    pub class: u32,
    /// `@get_filter_id`
    pub filter_uses: Vec<FilterUse>,
    /// `@export_name`
    pub exports: Vec<ExportName>,
    /// The types that it names, in the same order.
    pub export_types: Vec<Ty>,
    /// `<memcpy/get_params>`
    pub memcpy: Option<MemcpyColors>,
    /// True while the block runs.
    pub running: bool,
    /// The block has ended with an error: what stands behind it was not done.
    pub has_failed: bool,
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

impl LayoutState {
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
            return Err(rules::TILE_TWICE.plain());
        }
        self.place[pe] = class;
        Ok(())
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
pub struct FilterUse {
    /// The class that uses it.
    pub class: u32,
    /// The color.
    pub color: Color,
    /// The call.
    pub span: Span,
}

/// The diagnostic about a second configuration of a color on a PE.
pub fn route_twice(routes: &RouteTable, pe: usize, color: Color, second: Span) -> Diag {
    let c = rules::ROUTE_TWICE.because(&[("color", &color)]).at(second);
    match routes.get(pe, color).and_then(|first| first.span) {
        Some(first) => c.also(first, "first set here"),
        None => c,
    }
}
