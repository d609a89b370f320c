//! Files, imports and top-level declarations.

use super::builtins::known_id;
use super::chain::with_imports;
use super::declared::with_declared_name;
use super::names::check_type_name;
use super::operand::{Operand, comptime_only, exists_at_run_time};
use super::types::named;
use super::unit::{DeclState, Global, Unit};
use super::value::{GlobalId, InstanceId, Value};
use super::walk::Sema;
use super::{arith, builtins, externs};
use crate::arch::Arch;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::rules::dsd::DSD_EXPORT;
use crate::diagnostics::{Diag, Result, suggest};
use crate::source::Span;
use crate::syntax::ast::{self, Decl, ExprKind, Linkage, VarDecl, VarKind};
use crate::value::ty::{IdKind, Ty};
use indexmap::IndexMap;
use std::path::Path;
use std::rc::Rc;

impl Sema<'_> {
    /// Finds the file of an import: a library file, or a path relative to the importing file, to the
    /// root file, or to an import path.
    pub fn find_unit(&mut self, from: &Path, name: &str, span: Span) -> Result<Rc<Unit>> {
        let found = self.files.find(from, name, span);
        self.report_files();
        found
    }

    /// Reports what is wrong with the files that were just parsed.
    pub fn report_files(&mut self) {
        for problem in self.files.take_problems() {
            self.reports.spoil_record();
            self.report(problem);
            self.reports.note_syntax_error();
        }
    }

    /// A new copy of a module. Values for unknown parameters are only worth a warning.
    pub fn instantiate_module(
        &mut self,
        unit: Rc<Unit>,
        params: IndexMap<ast::Name, Value>,
        name: String,
        importer: Option<InstanceId>,
        imported_at: Option<Span>,
    ) -> InstanceId {
        self.uses.note_file(&unit);
        let id = self.modules.add(unit, params, name, importer, imported_at);
        for diag in self.modules.unknown_params(id) {
            self.report(diag);
        }
        id
    }

    /// Evaluates a top-level declaration.
    pub fn resolve(&mut self, instance: InstanceId, decl: u32) -> Result<()> {
        let unit = self.instance(instance).unit.clone();
        let v = match &unit.file.decls[decl as usize] {
            Decl::Var(v) => v,
            Decl::Fn(f) => return externs::resolve_function(self, instance, decl, f),
            Decl::Layout(..) | Decl::Comptime(..) => return Ok(()),
        };
        self.uses.note(unit.file.id, decl);
        self.instance_mut(instance).decls[decl as usize] = DeclState::Busy;
        self.enter_module(instance);
        let result = self.unwatched(|s| s.deeper(v.span, |s| s.global_of(instance, v)));
        let result = result.map_err(|c| match c.rule() == rules::DEPENDENCY_CYCLE.name {
            true => c.also(v.name.span, format!("`{}` needs it", v.name.name)),
            false => with_declared_name(self.frame(), &self.files, c, v.span),
        });
        self.eval.pop();
        match result {
            Ok(id) => {
                self.instance_mut(instance).decls[decl as usize] = DeclState::Global(id);
                Ok(())
            }
            Err(diag) => {
                self.instance_mut(instance).decls[decl as usize] = DeclState::Failed(None);
                Err(with_imports(&self.modules, diag.at(v.span), instance))
            }
        }
    }

    fn global_of(&mut self, instance: InstanceId, v: &VarDecl) -> Result<GlobalId> {
        if v.linkage == Linkage::Extern {
            return externs::extern_global(self, v);
        }
        check_type_name(self, v)?;
        let ty = v.ty.map(|t| self.ty(t)).transpose()?;
        let bound =
            self.instance(instance).params.get(&v.name.name).cloned().filter(|_| v.kind == VarKind::Param);
        // What stands for a stream that is not used is void; a parameter with a type and a default keeps
        // the default then (docs/decisions.md).
        let bound = bound.filter(|given| given.ty() != Ty::Void || ty.is_none() || v.init.is_none());
        let value = match (bound, v.init) {
            (Some(given), _) => self.bind_param(v, given, ty.as_ref(), instance)?,
            (None, Some(init)) => self.initial_value(v, init, ty.as_ref())?,
            // The host may give a value to what is exported, also to a constant.
            (None, None) if v.kind == VarKind::Var || v.linkage == Linkage::Export => match &ty {
                Some(ty) => Value::Undefined(ty.clone()),
                None => return Err(rules::MISSING_INITIALIZER.because(&[("name", &v.name.name)])),
            },
            (None, None) if v.kind == VarKind::Param => {
                return Err(unbound_param(self, v, instance));
            }
            (None, None) => return Err(rules::MISSING_INITIALIZER.because(&[("name", &v.name.name)])),
        };
        let value = if v.kind == VarKind::Var { value } else { named(value, &v.name.name) };
        let ty = ty.filter(|t| *t != Ty::ComptimeStruct).unwrap_or_else(|| value.ty());
        if v.kind == VarKind::Var && ty.is_comptime_only() {
            return Err(comptime_only(&ty).help(super::stmt::instead_of_var(&ty, &v.name.name)));
        }
        if v.kind == VarKind::Var {
            exists_at_run_time(&ty, self.options.fp16.kind())?;
        }
        let (align, explicit_align) = self.alignment(v, &ty)?;
        // A variable without an initializer is zero (ruling).
        let undefined = v.init.is_some() && matches!(value, Value::Undefined(_)) && is_of_numbers(&ty);
        self.eval.facts.note_global(v.name.span, &ty, &value);
        let name = match v.attrs.linkname {
            Some(_) => externs::symbol_name(self, &v.name, &v.attrs)?,
            None => self.modules.global_name(instance, v),
        };
        let id = self.lower.data.add(Global {
            name,
            ty,
            value,
            is_var: v.kind == VarKind::Var,
            undefined,
            addr: None,
            align,
            explicit_align,
            defined_by: None,
            span: v.span,
        });
        if v.kind == VarKind::Var && self.unit().may_assign(&v.name.name) {
            self.lower.data.keep_variable(id);
        }
        Ok(id)
    }

    /// The alignment in words, and the one in bytes that the declaration asks for.
    pub fn alignment(&mut self, v: &VarDecl, ty: &Ty) -> Result<(u32, Option<u32>)> {
        let natural = ty.align_words();
        let Some(e) = v.attrs.align else { return Ok((natural, None)) };
        let at = self.span(e);
        let value = self.known(e)?;
        let bytes = value.to::<u32>().filter(|n| n.is_power_of_two() && *n <= 0x8000);
        let bytes = bytes.ok_or_else(|| rules::BAD_ALIGNMENT.because(&[("value", &value)]).at(at))?;
        Ok((natural.max(bytes.div_ceil(2)), Some(bytes)))
    }

    fn bind_param(
        &mut self,
        v: &VarDecl,
        given: Value,
        ty: Option<&Ty>,
        instance: InstanceId,
    ) -> Result<Value> {
        let Some(ty) = ty else { return Ok(given) };
        if let Value::Fn(f) = given {
            let imported = self.instance(instance).imported_at.unwrap_or(v.span);
            return match self.coerce(Operand::Known(Value::Fn(f)), ty, imported)? {
                Operand::Known(v) => Ok(v),
                _ => unreachable!("known values stay known"),
            };
        }
        let imported = self.instance(instance).imported_at;
        let from_outside = |diag| param_from_outside(self.arch, &given, ty).unwrap_or(Err(diag));
        let bound = arith::coerce(&given, ty).or_else(from_outside);
        if bound.is_err() && imported.is_some() {
            // A declaration with the wrong type is one mistake, however many PEs give it a value.
            if self.uses.has_named(v.span) {
                return Err(rules::REPORTED.plain());
            }
            self.uses.note_named(v.span);
        }
        let imported = imported.map(|at| self.files.field_within(at, &v.name.name).unwrap_or(at));
        bound.map_err(|diag| {
            let diag = diag.note(format!("this is the value given to the parameter `{}`", v.name.name));
            match imported {
                Some(at) => diag.at(at).also(v.span, "declared here"),
                None if matches!(ty, Ty::Id(_)) => diag.at(v.span),
                None => {
                    let mut diag = diag.at(v.span);
                    // The value does not stand at this place, so nothing here can be converted.
                    (diag.0.help, diag.0.has_own_help) = (None, false);
                    let with = match self.layout.is_of_regions() {
                        true => "in `set_param_all`",
                        false => "on the command line: `--param`, for cslc `--params`",
                    };
                    diag.help(format!("give `{}` another value {with}", v.name.name))
                }
            }
        })
    }

    fn initial_value(&mut self, v: &VarDecl, init: ast::ExprId, ty: Option<&Ty>) -> Result<Value> {
        let span = self.span(init);
        let unit = self.unit();
        if let ExprKind::Builtin { name, args } = &unit.file.expr(init).kind
            && let Some(value) = builtins::global_builtin(self, &name.name, args, span, v)
        {
            return value;
        }
        match ty {
            Some(Ty::ComptimeStruct) | None => match self.known(init)? {
                Value::Undefined(Ty::Error) => {
                    Err(rules::UNDEFINED_VALUE.plain().at(span).help("give it a type"))
                }
                value => Ok(value),
            },
            Some(ty) => match self
                .at_comptime(|s| s.value_as(init, ty))
                .map_err(|diag| with_address(diag, &unit.file.expr(init).kind, ty, span))?
            {
                Operand::Known(value) => Ok(value),
                _ => Err(rules::NOT_COMPTIME.because(&[("what", &"this initial value")]).at(span)),
            },
        }
    }

    /// The address of a global; gives it room in memory at its first use.
    pub fn place_global(&mut self, id: GlobalId) -> Result<u16> {
        self.note_effect();
        self.lower.data.place(id)
    }

    /// Runs the top-level comptime blocks of a module, those of its imports first (ruling OQ-13b).
    pub fn run_blocks(&mut self, id: InstanceId) {
        if self.modules.begin_blocks(id) {
            return;
        }
        for import in self.instance(id).imports.clone() {
            self.run_blocks(import);
        }
        let unit = self.instance(id).unit.clone();
        for decl in &unit.file.decls {
            let Decl::Comptime(block, span) = decl else { continue };
            self.enter_module(id);
            self.eval.set_in_block(true);
            let result = self.deeper(*span, |s| s.block(block));
            self.eval.set_in_block(false);
            self.eval.pop();
            if let Err(diag) = result {
                self.modules.fail_block();
                self.report(with_imports(&self.modules, diag.at(*span), id));
            }
        }
    }

    /// Evaluates what no other code needed: exported variables, tasks' names, all initial values, so
    /// that mistakes in them are found.
    pub fn resolve_exports(&mut self, id: InstanceId) {
        let unit = self.instance(id).unit.clone();
        for (i, decl) in unit.file.decls.iter().enumerate() {
            let Decl::Var(v) = decl else { continue };
            let evaluates_all = self.options.keep_descriptors && !self.eval.facts.is_kept();
            let result = match v.linkage {
                Linkage::Export => self.resolve_exported(id, i as u32),
                _ if evaluates_all && v.kind == VarKind::Const => self.resolve_if_untouched(id, i as u32),
                _ => Ok(()),
            };
            if let Err(c) = result {
                self.report(c);
            }
        }
    }

    /// Evaluates what no code has needed, if the facts of the text are kept; what is wrong with it is not reported.
    pub fn look_at_rest(&mut self) {
        if !self.eval.facts.is_kept() {
            return;
        }
        self.reports.set_muted(true);
        let mut next = 0;
        // Whatever is imported meanwhile stands at the end.
        while let Some(id) = self.modules.nth(next) {
            next += 1;
            let unit = self.instance(id).unit.clone();
            for decl in 0..unit.file.decls.len() as u32 {
                if !unit.library && self.resolve_if_untouched(id, decl).is_err() {
                    self.eval.budget.refill();
                }
            }
        }
        self.reports.set_muted(false);
    }

    fn resolve_if_untouched(&mut self, id: InstanceId, decl: u32) -> Result<()> {
        match self.instance(id).decls[decl as usize] {
            DeclState::Untouched => self.resolve(id, decl),
            _ => Ok(()),
        }
    }

    fn resolve_exported(&mut self, id: InstanceId, decl: u32) -> Result<()> {
        self.resolve_if_untouched(id, decl)?;
        let DeclState::Global(g) = self.instance(id).decls[decl as usize] else { return Ok(()) };
        let Global { ty, span, .. } = self.global(g);
        if matches!(ty, Ty::Dsd(_)) {
            let help = "export the array, and build the DSD where it is used";
            return Err(DSD_EXPORT.because(&[("dsd", ty)]).at(*span).help(help));
        }
        if let Some(diag) = externs::not_exportable(ty) {
            return Err(diag.at(*span));
        }
        self.place_global(g).map(drop)
    }
}

/// The mistake of who gives a pointer the value of a variable instead of its address.
fn with_address(diag: Diag, init: &ExprKind, ty: &Ty, at: Span) -> Diag {
    let (ExprKind::Name(name), Ty::Ptr(_)) = (init, ty) else { return diag };
    if diag.rule() != rules::NOT_COMPTIME.name {
        return diag;
    }
    let facts: [(&str, &dyn std::fmt::Display); 2] =
        [("want", ty), ("have", &format!("the value of `{name}`"))];
    rules::TYPE_MISMATCH.because(&facts).at(at).help(format!("take its address: `&{name}`"))
}

fn unbound_param(sema: &Sema<'_>, v: &VarDecl, instance: InstanceId) -> Diag {
    let modules = &sema.modules;
    let unit = &modules.get(instance).unit;
    // The code of a PE that is run without its layout lacks all its parameters: that is one mistake.
    let is_alone = modules.get(instance).imported_at.is_none() && !sema.layout.is_of_regions();
    let of_layout = unit.param_of_layout().filter(|_| is_alone && !unit.has_layout());
    let v = of_layout.unwrap_or(v);
    let diag = rules::MISSING_PARAM.because(&[("name", &v.name.name)]).at(v.span);
    match modules.get(instance).imported_at {
        Some(at) => {
            let name = &v.name.name;
            let value = if name == "memcpy_params" { "memcpy.get_params(x)" } else { ".." };
            let what =
                if modules.get(instance).importer.is_some() { "the import" } else { "`@set_tile_code`" };
            let diag = diag.also(at, "the module is used here without it");
            let given = modules.get(instance).params.keys().map(|given| given.as_str());
            let unknown = given.filter(|given| !unit.names.contains_key(*given));
            match suggest::nearest(name, unknown) {
                Some(near) => diag.help(format!("write `.{name}` instead of `.{near}`")),
                None => diag.help(format!("add `.{name} = {value}` to the parameters of {what}")),
            }
        }
        None if of_layout.is_some() => diag
            .note(format!("`{}` has no layout block: it is code of a PE", unit.path.display()))
            .help(way_to_give(sema, v, instance)),
        None => diag.help(way_to_give(sema, v, instance)),
    }
}

/// How a parameter of the file that is run gets its value.
fn way_to_give(sema: &Sema<'_>, v: &VarDecl, instance: InstanceId) -> String {
    let name = &v.name.name;
    if sema.layout.is_of_regions() {
        return format!(
            "give it to the code region: `set_param_all(\"{name}\", ..)`, or `set_param_all(color)` if it is a color"
        );
    }
    let unit = &sema.modules.get(instance).unit;
    if let Some(layout) = sema.files.layout_beside(&unit.path).filter(|_| !unit.has_layout()) {
        return format!("run `{}`, which gives this file its parameters", layout.display());
    }
    let file = &unit.file;
    let names_type = |wanted: &str| {
        v.ty.is_some_and(|ty| matches!(&file.expr(ty).kind, ExprKind::Name(ty) if ty == wanted))
    };
    if names_type("comptime_struct") || names_type("imported_module") || name == "memcpy_params" {
        return "run the layout file that gives this file its parameters in `@set_tile_code`".to_string();
    }
    let option = if names_type("color") { "colors" } else { "params" };
    format!("give it on the command line: `--param {name}=..`, for cslc `--{option}={name}:..`")
}

/// A parameter from the command line or from SdkLayout, which are plain integers for every kind of number; `None` if it
/// is none.
fn param_from_outside(arch: &Arch, given: &Value, ty: &Ty) -> Option<Result<Value>> {
    match (ty, given) {
        // Before release 1.1 the numbers of colors went on behind those that have routes: they are tasks.
        (Ty::Id(IdKind::Color), Value::Int(None, n)) if n.to::<u16>().is_some_and(|n| n < 32) => {
            Some(Ok(Value::Id(IdKind::Color, n.to::<u16>()?)))
        }
        (Ty::Id(kind), Value::Int(None, _)) => Some(known_id(arch, given, *kind)),
        (Ty::Enum(_), Value::Int(..)) => arith::cast(given, ty, arith::Overflow::Reject).ok().map(Ok),
        (Ty::Bool, Value::Int(None, n)) if n.is_zero() || *n == crate::value::number::Integer::ONE => {
            Some(Ok(Value::Bool(!n.is_zero())))
        }
        _ => None,
    }
}

/// Whether a type is a number or an array of numbers.
fn is_of_numbers(ty: &Ty) -> bool {
    match ty {
        Ty::Array(array) => is_of_numbers(&array.elem),
        other => matches!(other, Ty::Bool | Ty::Int(_) | Ty::Float(_)),
    }
}
