//! Trials: parts of CSL programs and what their variables must hold at the end.
//!
//! Many trials share a program, so that thousands take seconds. When one fails, it runs alone, and
//! its choices are made simpler as long as it still fails.

use super::choices::{Choices, shrink};
use super::number::Elem;
use cslrun::{
    Arch, CompileOptions, MemoryLoader, MessageFormat, PeCoord, Program, RunOptions, Runner, compile, render,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// A part of a program.
#[derive(Debug, Default)]
pub struct Trial {
    /// Its declarations.
    pub globals: String,
    /// The statements of its function.
    pub body: String,
    /// What its variables hold at the end.
    pub expected: Vec<Expected>,
    /// It does what the language leaves open on purpose.
    pub unchecked: bool,
}

/// What a variable holds.
#[derive(Debug)]
pub struct Expected {
    /// The variable.
    pub name: String,
    /// The type of its elements.
    pub elem: Elem,
    /// Their bits. One NaN is as good as another.
    pub bits: Vec<u32>,
}

/// How many trials: 200, or what the environment variable `PROPS` says.
pub fn count() -> u64 {
    std::env::var("PROPS").ok().and_then(|n| n.parse().ok()).unwrap_or(200)
}

/// Runs as many trials as [`count`] says, `batch` of them in each program.
pub fn check(name: &str, batch: u64, generate: impl Fn(&mut Choices, &str) -> Trial) {
    let first = name.bytes().fold(0u64, |seed, byte| seed.wrapping_mul(31) + u64::from(byte)) << 32;
    for start in (0..count()).step_by(batch as usize) {
        let arch = if (start / batch).is_multiple_of(2) { Arch::Wse2 } else { Arch::Wse3 };
        let seeds: Vec<u64> = (start..count().min(start + batch)).map(|n| first + n).collect();
        let trial = |(n, seed): (usize, &u64)| generate(&mut Choices::from_seed(*seed), &format!("t{n}"));
        let trials: Vec<Trial> = seeds.iter().enumerate().map(trial).collect();
        let Err(why) = run_both(&trials, arch) else { continue };
        for seed in &seeds {
            let alone = generate(&mut Choices::from_seed(*seed), "t");
            if run_alone(alone, arch).is_err() {
                explain(name, *seed, arch, &generate);
            }
        }
        panic!("@{name}: trials that are right alone go wrong together:\n{why}\n{}", program(&trials));
    }
}

/// Panics with the simplest trial that fails as this one does.
fn explain(name: &str, seed: u64, arch: Arch, generate: &impl Fn(&mut Choices, &str) -> Trial) -> ! {
    let mut choices = Choices::from_seed(seed);
    generate(&mut choices, "t");
    let simplest =
        shrink(choices.made(), |list| run_alone(generate(&mut Choices::replay(list), "t"), arch).is_err());
    let trial = generate(&mut Choices::replay(&simplest), "t");
    let text = program(std::slice::from_ref(&trial));
    let why = run_alone(trial, arch).expect_err("shrinking keeps the failure");
    panic!("{name}, seed {seed}, --arch {arch}\n{why}\n{text}");
}

/// Trials that need no checks run with them, and the others without.
fn run_both(trials: &[Trial], arch: Arch) -> Result<(), String> {
    let (unchecked, checked): (Vec<&Trial>, Vec<&Trial>) = trials.iter().partition(|t| t.unchecked);
    run(&checked, arch, true)?;
    run(&unchecked, arch, false)
}

fn run_alone(trial: Trial, arch: Arch) -> Result<(), String> {
    run_both(&[trial], arch)
}

/// Compiles and runs a program of these trials, and compares what they expect.
fn run(trials: &[&Trial], arch: Arch, checked: bool) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| run_program(trials, arch, checked)))
        .unwrap_or_else(|_| Err("a panic, shown above".to_string()))
}

fn run_program(trials: &[&Trial], arch: Arch, checked: bool) -> Result<(), String> {
    let mut loader = MemoryLoader::default();
    loader.add("trial.csl", program(trials));
    let compiled = compile(Path::new("trial.csl"), &loader, &CompileOptions::new(arch)).into_program()?;
    let mut runner = Runner::new(Arc::new(compiled), RunOptions { checked, ..RunOptions::default() });
    if let Err(failure) = runner.run_until_idle() {
        let sources = runner.program().sources();
        return Err(render(sources, &failure.diagnostics(sources), MessageFormat::Plain, false));
    }
    trials.iter().flat_map(|trial| &trial.expected).try_for_each(|expected| compare(&mut runner, expected))
}

/// Compiles the files of a program with a layout; it must be one without errors and warnings.
pub fn compile_layout(files: &[(String, String)], arch: Arch) -> Result<Arc<Program>, String> {
    let mut loader = MemoryLoader::default();
    for (name, text) in files {
        loader.add(name, text.as_str());
    }
    let compilation = compile(Path::new("layout.csl"), &loader, &CompileOptions::new(arch));
    match compilation.diagnostics.is_empty() {
        true => compilation.into_program().map(Arc::new),
        false => Err(compilation.render(MessageFormat::Plain, false)),
    }
}

fn compare(runner: &mut Runner, expected: &Expected) -> Result<(), String> {
    let Expected { name, elem, bits } = expected;
    let at = PeCoord { x: 0, y: 0 };
    let (_, words) = runner.read_symbol(at, name).map_err(|_| format!("the program has no `{name}`"))?;
    let value = |chunk: &[u16]| chunk.iter().rev().fold(0, |value, word| value << 16 | u32::from(*word));
    let found: Vec<u32> = words.chunks(elem.words()).map(value).collect();
    let same = |(a, b): (&u32, &u32)| a == b || (elem.is_nan(*a) && elem.is_nan(*b));
    if found.len() == bits.len() && found.iter().zip(bits).all(same) {
        return Ok(());
    }
    Err(format!("`{name}` holds    {found:x?}\n`{name}` must hold {bits:x?}"))
}

/// A program with a function for each trial.
fn program(trials: &[impl std::borrow::Borrow<Trial>]) -> String {
    let (mut text, mut calls) = (String::new(), String::new());
    for (n, trial) in trials.iter().enumerate() {
        let Trial { globals, body, .. } = trial.borrow();
        text.push_str(&format!("{globals}fn trial{n}() void {{\n{body}}}\n"));
        calls.push_str(&format!("  trial{n}();\n"));
    }
    text.push_str(&format!(
        "task main() void {{\n{calls}}}\nconst main_id = @get_local_task_id(8);\n\
         comptime {{\n  @bind_local_task(main, main_id);\n  @activate(main_id);\n}}\n"
    ));
    text
}
