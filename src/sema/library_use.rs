//! Modules of the library that are used in another way than their documentation asks for.

use super::value::FnRef;
use super::walk::Sema;
use crate::diagnostics::rules::run::COLLECTIVE_INIT;
use std::path::Path;

/// Each import of `<collectives_2d/pe>` needs a call of its `init` before its operations. Looks at the tile that is
/// being compiled, when all its functions are known.
pub fn check(sema: &mut Sema<'_>) {
    let mut next = 0;
    while let Some(id) = sema.modules.nth(next) {
        next += 1;
        let instance = sema.instance(id);
        let unit = instance.unit.clone();
        let (at, importer) = (instance.imported_at, instance.importer);
        // The library may know better.
        let is_of_program = importer.is_some_and(|importer| !sema.instance(importer).unit.library);
        if !is_of_program || unit.path != Path::new("<collectives_2d/pe>") {
            continue;
        }
        let is_called = |name: &str| {
            let decl = unit.names.get(name).copied();
            decl.is_some_and(|decl| sema.lower.functions.has(FnRef { instance: id, decl }))
        };
        // All operations begin alike.
        if is_called("begin")
            && !is_called("init")
            && let Some(at) = at
        {
            sema.report(COLLECTIVE_INIT.plain().at(at));
        }
    }
}
