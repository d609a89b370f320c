//! The builder that the actions of the grammar call: makes nodes, and limits their nesting.

mod chain;
mod decls;
mod exprs;
mod stmts;

use super::MOST_PROBLEMS;
use super::ast::*;
use super::depth::{DEEPEST_TREE, Depths};
use super::token::Token;
use crate::diagnostics::Diag;
use crate::diagnostics::rules::syntax::NESTING_TOO_DEEP;
use crate::source::{FileId, Span};
use rustc_hash::FxHashSet;
use std::mem::replace;

/// The builder of one file.
pub struct Builder {
    file: File,
    depths: Depths,
    problems: Vec<Diag>,
    progress: ParseProgress,
    /// Pieces of the text about which everything is said.
    covered: Vec<Span>,
    /// Lengths of the two arenas after the last complete declaration.
    kept: (usize, usize),
}

/// The position of the parser, from which recovery derives what an error is part of.
#[derive(Default)]
pub struct ParseProgress {
    /// End of the last complete declaration.
    pub declared: usize,
    /// The open blocks, outermost first.
    pub blocks: Vec<OpenBlock>,
}

/// An open block: a `{` without its `}` so far.
pub struct OpenBlock {
    /// End of the brace, or of the last complete statement after it.
    pub done: usize,
}

/// A storage attribute.
#[derive(Copy, Clone)]
pub enum AttrWord {
    /// `align`
    Align,
    /// `linkname`
    LinkName,
    /// `linksection`
    LinkSection,
}

/// The part of a declaration after `var`, `const` or `param`.
pub struct VarTail {
    /// The name.
    pub name: Ident,
    /// The type, if written.
    pub ty: Option<ExprId>,
    /// Storage attributes.
    pub attrs: Attrs,
    /// The initializer, if written.
    pub init: Option<ExprId>,
}

impl VarTail {
    /// The variable that the given word declares.
    pub fn of(self, kind: VarKind) -> VarDecl {
        let VarTail { name, ty, attrs, init } = self;
        let span = name.span;
        VarDecl { comptime: false, linkage: Linkage::Plain, kind, name, ty, attrs, init, span }
    }
}

/// The head of a loop.
pub enum LoopHead {
    /// `for (iter) |item, index|`
    For(ExprId, Ident, Option<Ident>),
    /// `while (cond) : (step)`
    While(ExprId, Option<StmtId>),
}

/// A `switch`, before it is known whether it is a statement or an expression.
pub struct Switch {
    /// The operand.
    pub scrutinee: ExprId,
    /// The prongs in order.
    pub prongs: Vec<Prong<StmtId>>,
    /// The whole switch.
    pub span: Span,
}

/// The interface to the parser.
impl Builder {
    /// Starts an empty file.
    pub fn new(id: FileId) -> Builder {
        Builder {
            file: File {
                id,
                decls: Vec::new(),
                exprs: Vec::new(),
                stmts: Vec::new(),
                hidden: FxHashSet::default(),
            },
            depths: Depths::default(),
            problems: Vec::new(),
            progress: ParseProgress::default(),
            covered: Vec::new(),
            kept: (0, 0),
        }
    }

    /// The file that is built.
    pub fn file(&self) -> FileId {
        self.file.id
    }

    /// The current position of the parser.
    pub fn progress(&self) -> &ParseProgress {
        &self.progress
    }

    /// Discards everything after the last complete declaration.
    pub fn rewind(&mut self) {
        self.file.exprs.truncate(self.kept.0);
        self.file.stmts.truncate(self.kept.1);
        self.depths.truncate(self.kept.0, self.kept.1);
        self.progress.blocks.clear();
    }

    /// The names among these tokens are not part of the tree.
    pub fn hide<'t>(&mut self, tokens: impl IntoIterator<Item = Token<'t>>) {
        let names = tokens.into_iter().filter_map(|token| match token {
            Token::Ident(name) => Some(Name::new(name)),
            _ => None,
        });
        self.file.hidden.extend(names);
    }

    /// The finished file and its diagnostics.
    pub fn finish(self) -> (File, Vec<Diag>) {
        (self.file, self.problems)
    }

    /// Adds a diagnostic unless it was added before: a declaration may be parsed again after a repair.
    pub fn complain(&mut self, diag: Diag) {
        let same = |other: &Diag| other.0.primary == diag.0.primary && other.0.title == diag.0.title;
        if self.is_covered(&diag) {
            return;
        }
        if self.problems.len() < MOST_PROBLEMS && !self.problems.iter().any(same) {
            self.problems.push(diag);
        }
    }
}

/// What needs no more words.
impl Builder {
    /// A diagnostic says everything about the text between two bytes.
    pub fn cover(&mut self, (lo, hi): (usize, usize)) {
        self.covered.push(self.span(lo, hi));
    }

    /// Whether another diagnostic says everything about the place of this one.
    pub fn is_covered(&self, diag: &Diag) -> bool {
        let Some(place) = diag.0.primary.as_ref().map(|label| label.span) else { return false };
        self.covered.iter().any(|span| span.lo <= place.lo && place.hi <= span.hi)
    }
}

/// Spans and arenas.
impl Builder {
    /// Bytes `lo..hi` of the file.
    pub fn span(&self, lo: usize, hi: usize) -> Span {
        Span::new(self.file.id, lo, hi)
    }

    fn expr_span(&self, id: ExprId) -> Span {
        self.file.expr(id).span
    }

    fn stmt_span(&self, id: StmtId) -> Span {
        self.file.stmt(id).span
    }

    /// From a byte to the end of an expression.
    fn up_to(&self, lo: usize, end: ExprId) -> Span {
        Span { lo: lo as u32, ..self.expr_span(end) }
    }

    fn add_expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let fits = self.depths.push_expr(&kind);
        let kind = if fits { kind } else { self.too_deep(span, ExprKind::Error) };
        self.file.exprs.push(Expr { kind, span });
        ExprId(self.file.exprs.len() as u32 - 1)
    }

    fn add_stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        let fits = self.depths.push_stmt(&kind);
        let kind = if fits { kind } else { self.too_deep(span, StmtKind::Error) };
        self.file.stmts.push(Stmt { kind, span });
        StmtId(self.file.stmts.len() as u32 - 1)
    }

    /// Reports the nesting once. Above the limit a new tree starts, which may again be too deep.
    fn too_deep<T>(&mut self, span: Span, instead: T) -> T {
        if !self.problems.iter().any(|problem| problem.rule() == NESTING_TOO_DEEP.name) {
            self.complain(NESTING_TOO_DEEP.because(&[("limit", &DEEPEST_TREE)]).at(span));
        }
        instead
    }

    fn replace_expr(&mut self, id: ExprId, kind: ExprKind) -> ExprKind {
        replace(&mut self.file.exprs[id.0 as usize].kind, kind)
    }

    /// An expression between two bytes.
    pub fn expr(&mut self, kind: ExprKind, lo: usize, hi: usize) -> ExprId {
        let span = self.span(lo, hi);
        self.add_expr(kind, span)
    }

    /// A statement between two bytes.
    pub fn stmt(&mut self, kind: StmtKind, lo: usize, hi: usize) -> StmtId {
        let span = self.span(lo, hi);
        self.add_stmt(kind, span)
    }

    /// A name between two bytes.
    pub fn ident(&self, name: &str, lo: usize, hi: usize) -> Ident {
        Ident { name: Name::new(name), span: self.span(lo, hi) }
    }
}
