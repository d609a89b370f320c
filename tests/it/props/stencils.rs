//! Random stencils, run on one thread without fast paths, and with them on one thread and on three.

use super::choices::Choices;
use super::trial::{compile_layout, count};
use cslrun::{Arch, MessageFormat, PeCoord, Program, RunOptions, Runner, Scalar, render};
use std::fmt::Write;

/// Elements of every vector.
const SIZE: usize = 12;
/// Words of memory on a PE.
const MEMORY: usize = 24 * 1024;

/// A side to which a PE may send, with where that leads.
const SIDES: [(&str, &str, i32, i32); 4] =
    [("EAST", "WEST", 1, 0), ("SOUTH", "NORTH", 0, 1), ("WEST", "EAST", -1, 0), ("NORTH", "SOUTH", 0, -1)];

/// What comes in is used in one of these ways.
const TAKES: [&str; 5] = [
    "@fmovs(HALO, IN",
    "@fadds(HALO, HALO, IN",
    "@fmacs(HALO, HALO, IN, 0.25",
    "@fsubs(HALO, own_dsd, IN",
    "@fmuls(HALO, IN, factor",
];

/// What may be done with memory when all has come in.
const UPDATES: [&str; 9] = [
    "@fadds(own_dsd, own_dsd, halo0_dsd);",
    "@fmacs(own_dsd, own_dsd, halo1_dsd, factor);",
    "@fmovs(halo0_dsd, 0.0);",
    "factor = factor * 0.5; @fmuls(own_dsd, own_dsd, factor);",
    "for (@range(u16, 4)) |i| { weights[i] = @as(f32, i) + factor; } @fadds(head_dsd, head_dsd, weights_dsd);",
    "@fsubs(shifted_dsd, shifted_dsd, own_dsd);",
    "@fadds(&total, total, own_dsd);",
    // PEs part ways here.
    "if (own[3] > 0.0) { factor += 1.0; }",
    "own[2] = factor;",
];

#[test]
fn fast_paths_and_threads_cannot_be_seen() {
    for seed in 0..count() / 4 {
        let arch = if seed.is_multiple_of(2) { Arch::Wse2 } else { Arch::Wse3 };
        let mut choices = Choices::from_seed(seed);
        let files = stencil(&mut choices, arch);
        let program = compile_layout(&files, arch).unwrap_or_else(|why| panic!("seed {seed}\n{why}"));
        let data = choices.below(3);
        let run = |plain, threads| {
            // So few PEs for each thread that even a small wafer is divided.
            let pes_of_a_thread = if threads > 1 { 1 } else { RunOptions::default().pes_of_a_thread };
            let options = RunOptions { plain, threads, pes_of_a_thread, ..RunOptions::default() };
            let mut runner = Runner::new(program.clone(), options);
            fill(&mut runner, &program, data, seed);
            story(&mut runner, &program)
        };
        let [one, three] = [1, 3].map(|threads| run(false, threads));
        let why = || format!("{}\n{}", first_difference(&three, &one), files[1].1);
        assert!(one == three, "seed {seed}, on 3 threads and on one, {}", why());
        let (fast, plain) = (one, run(true, 1));
        let why = || format!("{}\n{}", first_difference(&fast, &plain), files[1].1);
        assert!(fast == plain, "seed {seed}, with fast paths and without, {}", why());
    }
}

fn first_difference(one: &str, other: &str) -> String {
    let both = one.lines().zip(other.lines());
    both.filter(|(a, b)| a != b).map(|(a, b)| format!("{a}\n{b}")).next().unwrap_or_default()
}

/// The host writes nothing, the same to all PEs, or something else to each.
fn fill(runner: &mut Runner, program: &Program, data: u32, seed: u64) {
    let mut numbers = Choices::from_seed(seed ^ 0x5eed);
    let mut word = || u64::from((numbers.below(2000) as f32 / 64.0 - 15.0).to_bits());
    let same: Vec<u64> = (0..SIZE).map(|_| word()).collect();
    for at in pes(program) {
        if program.symbols(at).is_none() || data == 0 {
            continue;
        }
        let values = if data == 1 { same.clone() } else { (0..SIZE).map(|_| word()).collect() };
        runner.write_elements(at, "own", Scalar::F32, &values).expect("the program has not begun");
    }
}

/// The PEs of a program, row by row.
fn pes(program: &Program) -> impl Iterator<Item = PeCoord> {
    let (width, height) = program.size();
    (0..height).flat_map(move |y| (0..width).map(move |x| PeCoord { x, y }))
}

/// All that can be seen of a run.
fn story(runner: &mut Runner, program: &Program) -> String {
    let said = match runner.run_until_idle() {
        Ok(warnings) => warnings,
        Err(failure) => failure.diagnostics(program.sources()),
    };
    let mut story = render(program.sources(), &said, MessageFormat::Plain, false);
    let _ = writeln!(story, "{:?}", runner.report());
    for at in pes(program) {
        let Some(words) = runner.memory(at, MEMORY) else { continue };
        let end = words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        let _ = writeln!(story, "{at} {:?}", &words[..end]);
    }
    story
}

/// Colors of neighbours differ: two for each side, by the parity of the place.
fn stencil(choices: &mut Choices, arch: Arch) -> Vec<(String, String)> {
    let (width, height) = (2 + choices.below(14), 2 + choices.below(12));
    // On WSE-2 queues have the microthreads of their numbers, and there are six to send through.
    let most = if arch == Arch::Wse2 { 2 } else { 4 };
    let sides: Vec<usize> = (0..most).filter(|side| *side == 0 || choices.below(2) == 0).collect();
    let mut params = String::new();
    let mut routes = String::new();
    for side in &sides {
        let (to, from, dx, dy) = SIDES[*side];
        let parity = if dx == 0 { "y" } else { "x" };
        let beyond = format!(
            "@as(i16, x) + {dx} >= 0 and @as(i16, x) + {dx} < width and @as(i16, y) + {dy} >= 0 and @as(i16, y) + {dy} < height"
        );
        let before = format!(
            "@as(i16, x) - {dx} >= 0 and @as(i16, x) - {dx} < width and @as(i16, y) - {dy} >= 0 and @as(i16, y) - {dy} < height"
        );
        let _ = writeln!(
            params,
            "        .out{side} = @get_color({} + {parity} % 2), .in{side} = @get_color({} + ({parity} + 1) % 2), .sends{side} = {beyond}, .takes{side} = {before},",
            2 * side,
            2 * side
        );
        let _ = writeln!(
            routes,
            "      if ({beyond}) {{ @set_color_config(x, y, @get_color({} + {parity} % 2), .{{ .routes = .{{ .rx = .{{ RAMP }}, .tx = .{{ {to} }} }} }}); }}",
            2 * side
        );
        let _ = writeln!(
            routes,
            "      if ({before}) {{ @set_color_config(x, y, @get_color({} + ({parity} + 1) % 2), .{{ .routes = .{{ .rx = .{{ {from} }}, .tx = .{{ RAMP }} }} }}); }}",
            2 * side
        );
    }
    let layout = format!(
        "const width: i16 = {width};\nconst height: i16 = {height};\nlayout {{\n  @set_rectangle({width}, {height});\n  \
         for (@range(u16, {height})) |y| {{\n    for (@range(u16, {width})) |x| {{\n      \
         @set_tile_code(x, y, \"pe.csl\", .{{\n{params}      }});\n{routes}    }}\n  }}\n}}\n"
    );
    vec![("layout.csl".to_string(), layout), ("pe.csl".to_string(), tile(choices, arch, &sides))]
}

/// The variables of a PE.
fn data() -> String {
    let mut text = format!(
        "export var own = @constants([{SIZE}]f32, 1.5);\nvar weights = @zeros([4]f32);\nvar factor: f32 = 0.75;\n\
         var total: f32 = 0.0;\nvar missing: u16 = 0;\nvar step: u16 = 0;\n\
         const own_dsd = @get_dsd(mem1d_dsd, .{{ .tensor_access = |i|{{{SIZE}}} -> own[i] }});\n\
         const head_dsd = @get_dsd(mem1d_dsd, .{{ .tensor_access = |i|{{4}} -> own[i] }});\n\
         const shifted_dsd = @get_dsd(mem1d_dsd, .{{ .tensor_access = |i|{{{}}} -> own[i + 1] }});\n\
         const weights_dsd = @get_dsd(mem1d_dsd, .{{ .tensor_access = |i|{{4}} -> weights[i] }});\n",
        SIZE - 1
    );
    // Updates name two of them.
    for halo in 0..4 {
        let _ = writeln!(
            text,
            "var halo{halo} = @zeros([{SIZE}]f32);\nconst halo{halo}_dsd = @get_dsd(mem1d_dsd, .{{ .tensor_access = |i|{{{SIZE}}} -> halo{halo}[i] }});"
        );
    }
    text
}

fn tile(choices: &mut Choices, arch: Arch, sides: &[usize]) -> String {
    let mut text = data();
    let thread = |id: usize| match arch {
        Arch::Wse2 => String::new(),
        Arch::Wse3 => format!(", .ut_id = @get_ut_id({id})"),
    };
    let (mut start, mut queues, mut parts) = (String::new(), String::new(), String::new());
    for side in sides {
        let take = choices
            .pick(&TAKES)
            .replace("HALO", &format!("halo{side}_dsd"))
            .replace("IN", &format!("from{side}"));
        let _ = write!(
            text,
            "param out{side}: color;\nparam in{side}: color;\nparam sends{side}: bool;\nparam takes{side}: bool;\n\
             const to{side} = @get_dsd(fabout_dsd, .{{ .extent = {SIZE}, .fabric_color = out{side}, .output_queue = @get_output_queue({}) }});\n\
             const from{side} = @get_dsd(fabin_dsd, .{{ .extent = {SIZE}, .fabric_color = in{side}, .input_queue = @get_input_queue({}) }});\n",
            side + 4,
            side
        );
        let _ = write!(
            start,
            "  if (takes{side}) {{ {take}, .{{ .async = true, .activate = part{} }}); }}\n  \
             if (sends{side}) {{ @fmovs(to{side}, own_dsd, .{{ .async = true, .activate = part{} }}); }}\n",
            thread(*side),
            thread(side + 4)
        );
        let _ = writeln!(parts, " + @as(u16, sends{side}) + @as(u16, takes{side})");
        let _ = write!(
            queues,
            "    if (sends{side}) {{ @initialize_queue(@get_output_queue({}), .{{ .color = out{side} }}); }}\n    \
             if (takes{side}) {{ @initialize_queue(@get_input_queue({}), .{{ .color = in{side} }}); }}\n",
            side + 4,
            side
        );
    }
    let steps = 1 + choices.below(3);
    let updates: Vec<&str> = (0..choices.below(4)).map(|_| choices.pick(&UPDATES)).collect();
    let _ = write!(
        text,
        "const again = @get_local_task_id(8);\nconst part = @get_local_task_id(9);\n\
         task exchange() void {{\n  if (step == {steps}) {{ return; }}\n  step += 1;\n  missing = 0{parts};\n{start}}}\n\
         task arrived() void {{\n  missing -= 1;\n  if (missing > 0) {{ return; }}\n  {}\n  @activate(again);\n}}\n\
         comptime {{\n  @bind_local_task(exchange, again);\n  @bind_local_task(arrived, part);\n  @activate(again);\n  \
         if (@is_arch(\"wse3\")) {{\n{queues}  }}\n}}\n",
        updates.join("\n  ")
    );
    text
}
