//! A small hand-made program on two PEs, driven by the host.

use super::*;
use crate::arch::{ArchName, PeCoord, TaskId};
use crate::compile::compile;
use crate::diagnostics::Severity;
use crate::image::code::{Access, Intrinsic, Op};
use crate::image::{
    Export, ExportKind, ExportTarget, FabricPlace, FnId, Function, MemcpyColors, RouteTable, Scalar, Symbol,
    TileImage,
};
use crate::sema::CompileOptions;
use crate::source::{FileId, MemoryLoader, Span};

/// Words 0..8 hold `data`, word 8 the exported pointer `p` to it, word 9 `count`.
const POINTER: u16 = 8;
const COUNT: u16 = 9;
const HERE: Span = Span { file: FileId(0), lo: 0, hi: 1 };

fn function(name: &str, params: u16, consts: Vec<u64>, code: Vec<Op>) -> Function {
    let spans = vec![HERE; code.len()];
    let registers = params + consts.len() as u16 + 1;
    Function {
        name: name.to_string(),
        span: HERE,
        params,
        consts,
        registers,
        frame_words: 0,
        locals: Vec::new().into(),
        code: code.into(),
        spans: spans.into(),
    }
}

fn symbol(name: &str, addr: u16, words: u16, ty: &str) -> Symbol {
    let element = Some(Scalar::U16);
    let (name, ty, dims) = (name.to_string(), ty.to_string(), Vec::new());
    let (bits, inside, undefined) = (None, Default::default(), false);
    Symbol { name, addr, words, ty, dims, element, bits, inside, mutable: true, undefined, span: HERE }
}

fn unblock() -> Op {
    Op::Intrinsic { id: Intrinsic::UnblockCommandStream, base: 0 }
}

/// `store(v)` puts its argument into `count`, `advance` moves the pointer, `forget` never unblocks.
fn tile() -> TileImage {
    let functions = vec![
        function(
            "store",
            1,
            vec![],
            vec![Op::StoreAt { s: 0, addr: COUNT, kind: Access::U16 }, unblock(), Op::Ret],
        ),
        function(
            "advance",
            0,
            vec![4],
            vec![Op::StoreAt { s: 0, addr: POINTER, kind: Access::U16 }, unblock(), Op::Ret],
        ),
        function("forget", 0, vec![], vec![Op::Ret]),
    ];
    let export =
        |name: &str, target| Export { name: name.to_string(), target, element: None, inputs: Vec::new() };
    TileImage {
        data: vec![10, 11, 12, 13, 14, 15, 16, 17, 0, 99].into(),
        data_end: 10,
        symbols: vec![
            symbol("data", 0, 8, "[8]u16"),
            symbol("p", POINTER, 1, "[*]u16"),
            symbol("count", COUNT, 1, "u16"),
        ]
        .into(),
        exports: vec![
            export("p", ExportTarget::Pointer(POINTER)),
            export("store", ExportTarget::Fn(FnId(0))),
            export("advance", ExportTarget::Fn(FnId(1))),
            export("forget", ExportTarget::Fn(FnId(2))),
        ]
        .into(),
        functions: functions.into_iter().map(Arc::new).collect(),
        has_memcpy: true,
        ..TileImage::default()
    }
}

fn runner() -> Runner {
    runner_with_channels(1)
}

fn runner_with_channels(channels: u16) -> Runner {
    let name = |name: &str, kind| ExportName { name: name.to_string(), kind, span: HERE };
    let function = |inputs: &[Scalar]| ExportKind::Fn { inputs: inputs.to_vec() };
    let variable = ExportKind::Var { ty: "[*]u16".to_string(), element: Scalar::U16, mutable: true };
    let mut sources = SourceMap::default();
    sources.add("pe.csl", "x");
    let program = Program {
        arch: ArchName::Wse2,
        width: 2,
        height: 1,
        fabric: FabricPlace { channels, ..FabricPlace::default() },
        tiles: vec![Arc::new(tile())],
        place: vec![0, 0],
        routes: RouteTable::new(2),
        exports: vec![
            name("p", variable),
            name("store", function(&[Scalar::I16])),
            name("advance", function(&[])),
            name("forget", function(&[])),
        ],
        memcpy: Some(MemcpyColors::default()),
        sdk_layout: None,
        origin: None,
        sources,
    };
    Runner::new(Arc::new(program), RunOptions::default())
}

fn copy(name: &str, elements: usize) -> CopyRequest {
    let region = Region { x: 0, y: 0, w: 2, h: 1 };
    CopyRequest { name: name.to_string(), region, elements, width: CopyWidth::Bits16 }
}

fn misuse(failure: Failure) -> Diagnostic {
    match failure {
        Failure::Misuse(d) => *d,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_copied_in_comes_out_again_in_the_order_of_pes() {
    let mut r = runner();
    r.copy_in(&copy("p", 2), &[1, 2, 3, 0xffff_0004]).unwrap();
    assert_eq!(r.copy_out(&copy("p", 3)).unwrap(), [1, 2, 12, 3, 4, 12]);
}

#[test]
fn a_copy_waits_for_the_launch_before_it() {
    let mut r = runner();
    r.launch("store", &[7]).unwrap();
    let words = r.copy_out(&copy("count", 1)).unwrap();
    assert_eq!(words, [7, 7]);
    assert!(r.cycles() > 0);
}

#[test]
fn commands_behind_a_launch_take_time() {
    let cycles = |copies: usize, launches: usize| {
        let mut r = runner();
        r.launch("store", &[7]).unwrap();
        (0..copies).for_each(|_| drop(r.copy_out(&copy("count", 1)).unwrap()));
        (0..launches).for_each(|_| r.launch("store", &[7]).unwrap());
        r.run_until_idle().unwrap();
        r.cycles()
    };
    let command = u64::from(runner().program().arch.numbers().costs.tasks.command);
    let one = cycles(0, 0);
    assert_eq!(cycles(0, 1), 2 * one + command);
    assert_eq!(cycles(0, 2), 3 * one + 2 * command);
    // Each copy takes as much, in addition to its words.
    assert!((2 * one + 2 * command..2 * one + 3 * command).contains(&cycles(1, 1)));
}

#[test]
fn a_copy_takes_a_cycle_for_each_word_and_channel() {
    let cycles = |channels| {
        let mut r = runner_with_channels(channels);
        r.copy_in(&copy("p", 6), &[0; 12]).unwrap();
        r.launch("store", &[7]).unwrap();
        r.run_until_idle().unwrap();
        r.cycles()
    };
    assert_eq!(cycles(1) - cycles(12), 11);
    assert_eq!(cycles(5) - cycles(12), 2);
}

#[test]
fn a_copy_that_may_leave_its_array_goes_on_behind_it() {
    let mut r = runner();
    r.options.levels.choose_flags("-W copy-out-of-bounds").expect("a rule with a level");
    r.launch("advance", &[]).unwrap();
    // `p` leads to word 4, so element 5 is the exported pointer itself and element 6 the counter.
    r.copy_in(&copy("p", 6), &[0, 0, 0, 0, 4, 9, 0, 0, 0, 0, 4, 8]).unwrap();
    assert_eq!(r.copy_out(&copy("count", 1)).unwrap(), [9, 8]);
    let warnings = r.run_until_idle().unwrap();
    assert_eq!((&*warnings[0].rule, warnings[0].severity), ("copy-out-of-bounds", Severity::Warning));
}

#[test]
fn a_copy_goes_where_the_exported_pointer_points_now() {
    let mut r = runner();
    r.launch("advance", &[]).unwrap();
    assert_eq!(r.copy_out(&copy("p", 2)).unwrap(), [14, 15, 14, 15]);
    let d = misuse(r.copy_in(&copy("p", 5), &[0; 10]).unwrap_err());
    assert_eq!((&*d.rule, &*d.title), ("copy-out-of-bounds", "`p` has 4 elements on PE(0,0), not 5"));
    assert_eq!(r.copy_out(&copy("p", 5)).unwrap().len(), 10);
    let warnings = r.run_until_idle().unwrap();
    assert_eq!((&*warnings[0].rule, warnings[0].also_on), ("copy-out-of-bounds", 1));
}

#[test]
fn commands_that_are_queued_run_in_order() {
    let mut r = runner();
    let before = r.queue_copy_out(&copy("count", 1)).unwrap();
    r.queue_launch("store", &[5]).unwrap();
    let after = r.queue_copy_out(&copy("count", 1)).unwrap();
    assert!(!r.is_done(before));
    r.run_until_commands_done().unwrap();
    assert!(r.is_done(after));
    assert_eq!(r.take_words(before).unwrap(), [99, 99]);
    assert_eq!(r.take_words(after).unwrap(), [5, 5]);
    assert!(r.run_until_idle().unwrap().is_empty());
}

#[test]
fn a_launch_that_never_unblocks_is_named_with_its_pes() {
    let mut r = runner();
    r.launch("forget", &[]).unwrap();
    let Failure::Stalled(report) = r.copy_out(&copy("count", 1)).unwrap_err() else {
        panic!("nobody unblocks the command stream")
    };
    assert_eq!((report.host[0].pes.len(), report.host[0].more), (2, 0));
    let text = format!("{:?}", report.diagnostic(&r.program().sources).notes);
    assert!(text.contains("`unblock_cmd_stream` must be called after the launch of `forget`"), "{text}");
    assert!(text.contains("PE(0,0), PE(1,0)"), "{text}");
}

/// Two PEs in a row, of which only the eastern one unblocks the command stream after `work`.
fn half_unblocked() -> Runner {
    let layout = r#"
        const memcpy = @import_module("<memcpy/get_params>", .{ .width = 2, .height = 1 });
        layout {
          @set_rectangle(2, 1);
          for (@range(i16, 2)) |x| {
            @set_tile_code(x, 0, "pe.csl", .{ .memcpy_params = memcpy.get_params(x), .x = x });
          }
          @export_name("result", [*]u32, true);
          @export_name("work", fn () void);
        }
    "#;
    let pe = r#"
        param memcpy_params;
        param x: i16;
        const memcpy = @import_module("<memcpy/memcpy>", memcpy_params);
        var result = @zeros([1]u32);
        var pointer: [*]u32 = &result;
        fn work() void {
          result[0] = 7 + @as(u32, x);
          if (x == 1) {
            memcpy.unblock_cmd_stream();
          }
        }
        comptime {
          @export_symbol(pointer, "result");
          @export_symbol(work);
        }
    "#;
    let mut loader = MemoryLoader::default();
    loader.add("layout.csl", layout);
    loader.add("pe.csl", pe);
    let compilation = compile("layout.csl".as_ref(), &loader, &CompileOptions::new(ArchName::Wse2));
    let program = compilation.into_program().expect("a program without an error");
    Runner::new(Arc::new(program), RunOptions::default())
}

#[test]
fn a_copy_goes_by_pes_whose_launch_is_never_done() {
    let mut r = half_unblocked();
    r.launch("work", &[]).unwrap();
    let result = |x| CopyRequest {
        name: "result".to_string(),
        region: Region { x, y: 0, w: 1, h: 1 },
        elements: 1,
        width: CopyWidth::Bits32,
    };
    assert_eq!(r.copy_out(&result(1)).unwrap(), [8]);
    assert_eq!(r.copy_out(&result(1)).unwrap(), [8]);
    let warnings = r.run_until_idle().unwrap();
    assert_eq!(warnings.iter().map(|d| &*d.rule).collect::<Vec<_>>(), ["never-unblocked"]);
    assert!(warnings[0].notes.iter().any(|note| note.contains("PE(0,0)") && !note.contains("PE(1,0)")));
    // That PE itself is not copied from.
    let mut r = half_unblocked();
    r.launch("work", &[]).unwrap();
    assert!(matches!(r.copy_out(&result(0)), Err(Failure::Stalled(_))));
}

#[test]
fn a_run_cannot_end_with_a_blocked_command_stream() {
    let mut r = runner();
    r.launch("forget", &[]).unwrap();
    let Err(Failure::Stalled(report)) = r.run_until_idle() else { panic!("the host could never stop") };
    assert_eq!(report.host[0].command, "the end of the run");
}

#[test]
fn names_that_do_not_exist_are_corrected() {
    let mut r = runner();
    let d = misuse(r.launch("stroe", &[1]).unwrap_err());
    assert_eq!((&*d.rule, d.help.as_deref()), ("unknown-export", Some("did you mean `store`?")));
    let d = misuse(r.copy_out(&copy("advance", 1)).unwrap_err());
    assert_eq!((&*d.rule, &*d.title), ("export-misused", "`advance` is a function"));
}

#[test]
fn launches_and_regions_are_checked() {
    let mut r = runner();
    assert_eq!(misuse(r.launch("store", &[]).unwrap_err()).rule, "launch-arguments");
    let outside = CopyRequest { region: Region { x: 1, y: 0, w: 2, h: 1 }, ..copy("p", 1) };
    assert_eq!(misuse(r.copy_out(&outside).unwrap_err()).rule, "region-outside");
    assert_eq!(misuse(r.copy_in(&copy("p", 2), &[1]).unwrap_err()).rule, "copy-size");
}

#[test]
fn variables_are_read_whole_and_symbols_without_an_export() {
    let mut r = runner();
    let (variable, values) = r.read_variable("data").unwrap();
    assert_eq!((variable.scalar, variable.single, variable.pes.len()), (Scalar::U16, false, 2));
    assert_eq!(values[1], [10, 11, 12, 13, 14, 15, 16, 17]);
    let (variable, values) = r.read_variable("count").unwrap();
    assert_eq!((variable.single, &values[0][..]), (true, &[99][..]));
    let at = PeCoord { x: 1, y: 0 };
    r.write_elements(at, "count", Scalar::U16, &[3]).unwrap();
    assert_eq!(r.read_symbol(at, "count").unwrap().1, [3]);
}

#[test]
fn a_program_without_memcpy_takes_commands_when_it_is_idle() {
    let mut program = Program::clone(runner().program());
    program.memcpy = None;
    let mut tile = tile();
    // Task 8 stores what is in `data[0]` into `count`.
    let code = vec![
        Op::LoadAt { d: 0, addr: 0, kind: Access::U16 },
        Op::StoreAt { s: 0, addr: COUNT, kind: Access::U16 },
        Op::Ret,
    ];
    tile.functions.push(function("main", 0, vec![], code).into());
    tile.tasks = vec![crate::image::TaskBinding {
        id: TaskId(8),
        kind: crate::image::TaskKind::Local,
        function: FnId(3),
        params: Vec::new(),
        name: "main".to_string(),
        span: HERE,
    }]
    .into();
    tile.active = 1 << 8;
    program.tiles = vec![Arc::new(tile)];
    let mut r = Runner::new(Arc::new(program), RunOptions::default());
    r.copy_in(&copy("data", 1), &[41, 42]).unwrap();
    assert_eq!(r.copy_out(&copy("count", 1)).unwrap(), [41, 42]);
}

/// The program with color 1 streaming to the PEs and color 2 from them. Data task 1 sends each
/// word that it gets back on color 2, one more.
fn streaming() -> Runner {
    use crate::arch::{Color, InQueue, OutQueue};
    use crate::dsd::{Dsd, FabOut, Priority, Simd, ops};
    use crate::image::code::{AsyncConfig, DsdOperand, DsdRef, VectorOp};
    use crate::image::{QueueBinding, TaskBinding, TaskKind};
    let mut program = Program::clone(runner().program());
    let mut tile = tile();
    let out = FabOut {
        color: Some(Color(2)),
        queue: Some(OutQueue(2)),
        extent: 1,
        control: false,
        index_offset: false,
        advance_switch: false,
        control_transform: false,
        zero: None,
        simd: Simd::Off,
        priority: Priority::Low,
    };
    let add = Op::AddU { d: 0, a: 0, b: 1, sh: 32 };
    tile.functions.push(function("echo", 1, vec![1], vec![add, Op::Vector { n: 0 }, Op::Ret]).into());
    tile.dsds = vec![Dsd::FabOut(out)].into();
    tile.vector_ops = vec![VectorOp {
        op: ops::lookup("mov32").unwrap(),
        dest: DsdOperand::Dsd(DsdRef::Const(0)),
        sources: vec![DsdOperand::Scalar(0)],
        config: AsyncConfig::default(),
        index: None,
        result: None,
        span: HERE,
    }]
    .into();
    tile.tasks = vec![TaskBinding {
        id: TaskId(1),
        kind: TaskKind::Data,
        function: FnId(3),
        params: vec![Scalar::U32],
        name: "echo".to_string(),
        span: HERE,
    }]
    .into();
    let (color, priority, span) = (Color(1), Priority::Low, HERE);
    tile.input_queues =
        vec![QueueBinding { queue: InQueue(2), color, priority, explicit: true, span }].into();
    program.tiles = vec![Arc::new(tile)];
    let mut colors = MemcpyColors::default();
    (colors.h2d[0], colors.d2h[0]) = (Some(Color(1)), Some(Color(2)));
    program.memcpy = Some(colors);
    Runner::new(Arc::new(program), RunOptions::default())
}

fn stream(color: u8, elements: usize) -> StreamRequest {
    let region = Region { x: 0, y: 0, w: 2, h: 1 };
    StreamRequest { color: crate::arch::Color(color), region, elements, pe_by_pe: true }
}

#[test]
fn words_stream_to_the_pes_and_back() {
    for pe_by_pe in [true, false] {
        let mut r = streaming();
        let words: Vec<u32> = (0..28).collect();
        r.queue_stream_in(&StreamRequest { pe_by_pe, ..stream(1, 14) }, &words).unwrap();
        let out = r.queue_stream_out(&stream(2, 14)).unwrap();
        r.wait(out).unwrap();
        assert_eq!(r.take_words(out).unwrap(), (1..29).collect::<Vec<_>>());
        assert!(r.run_until_idle().unwrap().is_empty());
    }
}

#[test]
fn words_that_wait_at_the_ramp_are_taken_to_the_last() {
    let mut r = streaming();
    r.queue_stream_in(&stream(1, 3), &[1, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(r.run_until_idle().unwrap()[0].rule, "leftover-wavelets");
    let out = r.queue_stream_out(&stream(2, 3)).unwrap();
    r.wait(out).unwrap();
    assert_eq!(r.take_words(out).unwrap(), [2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_stream_that_nobody_drains_is_explained() {
    let mut r = streaming();
    r.queue_stream_in(&stream(1, 200), &[0; 400]).unwrap();
    r.queue_stream_out(&stream(2, 200)).unwrap();
    let Err(Failure::Stalled(report)) = r.run_until_commands_done() else {
        panic!("its results fill the ramp")
    };
    let waits = &report.host[0];
    assert!(waits.command.starts_with("the stream of color 1 to 2 x 1 PEs"), "{}", waits.command);
    assert_eq!(waits.pes.len(), 1);
}

#[test]
fn only_streaming_colors_stream() {
    let mut r = streaming();
    let d = misuse(r.queue_stream_out(&stream(1, 1)).unwrap_err());
    assert_eq!((&*d.rule, &*d.title), ("stream-color", "color 1 does not stream from the PEs"));
}

/// The first wavelet of the operation stops the run, two cycles before `x` would get another value.
#[test]
fn a_run_that_stops_leaves_the_memory_of_that_cycle() {
    let program = "\
const out = @get_dsd(fabout_dsd, .{
  .extent = 2, .fabric_color = @get_color(4), .output_queue = @get_output_queue(2)
});
var x: u16 = 1;
task main() void {
  x = 2;
  @mov32(out, 5);
  x = 3;
  @mov32(out, 5);
  x = 4;
}
comptime {
  const id = @get_local_task_id(8);
  @bind_local_task(main, id);
  @activate(id);
  @export_symbol(x, \"x\");
}
";
    let mut loader = MemoryLoader::default();
    loader.add("p.csl", program);
    let compilation = compile("p.csl".as_ref(), &loader, &CompileOptions::new(ArchName::Wse2));
    let program = Arc::new(compilation.into_program().expect("a program without an error"));
    for (checked, plain, recorded) in [(true, false, false), (false, false, false), (true, true, true)] {
        let options = RunOptions { checked, plain, ..RunOptions::default() };
        let mut runner = Runner::new(Arc::clone(&program), options);
        if recorded {
            runner.record(TraceFilter::default());
        }
        assert!(runner.run_until_idle().is_err());
        let (_, words) = runner.read_symbol(PeCoord { x: 0, y: 0 }, "x").expect("the PE is there");
        assert_eq!(words, [2], "checked {checked}, plain {plain}, recorded {recorded}");
    }
}
