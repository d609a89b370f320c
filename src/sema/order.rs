//! Operands whose order decides the result: one calls a function that changes what the other uses
//! (entry UB-057). Only what names say is looked at: globals of the file and of the modules that it imports, functions of
//! these, and variables whose address a call gets.

use super::effects::{Step, Uses, root};
use super::unit::{DeclState, Unit};
use super::value::Value;
use super::walk::Sema;
use crate::diagnostics::rules::comptime::OPERAND_ORDER;
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp, ExprId, ExprKind, Name, UnaryOp};
use indexmap::IndexSet;
use std::fmt;
use std::rc::Rc;

/// Warns when the order of two operands can be seen.
pub fn check_order(sema: &mut Sema<'_>, a: ExprId, op: BinaryOp, b: ExprId, span: Span) {
    let unit = sema.unit();
    if unit.library || sema.is_comptime() || ![a, b].iter().any(|operand| calls(&unit.file, *operand)) {
        return;
    }
    let (left, right) = (Operand::new(sema, &unit, a), Operand::new(sema, &unit, b));
    let clash = left.clash(&right).or_else(|| right.clash(&left));
    // Two draws from a random generator may change places in a sum.
    let same = || commutes(op) && sema.snippet(a) == sema.snippet(b);
    if let Some(variable) = clash.filter(|_| !same()) {
        tell(sema, variable, span);
    }
}

/// The same for the arguments of a call, and the elements of an array or a struct.
pub fn check_all(sema: &mut Sema<'_>, operands: &[ExprId], span: Span) {
    let unit = sema.unit();
    if operands.len() < 2 || unit.library || sema.is_comptime() {
        return;
    }
    if !operands.iter().any(|operand| calls(&unit.file, *operand)) {
        return;
    }
    let all: Vec<_> = operands.iter().map(|operand| Operand::new(sema, &unit, *operand)).collect();
    let clash = all.iter().enumerate().find_map(|(n, one)| {
        let mut others = all.iter().enumerate().filter(|(m, _)| *m != n);
        others.find_map(|(_, other)| one.clash(other))
    });
    if let Some(variable) = clash {
        tell(sema, variable, span);
    }
}

fn tell(sema: &mut Sema<'_>, variable: &Variable, span: Span) {
    let diag = OPERAND_ORDER.because(&[("name", variable)]).at(span);
    sema.report(diag.help("compute one of the operands in a separate statement first"));
}

/// A variable, as it is named where the operands are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Variable {
    Local(Name),
    Global(Name),
    /// A global of a module.
    Member(Name, Name),
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variable::Local(name) | Variable::Global(name) => f.write_str(name),
            Variable::Member(module, name) => write!(f, "{module}.{name}"),
        }
    }
}

/// What an operand and the functions that it calls do to variables.
#[derive(Default)]
struct Operand {
    reads: IndexSet<Variable>,
    /// They are among those that it reads.
    writes: IndexSet<Variable>,
    steps: IndexSet<(Variable, Step)>,
}

impl Operand {
    fn new(sema: &Sema<'_>, unit: &Rc<Unit>, operand: ExprId) -> Operand {
        let (file, mut all) = (&unit.file, Operand::default());
        // An address does not change with the variable.
        let mut addressed: Vec<Span> = Vec::new();
        for e in below(file, operand) {
            match &e.kind {
                ExprKind::Unary(UnaryOp::AddressOf, of) => addressed.push(file.expr(*of).span),
                ExprKind::Name(_) | ExprKind::Field { .. }
                    if addressed.iter().any(|of| of.lo <= e.span.lo && e.span.hi <= of.hi) => {}
                ExprKind::Name(name) => _ = all.reads.insert(variable(sema, name)),
                ExprKind::Field { base, name } => {
                    all.reads.extend(
                        global_name(sema, file, *base)
                            .map(|module| Variable::Member(module.clone(), name.name.clone())),
                    );
                }
                ExprKind::Call { callee, args } => all.add_call(sema, unit, *callee, args),
                _ => {}
            }
        }
        all
    }

    /// Adds what a call does.
    fn add_call(&mut self, sema: &Sema<'_>, unit: &Rc<Unit>, callee: ExprId, args: &[ExprId]) {
        let file = &unit.file;
        match &file.expr(callee).kind {
            ExprKind::Name(name) if sema.frame().declared_at(name).is_none() => {
                let Some(uses) = unit.effects.0.get(name) else { return };
                self.add(uses, |name| Variable::Global(name.clone()));
                self.add_pointed(sema, file, uses, args);
            }
            ExprKind::Field { base, name } => {
                let Some(module) = global_name(sema, file, *base) else { return };
                let Some(theirs) = imported(sema, unit, module) else { return };
                let Some(uses) = theirs.effects.0.get(&name.name) else { return };
                self.add(uses, |name| Variable::Member(module.clone(), name.clone()));
                self.add_pointed(sema, file, uses, args);
            }
            _ => {}
        }
    }

    fn add(&mut self, uses: &Uses, variable: impl Fn(&Name) -> Variable) {
        self.reads.extend(uses.reads.iter().map(&variable));
        self.writes.extend(uses.writes.iter().map(&variable));
        self.steps.extend(uses.steps.iter().map(|(name, step)| (variable(name), step.clone())));
    }

    /// Adds what a function changes of which it gets the address.
    fn add_pointed(&mut self, sema: &Sema<'_>, file: &ast::File, uses: &Uses, args: &[ExprId]) {
        for arg in uses.through.iter().filter_map(|n| args.get(*n)) {
            let ExprKind::Unary(UnaryOp::AddressOf, of) = &file.expr(*arg).kind else { continue };
            let Some((_, name)) = root(file, *of) else { continue };
            self.reads.insert(variable(sema, name));
            self.writes.insert(variable(sema, name));
        }
    }

    /// A variable that it changes, where the other one can tell whether that has happened.
    fn clash(&self, other: &Operand) -> Option<&Variable> {
        let steps = |variable: &Variable, but: Option<&Step>| {
            other.steps.iter().any(|(its, step)| its == variable && Some(step) != but)
        };
        let tells =
            |variable: &Variable, but: Option<&Step>| other.reads.contains(variable) || steps(variable, but);
        let written = self.writes.iter().find(|variable| tells(variable, None));
        let stepped = || self.steps.iter().find(|(variable, step)| tells(variable, Some(step)));
        written.or_else(|| stepped().map(|(variable, _)| variable))
    }
}

fn variable(sema: &Sema<'_>, name: &Name) -> Variable {
    match sema.frame().declared_at(name) {
        Some(_) => Variable::Local(name.clone()),
        None => Variable::Global(name.clone()),
    }
}

/// The name of a global, if an expression is one.
fn global_name<'f>(sema: &Sema<'_>, file: &'f ast::File, e: ExprId) -> Option<&'f Name> {
    match &file.expr(e).kind {
        ExprKind::Name(name) if sema.frame().declared_at(name).is_none() => Some(name),
        _ => None,
    }
}

/// The file of a module of the program that is bound to a global. The order in which functions of the library are called
/// is not looked at.
fn imported(sema: &Sema<'_>, unit: &Unit, module: &Name) -> Option<Rc<Unit>> {
    let decl = *unit.names.get(module)? as usize;
    let DeclState::Global(id) = sema.instance(sema.frame().instance).decls[decl] else { return None };
    let Value::Module(instance) = sema.global(id).value else { return None };
    let theirs = &sema.instance(instance).unit;
    (!theirs.library).then(|| theirs.clone())
}

fn calls(file: &ast::File, operand: ExprId) -> bool {
    below(file, operand).any(|e| matches!(e.kind, ExprKind::Call { .. }))
}

fn commutes(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Add | Mul | BitAnd | BitXor | BitOr | Eq | Ne)
}

/// An expression and its parts. Parts are written before the whole.
fn below(file: &ast::File, id: ExprId) -> impl Iterator<Item = &ast::Expr> {
    let whole = file.expr(id).span;
    let before = file.exprs[..=id.0 as usize].iter().rev();
    let near = before.take_while(move |e| e.span.hi > whole.lo);
    near.filter(move |e| e.span.lo >= whole.lo && e.span.hi <= whole.hi)
}
