//! The fast loop: scalar code and calls, on registers and the memory.
//!
//! It knows no PE. What it cannot do itself (tasks, most vectors, requests) it hands back as an [`Exit`].

use super::arithmetic::{self, amount, signed, unsigned};
use super::at_once::run_known;
use super::calls::Calls;
use super::guard::Guard;
use super::memory::{log_words, out_of_array};
use super::vector::LAUNCH;
use crate::diagnostics::Complaint;
use crate::image::TileImage;
use crate::image::code::{ADDRESS_ONLY, Access, FnId, IN_VARIABLE, Op};
use crate::image::lines::LineOp;

/// Cycles of a call beyond its operations (estimate).
const CALL: i64 = 2;

/// Why the loop stopped. The innermost call knows the operation that is next.
pub(super) enum Exit {
    /// An operation for the PE is next.
    Service(Op),
    /// All calls have returned.
    End,
    /// The cycles are used up.
    Pause,
}

/// Cycles used and cycles allowed.
pub(super) struct Meter {
    /// Since the start of the turn.
    pub spent: u64,
    /// Looked at only where code may loop.
    pub budget: u64,
}

/// What does not change while the loop runs.
#[derive(Copy, Clone)]
pub(super) struct Code<'a> {
    pub tile: &'a TileImage,
    /// The vector operations that the loop does itself.
    pub lines: &'a [Option<LineOp>],
}

/// Goes on with the innermost call. After a complaint, that call still points at the culprit.
pub(super) fn run(
    code: Code<'_>,
    calls: &mut Calls,
    memory: &mut [u16],
    guard: &mut Guard,
    meter: &mut Meter,
) -> Result<Exit, Complaint> {
    let mut left = meter.budget as i64 - meter.spent as i64;
    let exit = match guard.watch {
        None => run_calls::<false>(code, calls, memory, guard, &mut left),
        Some(_) => run_watched(code, calls, memory, guard, &mut left),
    };
    meter.spent = (meter.budget as i64 - left) as u64;
    exit
}

/// The same while somebody wants to know which words are touched.
#[inline(never)]
fn run_watched(
    code: Code<'_>,
    calls: &mut Calls,
    memory: &mut [u16],
    guard: &mut Guard,
    budget: &mut i64,
) -> Result<Exit, Complaint> {
    run_calls::<true>(code, calls, memory, guard, budget)
}

/// One `match` with an arm for each frequent operation: every further one would be a second
/// indirect jump for each operation that is executed. Calls and returns stay in here, too, because
/// to leave and come back costs more than a call itself. `left` are the cycles until the pause.
fn run_calls<const WATCHED: bool>(
    Code { tile, lines }: Code<'_>,
    calls: &mut Calls,
    memory: &mut [u16],
    guard: &mut Guard,
    budget: &mut i64,
) -> Result<Exit, Complaint> {
    let mut left = *budget;
    'call: loop {
        let (frame, r) = calls.innermost();
        let code = &tile.functions[frame.function.0 as usize].code[..];
        let mut at = frame.pc;
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
                frame.pc = at;
                left -= CALL;
                if let Err(complaint) = calls.enter(tile, f, base) {
                    calls.last_mut().pc -= 1;
                    *budget = left;
                    return Err(complaint);
                }
                continue 'call;
            }};
        }
        macro_rules! hand_back {
            ($op:expr) => {{
                (at, left) = (at - 1, left + 1);
                stop!(Ok(Exit::Service(*$op)))
            }};
        }
        macro_rules! attempt {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(complaint) => {
                        (at, left) = (at - 1, left + 1);
                        stop!(Err(complaint))
                    }
                }
            };
        }
        macro_rules! jump {
            ($to:ident if $condition:expr) => {
                if $condition {
                    at = $to as usize;
                    // Every loop jumps, so it is enough to look at the meter here.
                    if left <= 0 {
                        stop!(Ok(Exit::Pause))
                    }
                }
            };
        }
        macro_rules! float {
        ($d:ident = $a:ident $op:tt $b:ident) => {
            set!($d, (single(get!($a)) $op single(get!($b))).to_bits())
        };
    }
        loop {
            let op = &code[at];
            at += 1;
            left -= 1;
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
                    set!(d, attempt!(guard.load(memory, at, kind, frame.end)));
                }
                Op::Store { s, a, off, kind } => {
                    let at = get!(a) as usize + usize::from(off);
                    attempt!(guard.store(tile, memory, (at, kind), get!(s), frame.end));
                }
                Op::LoadAt { d, addr, kind } => {
                    set!(d, attempt!(guard.load_global::<WATCHED>(memory, addr.into(), kind)))
                }
                Op::StoreAt { s, addr, kind } => {
                    attempt!(guard.store_global::<WATCHED>(memory, addr.into(), kind, get!(s)));
                }
                Op::LoadElem { d, base, b, len, kind } => {
                    let at = attempt!(element_of(base, get!(b), kind, len));
                    set!(d, attempt!(guard.load_global::<WATCHED>(memory, at, kind)));
                }
                Op::StoreElem { s, base, b, len, kind } => {
                    let at = attempt!(element_of(base, get!(b), kind, len));
                    attempt!(guard.store_global::<WATCHED>(memory, at, kind, get!(s)));
                }
                Op::Element { d, a, b, words, len: IN_VARIABLE } => {
                    set!(d, attempt!(guard.step(tile, get!(a), get!(b), words)));
                }
                Op::Element { d, a, b, words, len } => {
                    set!(d, attempt!(element(get!(a), get!(b), words, len)));
                }
                // The checks take no time, so that a program runs alike with and without them.
                Op::Unset { d, .. } => {
                    left += 1;
                    set!(d, guard.no_value());
                }
                Op::CheckSet { a } => {
                    attempt!(guard.check_value(get!(a), tile, (frame.function, at - 1)));
                    left += 1;
                }
                Op::Frame { d, off } => set!(d, frame.address.wrapping_add(off)),
                Op::Call { f, base } => call!(f, base),
                Op::CallPtr { a, base } => call!(FnId(get!(a) as u32), base),
                Op::Ret => {
                    guard.leave(frame.address.into(), frame.end, frame.function);
                    calls.leave();
                    if calls.is_empty() {
                        *budget = left;
                        return Ok(Exit::End);
                    }
                    continue 'call;
                }
                Op::Vector { n } => match lines.get(n as usize) {
                    Some(Some(line)) => match run_known(line, r, memory) {
                        Some(cycles) => left -= LAUNCH as i64 + i64::from(cycles) - 1,
                        None => hand_back!(op),
                    },
                    Some(None) | None => hand_back!(op),
                },
                _ => {
                    if !attempt!(arithmetic::step(r, op)) {
                        hand_back!(op)
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

#[inline(always)]
fn element_of(base: u16, index: u64, kind: Access, len: u16) -> Result<usize, Complaint> {
    if index >= u64::from(len) {
        return Err(out_of_array(index, len.into()));
    }
    Ok(usize::from(base) + ((index as usize) << log_words(kind)))
}

#[inline(always)]
fn element(base: u64, index: u64, words: u16, len: u32) -> Result<usize, Complaint> {
    if index >= u64::from(len) && len != ADDRESS_ONLY {
        return Err(out_of_array(index, len));
    }
    // An index of a pointer to many may be negative; addresses have 16 bits.
    Ok((base.wrapping_add(index.wrapping_mul(words.into())) & 0xffff) as usize)
}
