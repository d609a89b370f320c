//! What the functions of a file do to its globals, as far as names say.

use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp, Decl, ExprId, ExprKind, Name, StmtKind, VarKind};
use indexmap::IndexSet;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a function uses.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Globals.
    pub reads: IndexSet<Name>,
    /// Globals that it changes; they are among those that it reads.
    pub writes: IndexSet<Name>,
    /// Globals that it changes by steps, and reads for nothing else.
    pub steps: IndexSet<(Name, Step)>,
    /// Its own parameters, by number, that are pointers to what it changes.
    pub through: IndexSet<usize>,
}

/// A change by an operator and a literal, such as `+= 1`. In which order calls do equal steps cannot be seen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    op: BinaryOp,
    by: String,
}

impl Uses {
    fn is_empty(&self) -> bool {
        let Uses { reads, writes, steps, through } = self;
        reads.is_empty() && writes.is_empty() && steps.is_empty() && through.is_empty()
    }
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
            let mut uses = Uses { through: own[name].0.through.clone(), ..Uses::default() };
            let mut called = IndexSet::from([name.clone()]);
            let mut next = 0;
            while let Some(callee) = called.get_index(next).cloned() {
                next += 1;
                let Some((theirs, calls)) = own.get(&callee) else { continue };
                uses.reads.extend(theirs.reads.iter().cloned());
                uses.writes.extend(theirs.writes.iter().cloned());
                uses.steps.extend(theirs.steps.iter().cloned());
                called.extend(calls.iter().cloned());
            }
            all.insert(name.clone(), uses);
        }
        all.retain(|_, uses: &mut Uses| !uses.is_empty());
        Effects(all)
    }
}

fn own_uses(file: &ast::File, function: &ast::FnDecl, body: Span) -> (Uses, IndexSet<Name>) {
    let inside = |span: Span| span.lo >= body.lo && span.hi <= body.hi;
    let params: Vec<_> = function.params.iter().map(|p| p.name.as_ref().map(|name| &name.name)).collect();
    let mut locals: Vec<&Name> = params.iter().copied().flatten().collect();
    // What names the target of a step reads nothing.
    let (mut uses, mut targets) = (Uses::default(), FxHashSet::default());
    for stmt in file.stmts.iter().filter(|s| inside(s.span)) {
        match &stmt.kind {
            StmtKind::Var(v) => locals.push(&v.name.name),
            StmtKind::For { item, index, .. } => {
                locals.push(&item.name);
                locals.extend(index.as_ref().map(|i| &i.name));
            }
            StmtKind::Assign { lhs, op, rhs } => {
                uses.through.extend(behind(file, *lhs, &params));
                let Some((at, name)) = root(file, *lhs) else { continue };
                match step(file, *op, *rhs) {
                    Some(step) => {
                        targets.insert(at);
                        uses.steps.insert((name.clone(), step));
                    }
                    None => _ = uses.writes.insert(name.clone()),
                }
            }
            _ => {}
        }
    }
    let mut calls = IndexSet::new();
    for (at, e) in (0..).map(ExprId).zip(&file.exprs).filter(|(_, e)| inside(e.span)) {
        match &e.kind {
            ExprKind::Name(name) if !targets.contains(&at) => _ = uses.reads.insert(name.clone()),
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
    uses.steps.retain(|(name, _)| is_global(name));
    (uses, calls)
}

/// The step that an assignment does, if it does one.
fn step(file: &ast::File, op: Option<BinaryOp>, by: ExprId) -> Option<Step> {
    let by = match &file.expr(by).kind {
        ExprKind::Int(n) => n.to_string(),
        ExprKind::Float(x) => format!("{x:?}"),
        _ => return None,
    };
    Some(Step { op: op?, by })
}

/// The number of the parameter behind which a place lies: a parameter cannot change, but what it points to.
fn behind(file: &ast::File, mut at: ExprId, params: &[Option<&Name>]) -> Option<usize> {
    loop {
        at = match &file.expr(at).kind {
            ExprKind::Name(name) => return params.iter().position(|param| *param == Some(name)),
            ExprKind::Field { base, .. } | ExprKind::Index { base, .. } | ExprKind::Deref(base) => *base,
            _ => return None,
        }
    }
}

fn is_variable(file: &ast::File, name: &Name) -> bool {
    file.decls.iter().any(|d| matches!(d, Decl::Var(v) if v.kind == VarKind::Var && v.name.name == *name))
}

/// The variable of which a place is a part, and where the place names it.
pub fn root(file: &ast::File, mut at: ExprId) -> Option<(ExprId, &Name)> {
    loop {
        match &file.expr(at).kind {
            ExprKind::Name(name) => return Some((at, name)),
            ExprKind::Field { base, .. } | ExprKind::Index { base, .. } => at = *base,
            _ => return None,
        }
    }
}
