//! Tasks that a program activates with other parameters.
//!
//! In: the files of a program that is complete. Out: marks at tasks that no tile activates, but an arm of an `if` or
//! `switch`, or the body of a loop, would. Never: evaluates anything; ids are compared by the names that stand for them.

use super::unit::Unit;
use super::uses::Uses;
use crate::image::Program;
use crate::source::Span;
use crate::syntax::ast::{Block, Decl, ExprId, ExprKind, FnDecl, Name, StmtKind, VarDecl};
use num_bigint::BigInt;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::sync::Arc;

/// How a file writes the id of a task.
#[derive(PartialEq, Eq)]
enum TaskName {
    /// `@get_local_task_id(9)`, or a constant with this value.
    Number(BigInt),
    /// The name of something else, without what it is a member of.
    Name(Name),
}

/// Marks the tasks that only untaken code of the program activates, in all tiles that have them.
pub fn mark_conditional_tasks(program: &mut Program, uses: &Uses) {
    let idle: Vec<(Span, Span)> =
        program.idle_tasks().into_iter().map(|(declared, task)| (declared, task.span)).collect();
    for (declared, bound) in idle {
        let units = || uses.files.values().map(|(unit, _)| unit);
        let name = units().find_map(|unit| name_in_binding(unit, bound));
        if name.is_some_and(|name| units().any(|unit| may_activate(unit, &name, declared, uses))) {
            program.tiles.iter_mut().for_each(|tile| mark(tile, declared));
        }
    }
}

fn mark(tile: &mut Arc<crate::image::TileImage>, declared: Span) {
    let tasks = tile.tasks.iter();
    let is_it = |f: crate::image::FnId| tile.functions[f.0 as usize].span == declared;
    let ids = tasks.filter(|task| is_it(task.function)).fold(0u64, |ids, task| ids | 1 << task.id.0);
    if ids != 0 {
        Arc::make_mut(tile).conditional |= ids;
    }
}

/// The id in a call of `@bind_local_task`.
fn name_in_binding(unit: &Unit, call: Span) -> Option<TaskName> {
    let call = unit.file.exprs.iter().find(|expr| expr.span == call)?;
    match &call.kind {
        ExprKind::Builtin { args, .. } => task_name(unit, *args.get(1)?),
        _ => None,
    }
}

fn task_name(unit: &Unit, id: ExprId) -> Option<TaskName> {
    if let Some(number) = task_number(unit, id) {
        return Some(TaskName::Number(number));
    }
    let name = match &unit.file.expr(id).kind {
        ExprKind::Name(name) => name,
        ExprKind::Field { name, .. } => return Some(TaskName::Name(name.name.clone())),
        _ => return None,
    };
    let declared = unit.names.get(name).map(|decl| &unit.file.decls[*decl as usize]);
    let number = match declared {
        Some(Decl::Var(VarDecl { init: Some(init), .. })) => task_number(unit, *init),
        _ => None,
    };
    Some(number.map_or_else(|| TaskName::Name(name.clone()), TaskName::Number))
}

/// `@get_local_task_id(9)`.
fn task_number(unit: &Unit, id: ExprId) -> Option<BigInt> {
    match &unit.file.expr(id).kind {
        ExprKind::Builtin { name, args } if name.name == "get_local_task_id" => {
            match &unit.file.expr(*args.first()?).kind {
                ExprKind::Int(number) => Some(number.clone()),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether code that other parameters may choose activates a task. What the task itself does is of no use.
fn may_activate(unit: &Rc<Unit>, task: &TaskName, declared: Span, uses: &Uses) -> bool {
    let mut places = activations(unit, task).filter(|place| {
        let own = bodies(unit).find(|(_, body)| holds(body.span, *place));
        own.is_none_or(|(function, _)| function.span != declared)
    });
    let mut conditional = arms(unit);
    add_called(unit, &mut conditional);
    places.any(|place| {
        let is_used = |(function, body): (&FnDecl, &Block)| {
            !holds(body.span, place) || uses.has(unit, unit.names[&function.name.name] as usize)
        };
        let in_called =
            bodies(unit).any(|(_, body)| holds(body.span, place) && conditional.contains(&body.span));
        in_called || bodies(unit).all(is_used) && conditional.iter().any(|arm| holds(*arm, place))
    })
}

/// Where a file activates a task: by `@activate`, or at the end of an operation.
fn activations<'u>(unit: &'u Unit, task: &'u TaskName) -> impl Iterator<Item = Span> + 'u {
    let ids = unit.file.exprs.iter().flat_map(|expr| match &expr.kind {
        ExprKind::Builtin { name, args } if name.name == "activate" => args.clone(),
        ExprKind::Struct { fields, .. } => {
            fields.iter().filter(|(field, _)| field.name == "activate").map(|(_, id)| *id).collect()
        }
        _ => Vec::new(),
    });
    ids.filter(|id| task_name(unit, *id).as_ref() == Some(task)).map(|id| unit.file.expr(id).span)
}

fn bodies(unit: &Unit) -> impl Iterator<Item = (&FnDecl, &Block)> {
    unit.file.decls.iter().filter_map(|decl| match decl {
        Decl::Fn(function) => Some((function, function.body.as_ref()?)),
        Decl::Var(_) | Decl::Layout(..) | Decl::Comptime(..) => None,
    })
}

/// What runs, or is compiled, only under a condition.
fn arms(unit: &Unit) -> FxHashSet<Span> {
    let stmt = |id| unit.file.stmt(id).span;
    let expr = |id| unit.file.expr(id).span;
    let mut arms = FxHashSet::default();
    for s in &unit.file.stmts {
        match &s.kind {
            StmtKind::If { then, els, .. } => arms.extend([*then].into_iter().chain(*els).map(stmt)),
            StmtKind::Switch { prongs, .. } => arms.extend(prongs.iter().map(|prong| prong.span)),
            StmtKind::For { body, .. } | StmtKind::While { body, .. } => arms.extend([stmt(*body)]),
            _ => {}
        }
    }
    for e in &unit.file.exprs {
        match &e.kind {
            ExprKind::If { then, els, .. } => arms.extend([*then].into_iter().chain(*els).map(expr)),
            ExprKind::Switch { prongs, .. } => arms.extend(prongs.iter().map(|prong| prong.span)),
            _ => {}
        }
    }
    arms
}

/// Adds the bodies of the functions that are called under a condition, and of those that these call.
fn add_called(unit: &Unit, conditional: &mut FxHashSet<Span>) {
    loop {
        let is_named = |name: &Name| {
            unit.file.exprs.iter().any(|expr| match &expr.kind {
                ExprKind::Name(other) => {
                    other == name && conditional.iter().any(|arm| holds(*arm, expr.span))
                }
                _ => false,
            })
        };
        let called: Vec<Span> = bodies(unit)
            .filter(|(function, body)| !conditional.contains(&body.span) && is_named(&function.name.name))
            .map(|(_, body)| body.span)
            .collect();
        if called.is_empty() {
            return;
        }
        conditional.extend(called);
    }
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.lo <= inner.lo && inner.hi <= outer.hi
}
