//! What a forged program may not say.

use super::*;
use crate::arch::{ArchName, DsrFile, DsrId, InQueue, TaskId};
use crate::dsd::{FabOut, FifoAccess, FifoId, Mem, MemKind};
use crate::image::code::{Access, AsyncConfig, DsdOperand, DsdRef, DsrLoad, Intrinsic, MapOp, VectorOp};
use crate::image::{
    DsrRef, FabricPlace, Op, OperandPlace, OperandRole, QueueBinding, RouteTable, TaskBinding, TaskKind,
};
use crate::source::FileId;

const HERE: Span = Span { file: FileId(0), lo: 1, hi: 3 };

fn function(code: Vec<Op>) -> Function {
    Function {
        name: "main".to_string(),
        span: HERE,
        params: 1,
        consts: vec![7],
        registers: 4,
        frame_words: 2,
        locals: Vec::new().into(),
        spans: vec![HERE; code.len()].into(),
        code: code.into(),
    }
}

fn line() -> Dsd {
    Dsd::Mem(Mem {
        kind: MemKind::Mem1d,
        base: 0,
        dims: 1,
        extent: [4, 1, 1, 1],
        step: [1, 0, 0, 0],
        index_offset: false,
        lo: 0,
        hi: 4,
        has_soft_bounds: false,
        wrap: 0,
        origin: 0,
    })
}

/// A tile with something in each of its tables.
fn tile() -> TileImage {
    let vector = DsdOperand::Dsd(DsdRef::Const(0));
    let config = AsyncConfig::default();
    let op = crate::dsd::ops::lookup("mov16").expect("there is such an operation");
    let copy = VectorOp {
        op,
        dest: vector,
        sources: vec![vector],
        config,
        index: None,
        result: Some(3),
        span: HERE,
    };
    let map = MapOp { inputs: vec![(vector, Access::U16)], output: Some((vector, Access::U16)), span: HERE };
    let dsr = DsrRef { id: DsrId { file: DsrFile::Dest, number: 2 }, fifo: false };
    let load = DsrLoad {
        dsr,
        xdsr: None,
        strides: Vec::new(),
        dsd: DsdRef::Const(0),
        save_address: false,
        single_step: false,
        config,
        is_unbound: false,
        span: HERE,
    };
    let code = vec![
        Op::AddU { d: 2, a: 0, b: 1, sh: 48 },
        Op::Vector { n: 0 },
        Op::MapBegin { n: 0 },
        Op::MapNext { n: 0, base: 3, done: 6 },
        Op::MapPut { n: 0, s: 3 },
        Op::Jump { to: 3 },
        Op::MapEnd { n: 0 },
        Op::LoadDsr { n: 0 },
        Op::Assert { a: 2, text: 0 },
        Op::Call { f: FnId(0), base: 3 },
        Op::Ret,
    ];
    TileImage {
        data: vec![1, 2].into(),
        data_end: 4,
        functions: vec![function(code).into()],
        vector_ops: vec![copy].into(),
        maps: vec![map].into(),
        dsr_loads: vec![load].into(),
        initial_dsrs: vec![0],
        dsds: vec![line()].into(),
        strings: vec!["why".to_string()].into(),
        ..TileImage::default()
    }
}

fn program(tile: TileImage) -> Program {
    let mut sources = SourceMap::default();
    sources.add("a.csl", "text\n");
    Program {
        arch: ArchName::Wse3,
        width: 1,
        height: 1,
        fabric: FabricPlace::default(),
        tiles: vec![tile.into()],
        place: vec![0],
        routes: RouteTable::new(1),
        exports: Vec::new(),
        memcpy: None,
        sdk_layout: None,
        origin: None,
        sources,
    }
}

/// The place of an operand that ends there.
fn place_of(hi: u32) -> OperandPlace {
    OperandPlace { op: HERE, dsd: Span { hi, ..HERE }, role: OperandRole::In }
}

/// What is said of the tile after a change.
fn verdict(change: impl FnOnce(&mut TileImage)) -> Verdict {
    let mut tile = tile();
    change(&mut tile);
    program(tile).verify()
}

#[test]
fn a_program_that_keeps_its_promises_is_accepted() {
    assert_eq!(verdict(|_| {}), Ok(()));
}

#[test]
fn no_operation_may_name_what_its_function_or_tile_does_not_have() {
    let forged = [
        (0, Op::AddU { d: 4, a: 0, b: 1, sh: 48 }),
        (0, Op::AddU { d: 2, a: 0, b: 1, sh: 64 }),
        (1, Op::Vector { n: 1 }),
        (2, Op::MapBegin { n: 1 }),
        (3, Op::MapNext { n: 0, base: 4, done: 6 }),
        (5, Op::Jump { to: 11 }),
        (5, Op::Jump { to: 7 }),
        (6, Op::Jump { to: 7 }),
        (7, Op::LoadDsr { n: 1 }),
        (8, Op::Assert { a: 2, text: 1 }),
        (9, Op::Call { f: FnId(1), base: 3 }),
        (9, Op::Intrinsic { id: Intrinsic::Math32, base: 2 }),
        (9, Op::PutDsd { a: 2, n: 1 }),
        (9, Op::FifoLength { fifo: FifoId(0), access: FifoAccess::Pop, a: 2 }),
        (9, Op::Load32 { d: 2, a: 0, off: 0 }),
        (10, Op::Jump { to: 0 }),
    ];
    for (at, op) in forged {
        let verdict = verdict(|tile| tile.function_mut(FnId(0)).code[at] = op);
        assert!(verdict.is_err(), "{op:?} in place {at}");
    }
}

#[test]
fn no_function_may_lack_registers_or_places() {
    assert!(verdict(|tile| tile.function_mut(FnId(0)).registers = 3).is_err());
    assert!(verdict(|tile| tile.function_mut(FnId(0)).consts = vec![0; 4]).is_err());
    assert!(verdict(|tile| tile.function_mut(FnId(0)).spans.truncate(3)).is_err());
    assert!(verdict(|tile| tile.function_mut(FnId(0)).span.hi = 99).is_err());
    assert!(verdict(|tile| tile.function_mut(FnId(0)).code = Vec::new().into()).is_err());
}

#[test]
fn no_operand_may_be_of_another_kind() {
    let fabout = Dsd::FabOut(FabOut {
        color: Some(Color(3)),
        queue: None,
        extent: 4,
        control: false,
        index_offset: false,
        advance_switch: false,
        control_transform: false,
        zero: None,
        simd: crate::dsd::Simd::Off,
        priority: crate::dsd::Priority::Low,
    });
    assert!(verdict(|tile| tile.dsds[0] = fabout).is_err());
    assert!(verdict(|tile| tile.dsds[0] = Dsd::Fifo(FifoId(0))).is_err());
    assert!(verdict(|tile| tile.vector_ops[0].op = u8::MAX).is_err());
    assert!(verdict(|tile| tile.vector_ops[0].sources.clear()).is_err());
    assert!(verdict(|tile| tile.vector_ops[0].dest = DsdOperand::Nowhere).is_err());
    assert!(verdict(|tile| tile.vector_ops[0].result = Some(4)).is_err());
    assert!(verdict(|tile| tile.maps[0].output = None).is_err());
    assert!(verdict(|tile| tile.dsr_loads[0].dsr.id.number = 16).is_err());
    assert!(verdict(|tile| tile.dsr_loads[0].dsd = DsdRef::At(0, crate::value::ty::DsdTy::Mem1d)).is_err());
    assert!(verdict(|tile| tile.initial_dsrs = vec![1]).is_err());
    assert!(verdict(|tile| tile.dsr_loads[0].is_unbound = true).is_err());
}

#[test]
fn nothing_may_lie_outside_of_the_machine() {
    assert!(verdict(|tile| tile.data_end = 24 * 1024 + 1).is_err());
    assert!(verdict(|tile| tile.data = vec![0; 5].into()).is_err());
    let (id, kind) = (TaskId(8), TaskKind::Local);
    let task = |function| {
        let (params, name) = (Vec::new(), String::new());
        TaskBinding { id, kind, function, params, name, span: HERE }
    };
    assert!(verdict(|tile| tile.tasks = vec![task(FnId(0))].into()).is_ok());
    assert!(verdict(|tile| tile.tasks = vec![task(FnId(1))].into()).is_err());
    let queue = |queue, color| QueueBinding {
        queue: InQueue(queue),
        color: Color(color),
        priority: crate::dsd::Priority::Low,
        explicit: true,
        span: HERE,
    };
    assert!(verdict(|tile| tile.input_queues = vec![queue(7, 23)].into()).is_ok());
    assert!(verdict(|tile| tile.input_queues = vec![queue(8, 23)].into()).is_err());
    assert!(verdict(|tile| tile.input_queues = vec![queue(7, 24)].into()).is_err());
}

#[test]
fn a_tile_is_looked_at_though_another_shares_its_lists() {
    let mut first = tile();
    first.function_mut(FnId(0)).code[9] = Op::Call { f: FnId(1), base: 3 };
    first.functions.push(function(vec![Op::Ret]).into());
    first.function_mut(FnId(0)).code[7] = Op::LoadDsr { n: 1 };
    let load = first.dsr_loads[0].clone();
    first.dsr_loads.push(load);
    let verdict = |change: fn(&mut TileImage)| {
        let mut second = first.clone();
        change(&mut second);
        let tiles = vec![first.clone().into(), second.into()];
        Program { tiles, ..program(tile()) }.verify()
    };
    assert_eq!(verdict(|_| {}), Ok(()));
    assert_eq!(verdict(|tile| tile.function_mut(FnId(0)).consts[0] = 8), Ok(()));
    let forged: [fn(&mut TileImage); 11] = [
        |tile| tile.strings = Vec::new().into(),
        |tile| tile.functions.truncate(1),
        |tile| tile.function_mut(FnId(0)).registers = 3,
        |tile| tile.function_mut(FnId(0)).consts = vec![0; 4],
        |tile| tile.function_mut(FnId(0)).params = 4,
        |tile| tile.function_mut(FnId(0)).span.hi = 99,
        |tile| tile.function_mut(FnId(0)).code[8] = Op::Assert { a: 2, text: 1 },
        |tile| tile.function_mut(FnId(0)).spans[0].hi = 99,
        |tile| tile.maps[0].output = None,
        |tile| tile.dsr_loads[1].dsd = DsdRef::At(4, crate::value::ty::DsdTy::Mem1d),
        |tile| tile.places = vec![place_of(99)].into(),
    ];
    for (n, change) in forged.into_iter().enumerate() {
        assert!(verdict(change).is_err(), "change {n}");
    }
}

#[test]
fn every_pe_has_a_tile_that_exists() {
    assert!(Program { place: vec![1], ..program(tile()) }.verify().is_err());
    assert!(Program { place: vec![NO_TILE], ..program(tile()) }.verify().is_ok());
}
