//! Programs without a layout block: which PE runs what, and with which routes, is given from outside.

use super::builtins;
use super::layout::TileClass;
use super::options::{CompileOptions, ParamValue};
use super::program;
use super::unit::Unit;
use super::value::Value;
use super::walk::Sema;
use crate::diagnostics::Sink;
use crate::image::{Program, RouteTable, TileImage};
use crate::source::{Loader, SourceMap, Span};
use crate::syntax::ast::{Decl, Name};
use std::path::PathBuf;
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
    sema.layout.begin_regions();
    let (mut tiles, mut with_layout, mut whole) = (Vec::new(), Vec::new(), None);
    for region in regions {
        let unit = region_unit(&mut sema, &region.source)?;
        whole.get_or_insert(Span::new(unit.file.id, 0, 0));
        if unit.file.decls.iter().any(|decl| matches!(decl, Decl::Layout(..))) {
            with_layout.push(unit.path.display().to_string());
        }
        if sema.reports.errors() == 0 {
            compile_region(&mut sema, region, &unit, &mut tiles);
        }
    }
    builtins::report_deferred_colors(&mut sema);
    if sema.reports.errors() > 0 {
        return None;
    }
    sema.layout.give_rectangle(placement.size, whole?);
    sema.layout.give(placement.place, placement.routes);
    let mut program = program::assemble(&mut sema, tiles)?;
    // A region exports nothing to the host: symbols are read by their names, on one PE.
    program.exports.clear();
    Some(CompiledRegions { program, with_layout })
}

fn region_unit(sema: &mut Sema<'_>, source: &RegionSource) -> Option<Rc<Unit>> {
    let unit = match source {
        RegionSource::File(path) => sema.files.root(path),
        RegionSource::Own(name, text) => {
            Ok(sema.files.parse(PathBuf::from(name), name, text.to_string(), true))
        }
    };
    sema.report_files();
    unit.map_err(|diag| sema.report(diag)).ok()
}

/// Compiles the tiles of a region; the same mistake in several of them is one mistake.
fn compile_region(
    sema: &mut Sema<'_>,
    region: &RegionCode,
    unit: &Rc<Unit>,
    tiles: &mut Vec<Arc<TileImage>>,
) {
    let start = Span::new(unit.file.id, 0, 0);
    sema.layout.give_rectangle(region.size, start);
    let value = |value: &ParamValue| match value {
        ParamValue::Int(n) => Value::int(*n),
        ParamValue::Float(x) => Value::Float(crate::value::float::FloatKind::Comptime, *x),
        ParamValue::Bool(b) => Value::Bool(*b),
        // A parameter of an integer type takes the number of a color, too.
        ParamValue::Color(c) => Value::int(i128::from(*c)),
    };
    let class = |params: &Vec<(String, ParamValue)>| {
        let params = params.iter().map(|(name, given)| (Name::new(name), value(given))).collect();
        TileClass { unit: unit.clone(), params, span: None }
    };
    let classes: Vec<TileClass> = region.tiles.iter().map(class).collect();
    let mut templates = program::templates(sema, &classes);
    for (n, class) in classes.iter().enumerate() {
        sema.layout.begin_class(tiles.len() as u32);
        let before = sema.reports.errors();
        let tile = program::tile_of(sema, class, templates.family(n));
        tiles.push(Arc::new(tile));
        if sema.reports.errors() > before {
            return;
        }
    }
}
