//! Files, imports and top-level declarations.

use super::arith;
use super::effects::Effects;
use super::operand::{Operand, comptime_only};
use super::tile::Placement;
use super::types::named;
use super::unit::{DeclState, Global, Instance, Unit};
use super::value::{GlobalId, InstanceId, Pointee, Pointer, Value};
use super::world::Sema;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::rules::dsd::DSD_EXPORT;
use crate::diagnostics::{Diag, Result};
use crate::source::{LoadError, Span, tidy};
use crate::stdlib;
use crate::syntax::ast::{self, Decl, ExprKind, Linkage, UnaryOp, VarDecl, VarKind};
use crate::value::ty::Ty;
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

impl Sema<'_> {
    /// Reports a diagnostic, unless it only repeats one.
    pub fn report(&mut self, diag: Diag) {
        self.has_effect();
        self.faults += u64::from(diag.0.severity.is_error());
        if !diag.rule().is_empty() {
            let diag = self.outside_library(self.with_chain(diag));
            self.sink.push(diag);
        }
    }

    /// Reports a diagnostic behind which the program can go on.
    ///
    /// # Errors
    /// The diagnostic itself if its level is `deny`.
    pub fn lint(&mut self, diag: Diag) -> Result<()> {
        if let Some(diag) = self.options.levels.weigh(diag)? {
            self.report(diag);
        }
        Ok(())
    }

    /// A diagnostic about a line of the library is one about the call of the program that led there.
    fn outside_library(&self, mut c: Diag) -> Diag {
        let is_library = |span: Span| self.sources.file(span.file).is_library();
        let d = &mut *c.0;
        let call = d.others.iter().position(|label| !is_library(label.span));
        if let (Some(primary), Some(call)) = (&mut d.primary, call)
            && is_library(primary.span)
        {
            std::mem::swap(primary, &mut d.others[call]);
        }
        c
    }

    /// Reads and parses a file once.
    pub fn unit_at(&mut self, path: &Path, shown: &str) -> Result<Rc<Unit>, Option<LoadError>> {
        if let Some(known) = self.units.get(path) {
            return known.clone().ok_or(None);
        }
        let text = self.loader.load(path).map_err(Some)?;
        Ok(self.parse(path.to_path_buf(), shown, text, false))
    }

    /// Parses a text that stands for the file at a path.
    pub fn parse(&mut self, path: PathBuf, shown: &str, text: String, library: bool) -> Rc<Unit> {
        let id = self.sources.add(shown, text);
        let text = self.sources.file(id).text.clone();
        let parsed = crate::syntax::parse(id, &text);
        for p in parsed.problems {
            self.report(p);
        }
        let mut names = FxHashMap::default();
        for (i, decl) in parsed.file.decls.iter().enumerate() {
            let Some(name) = declared_name(decl) else { continue };
            if let Some(first) = names.insert(name.name.clone(), i as u32) {
                let first_span =
                    declared_name(&parsed.file.decls[first as usize]).map_or(name.span, |n| n.span);
                let diag = rules::DUPLICATE_NAME
                    .because(&[("name", &name.name)])
                    .at(name.span)
                    .also(first_span, "first declared here");
                self.report(diag);
            }
        }
        let addressed = Rc::new(addressed_names(&parsed.file));
        let effects = Effects::of(&parsed.file);
        let unit =
            Rc::new(Unit { file: parsed.file, path: path.clone(), library, names, effects, addressed });
        self.units.insert(path, Some(unit.clone()));
        unit
    }

    /// Finds the file of an import: a library file, or a path relative to the importing file, to the
    /// root file, or to an import path.
    pub fn find_unit(&mut self, from: &Path, name: &str, span: Span) -> Result<Rc<Unit>> {
        if name.starts_with('<') {
            return self.library_unit(name, span);
        }
        let mut folders = vec![from.parent().unwrap_or(Path::new("")).to_path_buf(), self.root_dir.clone()];
        folders.extend(self.options.import_paths.iter().cloned());
        for folder in &folders {
            let path = tidy(&folder.join(name));
            match self.unit_at(&path, &path.display().to_string()) {
                Ok(unit) => return Ok(unit),
                Err(Some(LoadError::NotFound)) => {}
                Err(Some(LoadError::NotUtf8(at))) => {
                    return Err(rules::NOT_UTF8
                        .because(&[("file", &path.display()), ("offset", &at)])
                        .at(span));
                }
                Err(Some(LoadError::Other(why))) => {
                    return Err(rules::UNREADABLE_FILE
                        .because(&[("file", &path.display()), ("why", &why)])
                        .at(span));
                }
                Err(None) => return Err(rules::REPORTED.plain()),
            }
        }
        let mut diag = rules::FILE_NOT_FOUND.because(&[("file", &name)]).at(span);
        for f in folders.iter().collect::<indexmap::IndexSet<_>>() {
            let f = if f.as_os_str().is_empty() { ".".to_string() } else { f.display().to_string() };
            diag = diag.note(format!("looked in `{f}`"));
        }
        Err(diag)
    }

    fn library_unit(&mut self, name: &str, span: Span) -> Result<Rc<Unit>> {
        let path = PathBuf::from(name);
        if let Some(Some(unit)) = self.units.get(&path) {
            return Ok(unit.clone());
        }
        if let Some(text) = stdlib::find(name.trim_start_matches('<').trim_end_matches('>')) {
            return Ok(self.parse(path, name, text.to_string(), true));
        }
        let inner = name.trim_start_matches('<').trim_end_matches('>');
        for folder in self.options.import_paths.clone() {
            for file in [inner.to_string(), format!("{inner}.csl")] {
                if let Ok(unit) = self.unit_at(&folder.join(&file), &file) {
                    return Ok(unit);
                }
            }
        }
        if stdlib::is_missing(inner) {
            return Err(rules::UNSUPPORTED_LIBRARY.because(&[("name", &name)]).at(span));
        }
        let diag = rules::UNKNOWN_LIBRARY.because(&[("name", &name)]).at(span);
        Err(match crate::diagnostics::suggest::nearest(inner, stdlib::names()) {
            Some(near) => diag.help(format!("did you mean `<{near}>`?")),
            None => diag.help("see `docs/library` for the existing modules"),
        })
    }

    /// A new copy of a module.
    pub fn instantiate_module(
        &mut self,
        unit: Rc<Unit>,
        params: IndexMap<ast::Name, Value>,
        name: String,
        importer: Option<InstanceId>,
        imported_at: Option<Span>,
    ) -> Result<InstanceId> {
        let decls = unit.file.decls.iter().map(|d| match d {
            Decl::Fn(_) => DeclState::Fn,
            _ => DeclState::Untouched,
        });
        let decls = decls.collect();
        let id = InstanceId(self.world.instances.len() as u32);
        self.world.instances.push(Instance {
            unit: unit.clone(),
            params,
            decls,
            name,
            importer,
            imported_at,
            imports: Vec::new(),
            blocks_done: false,
        });
        self.check_params(id, imported_at)?;
        Ok(id)
    }

    /// Every parameter needs a value; values for unknown parameters are only worth a warning.
    fn check_params(&mut self, id: InstanceId, at: Option<Span>) -> Result<()> {
        let unit = self.instance(id).unit.clone();
        let params = &self.instance(id).params;
        let mut unknown = Vec::new();
        for (name, _) in params {
            let declared = unit.names.get(name).map(|i| &unit.file.decls[*i as usize]);
            if !matches!(declared, Some(Decl::Var(v)) if v.kind == VarKind::Param) {
                unknown.push(name.clone());
            }
        }
        if !unit.library {
            for name in unknown {
                let mut diag = unknown_param(&name, &unit);
                if let Some(at) = at {
                    diag = diag.at(at);
                }
                self.report(diag);
            }
        }
        Ok(())
    }

    /// Evaluates a top-level declaration.
    pub fn resolve(&mut self, instance: InstanceId, decl: u32) -> Result<()> {
        let unit = self.instance(instance).unit.clone();
        let Decl::Var(v) = &unit.file.decls[decl as usize] else { return Ok(()) };
        self.instance_mut(instance).decls[decl as usize] = DeclState::Busy;
        self.enter_module(instance);
        let result = self.unwatched(|s| s.deeper(v.span, |s| s.global_of(instance, v)));
        let result = result.map_err(|c| match c.rule() == rules::DEPENDENCY_CYCLE.name {
            true => c.also(v.name.span, format!("`{}` needs it", v.name.name)),
            false => self.with_declared_name(c, v.span),
        });
        self.frames.pop();
        match result {
            Ok(id) => {
                self.instance_mut(instance).decls[decl as usize] = DeclState::Global(id);
                Ok(())
            }
            Err(diag) => {
                self.instance_mut(instance).decls[decl as usize] = DeclState::Failed(None);
                Err(self.with_imports(diag.at(v.span), instance))
            }
        }
    }

    fn global_of(&mut self, instance: InstanceId, v: &VarDecl) -> Result<GlobalId> {
        if v.linkage == Linkage::Extern {
            return self.extern_global(v);
        }
        let ty = v.ty.map(|t| self.ty(t)).transpose()?;
        let bound =
            self.instance(instance).params.get(&v.name.name).cloned().filter(|_| v.kind == VarKind::Param);
        // What stands for a stream that is not used is void; a parameter with a type and a default keeps
        // the default then (docs/decisions.md).
        let bound = bound.filter(|given| given.ty() != Ty::Void || ty.is_none() || v.init.is_none());
        let value = match (bound, v.init) {
            (Some(given), _) => self.bind_param(v, given, ty.as_ref(), instance)?,
            (None, Some(init)) => self.initial_value(v, init, ty.as_ref())?,
            (None, None) if v.kind == VarKind::Var => match &ty {
                Some(ty) => Value::Undefined(ty.clone()),
                None => return Err(rules::MISSING_INITIALIZER.because(&[("name", &v.name.name)])),
            },
            (None, None) if v.kind == VarKind::Param => return Err(self.unbound_param(v, instance)),
            (None, None) => return Err(rules::MISSING_INITIALIZER.because(&[("name", &v.name.name)])),
        };
        let value = if v.kind == VarKind::Var { value } else { named(value, &v.name.name) };
        let ty = ty.filter(|t| *t != Ty::ComptimeStruct).unwrap_or_else(|| value.ty());
        if v.kind == VarKind::Var && ty.is_comptime_only() {
            return Err(comptime_only(&ty).help(super::stmt::instead_of_var(&ty, &v.name.name)));
        }
        let (align, explicit_align) = self.alignment(v, &ty)?;
        Ok(self.add_global(Global {
            name: self.global_name(instance, v),
            ty,
            value,
            is_var: v.kind == VarKind::Var,
            addr: None,
            align,
            explicit_align,
            defined_by: None,
            span: v.span,
        }))
    }

    fn global_name(&self, instance: InstanceId, v: &VarDecl) -> String {
        let module = &self.instance(instance).name;
        if module.is_empty() || v.linkage == Linkage::Export {
            return v.name.name.to_string();
        }
        [module, ".", &v.name.name].concat()
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
        arith::coerce(&given, ty).or_else(|c| param_fallback(&given, ty).ok_or(c)).map_err(|c| {
            let c = c.note(format!("this is the value given to the parameter `{}`", v.name.name));
            match imported {
                Some(at) => c.at(at).also(v.span, "declared here"),
                None => c.at(v.span),
            }
        })
    }

    fn unbound_param(&self, v: &VarDecl, instance: InstanceId) -> Diag {
        let diag = rules::MISSING_PARAM.because(&[("name", &v.name.name)]).at(v.span);
        match self.instance(instance).imported_at {
            Some(at) => diag.also(at, "the module is used here without it"),
            None => diag.help(format!("give it on the command line: `--param {}=..`", v.name.name)),
        }
    }

    fn initial_value(&mut self, v: &VarDecl, init: ast::ExprId, ty: Option<&Ty>) -> Result<Value> {
        let span = self.span(init);
        let unit = self.unit();
        if let ExprKind::Builtin { name, args } = &unit.file.expr(init).kind
            && let Some(value) = self.global_builtin(&name.name, args, span, v)
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
            Some(ty) => match self.at_comptime(|s| s.value_as(init, ty))? {
                Operand::Known(value) => Ok(value),
                _ => Err(rules::NOT_COMPTIME.because(&[("what", &"this initial value")]).at(span)),
            },
        }
    }

    /// A new global.
    pub fn add_global(&mut self, g: Global) -> GlobalId {
        self.world.globals.push(g);
        GlobalId(self.world.globals.len() as u32 - 1)
    }

    /// The address of a global; gives it room in memory at its first use.
    pub fn place_global(&mut self, id: GlobalId) -> Result<u16> {
        self.has_effect();
        if let Some(addr) = self.global(id).addr {
            return Ok(addr);
        }
        let g = self.global(id).clone();
        if let Some(definition) = g.defined_by {
            return self.place_global(definition);
        }
        let words =
            g.ty.words().ok_or_else(|| rules::COMPTIME_ONLY.because(&[("type", &g.ty)]).at(g.span))?;
        let addr = self.world.tile.reserve(Placement { words, align: g.align });
        self.world.globals[id.0 as usize].addr = Some(addr);
        self.world.tile.placed.push(id);
        Ok(addr)
    }

    /// Runs the top-level comptime blocks of a module, those of its imports first (ruling OQ-13b).
    pub fn run_blocks(&mut self, id: InstanceId) {
        if std::mem::replace(&mut self.instance_mut(id).blocks_done, true) {
            return;
        }
        for import in self.instance(id).imports.clone() {
            self.run_blocks(import);
        }
        let unit = self.instance(id).unit.clone();
        for decl in &unit.file.decls {
            let Decl::Comptime(block, span) = decl else { continue };
            self.enter_module(id);
            self.world.in_comptime_block = true;
            let result = self.deeper(*span, |s| s.block(block));
            self.world.in_comptime_block = false;
            self.frames.pop();
            if let Err(diag) = result {
                self.world.has_failed_block = true;
                self.report(self.with_imports(diag.at(*span), id));
            }
        }
    }

    /// Evaluates what no other code needed: exported variables, tasks' names, all initial values, so
    /// that mistakes in them are found.
    pub fn resolve_exports(&mut self, id: InstanceId) {
        let unit = self.instance(id).unit.clone();
        for (i, decl) in unit.file.decls.iter().enumerate() {
            let Decl::Var(v) = decl else { continue };
            let result = match v.linkage {
                Linkage::Export => self.resolve_exported(id, i as u32),
                _ if self.options.keep_descriptors && v.kind == VarKind::Const => {
                    self.resolve_if_untouched(id, i as u32)
                }
                _ => Ok(()),
            };
            if let Err(c) = result {
                self.report(c);
            }
        }
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
        self.place_global(g).map(drop)
    }

    /// A pointer to a whole global array, as `&array` gives it.
    pub fn pointer_to(&self, id: GlobalId) -> Value {
        let g = self.global(id);
        let ty = crate::value::ty::PtrTy { to: g.ty.clone(), is_const: !g.is_var, many: false };
        Value::Ptr(Pointer { ty: std::sync::Arc::new(ty), to: Pointee::Global(id, 0) })
    }
}

/// Parameters from the command line and from SdkLayout are plain integers for every kind of number.
fn param_fallback(given: &Value, ty: &Ty) -> Option<Value> {
    match (ty, given) {
        (Ty::Id(k), Value::Int(None, n)) => Some(Value::Id(*k, n.to::<u16>()?)),
        (Ty::Enum(_), Value::Int(..)) => arith::cast(given, ty, arith::Overflow::Reject).ok(),
        (Ty::Bool, Value::Int(None, n)) if n.is_zero() || *n == crate::value::number::Integer::ONE => {
            Some(Value::Bool(!n.is_zero()))
        }
        _ => None,
    }
}

/// The name that a declaration adds to its file.
pub fn declared_name(decl: &Decl) -> Option<&ast::Ident> {
    match decl {
        Decl::Var(v) => Some(&v.name),
        Decl::Fn(f) => Some(&f.name),
        Decl::Layout(..) | Decl::Comptime(..) => None,
    }
}

/// Names below an `&`: such locals must lie in memory.
fn addressed_names(file: &ast::File) -> FxHashSet<ast::Name> {
    let mut names = FxHashSet::default();
    for e in &file.exprs {
        let ExprKind::Unary(UnaryOp::AddressOf, operand) = &e.kind else { continue };
        let mut at = *operand;
        loop {
            match &file.expr(at).kind {
                ExprKind::Name(name) => {
                    names.insert(name.clone());
                    break;
                }
                ExprKind::Field { base, .. } | ExprKind::Index { base, .. } => at = *base,
                _ => break,
            }
        }
    }
    names
}

/// The warning about a value for a parameter that a file does not have.
pub fn unknown_param(name: &str, unit: &Unit) -> Diag {
    let c = rules::UNKNOWN_PARAM.because(&[("name", &name), ("file", &unit.path.display())]);
    let params = unit.file.decls.iter().filter_map(|d| match d {
        Decl::Var(v) if v.kind == VarKind::Param => Some(v.name.name.as_str()),
        _ => None,
    });
    crate::diagnostics::suggest::instead(c, name, params, "its parameters are")
}

/// Why a file that was asked for by its path cannot be compiled.
pub fn read_failure(why: Option<LoadError>, shown: &str) -> Diag {
    match why {
        Some(LoadError::NotUtf8(at)) => rules::NOT_UTF8.because(&[("file", &shown), ("offset", &at)]),
        Some(LoadError::Other(why)) => rules::UNREADABLE_FILE.because(&[("file", &shown), ("why", &why)]),
        Some(LoadError::NotFound) | None => rules::FILE_NOT_FOUND.because(&[("file", &shown)]),
    }
}
