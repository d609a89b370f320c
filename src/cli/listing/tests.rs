use super::*;
use crate::arch::{ArchName, Color, Direction, InQueue, PeCoord, TaskId};
use crate::dsd::{Dsd, FabIn, Mem, MemKind, Priority, Simd};
use crate::image::routes::{ColorConfig, Directions, PopMode, Position, RouteTable, Switches};
use crate::image::{
    ExportName, FabricPlace, FnId, Function, MemcpyColors, Op, OperandRegisters, QueueBinding, RegisterUse,
    Scalar, Symbol, TaskBinding, TaskKind, TileImage, TileParams,
};
use crate::source::{FileId, SourceMap, Span};
use std::sync::Arc;

fn nowhere() -> Span {
    Span::new(FileId(0), 0, 0)
}

fn sender() -> TileImage {
    TileImage {
        file: "sender.csl".to_string(),
        params: TileParams::new([("n", 4)]),
        data_end: 12,
        symbols: vec![Symbol {
            name: "a".to_string(),
            addr: 0,
            words: 8,
            ty: "[4]f32".to_string(),
            dims: Vec::new(),
            element: Some(Scalar::F32),
            bits: None,
            inside: Default::default(),
            mutable: true,
            undefined: false,
            span: nowhere(),
        }]
        .into(),
        functions: vec![Arc::new(Function {
            name: "main".to_string(),
            span: nowhere(),
            params: 0,
            consts: Vec::new(),
            registers: 3,
            frame_words: 0,
            locals: Vec::new().into(),
            code: vec![Op::Ret].into(),
            spans: vec![nowhere()].into(),
        })],
        dsds: dsds().into(),
        tasks: vec![TaskBinding {
            id: TaskId(9),
            kind: TaskKind::Data,
            function: FnId(0),
            params: vec![Scalar::F32],
            name: "main".to_string(),
            span: nowhere(),
        }]
        .into(),
        active: 1 << 9,
        blocked: 1 << 9,
        input_queues: vec![QueueBinding {
            queue: InQueue(2),
            color: Color(5),
            priority: Priority::High,
            explicit: true,
            span: nowhere(),
        }]
        .into(),
        registers: vec![register_use()].into(),
        operands: vec![operand_registers()].into(),
        ..TileImage::default()
    }
}

fn dsds() -> Vec<Dsd> {
    vec![
        Dsd::Mem(Mem {
            kind: MemKind::Mem4d,
            base: 2,
            dims: 2,
            extent: [2, 3, 1, 1],
            step: [4, -7, 0, 0],
            index_offset: false,
            lo: 0,
            hi: 8,
            has_soft_bounds: false,
            wrap: 0,
            origin: 0,
        }),
        Dsd::FabIn(FabIn {
            color: Some(Color(5)),
            queue: Some(InQueue(2)),
            extent: 4,
            control_transform: false,
            simd: Simd::Off,
            priority: Priority::High,
        }),
    ]
}

fn register_use() -> RegisterUse {
    RegisterUse {
        register: "dest 0".to_string(),
        holds: "a (mem4d)".into(),
        chosen_by: "the compiler".into(),
        span: nowhere(),
    }
}

fn operand_registers() -> OperandRegisters {
    OperandRegisters {
        operation: "mov16".into(),
        operand: "to a (mem4d)".to_string(),
        registers: "dest 0, xdsr 1".to_string(),
        why: "a destination".into(),
        span: nowhere(),
    }
}

fn program() -> Program {
    let (width, height) = (4, 2);
    let mut sources = SourceMap::default();
    sources.add("sender.csl", "");
    let mut routes = RouteTable::new(8);
    let one = |from, to| ColorConfig {
        rx: Directions::only(from),
        tx: Directions::only(to),
        ..ColorConfig::default()
    };
    let switched = ColorConfig {
        switches: Some(Switches {
            positions: [
                Some(Position { rx: None, tx: Some(Directions::only(Direction::South)) }),
                None,
                None,
            ],
            current: 1,
            ring: true,
            pop: PopMode::AlwaysPop,
            ..Switches::NONE
        }),
        ..one(Direction::West, Direction::Ramp)
    };
    for y in 0..height {
        routes.set(usize::from(4 * y), Color(5), one(Direction::Ramp, Direction::East), None);
        for x in 1..width {
            routes.set(usize::from(4 * y + x), Color(5), switched.clone(), None);
        }
    }
    Program {
        arch: ArchName::Wse2,
        width,
        height,
        fabric: FabricPlace { width: 11, height: 4, x: 4, y: 1, channels: 1 },
        tiles: vec![
            Arc::new(sender()),
            Arc::new(TileImage { file: "idle.csl".into(), ..TileImage::default() }),
        ],
        place: vec![0, 1, 1, 1, 0, 1, 1, 1],
        routes,
        exports: vec![
            ExportName {
                name: "a".to_string(),
                kind: ExportKind::Var { ty: "[*]f32".to_string(), element: Scalar::F32, mutable: false },
                span: nowhere(),
            },
            ExportName {
                name: "main".to_string(),
                kind: ExportKind::Fn { inputs: vec![Scalar::I16, Scalar::F32] },
                span: nowhere(),
            },
        ],
        memcpy: Some(MemcpyColors { h2d: [Some(Color(3)), None, None, None], d2h: [None; 4] }),
        sdk_layout: None,
        origin: None,
        sources,
    }
}

#[test]
fn a_program_is_listed_with_all_its_parts() {
    let program = program();
    assert!(program.tile_at(PeCoord { x: 1, y: 1 }).is_some());
    insta::assert_snapshot!(text(&program));
}

#[test]
fn equal_programs_give_equal_text() {
    assert_eq!(text(&program()), text(&program()));
}
