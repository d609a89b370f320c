//! The whole program: runs the layout block, compiles each tile once and puts them where the layout says.

use super::finish;
use super::injection::check_injection;
use super::layout::{Placed, TileClass, route_twice};
use super::modules::{Modules, unknown_param};
use super::options::CompileOptions;
use super::unit::{DeclState, Unit};
use super::value::{InstanceId, Value};
use super::walk::Sema;
use crate::diagnostics::{At, Result, Sink};
use crate::image::{ExportName, FabricPlace, Program, TileImage};
use crate::source::{Loader, SourceMap, Span};
use crate::syntax::ast::{Decl, ExprKind, Name, VarDecl};
use indexmap::IndexMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// Columns and rows that `<memcpy>` needs around the rectangle (host section 1).
const MEMCPY_MARGIN: (u16, u16) = (7, 2);

/// Compiles the program whose root file is at `path`. Everything that is wrong goes to `sink`; the
/// result is `None` if anything of it is an error.
pub fn compile(
    loader: &dyn Loader,
    sources: &mut SourceMap,
    path: &Path,
    options: &CompileOptions,
    sink: &mut Sink,
) -> Option<Program> {
    let mut sema = Sema::new(loader, sources, options, sink);
    let root = sema.files.root(path);
    sema.report_files();
    match root {
        Ok(root) if sema.reports.errors() == 0 => program(&mut sema, root),
        Ok(_) => None,
        Err(diag) => {
            sema.report(diag);
            None
        }
    }
}

/// The whole compilation, after the root file was read.
pub fn program(sema: &mut Sema<'_>, root: Rc<Unit>) -> Option<Program> {
    let params = root_params(sema, &root);
    match root.file.decls.iter().find_map(|d| if let Decl::Layout(b, s) = d { Some((b, *s)) } else { None }) {
        Some((block, span)) => run_layout(sema, &root, params, block, span),
        None => sema.layout.give_single(root, params),
    }
    let tiles = compile_tiles(sema);
    if sema.reports.errors() > 0 {
        return None;
    }
    assemble(sema, tiles)
}

fn root_params(sema: &mut Sema<'_>, root: &Rc<Unit>) -> IndexMap<Name, Value> {
    use super::options::ParamValue;
    let mut out = IndexMap::new();
    for (name, value) in &sema.options.params {
        let v = match value {
            ParamValue::Int(n) => Value::int(*n),
            ParamValue::Float(x) => Value::Float(crate::value::float::FloatKind::Comptime, *x),
            ParamValue::Bool(b) => Value::Bool(*b),
            ParamValue::Color(c) => Value::Id(crate::value::ty::IdKind::Color, (*c).into()),
        };
        if !root.names.contains_key(name.as_str()) {
            sema.report(unknown_param(name, root));
            continue;
        }
        out.insert(Name::new(name), v);
    }
    out
}

fn run_layout(
    sema: &mut Sema<'_>,
    root: &Rc<Unit>,
    params: IndexMap<Name, Value>,
    block: &crate::syntax::ast::Block,
    span: Span,
) {
    sema.layout.begin();
    let result = layout_block(sema, root, params, block, span);
    sema.layout.end(result.is_err());
    if let Err(diag) = result.and_then(|()| sema.layout.check_covered(span)) {
        sema.report(diag.at(span));
    }
}

fn layout_block(
    sema: &mut Sema<'_>,
    root: &Rc<Unit>,
    params: IndexMap<Name, Value>,
    block: &crate::syntax::ast::Block,
    span: Span,
) -> Result<()> {
    let id = sema.instantiate_module(root.clone(), params, String::new(), None, None);
    sema.files.begin(root.path.clone(), None);
    sema.enter_module(id);
    let result = sema.deeper(span, |s| s.block(block));
    sema.eval.pop();
    result.map(|_| ())
}

fn compile_tiles(sema: &mut Sema<'_>) -> Vec<Arc<TileImage>> {
    let classes = sema.layout.take_classes();
    let mut tiles = Vec::with_capacity(classes.len());
    for (n, class) in classes.into_iter().enumerate() {
        sema.layout.begin_class(n as u32);
        let before = sema.reports.errors();
        let written = sema.lower.data.written();
        let mut tile = compile_tile(sema, &class);
        // Code that has taken the first value of a constant is wrong if an operation writes it.
        if sema.lower.data.written() > written && sema.lower.data.has_folded_too_much() {
            tile = compile_tile(sema, &class);
        }
        tiles.push(Arc::new(tile));
        // the same mistake in many classes is one mistake
        if sema.reports.errors() > before && sema.reports.errors() > 20 {
            break;
        }
    }
    tiles
}

/// Compiles the code of one class.
pub fn compile_tile(sema: &mut Sema<'_>, class: &TileClass) -> TileImage {
    sema.modules = Modules::default();
    sema.lower.begin_tile();
    sema.eval.budget.refill();
    let shown: Vec<String> = class.params.iter().map(|(n, v)| format!("{n} = {v}")).collect();
    let file = class.unit.path.display().to_string();
    sema.files.begin(class.unit.path.clone(), class.span);
    let (unit, params) = (class.unit.clone(), class.params.clone());
    let id = sema.instantiate_module(unit, params, String::new(), None, class.span);
    import_root(sema, id);
    sema.run_blocks(id);
    sema.resolve_exports(id);
    finish::finish_tile(sema, file, shown.join(", "))
}

fn import_root(sema: &mut Sema<'_>, id: InstanceId) {
    let unit = sema.instance(id).unit.clone();
    // A FIFO may lie in a buffer that an imported file exports.
    for builtin in ["import_module", "allocate_fifo"] {
        for (i, decl) in unit.file.decls.iter().enumerate() {
            let Decl::Var(v) = decl else { continue };
            if let Err(c) = resolve_if_calls(sema, id, i as u32, v, builtin) {
                sema.report(c);
            }
        }
    }
}

/// Evaluates a declaration whose initial value is a call of `builtin`.
fn resolve_if_calls(
    sema: &mut Sema<'_>,
    id: InstanceId,
    decl: u32,
    v: &VarDecl,
    builtin: &str,
) -> Result<()> {
    let unit = sema.instance(id).unit.clone();
    let needed = v.init.is_some_and(|e| {
        let kind = &unit.file.expr(e).kind;
        matches!(kind, ExprKind::Builtin { name, .. } if name.name == builtin)
    });
    let untouched = matches!(sema.instance(id).decls[decl as usize], DeclState::Untouched);
    if needed && untouched { sema.resolve(id, decl).at(v.span) } else { Ok(()) }
}

/// Puts compiled tiles where the layout says.
pub fn assemble(sema: &mut Sema<'_>, tiles: Vec<Arc<TileImage>>) -> Option<Program> {
    let mut placed = sema.layout.take()?;
    let (width, height, _) = placed.rectangle;
    for (pe, tile) in placed.place.iter().enumerate() {
        let Some(tile) = tiles.get(*tile as usize) else { continue };
        for (color, config, span) in &tile.local_routes {
            if !placed.routes.set(pe, *color, config.clone(), Some(*span)) {
                sema.report(route_twice(&placed.routes, pe, *color, *span));
            }
        }
    }
    let misused = check_injection(&placed, &tiles).into_iter().chain(sema.layout.check_filters(&placed));
    misused.for_each(|diag| sema.report(diag));
    let fabric = fabric(sema, &placed);
    if sema.reports.errors() > 0 {
        return None;
    }
    let exports = match placed.exports.is_empty() {
        true => own_exports(&tiles),
        false => placed.exports,
    };
    Some(Program {
        arch: sema.arch.name,
        width,
        height,
        fabric,
        tiles,
        place: placed.place,
        routes: placed.routes,
        exports,
        memcpy: placed.memcpy,
        sdk_layout: None,
        sources: sema.files.sources().clone(),
    })
}

fn fabric(sema: &mut Sema<'_>, placed: &Placed) -> FabricPlace {
    let (width, height, rect) = placed.rectangle;
    let memcpy = placed.memcpy.is_some();
    let margin = if memcpy { MEMCPY_MARGIN } else { (0, 0) };
    let offset = if memcpy { (4, 1) } else { (0, 0) };
    let smallest = FabricPlace {
        width: width.saturating_add(margin.0),
        height: height.saturating_add(margin.1),
        x: offset.0,
        y: offset.1,
        channels: 1,
    };
    let Some(given) = sema.options.fabric else { return smallest };
    let fits = u32::from(given.x) + u32::from(width) <= u32::from(given.width)
        && u32::from(given.y) + u32::from(height) <= u32::from(given.height);
    if !fits {
        let c = crate::diagnostics::rules::host::FABRIC_TOO_SMALL
            .because(&[("width", &width), ("height", &height)])
            .at(rect)
            .note(format!("the fabric has {} x {} PEs", given.width, given.height))
            .note(format!("the rectangle begins at ({}, {})", given.x, given.y))
            .help(format!(
                "give the fabric at least {} x {} PEs, or move the rectangle",
                u32::from(given.x) + u32::from(width),
                u32::from(given.y) + u32::from(height),
            ));
        sema.report(c);
    }
    given
}

/// A program without a layout block advertises what its one tile exports.
fn own_exports(tiles: &[Arc<TileImage>]) -> Vec<ExportName> {
    use crate::image::{ExportKind, ExportTarget, Scalar};
    let Some(tile) = tiles.first() else { return Vec::new() };
    let name = |e: &crate::image::Export| {
        let (kind, span) = match e.target {
            ExportTarget::Fn(f) => {
                let f = tile.functions.get(f.0 as usize)?;
                (ExportKind::Fn { inputs: e.inputs.clone() }, f.span)
            }
            ExportTarget::Pointer(a) | ExportTarget::Data(a) => {
                let s = tile.symbols.iter().find(|s| s.addr == a)?;
                let element = e.element.or(s.element).unwrap_or(Scalar::U16);
                (ExportKind::Var { ty: s.ty.clone(), element, mutable: s.mutable }, s.span)
            }
        };
        Some(ExportName { name: e.name.clone(), kind, span })
    };
    tile.exports.iter().filter_map(name).collect()
}
