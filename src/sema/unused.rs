//! Declarations that nothing uses: checked for names and types, too, as far as these do not depend on parameters.

use super::begin::begin_code;
use super::layout::TileClass;
use super::modules::Modules;
use super::never_assigned::never_assigned;
use super::reports::is_about_names_and_types;
use super::unbound::unbound_among;
use super::unit::{DeclState, Unit, declared_name};
use super::uses::Uses;
use super::value::{FnRef, InstanceId};
use super::walk::Sema;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{Diag, Replaced, Rule};
use crate::image::{Program, TileImage, UnboundTask};
use crate::syntax::ast::{Decl, ExprKind, FnDecl, FnParam, VarKind};
use crate::value::ty::Ty;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Rules about names alone.
const ABOUT_NAMES: [&Rule; 2] = [&rules::UNKNOWN_NAME, &rules::UNKNOWN_BUILTIN];

/// Reports what is wrong with the declarations that nothing has used, and with those that nothing has set. The program is complete, and this does not
/// change it.
pub fn check_unused(sema: &mut Sema<'_>, classes: &[TileClass], program: &Program) {
    let uses = std::mem::take(&mut sema.uses);
    let mut found: Vec<Diag> = never_assigned(&uses, &program.exports);
    for (class, tile) in classes.iter().zip(&program.tiles) {
        main_alone(class, tile, &uses).into_iter().for_each(|diag| found.push(diag));
    }
    found.extend(without_ids(classes, program, &uses));
    let has_unused = |unit: &Unit| {
        (0..unit.file.decls.len()).any(|decl| is_candidate(unit, decl) && !uses.has(unit, decl))
    };
    let mut wanted: Vec<usize> =
        uses.files.values().filter(|(unit, _)| has_unused(unit)).map(|(_, class)| *class).collect();
    wanted.sort_unstable();
    wanted.dedup();
    for class in wanted.into_iter().filter_map(|n| classes.get(n).map(|class| (n, class))) {
        found.extend(check_class(sema, class.0, class.1, &uses));
    }
    for diag in found {
        if let Err(diag) = sema.lint(diag) {
            sema.report(diag);
        }
    }
}

/// A function `main` in a program in which nothing starts.
fn main_alone(class: &TileClass, tile: &TileImage, uses: &Uses) -> Option<Diag> {
    let is_idle =
        tile.tasks.is_empty() && tile.exports.is_empty() && tile.active == 0 && tile.handlers.is_empty();
    let decl = *class.unit.names.get("main")?;
    let Decl::Fn(function) = &class.unit.file.decls[decl as usize] else { return None };
    let alone = is_idle && !tile.has_memcpy && !uses.has(&class.unit, decl as usize);
    let word = if function.task { "the task `main`" } else { "a task" };
    alone.then(|| {
        rules::MAIN_NOT_STARTED.plain().at(function.span).help(format!(
            "bind {word} to an id and activate it: \
             `comptime {{ const id = @get_local_task_id(8); @bind_local_task(main, id); @activate(id); }}`"
        ))
    })
}

/// Tasks that nothing in the program can bind to an id. What runs on no PE by itself may be a module that others import.
fn without_ids(classes: &[TileClass], program: &Program, uses: &Uses) -> Vec<Diag> {
    let units: Vec<Rc<Unit>> = uses.files.values().map(|(unit, _)| unit.clone()).collect();
    let is_placed = classes.iter().any(|class| class.span.is_some());
    let starts = |tile: &TileImage| !tile.tasks.is_empty() || !tile.exports.is_empty();
    if !is_placed && !program.tiles.iter().any(|tile| starts(tile)) {
        return Vec::new();
    }
    let tasks = units.iter().flat_map(|unit| unbound_among(unit, &units));
    let untold = tasks.filter(|task| !uses.has_named(task.span));
    let diag = |task: UnboundTask| {
        let name = &task.name;
        let diag = rules::TASK_WITHOUT_ID.because(&[("name", name)]).at(task.span);
        diag.help(match task.has_params {
            true => format!("write in a comptime block: `@bind_data_task({name}, @get_data_task_id(..))`"),
            false => format!("write in a comptime block: `@bind_local_task({name}, @get_local_task_id(..))`"),
        })
    };
    untold.map(diag).collect()
}

/// What is wrong with the declarations of the files that this class is the first to use.
fn check_class(sema: &mut Sema<'_>, n: usize, class: &TileClass, uses: &Uses) -> Vec<Diag> {
    let mut found = Vec::new();
    sema.reports.set_muted(true);
    begin_code(sema, class);
    sema.write_functions();
    sema.reports.set_muted(false);
    let mut next = 0;
    while let Some(id) = sema.modules.nth(next) {
        next += 1;
        let unit = sema.instance(id).unit.clone();
        if uses.files.get(&unit.file.id).map(|(_, class)| *class) != Some(n)
            || !is_first(&sema.modules, id, &unit)
        {
            continue;
        }
        let reach = Reach::of(&unit);
        for decl in 0..unit.file.decls.len() {
            if is_candidate(&unit, decl) && !uses.has(&unit, decl) {
                let names_only = reach.depends_on_params(&unit, decl);
                found.extend(check_declaration(sema, id, &unit, decl, names_only));
            }
        }
    }
    found
}

/// Whether no other copy of the file comes before this one.
fn is_first(modules: &Modules, id: InstanceId, unit: &Rc<Unit>) -> bool {
    (0..)
        .map_while(|n| modules.nth(n))
        .take_while(|other| *other != id)
        .all(|other| !Rc::ptr_eq(&modules.get(other).unit, unit))
}

fn check_declaration(
    sema: &mut Sema<'_>,
    id: InstanceId,
    unit: &Unit,
    decl: usize,
    names_only: bool,
) -> Vec<Diag> {
    sema.reports.begin_capture();
    sema.eval.budget.refill();
    let result = match &unit.file.decls[decl] {
        Decl::Fn(_) => sema.request(FnRef { instance: id, decl: decl as u32 }).map(drop),
        Decl::Var(_) => match sema.instance(id).decls[decl] {
            DeclState::Untouched => sema.resolve(id, decl as u32),
            _ => Ok(()),
        },
        Decl::Layout(..) | Decl::Comptime(..) => Ok(()),
    };
    if let Err(diag) = result {
        sema.report(diag);
    }
    sema.write_functions();
    let found = sema.reports.end_capture();
    let Some(name) = declared_name(&unit.file.decls[decl]) else { return Vec::new() };
    let is_meant = |diag: &Diag| {
        let among = |rules: &[&Rule]| rules.iter().any(|rule| rule.name == diag.rule());
        let is_here = diag.0.primary.as_ref().is_some_and(|label| label.span.file == unit.file.id);
        is_here && if names_only { among(&ABOUT_NAMES) } else { is_about_names_and_types(diag) }
    };
    found.into_iter().filter(is_meant).map(|diag| unused(&name.name, diag)).collect()
}

/// The warning about an error in something that nothing uses.
fn unused(name: &str, error: Diag) -> Diag {
    let error = *error.0;
    let mut diag = rules::UNUSED_CODE.because(&[("name", &name), ("title", &error.title)]);
    let d = &mut *diag.0;
    (d.primary, d.others, d.notes) = (error.primary, error.others, error.notes);
    if let Some(help) = error.help {
        (d.help, d.has_own_help) = (Some(help), true);
    }
    d.fix = error.fix.filter(|fix| !matches!(fix.what, Replaced::Place) || d.primary.is_some());
    diag
}

/// Whether a declaration can be checked by itself.
fn is_candidate(unit: &Unit, decl: usize) -> bool {
    match &unit.file.decls[decl] {
        Decl::Fn(function) => is_ordinary(unit, function),
        Decl::Var(v) => v.kind != VarKind::Param,
        Decl::Layout(..) | Decl::Comptime(..) => false,
    }
}

/// Whether a function takes all its parameters at run time, as far as its head shows.
fn is_ordinary(unit: &Unit, function: &FnDecl) -> bool {
    let is_plain = |param: &FnParam| {
        let is_type = |ty| {
            matches!(&unit.file.expr(ty).kind, ExprKind::Name(name)
            if Ty::predeclared(name).is_some_and(|ty| ty.is_comptime_only()))
        };
        !param.comptime && param.ty.is_some_and(|ty| !is_type(ty))
    };
    !function.inline && function.body.is_some() && function.params.iter().all(is_plain)
}

/// The names that each declaration of a file mentions.
struct Reach(Vec<Vec<u32>>);

impl Reach {
    fn of(unit: &Unit) -> Reach {
        let begins: Vec<u32> = unit.file.decls.iter().map(|decl| decl.span().lo).collect();
        let mut reach = vec![Vec::new(); begins.len()];
        for expr in &unit.file.exprs {
            let ExprKind::Name(name) = &expr.kind else { continue };
            let decl = begins.partition_point(|begin| *begin <= expr.span.lo).checked_sub(1);
            if let (Some(decl), Some(named)) = (decl, unit.names.get(name)) {
                reach[decl].push(*named);
            }
        }
        Reach(reach)
    }

    /// Whether what a declaration says depends on a parameter of the file.
    fn depends_on_params(&self, unit: &Unit, decl: usize) -> bool {
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut open = vec![decl as u32];
        while let Some(decl) = open.pop() {
            if !seen.insert(decl) {
                continue;
            }
            if matches!(&unit.file.decls[decl as usize], Decl::Var(v) if v.kind == VarKind::Param) {
                return true;
            }
            open.extend(&self.0[decl as usize]);
        }
        false
    }
}
