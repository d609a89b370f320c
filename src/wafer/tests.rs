//! Small hand-made programs on a few PEs.

use super::stall::Missing;
use super::*;
use crate::arch::{ArchName, Color, Direction, InQueue, OutQueue, TaskId};
use crate::dsd::{Dsd, FabIn, FabOut, Mem, MemKind, Priority, Simd, ops};
use crate::image::code::{AsyncConfig, DsdOperand, DsdRef, Op, VectorOp};
use crate::image::routes::{ColorConfig, Directions};
use crate::image::{
    FabricPlace, Function, NO_TILE, RouteTable, Scalar, Symbol, TaskBinding, TaskKind, TileImage,
};
use crate::source::{FileId, SourceMap, Span};
use crate::trace::{EventKind, TraceFilter};

const COLOR: Color = Color(5);
const TEXT: &str = "send(4);\nrecv(5);\n";

fn span(line: usize) -> Span {
    Span::new(FileId(0), 9 * (line - 1), 9 * (line - 1) + 8)
}

fn mem(extent: u16) -> Dsd {
    Dsd::Mem(Mem {
        kind: MemKind::Mem1d,
        base: 0,
        dims: 1,
        extent: [extent, 1, 1, 1],
        step: [1, 0, 0, 0],
        index_offset: false,
        lo: 0,
        hi: 64,
        has_soft_bounds: false,
        wrap: 0,
        origin: 0,
    })
}

fn fabout(extent: u16) -> Dsd {
    Dsd::FabOut(FabOut {
        color: Some(COLOR),
        queue: Some(OutQueue(2)),
        extent,
        control: false,
        index_offset: false,
        advance_switch: false,
        control_transform: false,
        zero: None,
        simd: Simd::Off,
        priority: Priority::Low,
    })
}

fn fabin(extent: u16) -> Dsd {
    Dsd::FabIn(FabIn {
        color: Some(COLOR),
        queue: Some(InQueue(2)),
        extent,
        control_transform: false,
        simd: Simd::Off,
        priority: Priority::Low,
    })
}

/// A tile whose task 8 does one `@mov32` and is active at the start.
fn mover(dest: Dsd, source: Dsd, line: usize) -> Arc<TileImage> {
    let dsd = |n| DsdOperand::Dsd(DsdRef::Const(n));
    let function = Function {
        name: "main".to_string(),
        span: span(line),
        params: 0,
        consts: Vec::new(),
        registers: 1,
        frame_words: 0,
        locals: Vec::new().into(),
        code: vec![Op::Vector { n: 0 }, Op::Ret].into(),
        spans: vec![span(line); 2].into(),
    };
    let task = TaskBinding {
        id: TaskId(8),
        kind: TaskKind::Local,
        function: FnId(0),
        params: Vec::new(),
        name: "main".to_string(),
        span: span(line),
    };
    let data = Symbol {
        name: "data".to_string(),
        addr: 0,
        words: 64,
        ty: "[32]u32".to_string(),
        dims: Vec::new(),
        element: Some(Scalar::U32),
        bits: None,
        inside: Default::default(),
        mutable: true,
        undefined: false,
        span: span(line),
    };
    Arc::new(TileImage {
        data: (0..64).map(|i| if i % 2 == 0 { i / 2 + 100 } else { 0 }).collect(),
        data_end: 64,
        symbols: vec![data].into(),
        functions: vec![function.into()],
        vector_ops: vec![VectorOp {
            op: ops::lookup("mov32").expect("the table has @mov32"),
            dest: dsd(0),
            sources: vec![dsd(1)],
            config: AsyncConfig::default(),
            index: None,
            result: None,
            span: span(line),
        }]
        .into(),
        dsds: vec![dest, source].into(),
        tasks: vec![task].into(),
        active: 1 << 8,
        ..TileImage::default()
    })
}

fn program(width: u16, tiles: Vec<Arc<TileImage>>, place: Vec<u32>, routes: RouteTable) -> Arc<Program> {
    let mut sources = SourceMap::default();
    sources.add("pe.csl", TEXT);
    Arc::new(Program {
        arch: ArchName::Wse2,
        width,
        height: (place.len() / usize::from(width)) as u16,
        fabric: FabricPlace::default(),
        tiles,
        place,
        routes,
        exports: Vec::new(),
        memcpy: None,
        sdk_layout: None,
        origin: None,
        sources,
    })
}

fn config(rx: Direction, tx: Direction) -> ColorConfig {
    ColorConfig { rx: Directions::only(rx), tx: Directions::only(tx), ..ColorConfig::default() }
}

/// PE(0,0) sends, PE(1,0) receives.
fn pair(sends: u16, receives: u16) -> Arc<Program> {
    let mut routes = RouteTable::new(2);
    routes.set(0, COLOR, config(Direction::Ramp, Direction::East), None);
    routes.set(1, COLOR, config(Direction::West, Direction::Ramp), None);
    let tiles = vec![mover(fabout(sends), mem(sends), 1), mover(mem(receives), fabin(receives), 2)];
    program(2, tiles, vec![0, 1], routes)
}

fn wafer(program: &Arc<Program>) -> Wafer {
    Wafer::new(program, PeOptions::default())
}

fn words(wafer: &mut Wafer, x: u16, count: usize) -> Vec<u16> {
    let pe = wafer.pe(PeCoord { x, y: 0 }).unwrap();
    pe.read_words(0, 2 * count).unwrap().iter().step_by(2).copied().collect()
}

#[test]
fn what_one_pe_sends_another_receives() {
    let mut w = wafer(&pair(5, 5));
    w.pe(PeCoord { x: 1, y: 0 }).unwrap().write_words(0, &[0; 10]).unwrap();
    assert!(matches!(w.run_until_idle(1000), Ended::Idle));
    assert_eq!(words(&mut w, 1, 5), [100, 101, 102, 103, 104]);
    assert!(w.leftovers().is_empty());
}

#[test]
fn a_receiver_that_waits_for_one_more_is_explained() {
    let program = pair(4, 5);
    let mut w = wafer(&program);
    let Ended::Stalled(report) = w.run_until_idle(1000) else { panic!("the receiver cannot finish") };
    let wait = &report.waits[0];
    assert_eq!((wait.pe, wait.progress), (PeCoord { x: 1, y: 0 }, Some((4, 5))));
    let Some(Missing::Wavelets { color, received, senders, .. }) = &wait.missing else {
        panic!("wavelets are missing")
    };
    assert_eq!((*color, *received, senders.len()), (COLOR, 4, 1));
    assert_eq!((senders[0].pe, senders[0].sent, senders[0].span), (PeCoord { x: 0, y: 0 }, 4, Some(span(1))));
    let d = report.diagnostic(&program.sources);
    let text = format!("{d:?}");
    for part in ["PE(0,0) has sent 4", "PE(1,0)", "4 of 5", "color 5", "pe.csl:1:1"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert_eq!(d.others[0].span, span(1));
    assert_eq!(d.primary.unwrap().span, span(2));
}

#[test]
fn a_wavelet_too_many_is_a_warning() {
    let mut w = wafer(&pair(5, 4));
    assert!(matches!(w.run_until_idle(1000), Ended::Idle));
    let warnings = w.leftovers();
    assert_eq!(warnings[0].rule, "leftover-wavelets");
    assert!(warnings[0].notes[0].starts_with("PE(1,0): 1 wavelet of color 5"), "{:?}", warnings[0].notes);
}

#[test]
fn equal_waits_are_folded() {
    let tiles = vec![mover(mem(5), fabin(5), 2)];
    let mut routes = RouteTable::new(12);
    for pe in 0..12 {
        routes.set(pe, COLOR, config(Direction::West, Direction::Ramp), None);
    }
    let mut w = wafer(&program(4, tiles, vec![0; 12], routes));
    let Ended::Stalled(report) = w.run_until_idle(1000) else { panic!("nobody sends") };
    assert_eq!((report.waits.len(), report.waits[0].also_on), (1, 11));
}

/// The tile of `mover` that sends a word when it has received one.
fn answering(tile: Arc<TileImage>) -> Arc<TileImage> {
    let mut tile = Arc::unwrap_or_clone(tile);
    let answer = tile.dsds.len() as u32;
    tile.dsds.push(fabout(1));
    let dsd = |n| DsdOperand::Dsd(DsdRef::Const(n));
    let send = VectorOp { dest: dsd(answer), sources: vec![dsd(0)], ..tile.vector_ops[0].clone() };
    tile.vector_ops.push(send);
    let function = tile.function_mut(FnId(0));
    function.code = vec![Op::Vector { n: 0 }, Op::Vector { n: 1 }, Op::Ret].into();
    function.spans = vec![function.span; 3].into();
    Arc::new(tile)
}

#[test]
fn pes_that_wait_for_each_other_are_named_as_a_circle() {
    let mut routes = RouteTable::new(2);
    let both = |side: Direction| ColorConfig {
        rx: [side, Direction::Ramp].into_iter().collect(),
        tx: [side, Direction::Ramp].into_iter().collect(),
        ..ColorConfig::default()
    };
    routes.set(0, COLOR, both(Direction::East), None);
    routes.set(1, COLOR, both(Direction::West), None);
    let tiles = vec![answering(mover(mem(1), fabin(1), 1)), answering(mover(mem(1), fabin(1), 2))];
    let mut w = wafer(&program(2, tiles, vec![0, 1], routes));
    let Ended::Stalled(report) = w.run_until_idle(1000) else { panic!("nobody begins") };
    assert_eq!(report.circle, [PeCoord { x: 0, y: 0 }, PeCoord { x: 1, y: 0 }]);
}

#[test]
fn sending_on_a_color_without_a_route_is_an_error_at_the_operation() {
    let tiles = vec![mover(fabout(1), mem(1), 1)];
    let mut w = wafer(&program(1, tiles, vec![0], RouteTable::new(1)));
    let Ended::Trapped(all) = w.run_until_idle(1000) else { panic!("there is no route") };
    assert_eq!((all.len(), &*all[0].rule), (1, "unrouted-color"));
    assert_eq!(all[0].primary.as_ref().unwrap().span, span(1));
}

#[test]
fn a_task_that_never_ends_meets_the_limit() {
    let mut tile = TileImage::clone(&mover(mem(1), mem(1), 1));
    tile.function_mut(FnId(0)).code = vec![Op::Jump { to: 0 }, Op::Ret].into();
    let mut w = wafer(&program(1, vec![Arc::new(tile)], vec![0], RouteTable::new(1)));
    let Ended::OutOfCycles(report) = w.run_until_idle(5000) else { panic!("it never ends") };
    assert_eq!(report.running.len(), 1);
    assert_eq!((&*report.running[0].name, report.running[0].span), ("main", span(1)));
}

#[test]
fn pes_without_anything_to_do_are_never_made() {
    let mut idle = TileImage::clone(&mover(mem(1), mem(1), 1));
    idle.active = 0;
    let tiles = vec![mover(mem(2), mem(2), 1), Arc::new(idle)];
    let mut place = vec![1; 100];
    (place[7], place[8]) = (0, NO_TILE);
    let mut w = wafer(&program(10, tiles, place, RouteTable::new(100)));
    assert!(matches!(w.run_until_idle(1000), Ended::Idle));
    assert_eq!(w.made().count(), 1);
}

#[test]
fn a_big_wafer_starts_every_pe_that_has_an_active_task() {
    let tiles = vec![mover(mem(4), mem(4), 1)];
    let mut w = wafer(&program(256, tiles, vec![0; 65536], RouteTable::new(65536)));
    assert!(matches!(w.run_until_idle(1000), Ended::Idle));
    assert_eq!(w.active_pes(), 65536);
}

#[test]
fn a_recording_follows_a_wavelet_and_changes_nothing() {
    let run = |recorded: bool| {
        let mut w = wafer(&pair(5, 5));
        if recorded {
            w.record(TraceFilter::default());
        }
        assert!(matches!(w.run_until_idle(1000), Ended::Idle));
        (w.now(), w.hops(), words(&mut w, 1, 5), w.recording())
    };
    let (silent, recorded) = (run(false), run(true));
    assert_eq!((silent.0, silent.1, &silent.2), (recorded.0, recorded.1, &recorded.2));
    assert_eq!(silent.3.map(|r| r.events.len()), None);
    let recording = recorded.3.expect("this run was recorded");
    let way = recording.events.iter().filter_map(|e| match e.what {
        EventKind::Sent(w) if w.number == 1 => Some((e.cycle, e.pe.x, "sent")),
        EventKind::Hop { wavelet, to, .. } if wavelet.number == 1 => Some((e.cycle, e.pe.x, to.name())),
        EventKind::Delivered { wavelet, .. } if wavelet.number == 1 => Some((e.cycle, e.pe.x, "delivered")),
        _ => None,
    });
    let way: Vec<_> = way.collect();
    assert_eq!(way, [(6, 0, "sent"), (8, 0, "EAST"), (9, 1, "RAMP"), (11, 1, "delivered")]);
    let ends = recording.events.iter().filter(|e| matches!(e.what, EventKind::End { done: 5, .. }));
    assert_eq!(ends.count(), 2);
}

#[test]
fn a_recording_that_is_full_keeps_the_first_events() {
    let record = |limit| {
        let mut w = wafer(&pair(5, 5));
        w.record(TraceFilter { limit, ..TraceFilter::default() });
        assert!(matches!(w.run_until_idle(1000), Ended::Idle));
        w.recording().expect("this run was recorded")
    };
    let all = record(1000);
    assert_eq!(all.cut, None);
    for limit in [1, 4, 9] {
        let some = record(limit);
        assert_eq!(some.events, all.events[..limit]);
        assert_eq!(some.cut, Some(all.events[limit - 1].cycle));
    }
}

/// A tile whose task 8 activates itself without end.
fn restless() -> Arc<TileImage> {
    let mut tile = Arc::unwrap_or_clone(mover(mem(1), mem(1), 1));
    let task = tile.function_mut(FnId(0));
    (task.consts, task.code) = (vec![8], vec![Op::Activate { a: 0 }, Op::Ret].into());
    Arc::new(tile)
}

#[test]
fn tasks_of_a_pe_that_is_alone_take_few_steps_until_another_does_something() {
    let run = |place, is_recorded| {
        let program = program(2, vec![restless()], place, RouteTable::new(2));
        let mut w = wafer(&program);
        if is_recorded {
            w.record(TraceFilter::default());
        }
        w.set_unobserved_until(600);
        let mut steps = 0;
        while w.now() < 600 && w.cycle(u64::MAX) == Progress::Moving {
            steps += 1;
        }
        let started = w.made().map(|(_, pe)| pe.activity().map(|a| (a.started, a.since)));
        (steps, started.collect::<Vec<_>>())
    };
    let (few, alone) = run(vec![0, NO_TILE], false);
    let (many, same) = run(vec![0, NO_TILE], true);
    assert_eq!(alone, same);
    assert!(few < 5 && many > 50, "{few} and {many} steps");
    let (steps, both) = run(vec![0, 0], false);
    assert_eq!(both, [alone, same].concat());
    assert!(steps > 50, "{steps} steps");
}
