//! Symbols: what one file of a tile exports, and others know by an `extern` declaration.

use super::unit::{DeclState, Global};
use super::value::{FnRef, GlobalId, InstanceId};
use super::walk::Sema;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::rules::layout::EXPORT_KIND;
use crate::diagnostics::{Diag, Result};
use crate::source::Span;
use crate::syntax::ast::{Attrs, Decl, ExprId, ExprKind, FnDecl, Ident, VarDecl, VarKind};
use crate::value::ty::{FieldLayout, IdKind, StructTy, Ty};
use rustc_hash::FxHashMap;

/// The name of the symbol that a declaration of the current module stands for: its own, or that of `linkname`.
pub fn symbol_name(sema: &mut Sema<'_>, name: &Ident, attrs: &Attrs) -> Result<String> {
    let Some(e) = attrs.linkname else { return Ok(name.name.to_string()) };
    let value = sema.known(e)?;
    value.as_str().ok_or_else(|| {
        let have = value.ty();
        let diag = rules::TYPE_MISMATCH.because(&[("want", &"a comptime_string"), ("have", &have)]);
        diag.at(sema.span(e)).help("write the name of the symbol in quotes: `linkname(\"name\")`")
    })
}

/// `extern var buffer: [8]u16;`
pub fn extern_global(sema: &mut Sema<'_>, v: &VarDecl) -> Result<GlobalId> {
    let name = &symbol_name(sema, &v.name, &v.attrs)?;
    let Some(ty) = v.ty else { return Err(rules::MISSING_INITIALIZER.because(&[("name", name)])) };
    if let Some(init) = v.init {
        return Err(rules::EXTERN_VALUE
            .because(&[("name", name)])
            .at(sema.span(init))
            .help("give the value where the variable is defined"));
    }
    let ty = sema.ty(ty)?;
    let Some((instance, decl)) = definition(sema, name)? else {
        return Err(rules::UNSUPPORTED_EXTERN
            .because(&[("name", name)])
            .at(v.span)
            .note("no file of this tile exports it, and cslrun links no object files"));
    };
    if matches!(sema.instance(instance).decls[decl as usize], DeclState::Untouched) {
        sema.resolve(instance, decl)?;
    }
    let definition = match sema.instance(instance).decls[decl as usize] {
        DeclState::Global(definition) => definition,
        DeclState::Fn => {
            let span = sema.instance(instance).unit.function(decl as usize).span;
            return Err(mismatch(name, v.span, span, "defined as a function here".into()));
        }
        _ => return Err(rules::REPORTED.plain()),
    };
    let g = sema.global(definition).clone();
    if g.ty != ty || g.is_var != (v.kind == VarKind::Var) {
        let defined = format!("defined as `{} {name}: {}` here", word(g.is_var), g.ty);
        return Err(mismatch(name, v.span, g.span, defined));
    }
    let (align, explicit_align) = sema.alignment(v, &ty)?;
    let defined_by = Some(definition);
    Ok(sema.lower.data.add(Global { align, explicit_align, defined_by, span: v.span, addr: None, ..g }))
}

/// `extern fn step(by: u16) void;`: finds the function that another file exports. Where there is none, a call of it is wrong.
pub fn resolve_function(sema: &mut Sema<'_>, instance: InstanceId, decl: u32, f: &FnDecl) -> Result<()> {
    sema.instance_mut(instance).decls[decl as usize] = DeclState::Fn;
    let name = declared_symbol(sema, instance, decl)?;
    let Some((other, its)) = definition(sema, &name)? else { return Ok(()) };
    let defined = match &sema.instance(other).unit.clone().file.decls[its as usize] {
        Decl::Fn(defined) => defined.span,
        Decl::Var(v) => return Err(mismatch(&name, f.span, v.span, "defined as a variable here".into())),
        Decl::Layout(..) | Decl::Comptime(..) => return Ok(()),
    };
    let own = sema.fn_type(FnRef { instance, decl })?;
    let definition = FnRef { instance: other, decl: its };
    let its = sema.fn_type(definition)?;
    if (&own.params, &own.ret) != (&its.params, &its.ret) {
        return Err(mismatch(&name, f.span, defined, format!("defined as a `{}` here", Ty::Fn(its))));
    }
    sema.instance_mut(instance).decls[decl as usize] = DeclState::Elsewhere(definition);
    Ok(())
}

/// The diagnostic about a type whose values other files cannot see.
pub fn not_exportable(ty: &Ty) -> Option<Diag> {
    let is_plain = |of: &StructTy| of.layout == FieldLayout::Plain;
    let help = match ty {
        Ty::Array(a) => return not_exportable(&a.elem),
        Ty::Struct(s) if is_plain(s) => "declare the type as `extern struct`",
        Ty::Union(u) if is_plain(u) => "declare the type as `extern union`",
        Ty::Id(IdKind::Direction) => "export a number that stands for it",
        Ty::Dsd(_) => "export the array, and build the DSD where it is used",
        Ty::Range | Ty::Void | Ty::Anon(_) => "export a number, an array, or an `extern struct` of them",
        _ if ty.is_comptime_only() => "give it a type that exists at run time",
        _ => return None,
    };
    Some(EXPORT_KIND.because(&[("type", ty)]).help(help))
}

/// All that is exported has a symbol of its own.
pub fn check_exports(sema: &mut Sema<'_>) {
    let mut seen = FxHashMap::<String, Span>::default();
    for (instance, decl) in sema.modules.exporting().collect::<Vec<_>>() {
        let span = sema.instance(instance).unit.file.decls[decl as usize].span();
        let name = match declared_symbol(sema, instance, decl) {
            Ok(name) => name,
            Err(diag) => {
                // Whoever has evaluated the declaration has told it.
                if !matches!(sema.instance(instance).decls[decl as usize], DeclState::Failed(_)) {
                    sema.report(diag);
                }
                continue;
            }
        };
        if let Some(first) = seen.insert(name.clone(), span) {
            let diag = rules::DUPLICATE_SYMBOL.because(&[("name", &name)]).at(span);
            sema.report(diag.also(first, "exported here, too"));
        }
    }
    for (instance, decl) in sema.modules.with_linkname().collect::<Vec<_>>() {
        let span = sema.instance(instance).unit.file.decls[decl as usize].span();
        let Ok(name) = declared_symbol(sema, instance, decl) else { continue };
        if let Some(first) = seen.get(&name) {
            let diag =
                rules::DUPLICATE_SYMBOL.because(&[("name", &name)]).at(span).also(*first, "exported here");
            sema.report(diag.help("declare it `extern` to use what is exported, or give it another symbol"));
        }
    }
}

/// Refuses a call at comptime of a function that another file exports: the definition may be in an object file.
pub fn refuse_at_comptime(sema: &Sema<'_>, callee: ExprId) -> Result<()> {
    let frame = sema.frame();
    let ExprKind::Name(name) = &frame.unit.file.expr(callee).kind else { return Ok(()) };
    let decl = frame.unit.names.get(name).filter(|_| frame.declared_at(name).is_none());
    match decl.map(|decl| &sema.instance(frame.instance).decls[*decl as usize]) {
        Some(DeclState::Elsewhere(_)) => {
            let what = format!("the result of the `extern` function `{name}`");
            let diag = rules::NOT_COMPTIME.because(&[("what", &what)]).at(sema.span(callee));
            Err(diag.help("import the file that defines it, and call the function there"))
        }
        _ => Ok(()),
    }
}

/// The declaration that exports a symbol, in whatever file of the tile.
fn definition(sema: &mut Sema<'_>, symbol: &str) -> Result<Option<(InstanceId, u32)>> {
    for (instance, decl) in sema.modules.exporting().collect::<Vec<_>>() {
        if declared_symbol(sema, instance, decl)? == symbol {
            return Ok(Some((instance, decl)));
        }
    }
    Ok(None)
}

/// The symbol of a declaration, which is no block.
fn declared_symbol(sema: &mut Sema<'_>, instance: InstanceId, decl: u32) -> Result<String> {
    let unit = sema.instance(instance).unit.clone();
    let (name, attrs) = match &unit.file.decls[decl as usize] {
        Decl::Var(v) => (&v.name, &v.attrs),
        Decl::Fn(f) => (&f.name, &f.attrs),
        Decl::Layout(..) | Decl::Comptime(..) => unreachable!("blocks have no symbol"),
    };
    sema.enter_module(instance);
    let name = symbol_name(sema, name, attrs);
    sema.eval.pop();
    name
}

fn mismatch(name: &str, at: Span, defined: Span, how: String) -> Diag {
    rules::EXTERN_MISMATCH.because(&[("name", &name)]).at(at).also(defined, how)
}

fn word(is_var: bool) -> &'static str {
    if is_var { "var" } else { "const" }
}
