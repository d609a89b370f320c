use super::*;
use crate::dsd::{ENDLESS, FifoAction, FifoId, ZeroSource};
use crate::image::code::{Access, AsyncConfig, Completion, DsdRef, IdArg, OnControl};
use crate::image::{Fifo, Scalar};
use std::sync::Arc;

const fn dsd(n: u32) -> DsdOperand {
    DsdOperand::Dsd(DsdRef::Const(n))
}

fn tile(functions: Vec<Function>, dsds: Vec<Dsd>, vector_ops: Vec<VectorOp>) -> TileImage {
    TileImage {
        functions: functions.into_iter().map(Arc::new).collect(),
        data: (0..64).collect(),
        data_end: 1000,
        dsds: dsds.into(),
        vector_ops: vector_ops.into(),
        input_queues: vec![in_queue(2, 5), in_queue(3, 6)].into(),
        ..TileImage::default()
    }
}

fn main_of(ops: &[Op]) -> Function {
    function("main", 0, &[1, 2, 3], [ops, &[Op::Ret]].concat())
}

fn asynchronous(completion: Completion) -> AsyncConfig {
    AsyncConfig { is_async: true, completion, ..AsyncConfig::default() }
}

fn launched(arch: ArchName, tile: TileImage) -> PeBench {
    let mut bench = PeBench::new(arch, tile);
    bench.pe.launch((FnId(0), 0), &[]);
    bench.run();
    bench
}

fn recv(extent: u16) -> Dsd {
    Dsd::FabIn(fabin(5, 2, extent))
}

/// Marks memory[99] with the number in register 0.
const MARK: Op = Op::StoreAt { s: 0, addr: 99, kind: Access::U16 };

#[test]
fn a_receive_in_a_nested_call_stalls_and_goes_on() {
    let main = function("main", 0, &[4, 0], vec![Op::Call { f: FnId(1), base: 3 }, MARK, Op::Ret]);
    // Two receives of 2 in a loop.
    let inner = vec![
        Op::Vector { n: 0 },
        Op::AddU { d: 2, a: 2, b: 1, sh: 48 },
        Op::JumpLtU { a: 2, b: 0, to: 0 },
        Op::StoreAt { s: 5, addr: 98, kind: Access::U16 },
        Op::Ret,
    ];
    let inner = function("inner", 0, &[2, 1, 0], inner);
    let mut receive = vector("mov32", dsd(1), &[dsd(0)]);
    receive.result = Some(5);
    let mut bench =
        launched(ArchName::Wse2, tile(vec![main, inner], vec![recv(2), line(100, 2)], vec![receive]));
    bench.deliver(5, &[0x10001]);
    let waits = bench.pe.waits();
    assert_eq!((waits.len(), waits[0].who, waits[0].progress), (1, Waiter::MainThread, Some((1, 2))));
    let on = WaitsFor::Wavelet { color: Color(5), queue: Some(InQueue(2)), ends_at_control: false };
    assert_eq!((&waits[0].on, waits[0].name), (&on, "mov32"));
    bench.deliver(5, &[0x20002, 0x30003]);
    assert_eq!(bench.memory(98, 6), [0, 0, 3, 3, 2, 2]);
    bench.deliver(5, &[0x40004]);
    assert_eq!(bench.memory(98, 6), [1, 4, 3, 3, 4, 4]);
    assert!(bench.pe.is_idle() && bench.pe.waits().is_empty());
}

#[test]
fn a_microthread_works_beside_the_main_thread_and_activates_a_task() {
    let done = function("done", 0, &[77], vec![MARK, Op::Ret]);
    let mut receive = vector("add16", dsd(1), &[dsd(1), dsd(0)]);
    receive.config = asynchronous(Completion::Activate(IdArg::Known(TaskId(9))));
    let main = main_of(&[Op::Vector { n: 0 }, Op::StoreAt { s: 1, addr: 98, kind: Access::U16 }]);
    let mut tile = tile(vec![main, done], vec![recv(3), line(10, 3)], vec![receive]);
    tile.tasks = vec![task(TaskKind::Local, 9, 1, &[])].into();
    let mut bench = launched(ArchName::Wse2, tile);
    assert_eq!(bench.memory(98, 2), [2, 0]);
    bench.deliver(5, &[100, 200]);
    assert_eq!(bench.pe.waits()[0].who, Waiter::Microthread(crate::arch::UtId(2)));
    bench.deliver(5, &[300]);
    assert_eq!(bench.memory(10, 3), [110, 211, 312]);
    assert_eq!(bench.memory(99, 1), [77]);
}

#[test]
fn sends_leave_one_wavelet_per_cycle_and_wait_for_the_router() {
    let send = vector("mov32", dsd(0), &[dsd(1)]);
    let mut tile = tile(vec![main_of(&[Op::Vector { n: 0 }, MARK])], Vec::new(), vec![send]);
    let mut out = fabout(7, 4, 4);
    out.advance_switch = true;
    let Dsd::Mem(mut mem) = line(0, 4) else { unreachable!() };
    mem.step[0] = 1;
    tile.dsds = vec![Dsd::FabOut(out), Dsd::Mem(mem)].into();
    let mut bench = PeBench::new(ArchName::Wse2, tile);
    bench.sink.is_full = true;
    bench.pe.launch((FnId(0), 0), &[]);
    bench.run();
    // Output queue 4 holds two.
    let on = WaitsFor::Space { color: Color(7), queue: Some(OutQueue(4)) };
    let waits = bench.pe.waits();
    assert_eq!((&waits[0].on, waits[0].progress, bench.pe.refused()), (&on, Some((2, 4)), 1 << 7));
    bench.sink.is_full = false;
    bench.pe.resume_sending();
    bench.run();
    let sent: Vec<_> =
        bench.sink.sent.iter().map(|(cycle, _, w)| (cycle - bench.sink.sent[0].0, w.data)).collect();
    assert_eq!(sent, [(0, 0x0001_0000), (1, 0x0003_0002), (2, 0x0005_0004), (3, 0x0007_0006)]);
    assert_eq!((bench.memory(99, 1), &bench.sink.advanced[..]), (&[1][..], &[(Color(7), 4)][..]));
}

#[test]
fn halves_are_packed_only_in_simd_modes_and_the_index_goes_above() {
    let send = |out| {
        let mut send = vector("mov16", dsd(0), &[dsd(1)]);
        send.index = Some(2);
        let tile =
            tile(vec![main_of(&[Op::Vector { n: 0 }])], vec![Dsd::FabOut(out), line(10, 3)], vec![send]);
        launched(ArchName::Wse2, tile).sent()
    };
    let mut out = fabout(7, 2, 3);
    assert_eq!(send(out), [10, 11, 12]);
    out.index_offset = true;
    assert_eq!(send(out), [0x3000a, 0x3000b, 0x3000c]);
    (out.index_offset, out.simd) = (false, Simd::Simd32);
    assert_eq!(send(out), [0xb000a, 12]);
}

#[test]
fn packed_wavelets_are_unpacked_and_pairs_wait_for_each_other() {
    let mut from = fabin(5, 2, 6);
    from.simd = Simd::Simd64;
    let receive = vector("mov16", dsd(1), &[dsd(0)]);
    let tile =
        tile(vec![main_of(&[Op::Vector { n: 0 }])], vec![Dsd::FabIn(from), line(100, 6)], vec![receive]);
    let mut bench = launched(ArchName::Wse2, tile);
    bench.deliver(5, &[0xb000a]);
    assert_eq!(bench.memory(100, 2), [0, 0]);
    bench.deliver(5, &[0xd000c, 0xf000e]);
    assert_eq!(bench.memory(100, 6), [10, 11, 12, 13, 14, 15]);
    assert!(bench.pe.is_idle());
}

#[test]
fn a_control_wavelet_ends_an_operation_that_says_so_and_is_data_to_others() {
    let stop = |on_control| {
        let mut receive = vector("mov32", dsd(1), &[dsd(0)]);
        receive.config = asynchronous(Completion::Activate(IdArg::Known(TaskId(9))));
        receive.config.on_control = on_control;
        let done = |n| function("done", 0, &[n], vec![MARK, Op::Ret]);
        let mut tile = tile(
            vec![main_of(&[Op::Vector { n: 0 }]), done(1), done(2)],
            vec![recv(ENDLESS), line(100, 3)],
            vec![receive],
        );
        tile.tasks = vec![task(TaskKind::Local, 9, 1, &[]), task(TaskKind::Local, 10, 2, &[])].into();
        let mut bench = launched(ArchName::Wse2, tile);
        bench.deliver(5, &[7]);
        bench.control(5, 31 << 16);
        bench
    };
    let bench = stop(Some(OnControl::Terminate));
    assert_eq!((bench.memory(99, 2), bench.pe.is_idle()), (&[1, 7][..], true));
    let bench = stop(Some(OnControl::Then(Completion::Activate(IdArg::Known(TaskId(10))))));
    assert_eq!(bench.memory(99, 2), [2, 7]);
    let bench = stop(None);
    assert_eq!((bench.memory(99, 5), bench.pe.is_idle()), (&[0, 7, 0, 0, 31][..], false));
}

#[test]
fn microthreads_and_queues_are_not_shared() {
    let start = |op: &str, arch| {
        let mut receive = vector(op, dsd(1), &[dsd(0)]);
        receive.config = asynchronous(Completion::Nothing);
        let tile = tile(
            vec![main_of(&[Op::Vector { n: 0 }, Op::Vector { n: 1 }])],
            vec![recv(2), line(100, 2)],
            vec![receive.clone(), VectorOp { config: Default::default(), ..receive.clone() }],
        );
        let mut bench = PeBench::new(arch, tile);
        bench.pe.launch((FnId(0), 0), &[]);
        bench
    };
    assert_eq!(start("mov32", ArchName::Wse2).rule(), "queue-in-use");
    start("mov32", ArchName::Wse3).run();
    let mut receive = vector("mov32", dsd(1), &[dsd(0)]);
    receive.config = AsyncConfig { ut: Some(crate::arch::UtId(5)), ..asynchronous(Completion::Nothing) };
    let twice = main_of(&[Op::Vector { n: 0 }, Op::Vector { n: 0 }]);
    let mut bench =
        PeBench::new(ArchName::Wse3, tile(vec![twice], vec![recv(2), line(100, 2)], vec![receive]));
    bench.pe.launch((FnId(0), 0), &[]);
    assert_eq!(bench.rule(), "microthread-in-use");
}

#[test]
fn an_operation_takes_the_wavelets_before_the_data_task_of_its_channel() {
    let count = vec![
        Op::LoadAt { d: 1, addr: 99, kind: Access::U16 },
        Op::AddU { d: 1, a: 1, b: 0, sh: 48 },
        Op::StoreAt { s: 1, addr: 99, kind: Access::U16 },
        Op::Ret,
    ];
    let receive = vector("mov32", dsd(1), &[dsd(0)]);
    let mut tile = tile(
        vec![main_of(&[Op::Vector { n: 0 }]), function("count", 1, &[], count)],
        vec![recv(2), line(100, 2)],
        vec![receive],
    );
    tile.tasks = vec![task(TaskKind::Data, 5, 1, &[Scalar::U16])].into();
    let mut bench = launched(ArchName::Wse2, tile);
    bench.deliver(5, &[1, 2, 30, 40]);
    assert_eq!(bench.memory(99, 5), [70, 1, 0, 2, 0]);
}

#[test]
fn a_source_is_cleared_behind_a_send() {
    let mut out = fabout(7, 2, 3);
    out.zero = Some(ZeroSource::Second);
    let send = vector("mov16", dsd(0), &[dsd(1)]);
    let tile = tile(vec![main_of(&[Op::Vector { n: 0 }])], vec![Dsd::FabOut(out), line(10, 3)], vec![send]);
    let bench = launched(ArchName::Wse2, tile);
    assert_eq!((bench.sent(), bench.memory(9, 5)), (vec![10, 11, 12], &[9, 0, 0, 0, 13][..]));
}

#[test]
fn an_unbound_queue_is_an_error_on_wse3_and_takes_nothing() {
    let receive = vector("mov32", dsd(1), &[dsd(0)]);
    let from = Dsd::FabIn(fabin(9, 7, 2));
    let mut bench = PeBench::new(
        ArchName::Wse3,
        tile(vec![main_of(&[Op::Vector { n: 0 }])], vec![from, line(100, 2)], vec![receive]),
    );
    let mut takes = |color| bench.pe.deliver(0, Color(color), Wavelet { data: 1, control: false }).is_some();
    assert!(!takes(9) && takes(5));
    bench.pe.launch((FnId(0), 0), &[]);
    assert_eq!(bench.rule(), "queue-unbound");
}

/// A FIFO of four 16-bit elements at 200, with tasks 9 (push) and 10 (pop) that mark memory.
fn fifo_tile(ops: &[Op], vector_ops: Vec<VectorOp>) -> TileImage {
    let mark = |n, addr| {
        let code = vec![
            Op::LoadAt { d: 1, addr, kind: Access::U16 },
            Op::AddU { d: 1, a: 1, b: 0, sh: 48 },
            Op::StoreAt { s: 1, addr, kind: Access::U16 },
            Op::Ret,
        ];
        function("mark", 0, &[n], code)
    };
    let mut tile = tile(
        vec![main_of(ops), mark(1, 98), mark(1, 99)],
        vec![Dsd::Fifo(FifoId(0)), line(10, 6), line(100, 4), line(110, 2)],
        vector_ops,
    );
    tile.tasks = vec![task(TaskKind::Local, 9, 1, &[]), task(TaskKind::Local, 10, 2, &[])].into();
    tile.fifos = vec![Fifo {
        base: 200,
        capacity: 4,
        element_words: 1,
        activate_push: Some(TaskId(9)),
        activate_pop: Some(TaskId(10)),
        empty_action: FifoAction::default(),
        full_action: FifoAction::default(),
        priority: Priority::default(),
        simd: Simd::default(),
        registers: Default::default(),
        explicit: false,
        name: "fifo".to_string(),
        span: span(),
    }]
    .into();
    tile
}

#[test]
fn a_full_fifo_ends_a_synchronous_push_which_later_does_the_rest() {
    let with_result = |op: VectorOp, reg| VectorOp { result: Some(reg), ..op };
    let push = with_result(vector("mov16", dsd(0), &[dsd(1)]), 10);
    let pop = with_result(vector("mov16", dsd(2), &[dsd(0)]), 11);
    let rest = with_result(vector("mov16", dsd(3), &[dsd(0)]), 12);
    let save = |s, addr| Op::StoreAt { s, addr, kind: Access::U16 };
    let ops = [
        Op::Vector { n: 0 },
        save(10, 120),
        Op::Vector { n: 1 },
        save(11, 121),
        Op::Vector { n: 0 },
        save(10, 122),
        Op::Vector { n: 2 },
    ];
    let bench = launched(ArchName::Wse2, fifo_tile(&ops, vec![push, pop, rest]));
    assert_eq!(bench.memory(120, 3), [0, 1, 1]);
    assert_eq!(bench.memory(100, 4), [10, 11, 12, 13]);
    // The length that was left rules; the source starts again at its first element.
    assert_eq!(bench.memory(110, 2), [10, 11]);
    // One pop after the full event, no push after an empty one.
    assert_eq!(bench.memory(98, 2), [0, 1]);
}

#[test]
fn an_asynchronous_push_waits_for_space_and_a_pop_for_data() {
    let mut fill = vector("mov16", dsd(0), &[dsd(4)]);
    fill.config = asynchronous(Completion::Nothing);
    let drain = vector("mov16", dsd(2), &[dsd(0)]);
    let mut tile = fifo_tile(&[Op::Vector { n: 0 }], vec![fill, drain]);
    tile.dsds.push(recv(6));
    tile.functions.push(main_of(&[Op::Vector { n: 1 }]).into());
    let mut bench = launched(ArchName::Wse2, tile);
    bench.deliver(5, &[1, 2, 3, 4, 5]);
    let waits = bench.pe.waits();
    assert_eq!((&waits[0].on, waits[0].progress), (&WaitsFor::FifoSpace("fifo".into()), Some((4, 6))));
    bench.pe.launch((FnId(3), 0), &[]);
    bench.run();
    bench.deliver(5, &[6]);
    assert_eq!(bench.memory(100, 4), [1, 2, 3, 4]);
    assert_eq!(bench.memory(98, 2), [0, 1]);
    assert!(bench.pe.is_idle());
}

#[test]
fn a_blocked_microthread_rests() {
    let mut receive = vector("mov32", dsd(1), &[dsd(0)]);
    receive.config = asynchronous(Completion::Nothing);
    let main = main_of(&[Op::BlockUt { a: 1 }, Op::Vector { n: 0 }]);
    let mut tile = tile(vec![main], vec![recv(1), line(100, 1)], vec![receive]);
    tile.functions.push(main_of(&[Op::UnblockUt { a: 1 }]).into());
    let mut bench = launched(ArchName::Wse3, tile);
    bench.deliver(5, &[7]);
    assert_eq!((bench.memory(100, 1), &bench.pe.waits()[0].on), (&[0][..], &WaitsFor::Unblock));
    bench.pe.launch((FnId(1), 0), &[]);
    bench.run();
    assert_eq!(bench.memory(100, 1), [7]);
}

#[test]
fn a_former_control_wavelet_passes_through_memory() {
    let (mut from, mut to) = (fabin(5, 2, 2), fabout(7, 2, 2));
    (from.control_transform, to.control_transform) = (true, true);
    let code = [Op::Vector { n: 0 }, Op::Vector { n: 1 }];
    let ops = vec![vector("mov32", dsd(1), &[dsd(0)]), vector("mov32", dsd(2), &[dsd(1)])];
    let Dsd::Mem(mem) = line(100, 2) else { unreachable!() };
    let dsds = vec![Dsd::FabIn(from), Dsd::Mem(mem), Dsd::FabOut(to)];
    let mut bench = launched(ArchName::Wse2, tile(vec![main_of(&code)], dsds, ops));
    bench.deliver(5, &[0x0123_4567]);
    bench.control(5, 0x0055_1234);
    let sent: Vec<_> = bench.sink.sent.iter().map(|(_, _, w)| (w.data, w.control)).collect();
    assert_eq!(sent, [(0x0123_4567, false), (0x0055_1234, true)]);
}

#[test]
fn a_waiting_receive_takes_a_lone_wavelet_without_a_visit_unless_something_else_could_happen() {
    let receive = |extent, tasks: &[TaskBinding]| {
        let mut receive = vector("mov32", dsd(1), &[dsd(0)]);
        receive.config = asynchronous(Completion::Nothing);
        let main = main_of(&[Op::Vector { n: 0 }]);
        let tile = tile(vec![main], vec![recv(extent), line(100, extent)], vec![receive]);
        launched(ArchName::Wse2, TileImage { tasks: tasks.to_vec().into(), ..tile })
    };
    let arrives = |bench: &mut PeBench, color, words: &[u32], control| {
        bench.now += 1;
        for word in words {
            bench
                .pe
                .deliver(bench.now, Color(color), Wavelet { data: *word, control })
                .expect("there is room");
        }
        bench.pe.store_arrival(bench.now)
    };
    let mut bench = receive(4, &[]);
    assert!(arrives(&mut bench, 5, &[0x20001], false));
    let since = bench.now + 1;
    assert_eq!(bench.memory(100, 4), [1, 2, 0, 0]);
    assert_eq!((bench.pe.waits()[0].progress, bench.pe.waits()[0].since), (Some((1, 4)), since));
    // A visit in the same cycle moves no second element.
    bench.pe.deliver(bench.now, Color(5), Wavelet { data: 0x40003, control: false });
    bench.pe.cycle(bench.now, &mut bench.sink, &mut bench.log, &mut bench.worker).unwrap();
    assert_eq!(bench.memory(100, 4), [1, 2, 0, 0]);
    bench.now += 1;
    bench.pe.cycle(bench.now, &mut bench.sink, &mut bench.log, &mut bench.worker).unwrap();
    assert_eq!(bench.memory(100, 4), [1, 2, 3, 4]);
    // Two at once, a command and the last element need a visit.
    assert!(!arrives(&mut bench, 5, &[5, 6], false));
    bench.run();
    assert!(bench.pe.is_idle());
    let mut bench = receive(2, &[task(TaskKind::Data, 6, 0, &[])]);
    assert!(!arrives(&mut bench, 5, &[1], false), "a data task could start for another wavelet");
    let mut bench = receive(1, &[]);
    assert!(!arrives(&mut bench, 5, &[1], false));
    bench.run();
    assert!(bench.pe.is_idle());
    let mut bench = receive(3, &[]);
    assert!(!arrives(&mut bench, 5, &[1], true));
    assert!(!arrives(&mut bench, 6, &[1], false), "nobody has asked for that color");
}
