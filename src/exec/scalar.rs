//! The fast loop: scalar code and calls, on registers and the memory.
//!
//! It does not know the PE. Operations that it cannot execute itself (tasks, most vectors, intrinsics) it
//! hands back as a [`StopReason`].

use super::arithmetic::{self, amount};
use super::calls::Calls;
use super::convert::{signed, unsigned};
use super::cycles::CALL;
use super::interface::{Code, Meter, StopReason};
use super::memory::{copy_cycles, element, element_of, load, store};
use super::parts::{holds, single, value};
use super::sanitizer::Sanitizer;
use super::vector::LAUNCH;
use super::vector::map::MapIterations;
use super::vector::memory::run_known;
use crate::diagnostics::Diag;
use crate::image::code::{FnId, IN_VARIABLE, Op};

/// Continues the innermost call. After a diagnostic, that call still points at the operation that caused it.
/// `maps` are the iterations of the `@map`s that have not ended, outermost first.
pub(crate) fn run(
    code: Code<'_>,
    calls: &mut Calls,
    maps: &mut [MapIterations],
    memory: &mut [u16],
    sanitizer: &mut Sanitizer,
    meter: &mut Meter,
) -> Result<StopReason, Diag> {
    let mut left = meter.budget as i64 - meter.spent as i64;
    let exit = run_calls(code, calls, maps, memory, sanitizer, &mut left);
    meter.spent = (meter.budget as i64 - left) as u64;
    exit
}

/// One `match` with an arm for each frequent operation: a second `match` would add another indirect jump to
/// every executed operation. Calls and returns are also handled here, because leaving and re-entering the
/// loop costs more than the call itself. `left` is the rest of the cycle budget.
fn run_calls(
    all: Code<'_>,
    calls: &mut Calls,
    maps: &mut [MapIterations],
    memory: &mut [u16],
    sanitizer: &mut Sanitizer,
    budget: &mut i64,
) -> Result<StopReason, Diag> {
    let (Code { tile, plans, .. }, mut left) = (all, *budget);
    let mut ready = all.function(calls.last_mut().function);
    'call: loop {
        let (frame, r) = calls.innermost();
        let mut at = frame.pc;
        let code = &ready.code[..];
        macro_rules! get {
            ($a:ident) => {
                r[$a as usize]
            };
        }
        macro_rules! set {
            ($d:ident, $value:expr) => {{
                let value = $value;
                r[$d as usize] = value as u64;
            }};
        }
        macro_rules! stop {
            ($exit:expr) => {{
                frame.pc = at;
                *budget = left;
                return $exit;
            }};
        }
        macro_rules! call {
            ($f:expr, $base:expr) => {{
                let (f, base) = ($f, $base);
                frame.pc = at + 1;
                left -= 1 + CALL;
                ready = all.function(f);
                if let Err(diag) = calls.enter(tile, (f, ready), base) {
                    calls.last_mut().pc -= 1;
                    *budget = left;
                    return Err(diag);
                }
                continue 'call;
            }};
        }
        macro_rules! hand_back {
            ($op:expr) => {{ stop!(Ok(StopReason::Service(*$op))) }};
        }
        macro_rules! attempt {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(diag) => stop!(Err(diag)),
                }
            };
        }
        macro_rules! jump {
            ($to:ident if $condition:expr) => {
                if $condition {
                    (at, left) = ($to as usize, left - 1);
                    // Every loop contains a jump, so checking the budget at jumps is enough.
                    if left <= 0 {
                        stop!(Ok(StopReason::Pause))
                    }
                    continue;
                }
            };
        }
        macro_rules! float {
            ($d:ident = $a:ident $op:tt $b:ident) => {
                set!($d, (single(get!($a)) $op single(get!($b))).to_bits())
            };
        }
        // Moves on to the next part of a superinstruction.
        macro_rules! then {
            () => {
                (at, left) = (at + 1, left - 1)
            };
        }
        macro_rules! looped {
            ($s:ident $step:ident $cmp:ident) => {{
                r[$s.d as usize] = value!($step r[$s.a as usize], r[$s.b as usize], $s.sh);
                then!();
                let to = $s.to;
                jump!(to if holds!($cmp r[$s.x as usize], r[$s.y as usize]))
            }};
        }
        macro_rules! count {
            ($s:ident $add:ident $step:ident $cmp:ident) => {{
                r[$s.d as usize] = value!($add r[$s.d as usize], r[$s.c as usize], $s.sh);
                let i = value!($step r[$s.i as usize], r[$s.k as usize], $s.step_sh);
                r[$s.i as usize] = i;
                then!();
                then!();
                let to = $s.to;
                jump!(to if holds!($cmp i, r[$s.n as usize]))
            }};
        }
        macro_rules! chain {
            ($s:ident $first:ident $second:ident) => {{
                let value = value!($first r[$s.a as usize], r[$s.b as usize], $s.sh);
                r[$s.d as usize] = value;
                then!();
                r[$s.e as usize] = value!($second value, r[$s.c as usize], $s.then_sh);
            }};
        }
        macro_rules! products {
            ($s:ident $last:ident) => {{
                let one = value!(FMul r[$s.a as usize], r[$s.b as usize], 0);
                r[$s.d as usize] = one;
                let two = value!(FMul r[$s.c as usize], r[$s.g as usize], 0);
                r[$s.e as usize] = two;
                then!();
                then!();
                // Both products may have the same destination register.
                r[$s.f as usize] = value!($last r[$s.d as usize], two, 0);
            }};
        }
        macro_rules! test {
            ($s:ident $cmp:ident $when:expr) => {{
                let flag = holds!($cmp r[$s.a as usize], r[$s.b as usize]);
                r[$s.d as usize] = flag.into();
                then!();
                let to = $s.to;
                jump!(to if flag == $when)
            }};
        }
        macro_rules! short {
            ($s:ident $cmp:ident $when:expr) => {{
                let flag = holds!($cmp r[$s.a as usize], r[$s.b as usize]);
                r[$s.d as usize] = flag.into();
                r[$s.e as usize] = flag.into();
                then!();
                then!();
                let to = $s.to;
                jump!(to if flag == $when)
            }};
        }
        macro_rules! load_element {
            ($s:ident) => {{
                let at = attempt!(element_of($s.base, r[$s.i as usize], $s.kind, $s.len));
                let value = attempt!(load(memory, at, $s.kind));
                r[$s.d as usize] = value;
                value
            }};
        }
        macro_rules! test_element {
            ($s:ident $cmp:tt) => {{
                let value = load_element!($s);
                then!();
                let to = $s.to;
                jump!(to if value $cmp 0)
            }};
        }
        macro_rules! store_element {
            ($s:ident) => {{
                let at = attempt!(element_of($s.base, r[$s.i as usize], $s.kind, $s.len));
                attempt!(store(memory, at, $s.kind, r[$s.d as usize]));
            }};
        }
        macro_rules! loaded {
            ($s:ident $op:ident) => {{
                let value = load_element!($s);
                then!();
                r[$s.e as usize] = value!($op value, r[$s.c as usize], $s.sh);
            }};
        }
        macro_rules! stored {
            ($s:ident $op:ident) => {{
                r[$s.d as usize] = value!($op r[$s.e as usize], r[$s.c as usize], $s.sh);
                then!();
                store_element!($s);
            }};
        }
        macro_rules! global {
            ($s:ident $op:ident) => {{
                let value = attempt!(load(memory, $s.addr.into(), $s.kind));
                r[$s.d as usize] = value;
                then!();
                let value = value!($op value, r[$s.c as usize], $s.sh);
                r[$s.e as usize] = value;
                then!();
                attempt!(store(memory, $s.addr.into(), $s.kind, value));
            }};
        }
        macro_rules! ret {
            () => {{
                left -= 1;
                sanitizer.leave(frame.address.into(), frame.end, frame.function);
                calls.leave();
                let Some(caller) = calls.last() else {
                    *budget = left;
                    return Ok(StopReason::End);
                };
                ready = all.function(caller.function);
                continue 'call;
            }};
        }
        macro_rules! moved_call {
            ($s:ident $op:ident) => {{
                let value = value!($op r[$s.a as usize], r[$s.b as usize], $s.sh);
                r[$s.d as usize] = value;
                r[$s.base as usize] = value;
                then!();
                then!();
                call!(FnId($s.f.into()), $s.base)
            }};
        }
        loop {
            let op = &code[at];
            match *op {
                Op::Mov { d, a } => set!(d, get!(a)),
                Op::AddS { d, a, b, sh } => set!(d, signed(get!(a).wrapping_add(get!(b)), sh)),
                Op::AddU { d, a, b, sh } => set!(d, unsigned(get!(a).wrapping_add(get!(b)), sh)),
                Op::SubS { d, a, b, sh } => set!(d, signed(get!(a).wrapping_sub(get!(b)), sh)),
                Op::SubU { d, a, b, sh } => set!(d, unsigned(get!(a).wrapping_sub(get!(b)), sh)),
                Op::MulS { d, a, b, sh } => set!(d, signed(get!(a).wrapping_mul(get!(b)), sh)),
                Op::MulU { d, a, b, sh } => set!(d, unsigned(get!(a).wrapping_mul(get!(b)), sh)),
                Op::ShlS { d, a, b, sh } => set!(d, signed(get!(a) << attempt!(amount(get!(b), sh)), sh)),
                Op::ShlU { d, a, b, sh } => set!(d, unsigned(get!(a) << attempt!(amount(get!(b), sh)), sh)),
                Op::ShrS { d, a, b, sh } => set!(d, get!(a) as i64 >> attempt!(amount(get!(b), sh))),
                Op::ShrU { d, a, b, sh } => set!(d, get!(a) >> attempt!(amount(get!(b), sh))),
                Op::And { d, a, b } => set!(d, get!(a) & get!(b)),
                Op::Or { d, a, b } => set!(d, get!(a) | get!(b)),
                Op::Xor { d, a, b } => set!(d, get!(a) ^ get!(b)),
                Op::Not { d, a } => set!(d, get!(a) ^ 1),
                Op::NormS { d, a, sh } => set!(d, signed(get!(a), sh)),
                Op::NormU { d, a, sh } => set!(d, unsigned(get!(a), sh)),
                Op::Eq { d, a, b } => set!(d, get!(a) == get!(b)),
                Op::Ne { d, a, b } => set!(d, get!(a) != get!(b)),
                Op::LtS { d, a, b } => set!(d, (get!(a) as i64) < get!(b) as i64),
                Op::LtU { d, a, b } => set!(d, get!(a) < get!(b)),
                Op::LeS { d, a, b } => set!(d, get!(a) as i64 <= get!(b) as i64),
                Op::LeU { d, a, b } => set!(d, get!(a) <= get!(b)),
                Op::FAdd { d, a, b } => float!(d = a + b),
                Op::FSub { d, a, b } => float!(d = a - b),
                Op::FMul { d, a, b } => float!(d = a * b),
                Op::FDiv { d, a, b } => float!(d = a / b),
                Op::FLt { d, a, b } => set!(d, single(get!(a)) < single(get!(b))),
                Op::FLe { d, a, b } => set!(d, single(get!(a)) <= single(get!(b))),
                Op::Jump { to } => jump!(to if true),
                Op::JumpIf { a, to } => jump!(to if get!(a) != 0),
                Op::JumpUnless { a, to } => jump!(to if get!(a) == 0),
                Op::JumpEq { a, b, to } => jump!(to if get!(a) == get!(b)),
                Op::JumpNe { a, b, to } => jump!(to if get!(a) != get!(b)),
                Op::JumpLtS { a, b, to } => jump!(to if (get!(a) as i64) < get!(b) as i64),
                Op::JumpLtU { a, b, to } => jump!(to if get!(a) < get!(b)),
                Op::JumpLeS { a, b, to } => jump!(to if get!(a) as i64 <= get!(b) as i64),
                Op::JumpLeU { a, b, to } => jump!(to if get!(a) <= get!(b)),
                Op::Load { d, a, off, kind } => {
                    let at = get!(a) as usize + usize::from(off);
                    set!(d, attempt!(sanitizer.load(memory, at, kind, frame.end)));
                }
                Op::Store { s, a, off, kind } => {
                    let at = get!(a) as usize + usize::from(off);
                    attempt!(sanitizer.store(tile, memory, (at, kind), get!(s), frame.end));
                }
                Op::LoadAt { d, addr, kind } => {
                    set!(d, attempt!(load(memory, addr.into(), kind)))
                }
                Op::StoreAt { s, addr, kind } => {
                    attempt!(store(memory, addr.into(), kind, get!(s)));
                }
                Op::LoadElem { d, base, b, len, kind } => {
                    let at = attempt!(element_of(base, get!(b), kind, len));
                    set!(d, attempt!(load(memory, at, kind)));
                }
                Op::StoreElem { s, base, b, len, kind } => {
                    let at = attempt!(element_of(base, get!(b), kind, len));
                    attempt!(store(memory, at, kind, get!(s)));
                }
                Op::Element { d, a, b, words, len: IN_VARIABLE } => {
                    set!(d, attempt!(sanitizer.step(tile, get!(a), get!(b), words)));
                }
                Op::Element { d, a, b, words, len } => {
                    set!(d, attempt!(element(get!(a), get!(b), words, len)));
                }
                // Checks take no cycles, so that the timing of a program is the same with and without them.
                Op::Unset { d, .. } => {
                    left += 1;
                    set!(d, sanitizer.no_value());
                }
                Op::CheckSet { a } => {
                    attempt!(sanitizer.check_value(get!(a), tile, (frame.function, at)));
                    left += 1;
                }
                Op::Copy { a, b, words } => {
                    attempt!(sanitizer.copy(memory, get!(a), get!(b), words));
                    left -= copy_cycles(words) - 1
                }
                Op::Frame { d, off } => set!(d, frame.address.wrapping_add(off)),
                Op::Call { f, base } => call!(f, base),
                Op::CallPtr { a, base } => call!(FnId(get!(a) as u32), base),
                Op::Ret => ret!(),
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
                Op::FMulFMulFAdd(s) => {
                    let one = value!(FMul r[s.a as usize], r[s.b as usize], 0);
                    r[s.d as usize] = one;
                    let two = value!(FMul one, r[s.c as usize], 0);
                    r[s.e as usize] = two;
                    then!();
                    then!();
                    r[s.f as usize] = value!(FAdd two, r[s.g as usize], 0);
                }
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
                Op::LoadElemOnto(s) => loaded!(s Onto),
                Op::LoadElemFMul(s) => loaded!(s FMul),
                Op::AddULoadElem(s) => {
                    r[s.e as usize] = value!(AddU r[s.e as usize], r[s.c as usize], s.sh);
                    then!();
                    load_element!(s);
                }
                Op::StoreElemAddU(s) => {
                    store_element!(s);
                    then!();
                    r[s.e as usize] = value!(AddU r[s.e as usize], r[s.c as usize], s.sh);
                }
                Op::AddUStoreElem(s) => stored!(s AddU),
                Op::AddSStoreElem(s) => stored!(s AddS),
                Op::FAddStoreElem(s) => stored!(s FAdd),
                Op::FMulStoreElem(s) => stored!(s FMul),
                Op::ElementLoad(s) => {
                    let to = attempt!(sanitizer.step(tile, r[s.a as usize], r[s.b as usize], s.words));
                    r[s.d as usize] = to;
                    then!();
                    let at = to as usize + usize::from(s.off);
                    r[s.v as usize] = attempt!(sanitizer.load(memory, at, s.kind, frame.end));
                }
                Op::ElementStore(s) => {
                    let to = attempt!(sanitizer.step(tile, r[s.a as usize], r[s.b as usize], s.words));
                    r[s.d as usize] = to;
                    then!();
                    let at = to as usize + usize::from(s.off);
                    attempt!(sanitizer.store(tile, memory, (at, s.kind), r[s.v as usize], frame.end));
                }
                Op::AddUGlobal(s) => global!(s AddU),
                Op::AddSGlobal(s) => global!(s AddS),
                Op::SubUGlobal(s) => global!(s SubU),
                Op::SubSGlobal(s) => global!(s SubS),
                Op::FAddGlobal(s) => global!(s FAdd),
                Op::MovMov(s) => {
                    r[s.d as usize] = r[s.a as usize];
                    then!();
                    r[s.e as usize] = r[s.b as usize];
                }
                Op::MovRet(s) => {
                    r[s.d as usize] = r[s.a as usize];
                    left -= 1;
                    ret!()
                }
                Op::AddUMovCall(s) => moved_call!(s AddU),
                Op::AddSMovCall(s) => moved_call!(s AddS),
                Op::SubUMovCall(s) => moved_call!(s SubU),
                Op::SubSMovCall(s) => moved_call!(s SubS),
                Op::Vector { n } => {
                    let Some(Some(line)) = plans.get(n as usize) else { hand_back!(op) };
                    let Some(cycles) = run_known(line, r, memory) else { hand_back!(op) };
                    left -= LAUNCH as i64 + i64::from(cycles) - 1
                }
                Op::MapNext { base, done, .. } => match maps.last_mut() {
                    Some(walk) if walk.takes() => {
                        left -= if walk.has_lanes() { walk.take_blocks(memory, r, left) } else { 0 };
                        jump!(done if !walk.take(memory, r, base))
                    }
                    Some(_) | None => hand_back!(op),
                },
                Op::MapPut { s, .. } => match maps.last() {
                    Some(walk) if walk.takes() && walk.put(memory, get!(s)) => {}
                    Some(_) | None => hand_back!(op),
                },
                _ => {
                    if !attempt!(arithmetic::step(r, op)) {
                        hand_back!(op)
                    }
                }
            }
            // An arm that leaves the loop does not get here, so the counter still points at its operation.
            (at, left) = (at + 1, left - 1);
        }
    }
}
