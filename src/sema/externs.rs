//! `extern` variables: other names for what another file of the tile exports.

use super::unit::{DeclState, Global};
use super::value::GlobalId;
use super::walk::Sema;
use crate::diagnostics::Result;
use crate::diagnostics::rules::comptime as rules;
use crate::syntax::ast::VarDecl;

/// `extern var buffer: [8]u16;`
pub fn extern_global(sema: &mut Sema<'_>, v: &VarDecl) -> Result<GlobalId> {
    let name = &v.name.name;
    let Some(ty) = v.ty else { return Err(rules::MISSING_INITIALIZER.because(&[("name", name)])) };
    if let Some(init) = v.init {
        return Err(rules::EXTERN_VALUE
            .because(&[("name", name)])
            .at(sema.span(init))
            .help("give the value where the variable is defined"));
    }
    let ty = sema.ty(ty)?;
    let Some((instance, decl)) = sema.modules.find_export(name) else {
        return Err(rules::UNSUPPORTED_EXTERN
            .because(&[("name", name)])
            .at(v.span)
            .note("no file of this tile exports it, and cslrun links no object files"));
    };
    if matches!(sema.instance(instance).decls[decl as usize], DeclState::Untouched) {
        sema.resolve(instance, decl)?;
    }
    let DeclState::Global(definition) = sema.instance(instance).decls[decl as usize] else {
        return Err(rules::REPORTED.plain());
    };
    let g = sema.global(definition).clone();
    if g.ty != ty || g.is_var != (v.kind == crate::syntax::ast::VarKind::Var) {
        return Err(rules::EXTERN_MISMATCH
            .because(&[("name", name)])
            .at(v.span)
            .also(g.span, format!("defined as `{} {name}: {}` here", word(g.is_var), g.ty)));
    }
    let (align, explicit_align) = sema.alignment(v, &ty)?;
    let defined_by = Some(definition);
    Ok(sema.lower.data.add(Global { align, explicit_align, defined_by, span: v.span, addr: None, ..g }))
}

fn word(is_var: bool) -> &'static str {
    if is_var { "var" } else { "const" }
}
