//! Names to what they stand for.

use super::eval::{Binding, ExprValue, Read, weight};
use super::operand::{Addr, Base, Place};
use super::unit::DeclState;
use super::unknown::{meant_between, unknown_name};
use super::value::{GlobalId, InstanceId, Value};
use super::walk::Sema;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::rules::run::UNSET_VARIABLE;
use crate::diagnostics::{Diag, Result};
use crate::source::Span;
use crate::syntax::ast::{ExprId, ExprKind, Name, VarDecl};
use crate::value::ty::{IdKind, Ty};

impl Sema<'_> {
    /// What a name stands for.
    pub fn name(&mut self, name: &Name, span: Span) -> Result<ExprValue> {
        if let Some((binding, slot)) = self.eval.local(name) {
            return match binding {
                Binding::Known(v) => Ok(ExprValue::known(v.clone())),
                Binding::Variable { ty, .. } => {
                    Ok(ExprValue::Place(Place::Comptime { slot, path: Vec::new(), ty: ty.clone() }))
                }
                Binding::Register { reg, ty, mutable } => {
                    Ok(ExprValue::Place(Place::Register { reg: *reg, ty: ty.clone(), writable: *mutable }))
                }
                Binding::Frame { off, ty, mutable } => {
                    Ok(ExprValue::Place(Place::frame(*off, ty.clone(), *mutable)))
                }
                Binding::Alias(operand) => Ok(ExprValue::Value(operand.clone())),
                Binding::Poison => Err(rules::REPORTED.plain()),
            };
        }
        if let Some(decl) = self.frame().unit.names.get(name).copied() {
            let instance = self.frame().instance;
            // `var i40: i40` means the type.
            if let (Some(ty), DeclState::Busy) =
                (predeclared(name), &self.instance(instance).decls[decl as usize])
            {
                return Ok(ExprValue::known(ty));
            }
            let member = self.member(instance, decl, span)?;
            self.check_pointer(name, &member, span);
            return Ok(member);
        }
        predeclared(name).map(ExprValue::known).ok_or_else(|| self.unknown_name(name, span))
    }

    /// The diagnostic about a name that stands for nothing. A name that a syntax error may have hidden is no second
    /// mistake.
    fn unknown_name(&self, name: &Name, span: Span) -> Diag {
        match self.frame().unit.file.hidden.contains(name) {
            true => rules::REPORTED.plain(),
            false => match meant_between(name, self.files.around(span)) {
                Some(help) => rules::UNKNOWN_NAME.because(&[("name", name)]).at(span).help(help),
                None => unknown_name(self.frame(), name, span),
            },
        }
    }

    /// Warns of code that uses a pointer of its file which nothing sets. Another file may set those of a module.
    fn check_pointer(&mut self, name: &Name, member: &ExprValue, span: Span) {
        let ExprValue::Place(Place::Memory {
            addr: Addr { base: Base::Global(id), .. }, ty: Ty::Ptr(_), ..
        }) = member
        else {
            return;
        };
        let (frame, global) = (self.frame(), self.lower.data.get(*id));
        let is_unset = global.is_var && matches!(global.value, Value::Undefined(_));
        let is_own = self.modules.get(frame.instance).imported_at.is_none();
        if is_unset && is_own && !self.is_comptime() && !frame.unit.may_set(name) {
            let diag = UNSET_VARIABLE.because(&[("name", name)]).at(span);
            let diag = diag.also(global.span, "declared without a value, and nothing assigns it");
            self.report(diag.help(format!("let it point to a variable: `{name} = &x`")));
        }
    }

    /// A top-level declaration of a module, evaluated on demand.
    pub fn member(&mut self, instance: InstanceId, decl: u32, span: Span) -> Result<ExprValue> {
        self.note_use(instance, decl);
        if matches!(self.instance(instance).decls[decl as usize], DeclState::Untouched) {
            self.resolve(instance, decl)?;
        }
        match &mut self.instance_mut(instance).decls[decl as usize] {
            DeclState::Global(id) => {
                let id = *id;
                self.note_global_read(instance, decl, id);
                Ok(self.global_place(id))
            }
            DeclState::Fn => Ok(ExprValue::known(Value::Fn(super::value::FnRef { instance, decl }))),
            DeclState::Elsewhere(f) => Ok(ExprValue::known(Value::Fn(*f))),
            DeclState::Busy => Err(rules::DEPENDENCY_CYCLE.plain().at(span)),
            DeclState::Failed(untold) => Err(untold.take().unwrap_or_else(|| rules::REPORTED.plain())),
            DeclState::Untouched => Err(rules::REPORTED.plain()),
        }
    }

    fn note_use(&mut self, instance: InstanceId, decl: u32) {
        let file = self.instance(instance).unit.file.id;
        self.uses.note(file, decl);
    }

    /// Notes that the value of a global is used.
    pub(super) fn note_global_use(&mut self, instance: InstanceId, decl: u32, id: GlobalId) {
        self.note_use(instance, decl);
        self.note_global_read(instance, decl, id);
    }

    /// The call under evaluation reads a global.
    fn note_global_read(&mut self, instance: InstanceId, decl: u32, id: GlobalId) {
        if !self.eval.known.is_new(instance, decl) {
            return;
        }
        let g = self.global(id);
        let read = match &g.value {
            _ if g.is_var || g.defined_by.is_some() => None,
            Value::Module(m) => Some(Read::Module(instance, decl, *m, self.instance(*m).unit.clone())),
            v => weight(v).map(|_| Read::Value(instance, decl, v.clone())),
        };
        match read {
            Some(read) => self.eval.known.note_read(read),
            None => self.note_effect(),
        }
    }

    fn global_place(&mut self, id: GlobalId) -> ExprValue {
        let g = self.global(id);
        if !g.is_var && (g.ty.is_comptime_only() || !can_be_stored(&g.ty)) {
            return ExprValue::known(g.value.clone());
        }
        let is_fixed = self.is_fixed(id);
        ExprValue::Place(Place::global(id, self.global(id), is_fixed))
    }

    /// Whether code may take the first value of a global instead of reading it: it is a constant or a DSD, and as far as is
    /// known nothing writes it.
    pub fn is_fixed(&mut self, id: GlobalId) -> bool {
        if self.is_comptime() { !self.global(id).is_var } else { self.lower.data.may_fold(id) }
    }
}

fn can_be_stored(ty: &Ty) -> bool {
    ty.words().is_some_and(|w| w > 0)
}

/// Warns of a declaration that is named like a type of integers, unless it is also the type that is declared,
/// `var i40: i40`. The documents declare an `xdsr`, and a public program a `range`.
pub fn check_type_name(sema: &mut Sema<'_>, v: &VarDecl) -> Result<()> {
    let name = v.name.name.as_str();
    if !matches!(Ty::predeclared(name), Some(Ty::Int(_))) || sema.unit().library {
        return Ok(());
    }
    let is_type =
        |ty: ExprId| matches!(&sema.unit().file.expr(ty).kind, ExprKind::Name(ty) if ty.as_str() == name);
    if v.ty.is_some_and(is_type) {
        return Ok(());
    }
    sema.lint(rules::SHADOWS_TYPE.because(&[("name", &name)]).at(v.name.span))
}

fn predeclared(name: &str) -> Option<Value> {
    if let Some(d) = crate::arch::Direction::ALL.into_iter().find(|d| d.name() == name) {
        return Some(Value::Id(IdKind::Direction, d as u16));
    }
    Ty::predeclared(name).map(Value::Type)
}
