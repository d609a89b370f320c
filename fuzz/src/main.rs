//! The command `fuzz`: a campaign, or one input again.

use clap::Parser;
use fuzz::Target;
use fuzz::campaign::{Plan, run};
use fuzz::minimise::{attempt, keep_panics};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Feeds cslrun with damaged programs. What goes wrong is written to a folder, made as small as possible.
#[derive(Parser)]
struct Args {
    /// The targets; without any, all.
    targets: Vec<Target>,
    /// How many seconds it goes on.
    #[arg(long, conflicts_with = "runs")]
    seconds: Option<u64>,
    /// How many inputs each worker tries.
    #[arg(long)]
    runs: Option<u64>,
    /// Decides all inputs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many workers there are.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Where the findings go.
    #[arg(long, default_value = "target/fuzz/findings")]
    findings: PathBuf,
    /// Tries this input on the targets instead, and shows what is wrong with it.
    #[arg(long)]
    again: Option<PathBuf>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let targets = if args.targets.is_empty() { Target::all().to_vec() } else { args.targets };
    if let Some(path) = args.again {
        return again(&targets, &path);
    }
    let time = args.seconds.map(Duration::from_secs);
    let runs = args.runs.or(if time.is_none() { Some(1000) } else { None });
    let jobs = args.jobs.max(1);
    let plan = Plan { targets, seed: args.seed, time, runs, jobs, findings: args.findings };
    let report = run(&plan);
    for (target, runs) in &report.runs {
        println!("{target:12} {runs:9} inputs");
    }
    println!("{} of them led to something new; {} faults", report.kept, report.findings.len());
    for finding in &report.findings {
        println!("\n{:?}: {}", finding.target, finding.why);
    }
    if report.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn again(targets: &[Target], path: &PathBuf) -> ExitCode {
    let input = match std::fs::read(path) {
        Ok(input) => input,
        Err(why) => {
            eprintln!("{}: {why}", path.display());
            return ExitCode::from(2);
        }
    };
    keep_panics();
    let mut all_fine = true;
    for target in targets {
        match attempt(*target, &input) {
            Ok(signs) => println!("{target:?}: {signs:?}"),
            Err(why) => {
                println!("{target:?}: {why}");
                all_fine = false;
            }
        }
    }
    if all_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
