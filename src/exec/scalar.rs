//! The interpreter loop for scalar code and calls. For tasks and most vector operations it stops ([`StopReason`]).

use super::arithmetic::{self, amount, quotient, remainder};
use super::arms::*;
use super::calls::{Calls, begin, pointed};
use super::convert::{signed, unsigned};
use super::guard::Guard;
use super::interface::{Code, LoopMemory, LoopServices, Meter, StopReason, TaskState};
use super::memory::{byte_at, element, element_of, load, store, store_byte};
use super::parts::{holds, single, value};
use super::sanitizer::Sanitizer;
use super::vector::{map::MapIterations, memory::run_known};
use crate::diagnostics::Diag;
use crate::image::code::{Access, FnId, IN_VARIABLE, Intrinsic, Op, Reg};
use crate::value::f16;

/// Continues the innermost call. After a diagnostic, that call still points at the operation that caused it. `maps` are the
/// iterations of the `@map`s that have not ended, outermost first. The loop is compiled for each kind of guard.
///
/// It is one `match` with an arm for each frequent operation: a second one would add an indirect jump to each. Calls and
/// returns are handled here, too: to leave and re-enter the loop costs more.
pub(crate) fn run<G: Guard>(
    all: Code<'_>,
    calls: &mut Calls,
    maps: &mut [MapIterations],
    (memory, guard): (&mut [u16], &mut G),
    sanitizer: &mut Sanitizer,
    (tasks, services): (&mut TaskState, &mut dyn LoopServices),
    meter: &mut Meter,
) -> Result<StopReason, Diag> {
    let (Code { tile, plans, .. }, due, mut left) = (all, meter.left_when_due(), meter.left());
    let mut begins = calls.take_new().map(|f| all.function(f));
    begins.into_iter().for_each(|function| calls.clear_registers(function.registers));
    loop {
        let Some((frame, r)) = calls.innermost() else {
            meter.leave(left);
            return Ok(StopReason::End);
        };
        let ready = begins.take().map_or_else(|| all.function(frame.function), |function| begin(function, r));
        let (mut at, mut first) = (frame.pc, frame.pc); // Where straight code has begun, for those who count.
        // Cycles of all operations before each, and up to its end: as long as the code, so that one check of `at` is enough.
        let (code, cycles) = (&ready.code[..], &ready.cycles_before[..]);
        let (before, after) = (&cycles[..code.len()], &cycles[1..=code.len()]);
        // The budget left before an operation plus the cycles of all before it, which changes only at jumps.
        let mut credit = left + i64::from(before[at]);
        macro_rules! left {
            () => {
                credit - i64::from(before[at])
            };
        }
        macro_rules! reg {
            ($a:expr) => {
                r[$a as usize]
            };
        }
        macro_rules! set {
            ($d:ident, $value:expr) => {
                r[$d as usize] = $value as u64
            };
        }
        macro_rules! stop {
            ($exit:expr) => {{
                guard.ran(frame.function, first, at);
                frame.pc = at;
                meter.leave(left!());
                return $exit;
            }};
        }
        macro_rules! attempt {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(diag) => stop!(Err(diag)),
                }
            };
        }
        macro_rules! go_to {
            ($to:expr) => {{
                let left = credit - i64::from(after[at]);
                guard.ran(frame.function, first, at + 1);
                (at, first) = ($to as usize, $to as usize);
                credit = left + i64::from(before[at]);
                // Every loop contains a jump, so checking the budget at jumps is enough.
                if left <= 0 {
                    stop!(Ok(StopReason::Pause))
                }
                continue;
            }};
        }
        macro_rules! jump {
            ($to:ident if $condition:expr) => {
                if $condition {
                    go_to!($to)
                }
            };
        }
        macro_rules! then {
            () => {
                at += 1
            };
        }
        macro_rules! watch {
            ($way:ident $at:expr, $kind:expr) => {{
                let at = $at;
                if guard.$way(at, $kind) {
                    stop!(Ok(StopReason::Guarded))
                }
                at
            }};
        }
        // Lets the PE serve the operation within the loop, or stops the loop for it.
        macro_rules! serve {
            ($op:expr) => {{
                let memory = &mut LoopMemory { words: memory, sanitizer, watched: guard.watched() };
                let Some(served) = services.serve($op, r, memory) else { hand_back!($op) };
                credit -= guard.took(frame.function, at, served.cycles, served.elements)
            }};
        }
        // `read!` loads a word; `follow!` loads one behind a pointer, which the sanitizer checks.
        macro_rules! read {
            ($at:expr, $kind:expr) => {
                attempt!(load(memory, watch!(reads $at, $kind), $kind))
            };
        }
        macro_rules! write {
            ($at:expr, $kind:expr, $value:expr) => {
                attempt!(store(memory, watch!(writes $at, $kind), $kind, $value))
            };
        }
        macro_rules! follow {
            ($at:expr, $kind:expr) => {{
                let at = watch!(reads $at, $kind);
                attempt!(sanitizer.load(memory, at, $kind, frame.end))
            }};
        }
        macro_rules! put {
            ($at:expr, $kind:expr, $value:expr) => {{
                let at = watch!(writes $at, $kind);
                attempt!(sanitizer.store(tile, memory, (at, $kind), $value, frame.end))
            }};
        }
        macro_rules! stepped {
            ($s:ident $step:ident) => {{
                let to = attempt!(sanitizer.$step(tile, ($s.a as usize, reg!($s.a)), reg!($s.b), $s.words));
                reg!($s.d) = to;
                then!();
                to as usize + usize::from($s.off)
            }};
        }
        macro_rules! framed {
            ($s:ident) => {{
                let at = frame.address.wrapping_add($s.off);
                reg!($s.d) = at.into();
                then!();
                usize::from(at)
            }};
        }
        // Calls and returns leave the inner loop, so that their code exists once.
        let called: Option<(FnId, Reg)> = loop {
            let op = &code[at];
            if G::STEPS && guard.stops_before(frame, at) {
                stop!(Ok(StopReason::Guarded))
            }
            match *op {
                Op::Mov { d, a } => set!(d, reg!(a)),
                Op::AddS { d, a, b, sh } => set!(d, signed(reg!(a).wrapping_add(reg!(b)), sh)),
                Op::AddU { d, a, b, sh } => set!(d, unsigned(reg!(a).wrapping_add(reg!(b)), sh)),
                Op::SubS { d, a, b, sh } => set!(d, signed(reg!(a).wrapping_sub(reg!(b)), sh)),
                Op::SubU { d, a, b, sh } => set!(d, unsigned(reg!(a).wrapping_sub(reg!(b)), sh)),
                Op::MulS { d, a, b, sh } => set!(d, signed(reg!(a).wrapping_mul(reg!(b)), sh)),
                Op::MulU { d, a, b, sh } => set!(d, unsigned(reg!(a).wrapping_mul(reg!(b)), sh)),
                Op::ShlS { d, a, b, sh } => set!(d, signed(reg!(a) << attempt!(amount(reg!(b), sh)), sh)),
                Op::ShlU { d, a, b, sh } => set!(d, unsigned(reg!(a) << attempt!(amount(reg!(b), sh)), sh)),
                Op::ShrS { d, a, b, sh } => set!(d, reg!(a) as i64 >> attempt!(amount(reg!(b), sh))),
                Op::ShrU { d, a, b, sh } => set!(d, reg!(a) >> attempt!(amount(reg!(b), sh))),
                Op::And { d, a, b } => set!(d, reg!(a) & reg!(b)),
                Op::Or { d, a, b } => set!(d, reg!(a) | reg!(b)),
                Op::Xor { d, a, b } => set!(d, reg!(a) ^ reg!(b)),
                Op::Not { d, a } => set!(d, reg!(a) ^ 1),
                Op::NormS { d, a, sh } => set!(d, signed(reg!(a), sh)),
                Op::NormU { d, a, sh } => set!(d, unsigned(reg!(a), sh)),
                Op::Eq { d, a, b } => set!(d, reg!(a) == reg!(b)),
                Op::Ne { d, a, b } => set!(d, reg!(a) != reg!(b)),
                Op::LtS { d, a, b } => set!(d, (reg!(a) as i64) < reg!(b) as i64),
                Op::LtU { d, a, b } => set!(d, reg!(a) < reg!(b)),
                Op::LeS { d, a, b } => set!(d, reg!(a) as i64 <= reg!(b) as i64),
                Op::LeU { d, a, b } => set!(d, reg!(a) <= reg!(b)),
                Op::FAdd { d, a, b } => float!(d = a + b),
                Op::FSub { d, a, b } => float!(d = a - b),
                Op::FMul { d, a, b } => float!(d = a * b),
                Op::FDiv { d, a, b } => float!(d = a / b),
                Op::FNeg { d, a } => set!(d, reg!(a) ^ 1 << 31),
                Op::FEq { d, a, b } => set!(d, single(reg!(a)) == single(reg!(b))),
                Op::FNe { d, a, b } => set!(d, single(reg!(a)) != single(reg!(b))),
                Op::HAdd { d, a, b } => set!(d, arithmetic::half_sum(reg!(a), reg!(b))),
                Op::HMul { d, a, b } => set!(d, arithmetic::half_product(reg!(a), reg!(b))),
                Op::HLt { d, a, b } => set!(d, f16::lt(reg!(a) as u16, reg!(b) as u16)),
                Op::HLe { d, a, b } => set!(d, f16::le(reg!(a) as u16, reg!(b) as u16)),
                Op::DivU { d, a, b, .. } => set!(d, attempt!(quotient(reg!(a), reg!(b)))),
                Op::RemU { d, a, b, .. } => set!(d, attempt!(remainder(reg!(a), reg!(b)))),
                Op::DivS { d, a, b, sh } => divided!(d = a / b, sh),
                Op::RemS { d, a, b, sh } => divided!(d = a % b, sh),
                Op::NegS { d, a, sh } => set!(d, signed(reg!(a).wrapping_neg(), sh)),
                Op::FromSigned { d, a } => set!(d, (reg!(a) as i64 as f32).to_bits()),
                Op::FromUnsigned { d, a } => set!(d, (reg!(a) as f32).to_bits()),
                Op::Widen { d, a } => set!(d, f16::to_f32(reg!(a) as u16).to_bits()),
                Op::Narrow { d, a } => set!(d, arithmetic::half(reg!(a))),
                Op::FLt { d, a, b } => set!(d, single(reg!(a)) < single(reg!(b))),
                Op::FLe { d, a, b } => set!(d, single(reg!(a)) <= single(reg!(b))),
                Op::Jump { to } => jump!(to if true),
                Op::JumpIf { a, to } => jump!(to if reg!(a) != 0),
                Op::JumpUnless { a, to } => jump!(to if reg!(a) == 0),
                Op::JumpEq { a, b, to } => jump!(to if reg!(a) == reg!(b)),
                Op::JumpNe { a, b, to } => jump!(to if reg!(a) != reg!(b)),
                Op::JumpLtS { a, b, to } => jump!(to if (reg!(a) as i64) < reg!(b) as i64),
                Op::JumpLtU { a, b, to } => jump!(to if reg!(a) < reg!(b)),
                Op::JumpLeS { a, b, to } => jump!(to if reg!(a) as i64 <= reg!(b) as i64),
                Op::JumpLeU { a, b, to } => jump!(to if reg!(a) <= reg!(b)),
                Op::Load { d, a, off, kind } => set!(d, follow!(behind!(a off), kind)),
                Op::Store { s, a, off, kind } => put!(behind!(a off), kind, reg!(s)),
                Op::LoadAt { d, addr, kind } => set!(d, read!(addr.into(), kind)),
                Op::StoreAt { s, addr, kind } => write!(addr.into(), kind, reg!(s)),
                Op::LoadElem { d, base, b, len, kind } => set!(d, read!(place_of!(base b len kind), kind)),
                Op::StoreElem { s, base, b, len, kind } => write!(place_of!(base b len kind), kind, reg!(s)),
                Op::Element { d, a, b, words, len: IN_VARIABLE } => {
                    set!(d, attempt!(sanitizer.step(tile, (a as usize, reg!(a)), reg!(b), words)))
                }
                Op::Element { d, a, b, words, len } => {
                    set!(d, attempt!(element(reg!(a), reg!(b), words, len)))
                }
                Op::Unset { d, .. } => set!(d, sanitizer.no_value()),
                Op::CheckSet { a } => attempt!(sanitizer.check_value(reg!(a), tile, (frame.function, at))),
                Op::Copy { a, b, words } if guard.copies(reg!(a), reg!(b), words) => {
                    stop!(Ok(StopReason::Guarded))
                }
                Op::Copy { a, b, words } => attempt!(sanitizer.copy(memory, reg!(a), reg!(b), words)),
                Op::Frame { d, off } => set!(d, frame.address.wrapping_add(off)),
                Op::Call { f, base } => call!(f, base),
                Op::CallPtr { a, base } => call!(attempt!(pointed(tile, reg!(a))), base),
                Op::Ret => break None,
                Op::AddUJumpLtU(s) => looped!(s AddU LtU),
                Op::AddUJumpLeU(s) => looped!(s AddU LeU),
                Op::AddUJumpNe(s) => looped!(s AddU Ne),
                Op::AddUJumpEq(s) => looped!(s AddU Eq),
                Op::AddSJumpLtS(s) => looped!(s AddS LtS),
                Op::AddSJumpLeS(s) => looped!(s AddS LeS),
                Op::AddSJumpLtU(s) => looped!(s AddS LtU),
                Op::AddSJumpNe(s) => looped!(s AddS Ne),
                Op::SubUJumpLtU(s) => looped!(s SubU LtU),
                Op::SubUJumpLeU(s) => looped!(s SubU LeU),
                Op::SubUJumpNe(s) => looped!(s SubU Ne),
                Op::SubSJumpLtS(s) => looped!(s SubS LtS),
                Op::SubSJumpLeS(s) => looped!(s SubS LeS),
                Op::SubSJumpNe(s) => looped!(s SubS Ne),
                Op::AndJumpEq(s) => looped!(s And Eq),
                Op::AndJumpNe(s) => looped!(s And Ne),
                Op::NextJumpLtU(s) => next!(s u64),
                Op::NextJumpLtS(s) => next_signed!(s u64),
                Op::Next32JumpLtU(s) => next!(s u32),
                Op::Next16JumpLtU(s) => next!(s u16),
                Op::Next16JumpLtS(s) => next_signed!(s i16),
                Op::AddUAddUJumpLtU(s) => count!(s AddU AddU LtU),
                Op::AddUAddSJumpLtU(s) => count!(s AddU AddS LtU),
                Op::AddSAddSJumpLtS(s) => count!(s AddS AddS LtS),
                Op::AddSAddSJumpLtU(s) => count!(s AddS AddS LtU),
                Op::AddSAddUJumpLtU(s) => count!(s AddS AddU LtU),
                Op::FAddAddUJumpLtU(s) => count!(s FAdd AddU LtU),
                Op::FAddAddSJumpLtS(s) => count!(s FAdd AddS LtS),
                Op::FAddAddSJumpLtU(s) => count!(s FAdd AddS LtU),
                Op::AddUAddU(s) => chain!(s AddU AddU),
                Op::SubUAddU(s) => chain!(s SubU AddU),
                Op::MulUAddU(s) => chain!(s MulU AddU),
                Op::AndAddU(s) => chain!(s And AddU),
                Op::OrAddU(s) => chain!(s Or AddU),
                Op::XorAddU(s) => chain!(s Xor AddU),
                Op::ShlUAddU(s) => chain!(s ShlU AddU),
                Op::ShrUAddU(s) => chain!(s ShrU AddU),
                Op::AddUAnd(s) => chain!(s AddU And),
                Op::ShrUAnd(s) => chain!(s ShrU And),
                Op::ShlUXor(s) => chain!(s ShlU Xor),
                Op::ShrUXor(s) => chain!(s ShrU Xor),
                Op::MulUXor(s) => chain!(s MulU Xor),
                Op::AndXor(s) => chain!(s And Xor),
                Op::ShlUOr(s) => chain!(s ShlU Or),
                Op::AndOr(s) => chain!(s And Or),
                Op::AddSAddS(s) => chain!(s AddS AddS),
                Op::SubSAddS(s) => chain!(s SubS AddS),
                Op::MulSAddS(s) => chain!(s MulS AddS),
                Op::AddSSubS(s) => chain!(s AddS SubS),
                Op::MulSSubS(s) => chain!(s MulS SubS),
                Op::FAddFAdd(s) => chain!(s FAdd FAdd),
                Op::FAddFSub(s) => chain!(s FAdd FSub),
                Op::FAddFMul(s) => chain!(s FAdd FMul),
                Op::FSubFAdd(s) => chain!(s FSub FAdd),
                Op::FSubFSub(s) => chain!(s FSub FSub),
                Op::FSubFMul(s) => chain!(s FSub FMul),
                Op::FMulFAdd(s) => chain!(s FMul FAdd),
                Op::FMulFSub(s) => chain!(s FMul FSub),
                Op::FMulFMul(s) => chain!(s FMul FMul),
                Op::FMulFrom(s) => chain!(s FMul From),
                Op::FMulOnto(s) => chain!(s FMul Onto),
                Op::ProductsFAdd(s) => products!(s FAdd),
                Op::ProductsFSub(s) => products!(s FSub),
                Op::FMulFMulFAdd(s) => products_then!(s),
                Op::FLtJumpIf(s) => test!(s FLt true),
                Op::FLtJumpUnless(s) => test!(s FLt false),
                Op::FLeJumpIf(s) => test!(s FLe true),
                Op::FLeJumpUnless(s) => test!(s FLe false),
                Op::EqMovJumpIf(s) => short!(s Eq true),
                Op::EqMovJumpUnless(s) => short!(s Eq false),
                Op::NeMovJumpIf(s) => short!(s Ne true),
                Op::NeMovJumpUnless(s) => short!(s Ne false),
                Op::LtSMovJumpIf(s) => short!(s LtS true),
                Op::LtSMovJumpUnless(s) => short!(s LtS false),
                Op::LtUMovJumpIf(s) => short!(s LtU true),
                Op::LtUMovJumpUnless(s) => short!(s LtU false),
                Op::LeSMovJumpIf(s) => short!(s LeS true),
                Op::LeSMovJumpUnless(s) => short!(s LeS false),
                Op::LeUMovJumpIf(s) => short!(s LeU true),
                Op::LeUMovJumpUnless(s) => short!(s LeU false),
                Op::FLtMovJumpIf(s) => short!(s FLt true),
                Op::FLtMovJumpUnless(s) => short!(s FLt false),
                Op::FLeMovJumpIf(s) => short!(s FLe true),
                Op::FLeMovJumpUnless(s) => short!(s FLe false),
                Op::LoadElemJumpIf(s) => test_element!(s !=),
                Op::LoadElemJumpUnless(s) => test_element!(s ==),
                Op::LoadElemAddU(s) => loaded!(s AddU),
                Op::LoadElemAddS(s) => loaded!(s AddS),
                Op::LoadElemOnto(s) => float_element!(s Onto),
                Op::LoadElemFMul(s) => float_element!(s FMul),
                Op::AddULoadElem(s) => added_load!(s),
                Op::StoreElemAddU(s) => stored_add!(s),
                Op::AddUStoreElem(s) => stored!(s AddU),
                Op::AddSStoreElem(s) => stored!(s AddS),
                Op::FAddStoreElem(s) => float_stored!(s FAdd),
                Op::FMulStoreElem(s) => float_stored!(s FMul),
                Op::ElementLoad(s) => reg!(s.v) = follow!(stepped!(s step), s.kind),
                Op::ElementLoad32(s) => reg!(s.v) = follow!(stepped!(s step_words), Access::U32),
                Op::ElementLoadS32(s) => reg!(s.v) = follow!(stepped!(s step_words), Access::S32),
                Op::ElementLoadU16(s) => reg!(s.v) = follow!(stepped!(s step_words), Access::U16),
                Op::ElementLoadS16(s) => reg!(s.v) = follow!(stepped!(s step_words), Access::S16),
                Op::ElementLoadNormU(s) => element_widened!(s U16),
                Op::ElementLoadNormS(s) => element_widened!(s S16),
                Op::LoadElemNormU(s) => widened!(s U16),
                Op::LoadElemNormS(s) => widened!(s S16),
                Op::ElementStore(s) => put!(stepped!(s step), s.kind, reg!(s.v)),
                Op::ElementStore32(s) => put!(stepped!(s step_words), Access::U32, reg!(s.v)),
                Op::ElementStore16(s) => put!(stepped!(s step_words), Access::U16, reg!(s.v)),
                Op::AddUGlobal32(s) => global!(s AddU U32),
                Op::AddUGlobal16(s) => global!(s AddU U16),
                Op::AddSGlobal32(s) => global!(s AddS S32),
                Op::AddSGlobal16(s) => global!(s AddS S16),
                Op::SubUGlobal32(s) => global!(s SubU U32),
                Op::SubUGlobal16(s) => global!(s SubU U16),
                Op::SubSGlobal32(s) => global!(s SubS S32),
                Op::SubSGlobal16(s) => global!(s SubS S16),
                Op::FAddGlobal(s) => global!(s FAdd U32),
                Op::MovMov(s) => moves!(s),
                Op::MovRet(s) => moved_return!(s),
                Op::AddUMovCall(s) => moved_call!(s AddU),
                Op::AddSMovCall(s) => moved_call!(s AddS),
                Op::SubUMovCall(s) => moved_call!(s SubU),
                Op::SubSMovCall(s) => moved_call!(s SubS),
                Op::MulUAddULoad32(s) => r[s.v as usize] = read!(index!(s Access::U32), Access::U32),
                Op::MulUAddULoadElem(s) => r[s.v as usize] = read!(index!(s s.kind), s.kind),
                Op::MulUAddUStoreElem(s) => write!(index!(s s.kind), s.kind, r[s.v as usize]),
                Op::AddSOffsetLoad(s) => offset!(s AddS),
                Op::SubSOffsetLoad(s) => offset!(s SubS),
                Op::AddUOffsetLoad(s) => offset!(s AddU),
                Op::SubUOffsetLoad(s) => offset!(s SubU),
                Op::LoadElemJumpLtS(s) => judged_element!(s LtS),
                Op::LoadElemJumpLeS(s) => judged_element!(s LeS),
                Op::LoadElemJumpLtU(s) => judged_element!(s LtU),
                Op::LoadElemJumpLeU(s) => judged_element!(s LeU),
                Op::LoadElemJumpEq(s) => judged_element!(s Eq),
                Op::LoadElemJumpNe(s) => judged_element!(s Ne),
                Op::ElementElement(s) => elements!(s),
                Op::ElementElementLoad(s) => element_loaded!(s),
                Op::MemberLoad(s) => r[s.v as usize] = follow!(member!(s), s.kind),
                Op::MemberStore(s) => put!(member!(s), s.kind, r[s.v as usize]),
                Op::LoadLoad(s) => two_loads!(s),
                Op::LoadAddS(s) => field_loaded!(s AddS),
                Op::LoadAddU(s) => field_loaded!(s AddU),
                Op::LoadFAdd(s) => field_loaded!(s FAdd),
                Op::AddSStore(s) => field_stored!(s AddS),
                Op::AddUStore(s) => field_stored!(s AddU),
                Op::FAddStore(s) => field_stored!(s FAdd),
                Op::FrameLoad(s) => reg!(s.v) = follow!(framed!(s), s.kind),
                Op::FrameLoad32(s) => reg!(s.v) = follow!(framed!(s), Access::U32),
                Op::FrameLoadS32(s) => reg!(s.v) = follow!(framed!(s), Access::S32),
                Op::FrameLoadU16(s) => reg!(s.v) = follow!(framed!(s), Access::U16),
                Op::FrameLoadS16(s) => reg!(s.v) = follow!(framed!(s), Access::S16),
                Op::FrameStore(s) => put!(framed!(s), s.kind, reg!(s.v)),
                Op::FrameStore32(s) => put!(framed!(s), Access::U32, reg!(s.v)),
                Op::FrameStore16(s) => put!(framed!(s), Access::U16, reg!(s.v)),
                Op::EqJumpUnless(s) => test!(s Eq false),
                Op::NeJumpUnless(s) => test!(s Ne false),
                Op::LtSJumpUnless(s) => test!(s LtS false),
                Op::LtUJumpUnless(s) => test!(s LtU false),
                Op::LeSJumpUnless(s) => test!(s LeS false),
                Op::LeUJumpUnless(s) => test!(s LeU false),
                Op::HLtJumpIf(s) => test!(s HLt true),
                Op::HLtJumpUnless(s) => test!(s HLt false),
                Op::HMulHAdd(s) => half_chain!(s),
                Op::RemUJumpEq(s) => looped!(s RemU Eq),
                Op::RemUJumpNe(s) => looped!(s RemU Ne),
                Op::AddUJump(s) => arm!(s AddU),
                Op::AddSJump(s) => arm!(s AddS),
                Op::MovJump(s) => arm!(s Mov),
                Op::MovCall(s) => copied_call!(s),
                Op::MovMovCall(s) => moves_call!(s),
                Op::Switch { a, table } => {
                    let (comparisons, to) = ready.switches[usize::from(table)].find(reg!(a));
                    at += comparisons;
                    if let Some(to) = to {
                        go_to!(to)
                    }
                    continue;
                }
                Op::LoadElem32 { d, base, b, len } => set!(d, read!(place!(base b len U32), Access::U32)),
                Op::LoadElemU16 { d, base, b, len } => set!(d, read!(place!(base b len U16), Access::U16)),
                Op::LoadElemS16 { d, base, b, len } => set!(d, read!(place!(base b len S16), Access::S16)),
                Op::LoadElemS32 { d, base, b, len } => set!(d, read!(place!(base b len S32), Access::S32)),
                Op::LoadElem8 { d, base, b, len } => set!(d, read_byte!(memory, place!(base b len U8))),
                Op::StoreElem8 { s, base, b, len } => write_byte!(memory, place!(base b len U8), reg!(s)),
                Op::StoreElem32 { s, base, b, len } => write!(place!(base b len U32), Access::U32, reg!(s)),
                Op::StoreElem16 { s, base, b, len } => write!(place!(base b len U16), Access::U16, reg!(s)),
                Op::Load32 { d, a, off } => set!(d, follow!(behind!(a off), Access::U32)),
                Op::LoadU16 { d, a, off } => set!(d, follow!(behind!(a off), Access::U16)),
                Op::LoadS16 { d, a, off } => set!(d, follow!(behind!(a off), Access::S16)),
                Op::LoadS32 { d, a, off } => set!(d, follow!(behind!(a off), Access::S32)),
                Op::Store32 { s, a, off } => put!(behind!(a off), Access::U32, reg!(s)),
                Op::Store16 { s, a, off } => put!(behind!(a off), Access::U16, reg!(s)),
                Op::LoadAt32 { d, addr } => set!(d, read!(addr.into(), Access::U32)),
                Op::LoadAtS32 { d, addr } => set!(d, read!(addr.into(), Access::S32)),
                Op::LoadAtU16 { d, addr } => set!(d, read!(addr.into(), Access::U16)),
                Op::LoadAtS16 { d, addr } => set!(d, read!(addr.into(), Access::S16)),
                Op::StoreAt32 { s, addr } => write!(addr.into(), Access::U32, reg!(s)),
                Op::StoreAt16 { s, addr } => write!(addr.into(), Access::U16, reg!(s)),
                Op::Math { base } => math!(r[base]),
                Op::MathMovRet { base, d } => {
                    math!(r[base]);
                    reg!(d) = reg!(base);
                    at += 2;
                    break None;
                }
                Op::MovMovMov(s) => three_moves!(s),
                Op::Block { a } | Op::Unblock { a } | Op::Activate { a }
                    if left!() > due && tasks.set(*op, reg!(a)) => {}
                Op::Vector { n } => match plans.get(n as usize) {
                    Some(Some(line)) => {
                        let Some(cycles) = run_known(line, r, memory) else { hand_back!(*op) };
                        credit -= guard.took(frame.function, at, cycles, line.elements)
                    }
                    Some(None) | None => serve!(*op),
                },
                Op::EditDsd { a, .. } | Op::PutDsd { a, .. } if guard.changes_dsd(reg!(a)) => {
                    stop!(Ok(StopReason::Guarded))
                }
                Op::EditDsd { .. } | Op::PutDsd { .. } => serve!(*op),
                Op::LoadDsr { .. } | Op::SetDsrBase { .. } => serve!(*op),
                Op::MapNext { base, done, .. } => match maps.last_mut() {
                    Some(map) if map.takes() => {
                        let lanes = map.has_lanes() && guard.allows_lanes();
                        credit -= if lanes { map.take_blocks((memory, guard), r, left!()) } else { 0 };
                        jump!(done if !map.take(memory, r, base))
                    }
                    Some(_) | None => hand_back!(*op),
                },
                Op::MapPut { s, .. } => match maps.last() {
                    Some(map) if map.takes() && map.put(memory, reg!(s)) => {}
                    Some(_) | None => hand_back!(*op),
                },
                // The rare operations are listed by name: a wildcard arm would add a comparison to each dispatch.
                rare!() => {
                    if !attempt!(arithmetic::step(r, op)) {
                        hand_back!(*op)
                    }
                }
            }
            // An arm that leaves the loop does not get here, so the counter still points at its operation.
            at += 1;
        };
        guard.ran(frame.function, first, at + 1);
        left = credit - i64::from(after[at]);
        if let Some((f, base)) = called {
            frame.pc = at + 1;
            let function = all.function(f);
            if let Err(diag) = calls.enter(tile, (f, function.frame_words), base) {
                meter.leave(left);
                return Err(diag);
            }
            begins = Some(function);
            guard.entered(calls);
        } else {
            sanitizer.leave(frame.address.into(), frame.end, frame.function);
            calls.leave();
        }
    }
}
