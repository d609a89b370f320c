//! What a PE executes: typed code over fixed slots, in the order of the walk.
//!
//! `sema` walks the tree once and lays the walk out as a list, so that a PE can stop at any point
//! (a synchronous fabric operation deep inside nested calls) by keeping one index.
//!
//! Registers hold 64 bits. Integers are kept *normalised*: sign-extended if signed, zero-extended
//! otherwise; `sh` of an operation is 64 minus the width. `f32` and `f16` are kept as their bits.
//! Aggregates (arrays, structs, DSD values) live in memory; a register holds their word address.

pub use super::intrinsics::Intrinsic;
pub use super::operands::{
    ADDRESS_ONLY, Access, BYTES, FnId, HIGH_BYTE, IN_VARIABLE, Reg, Target, byte_behind, word_of,
};
pub use super::side_tables::{
    AsyncConfig, Completion, DsdEdit, DsdOperand, DsdRef, DsrLoad, IdArg, MapOp, OnControl, VectorOp,
};

use super::superinstructions::{
    ArmEnd, Chain, Count, ElemJump, ElemNorm, ElemStep, ElemTest, Field, Framed, GlobalUpdate, Index, Loads,
    Loop, Member, MoveCall, Moves, MovesCall, NestedElements, Offset, Pointed, PointedNorm, Short,
    StepAndTest, Test, Three, ThreeMoves,
};
use super::{DsrRef, FifoRef, Scalar};
use crate::dsd::FifoAccess;
use serde::{Deserialize, Serialize};

/// One step. `d` is the destination register, `a` and `b` are sources, jumps name their target.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
// A line for each operation is easier to read than a line for each of their fields.
#[rustfmt::skip]
#[allow(missing_docs)]
pub enum Op {
    Mov { d: Reg, a: Reg },
    // integers: ..S signed, ..U unsigned
    AddS { d: Reg, a: Reg, b: Reg, sh: u8 },
    AddU { d: Reg, a: Reg, b: Reg, sh: u8 },
    SubS { d: Reg, a: Reg, b: Reg, sh: u8 },
    SubU { d: Reg, a: Reg, b: Reg, sh: u8 },
    MulS { d: Reg, a: Reg, b: Reg, sh: u8 },
    MulU { d: Reg, a: Reg, b: Reg, sh: u8 },
    /// Traps on zero and on MIN / -1.
    DivS { d: Reg, a: Reg, b: Reg, sh: u8 },
    /// Traps on zero.
    DivU { d: Reg, a: Reg, b: Reg, sh: u8 },
    RemS { d: Reg, a: Reg, b: Reg, sh: u8 },
    RemU { d: Reg, a: Reg, b: Reg, sh: u8 },
    /// Traps when the amount is not below the width.
    ShlS { d: Reg, a: Reg, b: Reg, sh: u8 },
    ShlU { d: Reg, a: Reg, b: Reg, sh: u8 },
    ShrS { d: Reg, a: Reg, b: Reg, sh: u8 },
    ShrU { d: Reg, a: Reg, b: Reg, sh: u8 },
    And { d: Reg, a: Reg, b: Reg },
    Or { d: Reg, a: Reg, b: Reg },
    Xor { d: Reg, a: Reg, b: Reg },
    BitNotS { d: Reg, a: Reg, sh: u8 },
    BitNotU { d: Reg, a: Reg, sh: u8 },
    NegS { d: Reg, a: Reg, sh: u8 },
    /// Boolean not.
    Not { d: Reg, a: Reg },
    // comparisons of normalised integers (also bools, ids, pointers)
    Eq { d: Reg, a: Reg, b: Reg },
    Ne { d: Reg, a: Reg, b: Reg },
    LtS { d: Reg, a: Reg, b: Reg },
    LtU { d: Reg, a: Reg, b: Reg },
    LeS { d: Reg, a: Reg, b: Reg },
    LeU { d: Reg, a: Reg, b: Reg },
    // f32
    FAdd { d: Reg, a: Reg, b: Reg },
    FSub { d: Reg, a: Reg, b: Reg },
    FMul { d: Reg, a: Reg, b: Reg },
    FDiv { d: Reg, a: Reg, b: Reg },
    FNeg { d: Reg, a: Reg },
    FEq { d: Reg, a: Reg, b: Reg },
    FNe { d: Reg, a: Reg, b: Reg },
    FLt { d: Reg, a: Reg, b: Reg },
    FLe { d: Reg, a: Reg, b: Reg },
    // f16
    HAdd { d: Reg, a: Reg, b: Reg },
    HSub { d: Reg, a: Reg, b: Reg },
    HMul { d: Reg, a: Reg, b: Reg },
    HDiv { d: Reg, a: Reg, b: Reg },
    HNeg { d: Reg, a: Reg },
    HEq { d: Reg, a: Reg, b: Reg },
    HNe { d: Reg, a: Reg, b: Reg },
    HLt { d: Reg, a: Reg, b: Reg },
    HLe { d: Reg, a: Reg, b: Reg },
    /// `@as` between machine types: truncates integers, rounds to nearest into floats, truncates
    /// toward zero out of floats (traps out of range).
    Convert { d: Reg, a: Reg, from: Scalar, to: Scalar },
    /// Normalises to `64 - sh` bits: odd integer widths and bit-fields.
    NormS { d: Reg, a: Reg, sh: u8 },
    NormU { d: Reg, a: Reg, sh: u8 },
    // control flow
    Jump { to: Target },
    JumpIf { a: Reg, to: Target },
    JumpUnless { a: Reg, to: Target },
    JumpEq { a: Reg, b: Reg, to: Target },
    JumpNe { a: Reg, b: Reg, to: Target },
    JumpLtS { a: Reg, b: Reg, to: Target },
    JumpLtU { a: Reg, b: Reg, to: Target },
    JumpLeS { a: Reg, b: Reg, to: Target },
    JumpLeU { a: Reg, b: Reg, to: Target },
    /// Calls; the callee's register 0 is the caller's `base`. A scalar result comes back in `base`.
    /// An aggregate result is written to the address that the caller put into `base`.
    Call { f: FnId, base: Reg },
    /// Calls the function whose number is in `a`.
    CallPtr { a: Reg, base: Reg },
    /// Leaves the function; register 0 holds the scalar result.
    Ret,
    // memory: `off` and `addr` in words
    Load { d: Reg, a: Reg, off: u16, kind: Access },
    Store { s: Reg, a: Reg, off: u16, kind: Access },
    LoadAt { d: Reg, addr: u16, kind: Access },
    StoreAt { s: Reg, addr: u16, kind: Access },
    /// `d = memory[base + b * kind.words()]`, for bytes `b` bytes behind `base`; traps when `b >= len`.
    LoadElem { d: Reg, base: u16, b: Reg, len: u16, kind: Access },
    StoreElem { s: Reg, base: u16, b: Reg, len: u16, kind: Access },
    /// `d = a + b * words`; traps when `b >= len`, unless `len` is one of the constants below.
    Element { d: Reg, a: Reg, b: Reg, words: u16, len: u32 },
    /// Address of a word of this call's frame.
    Frame { d: Reg, off: u16 },
    /// The variable in `d` is declared without a value; its name in `TileImage::strings`.
    Unset { d: Reg, name: u32 },
    /// Stops the run when the variable in `a` has no value. Written where comptime does not know.
    CheckSet { a: Reg },
    /// A field of the union at `a` is used: the word `off` behind its start must hold `mark`, or no
    /// mark of any field. `names` are those of its fields, in `TileImage::strings`, with commas between.
    CheckVariant { a: Reg, off: u16, mark: u16, names: u32 },
    /// The configuration address in `a` must lie between two others.
    CheckConfig { a: Reg, low: u16, high: u16 },
    /// The pointer in `a` is cast from one to anything: the variable behind it should hold values of
    /// `words`, of the type `ty` in `TileImage::strings`.
    CheckCast { a: Reg, words: u16, ty: u32 },
    /// The `words` from address `a` are declared without a value.
    UnsetWords { a: Reg, words: u16 },
    /// Copies `words` from address `b` to address `a`.
    Copy { a: Reg, b: Reg, words: u16 },
    /// Clears `words` from address `a`.
    Zero { a: Reg, words: u16 },
    // vectors
    /// Starts `TileImage::vector_ops[n]`; waits while a synchronous one is not complete.
    Vector { n: u32 },
    /// Begins `TileImage::maps[n]`.
    MapBegin { n: u32 },
    /// Loads the next element of every input into `base..`, or jumps when one has ended.
    MapNext { n: u32, base: Reg, done: Target },
    /// Writes the result in `s` to the output and advances it; the last one ends the map.
    MapPut { n: u32, s: Reg },
    /// Ends the map.
    MapEnd { n: u32 },
    /// Writes DSD constant `n` to address `a`.
    PutDsd { a: Reg, n: u32 },
    /// Changes the DSD at address `a` by the value in `b`; `origin` is the place for messages. `in_place`: it is a
    /// variable of the program, not a copy that is stored or used next.
    EditDsd { a: Reg, b: Reg, edit: DsdEdit, origin: u16, in_place: bool },
    /// Runs `TileImage::dsr_loads[n]`.
    LoadDsr { n: u32 },
    /// `@set_dsr_base_addr`.
    SetDsrBase { dsr: DsrRef, a: Reg },
    /// `@set_fifo_read_length`, `@set_fifo_write_length`.
    FifoLength { fifo: FifoRef, access: FifoAccess, a: Reg },
    // tasks: `a` holds the number
    Activate { a: Reg },
    Block { a: Reg },
    Unblock { a: Reg },
    BlockUt { a: Reg },
    UnblockUt { a: Reg },
    /// Stops the run unless `a` is from `low` to `high`; `what` in `TileImage::strings`.
    CheckId { a: Reg, low: u8, high: u8, what: u32 },
    /// Stops the run unless `a` is true; `text` in `TileImage::strings`.
    Assert { a: Reg, text: u32 },
    /// Stops the run: `unreachable`, or what sema knows to be wrong when reached.
    Trap { text: u32 },
    /// A request to the PE or the host: arguments in `base..`, the result in `base`.
    Intrinsic { id: Intrinsic, base: Reg },
    // Several operations in one, each named by its parts: only what `exec` makes when a function first
    // runs, never part of a program.
    AddUJumpLtU(Loop),
    AddUJumpLeU(Loop),
    AddUJumpNe(Loop),
    AddUJumpEq(Loop),
    AddSJumpLtS(Loop),
    AddSJumpLeS(Loop),
    AddSJumpLtU(Loop),
    AddSJumpNe(Loop),
    SubUJumpLtU(Loop),
    SubUJumpLeU(Loop),
    SubUJumpNe(Loop),
    SubSJumpLtS(Loop),
    SubSJumpLeS(Loop),
    SubSJumpNe(Loop),
    AndJumpEq(Loop),
    AndJumpNe(Loop),
    AddUAddUJumpLtU(Count),
    AddUAddSJumpLtU(Count),
    AddSAddSJumpLtS(Count),
    AddSAddSJumpLtU(Count),
    AddSAddUJumpLtU(Count),
    FAddAddUJumpLtU(Count),
    FAddAddSJumpLtS(Count),
    FAddAddSJumpLtU(Count),
    AddUAddU(Chain),
    SubUAddU(Chain),
    MulUAddU(Chain),
    AndAddU(Chain),
    OrAddU(Chain),
    XorAddU(Chain),
    ShlUAddU(Chain),
    ShrUAddU(Chain),
    AddUAnd(Chain),
    ShrUAnd(Chain),
    ShlUXor(Chain),
    ShrUXor(Chain),
    MulUXor(Chain),
    AndXor(Chain),
    ShlUOr(Chain),
    AndOr(Chain),
    AddSAddS(Chain),
    SubSAddS(Chain),
    MulSAddS(Chain),
    AddSSubS(Chain),
    MulSSubS(Chain),
    FAddFAdd(Chain),
    FAddFSub(Chain),
    FAddFMul(Chain),
    FSubFAdd(Chain),
    FSubFSub(Chain),
    FSubFMul(Chain),
    FMulFAdd(Chain),
    FMulFSub(Chain),
    FMulFMul(Chain),
    FMulFrom(Chain),
    FMulOnto(Chain),
    ProductsFAdd(Three),
    ProductsFSub(Three),
    FMulFMulFAdd(Three),
    FLtJumpIf(Test),
    FLtJumpUnless(Test),
    FLeJumpIf(Test),
    FLeJumpUnless(Test),
    EqMovJumpIf(Short),
    EqMovJumpUnless(Short),
    NeMovJumpIf(Short),
    NeMovJumpUnless(Short),
    LtSMovJumpIf(Short),
    LtSMovJumpUnless(Short),
    LtUMovJumpIf(Short),
    LtUMovJumpUnless(Short),
    LeSMovJumpIf(Short),
    LeSMovJumpUnless(Short),
    LeUMovJumpIf(Short),
    LeUMovJumpUnless(Short),
    FLtMovJumpIf(Short),
    FLtMovJumpUnless(Short),
    FLeMovJumpIf(Short),
    FLeMovJumpUnless(Short),
    LoadElemJumpIf(ElemTest),
    LoadElemJumpUnless(ElemTest),
    LoadElemAddU(ElemStep),
    LoadElemAddS(ElemStep),
    LoadElemOnto(ElemStep),
    LoadElemFMul(ElemStep),
    AddULoadElem(ElemStep),
    StoreElemAddU(ElemStep),
    AddUStoreElem(ElemStep),
    AddSStoreElem(ElemStep),
    FAddStoreElem(ElemStep),
    FMulStoreElem(ElemStep),
    ElementLoad(Pointed),
    ElementLoad32(Pointed),
    ElementLoadS32(Pointed),
    ElementLoadU16(Pointed),
    ElementLoadS16(Pointed),
    ElementLoadNormU(PointedNorm),
    ElementLoadNormS(PointedNorm),
    ElementStore(Pointed),
    ElementStore32(Pointed),
    ElementStore16(Pointed),
    LoadElemNormU(ElemNorm),
    LoadElemNormS(ElemNorm),
    AddUGlobal32(GlobalUpdate),
    AddUGlobal16(GlobalUpdate),
    AddSGlobal32(GlobalUpdate),
    AddSGlobal16(GlobalUpdate),
    SubUGlobal32(GlobalUpdate),
    SubUGlobal16(GlobalUpdate),
    SubSGlobal32(GlobalUpdate),
    SubSGlobal16(GlobalUpdate),
    FAddGlobal(GlobalUpdate),
    MovMov(Moves),
    MovRet(Moves),
    AddUMovCall(MoveCall),
    AddSMovCall(MoveCall),
    SubUMovCall(MoveCall),
    SubSMovCall(MoveCall),
    NextJumpLtU(StepAndTest),
    NextJumpLtS(StepAndTest),
    Next32JumpLtU(StepAndTest),
    Next16JumpLtU(StepAndTest),
    Next16JumpLtS(StepAndTest),
    MulUAddULoad32(Index),
    MulUAddULoadElem(Index),
    MulUAddUStoreElem(Index),
    AddSOffsetLoad(Offset),
    SubSOffsetLoad(Offset),
    AddUOffsetLoad(Offset),
    SubUOffsetLoad(Offset),
    LoadElemJumpLtS(ElemJump),
    LoadElemJumpLeS(ElemJump),
    LoadElemJumpLtU(ElemJump),
    LoadElemJumpLeU(ElemJump),
    LoadElemJumpEq(ElemJump),
    LoadElemJumpNe(ElemJump),
    ElementElement(NestedElements),
    ElementElementLoad(NestedElements),
    MemberLoad(Member),
    MemberStore(Member),
    LoadLoad(Loads),
    LoadAddS(Field),
    LoadAddU(Field),
    LoadFAdd(Field),
    AddSStore(Field),
    AddUStore(Field),
    FAddStore(Field),
    FrameLoad(Framed),
    FrameLoad32(Framed),
    FrameLoadS32(Framed),
    FrameLoadU16(Framed),
    FrameLoadS16(Framed),
    FrameStore(Framed),
    FrameStore32(Framed),
    FrameStore16(Framed),
    EqJumpUnless(Test),
    NeJumpUnless(Test),
    LtSJumpUnless(Test),
    LtUJumpUnless(Test),
    LeSJumpUnless(Test),
    LeUJumpUnless(Test),
    HLtJumpIf(Test),
    HLtJumpUnless(Test),
    HMulHAdd(Chain),
    RemUJumpEq(Loop),
    RemUJumpNe(Loop),
    AddUJump(ArmEnd),
    AddSJump(ArmEnd),
    MovJump(ArmEnd),
    MovMovMov(ThreeMoves),
    /// A function of `<math>` for f32 whose result `d` is that of the call.
    MathMovRet { base: Reg, d: Reg },
    MovCall(MovesCall),
    MovMovCall(MovesCall),
    /// Jumps to the target that `exec` has in a table for the value of `a`, in place of a sequence of `JumpEq`.
    Switch { a: Reg, table: u16 },
    // Operations of which something is known, made by `exec` as well.
    LoadAt32 { d: Reg, addr: u16 },
    LoadAtS32 { d: Reg, addr: u16 },
    LoadAtU16 { d: Reg, addr: u16 },
    LoadAtS16 { d: Reg, addr: u16 },
    StoreAt32 { s: Reg, addr: u16 },
    StoreAt16 { s: Reg, addr: u16 },
    LoadElem32 { d: Reg, base: u16, b: Reg, len: u16 },
    LoadElemS32 { d: Reg, base: u16, b: Reg, len: u16 },
    LoadElemU16 { d: Reg, base: u16, b: Reg, len: u16 },
    LoadElemS16 { d: Reg, base: u16, b: Reg, len: u16 },
    LoadElem8 { d: Reg, base: u16, b: Reg, len: u16 },
    StoreElem8 { s: Reg, base: u16, b: Reg, len: u16 },
    StoreElem32 { s: Reg, base: u16, b: Reg, len: u16 },
    StoreElem16 { s: Reg, base: u16, b: Reg, len: u16 },
    Load32 { d: Reg, a: Reg, off: u16 },
    LoadS32 { d: Reg, a: Reg, off: u16 },
    LoadU16 { d: Reg, a: Reg, off: u16 },
    LoadS16 { d: Reg, a: Reg, off: u16 },
    Store32 { s: Reg, a: Reg, off: u16 },
    Store16 { s: Reg, a: Reg, off: u16 },
    /// An integer as an f32.
    FromSigned { d: Reg, a: Reg },
    FromUnsigned { d: Reg, a: Reg },
    /// A function of `<math>` for f32, with its number and arguments in `base..`.
    Math { base: Reg },
    /// An f16 as an f32.
    Widen { d: Reg, a: Reg },
    /// An f32 as an f16.
    Narrow { d: Reg, a: Reg },
}
