//! The fast engine and the plain one cannot be told apart but by their speed.
//!
//! Both compile and run the cases: the programs, the diagnostics with their cycles, the cycles of the run and what is
//! printed must be the same, and, if the program comes to its end, the hops and all words of memory. Programs are stored and
//! read again before they run. When one fails,
//! PEs that have run ahead of the clock are further than in the plain engine. The fast engine does it on several
//! threads, too. This test holds the fast paths equal to the plain way in whole programs; their files name the
//! properties that compare each of them alone.

use crate::case_file::{Case, all_cases};
use crate::story::{first_difference, places, story};
use cslrun::cli::{Exit, perform_words};
use cslrun::{Arch, CompileOptions, MemoryLoader, Program, RunOptions, compile};
use std::path::Path;
use std::sync::Arc;

/// Some cases run for ever.
const MAX_CYCLES: u64 = 100_000;

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
            words.extend(case.subcommand());
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
        let stored = fast.to_bytes();
        assert_eq!(stored, plain.to_bytes(), "{}", case.path.display());
        let program = Program::from_bytes(&stored).map_err(|damage| format!("{damage:?}"));
        let program = Arc::new(program.unwrap_or_else(|damage| panic!("{}: {damage}", case.path.display())));
        let plain = story(
            &program,
            RunOptions { plain: true, max_cycles: Some(MAX_CYCLES), ..RunOptions::default() },
        );
        for (threads, large_from) in [(1, usize::MAX), (2, usize::MAX), (3, 0)] {
            // The wafers are small, and are cut into bands nevertheless.
            let options = RunOptions {
                threads,
                pes_of_a_thread: 1,
                large_from,
                max_cycles: Some(MAX_CYCLES),
                ..RunOptions::default()
            };
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
