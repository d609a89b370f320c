//! Modules of the library that are used in another way than their documentation asks for.

use super::value::{FnRef, InstanceId};
use super::walk::Sema;
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::{COLLECTIVE_INIT, MEMCPY_PARAMS};

/// Looks at the imports of the tile that is being compiled, when all its functions are known.
pub fn check(sema: &mut Sema<'_>) {
    let mut next = 0;
    while let Some(id) = sema.modules.nth(next) {
        next += 1;
        if let Some(diag) = misused(sema, id) {
            sema.report(diag);
        }
    }
}

fn misused(sema: &Sema<'_>, id: InstanceId) -> Option<Diag> {
    let instance = sema.instance(id);
    // The library may know better.
    if sema.instance(instance.importer?).unit.library {
        return None;
    }
    let rule = match instance.unit.path.to_str()? {
        "<collectives_2d/pe>" if is_without_init(sema, id) => &COLLECTIVE_INIT,
        "<memcpy/memcpy>" if instance.params.is_empty() => &MEMCPY_PARAMS,
        _ => return None,
    };
    Some(rule.plain().at(instance.imported_at?))
}

/// Whether something calls an operation of this copy of `<collectives_2d/pe>`, but nothing its `init`.
fn is_without_init(sema: &Sema<'_>, id: InstanceId) -> bool {
    let names = &sema.instance(id).unit.names;
    let is_called = |name: &str| {
        let decl = names.get(name).copied();
        decl.is_some_and(|decl| sema.lower.functions.has(FnRef { instance: id, decl }))
    };
    // All operations begin alike.
    is_called("begin") && !is_called("init")
}
