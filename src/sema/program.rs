//! The whole program: runs the layout block, compiles each tile once and puts them where the layout says.

use super::layout::{TileClass, route_twice};
use super::modules::read_failure;
use super::options::CompileOptions;
use super::tile::TileBuilder;
use super::unit::{DeclState, Unit};
use super::value::{InstanceId, Value};
use super::world::{Sema, World};
use crate::arch::PeCoord;
use crate::diagnostics::rules::layout as rules;
use crate::diagnostics::{At, Result, Sink};
use crate::image::{ExportName, FabricPlace, NO_TILE, Program, RouteTable, TileImage};
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
    sema.root_dir = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let shown = path.display().to_string();
    match sema.unit_at(path, &shown) {
        Ok(root) if sema.sink.errors() == 0 => sema.program(root),
        Ok(_) => None,
        Err(why) => {
            let diag = read_failure(why, &shown);
            sema.report(diag);
            None
        }
    }
}

impl Sema<'_> {
    /// The whole compilation, after the root file was read.
    pub fn program(&mut self, root: Rc<Unit>) -> Option<Program> {
        let params = self.root_params(&root);
        match root
            .file
            .decls
            .iter()
            .find_map(|d| if let Decl::Layout(b, s) = d { Some((b, *s)) } else { None })
        {
            Some((block, span)) => self.run_layout(&root, params, block, span),
            None => self.single_tile(&root, params),
        }
        let tiles = self.compile_tiles();
        if self.sink.errors() > 0 {
            return None;
        }
        self.assemble(tiles)
    }

    fn root_params(&mut self, root: &Rc<Unit>) -> IndexMap<Name, Value> {
        use super::options::ParamValue;
        let mut out = IndexMap::new();
        for (name, value) in &self.options.params {
            let v = match value {
                ParamValue::Int(n) => Value::int(*n),
                ParamValue::Float(x) => Value::Float(crate::value::float::FloatKind::Comptime, *x),
                ParamValue::Bool(b) => Value::Bool(*b),
                ParamValue::Color(c) => Value::Id(crate::value::ty::IdKind::Color, (*c).into()),
            };
            if !root.names.contains_key(name.as_str()) {
                self.report(super::modules::unknown_param(name, root));
                continue;
            }
            out.insert(Name::new(name), v);
        }
        out
    }

    fn single_tile(&mut self, root: &Rc<Unit>, params: IndexMap<Name, Value>) {
        let span = Span::new(root.file.id, 0, 0);
        self.layout.rectangle = Some((1, 1, span));
        self.layout.place = vec![0];
        self.layout.routes = RouteTable::new(1);
        self.layout.classes.push(TileClass { unit: root.clone(), params, span: None });
    }

    fn run_layout(
        &mut self,
        root: &Rc<Unit>,
        params: IndexMap<Name, Value>,
        block: &crate::syntax::ast::Block,
        span: Span,
    ) {
        self.layout.running = true;
        let result = self.layout_block(root, params, block, span);
        self.layout.running = false;
        if let Err(diag) = result {
            self.layout.has_failed = true;
            self.report(diag.at(span));
            return;
        }
        let Some((width, _, set)) = self.layout.rectangle else {
            self.report(rules::NO_RECTANGLE.plain().at(span));
            return;
        };
        let missing: Vec<usize> =
            (0..self.layout.place.len()).filter(|i| self.layout.place[*i] == NO_TILE).collect();
        if let Some(first) = missing.first() {
            let at =
                PeCoord { x: (first % usize::from(width)) as u16, y: (first / usize::from(width)) as u16 };
            let mut c = rules::TILE_MISSING.because(&[("pe", &at)]).at(set).label("the rectangle");
            c = c.help(format!("write `@set_tile_code({}, {}, \"file.csl\", .{{}})`", at.x, at.y));
            if missing.len() > 1 {
                c = c.note(format!("the same on {} other PEs", missing.len() - 1));
            }
            self.report(c);
        }
    }

    fn layout_block(
        &mut self,
        root: &Rc<Unit>,
        params: IndexMap<Name, Value>,
        block: &crate::syntax::ast::Block,
        span: Span,
    ) -> Result<()> {
        let id = self.instantiate_module(root.clone(), params, String::new(), None, None)?;
        self.importing = vec![(root.path.clone(), None)];
        self.enter_module(id);
        let result = self.deeper(span, |s| s.block(block));
        self.frames.pop();
        result.map(|_| ())
    }

    fn compile_tiles(&mut self) -> Vec<Arc<TileImage>> {
        let classes = std::mem::take(&mut self.layout.classes);
        let mut tiles = Vec::with_capacity(classes.len());
        for (n, class) in classes.into_iter().enumerate() {
            self.layout.class = n as u32;
            let before = self.sink.errors();
            let written = self.written.len();
            let mut tile = self.compile_tile(&class);
            // Code that has taken the first value of a constant is wrong if an operation writes it.
            if self.written.len() > written && !self.world.folded.is_disjoint(&self.written) {
                tile = self.compile_tile(&class);
            }
            tiles.push(Arc::new(tile));
            // the same mistake in many classes is one mistake
            if self.sink.errors() > before && self.sink.errors() > 20 {
                break;
            }
        }
        tiles
    }

    /// Compiles the code of one class.
    pub fn compile_tile(&mut self, class: &TileClass) -> TileImage {
        self.world = World { tile: TileBuilder::default(), ..World::default() };
        self.fuel = self.options.comptime_fuel;
        let shown: Vec<String> = class.params.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        let file = class.unit.path.display().to_string();
        self.importing = vec![(class.unit.path.clone(), class.span)];
        let made = self.instantiate_module(
            class.unit.clone(),
            class.params.clone(),
            String::new(),
            None,
            class.span,
        );
        match made {
            Ok(id) => {
                self.import_root(id);
                self.run_blocks(id);
                self.resolve_exports(id);
            }
            Err(c) => self.report(c),
        }
        self.finish_tile(file, shown.join(", "))
    }

    fn import_root(&mut self, id: InstanceId) {
        let unit = self.instance(id).unit.clone();
        // A FIFO may lie in a buffer that an imported file exports.
        for builtin in ["import_module", "allocate_fifo"] {
            for (i, decl) in unit.file.decls.iter().enumerate() {
                let Decl::Var(v) = decl else { continue };
                if let Err(c) = self.resolve_if_calls(id, i as u32, v, builtin) {
                    self.report(c);
                }
            }
        }
    }

    /// Evaluates a declaration whose initial value is a call of `builtin`.
    fn resolve_if_calls(&mut self, id: InstanceId, decl: u32, v: &VarDecl, builtin: &str) -> Result<()> {
        let unit = self.instance(id).unit.clone();
        let needed = v.init.is_some_and(|e| {
            let kind = &unit.file.expr(e).kind;
            matches!(kind, ExprKind::Builtin { name, .. } if name.name == builtin)
        });
        let untouched = matches!(self.instance(id).decls[decl as usize], DeclState::Untouched);
        if needed && untouched { self.resolve(id, decl).at(v.span) } else { Ok(()) }
    }

    /// Puts compiled tiles where the layout says.
    pub fn assemble(&mut self, tiles: Vec<Arc<TileImage>>) -> Option<Program> {
        let (width, height, rect) = self.layout.rectangle?;
        let mut routes = std::mem::take(&mut self.layout.routes);
        let place = std::mem::take(&mut self.layout.place);
        for (pe, tile) in place.iter().enumerate() {
            let Some(tile) = tiles.get(*tile as usize) else { continue };
            for (color, config, span) in &tile.local_routes {
                if !routes.set(pe, *color, config.clone(), Some(*span)) {
                    self.report(route_twice(&routes, pe, *color, *span));
                }
            }
        }
        self.check_injection(&routes, &tiles, &place, rect);
        self.check_filters(&routes, &place, width);
        let fabric = self.fabric(width, height, rect);
        if self.sink.errors() > 0 {
            return None;
        }
        let exports = match self.layout.exports.is_empty() {
            true => own_exports(&tiles),
            false => std::mem::take(&mut self.layout.exports),
        };
        Some(Program {
            arch: self.arch.name,
            width,
            height,
            fabric,
            tiles,
            place,
            routes,
            exports,
            memcpy: self.layout.memcpy.take(),
            direct: None,
            sources: SourceMap::clone(self.sources),
        })
    }

    fn fabric(&mut self, width: u16, height: u16, rect: Span) -> FabricPlace {
        let memcpy = self.layout.memcpy.is_some();
        let margin = if memcpy { MEMCPY_MARGIN } else { (0, 0) };
        let offset = if memcpy { (4, 1) } else { (0, 0) };
        let smallest = FabricPlace {
            width: width.saturating_add(margin.0),
            height: height.saturating_add(margin.1),
            x: offset.0,
            y: offset.1,
            channels: 1,
        };
        let Some(given) = self.options.fabric else { return smallest };
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
            self.report(c);
        }
        given
    }
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
