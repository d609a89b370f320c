//! Tasks whose binding was forgotten: declared, and mentioned nowhere.
//!
//! In: files. Out: their tasks that no comptime block can bind. Never: evaluates anything.

use super::modules::Modules;
use super::unit::Unit;
use crate::image::UnboundTask;
use crate::syntax::ast::{Decl, ExprKind, FnDecl, Linkage, Name};
use std::rc::Rc;

/// The tasks of a tile that nothing in its files can bind to an id.
pub fn unbound_in_tile(modules: &Modules) -> Vec<UnboundTask> {
    let mut units: Vec<Rc<Unit>> = Vec::new();
    for unit in (0..).map_while(|n| modules.nth(n)).map(|id| &modules.get(id).unit) {
        if !unit.library && units.iter().all(|known| !Rc::ptr_eq(known, unit)) {
            units.push(unit.clone());
        }
    }
    units.iter().flat_map(|unit| unbound_among(unit, &units)).collect()
}

/// The tasks of a file that neither it nor another of these files mentions.
pub fn unbound_among(unit: &Unit, all: &[Rc<Unit>]) -> Vec<UnboundTask> {
    let declared = unit.unmentioned.iter().map(|decl| unit.function(*decl as usize));
    let is_foreign = |other: &&Rc<Unit>| other.file.id != unit.file.id;
    let is_alone = |task: &&FnDecl| !all.iter().filter(is_foreign).any(|o| mentions(o, &task.name.name));
    let unbound = declared.filter(is_alone).map(|task| UnboundTask {
        name: task.name.name.to_string(),
        span: task.span,
        has_params: !task.params.is_empty(),
    });
    unbound.collect()
}

/// Whether a file mentions a member of another one.
fn mentions(unit: &Unit, name: &Name) -> bool {
    unit.file.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::Field { name: member, .. } => member.name == *name,
        ExprKind::Str(text) => text.as_slice() == name.as_bytes(),
        _ => false,
    })
}

/// The tasks of a file whose names stand nowhere in it but in their declarations.
pub fn unmentioned(file: &crate::syntax::ast::File) -> Vec<u32> {
    let mut tasks: Vec<(u32, &Name)> = Vec::new();
    for (decl, n) in file.decls.iter().zip(0..) {
        match decl {
            Decl::Fn(f) if f.task && f.body.is_some() && f.linkage == Linkage::Plain => {
                tasks.push((n, &f.name.name));
            }
            _ => {}
        }
    }
    if tasks.is_empty() {
        return Vec::new();
    }
    for expr in &file.exprs {
        match &expr.kind {
            ExprKind::Name(name) => tasks.retain(|(_, task)| *task != name),
            ExprKind::Str(text) => tasks.retain(|(_, task)| task.as_bytes() != text.as_slice()),
            _ => {}
        }
    }
    let is_hidden = |name: &Name| file.hidden.contains(name);
    tasks.into_iter().filter(|(_, name)| !is_hidden(name)).map(|(n, _)| n).collect()
}
