//! How the code of a class of PEs begins: its globals and comptime blocks.

use super::externs;
use super::layout::TileClass;
use super::modules::Modules;
use super::unbound::unbound_in_tile;
use super::unit::DeclState;
use super::value::{InstanceId, Value};
use super::walk::Sema;
use crate::diagnostics::{At, Result};
use crate::syntax::ast::{Decl, ExprKind, Name, VarDecl};
use indexmap::IndexMap;

/// Evaluates the globals and comptime blocks of a class. Its functions are requested, but not compiled yet.
pub fn begin_code(sema: &mut Sema<'_>, class: &TileClass) {
    begin_code_with(sema, class, class.params.clone());
}

/// As [`begin_code`], with these parameters or symbols for them.
pub fn begin_code_with(sema: &mut Sema<'_>, class: &TileClass, params: IndexMap<Name, Value>) {
    sema.modules = Modules::default();
    sema.lower.begin_tile();
    sema.eval.budget.refill();
    sema.files.begin(class.unit.path.clone(), class.span);
    let id = sema.instantiate_module(class.unit.clone(), params, String::new(), None, class.span);
    import_root(sema, id);
    sema.run_blocks(id);
    sema.resolve_exports(id);
    externs::check_exports(sema);
    sema.lower.tile.image.unbound = unbound_in_tile(&sema.modules).into();
}

fn import_root(sema: &mut Sema<'_>, id: InstanceId) {
    let unit = sema.instance(id).unit.clone();
    // A FIFO may lie in a buffer that an imported file exports.
    for builtin in ["import_module", "allocate_fifo"] {
        for (i, decl) in unit.file.decls.iter().enumerate() {
            let Decl::Var(v) = decl else { continue };
            if let Err(c) = resolve_if_calls(sema, id, i as u32, v, builtin) {
                sema.report(c);
            }
        }
    }
}

/// Evaluates a declaration whose initial value is a call of `builtin`.
fn resolve_if_calls(
    sema: &mut Sema<'_>,
    id: InstanceId,
    decl: u32,
    v: &VarDecl,
    builtin: &str,
) -> Result<()> {
    let unit = sema.instance(id).unit.clone();
    let needed = v.init.is_some_and(|e| {
        let kind = &unit.file.expr(e).kind;
        matches!(kind, ExprKind::Builtin { name, .. } if name.name == builtin)
    });
    let untouched = matches!(sema.instance(id).decls[decl as usize], DeclState::Untouched);
    if needed && untouched { sema.resolve(id, decl).at(v.span) } else { Ok(()) }
}
