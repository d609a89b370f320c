//! The tree: values with spans, no meaning, no ids of declarations.
//!
//! Nodes live in two arenas of the [`File`], so that a tree of any size is dropped flat.

use crate::source::{FileId, Span};
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
    /// The type that it gives back.
    pub ret: ExprId,
    /// Storage attributes, which have no effect on a function.
    #[cfg_attr(not(test), expect(dead_code, reason = "only the tests of the parser look at them"))]
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
        /// What is looked at.
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

/// An expression and its place.
#[derive(Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// Prefix operators.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `~`
    BitNot,
    /// `!`
    Not,
    /// `&`
    AddressOf,
}

/// Infix operators.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    BitAnd,
    BitXor,
    BitOr,
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
    And,
    Or,
}

impl BinaryOp {
    /// As written.
    pub fn symbol(self) -> &'static str {
        use BinaryOp::*;
        match self {
            Add => "+",
            Sub => "-",
            Mul => "*",
            Div => "/",
            Rem => "%",
            Shl => "<<",
            Shr => ">>",
            BitAnd => "&",
            BitXor => "^",
            BitOr => "|",
            Eq => "==",
            Ne => "!=",
            Lt => "<",
            Gt => ">",
            Le => "<=",
            Ge => ">=",
            And => "and",
            Or => "or",
        }
    }
}

/// `extern` or `packed` in front of a struct or union.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Nothing said: field order is unspecified.
    Plain,
    /// C layout.
    Extern,
    /// Least significant bit first in a backing integer.
    Packed,
}

/// A field of a struct or union type.
#[derive(Clone, Debug)]
pub struct FieldDecl {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: ExprId,
}

/// The kinds of expressions; types are expressions whose value is a type.
#[derive(Debug)]
pub enum ExprKind {
    /// An integer or character literal, any size.
    Int(num_bigint::BigInt),
    /// A float literal.
    Float(f64),
    /// A string literal, escapes resolved.
    Str(Vec<u8>),
    /// `true`, `false`.
    Bool(bool),
    /// `undefined` (only as an initializer).
    Undefined,
    /// `unreachable`.
    Unreachable,
    /// A name, also of predeclared types and directions.
    Name(Name),
    /// `@name(args)`; the name has no `@`.
    Builtin {
        /// Its name.
        name: Ident,
        /// Its arguments.
        args: Vec<ExprId>,
    },
    /// `callee(args)`.
    Call {
        /// What is called.
        callee: ExprId,
        /// The arguments.
        args: Vec<ExprId>,
    },
    /// `base.name`.
    Field {
        /// The struct, module, enum type or pointer.
        base: ExprId,
        /// The member.
        name: Ident,
    },
    /// `base.*`.
    Deref(ExprId),
    /// `base[i, j]`.
    Index {
        /// The array, pointer or tuple.
        base: ExprId,
        /// One per dimension.
        indices: Vec<ExprId>,
    },
    /// Prefix operator.
    Unary(UnaryOp, ExprId),
    /// Infix operator.
    Binary(BinaryOp, ExprId, ExprId),
    /// `comptime e`.
    Comptime(ExprId),
    /// `.{ .a = x }` or `T{ .a = x }`; `.{}` and `T{}` have no fields.
    Struct {
        /// The type in front, if any.
        ty: Option<ExprId>,
        /// Fields in order.
        fields: Vec<(Ident, ExprId)>,
    },
    /// `.{ x, y }` with at least one element.
    Tuple(Vec<ExprId>),
    /// `[2,2]i16{1,2,3,4}`.
    Array {
        /// The array type (an `ArrayTy` expression).
        ty: ExprId,
        /// Elements, row-major.
        items: Vec<ExprId>,
    },
    /// `|i,j|{M,N} -> A[e, f]`.
    Access {
        /// Induction variables.
        vars: Vec<Ident>,
        /// One length each.
        lengths: Vec<ExprId>,
        /// The tensor.
        target: ExprId,
        /// One affine expression for each dimension of the tensor.
        indices: Vec<ExprId>,
    },
    /// `if (c) a else b` as an expression.
    If {
        /// Must be bool.
        cond: ExprId,
        /// When true.
        then: ExprId,
        /// When false.
        els: Option<ExprId>,
    },
    /// `switch` as an expression.
    Switch {
        /// What is looked at.
        scrutinee: ExprId,
        /// The prongs in order.
        prongs: Vec<Prong<ExprId>>,
    },
    /// `{ .. }` or `lbl: { .. }`; `{}` is the void value.
    Block(Block),
    /// `asm ...`: parsed, never run.
    Asm,
    /// `*T`, `*const T`.
    PtrTy {
        /// `const`.
        is_const: bool,
        /// What it points to.
        to: ExprId,
    },
    /// `[*]T`, `[*]const T`.
    ManyPtrTy {
        /// `const`.
        is_const: bool,
        /// What it points to.
        to: ExprId,
    },
    /// `[n, m]T`.
    ArrayTy {
        /// Sizes.
        dims: Vec<ExprId>,
        /// Element type.
        elem: ExprId,
    },
    /// `fn(A, B) R` or `task (A) void`.
    FnTy {
        /// `task` instead of `fn`.
        task: bool,
        /// Parameters.
        params: Vec<FnParam>,
        /// Result.
        ret: ExprId,
    },
    /// `struct { a: T }`.
    StructTy {
        /// `extern` or `packed`.
        layout: Layout,
        /// In order.
        fields: Vec<FieldDecl>,
    },
    /// `union { a: T }`.
    UnionTy {
        /// `extern` or `packed`.
        layout: Layout,
        /// In order.
        fields: Vec<FieldDecl>,
    },
    /// `enum(T) { a, b = 4 }`.
    EnumTy {
        /// Underlying type, if written.
        repr: Option<ExprId>,
        /// Members, some with values.
        members: Vec<(Ident, Option<ExprId>)>,
    },
    /// `anytype` in a place where a type may stand.
    AnyType,
    /// Something that did not parse; already reported.
    Error,
}
