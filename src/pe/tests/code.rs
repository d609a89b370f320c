use super::*;
use crate::exec::sanitizer::NO_VALUE;
use crate::image::Scalar;
use crate::image::code::{Access, IN_VARIABLE, Intrinsic};
use std::sync::Arc;

const STORE: Op = Op::StoreAt { s: 0, addr: 100, kind: Access::U32 };

fn tile(functions: Vec<Function>) -> TileImage {
    let functions = functions.into_iter().map(Arc::new).collect();
    TileImage { functions, data_end: 200, ..TileImage::default() }
}

fn launched(tile: TileImage, arguments: &[u64]) -> PeBench {
    let mut bench = PeBench::new(ArchName::Wse2, tile);
    bench.pe.launch((FnId(0), 0), arguments);
    bench
}

/// `var sum = 0; for (i < n) sum += i;`
fn sum_loop() -> Function {
    let code = vec![
        Op::Mov { d: 3, a: 1 },
        Op::Mov { d: 4, a: 1 },
        Op::JumpLeU { a: 0, b: 3, to: 6 },
        Op::AddU { d: 4, a: 4, b: 3, sh: 32 },
        Op::AddU { d: 3, a: 3, b: 2, sh: 48 },
        Op::Jump { to: 2 },
        Op::Mov { d: 0, a: 4 },
        STORE,
        Op::Ret,
    ];
    function("sum", 1, &[0, 1], code)
}

#[test]
fn a_loop_runs_ahead_of_the_clock_in_pieces() {
    let mut bench = launched(tile(vec![sum_loop()]), &[60_000]);
    let mut turns = 0;
    while let Wake::At(next) =
        bench.pe.cycle(bench.now, &mut bench.sink, &mut bench.log, &mut bench.worker).unwrap()
    {
        assert!(next > bench.now);
        (bench.now, turns) = (next, turns + 1);
    }
    let sum: u32 = (0..60_000u32).sum();
    assert_eq!(bench.memory(100, 2), [sum as u16, (sum >> 16) as u16]);
    assert!(bench.now > 480_000 && (40..70).contains(&turns), "{} cycles, {turns} turns", bench.now);
    assert!(bench.pe.is_idle());
}

/// `fn fib(n) = if (n < 2) n else fib(n - 1) + fib(n - 2)`
fn fib() -> Function {
    let code = vec![
        Op::JumpLtU { a: 0, b: 2, to: 7 },
        Op::SubU { d: 5, a: 0, b: 1, sh: 32 },
        Op::SubU { d: 4, a: 0, b: 2, sh: 32 },
        Op::Call { f: FnId(1), base: 5 },
        Op::Mov { d: 6, a: 4 },
        Op::Call { f: FnId(1), base: 6 },
        Op::AddU { d: 0, a: 5, b: 6, sh: 32 },
        Op::Ret,
    ];
    function("fib", 1, &[1, 2], code)
}

#[test]
fn a_function_calls_itself_with_overlapping_windows() {
    let main = function("main", 1, &[], vec![Op::Call { f: FnId(1), base: 0 }, STORE, Op::Ret]);
    let mut bench = launched(tile(vec![main, fib()]), &[20]);
    bench.run();
    assert_eq!(bench.memory(100, 2), [6765, 0]);
}

#[test]
fn what_no_compiler_writes_ends() {
    let step = Op::Element { d: 2, a: 0, b: 1, words: 1, len: IN_VARIABLE };
    let walk = function("walk", 0, &[NO_VALUE, 2], vec![step, Op::Ret]);
    assert_eq!(launched(tile(vec![walk]), &[]).rule(), "pointer-out-of-bounds");
    let flush = Op::Intrinsic { id: Intrinsic::QueueFlush, base: 0 };
    let end = function("end", 0, &[0xfff9], vec![flush, Op::Ret]);
    launched(tile(vec![end]), &[]).run();
}

#[test]
fn endless_recursion_and_large_frames_end_in_a_named_limit() {
    let code = || vec![Op::Call { f: FnId(0), base: 0 }, Op::Ret];
    assert_eq!(launched(tile(vec![function("again", 0, &[], code())]), &[]).rule(), "stack-overflow");
    let mut large = function("large", 0, &[], code());
    large.frame_words = 10_000;
    assert_eq!(launched(tile(vec![large]), &[]).rule(), "stack-overflow");
}

#[test]
fn undefined_arithmetic_is_named() {
    let cases = [
        (Op::DivU { d: 0, a: 0, b: 2, sh: 48 }, "division-by-zero"),
        (Op::RemS { d: 0, a: 0, b: 2, sh: 48 }, "division-by-zero"),
        (Op::DivS { d: 0, a: 1, b: 3, sh: 48 }, "division-overflow"),
        (Op::ShlU { d: 0, a: 0, b: 4, sh: 48 }, "shift-too-far"),
        (Op::ShrS { d: 0, a: 0, b: 3, sh: 48 }, "shift-too-far"),
        (Op::LoadElem { d: 0, base: 0, b: 4, len: 16, kind: Access::U16 }, "outside-array"),
        (Op::Element { d: 0, a: 0, b: 3, words: 2, len: 16 }, "outside-array"),
        (Op::StoreElem { s: 0, base: 0, b: 4, len: 16, kind: Access::U16 }, "index-out-of-bounds"),
        (Op::Load { d: 0, a: 5, off: 1, kind: Access::U16 }, "memory-out-of-bounds"),
        (Op::Load { d: 0, a: 5, off: 0, kind: Access::U32 }, "memory-out-of-bounds"),
        (Op::Trap { text: 0 }, "unreachable-reached"),
        (Op::Assert { a: 2, text: 0 }, "assertion-failed"),
        (Op::Activate { a: 4 }, "task-unbound"),
    ];
    for (op, rule) in cases {
        let consts = [i16::MIN as u64, 0, -1i64 as u64, 16, 0x5fff];
        let mut tile = tile(vec![function("main", 1, &consts, vec![op, Op::Ret])]);
        tile.strings.push("x > 0".to_string());
        assert_eq!(launched(tile, &[7]).rule(), rule, "{op:?}");
    }
}

#[test]
fn a_diagnostic_names_the_pe_and_the_cycle() {
    let code = vec![Op::Trap { text: 0 }];
    let mut tile = tile(vec![function("main", 0, &[], code)]);
    tile.strings.push("impossible".to_string());
    let diag = launched(tile, &[]).settle().unwrap_err();
    assert_eq!(diag.0.moment, Some(crate::diagnostics::Moment { x: 1, y: 2, cycle: 1 }));
    assert_eq!(diag.0.primary.unwrap().span, span());
}

#[test]
fn tasks_run_in_the_order_of_their_ids_and_the_host_comes_last() {
    // Each appends its number to memory[100..], counted at memory[99].
    let append = |n: u64| {
        let code = vec![
            Op::LoadAt { d: 2, addr: 99, kind: Access::U16 },
            Op::StoreElem { s: 0, base: 100, b: 2, len: 8, kind: Access::U16 },
            Op::AddU { d: 2, a: 2, b: 1, sh: 48 },
            Op::StoreAt { s: 2, addr: 99, kind: Access::U16 },
            Op::Ret,
        ];
        function("append", 0, &[n, 1], code)
    };
    let mut tile = tile(vec![append(90), append(9), append(4)]);
    tile.tasks = vec![task(TaskKind::Local, 9, 1, &[]), task(TaskKind::Local, 4, 2, &[])].into();
    tile.active = 1 << 9 | 1 << 4;
    tile.blocked = 1 << 4;
    let mut bench = launched(tile, &[]);
    bench.run();
    assert_eq!(bench.memory(99, 3), [2, 9, 90]);
    let waits = bench.pe.waits();
    assert_eq!((waits[0].who, &waits[0].on), (Waiter::Task(TaskId(4)), &WaitsFor::Unblock));
}

#[test]
fn a_data_task_takes_one_wavelet_for_each_start_and_splits_it() {
    let code = vec![
        Op::LoadAt { d: 3, addr: 100, kind: Access::S16 },
        Op::AddS { d: 3, a: 3, b: 0, sh: 48 },
        Op::StoreAt { s: 3, addr: 100, kind: Access::S16 },
        Op::StoreAt { s: 1, addr: 101, kind: Access::U16 },
        Op::Ret,
    ];
    let mut tile = tile(vec![function("receive", 2, &[], code)]);
    tile.tasks = vec![task(TaskKind::Data, 7, 0, &[Scalar::I16, Scalar::U16])].into();
    let mut bench = PeBench::new(ArchName::Wse2, tile);
    bench.deliver(7, &[0x0001_0005, 0x0002_fffe]);
    assert_eq!(bench.memory(100, 2), [3, 2]);
    assert!(bench.pe.waits().is_empty());
}

#[test]
fn a_control_wavelet_for_an_unbound_task_is_an_error() {
    let mut bench = PeBench::new(ArchName::Wse2, tile(vec![function("f", 0, &[], vec![Op::Ret])]));
    bench.pe.deliver(0, Color(1), Wavelet { data: 40 << 16, control: true });
    assert_eq!(bench.rule(), "control-task-unbound");
}

#[test]
fn printing_and_the_time_stamp_counter_know_the_cycle() {
    let code = vec![
        Op::Intrinsic { id: Intrinsic::TscEnable, base: 0 },
        Op::Mov { d: 5, a: 1 },
        Op::Mov { d: 5, a: 1 },
        Op::Intrinsic { id: Intrinsic::TscRead, base: 5 },
        Op::Mov { d: 6, a: 2 },
        Op::Mov { d: 7, a: 1 },
        Op::Intrinsic { id: Intrinsic::PrintInt, base: 5 },
        Op::Intrinsic { id: Intrinsic::PrintString, base: 1 },
        Op::Ret,
    ];
    let mut tile = tile(vec![function("main", 0, &[1, 0, 10], code)]);
    tile.strings.push(" cycles\n".to_string());
    let mut bench = launched(tile, &[]);
    bench.run();
    let printed = Printed { pe: PeCoord { x: 1, y: 2 }, cycle: 4, text: "1 cycles".to_string() };
    assert_eq!(bench.log.printed, [printed]);
}
