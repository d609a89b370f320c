//! `extern` variables: other names for what another file of the tile exports.

use super::modules::declared_name;
use super::unit::{DeclState, Global};
use super::value::{GlobalId, InstanceId};
use super::world::Sema;
use crate::diagnostics::Result;
use crate::diagnostics::rules::comptime as rules;
use crate::syntax::ast::{Decl, Linkage, Name, VarDecl};

impl Sema<'_> {
    /// `extern var buffer: [8]u16;`
    pub fn extern_global(&mut self, v: &VarDecl) -> Result<GlobalId> {
        let name = &v.name.name;
        let Some(ty) = v.ty else { return Err(rules::MISSING_INITIALIZER.because(&[("name", name)])) };
        if let Some(init) = v.init {
            return Err(rules::EXTERN_VALUE
                .because(&[("name", name)])
                .at(self.span(init))
                .help("give the value where the variable is defined"));
        }
        let ty = self.ty(ty)?;
        let Some((instance, decl)) = self.find_export(name) else {
            return Err(rules::UNSUPPORTED_EXTERN
                .because(&[("name", name)])
                .at(v.span)
                .note("no file of this tile exports it, and cslrun links no object files"));
        };
        if matches!(self.instance(instance).decls[decl as usize], DeclState::Untouched) {
            self.resolve(instance, decl)?;
        }
        let DeclState::Global(definition) = self.instance(instance).decls[decl as usize] else {
            return Err(rules::REPORTED.plain());
        };
        let g = self.global(definition).clone();
        if g.ty != ty || g.is_var != (v.kind == crate::syntax::ast::VarKind::Var) {
            return Err(rules::EXTERN_MISMATCH
                .because(&[("name", name)])
                .at(v.span)
                .also(g.span, format!("defined as `{} {name}: {}` here", word(g.is_var), g.ty)));
        }
        let (align, explicit_align) = self.alignment(v, &ty)?;
        let defined_by = Some(definition);
        Ok(self.add_global(Global { align, explicit_align, defined_by, span: v.span, addr: None, ..g }))
    }

    /// The declaration that exports a variable of this name, in whatever file of the tile.
    fn find_export(&self, name: &Name) -> Option<(InstanceId, u32)> {
        self.world.instances.iter().enumerate().find_map(|(i, instance)| {
            let exports = |d: &Decl| {
                matches!(d, Decl::Var(v) if v.linkage == Linkage::Export)
                    && declared_name(d).is_some_and(|n| n.name == *name)
            };
            let decl = instance.unit.file.decls.iter().position(exports)?;
            Some((InstanceId(i as u32), decl as u32))
        })
    }
}

fn word(is_var: bool) -> &'static str {
    if is_var { "var" } else { "const" }
}
