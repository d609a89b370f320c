//! Tracks the depth of every node and limits it, so that recursive code over the tree cannot overflow the
//! stack.

use super::ast::*;

/// The maximum depth of a tree.
pub const DEEPEST_TREE: u16 = 1000;

/// The depth of every node of the two arenas.
#[derive(Default)]
pub struct Depths {
    exprs: Vec<u16>,
    stmts: Vec<u16>,
}

impl Depths {
    /// Adds the next expression; `false` if it is too deep and must become an `Error`.
    pub fn push_expr(&mut self, kind: &ExprKind) -> bool {
        let depth = self.below_expr(kind) + 1;
        let fits = depth <= DEEPEST_TREE;
        self.exprs.push(if fits { depth } else { 0 });
        fits
    }

    /// Adds the next statement; `false` if it is too deep and must become an `Error`.
    pub fn push_stmt(&mut self, kind: &StmtKind) -> bool {
        let depth = self.below_stmt(kind) + 1;
        let fits = depth <= DEEPEST_TREE;
        self.stmts.push(if fits { depth } else { 0 });
        fits
    }

    /// Discards all but the first nodes.
    pub fn truncate(&mut self, exprs: usize, stmts: usize) {
        self.exprs.truncate(exprs);
        self.stmts.truncate(stmts);
    }

    fn expr(&self, id: ExprId) -> u16 {
        self.exprs[id.0 as usize]
    }

    fn stmt(&self, id: StmtId) -> u16 {
        self.stmts[id.0 as usize]
    }

    fn maybe(&self, id: Option<ExprId>) -> u16 {
        id.map_or(0, |id| self.expr(id))
    }

    fn all(&self, ids: &[ExprId]) -> u16 {
        ids.iter().map(|id| self.expr(*id)).max().unwrap_or(0)
    }

    fn block(&self, block: &Block) -> u16 {
        block.stmts.iter().map(|id| self.stmt(*id)).max().unwrap_or(0)
    }

    fn prongs<B: Copy>(&self, prongs: &[Prong<B>], body: impl Fn(B) -> u16) -> u16 {
        prongs.iter().map(|p| self.all(&p.patterns).max(body(p.body))).max().unwrap_or(0)
    }

    fn fields(&self, fields: &[FieldDecl]) -> u16 {
        fields.iter().map(|field| self.expr(field.ty)).max().unwrap_or(0)
    }

    fn below_expr(&self, kind: &ExprKind) -> u16 {
        use ExprKind::*;
        match kind {
            Int(_)
            | Float(_)
            | Str(_)
            | Bool(_)
            | Undefined
            | Unreachable
            | Name(_)
            | Asm { .. }
            | AnyType
            | Error => 0,
            Builtin { args, .. } => self.all(args),
            Call { callee, args } => self.expr(*callee).max(self.all(args)),
            Field { base, .. } => self.expr(*base),
            Deref(inner) | Unary(_, inner) | Comptime(inner) => self.expr(*inner),
            Index { base, indices } => self.expr(*base).max(self.all(indices)),
            Binary(_, left, right) => self.expr(*left).max(self.expr(*right)),
            Struct { ty, fields } => {
                let values = fields.iter().map(|(_, value)| self.expr(*value)).max().unwrap_or(0);
                self.maybe(*ty).max(values)
            }
            Tuple(items) => self.all(items),
            Array { ty, items } => self.expr(*ty).max(self.all(items)),
            Access { lengths, target, indices, .. } => {
                self.all(lengths).max(self.expr(*target)).max(self.all(indices))
            }
            If { cond, then, els } => self.expr(*cond).max(self.expr(*then)).max(self.maybe(*els)),
            Switch { scrutinee, prongs } => {
                self.expr(*scrutinee).max(self.prongs(prongs, |body| self.expr(body)))
            }
            Block(block) => self.block(block),
            PtrTy { to, .. } | ManyPtrTy { to, .. } => self.expr(*to),
            ArrayTy { dims, elem } => self.all(dims).max(self.expr(*elem)),
            FnTy { params, ret, .. } => {
                let params = params.iter().map(|p| self.maybe(p.ty)).max().unwrap_or(0);
                params.max(self.expr(*ret))
            }
            StructTy { fields, .. } | UnionTy { fields, .. } => self.fields(fields),
            EnumTy { repr, members } => {
                let values = members.iter().map(|(_, value)| self.maybe(*value)).max().unwrap_or(0);
                self.maybe(*repr).max(values)
            }
        }
    }

    fn below_stmt(&self, kind: &StmtKind) -> u16 {
        use StmtKind::*;
        match kind {
            Var(decl) => self.maybe(decl.ty).max(self.maybe(decl.init)),
            Assign { lhs, rhs, .. } => self.expr(*lhs).max(self.expr(*rhs)),
            Expr(expr) => self.expr(*expr),
            Comptime(block) => self.block(block),
            If { cond, then, els } => {
                self.expr(*cond).max(self.stmt(*then)).max(els.map_or(0, |els| self.stmt(els)))
            }
            Switch { scrutinee, prongs } => {
                self.expr(*scrutinee).max(self.prongs(prongs, |body| self.stmt(body)))
            }
            For { iter, body, .. } => self.expr(*iter).max(self.stmt(*body)),
            While { cond, step, body, .. } => {
                self.expr(*cond).max(self.stmt(*body)).max(step.map_or(0, |step| self.stmt(step)))
            }
            Return(value) | Break(_, value) => self.maybe(*value),
            Continue(_) | Empty | Error => 0,
        }
    }
}
