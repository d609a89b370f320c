//! Operands whose order decides the result: one calls a function that changes what the other uses
//! (entry UB-057). Only what names say is looked at: globals of the file and functions of the file.

use super::world::{Sema, Unit};
use crate::diagnostics::rules::comptime::OPERAND_ORDER;
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp, Decl, ExprId, ExprKind, Name, StmtKind, VarKind};
use indexmap::IndexSet;
use rustc_hash::FxHashMap;

/// The globals that something uses.
#[derive(Clone, Debug, Default)]
struct Uses {
    reads: IndexSet<Name>,
    writes: IndexSet<Name>,
}

/// What the functions of a file do to its globals, themselves and by calls.
#[derive(Debug, Default)]
pub struct Effects(FxHashMap<Name, Uses>);

impl Effects {
    /// Looks through a file.
    pub fn of(file: &ast::File) -> Effects {
        let mut own: FxHashMap<Name, (Uses, IndexSet<Name>)> = FxHashMap::default();
        for decl in &file.decls {
            if let Decl::Fn(function) = decl
                && let Some(body) = &function.body
            {
                own.insert(function.name.name.clone(), own_uses(file, function, body.span));
            }
        }
        let mut all = FxHashMap::default();
        for name in own.keys() {
            let mut uses = Uses::default();
            let mut called = IndexSet::from([name.clone()]);
            let mut next = 0;
            while let Some(callee) = called.get_index(next).cloned() {
                next += 1;
                let Some((theirs, calls)) = own.get(&callee) else { continue };
                uses.reads.extend(theirs.reads.iter().cloned());
                uses.writes.extend(theirs.writes.iter().cloned());
                called.extend(calls.iter().cloned());
            }
            all.insert(name.clone(), uses);
        }
        all.retain(|_, uses: &mut Uses| !uses.writes.is_empty() || !uses.reads.is_empty());
        Effects(all)
    }
}

fn own_uses(file: &ast::File, function: &ast::FnDecl, body: Span) -> (Uses, IndexSet<Name>) {
    let inside = |span: Span| span.lo >= body.lo && span.hi <= body.hi;
    let mut locals: Vec<&Name> =
        function.params.iter().filter_map(|p| Some(&p.name.as_ref()?.name)).collect();
    let mut uses = Uses::default();
    for stmt in file.stmts.iter().filter(|s| inside(s.span)) {
        match &stmt.kind {
            StmtKind::Var(v) => locals.push(&v.name.name),
            StmtKind::For { item, index, .. } => {
                locals.push(&item.name);
                locals.extend(index.as_ref().map(|i| &i.name));
            }
            StmtKind::Assign { lhs, .. } => uses.writes.extend(root(file, *lhs).cloned()),
            _ => {}
        }
    }
    let mut calls = IndexSet::new();
    for e in file.exprs.iter().filter(|e| inside(e.span)) {
        match &e.kind {
            ExprKind::Name(name) => _ = uses.reads.insert(name.clone()),
            ExprKind::Call { callee, .. } => {
                if let ExprKind::Name(name) = &file.expr(*callee).kind {
                    calls.insert(name.clone());
                }
            }
            _ => {}
        }
    }
    let is_global = |name: &Name| !locals.contains(&name) && is_variable(file, name);
    uses.reads.retain(is_global);
    uses.writes.retain(is_global);
    (uses, calls)
}

fn is_variable(file: &ast::File, name: &Name) -> bool {
    file.decls.iter().any(|d| matches!(d, Decl::Var(v) if v.kind == VarKind::Var && v.name.name == *name))
}

/// The variable of which a place is a part.
fn root(file: &ast::File, mut at: ExprId) -> Option<&Name> {
    loop {
        match &file.expr(at).kind {
            ExprKind::Name(name) => return Some(name),
            ExprKind::Field { base, .. } | ExprKind::Index { base, .. } => at = *base,
            _ => return None,
        }
    }
}

impl Sema<'_> {
    /// Warns when the order of two operands can be seen.
    pub fn check_order(&mut self, a: ExprId, op: BinaryOp, b: ExprId, span: Span) {
        let unit = self.unit();
        if unit.library || self.is_comptime() || unit.effects.0.is_empty() {
            return;
        }
        let (left, right) = (self.uses(&unit, a), self.uses(&unit, b));
        let clash = [(&left, &right), (&right, &left)].into_iter().find_map(|(one, other)| {
            one.1.writes.iter().find(|name| other.0.contains(*name) || other.1.reads.contains(*name))
        });
        // Two numbers of a generator may change places in a sum.
        let same = || commutes(op) && self.snippet(a) == self.snippet(b);
        if let Some(name) = clash.filter(|_| !same()) {
            let complaint = OPERAND_ORDER.because(&[("name", name)]).at(span);
            self.report(complaint.help("compute one of the operands in a statement of its own before"));
        }
    }

    /// The globals that an operand names, and those that the functions use which it calls.
    fn uses(&self, unit: &Unit, operand: ExprId) -> (IndexSet<Name>, Uses) {
        let (mut named, mut called) = (IndexSet::new(), Uses::default());
        for e in below(&unit.file, operand) {
            match &e.kind {
                ExprKind::Name(name) if self.find_local(name).is_none() => {
                    named.insert(name.clone());
                }
                ExprKind::Call { callee, .. } => {
                    let ExprKind::Name(name) = &unit.file.expr(*callee).kind else { continue };
                    let Some(uses) = unit.effects.0.get(name) else { continue };
                    called.reads.extend(uses.reads.iter().cloned());
                    called.writes.extend(uses.writes.iter().cloned());
                }
                _ => {}
            }
        }
        (named, called)
    }
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
