//! Files, their copies as modules, and the globals of these.

use super::effects::Effects;
use super::value::{FnRef, GlobalId, InstanceId, Value};
use crate::diagnostics::Diag;
use crate::source::Span;
use crate::syntax::ast::{self, Name};
use crate::value::ty::Ty;
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::path::PathBuf;
use std::rc::Rc;

/// One parsed file with its names.
#[derive(Debug)]
pub struct Unit {
    /// The tree.
    pub file: ast::File,
    /// Where it was read from; library files have no folder.
    pub path: PathBuf,
    /// Whether it belongs to the embedded library (and may use internal builtins).
    pub library: bool,
    /// Top-level names.
    pub names: FxHashMap<Name, u32>,
    /// What its functions do to its globals.
    pub effects: Effects,
    /// Names whose address is taken somewhere in the file.
    pub addressed: Rc<FxHashSet<Name>>,
    /// Names that are assigned somewhere in the file.
    pub assigned: FxHashSet<Name>,
    /// Its tasks that it mentions nowhere, as indices of declarations.
    pub unmentioned: Vec<u32>,
    /// Of its expressions, by number, what [`super::operator_heights::heights`] says.
    pub heights: Vec<u8>,
    /// Of its expressions, by number, where the locals were that they named when they were evaluated last.
    pub last_places: Vec<Cell<Option<LastPlace>>>,
}

/// Where a local was when an expression named it.
#[derive(Copy, Clone, Debug)]
pub struct LastPlace {
    /// The scope in its frame.
    pub scope: usize,
    /// The place there.
    pub slot: usize,
    /// Its declaration.
    pub declared: Span,
}

impl Unit {
    /// Whether the file assigns a global, or may do so through a pointer.
    pub fn may_assign(&self, name: &Name) -> bool {
        self.assigned.contains(name) || self.addressed.contains(name)
    }

    /// Whether the file assigns a pointer, and not only what is behind it, or takes its address.
    pub fn may_set(&self, pointer: &Name) -> bool {
        let is_it =
            |e: ast::ExprId| matches!(&self.file.expr(e).kind, ast::ExprKind::Name(name) if name == pointer);
        let sets = |stmt: &ast::Stmt| matches!(stmt.kind, ast::StmtKind::Assign { lhs, .. } if is_it(lhs));
        self.addressed.contains(pointer) || self.file.stmts.iter().any(sets)
    }

    /// The first parameter that only a layout file can give a value.
    pub fn param_of_layout(&self) -> Option<&ast::VarDecl> {
        let is_of_layout = |v: &ast::VarDecl| {
            let ty = v.ty.map(|ty| &self.file.expr(ty).kind);
            let is_struct = matches!(ty, Some(ast::ExprKind::Name(ty)) if ty == "comptime_struct" || ty == "imported_module");
            v.kind == ast::VarKind::Param && v.init.is_none() && (is_struct || v.name.name == "memcpy_params")
        };
        self.file.decls.iter().find_map(|decl| match decl {
            ast::Decl::Var(v) if is_of_layout(v) => Some(v),
            _ => None,
        })
    }

    /// Whether the file imports a module by this very path.
    pub fn imports(&self, path: &str) -> bool {
        let is_path = |e: &ast::ExprId| matches!(&self.file.expr(*e).kind, ast::ExprKind::Str(s) if **s == *path.as_bytes());
        self.file.exprs.iter().any(|expr| match &expr.kind {
            ast::ExprKind::Builtin { name, args } => {
                name.name == "import_module" && args.first().is_some_and(is_path)
            }
            _ => false,
        })
    }

    /// Whether the file places code on PEs.
    pub fn has_layout(&self) -> bool {
        self.file.decls.iter().any(|decl| matches!(decl, ast::Decl::Layout(..)))
    }

    /// The function declaration at an index.
    ///
    /// # Panics
    /// When the declaration is something else: a `FnRef` always names a function.
    pub fn function(&self, decl: usize) -> &ast::FnDecl {
        match &self.file.decls[decl] {
            ast::Decl::Fn(f) => f,
            _ => panic!("a FnRef names a function"),
        }
    }

    /// The name of the function around a place.
    pub fn function_at(&self, place: Span) -> Option<Name> {
        self.file.decls.iter().find_map(|decl| {
            let ast::Decl::Fn(f) = decl else { return None };
            let body = f.body.as_ref()?.span;
            (body.lo <= place.lo && place.hi <= body.hi).then(|| f.name.name.clone())
        })
    }
}

/// A file with parameter values: its own copy of all globals.
#[derive(Debug)]
pub struct Instance {
    /// The file.
    pub unit: Rc<Unit>,
    /// Values given to `param`s.
    pub params: IndexMap<Name, Value>,
    /// What is known of each declaration.
    pub decls: Vec<DeclState>,
    /// How its globals are called in the symbol table: empty for the root, `m` for an import bound to `m`.
    pub name: String,
    /// The module that imports it; `None` for the code of a tile.
    pub importer: Option<InstanceId>,
    /// Where it is imported, or placed on a tile, for messages.
    pub imported_at: Option<Span>,
    /// Modules that it imports, in order; their comptime blocks run first.
    pub imports: Vec<InstanceId>,
    /// Whether its comptime blocks have run.
    pub blocks_done: bool,
}

/// How far a top-level declaration has been looked at.
#[derive(Clone, Debug)]
pub enum DeclState {
    /// Not yet.
    Untouched,
    /// Being evaluated: meeting it again is a cycle.
    Busy,
    /// A `const`, `var` or `param`.
    Global(GlobalId),
    /// A function or task.
    Fn,
    /// An `extern` function that another file of the tile exports.
    Elsewhere(FnRef),
    /// Wrong, and reported; or what has yet to be reported by whoever asks next.
    Failed(Option<Diag>),
}

/// A top-level `const`, `var` or `param`.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name in the symbol table.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Its value at the start; what a `const` is for ever.
    pub value: Value,
    /// Declared `var`.
    pub is_var: bool,
    /// Declared `undefined`, and made of numbers.
    pub undefined: bool,
    /// Its place in memory, once something needs one.
    pub addr: Option<u16>,
    /// Minimum alignment in words.
    pub align: u32,
    /// The alignment in bytes that the declaration asks for.
    pub explicit_align: Option<u32>,
    /// What an `extern` declaration is another name of.
    pub defined_by: Option<GlobalId>,
    /// The declaration.
    pub span: Span,
}

/// The name that a declaration adds to its file.
pub fn declared_name(decl: &ast::Decl) -> Option<&ast::Ident> {
    match decl {
        ast::Decl::Var(v) => Some(&v.name),
        ast::Decl::Fn(f) => Some(&f.name),
        ast::Decl::Layout(..) | ast::Decl::Comptime(..) => None,
    }
}
