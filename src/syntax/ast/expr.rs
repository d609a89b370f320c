//! Expressions, which types are, too.

use super::{Block, ExprId, FnParam, Ident, Name, Prong};
use crate::source::Span;

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
pub enum LayoutKeyword {
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
        /// The operand.
        scrutinee: ExprId,
        /// The prongs in order.
        prongs: Vec<Prong<ExprId>>,
    },
    /// `{ .. }` or `lbl: { .. }`; `{}` is the void value.
    Block(Block),
    /// `asm ...`: parsed, never run.
    Asm {
        /// It has no text and no operands, so it does nothing.
        is_empty: bool,
    },
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
        layout: LayoutKeyword,
        /// In order.
        fields: Vec<FieldDecl>,
    },
    /// `union { a: T }`.
    UnionTy {
        /// `extern` or `packed`.
        layout: LayoutKeyword,
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
