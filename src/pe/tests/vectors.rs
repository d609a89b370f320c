use super::*;
use crate::arch::{DsrFile, DsrId};
use crate::dsd::DSD_WORDS;
use crate::image::DsrRef;
use crate::image::code::{Access, DsdEdit, DsdRef, DsrLoad, MapOp};
use crate::value::ty::DsdTy;

/// A tile whose function 0 runs `code`, with constants from register 0 on.
fn tile(consts: &[u64], mut code: Vec<Op>, dsds: Vec<Dsd>, vector_ops: Vec<VectorOp>) -> TileImage {
    code.push(Op::Ret);
    TileImage {
        functions: vec![function("main", 0, consts, code).into()],
        data: (0..64).collect(),
        data_end: 1000,
        dsds: dsds.into(),
        vector_ops: vector_ops.into(),
        ..TileImage::default()
    }
}

fn launched(tile: TileImage) -> PeBench {
    let mut bench = PeBench::new(ArchName::Wse2, tile);
    bench.pe.launch((FnId(0), 0), &[]);
    bench
}

const fn dsd(n: u32) -> DsdOperand {
    DsdOperand::Dsd(DsdRef::Const(n))
}

fn dsr(file: DsrFile, number: u8) -> DsrRef {
    DsrRef { id: DsrId { file, number }, fifo: false }
}

#[test]
fn a_memory_operation_is_complete_when_it_returns() {
    let ops = vec![vector("add16", dsd(1), &[dsd(0), DsdOperand::Scalar(0)])];
    let code = vec![Op::Vector { n: 0 }, Op::LoadAt { d: 1, addr: 103, kind: Access::U16 }];
    let code = [code, vec![Op::StoreAt { s: 1, addr: 99, kind: Access::U16 }]].concat();
    let mut bench = launched(tile(&[1000], code, vec![line(1, 4), line(100, 4)], ops));
    bench.run();
    assert_eq!(bench.memory(99, 5), [1004, 1001, 1002, 1003, 1004]);
}

#[test]
fn the_first_source_sets_the_length_which_memory_must_have_and_an_empty_operand_stops_all() {
    let code = || vec![Op::Vector { n: 0 }];
    let ops = || vec![vector("mov16", dsd(1), &[dsd(0)])];
    let mut bench = launched(tile(&[], code(), vec![line(1, 5), line(100, 4)], ops()));
    assert_eq!(bench.rule(), "length-mismatch");
    let mut bench = launched(tile(&[], code(), vec![line(1, 4), line(100, 5)], ops()));
    bench.run();
    assert_eq!(bench.memory(100, 5), [1, 2, 3, 4, 0]);
    let mut bench = launched(tile(&[], code(), vec![line(1, 4), line(100, 0)], ops()));
    bench.run();
    assert_eq!(bench.memory(100, 2), [0, 0]);
}

#[test]
fn a_vector_must_stay_in_the_tensor_it_was_made_for_where_it_is_written() {
    let Dsd::Mem(mut mem) = line(10, 4) else { unreachable!() };
    (mem.lo, mem.hi) = (10, 13);
    let rule = |dest: u32, source: u32| {
        let ops = vec![vector("mov16", dsd(dest), &[dsd(source)])];
        let dsds = vec![Dsd::Mem(mem), line(100, 4)];
        launched(tile(&[], vec![Op::Vector { n: 0 }], dsds, ops)).rule()
    };
    assert_eq!((&*rule(0, 1), &*rule(1, 0)), ("memory-out-of-bounds", "outside-variable"));
}

#[test]
fn a_dsd_variable_is_edited_in_memory() {
    // 500: a copy of dsd 0 moved by 2 elements of 2 words, 3 long, with stride 2.
    let edit = |b, edit| Op::EditDsd { a: 0, b, edit, origin: 0, in_place: false };
    let code = vec![
        Op::PutDsd { a: 0, n: 0 },
        edit(1, DsdEdit::Offset { words: 2 }),
        edit(2, DsdEdit::Length),
        edit(1, DsdEdit::Stride),
        Op::Vector { n: 0 },
    ];
    let ops = vec![vector("mov16", dsd(1), &[DsdOperand::Dsd(DsdRef::At(0, DsdTy::Mem1d))])];
    let mut bench = launched(tile(&[500, 2, 3], code, vec![line(1, 9), line(100, 3)], ops));
    bench.run();
    assert_eq!(bench.memory(100, 3), [5, 7, 9]);
    assert_eq!(bench.memory(500, DSD_WORDS.into())[2..4], [5, 3]);
}

#[test]
fn an_unset_dsd_variable_is_an_error() {
    let ops = vec![vector("mov16", dsd(0), &[DsdOperand::Dsd(DsdRef::At(0, DsdTy::Mem1d))])];
    let mut bench = launched(tile(&[500], vec![Op::Vector { n: 0 }], vec![line(1, 9)], ops));
    assert_eq!(bench.rule(), "dsd-unset");
}

#[test]
fn a_dsr_with_save_address_goes_on_where_it_stopped() {
    let to = dsr(DsrFile::Dest, 3);
    let ops =
        [0, 1, 2].map(|reg| vector("mov16", DsdOperand::Dsd(DsdRef::Dsr(to)), &[DsdOperand::Scalar(reg)]));
    let code =
        vec![Op::Vector { n: 0 }, Op::Vector { n: 1 }, Op::SetDsrBase { dsr: to, a: 3 }, Op::Vector { n: 2 }];
    let mut tile = tile(&[7, 8, 9, 100], code, vec![line(100, 2)], ops.to_vec());
    tile.dsr_loads = vec![DsrLoad {
        dsr: to,
        xdsr: None,
        strides: Vec::new(),
        dsd: DsdRef::Const(0),
        save_address: true,
        single_step: false,
        config: Default::default(),
        is_unbound: false,
        span: span(),
    }]
    .into();
    tile.initial_dsrs = vec![0];
    let mut bench = launched(tile);
    bench.run();
    assert_eq!(bench.memory(100, 5), [9, 9, 8, 8, 0]);
}

#[test]
fn an_empty_dsr_is_an_error() {
    let from = DsdOperand::Dsd(DsdRef::Dsr(dsr(DsrFile::Src1, 2)));
    let ops = vec![vector("mov16", dsd(0), &[from])];
    let mut bench = launched(tile(&[], vec![Op::Vector { n: 0 }], vec![line(1, 9)], ops));
    assert_eq!(bench.rule(), "dsr-empty");
}

#[test]
fn a_pointer_destination_accumulates_from_the_scalar() {
    let ops = vec![vector("fadds", DsdOperand::Pointer(0), &[DsdOperand::Scalar(1), dsd(0)])];
    let start = 0.5f32.to_bits().into();
    let mut tile = tile(&[100, start], vec![Op::Vector { n: 0 }], vec![line(0, 3)], ops);
    let numbers = [1.0f32, 2.0, 4.0].map(f32::to_bits);
    tile.data = numbers.iter().flat_map(|bits| [*bits as u16, (bits >> 16) as u16]).collect();
    let mut bench = launched(tile);
    bench.run();
    let sum = 7.5f32.to_bits();
    assert_eq!(bench.memory(100, 2), [sum as u16, (sum >> 16) as u16]);
}

/// out[i] = a[i] * 3 + b[i] as an `@map`.
fn map_code() -> Vec<Op> {
    vec![
        Op::MapBegin { n: 0 },
        Op::MapNext { n: 0, base: 4, done: 6 },
        Op::MulU { d: 4, a: 4, b: 5, sh: 48 },
        Op::AddU { d: 4, a: 4, b: 6, sh: 48 },
        Op::MapPut { n: 0, s: 4 },
        Op::Jump { to: 1 },
        Op::MapEnd { n: 0 },
    ]
}

/// Memory and end of out[i] = (a[i] * 3 + b[i]) over `count` elements, where `split` says whether the first
/// input has two dimensions, so that the PE and not the scalar loop takes the elements.
fn mapped(count: u16, from: [u16; 3], split: bool) -> (Vec<u16>, u64) {
    let mut first = line(from[0], count);
    if let (Dsd::Mem(mem), true) = (&mut first, split) {
        (mem.kind, mem.dims, mem.extent) = (MemKind::Mem4d, 2, [1, count, 1, 1]);
        mem.step = [0, 1, 0, 0];
    }
    let mut tile =
        tile(&[3], map_code(), vec![first, line(from[1], count), line(from[2], count)], Vec::new());
    let input = |operand| (operand, Access::U16);
    let inputs = vec![input(dsd(0)), input(DsdOperand::Scalar(0)), input(dsd(1))];
    tile.maps = vec![MapOp { inputs, output: Some(input(dsd(2))), span: span() }].into();
    let mut bench = launched(tile);
    bench.run();
    (bench.memory(0, 64).to_vec(), bench.now)
}

proptest::proptest! {
    #[test]
    fn a_map_over_lines_gives_what_the_plain_way_gives(
        count in 0u16..20,
        from in proptest::array::uniform3(0u16..40),
    ) {
        proptest::prop_assert_eq!(mapped(count, from, false), mapped(count, from, true));
    }
}

#[test]
fn a_map_calls_ordinary_code_for_each_element_until_an_operand_ends() {
    // out[i] = a[i] * 3 + b[i], where b is shorter.
    let mut tile = tile(&[3], map_code(), vec![line(10, 5), line(20, 3), line(100, 5)], Vec::new());
    let input = |operand| (operand, Access::U16);
    tile.maps = vec![MapOp {
        inputs: vec![input(dsd(0)), input(DsdOperand::Scalar(0)), input(dsd(1))],
        output: Some((dsd(2), Access::U16)),
        span: span(),
    }]
    .into();
    let mut bench = launched(tile);
    bench.run();
    assert_eq!(bench.memory(100, 4), [50, 54, 58, 0]);
}

#[test]
fn a_map_from_a_stream_to_a_stream_ends_with_its_extents() {
    let (from, to) = (Dsd::FabIn(fabin(5, 2, 3)), Dsd::FabOut(fabout(7, 4, 3)));
    let mut tile = tile(&[3], map_code(), vec![from, to], Vec::new());
    let input = |operand| (operand, Access::U16);
    tile.input_queues = vec![in_queue(2, 5)].into();
    tile.maps = vec![MapOp {
        inputs: vec![input(dsd(0)), input(DsdOperand::Scalar(0)), input(DsdOperand::Scalar(0))],
        output: Some(input(dsd(1))),
        span: span(),
    }]
    .into();
    let mut bench = launched(tile);
    bench.run();
    bench.deliver(5, &[1, 2]);
    assert!(!bench.pe.is_idle());
    bench.deliver(5, &[3]);
    assert_eq!(bench.sent(), [6, 9, 12]);
    assert!(bench.pe.is_idle());
}
