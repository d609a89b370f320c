//! The fabric under load, and what a wafer costs that does little.

use cslrun::arch::{ArchName, Color, Direction, TaskId};
use cslrun::fabric::{Fabric, Offramps, Ramp, Wavelet};
use cslrun::image::routes::{ColorConfig, Directions};
use cslrun::image::{FabricPlace, FnId, Function, Op, Program, RouteTable, TaskBinding, TaskKind, TileImage};
use cslrun::source::{FileId, SourceMap, Span};
use cslrun::wafer::{PeOptions, Wafer};
use divan::Bencher;
use divan::counter::ItemsCount;
use std::sync::Arc;

/// That of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

const COLOR: Color = Color(5);
const CYCLES: u64 = 1000;
const HERE: Span = Span { file: FileId(0), lo: 0, hi: 0 };

fn program(side: u16, tiles: Vec<Arc<TileImage>>, place: Vec<u32>, routes: RouteTable) -> Arc<Program> {
    Arc::new(Program {
        arch: ArchName::Wse2,
        width: side,
        height: side,
        fabric: FabricPlace::default(),
        tiles,
        place,
        routes,
        exports: Vec::new(),
        memcpy: None,
        direct: None,
        sources: SourceMap::default(),
    })
}

/// PEs that take everything.
struct Sinks;

impl Offramps for Sinks {
    fn deliver(&mut self, _: usize, _: Color, _: Wavelet) -> bool {
        true
    }
}

/// Every row of 32 x 32 PEs streams from its first PE to its last.
#[divan::bench]
fn saturated_rows_hops(bencher: Bencher) {
    let side = 32;
    let mut routes = RouteTable::new(side * side);
    let config =
        |rx, tx| ColorConfig { rx: Directions::only(rx), tx: Directions::only(tx), ..ColorConfig::default() };
    for pe in 0..side * side {
        let rx = if pe % side == 0 { Direction::Ramp } else { Direction::West };
        let tx = if pe % side == side - 1 { Direction::Ramp } else { Direction::East };
        routes.set(pe, COLOR, config(rx, tx), None);
    }
    let program = program(side as u16, Vec::new(), vec![u32::MAX; side * side], routes);
    let stream = || {
        let mut fabric = Fabric::new(&program);
        for now in 0..CYCLES {
            fabric.deliver(now, &mut Sinks);
            for row in 0..side {
                let _ =
                    fabric.ramp(row * side, now).send(COLOR, Wavelet { data: now as u32, control: false });
            }
            fabric.step(now);
        }
        fabric.hops()
    };
    let hops = stream();
    bencher.counter(ItemsCount::new(hops)).bench_local(stream);
}

/// A tile that counts to `rounds` in task 8.
fn counter(rounds: u64, active: bool) -> Arc<TileImage> {
    let code = vec![Op::AddU { d: 2, a: 2, b: 1, sh: 48 }, Op::JumpLtU { a: 2, b: 0, to: 0 }, Op::Ret];
    let function = Function {
        name: "count".to_string(),
        span: HERE,
        params: 0,
        consts: vec![rounds, 1, 0],
        registers: 3,
        frame_words: 0,
        locals: Vec::new(),
        spans: vec![HERE; code.len()],
        code,
    };
    let task = TaskBinding {
        id: TaskId(8),
        kind: TaskKind::Local,
        function: FnId(0),
        params: Vec::new(),
        name: "count".to_string(),
        span: HERE,
    };
    let active = if active { 1 << 8 } else { 0 };
    Arc::new(TileImage { functions: vec![function], tasks: vec![task], active, ..TileImage::default() })
}

/// One PE counts to 60,000; the others have nothing to do.
#[divan::bench(args = [1, 64])]
fn one_busy_pe_on_a_side_of(bencher: Bencher, side: u16) {
    let pes = usize::from(side) * usize::from(side);
    let mut place = vec![1; pes];
    place[0] = 0;
    let tiles = vec![counter(60_000, true), counter(0, false)];
    let program = program(side, tiles, place, RouteTable::new(pes));
    bencher.bench_local(|| {
        let mut wafer = Wafer::new(&program, PeOptions::default());
        wafer.run_until_idle(u64::MAX)
    });
}

/// From the program to the first quiet moment; every PE runs a task of a few operations.
#[divan::bench(sample_count = 5)]
fn start_of_256_x_256(bencher: Bencher) {
    let program = program(256, vec![counter(3, true)], vec![0; 65536], RouteTable::new(65536));
    bencher.bench_local(|| {
        let mut wafer = Wafer::new(&program, PeOptions::default());
        wafer.run_until_idle(u64::MAX);
        wafer.made().count()
    });
}
