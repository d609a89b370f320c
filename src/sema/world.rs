//! What a compilation knows: files, module instances, globals, the tile under construction.
//!
//! Everything else in this module is an `impl` of [`Sema`], in the file of its topic.

use super::builder::FnBuilder;
use super::known_calls::KnownCalls;
use super::layout::LayoutState;
use super::options::CompileOptions;
use super::scope::Frame;
use super::tile::TileBuilder;
use super::unit::{Global, Instance, Unit};
use super::value::{FnRef, GlobalId, InstanceId};
use crate::arch::Arch;
use crate::diagnostics::Sink;
use crate::source::{Loader, SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;
use std::rc::Rc;

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
    pub memo: KnownCalls,
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
            memo: KnownCalls::default(),
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
