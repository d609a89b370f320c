//! Names to what they stand for.

use super::operand::Place;
use super::scope::{Binding, Ev, Frame, Return, Scope};
use super::unit::{DeclState, Unit};
use super::value::{GlobalId, InstanceId, Value};
use super::world::Sema;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{Diag, Result, suggest};
use crate::source::Span;
use crate::syntax::ast::Name;
use crate::value::ty::{IdKind, Ty};
use std::rc::Rc;

impl Sema<'_> {
    /// The innermost call.
    ///
    /// # Panics
    /// When nothing is being evaluated.
    pub fn frame(&self) -> &Frame {
        self.frames.last().expect("evaluation happens inside a frame")
    }

    /// The innermost call, to change.
    pub fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("evaluation happens inside a frame")
    }

    /// Whether things are evaluated now instead of being written as code.
    pub fn is_comptime(&self) -> bool {
        self.frame().comptime
    }

    /// The file of the innermost call.
    pub fn unit(&self) -> Rc<Unit> {
        self.frame().unit.clone()
    }

    /// Opens a frame at the top level of a module.
    pub fn enter_module(&mut self, instance: InstanceId) {
        let unit = self.instance(instance).unit.clone();
        self.frames.push(Frame {
            instance,
            unit,
            scopes: vec![Scope::default()],
            targets: Vec::new(),
            comptime: true,
            ret: Return::Forbidden,
            pending: None,
            addressed: Rc::default(),
            expanded: None,
        });
    }

    /// Declares a local name.
    pub fn declare(&mut self, name: &Name, binding: Binding, span: Span) -> Result<()> {
        let scope = self.frame_mut().scopes.last_mut().expect("a frame has a scope");
        if name != "_"
            && let Some((_, _, first)) = scope.names.iter().find(|(n, _, _)| n == name)
        {
            let first = *first;
            return Err(rules::DUPLICATE_NAME
                .because(&[("name", name)])
                .at(span)
                .also(first, "first declared here"));
        }
        scope.names.push((name.clone(), binding, span));
        Ok(())
    }

    /// Finds a local: frame-relative scope and slot.
    pub fn find_local(&self, name: &str) -> Option<(usize, usize)> {
        let scopes = &self.frame().scopes;
        scopes
            .iter()
            .enumerate()
            .rev()
            .find_map(|(s, scope)| scope.names.iter().rposition(|(n, _, _)| n == name).map(|slot| (s, slot)))
    }

    /// What a name stands for.
    pub fn name(&mut self, name: &Name, span: Span) -> Result<Ev> {
        if let Some((scope, slot)) = self.find_local(name) {
            let binding = &self.frame().scopes[scope].names[slot].1;
            return match binding {
                Binding::Known(v) => Ok(Ev::known(v.clone())),
                Binding::Variable { ty, .. } => {
                    let ty = ty.clone();
                    let frame = self.frames.len() - 1;
                    Ok(Ev::Place(Place::Comptime { frame, scope, slot, path: Vec::new(), ty }))
                }
                Binding::Register { reg, ty, mutable } => {
                    Ok(Ev::Place(Place::Register { reg: *reg, ty: ty.clone(), writable: *mutable }))
                }
                Binding::Frame { off, ty, mutable } => {
                    Ok(Ev::Place(Place::frame(*off, ty.clone(), *mutable)))
                }
                Binding::Alias(operand) => Ok(Ev::Value(operand.clone())),
                Binding::Poison => Err(rules::REPORTED.plain()),
            };
        }
        if let Some(decl) = self.frame().unit.names.get(name).copied() {
            let instance = self.frame().instance;
            return self.member(instance, decl, span);
        }
        self.predeclared(name).map(Ev::known).ok_or_else(|| self.unknown_name(name, span))
    }

    fn predeclared(&self, name: &str) -> Option<Value> {
        if let Some(d) = crate::arch::Direction::ALL.into_iter().find(|d| d.word() == name) {
            return Some(Value::Id(IdKind::Direction, d as u16));
        }
        Ty::predeclared(name).map(Value::Type)
    }

    fn unknown_name(&self, name: &Name, span: Span) -> Diag {
        let diag = rules::UNKNOWN_NAME.because(&[("name", name)]).at(span);
        let frame = self.frame();
        let locals = frame.scopes.iter().flat_map(|s| s.names.iter().map(|(n, _, _)| n.as_str()));
        let globals = frame.unit.names.keys().map(|n| n.as_str());
        let mut known: Vec<&str> = locals.chain(globals).collect();
        known.extend_from_slice(&Ty::predeclared_names());
        known.sort_unstable();
        if super::builtins::lookup(name).is_some() {
            return diag.help(format!("did you mean `@{name}`?"));
        }
        match suggest::nearest(name, known) {
            Some(near) => diag.help(format!("did you mean `{near}`?")),
            None => diag,
        }
    }

    /// A top-level declaration of a module, evaluated on demand.
    pub fn member(&mut self, instance: InstanceId, decl: u32, span: Span) -> Result<Ev> {
        if matches!(self.instance(instance).decls[decl as usize], DeclState::Untouched) {
            self.resolve(instance, decl)?;
        }
        match &mut self.instance_mut(instance).decls[decl as usize] {
            DeclState::Global(id) => {
                let id = *id;
                self.reads_global(instance, decl, id);
                Ok(self.global_place(id))
            }
            DeclState::Fn => Ok(Ev::known(Value::Fn(super::value::FnRef { instance, decl }))),
            DeclState::Busy => Err(rules::DEPENDENCY_CYCLE.plain().at(span)),
            DeclState::Failed(untold) => Err(untold.take().unwrap_or_else(|| rules::REPORTED.plain())),
            DeclState::Untouched => Err(rules::REPORTED.plain()),
        }
    }

    fn global_place(&mut self, id: GlobalId) -> Ev {
        let g = self.global(id);
        if !g.is_var && (g.ty.is_comptime_only() || !can_be_stored(&g.ty)) {
            return Ev::known(g.value.clone());
        }
        let is_fixed = self.is_fixed(id);
        Ev::Place(Place::global(id, self.global(id), is_fixed))
    }

    /// Whether code may take the first value of a global instead of reading it: it is a constant, and as
    /// far as is known no operation writes it.
    pub fn is_fixed(&mut self, id: GlobalId) -> bool {
        let (is_var, span) = (self.global(id).is_var, self.global(id).span);
        if is_var || self.is_comptime() {
            return !is_var;
        }
        if self.written.contains(&span) {
            return false;
        }
        self.world.folded.insert(span);
        true
    }
}

fn can_be_stored(ty: &Ty) -> bool {
    ty.words().is_some_and(|w| w > 0)
}
