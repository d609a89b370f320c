//! A compilation under way: the components that it consists of.
//!
//! [`Sema`] walks the tree. Each component owns its part of the state and knows nothing of the walk; the
//! methods here are short ways to what every part of the walk needs.

use super::chain;
use super::deferred_colors::DeferredColors;
use super::eval::{Budget, Eval, EvalFrame};
use super::files::Files;
use super::layout::LayoutScope;
use super::layout_memo::LayoutMemo;
use super::lower::{FnBuilder, Lower};
use super::modules::Modules;
use super::options::CompileOptions;
use super::reports::Reports;
use super::unit::{Global, Instance, Unit};
use super::uses::Uses;
use super::value::{FnRef, GlobalId, InstanceId};
use crate::arch::Arch;
use crate::diagnostics::{Diag, Result, Sink};
use crate::source::{Loader, SourceMap, Span};
use crate::syntax::ast::ExprId;
use std::rc::Rc;

/// A compilation under way.
pub struct Sema<'s> {
    /// The settings.
    pub options: &'s CompileOptions,
    /// The machine.
    pub arch: &'static Arch,
    /// The files read so far.
    pub files: Files<'s>,
    /// Which declarations something has used.
    pub uses: Uses,
    /// What has been reported.
    pub reports: Reports<'s>,
    /// Numbers of tasks that are used as colors.
    pub deferred_colors: DeferredColors,
    /// The modules of the tile that is being compiled, or of the layout.
    pub modules: Modules,
    /// What is under evaluation.
    pub eval: Eval,
    /// The code and the memory of the tile that is being compiled.
    pub lower: Lower,
    /// What the layout block has said.
    pub layout: LayoutScope,
    /// What places of the layout block gave the last time.
    pub repeats: LayoutMemo,
}

impl<'s> Sema<'s> {
    /// A compilation that has read nothing yet.
    pub fn new(
        loader: &'s dyn Loader,
        sources: &'s mut SourceMap,
        options: &'s CompileOptions,
        sink: &'s mut Sink,
    ) -> Sema<'s> {
        let arch = options.arch.numbers();
        Sema {
            options,
            arch,
            files: Files::new(loader, sources, options),
            uses: Uses::default(),
            reports: Reports::new(sink, options.levels),
            deferred_colors: DeferredColors::default(),
            modules: Modules::default(),
            eval: Eval::new(Budget::new(options.comptime_fuel)),
            lower: Lower::new(arch),
            layout: LayoutScope::default(),
            repeats: LayoutMemo::default(),
        }
    }

    /// Reports a diagnostic, unless it only repeats one.
    pub fn report(&mut self, diag: Diag) {
        self.note_effect();
        if self.reports.count(&diag) {
            let diag = chain::with_chain(&self.eval, &self.modules, &self.lower, diag);
            self.reports.show(self.files.blame_caller(diag));
        }
    }

    /// Reports a diagnostic behind which the program can go on.
    ///
    /// # Errors
    /// The diagnostic itself if its level is `deny`.
    pub fn lint(&mut self, diag: Diag) -> Result<()> {
        if let Some(diag) = self.reports.weigh(diag)? {
            self.report(diag);
        }
        Ok(())
    }

    /// Notes that the call under evaluation has a side effect.
    pub fn note_effect(&mut self) {
        self.eval.known.note_effect();
    }

    /// Evaluates a declaration, of which calls under evaluation read nothing but its value.
    pub fn unwatched<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let (watching, begin) = (self.eval.known.suspend(), self.eval.budget.steps());
        let result = f(self);
        self.eval.known.resume(watching, self.eval.budget.steps() - begin);
        result
    }

    /// The text of an expression as written, on one line.
    pub fn snippet(&self, e: ExprId) -> String {
        let part = self.files.text(self.span(e));
        part.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// A module instance.
    pub fn instance(&self, id: InstanceId) -> &Instance {
        self.modules.get(id)
    }

    /// A module instance, to change.
    pub fn instance_mut(&mut self, id: InstanceId) -> &mut Instance {
        self.modules.get_mut(id)
    }

    /// A global.
    pub fn global(&self, id: GlobalId) -> &Global {
        self.lower.data.get(id)
    }

    /// The file in which a function stands, and the index of its declaration.
    pub fn fn_unit(&self, f: FnRef) -> (Rc<Unit>, usize) {
        self.modules.function(f)
    }

    /// The function being written.
    ///
    /// # Panics
    /// When no function is: only run-time analysis may call this.
    pub fn b(&mut self) -> &mut FnBuilder {
        self.lower.b()
    }

    /// The innermost call.
    ///
    /// # Panics
    /// When nothing is being evaluated.
    pub fn frame(&self) -> &EvalFrame {
        self.eval.frame()
    }

    /// Whether things are evaluated now instead of being written as code.
    pub fn is_comptime(&self) -> bool {
        self.eval.is_comptime()
    }

    /// The file of the innermost call.
    pub fn unit(&self) -> Rc<Unit> {
        self.frame().unit.clone()
    }

    /// The place of an expression in the text.
    pub fn span(&self, id: ExprId) -> Span {
        self.eval.frame().unit.file.expr(id).span
    }

    /// The place of an expression, if what it gives is remembered because it may be evaluated for many PEs.
    pub fn repeated(&self, span: Span) -> Option<Span> {
        (self.options.memo && self.layout.is_running()).then_some(span)
    }

    /// Opens a frame at the top level of a module.
    pub fn enter_module(&mut self, instance: InstanceId) {
        let unit = self.instance(instance).unit.clone();
        self.eval.enter_module(instance, unit);
    }

    /// Runs `f` one level deeper, on a larger stack if need be.
    pub fn deeper<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.eval.budget.enter(span)?;
        let result = stacker::maybe_grow(256 * 1024, 4 * 1024 * 1024, || f(self));
        self.eval.budget.leave();
        result
    }

    /// Runs `f` with evaluation instead of code.
    pub fn at_comptime<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let before = self.eval.set_comptime(true);
        let result = f(self);
        self.eval.set_comptime(before);
        result
    }
}
