//! Operands of superinstructions: frequent sequences of operations that run as one.
//!
//! A superinstruction stands where its sequence begins and does exactly what the sequence does: the same
//! registers, cycles and diagnostics. What it is made of stays behind it, so that the numbering of the code
//! does not change, jumps into the middle need no care, and a PE can stop and go on at each of its parts.
//! `exec::superinstructions` makes them when a function first runs; no program holds one.

use super::operands::{Access, Reg};
use serde::{Deserialize, Serialize};

/// The target of a jump that is part of a superinstruction.
pub type NearTarget = u16;

/// One of the first 256 registers, for superinstructions with many operands.
pub type NearReg = u8;

/// `d = a ? b`, then a jump if `x ? y`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Loop {
    pub d: Reg,
    pub a: Reg,
    pub b: Reg,
    pub x: Reg,
    pub y: Reg,
    pub to: NearTarget,
    pub sh: u8,
}

/// `i = i + k` in the width that the name says, then a jump if `i < n`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct StepAndTest {
    pub i: Reg,
    pub k: Reg,
    pub n: Reg,
    pub to: NearTarget,
}

/// `d = d + c`, `i = i + k`, then a jump if `i < n`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Count {
    pub d: Reg,
    pub c: Reg,
    pub i: Reg,
    pub k: Reg,
    pub n: Reg,
    pub to: NearTarget,
    pub sh: u8,
    pub step_sh: u8,
}

/// `d = a ? b`, then `e = d ? c`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Chain {
    pub d: Reg,
    pub a: Reg,
    pub b: Reg,
    pub e: Reg,
    pub c: Reg,
    pub sh: u8,
    pub then_sh: u8,
}

/// `d = a ? b`, `e = d ? c`, then `f = e ? g`, or `d = a ? b`, `e = c ? g`, then `f = d ? e`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Three {
    pub d: Reg,
    pub a: Reg,
    pub b: Reg,
    pub e: Reg,
    pub c: Reg,
    pub f: Reg,
    pub g: Reg,
}

/// `d = a ? b`, then a jump if `d` is what the name says.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Test {
    pub d: Reg,
    pub a: Reg,
    pub b: Reg,
    pub to: NearTarget,
}

/// `d = a ? b`, `e = d`, then a jump if `e` is what the name says: half of an `and` or `or`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Short {
    pub d: Reg,
    pub a: Reg,
    pub b: Reg,
    pub e: Reg,
    pub to: NearTarget,
}

/// `d` is element `i` of the array at `base`, then a jump.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ElemTest {
    pub d: Reg,
    pub base: u16,
    pub i: Reg,
    pub len: u16,
    pub to: NearTarget,
    pub kind: Access,
}

/// An element and arithmetic. Loaded first: `e = d ? c`. Stored last: `d = e ? c`. Else `e = e ? c`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ElemStep {
    pub d: Reg,
    pub base: u16,
    pub i: Reg,
    pub len: u16,
    pub e: Reg,
    pub c: Reg,
    pub kind: Access,
    pub sh: u8,
}

/// The address `d` of element `b` of the variable behind `a`, and the access of `v` to it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Pointed {
    pub d: Reg,
    pub a: Reg,
    pub b: Reg,
    pub words: u16,
    pub v: Reg,
    pub off: u16,
    pub kind: Access,
}

/// The same load from a word of the variable, and `e = v` in a wider type.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct PointedNorm {
    pub d: NearReg,
    pub a: NearReg,
    pub b: NearReg,
    pub v: NearReg,
    pub e: NearReg,
    pub words: u16,
    pub off: u16,
}

/// `d` is element `i` of the array at `base`, and `e = d` in a wider type.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ElemNorm {
    pub d: Reg,
    pub base: u16,
    pub i: Reg,
    pub len: u16,
    pub e: Reg,
}

/// `d` is loaded from `addr`, `e = d ? c`, and `e` is stored there.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct GlobalUpdate {
    pub d: Reg,
    pub addr: u16,
    pub e: Reg,
    pub c: Reg,
    pub sh: u8,
}

/// `d = a`, then `e = b` if there are two.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Moves {
    pub d: Reg,
    pub a: Reg,
    pub e: Reg,
    pub b: Reg,
}

/// `d = a`, `e = b`, then `f = c`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ThreeMoves {
    pub d: NearReg,
    pub a: NearReg,
    pub e: NearReg,
    pub b: NearReg,
    pub f: NearReg,
    pub c: NearReg,
}

/// `d = a ? b`, `base = d`, then a call with `base`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct MoveCall {
    pub d: Reg,
    pub a: Reg,
    pub b: Reg,
    pub base: Reg,
    pub f: u16,
    pub sh: u8,
}

/// `d = a ? b`, `e = d ? c`, then an access of `v` to element `e` of the array at `base`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Index {
    pub d: NearReg,
    pub a: NearReg,
    pub b: NearReg,
    pub e: NearReg,
    pub c: NearReg,
    pub v: NearReg,
    pub base: u16,
    pub len: u16,
    pub kind: Access,
    pub sh: u8,
}

/// `d = a ? b`, then `v` is element `d` of the array at `base`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Offset {
    pub d: NearReg,
    pub a: NearReg,
    pub b: NearReg,
    pub v: NearReg,
    pub base: u16,
    pub len: u16,
    pub kind: Access,
    pub sh: u8,
}

/// `d` is element `i` of the array at `base`, then a jump if `x ? y`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ElemJump {
    pub d: NearReg,
    pub i: NearReg,
    pub x: NearReg,
    pub y: NearReg,
    pub base: u16,
    pub len: u16,
    pub to: NearTarget,
    pub kind: Access,
}

/// `d` is the address of element `b` of the array at `a`, `e` that of element `c` of the array at `d`, and `v` is
/// loaded from there if the name says so.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct NestedElements {
    pub d: NearReg,
    pub a: NearReg,
    pub b: NearReg,
    pub e: NearReg,
    pub c: NearReg,
    pub v: NearReg,
    pub words: u16,
    pub len: u16,
    pub inner_len: u16,
    pub inner_words: u8,
    pub kind: Access,
}

/// `d` is the address of element `b` of the array at `a`, then an access of `v` to the word `off` behind it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Member {
    pub d: NearReg,
    pub a: NearReg,
    pub b: NearReg,
    pub v: NearReg,
    pub words: u16,
    pub len: u16,
    pub off: u16,
    pub kind: Access,
}

/// `d` is loaded from `off` behind `a`, then `e` from `then_off` behind `b`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Loads {
    pub d: NearReg,
    pub a: NearReg,
    pub e: NearReg,
    pub b: NearReg,
    pub off: u16,
    pub then_off: u16,
    pub kind: Access,
    pub then_kind: Access,
}

/// An access of `d` to `off` behind `p`, and arithmetic. Loaded first: `e = d ? c`. Stored last: `d = e ? c`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Field {
    pub d: NearReg,
    pub p: NearReg,
    pub e: NearReg,
    pub c: NearReg,
    pub off: u16,
    pub kind: Access,
    pub sh: u8,
}

/// `d` is the address of a word of the frame, then an access of `v` to it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Framed {
    pub d: Reg,
    pub off: u16,
    pub v: Reg,
    pub kind: Access,
}

/// `d = a`, `e = b` if there are two, then a call of `f`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct MovesCall {
    pub d: NearReg,
    pub a: NearReg,
    pub e: NearReg,
    pub b: NearReg,
    pub base: NearReg,
    pub f: u16,
}

/// `d = a ? b`, then a jump.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ArmEnd {
    pub d: Reg,
    pub a: Reg,
    pub b: Reg,
    pub to: NearTarget,
    pub sh: u8,
}
