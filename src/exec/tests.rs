//! Compares superinstructions with the operations that they are made of.

use super::calls::{Calls, Worker};
use super::guard::{GuardedWords, Unguarded, Watch};
use super::interface::{Code, Meter, NoServices, StopReason, TaskState};
use super::memory::Memory;
use super::prepared::{CodeCache, PreparedFunction, PreparedTile};
use super::sanitizer::Sanitizer;
use super::scalar::run;
use super::superinstructions::combined;
use crate::arch::{ArchName, WSE3};
use crate::diagnostics::Sink;
use crate::dsd::footprint::Footprint;
use crate::image::code::{Access, IN_VARIABLE};
use crate::image::{FnId, Function, Local, LocalPlace, Op, Scalar, TileImage};
use crate::sema::{CompileOptions, compile};
use crate::source::{FileId, MemoryLoader, SourceMap, Span};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Superinstructions and simpler operations that there are, but those of `<math>`: in plain code the PE
/// does their work.
const KINDS: usize = 199;
/// Constants lie in the first registers.
const CONSTS: [u64; 6] = [0, 1, 2, 3, 0x3fc0_0000, 0xffff_ffff];

/// Only addresses are written to this register.
const ADDRESS: u16 = 9;

fn function(name: &str, params: u16, consts: &[u64], code: Vec<Op>) -> Function {
    let span = Span::new(FileId(0), 0, 0);
    Function {
        name: name.to_string(),
        span,
        params,
        consts: consts.to_vec(),
        registers: 32,
        frame_words: 0,
        locals: Vec::new().into(),
        spans: vec![span; code.len()].into(),
        code: code.into(),
    }
}

/// A small generator with a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn variable(&mut self) -> u16 {
        6 + self.below(3) as u16
    }

    fn register(&mut self) -> u16 {
        self.below(9) as u16
    }

    /// An operation of a kind that superinstructions are made of, in a function with this many.
    fn op(&mut self, kind: u64, count: u64) -> Op {
        let (d, a, b) = (self.variable(), self.register(), self.register());
        let sh = [0, 32, 48][self.below(3) as usize];
        let to = self.below(count) as u32;
        let access = [Access::U16, Access::S16, Access::U32, Access::S32, Access::U8][self.below(5) as usize];
        let addr = self.below(3) as u16;
        match kind {
            0 => Op::AddS { d, a, b, sh },
            1 => Op::AddU { d, a, b, sh },
            2 => Op::SubS { d, a, b, sh },
            3 => Op::SubU { d, a, b, sh },
            4 => Op::MulS { d, a, b, sh },
            5 => Op::MulU { d, a, b, sh },
            6 => Op::ShlU { d, a, b, sh },
            7 => Op::ShrU { d, a, b, sh },
            8 => Op::And { d, a, b },
            9 => Op::Or { d, a, b },
            10 => Op::Xor { d, a, b },
            11 => Op::FAdd { d, a, b },
            12 => Op::FSub { d, a, b },
            13 => Op::FMul { d, a, b },
            14 => Op::Eq { d, a, b },
            15 => Op::Ne { d, a, b },
            16 => Op::LtS { d, a, b },
            17 => Op::LtU { d, a, b },
            18 => Op::LeS { d, a, b },
            19 => Op::LeU { d, a, b },
            20 => Op::FLt { d, a, b },
            21 => Op::FLe { d, a, b },
            22 => Op::Mov { d, a },
            23 => Op::JumpIf { a, to },
            24 => Op::JumpUnless { a, to },
            25 => Op::JumpEq { a, b, to },
            26 => Op::JumpNe { a, b, to },
            27 => Op::JumpLtS { a, b, to },
            28 => Op::JumpLtU { a, b, to },
            29 => Op::JumpLeS { a, b, to },
            30 => Op::JumpLeU { a, b, to },
            31 => Op::LoadElem { d, base: 6, b, len: 4, kind: access },
            32 => Op::StoreElem { s: a, base: 6, b, len: 4, kind: access },
            33 => Op::Element { d: ADDRESS, a, b, words: 1, len: IN_VARIABLE },
            34 => Op::Load { d, a: ADDRESS, off: addr, kind: access },
            35 => Op::Store { s: b, a: ADDRESS, off: addr, kind: access },
            36 => Op::LoadAt { d, addr, kind: access },
            37 => Op::StoreAt { s: a, addr, kind: access },
            38 => Op::Call { f: FnId(1), base: d },
            39 => Op::Ret,
            40 => Op::RemU { d, a, b, sh },
            41 => Op::DivS { d, a, b, sh },
            42 => Op::HAdd { d, a, b },
            43 => Op::HMul { d, a, b },
            44 => Op::HLt { d, a, b },
            45 => Op::Frame { d: ADDRESS, off: addr },
            46 => Op::Element { d: ADDRESS, a, b, words: 1 + addr, len: 3 },
            47 => Op::Element { d: ADDRESS, a: ADDRESS, b, words: 1, len: 3 },
            48 => Op::Load { d, a: ADDRESS, off: 0, kind: access },
            49 => Op::Jump { to },
            // The index is what the operation before has computed.
            50 => Op::LoadElem { d: a.max(6), base: 6, b: 6, len: 4, kind: access },
            51 => Op::StoreElem { s: a, base: 6, b: 6, len: 4, kind: access },
            52 => Op::AddU { d: 6, a: 7, b, sh: 48 },
            53 => Op::MulU { d: 7, a, b, sh: 48 },
            54 => Op::JumpEq { a: 8, b: self.below(6) as u16, to },
            55 => Op::Convert { d, a, from: self.scalar(), to: self.scalar() },
            56 => Op::SubS { d: 6, a, b, sh: 48 },
            57 => Op::AddS { d: 6, a, b, sh: 48 },
            58 => Op::SubU { d: 6, a, b, sh: 48 },
            59 => Op::AddU { d: 6, a, b, sh: 48 },
            // The end of a loop.
            60 => Op::FAdd { d: 6, a: 6, b },
            61 => Op::AddU { d: 7, a: 7, b, sh },
            62 => Op::AddS { d: 7, a: 7, b, sh },
            63 => Op::JumpLtU { a: 7, b, to },
            64 => Op::JumpLtS { a: 7, b, to },
            65 => Op::JumpIf { a: d, to },
            66 => Op::JumpUnless { a: d, to },
            67 => Op::AddU { d: 6, a: 6, b, sh },
            68 => Op::FMul { d: 6, a, b },
            70 => Op::NormS { d, a: 6 + addr, sh },
            71 => Op::NormU { d, a: 6 + addr, sh },
            // A global changes.
            72 => Op::LoadAt { d: 6, addr: 0, kind: access },
            73 => Op::StoreAt { s: 7, addr: 0, kind: access },
            74 => Op::AddS { d: 7, a: 6, b, sh },
            75 => Op::AddU { d: 7, a: 6, b, sh },
            76 => Op::SubS { d: 7, a: 6, b, sh },
            77 => Op::SubU { d: 7, a: 6, b, sh },
            78 => Op::FAdd { d: 7, a: 6, b },
            _ => Op::StoreElem { s: 6, base: 6, b, len: 4, kind: Access::U32 },
        }
    }

    fn scalar(&mut self) -> Scalar {
        use Scalar::*;
        [Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32][self.below(11) as usize]
    }

    fn one_of(&mut self, kinds: &[u64]) -> u64 {
        kinds[self.below(kinds.len() as u64) as usize]
    }

    /// Three operations in a row, often such as become one.
    fn kinds(&mut self) -> [u64; 3] {
        match self.below(23) {
            0 => [36, self.one_of(&[0, 1, 2, 3, 11, 11]), 37],
            1 => [self.below(4), 22, 38],
            2 => [self.one_of(&[0, 1, 11]), self.below(2), self.one_of(&[27, 28])],
            3 => [14 + self.below(8), 22, 23 + self.below(2)],
            4 => [13, 13, 11 + self.below(2)],
            5 => [53, 52, 50 + self.below(2)],
            6 => [46, 47, self.one_of(&[48, 49, 34, 35])],
            7 => [56 + self.below(4), 50, 25 + self.below(6)],
            8 => [54, 54, 54],
            9 => [22, 22, self.one_of(&[22, 38])],
            10 => [43, 42, 44],
            11 => [45, self.one_of(&[48, 34, 35]), self.one_of(&[0, 1, 11])],
            12 => [self.one_of(&[60, 67, 0]), 61 + self.below(2), 63 + self.below(2)],
            13 => [14 + self.below(8), 65 + self.below(2), 22],
            14 => [self.one_of(&[60, 68]), 69, 49],
            15 => [11 + self.below(3), 11 + self.below(3), 11 + self.below(3)],
            16 => [33, 34, 70 + self.below(2)],
            17 => [22, 31, 70 + self.below(2)],
            18 => [72, 74 + self.below(5), 73],
            _ => [self.below(60), self.below(60), self.below(60)],
        }
    }

    fn code(&mut self) -> Vec<Op> {
        let count = 4 + self.below(12);
        let mut code = Vec::new();
        while (code.len() as u64) < count {
            code.extend(self.kinds().map(|kind| self.op(kind, count)));
        }
        code.push(Op::Ret);
        code
    }
}

/// A function without superinstructions.
fn in_parts(function: &Function) -> PreparedFunction {
    PreparedFunction::new(function, &WSE3, true)
}

/// Everything that can be seen of a run, whenever it stops. A guard that watches every word stops the loop also
/// before each access to memory, which changes nothing.
fn seen(tile: &TileImage, functions: &[OnceLock<Arc<PreparedFunction>>], guarded: bool) -> Vec<String> {
    let mut guard = GuardedWords::default();
    guard.add(Watch { words: Footprint::words(0, 32), reads: true, fifo: None, owner: 0 });
    let mut memory = Memory::new(32, &[1, 2, 3, 4, 5, 6, 7, 8]);
    let mut sanitizer = Sanitizer::new(tile, 32, true);
    let (mut calls, mut worker) = (Calls::new(32), Worker::default());
    calls.begin(tile, (FnId(0), tile.functions[0].frame_words), &[]).expect("one call fits");
    calls.take_registers(&mut worker);
    let mut seen = Vec::new();
    for _ in 0..12 {
        let mut meter = Meter { spent: 0, budget: 25, due: u64::MAX };
        let mut tasks = TaskState::default();
        let code = Code { tile, arch: &WSE3, functions, plans: &[], cache: &CodeCache::default() };
        let exit = loop {
            let (memory, sanitizer, tasks) = (memory.words_mut(), &mut sanitizer, &mut tasks);
            let exit = match guarded {
                true => run(
                    code,
                    &mut calls,
                    &mut [],
                    (memory, &mut guard),
                    sanitizer,
                    (tasks, &mut NoServices),
                    &mut meter,
                ),
                false => run(
                    code,
                    &mut calls,
                    &mut [],
                    (memory, &mut Unguarded),
                    sanitizer,
                    (tasks, &mut NoServices),
                    &mut meter,
                ),
            };
            if !matches!(exit, Ok(StopReason::Guarded)) {
                break exit;
            }
            guard.let_pass().expect("an access has stopped the loop");
        };
        let (mut what, mut goes_on) = match exit {
            Ok(StopReason::Service(op)) => (format!("{op:?}"), false),
            Ok(StopReason::End) => ("end".to_string(), false),
            Ok(StopReason::Pause) => ("pause".to_string(), true),
            Ok(StopReason::Guarded) => unreachable!("the loop above goes on"),
            Err(diag) => (diag.rule().to_string(), false),
        };
        if !calls.is_empty() {
            let registers: Vec<u64> = (0..16).map(|r| calls.register(r)).collect();
            what += &format!(" {} {:?} {registers:?}", meter.spent, calls.last().map(|f| (f.pc, f.base)));
        }
        goes_on |= what.starts_with("memory-out-of-bounds") && memory.grow();
        seen.push(format!("{what} {:?}", memory.words()));
        if !goes_on {
            break;
        }
    }
    seen
}

#[test]
fn superinstructions_do_exactly_what_their_parts_do() {
    let (mut dice, mut met) = (Dice(1), BTreeSet::new());
    for _ in 0..80_000 {
        let callee = vec![Op::AddU { d: 0, a: 0, b: 1, sh: 32 }, Op::Ret];
        let functions =
            vec![function("f", 0, &CONSTS, dice.code()).into(), function("g", 1, &[7], callee).into()];
        let tile = TileImage { functions, data_end: 16, ..TileImage::default() };
        let tile = PreparedTile::new(Arc::new(tile), Arc::default());
        let parts: Vec<_> = tile.functions.iter().map(|f| OnceLock::from(Arc::new(in_parts(f)))).collect();
        let (together, _) = combined(&tile.functions[0]);
        let made = together.iter().zip(&tile.functions[0].code).filter(|(new, old)| new != old);
        met.extend(
            made.map(|(op, _)| format!("{op:?}").split(['(', ' ']).next().unwrap_or_default().to_string()),
        );
        let shown = || format!("{:#?}\n{together:#?}", tile.functions[0].code);
        let fast = seen(&tile, tile.functions(), false);
        assert_eq!(fast, seen(&tile, &parts, false), "{}", shown());
        assert_eq!(fast, seen(&tile, tile.functions(), true), "guarded: {}", shown());
    }
    assert_eq!(met.len(), KINDS, "{met:?}");
}

#[test]
fn registers_are_cleared_only_for_code_that_may_read_them_before_it_writes_them() {
    let cleared = |code: Vec<Op>| super::prepared::cleared(&function("f", 1, &[5], code), 2);
    let (add, mov) = (Op::AddU { d: 3, a: 2, b: 1, sh: 32 }, Op::Mov { d: 2, a: 0 });
    assert_eq!(cleared(vec![mov, add, Op::Ret]), 2);
    assert_eq!(cleared(vec![add, mov, Op::Ret]), 32);
    // one way writes the register, the other does not
    assert_eq!(cleared(vec![Op::JumpIf { a: 0, to: 2 }, mov, add, Op::Ret]), 32);
    // the test of a loop stands behind its body
    let backwards = Op::JumpLtU { a: 2, b: 1, to: 2 };
    assert_eq!(cleared(vec![mov, Op::Jump { to: 3 }, add, backwards, Op::Ret]), 2);
    assert_eq!(cleared(vec![Op::Jump { to: 1 }, Op::JumpLtU { a: 2, b: 1, to: 2 }, Op::Ret]), 32);
    // the result of a call
    assert_eq!(cleared(vec![Op::Call { f: FnId(0), base: 2 }, add, Op::Ret]), 2);
    assert_eq!(cleared(vec![Op::Vector { n: 0 }, Op::Ret]), 32);
}

#[test]
fn a_call_finds_all_its_constants_and_no_value_of_another_call() {
    for count in 0..8 {
        let consts: Vec<u64> = (1..=count).collect();
        // Register 20 is read and never written: it is register 26 of the caller, which has a value.
        let read = (1..=count as u16).chain([20]);
        let sum = read.map(|b| Op::AddU { d: 0, a: 0, b, sh: 32 });
        let callee: Vec<Op> = sum.chain([Op::Ret]).collect();
        let store = Op::StoreAt { s: 6, addr: 0, kind: Access::U16 };
        let (old, argument) = (Op::Mov { d: 26, a: 3 }, Op::Mov { d: 6, a: 2 });
        let caller = vec![old, argument, Op::Call { f: FnId(1), base: 6 }, store, Op::Ret];
        let functions =
            vec![function("f", 0, &CONSTS, caller).into(), function("g", 1, &consts, callee).into()];
        let tile = TileImage { functions, data_end: 16, ..TileImage::default() };
        let tile = PreparedTile::new(Arc::new(tile), Arc::default());
        let expected = format!("end [{}, 2, ", 2 + consts.iter().sum::<u64>());
        let seen = seen(&tile, tile.functions(), false);
        assert!(seen[0].starts_with(&expected), "{count}: {seen:?}");
    }
}

/// What a debugger would show of the locals where an assertion stops the code: names and values.
fn locals_at_the_assertion(program: &str) -> Vec<(String, u64)> {
    let mut loader = MemoryLoader::default();
    loader.add("p.csl", program);
    let (mut sources, mut sink) = (SourceMap::default(), Sink::default());
    let options = CompileOptions::new(ArchName::Wse3);
    let program = compile(&loader, &mut sources, Path::new("p.csl"), &options, &mut sink);
    let program = program.unwrap_or_else(|| panic!("{:?}", sink.all()));
    let tile = PreparedTile::new(program.tiles[0].clone(), Arc::default());
    let mut memory = Memory::new(256, &tile.data);
    while memory.grow() {}
    let mut sanitizer = Sanitizer::new(&tile, 256, true);
    let (mut calls, mut worker) = (Calls::new(256), Worker::default());
    let f = tile.tasks[0].function;
    calls.begin(&tile, (f, tile.functions[f.0 as usize].frame_words), &[]).expect("one call fits");
    calls.take_registers(&mut worker);
    let mut meter = Meter { spent: 0, budget: 10_000, due: u64::MAX };
    let mut tasks = TaskState::default();
    let code = Code {
        tile: &tile,
        arch: &WSE3,
        functions: tile.functions(),
        plans: &[],
        cache: &CodeCache::default(),
    };
    let words = (memory.words_mut(), &mut Unguarded);
    let exit =
        run(code, &mut calls, &mut [], words, &mut sanitizer, (&mut tasks, &mut NoServices), &mut meter);
    assert!(matches!(exit, Ok(StopReason::Service(Op::Assert { .. }))), "it has another end");
    let frame = *calls.last().expect("the call has not returned");
    let function = &tile.functions[frame.function.0 as usize];
    let value = |local: &Local| {
        let (start, words) = match local.place {
            LocalPlace::Register(variable) => return calls.register(function.register(variable)),
            LocalPlace::Frame(off) => (frame.address + off, local.ty.words),
            LocalPlace::Behind(variable, off) => {
                (calls.register(function.register(variable)) as u16 + off, local.ty.words)
            }
        };
        let words = &memory.words()[usize::from(start)..usize::from(start + words)];
        words.iter().rev().fold(0, |all, word| all << 16 | u64::from(*word))
    };
    function.locals_at(frame.pc).map(|local| (local.name.to_string(), value(local))).collect()
}

#[test]
fn locals_have_their_values_where_the_program_says_that_they_are() {
    let seen = locals_at_the_assertion(
        "var total: u16 = 3;
inline fn check(sum: u16, limit: u16) void {
  const left = limit - sum;
  if (sum > 20) { @assert(left < 10); }
  total += left;
}
fn work(list: [3]u16, start: u16) void {
  var sum = start;
  { const gone = start * 7; total += gone; }
  var pair = [2]u16 { start, 9 };
  for (list) |item, i| {
    sum += item;
    pair[0] += i;
    check(sum, item * 20);
  }
  total = pair[1];
}
task main() void { work([3]u16 { 1, 5, 2 }, total + 12); }
comptime { const id = @get_local_task_id(8); @bind_local_task(main, id); @activate(id); }",
    );
    let seen: Vec<(&str, u64)> = seen.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let list = 1 | 5 << 16 | 2 << 32;
    let outer = [("list", list), ("start", 15), ("pair", 16 | 9 << 16), ("item", 5), ("i", 1)];
    // The `sum` of `work` is hidden by that of the function that is expanded there.
    let inner = [("sum", 21), ("limit", 100), ("left", 79)];
    assert_eq!(seen, [&outer[..], &inner[..]].concat());
}
