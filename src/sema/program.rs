//! The whole program: runs the layout block, compiles each tile once and puts them where the layout says.

use super::begin::begin_code_with;
use super::builtins;
use super::conditional_tasks::mark_conditional_tasks;
use super::eval::Fact;
use super::finish;
use super::injection::check_injection;
use super::layout::{Columns, Placed, TileClass, route_twice};
use super::modules::unknown_param;
use super::options::CompileOptions;
use super::stream_checks;
use super::streams::smallest_fabric;
use super::templates::{Family, Template, Templates};
use super::unit::Unit;
use super::unused::check_unused;
use super::value::{InstanceId, Value};
use super::walk::Sema;
use crate::diagnostics::rules::comptime::COMPTIME_ASSERT;
use crate::diagnostics::{Result, Sink};
use crate::image::{ExportName, FabricPlace, Program, TileImage, TileParams};
use crate::source::{Loader, SourceMap, Span};
use crate::syntax::ast::{Decl, Name};
use indexmap::IndexMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

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
    let mut program = compile_root(&mut sema, path);
    if sema.layout.columns == Columns::Asked {
        (*sources, *sink) = (SourceMap::default(), Sink::new(options.levels));
        program = compile_root(&mut with_columns(loader, sources, options, sink), path);
    }
    program.map(|program| Program { origin: Some(options.origin(path)), ..program })
}

/// A compilation in which PEs know their column, for a program that has asked for it.
fn with_columns<'s>(
    loader: &'s dyn Loader,
    sources: &'s mut SourceMap,
    options: &'s CompileOptions,
    sink: &'s mut Sink,
) -> Sema<'s> {
    let mut sema = Sema::new(loader, sources, options, sink);
    sema.layout.columns = Columns::Given;
    sema
}

/// Like [`compile`], and tells what the places of the text stand for, whatever is wrong with the program.
pub fn inspect(
    loader: &dyn Loader,
    sources: &mut SourceMap,
    path: &Path,
    options: &CompileOptions,
    sink: &mut Sink,
) -> (Option<Program>, Vec<Fact>) {
    let mut sema = Sema::new(loader, sources, options, sink);
    sema.eval.facts.keep();
    let program = compile_root(&mut sema, path);
    if sema.layout.columns != Columns::Asked {
        return (program, sema.eval.facts.take());
    }
    (*sources, *sink) = (SourceMap::default(), Sink::new(options.levels));
    let mut sema = with_columns(loader, sources, options, sink);
    sema.eval.facts.keep();
    let program = compile_root(&mut sema, path);
    (program, sema.eval.facts.take())
}

fn compile_root(sema: &mut Sema<'_>, path: &Path) -> Option<Program> {
    let root = sema.files.root(path);
    sema.report_files();
    match root {
        // With a syntax error nothing runs, but names and types are checked.
        Ok(root) => program(sema, root),
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
    let (classes, tiles) = compile_tiles(sema);
    builtins::report_deferred_colors(sema);
    if sema.reports.errors() > 0 {
        return None;
    }
    if let Some(span) = sema.reports.untold() {
        let place = sema.files.text(span);
        panic!("something is wrong with `{place}`, and nothing says what");
    }
    let mut program = assemble(sema, tiles);
    if let Some(program) = &mut program {
        mark_conditional_tasks(program, &sema.uses);
        check_unused(sema, &classes, program);
    }
    program.filter(|_| sema.reports.errors() == 0)
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
            // They are parameters of the layout file that is meant.
            if root.has_layout() || root.param_of_layout().is_none() {
                sema.report(unknown_param(name, root));
            }
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
    sema.layout.begin(root.imports("<memcpy/get_params>"));
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
    if result.is_ok() && !sema.layout.places(root) {
        check_blocks(sema, id);
    }
    sema.look_at_rest();
    result.map(|_| ())
}

/// Evaluates the comptime blocks of a layout file that no PE runs, and reports only failed assertions: such blocks
/// assert something about the parameters.
fn check_blocks(sema: &mut Sema<'_>, id: InstanceId) {
    sema.reports.begin_capture();
    sema.run_blocks(id);
    let told = sema.reports.end_capture();
    told.into_iter().filter(|diag| diag.rule() == COMPTIME_ASSERT.name).for_each(|diag| sema.report(diag));
}

/// With more errors no further class is compiled.
const MANY_ERRORS: usize = 20;

/// How many classes are compiled after one with an error, in search of other errors.
const CLASSES_AFTER_ERROR: usize = 32;

fn compile_tiles(sema: &mut Sema<'_>) -> (Vec<TileClass>, Vec<Arc<TileImage>>) {
    let classes = sema.layout.take_classes();
    let mut templates = templates(sema, &classes);
    let mut tiles = Vec::with_capacity(classes.len());
    // The errors so far, and the class that showed the last one.
    let (mut errors, mut last) = (sema.reports.errors(), 0);
    for (n, class) in classes.iter().enumerate() {
        sema.layout.begin_class(n as u32);
        sema.uses.begin_class(n);
        tiles.push(Arc::new(tile_of(sema, class, templates.family(n))));
        if sema.reports.errors() > errors {
            (errors, last) = (sema.reports.errors(), n);
        }
        // The same mistake in many classes is one mistake.
        if errors > 0 && (last == n && errors > MANY_ERRORS || n - last >= CLASSES_AFTER_ERROR) {
            break;
        }
    }
    (classes, tiles)
}

/// No templates yet of these classes; none ever without the memo.
pub fn templates(sema: &Sema<'_>, classes: &[TileClass]) -> Templates {
    if sema.options.memo { Templates::of(classes) } else { Templates::default() }
}

/// The code of a class.
pub fn tile_of(sema: &mut Sema<'_>, class: &TileClass, family: Option<&mut Family>) -> TileImage {
    match family {
        Some(family) => tile_of_family(sema, class, family),
        None => compile_class(sema, class, &class.params),
    }
}

/// Makes the code of a class from a template, or compiles it and makes it one.
fn tile_of_family(sema: &mut Sema<'_>, class: &TileClass, family: &mut Family) -> TileImage {
    let written = sema.lower.data.written();
    family.begin(&class.params, written);
    let trace = sema.eval.facts.is_kept().then(|| family.trace());
    if let Some((template, image)) = family.find() {
        if let Some(trace) = trace {
            sema.eval.facts.fill(&template.facts, |term| trace.value(term));
        }
        template.filters.iter().for_each(|(color, span)| sema.layout.use_filter(*color, *span));
        template.warnings.iter().for_each(|diag| sema.reports.show(diag.clone()));
        return TileImage { params: shown(class), ..image };
    }
    if !family.has_room() {
        return compile_class(sema, class, &class.params);
    }
    let faults = sema.reports.faults();
    sema.reports.begin_record();
    sema.eval.facts.begin_template();
    let params = family.symbolic(&class.params);
    let image = compile_class(sema, class, &params);
    let (blanks, warnings) = (sema.lower.take_blanks(), sema.reports.take_record());
    let facts = sema.eval.facts.end_template();
    // The functions of a tile with errors are not complete.
    if sema.reports.faults() > faults {
        return image;
    }
    let is_template = warnings.is_some() && sema.lower.data.written() == written;
    let filters = sema.layout.filters_used();
    let template = Template { image, blanks, filters, facts, warnings: warnings.unwrap_or_default() };
    let image = family.filled(&template).expect("the values of the tile itself");
    if is_template {
        family.keep(template);
    }
    image
}

/// Compiles the code of a class; these are its parameters, or what stands for them.
fn compile_class(sema: &mut Sema<'_>, class: &TileClass, params: &IndexMap<Name, Value>) -> TileImage {
    let written = sema.lower.data.written();
    let tile = compile_tile(sema, class, params.clone());
    // Code that has taken the first value of a global is wrong if something writes it.
    if sema.lower.data.written() > written && sema.lower.data.has_folded_too_much() {
        return compile_tile(sema, class, params.clone());
    }
    tile
}

fn shown(class: &TileClass) -> TileParams {
    TileParams::new(&class.params)
}

/// Compiles the code of one class once; these are its parameters, or what stands for them.
fn compile_tile(sema: &mut Sema<'_>, class: &TileClass, params: IndexMap<Name, Value>) -> TileImage {
    let file = class.unit.path.display().to_string();
    begin_code_with(sema, class, params);
    let image = finish::finish_tile(sema, file, shown(class));
    sema.look_at_rest();
    image
}

/// Puts compiled tiles where the layout says.
pub fn assemble(sema: &mut Sema<'_>, tiles: Vec<Arc<TileImage>>) -> Option<Program> {
    let mut placed = sema.layout.take()?;
    let (width, height, _) = placed.rectangle;
    for (pe, tile) in placed.place.iter().enumerate() {
        let Some(tile) = tiles.get(*tile as usize) else { continue };
        for (color, config, span) in &tile.local_routes {
            if !placed.routes.set(pe, *color, config.clone(), Some(*span)) {
                sema.report(route_twice(&placed.routes, (pe, width), *color, *span));
            }
        }
    }
    let misused = check_injection(&placed, &tiles).into_iter().chain(sema.layout.check_filters(&placed));
    misused.for_each(|diag| sema.report(diag));
    if let Err(diag) = stream_checks::add_those_of_tiles(sema, &mut placed, &tiles) {
        sema.report(diag);
    }
    for diag in stream_checks::misused(&placed) {
        if let Err(diag) = sema.lint(diag) {
            sema.report(diag);
        }
    }
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
        memcpy: placed.streams.map(|streams| streams.colors),
        sdk_layout: None,
        origin: None,
        sources: sema.files.sources().clone(),
    })
}

fn fabric(sema: &mut Sema<'_>, placed: &Placed) -> FabricPlace {
    let (width, height, rect) = placed.rectangle;
    let Some(given) = sema.options.fabric else {
        return smallest_fabric((width, height), placed.streams.is_some());
    };
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
