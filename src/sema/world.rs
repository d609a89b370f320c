//! What a compilation knows: files, module instances, globals, the tile under construction.

use super::builder::FnBuilder;
use super::layout::LayoutState;
use super::options::CompileOptions;
use super::recall::Recall;
use super::scope::Frame;
use super::tile::TileBuilder;
use super::value::{FnRef, GlobalId, InstanceId, Value};
use crate::arch::Arch;
use crate::diagnostics::{Complaint, Sink};
use crate::source::{Loader, SourceMap, Span};
use crate::syntax::ast::{self, Name};
use crate::value::ty::Ty;
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
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
    pub effects: super::order::Effects,
    /// Names whose address is taken somewhere in the file.
    pub addressed: Rc<rustc_hash::FxHashSet<Name>>,
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
    /// Wrong, and reported; or what has yet to be reported by whoever asks next.
    Failed(Option<Complaint>),
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

/// The layout block and every tile program are evaluated in worlds of their own.
#[derive(Debug, Default)]
pub struct World {
    /// Module instances.
    pub instances: Vec<Instance>,
    /// Globals of all instances.
    pub globals: Vec<Global>,
    /// The tile being compiled; unused while the layout runs.
    pub tile: TileBuilder,
    /// Set while a top-level comptime block runs.
    pub in_comptime_block: bool,
    /// A top-level comptime block has ended with an error: what stands behind it was not done.
    pub has_failed_block: bool,
    /// Constants whose first value has been taken by code, by their declarations.
    pub folded: FxHashSet<Span>,
}

/// A compilation under way.
pub struct Sema<'s> {
    /// Where files come from.
    pub loader: &'s dyn Loader,
    /// All files read so far.
    pub sources: &'s mut SourceMap,
    /// The settings.
    pub options: &'s CompileOptions,
    /// Where diagnostics go.
    pub sink: &'s mut Sink,
    /// The machine.
    pub arch: &'static Arch,
    /// Files by path; `None` for those that could not be read.
    pub units: FxHashMap<PathBuf, Option<Rc<Unit>>>,
    /// Folder of the root file.
    pub root_dir: PathBuf,
    /// The world being evaluated.
    pub world: World,
    /// Calls under evaluation or analysis, outermost first.
    pub frames: Vec<Frame>,
    /// The function being written.
    pub builder: Option<FnBuilder>,
    /// What the layout block has said.
    pub layout: LayoutState,
    /// Constants that operations write, by their declarations.
    pub written: FxHashSet<Span>,
    /// Comptime calls whose results are known.
    pub recall: Recall,
    /// Comptime steps left.
    pub fuel: u64,
    /// Nesting of expressions and statements under way.
    pub depth: u32,
    /// Set when a limit was hit: whatever is looked at after that would only hit it again.
    pub gave_up: bool,
    /// Complaints so far, counting those that only follow from others and are not shown.
    pub faults: u64,
    /// Files being imported, for cycles.
    pub importing: Vec<(PathBuf, Option<Span>)>,
}

impl<'s> Sema<'s> {
    /// A compilation that has read nothing yet.
    pub fn new(
        loader: &'s dyn Loader,
        sources: &'s mut SourceMap,
        options: &'s CompileOptions,
        sink: &'s mut Sink,
    ) -> Sema<'s> {
        Sema {
            loader,
            sources,
            options,
            sink,
            arch: options.arch.numbers(),
            units: FxHashMap::default(),
            root_dir: PathBuf::new(),
            world: World::default(),
            frames: Vec::new(),
            builder: None,
            layout: LayoutState::default(),
            written: FxHashSet::default(),
            recall: Recall::default(),
            fuel: options.comptime_fuel,
            depth: 0,
            gave_up: false,
            faults: 0,
            importing: Vec::new(),
        }
    }

    /// A module instance.
    pub fn instance(&self, id: InstanceId) -> &Instance {
        &self.world.instances[id.0 as usize]
    }

    /// A module instance, to change.
    pub fn instance_mut(&mut self, id: InstanceId) -> &mut Instance {
        &mut self.world.instances[id.0 as usize]
    }

    /// A global.
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.world.globals[id.0 as usize]
    }

    /// The file in which a function stands, and the index of its declaration.
    pub fn fn_unit(&self, f: FnRef) -> (Rc<Unit>, usize) {
        (self.instance(f.instance).unit.clone(), f.decl as usize)
    }

    /// The function being written.
    ///
    /// # Panics
    /// When no function is: only run-time analysis may call this.
    pub fn b(&mut self) -> &mut FnBuilder {
        self.builder.as_mut().expect("run-time code is only written inside a function")
    }
}

impl Unit {
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
}
