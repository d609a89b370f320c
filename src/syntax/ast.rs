//! The tree: values with spans, no meaning, no ids of declarations.
//!
//! Nodes are in two arenas of the [`File`], so that dropping a tree of any size needs no recursion.

mod expr;

pub use expr::{BinaryOp, Expr, ExprKind, FieldDecl, LayoutKeyword, UnaryOp};

use crate::source::{FileId, Span};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

/// A name as written, cheap to clone.
pub type Name = SmolStr;

/// An expression (types are expressions, too) in the arena of its file.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExprId(pub u32);

/// A statement in the arena of its file.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct StmtId(pub u32);

/// A name and where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name; builtins without their `@`.
    pub name: Name,
    /// Where.
    pub span: Span,
}

/// One parsed file.
#[derive(Debug)]
pub struct File {
    /// Which file.
    pub id: FileId,
    /// Top-level declarations, in order.
    pub decls: Vec<Decl>,
    /// The arena of expressions.
    pub exprs: Vec<Expr>,
    /// The arena of statements.
    pub stmts: Vec<Stmt>,
    /// Names in the pieces of the text that did not parse: they may be declared there.
    pub hidden: FxHashSet<Name>,
}

impl File {
    /// The expression behind an id.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// The statement behind an id.
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.0 as usize]
    }
}

/// A top-level declaration.
#[derive(Debug)]
pub enum Decl {
    /// `var`, `const`, `param`.
    Var(VarDecl),
    /// `fn` or `task`.
    Fn(FnDecl),
    /// `layout { .. }`.
    Layout(Block, Span),
    /// `comptime { .. }`.
    Comptime(Block, Span),
}

impl Decl {
    /// `export` or `extern`.
    pub fn linkage(&self) -> Linkage {
        match self {
            Decl::Var(v) => v.linkage,
            Decl::Fn(f) => f.linkage,
            Decl::Layout(..) | Decl::Comptime(..) => Linkage::Plain,
        }
    }

    /// All of it; of a function its head.
    pub fn span(&self) -> Span {
        match self {
            Decl::Var(v) => v.span,
            Decl::Fn(f) => f.span,
            Decl::Layout(_, span) | Decl::Comptime(_, span) => *span,
        }
    }
}

/// Which of the three words declared a variable.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum VarKind {
    /// Mutable.
    Var,
    /// Immutable.
    Const,
    /// Bound from outside.
    Param,
}

/// How a name is linked.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// Nothing said.
    Plain,
    /// `export`.
    Export,
    /// `extern`.
    Extern,
}

/// `align(..)`, `linksection(..)`, `linkname(..)`.
#[derive(Clone, Debug, Default)]
pub struct Attrs {
    /// Minimum alignment in bytes.
    pub align: Option<ExprId>,
    /// Section name.
    pub linksection: Option<ExprId>,
    /// Symbol name.
    pub linkname: Option<ExprId>,
}

/// A variable, at the top level or local.
#[derive(Debug)]
pub struct VarDecl {
    /// `comptime var` (local only).
    pub comptime: bool,
    /// `export` or `extern`.
    pub linkage: Linkage,
    /// Which word.
    pub kind: VarKind,
    /// Its name.
    pub name: Ident,
    /// The type, if written.
    pub ty: Option<ExprId>,
    /// Storage attributes.
    pub attrs: Attrs,
    /// The initializer, if written.
    pub init: Option<ExprId>,
    /// The whole declaration.
    pub span: Span,
}

/// A function or a task.
#[derive(Debug)]
pub struct FnDecl {
    /// `export` or `extern`.
    pub linkage: Linkage,
    /// `inline fn`.
    pub inline: bool,
    /// `task` instead of `fn`.
    pub task: bool,
    /// Its name.
    pub name: Ident,
    /// Parameters, in order.
    pub params: Vec<FnParam>,
    /// The return type.
    pub ret: ExprId,
    /// Storage attributes, of which only `linkname` has an effect on a function.
    pub attrs: Attrs,
    /// The body; `None` only for `extern`.
    pub body: Option<Block>,
    /// From the first word to the end of the return type.
    pub span: Span,
}

/// One parameter of a function.
#[derive(Clone, Debug)]
pub struct FnParam {
    /// `comptime p: T`.
    pub comptime: bool,
    /// Missing only in `extern` functions and function types.
    pub name: Option<Ident>,
    /// The type; `None` is `anytype`.
    pub ty: Option<ExprId>,
    /// The whole parameter.
    pub span: Span,
}

/// `lbl: { .. }`.
#[derive(Clone, Debug)]
pub struct Block {
    /// The label, if any.
    pub label: Option<Ident>,
    /// In order.
    pub stmts: Vec<StmtId>,
    /// From brace to brace.
    pub span: Span,
}

/// A statement and its place.
#[derive(Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Debug)]
pub enum StmtKind {
    /// A local variable.
    Var(VarDecl),
    /// `lhs op= rhs`; `op` is `None` for plain `=`.
    Assign {
        /// The place.
        lhs: ExprId,
        /// The operator of a compound assignment.
        op: Option<BinaryOp>,
        /// The value.
        rhs: ExprId,
    },
    /// An expression whose value is dropped. Blocks (labelled or not) at statement level are
    /// `Expr` of `ExprKind::Block`.
    Expr(ExprId),
    /// `comptime { .. }`.
    Comptime(Block),
    /// `if` at statement level; arms may be any statement.
    If {
        /// Must be bool.
        cond: ExprId,
        /// Taken when true.
        then: StmtId,
        /// Taken when false.
        els: Option<StmtId>,
    },
    /// `switch` at statement level.
    Switch {
        /// The operand.
        scrutinee: ExprId,
        /// The prongs in order.
        prongs: Vec<Prong<StmtId>>,
    },
    /// `for (iter) |item, index| body`.
    For {
        /// Label, if any.
        label: Option<Ident>,
        /// `inline for`.
        inline: bool,
        /// Array or range.
        iter: ExprId,
        /// The element; `_` discards.
        item: Ident,
        /// The index, if captured.
        index: Option<Ident>,
        /// The body.
        body: StmtId,
    },
    /// `while (cond) : (step) body`.
    While {
        /// Label, if any.
        label: Option<Ident>,
        /// `inline while`.
        inline: bool,
        /// Must be bool.
        cond: ExprId,
        /// The continue-assignment (an `Assign` or `Expr` statement).
        step: Option<StmtId>,
        /// The body.
        body: StmtId,
    },
    /// `return e;`
    Return(Option<ExprId>),
    /// `break :label e;`
    Break(Option<Ident>, Option<ExprId>),
    /// `continue :label;`
    Continue(Option<Ident>),
    /// A lone `;`.
    Empty,
    /// A statement that did not parse; already reported.
    Error,
}

/// One arm of a `switch`; no patterns means `else`.
#[derive(Clone, Debug)]
pub struct Prong<B> {
    /// Case values; empty for `else`.
    pub patterns: Vec<ExprId>,
    /// What happens.
    pub body: B,
    /// The whole prong.
    pub span: Span,
}
