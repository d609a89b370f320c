//! The fast engine and the plain one cannot be told apart but by their speed.
//!
//! Both compile and run the cases: the programs, the diagnostics with their cycles, the cycles of the run and what is
//! printed must be the same, and, if the program comes to its end, the hops and all words of memory. When it fails,
//! PEs that have run ahead of the clock are further than in the plain engine. The fast engine does it on several
//! threads, too. This test holds the fast paths equal to the plain way in whole programs; their files name the
//! properties that compare each of them alone.

use crate::case_file::{Case, all_cases};
use cslrun::cli::{Exit, perform_words};
use cslrun::{Arch, CompileOptions, Diagnostic, MemoryLoader, PeCoord, Program, RunOptions, Runner, compile};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// Words of a PE.
const MEMORY: usize = 0x6000;

fn loader(case: &Case) -> MemoryLoader {
    let mut loader = MemoryLoader::default();
    case.files.iter().for_each(|file| loader.add(&file.name, file.text.as_str()));
    loader
}

#[test]
fn both_engines_say_and_print_the_same_of_every_case() {
    let (mut compared, mut different) = (0, Vec::new());
    for case in all_cases() {
        let told = |engine: &str| {
            let mut words = vec!["cslrun"];
            words.extend((!case.run).then_some("check"));
            words.extend([case.files[0].name.as_str(), "--engine", engine]);
            words.extend(case.args.iter().map(String::as_str));
            let outcome = perform_words(&words, &loader(&case)).expect("the arguments of a case");
            let held = (outcome.exit == Exit::Fine).then(|| outcome.asserts_held.clone());
            format!("{:?} {} {held:?}\n{}", outcome.exit, outcome.printed, places(&outcome.diagnostics))
        };
        let (fast, plain) = (told("fast"), told("plain"));
        if fast != plain {
            let why = first_difference(&fast, &plain);
            different.push(format!("{}\n{why}", case.path.display()));
        }
        compared += 1;
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(compared > 700, "{compared} cases");
}

#[test]
fn both_engines_leave_the_same_memory_after_the_same_cycles() {
    let (mut compared, mut different) = (0, Vec::new());
    // The engines meet the states of a run that repeats itself in other cycles, and stop it in other places.
    let ends = |case: &Case| case.rule.as_deref() != Some("livelock");
    for case in all_cases().into_iter().filter(|case| case.run && ends(case)) {
        let arch = if case.args.iter().any(|word| word == "wse3") { Arch::Wse3 } else { Arch::Wse2 };
        let compiled = [true, false].map(|memo| {
            let options = CompileOptions { memo, ..CompileOptions::new(arch) };
            compile(Path::new(&case.files[0].name), &loader(&case), &options).into_program()
        });
        // Some need parameters, or show an error of the compiler.
        let [Ok(fast), Ok(plain)] = compiled else { continue };
        assert_eq!(fast.to_bytes(), plain.to_bytes(), "{}", case.path.display());
        let program = Arc::new(fast);
        let plain = story(&program, RunOptions { plain: true, ..RunOptions::default() });
        for (threads, large_from) in [(1, usize::MAX), (2, usize::MAX), (3, 0)] {
            // The wafers are small, and are cut into bands nevertheless.
            let options = RunOptions { threads, pes_of_a_thread: 1, large_from, ..RunOptions::default() };
            let fast = story(&program, options);
            if fast != plain {
                let why = first_difference(&fast, &plain);
                different.push(format!("{} on {threads} threads\n{why}", case.path.display()));
            }
        }
        compared += 1;
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(compared > 200, "{compared} programs");
}

/// All that can be seen of a run.
fn story(program: &Arc<Program>, options: RunOptions) -> String {
    let mut runner = Runner::new(Arc::clone(program), RunOptions { max_cycles: 100_000, ..options });
    let mut story = match runner.run_until_idle() {
        Ok(_) => places(&runner.warnings()),
        Err(failure) => {
            let cycles = runner.report().cycles;
            return format!("{}{cycles} cycles", places(&failure.diagnostics(program.sources())));
        }
    };
    let _ = writeln!(story, "{:?}", runner.report());
    let (width, height) = program.size();
    for at in (0..height).flat_map(|y| (0..width).map(move |x| PeCoord { x, y })) {
        let Some(words) = runner.memory(at, MEMORY) else { continue };
        let end = words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        let _ = writeln!(story, "{at} {:?}", &words[..end]);
    }
    story
}

/// Which rules were broken, where and when.
fn places(diagnostics: &[Diagnostic]) -> String {
    let one = |d: &Diagnostic| {
        let place = d.primary.as_ref().map(|label| label.span);
        format!("{:?} {} {}: {place:?} {:?}\n", d.severity, d.rule, d.title, d.moment)
    };
    diagnostics.iter().map(one).collect()
}

fn first_difference(fast: &str, plain: &str) -> String {
    let mut both = fast.lines().zip(plain.lines());
    let found = both.find(|(a, b)| a != b).map(|(a, b)| format!("fast  {a}\nplain {b}"));
    found.unwrap_or_else(|| "one is longer".to_string())
}
