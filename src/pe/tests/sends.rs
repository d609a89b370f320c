//! Operations that send what lies in memory: those of a color whose route is known are done at their start.

use super::*;
use crate::image::code::{AsyncConfig, Completion, DsdRef, IdArg};
use std::sync::Arc;

const fn dsd(n: u32) -> DsdOperand {
    DsdOperand::Dsd(DsdRef::Const(n))
}

fn main_of(ops: &[Op]) -> Function {
    function("main", 0, &[1], [ops, &[Op::Ret]].concat())
}

/// An asynchronous operation that activates task 9 when it is done.
fn asynchronous(dest: u32, source: u32) -> VectorOp {
    let completion = Completion::Activate(IdArg::Known(TaskId(9)));
    let config = AsyncConfig { is_async: true, completion, ..AsyncConfig::default() };
    VectorOp { config, ..vector("mov16", dsd(dest), &[dsd(source)]) }
}

/// Function `n` starts operation `n`; task 9 counts in word 99.
fn bench(dsds: Vec<Dsd>, vector_ops: Vec<VectorOp>) -> PeBench {
    use crate::image::code::Access;
    let count = [
        Op::LoadAt { d: 1, addr: 99, kind: Access::U16 },
        Op::AddU { d: 1, a: 1, b: 0, sh: 48 },
        Op::StoreAt { s: 1, addr: 99, kind: Access::U16 },
    ];
    let mains = (0..vector_ops.len() as u32).map(|n| main_of(&[Op::Vector { n }]));
    let tile = TileImage {
        functions: mains.chain([main_of(&count)]).map(Arc::new).collect(),
        data: (0..64).collect(),
        data_end: 1000,
        dsds: dsds.into(),
        input_queues: vec![in_queue(2, 5), in_queue(3, 6)].into(),
        tasks: vec![task(TaskKind::Local, 9, vector_ops.len() as u32, &[])].into(),
        vector_ops: vector_ops.into(),
        ..TileImage::default()
    };
    PeBench::new(ArchName::Wse2, tile)
}

impl PeBench {
    fn launch(&mut self, function: u32) {
        self.pe.launch((FnId(function), 0), &[]);
        self.run();
    }
}

#[test]
fn every_operation_that_advances_the_switch_does_so_behind_its_last_wavelet() {
    let out = FabOut { advance_switch: true, ..fabout(7, 2, 2) };
    let mut bench = bench(vec![Dsd::FabOut(out), line(10, 2)], vec![vector("mov16", dsd(0), &[dsd(1)])]);
    // Nobody looks at the PE before, so that it may be ahead of the clock.
    bench.worker.unobserved_until = 10_000;
    (0..3).for_each(|_| bench.launch(0));
    assert_eq!(bench.sent(), [10, 11, 10, 11, 10, 11]);
    assert_eq!(bench.sink.advanced, [2, 4, 6].map(|sent| (Color(7), sent)));
}

#[test]
fn an_operation_without_elements_sends_nothing_and_ends() {
    let ops = vec![asynchronous(0, 1), asynchronous(0, 2)];
    let mut bench = bench(vec![Dsd::FabOut(fabout(7, 2, 2)), line(10, 2), line(10, 0)], ops);
    bench.launch(0);
    assert_eq!((bench.sent().len(), bench.memory(99, 1)), (2, &[1][..]));
    bench.launch(1);
    assert_eq!((bench.sent().len(), bench.memory(99, 1)), (2, &[2][..]));
}

#[test]
fn what_sends_takes_the_turn_of_its_microthread() {
    // On WSE-2 the number of the queue is that of the microthread. Both receives become able to move in the same cycle.
    let ops = vec![asynchronous(0, 1), asynchronous(2, 3), asynchronous(4, 5)];
    let [first, second] = [(5, 2), (6, 3)].map(|(color, queue)| Dsd::FabIn(fabin(color, queue, 1)));
    let to = |queue| Dsd::FabOut(fabout(7, queue, 1));
    for (queue, moves) in [(2, [0, 8]), (3, [7, 0])] {
        let dsds = vec![to(queue), line(10, 1), line(100, 1), first, line(101, 1), second];
        let mut bench = bench(dsds, ops.clone());
        (0..2).for_each(|_| bench.launch(0));
        (1..3).for_each(|function| bench.launch(function));
        for (color, data) in [(5, 7), (6, 8)] {
            let wavelet = Wavelet { data, control: false };
            assert!(bench.pe.deliver(bench.now, Color(color), wavelet).is_some());
        }
        bench.pe.cycle(bench.now, &mut bench.sink, &mut bench.log, &mut bench.worker).unwrap();
        assert_eq!(bench.memory(100, 2), moves, "output queue {queue}");
    }
}

#[test]
fn a_send_tells_which_of_its_vectors_leaves_its_variable() {
    let aimed = |base: u16, hi| {
        let Dsd::Mem(mem) = line(base, 4) else { unreachable!("a line is in memory") };
        Dsd::Mem(Mem { lo: base, hi, has_soft_bounds: true, ..mem })
    };
    let send = vector("add16", dsd(0), &[dsd(1), dsd(2)]);
    let mut bench = bench(vec![Dsd::FabOut(fabout(7, 2, 4)), aimed(10, 14), aimed(20, 22)], vec![send]);
    bench.pe.launch((FnId(0), 0), &[]);
    let diag = bench.settle().unwrap_err();
    assert_eq!(diag.rule(), "outside-variable");
    assert!(format!("{diag:?}").contains("element 2 of source 2"), "{diag:?}");
}

#[test]
fn words_that_the_host_writes_have_a_value() {
    let symbol = crate::image::Symbol {
        name: "x".to_string(),
        addr: 20,
        words: 2,
        ty: "[2]u16".to_string(),
        dims: vec![2],
        element: Some(crate::image::Scalar::U16),
        bits: None,
        inside: Default::default(),
        mutable: true,
        undefined: true,
        span: span(),
    };
    let run = |words: &[u16]| {
        let read = main_of(&[Op::LoadAt { d: 1, addr: 21, kind: crate::image::code::Access::U16 }]);
        let symbols = vec![symbol.clone()].into();
        let tile =
            TileImage { functions: vec![read.into()], data_end: 1000, symbols, ..TileImage::default() };
        let mut bench = PeBench::new(ArchName::Wse2, tile);
        bench.pe.write_words(20, words).unwrap();
        bench.pe.launch((FnId(0), 0), &[]);
        bench.settle().map_err(|diag| diag.rule().to_string())
    };
    assert_eq!(run(&[1]), Err("unset-variable".to_string()));
    assert!(run(&[1, 2]).is_ok());
}
