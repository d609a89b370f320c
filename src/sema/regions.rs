//! Programs without a layout block: which PE runs what, and with which routes, is given from outside.

use super::layout::TileClass;
use super::modules::read_failure;
use super::options::{CompileOptions, ParamValue};
use super::unit::Unit;
use super::value::Value;
use super::world::Sema;
use crate::diagnostics::Sink;
use crate::image::{Program, RouteTable, TileImage};
use crate::source::{Loader, SourceMap, Span};
use crate::syntax::ast::{Decl, Name};
use indexmap::IndexMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// Where the code of a region comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum RegionSource {
    /// A file.
    File(PathBuf),
    /// Code of our own: its name, and its text.
    Own(&'static str, &'static str),
}

/// A file that PEs run, and the values that they give its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionCode {
    /// The code.
    pub source: RegionSource,
    /// Columns and rows of the region, which `@get_rectangle` tells its code.
    pub size: (u16, u16),
    /// One tile for each: names and values of parameters.
    pub tiles: Vec<Vec<(String, ParamValue)>>,
}

/// What a layout block would have said.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// Columns and rows.
    pub size: (u16, u16),
    /// The tile of each PE, row by row: tiles of all regions are counted on.
    pub place: Vec<u32>,
    /// The routes.
    pub routes: RouteTable,
}

/// What has become of regions.
#[derive(Clone, Debug)]
pub struct CompiledRegions {
    /// The program.
    pub program: Program,
    /// Files whose layout block has no effect.
    pub with_layout: Vec<String>,
}

/// Compiles the code of regions and puts it where the placement says. Everything that is wrong goes to
/// `sink`; the result is `None` if anything of it is an error.
pub fn compile_regions(
    loader: &dyn Loader,
    sources: &mut SourceMap,
    regions: &[RegionCode],
    placement: Placement,
    options: &CompileOptions,
    sink: &mut Sink,
) -> Option<CompiledRegions> {
    let mut sema = Sema::new(loader, sources, options, sink);
    let (mut tiles, mut with_layout, mut whole) = (Vec::new(), Vec::new(), None);
    for region in regions {
        let unit = sema.region_unit(&region.source)?;
        whole.get_or_insert(Span::new(unit.file.id, 0, 0));
        if unit.file.decls.iter().any(|decl| matches!(decl, Decl::Layout(..))) {
            with_layout.push(unit.path.display().to_string());
        }
        if sema.sink.errors() == 0 {
            sema.compile_region(region, &unit, &mut tiles);
        }
    }
    if sema.sink.errors() > 0 {
        return None;
    }
    let (width, height) = placement.size;
    sema.layout.rectangle = Some((width, height, whole?));
    (sema.layout.place, sema.layout.routes) = (placement.place, placement.routes);
    let mut program = sema.assemble(tiles)?;
    // A region exports nothing to the host: symbols are read by their names, on one PE.
    program.exports.clear();
    Some(CompiledRegions { program, with_layout })
}

impl Sema<'_> {
    fn region_unit(&mut self, source: &RegionSource) -> Option<Rc<Unit>> {
        let path = match source {
            RegionSource::File(path) => path,
            RegionSource::Own(name, text) => {
                return Some(self.parse(PathBuf::from(name), name, text.to_string(), true));
            }
        };
        self.root_dir = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let shown = path.display().to_string();
        match self.unit_at(path, &shown) {
            Ok(unit) => Some(unit),
            Err(why) => {
                self.report(read_failure(why, &shown));
                None
            }
        }
    }

    /// Compiles the tiles of a region; the same mistake in several of them is one mistake.
    fn compile_region(&mut self, region: &RegionCode, unit: &Rc<Unit>, tiles: &mut Vec<Arc<TileImage>>) {
        let start = Span::new(unit.file.id, 0, 0);
        self.layout.rectangle = Some((region.size.0, region.size.1, start));
        for params in &region.tiles {
            self.layout.class = tiles.len() as u32;
            let value = |value: &ParamValue| match value {
                ParamValue::Int(n) => Value::int(*n),
                ParamValue::Float(x) => Value::Float(crate::value::float::FloatKind::Comptime, *x),
                ParamValue::Bool(b) => Value::Bool(*b),
                // A parameter of an integer type takes the number of a color, too.
                ParamValue::Color(c) => Value::int(i128::from(*c)),
            };
            let params: IndexMap<Name, Value> =
                params.iter().map(|(name, given)| (Name::new(name), value(given))).collect();
            let before = self.sink.errors();
            let class = TileClass { unit: unit.clone(), params, span: None };
            let tile = self.compile_tile(&class);
            tiles.push(Arc::new(tile));
            if self.sink.errors() > before {
                return;
            }
        }
    }
}
