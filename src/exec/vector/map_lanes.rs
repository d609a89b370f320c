//! Runs the iterations of an `@map` for many elements at a time: each step of the iteration is done for all of them
//! before the next step.

use super::map_code::{Action, GROUP, LANES, Lane, LaneCode, LaneOp, LaneStep, Lanes};
use super::map_scans::Scan;
use crate::dsd::widest;
use crate::exec::arithmetic::{amount, dividend};
use crate::exec::convert::{convert, signed, unsigned};
use crate::exec::guard::Guard;
use crate::exec::memory::{element_of, load, store};
use crate::exec::sanitizer::NO_VALUE;
use crate::image::code::Op;
use crate::value::f16;
use crate::value::math::{self, MathFunction};
use std::sync::Arc;

/// The state of an `@map` that runs on lanes.
#[derive(Clone, Debug)]
pub(crate) struct LaneRun {
    pub code: Arc<LaneCode>,
    lanes: Box<[Lanes]>,
    /// The steps that each need what the element before has written, if they are such globals.
    scans: Option<Vec<Scan>>,
    /// For each step the elements that come to it by a jump; after it, those that it was done for.
    arrivals: Vec<u64>,
    /// For a profile: how often each step was done since that was last told; of straight steps one number.
    times: Vec<u32>,
    /// The words that the steps write, as they were before the block.
    before: Vec<u16>,
    /// What a variable without a value holds.
    no_value: u64,
}

/// The elements that a step is done for.
#[derive(Copy, Clone)]
struct Active {
    mask: u64,
    /// The other elements may be computed as well, because nobody looks at them.
    all: bool,
}

impl LaneRun {
    pub fn new(code: Arc<LaneCode>, no_value: u64) -> LaneRun {
        let lanes = vec![[[0; GROUP]; LANES / GROUP]; code.lanes.into()].into_boxed_slice();
        let arrivals = vec![0; if code.branches { code.steps.len() + 1 } else { 0 }];
        let scans = Scan::all(&code.steps[code.serial.clone()]);
        LaneRun { code, lanes, scans, arrivals, times: Vec::new(), before: Vec::new(), no_value }
    }

    /// Counts the steps that have just been done for `count` elements.
    pub fn count(&mut self, count: usize) {
        self.times.resize(self.arrivals.len().max(1), 0);
        if self.arrivals.is_empty() {
            self.times[0] += count as u32;
        }
        self.times.iter_mut().zip(&self.arrivals).for_each(|(times, done)| *times += done.count_ones());
    }

    /// Tells what was counted, as the scalar loop would: straight code as one piece.
    pub fn tell<G: Guard>(&mut self, guard: &mut G) {
        if self.times.is_empty() {
            return;
        }
        let times = |op: &LaneOp| self.times[if self.code.branches { op.step } else { 0 }];
        let is_next = |op: &LaneOp, next: &LaneOp| {
            (op.function, op.at + 1) == (next.function, next.at) && times(op) == times(next)
        };
        for piece in self.code.ops.chunk_by(is_next).filter(|piece| times(&piece[0]) > 0) {
            let (first, last) = (piece[0], piece[piece.len() - 1]);
            guard.ran_often(first.function, first.at, last.at + 1, times(&first));
        }
        self.times.clear();
    }

    /// A row of lanes.
    pub fn row(&mut self, lane: Lane) -> &mut Lanes {
        &mut self.lanes[usize::from(lane)]
    }

    /// Does the steps for `count` elements; returns their cycles. `None` if an element has to stop somewhere: then
    /// nothing has changed.
    pub fn run(&mut self, memory: &mut [u16], count: usize) -> Option<i64> {
        let mask = u64::MAX >> (LANES - count);
        if self.code.branches {
            self.run_branches(memory, mask)
        } else {
            self.run_straight(memory, mask, count)
        }
    }

    fn run_straight(&mut self, memory: &mut [u16], mask: u64, count: usize) -> Option<i64> {
        let code = Arc::clone(&self.code);
        let (before, after) = (&code.steps[..code.serial.start], &code.steps[code.serial.end..]);
        let all = Active { mask, all: true };
        for step in before {
            self.step(memory, step, all)?;
        }
        if code.serial.is_empty() && after.is_empty() {
            return Some(code.most_cycles * count as i64);
        }
        self.before.clear();
        for words in &code.stores {
            self.before.extend_from_slice(memory.get(words.clone())?);
        }
        let done = self.run_serial(memory, &code.steps[code.serial.clone()], count);
        let done = done.and_then(|()| after.iter().try_for_each(|step| self.step(memory, step, all)));
        if done.is_none() {
            let mut saved = &self.before[..];
            for words in &code.stores {
                let (these, others) = saved.split_at(words.len());
                memory[words.clone()].copy_from_slice(these);
                saved = others;
            }
        }
        done.map(|()| code.most_cycles * count as i64)
    }

    fn run_serial(&mut self, memory: &mut [u16], steps: &[LaneStep], count: usize) -> Option<()> {
        if let Some(scans) = &self.scans {
            return scans.iter().try_for_each(|scan| scan.run(memory, &mut self.lanes, count));
        }
        let active = Active { mask: 1, all: false };
        let mut block = LaneBlock { lanes: &mut self.lanes, memory, active, no_value: self.no_value };
        for k in 0..count {
            block.active.mask = 1 << k;
            for step in steps {
                if !block.one(&step.action, k)? {
                    block.step(&step.action)?;
                }
            }
        }
        Some(())
    }

    fn run_branches(&mut self, memory: &mut [u16], full: u64) -> Option<i64> {
        let code = Arc::clone(&self.code);
        self.arrivals.fill(0);
        let (mut mask, mut cycles) = (full, 0);
        for (at, step) in code.steps.iter().enumerate() {
            mask |= self.arrivals[at];
            self.arrivals[at] = mask;
            if mask == 0 {
                continue;
            }
            cycles += step.cycles * i64::from(mask.count_ones());
            let target = match step.action {
                Action::Run(op) => {
                    let mut jump = op;
                    jump.target_mut().map(|to| (op, *to as usize))
                }
                Action::Pass => continue,
                Action::Constant { .. } | Action::Math { .. } | Action::Leave => None,
            };
            match target {
                Some((op, to)) => {
                    let taken = self.taken(&op, mask);
                    self.arrivals[to] |= taken;
                    mask &= !taken;
                }
                None => self.step(memory, step, Active { mask, all: mask == full })?,
            }
        }
        Some(cycles)
    }

    fn step(&mut self, memory: &mut [u16], step: &LaneStep, active: Active) -> Option<()> {
        let mut done = None;
        let mut block = LaneBlock { lanes: &mut self.lanes, memory, active, no_value: self.no_value };
        widest(
            #[inline(always)]
            || done = block.step(&step.action),
        );
        done
    }

    /// The elements of `mask` that jump.
    fn taken(&self, op: &Op, mask: u64) -> u64 {
        let holds = |test: &dyn Fn(usize) -> bool| {
            let mut taken = 0;
            each_lane(mask, |k| taken |= u64::from(test(k)) << k);
            taken
        };
        let get = |lane: Lane, k: usize| self.lanes[usize::from(lane)][k / GROUP][k % GROUP];
        match *op {
            Op::JumpIf { a, .. } => holds(&|k| get(a, k) != 0),
            Op::JumpUnless { a, .. } => holds(&|k| get(a, k) == 0),
            Op::JumpEq { a, b, .. } => holds(&|k| get(a, k) == get(b, k)),
            Op::JumpNe { a, b, .. } => holds(&|k| get(a, k) != get(b, k)),
            Op::JumpLtS { a, b, .. } => holds(&|k| (get(a, k) as i64) < get(b, k) as i64),
            Op::JumpLtU { a, b, .. } => holds(&|k| get(a, k) < get(b, k)),
            Op::JumpLeS { a, b, .. } => holds(&|k| get(a, k) as i64 <= get(b, k) as i64),
            Op::JumpLeU { a, b, .. } => holds(&|k| get(a, k) <= get(b, k)),
            _ => mask,
        }
    }
}

/// Calls `each` for every bit that is set.
#[inline(always)]
fn each_lane(mut mask: u64, mut each: impl FnMut(usize)) {
    while mask != 0 {
        each(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}

#[inline(always)]
fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// Angles from here on are left to the PE, which has something to say about them.
const LARGE_ANGLE: f32 = 50_000.0;

/// What a step works on.
struct LaneBlock<'a> {
    lanes: &'a mut [Lanes],
    memory: &'a mut [u16],
    active: Active,
    no_value: u64,
}

impl LaneBlock<'_> {
    /// One step for the active elements; `None` if one of them has to stop.
    #[inline(always)]
    fn step(&mut self, action: &Action) -> Option<()> {
        match *action {
            Action::Run(ref op) => {
                let done = self.access(op)? || self.integer(op) || self.float(op) || self.partial(op)?;
                assert!(done, "lanes do nothing else");
            }
            Action::Constant { d, value } => self.each(d, d, |_| value),
            Action::Math { is_half, d, function, x, y } => self.math(is_half, d, function, (x, y))?,
            Action::Pass => {}
            Action::Leave => return None,
        }
        Some(())
    }

    #[inline(always)]
    fn get(&self, lane: Lane, k: usize) -> u64 {
        self.lanes[usize::from(lane)][k / GROUP][k % GROUP]
    }

    #[inline(always)]
    fn set(&mut self, lane: Lane, k: usize, value: u64) {
        self.lanes[usize::from(lane)][k / GROUP][k % GROUP] = value;
    }

    /// What most steps are that need what the element before has written, for element `k`; false for all others.
    #[inline(always)]
    fn one(&mut self, action: &Action, k: usize) -> Option<bool> {
        let Action::Run(ref op) = *action else { return Some(false) };
        macro_rules! both {
            ($d:ident = $a:ident $b:ident, |$x:ident, $y:ident| $value:expr) => {{
                let ($x, $y) = (self.get($a, k), self.get($b, k));
                self.set($d, k, $value)
            }};
        }
        match *op {
            Op::LoadAt { d, addr, kind } => {
                let value = load(self.memory, addr.into(), kind).ok()?;
                self.set(d, k, value);
            }
            Op::StoreAt { s, addr, kind } => store(self.memory, addr.into(), kind, self.get(s, k)).ok()?,
            Op::AddS { d, a, b, sh } => both!(d = a b, |x, y| signed(x.wrapping_add(y), sh)),
            Op::AddU { d, a, b, sh } => both!(d = a b, |x, y| unsigned(x.wrapping_add(y), sh)),
            Op::SubS { d, a, b, sh } => both!(d = a b, |x, y| signed(x.wrapping_sub(y), sh)),
            Op::SubU { d, a, b, sh } => both!(d = a b, |x, y| unsigned(x.wrapping_sub(y), sh)),
            Op::FAdd { d, a, b } => both!(d = a b, |x, y| (single(x) + single(y)).to_bits().into()),
            Op::FMul { d, a, b } => both!(d = a b, |x, y| (single(x) * single(y)).to_bits().into()),
            _ => return Some(false),
        }
        Some(true)
    }

    #[inline(always)]
    fn each(&mut self, d: Lane, a: Lane, f: impl Fn(u64) -> u64) {
        self.both(d, a, a, |x, _| f(x));
    }

    #[inline(always)]
    fn both(&mut self, d: Lane, a: Lane, b: Lane, f: impl Fn(u64, u64) -> u64) {
        if !self.active.all {
            each_lane(self.active.mask, |k| self.set(d, k, f(self.get(a, k), self.get(b, k))));
            return;
        }
        for group in 0..LANES / GROUP {
            let (x, y) = (self.lanes[usize::from(a)][group], self.lanes[usize::from(b)][group]);
            let values = &mut self.lanes[usize::from(d)][group];
            for k in 0..GROUP {
                values[k] = f(x[k], y[k]);
            }
        }
    }

    /// The same for what may fail.
    #[inline(always)]
    fn attempt(&mut self, d: Lane, f: impl Fn(&Self, usize) -> Option<u64>) -> Option<bool> {
        let mut mask = self.active.mask;
        while mask != 0 {
            let k = mask.trailing_zeros() as usize;
            let value = f(self, k)?;
            self.set(d, k, value);
            mask &= mask - 1;
        }
        Some(true)
    }

    /// Whether a test holds for an active element.
    #[inline(always)]
    fn any(&self, test: impl Fn(&Self, usize) -> bool) -> bool {
        let mut any = false;
        each_lane(self.active.mask, |k| any |= test(self, k));
        any
    }

    /// Loads, stores and checks; false if `op` is something else.
    #[inline(always)]
    fn access(&mut self, op: &Op) -> Option<bool> {
        match *op {
            // The same for all elements, if no element writes it.
            Op::LoadAt { d, addr, kind } => {
                let value = load(self.memory, addr.into(), kind).ok()?;
                self.each(d, d, |_| value);
            }
            Op::Load { d, a, off, kind } => {
                self.attempt(d, |block, k| {
                    load(block.memory, block.get(a, k) as usize + usize::from(off), kind).ok()
                })?;
            }
            Op::LoadElem { d, base, b, len, kind } => {
                self.attempt(d, |block, k| {
                    let at = element_of(base, block.get(b, k), kind, len).ok()?;
                    load(block.memory, at, kind).ok()
                })?;
            }
            Op::StoreAt { s, addr, kind } => {
                let last = LANES - 1 - self.active.mask.leading_zeros() as usize;
                store(self.memory, addr.into(), kind, self.get(s, last)).ok()?;
            }
            Op::Unset { d, .. } => {
                let value = self.no_value;
                self.each(d, d, |_| value);
            }
            Op::CheckSet { a } if self.any(|block, k| block.get(a, k) == NO_VALUE) => return None,
            Op::CheckSet { .. } => {}
            _ => return Some(false),
        }
        Some(true)
    }

    /// Integers and conditions; false if `op` is something else.
    #[inline(always)]
    fn integer(&mut self, op: &Op) -> bool {
        match *op {
            Op::Mov { d, a } => self.each(d, a, |x| x),
            Op::AddS { d, a, b, sh } => self.both(d, a, b, |x, y| signed(x.wrapping_add(y), sh)),
            Op::AddU { d, a, b, sh } => self.both(d, a, b, |x, y| unsigned(x.wrapping_add(y), sh)),
            Op::SubS { d, a, b, sh } => self.both(d, a, b, |x, y| signed(x.wrapping_sub(y), sh)),
            Op::SubU { d, a, b, sh } => self.both(d, a, b, |x, y| unsigned(x.wrapping_sub(y), sh)),
            Op::MulS { d, a, b, sh } => self.both(d, a, b, |x, y| signed(x.wrapping_mul(y), sh)),
            Op::MulU { d, a, b, sh } => self.both(d, a, b, |x, y| unsigned(x.wrapping_mul(y), sh)),
            Op::And { d, a, b } => self.both(d, a, b, |x, y| x & y),
            Op::Or { d, a, b } => self.both(d, a, b, |x, y| x | y),
            Op::Xor { d, a, b } => self.both(d, a, b, |x, y| x ^ y),
            Op::BitNotS { d, a, sh } => self.each(d, a, |x| signed(!x, sh)),
            Op::BitNotU { d, a, sh } => self.each(d, a, |x| unsigned(!x, sh)),
            Op::NegS { d, a, sh } => self.each(d, a, |x| signed(x.wrapping_neg(), sh)),
            Op::Not { d, a } => self.each(d, a, |x| x ^ 1),
            Op::NormS { d, a, sh } => self.each(d, a, |x| signed(x, sh)),
            Op::NormU { d, a, sh } => self.each(d, a, |x| unsigned(x, sh)),
            Op::Eq { d, a, b } => self.both(d, a, b, |x, y| u64::from(x == y)),
            Op::Ne { d, a, b } => self.both(d, a, b, |x, y| u64::from(x != y)),
            Op::LtS { d, a, b } => self.both(d, a, b, |x, y| u64::from((x as i64) < y as i64)),
            Op::LtU { d, a, b } => self.both(d, a, b, |x, y| u64::from(x < y)),
            Op::LeS { d, a, b } => self.both(d, a, b, |x, y| u64::from(x as i64 <= y as i64)),
            Op::LeU { d, a, b } => self.both(d, a, b, |x, y| u64::from(x <= y)),
            _ => return false,
        }
        true
    }

    /// Floats; false if `op` is something else.
    #[inline(always)]
    fn float(&mut self, op: &Op) -> bool {
        macro_rules! single {
            ($d:ident = $a:ident $op:tt $b:ident) => {
                self.both($d, $a, $b, |x, y| (single(x) $op single(y)).to_bits().into())
            };
        }
        macro_rules! holds {
            ($d:ident = $a:ident $op:tt $b:ident) => {
                self.both($d, $a, $b, |x, y| (single(x) $op single(y)).into())
            };
        }
        macro_rules! half {
            ($d:ident = $f:ident $a:ident $b:ident) => {
                self.both($d, $a, $b, |x, y| f16::$f(x as u16, y as u16).into())
            };
        }
        match *op {
            Op::FAdd { d, a, b } => single!(d = a + b),
            Op::FSub { d, a, b } => single!(d = a - b),
            Op::FMul { d, a, b } => single!(d = a * b),
            Op::FDiv { d, a, b } => single!(d = a / b),
            Op::FNeg { d, a } => self.each(d, a, |x| x ^ 1 << 31),
            Op::FEq { d, a, b } => holds!(d = a == b),
            Op::FNe { d, a, b } => holds!(d = a != b),
            Op::FLt { d, a, b } => holds!(d = a < b),
            Op::FLe { d, a, b } => holds!(d = a <= b),
            Op::HAdd { d, a, b } => half!(d = add a b),
            Op::HSub { d, a, b } => half!(d = sub a b),
            Op::HMul { d, a, b } => half!(d = mul a b),
            Op::HDiv { d, a, b } => half!(d = div a b),
            Op::HNeg { d, a } => self.each(d, a, |x| f16::neg(x as u16).into()),
            Op::HEq { d, a, b } => half!(d = eq a b),
            Op::HNe { d, a, b } => self.both(d, a, b, |x, y| u64::from(!f16::eq(x as u16, y as u16))),
            Op::HLt { d, a, b } => half!(d = lt a b),
            Op::HLe { d, a, b } => half!(d = le a b),
            _ => return false,
        }
        true
    }

    /// What not every number allows; false if `op` is something else.
    #[inline(always)]
    fn partial(&mut self, op: &Op) -> Option<bool> {
        match *op {
            Op::DivS { d, a, b, sh } => self.attempt(d, |block, k| {
                let (x, y) = dividend(block.get(a, k), block.get(b, k), sh).ok()?;
                Some((x / y) as u64)
            }),
            Op::RemS { d, a, b, sh } => self.attempt(d, |block, k| {
                let (x, y) = dividend(block.get(a, k), block.get(b, k), sh).ok()?;
                Some((x % y) as u64)
            }),
            Op::DivU { d, a, b, .. } => {
                self.attempt(d, |block, k| block.get(a, k).checked_div(block.get(b, k)))
            }
            Op::RemU { d, a, b, .. } => {
                self.attempt(d, |block, k| block.get(a, k).checked_rem(block.get(b, k)))
            }
            Op::ShlS { d, a, b, sh } => self.attempt(d, |block, k| {
                Some(signed(block.get(a, k) << amount(block.get(b, k), sh).ok()?, sh))
            }),
            Op::ShlU { d, a, b, sh } => self.attempt(d, |block, k| {
                Some(unsigned(block.get(a, k) << amount(block.get(b, k), sh).ok()?, sh))
            }),
            Op::ShrS { d, a, b, sh } => self.attempt(d, |block, k| {
                Some((block.get(a, k) as i64 >> amount(block.get(b, k), sh).ok()?) as u64)
            }),
            Op::ShrU { d, a, b, sh } => {
                self.attempt(d, |block, k| Some(block.get(a, k) >> amount(block.get(b, k), sh).ok()?))
            }
            Op::Convert { d, a, from, to } => {
                self.attempt(d, |block, k| convert(block.get(a, k), from, to).ok())
            }
            _ => Some(false),
        }
    }

    /// A function of `<math>`; the same for all elements.
    #[inline(always)]
    fn math(&mut self, is_half: bool, d: Lane, function: Lane, (x, y): (Lane, Lane)) -> Option<()> {
        let first = self.active.mask.trailing_zeros() as usize;
        let function = MathFunction::from_number(self.get(function, first) as u16)?;
        if matches!(function, MathFunction::Sin | MathFunction::Cos) {
            let value = |bits: u64| if is_half { f16::to_f32(bits as u16) } else { single(bits) };
            if self.any(|block, k| value(block.get(x, k)).abs() >= LARGE_ANGLE) {
                return None;
            }
        }
        match (is_half, function) {
            (false, MathFunction::Sqrt) => {
                self.each(d, x, |x| math::eval32(MathFunction::Sqrt, single(x), 0.0).to_bits().into())
            }
            (true, _) => {
                self.attempt(d, |block, k| {
                    Some(math::eval16(function, block.get(x, k) as u16, block.get(y, k) as u16).into())
                })?;
            }
            (false, _) => {
                self.attempt(d, |block, k| {
                    let value = math::eval32(function, single(block.get(x, k)), single(block.get(y, k)));
                    Some(value.to_bits().into())
                })?;
            }
        }
        Some(())
    }
}
