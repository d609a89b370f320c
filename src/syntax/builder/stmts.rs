//! Actions for statements.

use super::{Builder, LoopHead, OpenBlock, Switch};
use crate::source::Span;
use crate::syntax::ast::*;

impl Builder {
    /// Opens a block; returns its position.
    pub fn open_block(&mut self, brace: usize, done: usize) -> usize {
        self.progress.blocks.push(OpenBlock { done });
        brace
    }

    /// Adds a complete statement to the innermost block.
    pub fn stmt_done(&mut self, end: usize) {
        if let Some(block) = self.progress.blocks.last_mut() {
            block.done = end;
        }
    }

    /// Closes the innermost block.
    pub fn block(&mut self, brace: usize, stmts: Vec<StmtId>, hi: usize) -> Block {
        self.progress.blocks.pop();
        Block { label: None, stmts, span: self.span(brace, hi) }
    }

    /// A block as an expression.
    pub fn block_expr(&mut self, block: Block) -> ExprId {
        let span = block.label.as_ref().map_or(block.span, |label| label.span.to(block.span));
        self.add_expr(ExprKind::Block(block), span)
    }

    /// A block as a statement.
    pub fn block_stmt(&mut self, block: Block) -> StmtId {
        let expr = self.block_expr(block);
        self.add_stmt(StmtKind::Expr(expr), self.expr_span(expr))
    }

    /// `comptime { .. }`
    pub fn comptime_block(&mut self, lo: usize, block: Block) -> StmtId {
        let span = Span { lo: lo as u32, ..block.span };
        self.add_stmt(StmtKind::Comptime(block), span)
    }

    /// `comptime` in front of a loop, `if` or `switch`: a comptime block of one statement.
    pub fn comptime_stmt(&mut self, lo: usize, stmt: StmtId) -> StmtId {
        let block = self.block_of(stmt);
        self.comptime_block(lo, block)
    }

    fn block_of(&self, stmt: StmtId) -> Block {
        Block { label: None, stmts: vec![stmt], span: self.stmt_span(stmt) }
    }

    /// A local variable.
    pub fn local(&mut self, lo: usize, hi: usize, decl: VarDecl) -> StmtId {
        let decl = self.var(lo, hi, decl);
        self.stmt(StmtKind::Var(decl), lo, hi)
    }

    /// `lhs op= rhs`
    pub fn assign(&mut self, lhs: ExprId, op: Option<BinaryOp>, rhs: ExprId) -> StmtId {
        let span = self.expr_span(lhs).to(self.expr_span(rhs));
        self.add_stmt(StmtKind::Assign { lhs, op, rhs }, span)
    }

    /// `return e`
    pub fn return_stmt(&mut self, lo: usize, value: ExprId) -> StmtId {
        self.add_stmt(StmtKind::Return(Some(value)), self.up_to(lo, value))
    }

    /// `break :label e`
    pub fn break_stmt(&mut self, lo: usize, label: Option<Ident>, value: ExprId) -> StmtId {
        self.add_stmt(StmtKind::Break(label, Some(value)), self.up_to(lo, value))
    }

    /// An expression as a statement; `if` and `switch` become the statements of that name.
    pub fn expr_stmt(&mut self, expr: ExprId) -> StmtId {
        let span = self.expr_span(expr);
        let kind = match self.replace_expr(expr, ExprKind::Error) {
            ExprKind::If { cond, then, els } => {
                let then = self.expr_stmt(then);
                let els = els.map(|els| self.expr_stmt(els));
                StmtKind::If { cond, then, els }
            }
            ExprKind::Switch { scrutinee, prongs } => {
                let prongs = prongs.into_iter().map(|p| self.map_prong(p, Builder::expr_stmt)).collect();
                StmtKind::Switch { scrutinee, prongs }
            }
            kind => {
                self.replace_expr(expr, kind);
                StmtKind::Expr(expr)
            }
        };
        self.add_stmt(kind, span)
    }

    /// `if` at statement level.
    pub fn if_stmt(&mut self, lo: usize, cond: ExprId, then: StmtId, els: Option<StmtId>) -> StmtId {
        let span = Span { lo: lo as u32, ..self.stmt_span(els.unwrap_or(then)) };
        self.add_stmt(StmtKind::If { cond, then, els }, span)
    }

    /// A loop with its label.
    pub fn labelled_loop(&mut self, label: Ident, inline: bool, head: LoopHead, body: StmtId) -> StmtId {
        self.loop_stmt(label.span.lo as usize, Some(label), inline, head, body)
    }

    /// A loop.
    pub fn loop_stmt(
        &mut self,
        lo: usize,
        label: Option<Ident>,
        inline: bool,
        head: LoopHead,
        body: StmtId,
    ) -> StmtId {
        let span = Span { lo: lo as u32, ..self.stmt_span(body) };
        let kind = match head {
            LoopHead::For(iter, item, index) => StmtKind::For { label, inline, iter, item, index, body },
            LoopHead::While(cond, step) => StmtKind::While { label, inline, cond, step, body },
        };
        self.add_stmt(kind, span)
    }

    /// `a, b => body`
    pub fn prong(&self, patterns: Vec<ExprId>, body: StmtId) -> Prong<StmtId> {
        let span = self.expr_span(patterns[0]).to(self.stmt_span(body));
        Prong { patterns, body, span }
    }

    /// `else => body`
    pub fn else_prong(&self, lo: usize, body: StmtId) -> Prong<StmtId> {
        let span = Span { lo: lo as u32, ..self.stmt_span(body) };
        Prong { patterns: Vec::new(), body, span }
    }

    /// `switch` at statement level.
    pub fn switch_stmt(&mut self, switch: Switch) -> StmtId {
        let Switch { scrutinee, prongs, span } = switch;
        let prongs = prongs.into_iter().map(|p| self.map_prong(p, Builder::plain_stmt)).collect();
        self.add_stmt(StmtKind::Switch { scrutinee, prongs }, span)
    }

    pub(super) fn map_prong<A, B>(&mut self, prong: Prong<A>, f: impl Fn(&mut Builder, A) -> B) -> Prong<B> {
        Prong { patterns: prong.patterns, body: f(self, prong.body), span: prong.span }
    }

    /// The body of a prong, before it is known whether it is a statement or a value.
    pub fn value_stmt(&mut self, expr: ExprId) -> StmtId {
        self.add_stmt(StmtKind::Expr(expr), self.expr_span(expr))
    }

    /// The body of a prong as a statement.
    fn plain_stmt(&mut self, stmt: StmtId) -> StmtId {
        match self.file.stmt(stmt).kind {
            StmtKind::Expr(expr) => self.expr_stmt(expr),
            _ => stmt,
        }
    }

    /// The value of a prong; a statement without a value becomes a block.
    pub(super) fn stmt_value(&mut self, stmt: StmtId) -> ExprId {
        match self.file.stmt(stmt).kind {
            StmtKind::Expr(expr) => expr,
            _ => {
                let block = self.block_of(stmt);
                self.block_expr(block)
            }
        }
    }
}
