//! Some mutants of every seed go to every target. The seeds are fixed, so the tests do the same on every machine; what
//! a campaign has found stays in `tests/cases`.

use fuzz::Target;
use fuzz::campaign::{Plan, run};
use fuzz::{minimise, seeds};

/// Inputs for each target.
const RUNS: u64 = 400;

#[test]
fn mutants_of_the_seeds_find_no_fault() {
    let targets = Target::all().to_vec();
    let runs = Some(RUNS * targets.len() as u64);
    let findings = std::env::temp_dir().join(format!("cslrun-findings-{}", std::process::id()));
    let plan = Plan { targets, seed: 1, time: None, runs, jobs: 2, findings: findings.clone() };
    let report = run(&plan);
    // The hook that keeps panics hides the messages of assertions.
    eprintln!("{:?}, {} led to something new", report.runs, report.kept);
    report.findings.iter().for_each(|finding| eprintln!("{:?}: {}", finding.target, finding.why));
    assert!(report.findings.is_empty(), "the inputs are in {}", findings.display());
    assert_eq!(report.runs.len(), Target::all().len());
    assert!(report.runs.values().all(|runs| *runs == 2 * RUNS));
    // How many depends on the seeds; far fewer than this would mean that mutants no longer get past the parser.
    assert!(report.kept > 150, "{} led to something new", report.kept);
}

#[test]
fn seeds_themselves_are_fine() {
    minimise::keep_panics();
    let texts = seeds::all();
    assert!(texts.len() > 700, "{} seeds", texts.len());
    let mut faults = Vec::new();
    for target in [Target::Parse, Target::Compile, Target::Run] {
        for text in &texts {
            if let Err(why) = minimise::attempt(target, text.as_bytes()) {
                faults.push(format!("{target:?}: {why}\n{text}"));
            }
        }
    }
    // The hook that keeps panics hides the message of an assertion.
    faults.iter().for_each(|fault| eprintln!("{fault}"));
    assert!(faults.is_empty());
}
