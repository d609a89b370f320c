//! What the functions of a file do to its globals, as far as names say.

use crate::source::Span;
use crate::syntax::ast::{self, Decl, ExprId, ExprKind, Name, StmtKind, VarKind};
use indexmap::IndexSet;
use rustc_hash::FxHashMap;

/// The globals that something uses.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    pub reads: IndexSet<Name>,
    pub writes: IndexSet<Name>,
}

/// What the functions of a file do to its globals, themselves and by calls.
#[derive(Debug, Default)]
pub struct Effects(pub FxHashMap<Name, Uses>);

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
