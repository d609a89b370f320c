//! From the tree of a file to its index. Nodes are visited in the order of their arenas: no recursion, whatever the depth.

use super::index::{Declaration, DeclarationKind, ExportedName, Extent, FileIndex, Import};
use super::lexemes::lexemes;
use crate::source::{FileId, Span};
use crate::syntax::ast::{self, Block, Decl, ExprId, ExprKind, Ident, StmtKind, VarDecl, VarKind};
use rustc_hash::FxHashMap;

/// What a text declares and names. Every text has an index; after a syntax error it is that of the rest.
pub fn index(text: &str) -> FileIndex {
    let parsed = crate::syntax::parse(FileId(0), text);
    let mut collector = Collector {
        file: &parsed.file,
        end: text.len() as u32,
        index: FileIndex {
            lexemes: lexemes(text),
            is_whole: parsed.problems.is_empty(),
            ..FileIndex::default()
        },
        named: FxHashMap::default(),
    };
    collector.top_level();
    collector.statements();
    collector.expressions();
    collector.index
}

struct Collector<'f> {
    file: &'f ast::File,
    end: u32,
    index: FileIndex,
    /// The declarations whose first value is this expression.
    named: FxHashMap<ExprId, usize>,
}

fn extent(span: Span) -> Extent {
    (span.lo, span.hi)
}

impl Collector<'_> {
    fn declare(&mut self, name: &Ident, kind: DeclarationKind, whole: Extent, scope: Extent) -> usize {
        self.index.declarations.push(Declaration {
            name: name.name.to_string(),
            kind,
            at: extent(name.span),
            whole,
            scope,
            is_global: false,
            holder: None,
            ty: None,
            init: None,
            import: None,
        });
        let at = self.index.declarations.len() - 1;
        self.index.by_name.entry(name.name.to_string()).or_default().push(at as u32);
        at
    }

    fn variable(&mut self, v: &VarDecl, scope: Extent) -> usize {
        let kind = match v.kind {
            VarKind::Var => DeclarationKind::Var,
            VarKind::Const => DeclarationKind::Const,
            VarKind::Param => DeclarationKind::Param,
        };
        let at = self.declare(&v.name, kind, extent(v.span), scope);
        let place = |e: ExprId| extent(self.file.expr(e).span);
        let (ty, init) = (v.ty.map(place), v.init.map(place));
        (self.index.declarations[at].ty, self.index.declarations[at].init) = (ty, init);
        if let Some(init) = v.init {
            self.named.insert(init, at);
        }
        at
    }

    fn top_level(&mut self) {
        let everywhere = (0, self.end + 1);
        let file = self.file;
        for decl in &file.decls {
            let at = match decl {
                Decl::Var(v) => self.variable(v, everywhere),
                Decl::Fn(f) => {
                    let kind = if f.task { DeclarationKind::Task } else { DeclarationKind::Function };
                    let whole = f.body.as_ref().map_or(f.span, |body| f.span.to(body.span));
                    let at = self.declare(&f.name, kind, extent(whole), everywhere);
                    self.index.declarations[at].ty = Some(extent(f.span));
                    for param in &f.params {
                        let Some(name) = &param.name else { continue };
                        let of =
                            self.declare(name, DeclarationKind::Argument, extent(param.span), extent(whole));
                        self.index.declarations[of].ty = param.ty.map(|ty| extent(file.expr(ty).span));
                    }
                    if let Some(body) = &f.body {
                        self.block(body);
                    }
                    at
                }
                Decl::Layout(block, span) => {
                    self.index.layout = Some(extent(*span));
                    self.block(block);
                    continue;
                }
                Decl::Comptime(block, _) => {
                    self.block(block);
                    continue;
                }
            };
            self.index.declarations[at].is_global = true;
        }
    }

    /// The variables that a block declares.
    fn block(&mut self, block: &Block) {
        let file = self.file;
        if let Some(label) = &block.label {
            self.declare(label, DeclarationKind::Label, extent(label.span), extent(block.span));
        }
        for id in &block.stmts {
            if let StmtKind::Var(v) = &file.stmt(*id).kind {
                self.variable(v, (v.span.hi, block.span.hi));
            }
        }
    }

    fn statements(&mut self) {
        let file = self.file;
        for stmt in &file.stmts {
            match &stmt.kind {
                StmtKind::Comptime(block) => self.block(block),
                StmtKind::For { label, item, index, body, .. } => {
                    let scope = extent(file.stmt(*body).span);
                    for name in [Some(item), index.as_ref()].into_iter().flatten() {
                        self.declare(name, DeclarationKind::Item, extent(name.span), scope);
                    }
                    self.label(label.as_ref(), stmt.span);
                }
                StmtKind::While { label, .. } => self.label(label.as_ref(), stmt.span),
                _ => {}
            }
        }
    }

    fn label(&mut self, label: Option<&Ident>, whole: Span) {
        if let Some(label) = label {
            self.declare(label, DeclarationKind::Label, extent(label.span), extent(whole));
        }
    }

    fn expressions(&mut self) {
        let file = self.file;
        for (n, expr) in file.exprs.iter().enumerate() {
            let id = ExprId(n as u32);
            let scope = extent(expr.span);
            match &expr.kind {
                ExprKind::Block(block) => self.block(block),
                ExprKind::Access { vars, .. } => {
                    for name in vars {
                        self.declare(name, DeclarationKind::Item, extent(name.span), scope);
                    }
                }
                ExprKind::StructTy { fields, .. } | ExprKind::UnionTy { fields, .. } => {
                    for field in fields {
                        let ty = extent(file.expr(field.ty).span);
                        let whole = (field.name.span.lo, ty.1);
                        let at = self.declare(&field.name, DeclarationKind::Field, whole, scope);
                        self.index.declarations[at].ty = Some(ty);
                        self.index.declarations[at].holder = self.named.get(&id).copied();
                    }
                }
                ExprKind::EnumTy { members, .. } => {
                    for (name, _) in members {
                        let at = self.declare(name, DeclarationKind::Member, extent(name.span), scope);
                        self.index.declarations[at].holder = self.named.get(&id).copied();
                    }
                }
                ExprKind::Builtin { name, args } => self.builtin(id, &name.name, args),
                _ => {}
            }
        }
    }

    /// What a call of a builtin says of other files.
    fn builtin(&mut self, id: ExprId, name: &str, args: &[ExprId]) {
        match (name, args) {
            ("import_module", [path, rest @ ..]) => self.import(id, *path, rest.first().copied(), false),
            ("set_tile_code", [_, _, path, rest @ ..]) => self.import(id, *path, rest.first().copied(), true),
            ("export_name", [name, ..]) => self.export(*name, true),
            ("export_symbol", [_, name, ..]) => self.export(*name, false),
            ("export_symbol", [symbol]) => {
                if let ExprKind::Name(name) = &self.file.expr(*symbol).kind {
                    let at = extent(self.file.expr(*symbol).span);
                    self.index.exports.push(ExportedName { name: name.to_string(), at, is_layout: false });
                }
            }
            _ => {}
        }
    }

    fn text(&self, e: ExprId) -> Option<(String, Extent)> {
        let expr = self.file.expr(e);
        match &expr.kind {
            ExprKind::Str(bytes) => Some((String::from_utf8_lossy(bytes).into_owned(), extent(expr.span))),
            _ => None,
        }
    }

    fn import(&mut self, id: ExprId, path: ExprId, params: Option<ExprId>, is_tile: bool) {
        let Some((path, at)) = self.text(path) else { return };
        let fields = params.map(|params| &self.file.expr(params).kind);
        let params = match fields {
            Some(ExprKind::Struct { fields, .. }) => {
                fields.iter().map(|(name, _)| (name.name.to_string(), extent(name.span))).collect()
            }
            _ => Vec::new(),
        };
        if let Some(named) = self.named.get(&id) {
            self.index.declarations[*named].import = Some(self.index.imports.len());
        }
        self.index.imports.push(Import { path, at, params, is_tile });
    }

    fn export(&mut self, name: ExprId, is_layout: bool) {
        if let Some((name, at)) = self.text(name) {
            self.index.exports.push(ExportedName { name, at, is_layout });
        }
    }
}
