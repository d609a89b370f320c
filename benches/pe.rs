//! How fast one PE runs: scalar loops, calls, DSD operations in memory, start-up.

use cslrun::arch::{ArchName, Color, PeCoord};
use cslrun::dsd::{Dsd, Mem, MemKind, ops};
use cslrun::fabric::{Ramp, Wavelet};
use cslrun::image::code::{Access, DsdRef, Operand, VectorOp};
use cslrun::image::{FnId, Function, Op, TileImage};
use cslrun::pe::{Desk, Pe, PeLog, PeOptions, Wake};
use cslrun::source::{FileId, Span};
use divan::Bencher;
use divan::counter::ItemsCount;
use std::cell::RefCell;
use std::sync::Arc;

fn main() {
    divan::main();
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

struct NoRamp;

impl Ramp for NoRamp {
    fn send(&mut self, _: Color, wavelet: Wavelet) -> Result<(), Wavelet> {
        Err(wavelet)
    }
    fn advance_switch(&mut self, _: Color) {}
    fn address_letter(&mut self, _: PeCoord, _: u16) {}
    fn config(&mut self, _: u16) -> Option<u16> {
        None
    }
    fn set_config(&mut self, _: u16, _: u16) -> bool {
        false
    }
}

fn span() -> Span {
    Span::new(FileId(0), 0, 0)
}

fn function(params: u16, consts: &[u64], code: Vec<Op>) -> Function {
    Function {
        name: "f".to_string(),
        span: span(),
        params,
        consts: consts.to_vec(),
        registers: 16,
        frame_words: 0,
        locals: Vec::new(),
        spans: vec![span(); code.len()],
        code,
    }
}

fn pe(tile: TileImage) -> Pe {
    pe_of(&Arc::new(tile))
}

fn pe_of(tile: &Arc<TileImage>) -> Pe {
    Pe::new(PeCoord { x: 0, y: 0 }, ArchName::Wse2.numbers(), Arc::clone(tile), PeOptions { checked: true })
}

fn run(pe: &mut Pe, arguments: &[u64]) -> u64 {
    let (mut now, mut log) = (0, PeLog::default());
    pe.launch(FnId(0), arguments);
    DESK.with_borrow_mut(|desk| {
        while let Wake::At(cycle) =
            pe.cycle(now, &mut NoRamp, &mut log, desk).expect("the program is correct")
        {
            now = cycle;
        }
    });
    now
}

/// `for (i < 1000) for (j < 1000) acc = acc * 3 + j ^ i`: the items are inner iterations.
#[divan::bench]
fn nested_loop(bencher: Bencher) {
    // 0 acc, 1 i, 2 j, 3 zero, 4 one, 5 n, 6 three, 7 t
    let code = vec![
        Op::Mov { d: 1, a: 3 },
        Op::Mov { d: 2, a: 3 },
        Op::MulU { d: 0, a: 0, b: 6, sh: 32 },
        Op::AddU { d: 0, a: 0, b: 2, sh: 32 },
        Op::Xor { d: 0, a: 0, b: 1 },
        Op::AddU { d: 2, a: 2, b: 4, sh: 48 },
        Op::JumpLtU { a: 2, b: 5, to: 2 },
        Op::AddU { d: 1, a: 1, b: 4, sh: 48 },
        Op::JumpLtU { a: 1, b: 5, to: 1 },
        Op::StoreAt { s: 0, addr: 100, kind: Access::U32 },
        Op::Ret,
    ];
    let f = function(0, &[1, 0, 0, 0, 1, 1000, 3], code);
    let mut pe = pe(TileImage { functions: vec![f], data_end: 200, ..TileImage::default() });
    bencher.counter(ItemsCount::new(1_000_000u32)).bench_local(|| run(&mut pe, &[]));
}

/// `for (i < 1000) for (j < 1000) a[j & 63] += i`, in memory.
#[divan::bench]
fn array_loop(bencher: Bencher) {
    let code = vec![
        Op::Mov { d: 1, a: 3 },
        Op::Mov { d: 2, a: 3 },
        Op::And { d: 7, a: 2, b: 6 },
        Op::LoadElem { d: 0, base: 0, b: 7, len: 64, kind: Access::U32 },
        Op::AddU { d: 0, a: 0, b: 1, sh: 32 },
        Op::StoreElem { s: 0, base: 0, b: 7, len: 64, kind: Access::U32 },
        Op::AddU { d: 2, a: 2, b: 4, sh: 48 },
        Op::JumpLtU { a: 2, b: 5, to: 2 },
        Op::AddU { d: 1, a: 1, b: 4, sh: 48 },
        Op::JumpLtU { a: 1, b: 5, to: 1 },
        Op::Ret,
    ];
    let f = function(0, &[1, 0, 0, 0, 1, 1000, 63], code);
    let mut pe = pe(TileImage { functions: vec![f], data_end: 200, ..TileImage::default() });
    bencher.counter(ItemsCount::new(1_000_000u32)).bench_local(|| run(&mut pe, &[]));
}

/// Recursive Fibonacci of 24: the items are calls.
#[divan::bench]
fn fib(bencher: Bencher) {
    let main = function(1, &[], vec![Op::Call { f: FnId(1), base: 0 }, Op::Ret]);
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
    let functions = vec![main, function(1, &[1, 2], code)];
    let mut pe = pe(TileImage { functions, data_end: 200, ..TileImage::default() });
    bencher.counter(ItemsCount::new(150_049u32)).bench_local(|| run(&mut pe, &[24]));
}

const REPEATS: u64 = 1000;

/// A tile that runs an operation many times over vectors of this length.
fn repeated(name: &str, words: u16, count: u16, scalar: Option<u64>) -> TileImage {
    let line = |base: u16| {
        Dsd::Mem(Mem {
            kind: MemKind::Mem1d,
            base,
            dims: 1,
            extent: [count, 1, 1, 1],
            step: [1, 0, 0, 0],
            index_offset: false,
            lo: 0,
            hi: 0x6000,
            wrap: 0,
            origin: 0,
        })
    };
    let size = words * count;
    let dsd = |n| Operand::Dsd(DsdRef::Const(n));
    let op = ops::lookup(name).expect("it is in the table");
    let mut sources = vec![dsd(0), dsd(1)];
    sources.extend(scalar.map(|_| Operand::Scalar(4)));
    sources.truncate(ops::OPS[usize::from(op)].arity());
    let vector = VectorOp {
        op,
        dest: dsd(0),
        sources,
        config: Default::default(),
        index: None,
        result: None,
        span: span(),
    };
    let code = vec![
        Op::Vector { n: 0 },
        Op::AddU { d: 1, a: 1, b: 2, sh: 32 },
        Op::JumpLtU { a: 1, b: 3, to: 0 },
        Op::Ret,
    ];
    TileImage {
        functions: vec![function(0, &[0, 0, 1, REPEATS, scalar.unwrap_or(0)], code)],
        dsds: vec![line(0), line(size)],
        vector_ops: vec![vector],
        data_end: 2 * size,
        ..TileImage::default()
    }
}

/// Operations on `N` elements in memory: the items are operations.
mod vector {
    use super::*;

    fn bench(bencher: Bencher, name: &str, words: u16, count: u16, scalar: Option<u64>) {
        let mut pe = pe(repeated(name, words, count, scalar));
        bencher.counter(ItemsCount::new(REPEATS)).bench_local(|| run(&mut pe, &[]));
    }

    #[divan::bench(args = [1, 8, 64, 1000])]
    fn fadds(bencher: Bencher, count: u16) {
        bench(bencher, "fadds", 2, count, None);
    }

    #[divan::bench(args = [64, 1000])]
    fn fmacs(bencher: Bencher, count: u16) {
        bench(bencher, "fmacs", 2, count, Some(0x3f00_0000));
    }

    #[divan::bench(args = [64, 1000])]
    fn mov32(bencher: Bencher, count: u16) {
        bench(bencher, "mov32", 2, count, None);
    }

    #[divan::bench(args = [64, 1000])]
    fn faddh(bencher: Bencher, count: u16) {
        bench(bencher, "faddh", 1, count, None);
    }

    #[divan::bench(args = [64, 1000])]
    fn fmach(bencher: Bencher, count: u16) {
        bench(bencher, "fmach", 1, count, Some(0x3800));
    }

    #[divan::bench(args = [64, 1000])]
    fn add16(bencher: Bencher, count: u16) {
        bench(bencher, "add16", 1, count, None);
    }
}

/// A PE comes into being.
#[divan::bench]
fn new(bencher: Bencher) {
    let tile = Arc::new(repeated("fadds", 2, 64, None));
    bencher.bench_local(|| pe_of(&tile));
}
