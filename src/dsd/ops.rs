//! The table of DSD operations: one row each. `sema` reads its shape, a PE runs its kernel.

use super::fp16_formats::{self as formats, Others, in_both};
use super::kernels::{self as k, ADD_WITH_CARRY, Kernel, kernel};
use super::{half_conversions as conversions, half_sums, halves, in_order};
use crate::arch::ArchName;
use crate::value::f16;
use crate::value::float::FloatKind;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// What an operation takes for one element. Memory is typed by width only.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Elem {
    /// `i16` or `u16`.
    Int16,
    /// `i32` or `u32`.
    Int32,
    /// What `@fp16()` is.
    F16,
    /// `f32`.
    F32,
}

impl Elem {
    /// 16-bit words of an element.
    pub fn words(self) -> u16 {
        match self {
            Elem::Int16 | Elem::F16 => 1,
            Elem::Int32 | Elem::F32 => 2,
        }
    }

    /// Whether it is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Elem::F16 | Elem::F32)
    }

    /// Whether a scalar of such a type may stand for the element.
    pub fn accepts(self, is_float: bool, bits: u32) -> bool {
        self.is_float() == is_float && u32::from(self.words()) * 16 == bits
    }

    /// The types in words, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Elem::Int16 => "i16 or u16",
            Elem::Int32 => "i32 or u32",
            Elem::F16 => "f16",
            Elem::F32 => "f32",
        }
    }
}

/// A source in a form.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// A DSD or DSR with such elements.
    Vector(Elem),
    /// A scalar.
    Scalar(Elem),
}

impl SourceKind {
    /// Its element.
    pub fn elem(self) -> Elem {
        match self {
            SourceKind::Vector(e) | SourceKind::Scalar(e) => e,
        }
    }

    /// Whether it is a DSD or DSR.
    pub fn is_vector(self) -> bool {
        matches!(self, SourceKind::Vector(_))
    }
}

/// One way to call an operation.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The destination is a pointer to a scalar. With a scalar as the first source and a vector as
    /// the second, the scalar is where an accumulation starts (ruling OQ-23).
    pub to_pointer: bool,
    /// The sources, left to right.
    pub sources: &'static [SourceKind],
    /// The kernel takes the second source first.
    pub flipped: bool,
}

/// One row of the table.
#[derive(Copy, Clone)]
pub struct DsdOp {
    /// The name without `@`.
    pub name: &'static str,
    /// The element of the destination.
    pub dest: Elem,
    /// The ways to call it.
    pub forms: &'static [Form],
    /// Its arithmetic.
    pub kernel: Kernel,
    /// Its arithmetic in the formats that `f16` is not, if it depends on the format. A copy does not, and the sign is the
    /// highest bit of each of them.
    others: Option<Others>,
    /// Elements per cycle at best, on WSE-2 and WSE-3 (reference: appendix on SIMD timing).
    pub simd: [u8; 2],
    /// What it does, in one line.
    pub doc: &'static str,
}

impl DsdOp {
    /// Whether it only copies elements, whose meaning does not matter then.
    pub fn copies(&self) -> bool {
        matches!(self.name, "mov16" | "mov32" | "fmovh" | "fmovs")
    }

    /// The form with this kind of destination, and with vectors where `vectors` says so.
    pub fn form(&self, to_pointer: bool, vectors: &[bool]) -> Option<&'static Form> {
        self.forms.iter().find(|f| {
            f.to_pointer == to_pointer && f.sources.iter().map(|s| s.is_vector()).eq(vectors.iter().copied())
        })
    }

    /// Number of sources, the same in all forms.
    pub fn arity(&self) -> usize {
        self.forms[0].sources.len()
    }

    /// The element of a source, if it is a scalar in one of the forms.
    pub fn scalar(&self, source: usize) -> Option<Elem> {
        let of_form = self.forms.iter().filter_map(|form| form.sources.get(source));
        of_form.into_iter().find(|kind| !kind.is_vector()).map(|kind| kind.elem())
    }

    /// Elements per cycle at best.
    pub fn width(&self, arch: ArchName) -> u8 {
        match arch {
            ArchName::Wse2 => self.simd[0],
            ArchName::Wse3 => self.simd[1],
        }
    }

    /// Cycles from one element to the next where all of them go to one scalar: a sum of floats waits for the one before
    /// (a public study of the vendor's simulator: 2 cycles for each element of `@faddh`, 1 for what does not wait).
    pub fn cycles_to_scalar(&self) -> u32 {
        if self.dest.is_float() && self.arity() > 1 { 2 } else { 1 }
    }

    /// The forms as calls, for messages: `@fadds(dsd, f32, dsd)`.
    pub fn signatures(&self) -> Vec<String> {
        self.forms.iter().map(|form| self.signature(form)).collect()
    }

    fn signature(&self, form: &Form) -> String {
        let dest = match form.to_pointer {
            true => format!("*{}", self.dest.name()),
            false => "dsd".to_string(),
        };
        let sources = form.sources.iter().map(|s| match s {
            SourceKind::Vector(_) => "dsd".to_string(),
            SourceKind::Scalar(e) => e.name().to_string(),
        });
        let all: Vec<_> = std::iter::once(dest).chain(sources).collect();
        format!("@{}({})", self.name, all.join(", "))
    }
}

/// The number of the operation with this name (without `@`), with `f16` as the 16-bit float.
pub fn lookup(name: &str) -> Option<u8> {
    static ROWS: LazyLock<FxHashMap<&str, u8>> =
        LazyLock::new(|| TABLE.iter().zip(0..).map(|(op, row)| (op.name, row)).collect());
    ROWS.get(name).copied()
}

/// The number of an operation that [`lookup`] has found, with another 16-bit float.
pub fn in_format(op: u8, fp16: FloatKind) -> u8 {
    let format = FORMATS.iter().position(|kind| *kind == fp16).unwrap_or(0);
    op + (format * TABLE.len()) as u8
}

use Elem::{F16, F32, Int16, Int32};
use SourceKind::{Scalar as S, Vector as V};

const fn to(sources: &'static [SourceKind]) -> Form {
    Form { to_pointer: false, sources, flipped: false }
}

const fn to_pointer(sources: &'static [SourceKind]) -> Form {
    Form { to_pointer: true, sources, flipped: false }
}

const UNARY_16: &[Form] = &[to(&[V(Int16)]), to(&[S(Int16)])];
const UNARY_H: &[Form] = &[to(&[V(F16)]), to(&[S(F16)])];
const UNARY_S: &[Form] = &[to(&[V(F32)]), to(&[S(F32)])];
const MOVE_16: &[Form] = &[to(&[V(Int16)]), to_pointer(&[V(Int16)]), to(&[S(Int16)])];
const MOVE_32: &[Form] = &[to(&[V(Int32)]), to_pointer(&[V(Int32)]), to(&[S(Int32)])];
const MOVE_H: &[Form] = &[to(&[V(F16)]), to_pointer(&[V(F16)]), to(&[S(F16)])];
const MOVE_S: &[Form] = &[to(&[V(F32)]), to_pointer(&[V(F32)]), to(&[S(F32)])];
const TO_INT_H: &[Form] = &[to(&[V(F16)]), to(&[S(F16)]), to_pointer(&[S(F16)])];
const TO_INT_S: &[Form] = &[to(&[V(F32)]), to(&[S(F32)]), to_pointer(&[S(F32)])];
const BINARY_16: &[Form] = &[to(&[V(Int16), V(Int16)]), to(&[S(Int16), V(Int16)]), to(&[V(Int16), S(Int16)])];
const MINUS_16: &[Form] = &[to(&[V(Int16), V(Int16)]), to(&[V(Int16), S(Int16)])];
const BINARY_H: &[Form] =
    &[to(&[V(F16), V(F16)]), to(&[S(F16), V(F16)]), to(&[V(F16), S(F16)]), to_pointer(&[S(F16), V(F16)])];
const BINARY_S: &[Form] =
    &[to(&[V(F32), V(F32)]), to(&[S(F32), V(F32)]), to(&[V(F32), S(F32)]), to_pointer(&[S(F32), V(F32)])];
// Which operand is the narrow one depends on the form (ruling OQ-24).
const BINARY_HS: &[Form] = &[
    to(&[V(F32), V(F16)]),
    Form { to_pointer: false, sources: &[S(F16), V(F32)], flipped: true },
    to(&[V(F32), S(F16)]),
    to_pointer(&[S(F32), V(F16)]),
];
const MULTIPLY_ADD_H: &[Form] = &[to(&[V(F16), V(F16), S(F16)])];
const MULTIPLY_ADD_S: &[Form] = &[to(&[V(F32), V(F32), S(F32)])];
const MULTIPLY_ADD_HS: &[Form] = &[to(&[V(F32), V(F16), S(F16)])];
const NORM_H: &[Form] = &[to_pointer(&[S(F16)])];
const NORM_S: &[Form] = &[to_pointer(&[S(F32)])];
const SCALE_H: &[Form] = &[to_pointer(&[S(F16), S(Int16)])];
const SCALE_S: &[Form] = &[to_pointer(&[S(F32), S(Int16)])];

const fn row(
    name: &'static str,
    dest: Elem,
    forms: &'static [Form],
    kernel: Kernel,
    simd: [u8; 2],
    doc: &'static str,
) -> DsdOp {
    DsdOp { name, dest, forms, kernel, others: None, simd, doc }
}

impl DsdOp {
    /// The row of an operation that depends on the format of 16-bit floats.
    const fn or(self, others: Others) -> DsdOp {
        DsdOp { others: Some(others), ..self }
    }
}

/// The formats of 16-bit floats, in the order of [`OPS`].
const FORMATS: [FloatKind; 3] = [FloatKind::F16, FloatKind::Bf16, FloatKind::Cb16];

/// All operations by their number: the table for one format after the other.
pub static OPS: &[DsdOp; FORMATS.len() * TABLE.len()] = &{
    let mut all = [TABLE[0]; FORMATS.len() * TABLE.len()];
    let mut n = 0;
    while n < all.len() {
        all[n] = TABLE[n % TABLE.len()];
        if let (format @ 1.., Some(others)) = (n / TABLE.len(), all[n].others) {
            all[n].kernel = others[format - 1];
        }
        n += 1;
    }
    all
};

/// All operations, with `f16` as the 16-bit float.
pub fn operations() -> &'static [DsdOp] {
    TABLE
}

/// One row for each operation.
#[rustfmt::skip]
const TABLE: &[DsdOp] = &[
    row("add16", Int16, BINARY_16, kernel!(u16::wrapping_add; u16, u16), [4, 8], "sum"),
    row("addc16", Int16, BINARY_16, ADD_WITH_CARRY, [1, 8], "sum plus the carry of the previous element"),
    row("sub16", Int16, MINUS_16, kernel!(u16::wrapping_sub; u16, u16), [4, 8], "difference"),
    row("and16", Int16, BINARY_16, kernel!(|a, b| a & b; u16, u16), [4, 8], "bitwise and"),
    row("or16", Int16, BINARY_16, kernel!(|a, b| a | b; u16, u16), [4, 8], "bitwise or"),
    row("xor16", Int16, BINARY_16, kernel!(|a, b| a ^ b; u16, u16), [4, 8], "bitwise exclusive or"),
    row("sar16", Int16, BINARY_16, kernel!(k::shift_right_signed; i16, u16), [1, 4], "first >> second, arithmetic"),
    row("sll16", Int16, BINARY_16, kernel!(k::shift_left; u16, u16), [1, 4], "first << second"),
    row("slr16", Int16, BINARY_16, kernel!(k::shift_right; u16, u16), [1, 4], "first >> second, logical"),
    row("mov16", Int16, MOVE_16, kernel!(|a| a; u16), [4, 8], "copy"),
    row("mov32", Int32, MOVE_32, kernel!(|a| a; u32), [2, 4], "copy"),
    row("clz", Int16, UNARY_16, kernel!(|a: u16| a.leading_zeros() as u16; u16), [1, 1], "number of leading zeros"),
    row("ctz", Int16, UNARY_16, kernel!(|a: u16| a.trailing_zeros() as u16; u16), [1, 1], "number of trailing zeros"),
    row("popcnt", Int16, UNARY_16, kernel!(|a: u16| a.count_ones() as u16; u16), [1, 1], "number of ones"),
    row("faddh", F16, BINARY_H, half_sums::with_sums(halves::add(kernel!(f16::add; u16, u16))), [4, 8], "sum").or(in_both!(add; Fp16, Fp16)),
    row("fsubh", F16, BINARY_H, halves::sub(kernel!(f16::sub; u16, u16)), [4, 8], "difference").or(in_both!(sub; Fp16, Fp16)),
    row("fmulh", F16, BINARY_H, halves::mul(kernel!(f16::mul; u16, u16)), [4, 8], "product").or(in_both!(mul; Fp16, Fp16)),
    row("fmaxh", F16, BINARY_H, halves::max(kernel!(k::larger_half; u16, u16)), [1, 8], "maximum").or(in_both!(max; Fp16, Fp16)),
    row("fadds", F32, BINARY_S, kernel!(|a, b| a + b; f32, f32), [2, 4], "sum"),
    row("fsubs", F32, BINARY_S, kernel!(|a, b| a - b; f32, f32), [2, 4], "difference"),
    row("fmuls", F32, BINARY_S, kernel!(|a, b| a * b; f32, f32), [1, 1], "product"),
    row("fmaxs", F32, BINARY_S, Kernel { fold: in_order::largest, ..kernel!(k::larger; f32, f32) }, [1, 4], "maximum"),
    row("faddhs", F32, BINARY_HS, conversions::mixed_sum(kernel!(k::add_mixed; f32, u16)), [2, 4], "sum of an f32 and an f16").or(in_both!(add_mixed; f32, Fp16)),
    row("fmach", F16, MULTIPLY_ADD_H, half_sums::with_products(kernel!(k::multiply_add_half; u16, u16, u16)), [4, 8], "first + second * scalar, rounded once").or(in_both!(multiply_add; Fp16, Fp16, Fp16)),
    row("fmacs", F32, MULTIPLY_ADD_S, kernel!(k::multiply_add; f32, f32, f32), [1, 1], "first + second * scalar, rounded once"),
    row("fmachs", F32, MULTIPLY_ADD_HS, conversions::mixed_product(kernel!(k::multiply_add_mixed; f32, u16, u16)), [2, 4], "f32 first + f16 second * f16 scalar, rounded once").or(in_both!(multiply_add_mixed; f32, Fp16, Fp16)),
    row("fmovh", F16, MOVE_H, kernel!(|a| a; u16), [4, 8], "copy"),
    row("fmovs", F32, MOVE_S, kernel!(|a| a; u32), [2, 4], "copy"),
    row("fnegh", F16, UNARY_H, kernel!(f16::neg; u16), [4, 8], "negated value"),
    row("fnegs", F32, UNARY_S, kernel!(|a| a ^ 0x8000_0000; u32), [2, 4], "negated value"),
    row("fabsh", F16, UNARY_H, kernel!(f16::abs; u16), [4, 8], "absolute value"),
    row("fabss", F32, UNARY_S, kernel!(|a| a & 0x7fff_ffff; u32), [2, 4], "absolute value"),
    row("fh2s", F32, UNARY_H, conversions::single_of_half(kernel!(f16::to_f32; u16)), [1, 4], "f16 to f32").or(in_both!(to_single; Fp16)),
    row("fs2h", F16, UNARY_S, conversions::half_of_single(kernel!(f16::from_f32; f32)), [1, 4], "f32 to f16, to nearest").or(in_both!(of_single; f32)),
    row("fh2xp16", Int16, TO_INT_H, conversions::integer_of_half(kernel!(k::half_to_integer; u16)), [1, 8], "f16 to i16, toward zero, saturating").or(in_both!(to_integer; Fp16)),
    row("fs2xp16", Int16, TO_INT_S, conversions::integer_of_single(kernel!(k::to_integer; f32)), [1, 4], "f32 to i16, toward zero, saturating"),
    row("xp162fh", F16, UNARY_16, conversions::half_of_integer(kernel!(k::integer_to_half; i16)), [1, 8], "i16 to f16, to nearest").or(in_both!(of_integer; i16)),
    row("xp162fs", F32, UNARY_16, kernel!(f32::from; i16), [1, 4], "i16 to f32"),
    row("fnormh", F16, NORM_H, kernel!(k::significand_half; u16), [4, 8], "significand in [1, 2), with the sign").or(in_both!(significand; Fp16)),
    row("fnorms", F32, NORM_S, kernel!(k::significand; f32), [2, 4], "significand in [1, 2), with the sign"),
    row("fscaleh", F16, SCALE_H, kernel!(k::scale_half; u16, i16), [4, 8], "first * 2^second").or(in_both!(scale; Fp16, i16)),
    row("fscales", F32, SCALE_S, kernel!(k::scale; f32, i16), [2, 4], "first * 2^second"),
];

#[cfg(test)]
mod tests;
