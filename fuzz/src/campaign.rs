//! A campaign: mutants of the seeds go to targets until the time or the number of runs is up.

use crate::dice::Dice;
use crate::minimise::{attempt, keep_panics, kind, smaller};
use crate::seeds;
use crate::targets::{Signs, Target};
use crate::tree::Mutator;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How much time of processors one input may take; a busy machine must not make findings.
const SLOW: Duration = Duration::from_secs(120);
/// How long one input may take that waits for ever and needs no processor.
const STUCK: Duration = Duration::from_secs(1800);

/// What a campaign does.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The targets; a worker goes through them in turns.
    pub targets: Vec<Target>,
    /// Decides all inputs. Each worker has numbers of its own.
    pub seed: u64,
    /// How long it goes on.
    pub time: Option<Duration>,
    /// How many inputs each worker tries.
    pub runs: Option<u64>,
    /// How many workers there are.
    pub jobs: usize,
    /// Where the findings go.
    pub findings: PathBuf,
}

/// A fault that was found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The target that found it.
    pub target: Target,
    /// Where the panic was, and what it says.
    pub why: String,
    /// The smallest input.
    pub input: Vec<u8>,
}

/// What a campaign has done.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// For each target the number of inputs.
    pub runs: BTreeMap<String, u64>,
    /// How many inputs led to something that no other had led to.
    pub kept: usize,
    /// One finding for each fault.
    pub findings: Vec<Finding>,
}

/// What a worker tries now, for the watch.
struct Attempt {
    since: Instant,
    /// What the process had used when the watch saw it first. Most inputs are done before that: to read it for each would
    /// take a quarter of the time of the fastest target.
    used: Option<Duration>,
    target: Target,
    input: Vec<u8>,
}

type Current = Mutex<Option<Attempt>>;

/// Runs a campaign, and writes what it finds into the folder for findings.
///
/// An input that takes two minutes of a processor is written there, too, and then the process ends: a thread cannot
/// be stopped from outside.
pub fn run(plan: &Plan) -> Report {
    keep_panics();
    let texts = seeds::all();
    let (is_over, report) = (AtomicBool::new(false), Mutex::new(Report::default()));
    let current: Vec<Current> = (0..plan.jobs).map(|_| Mutex::new(None)).collect();
    let done = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for (job, current) in current.iter().enumerate() {
            let (texts, done, shared) = (&texts, &done, (&is_over, &report));
            let work = move || {
                work(plan, job, texts, current, shared);
                done.fetch_add(1, Ordering::SeqCst);
            };
            // Deep programs need deep stacks.
            let thread = std::thread::Builder::new().stack_size(256 << 20);
            thread.spawn_scoped(scope, work).expect("the system has room for a thread");
        }
        let start = Instant::now();
        while done.load(Ordering::SeqCst) < plan.jobs as u64 {
            std::thread::sleep(Duration::from_millis(50));
            is_over.fetch_or(plan.time.is_some_and(|time| start.elapsed() > time), Ordering::SeqCst);
            current.iter().for_each(|current| end_if_slow(plan, current));
        }
    });
    let report = report.into_inner().expect("no worker panics while it reports");
    report.findings.iter().for_each(|finding| write(plan, finding));
    report
}

fn work(
    plan: &Plan,
    job: usize,
    texts: &[String],
    current: &Current,
    (is_over, report): (&AtomicBool, &Mutex<Report>),
) {
    let seed = plan.seed.wrapping_mul(1000).wrapping_add(job as u64);
    let (mut dice, mut mutator) = (Dice::new(seed), Mutator::new(seed ^ 0x5eed, texts));
    let mut pools: Vec<Pool> = plan.targets.iter().map(|target| Pool::new(*target, texts)).collect();
    for n in 0..plan.runs.unwrap_or(u64::MAX) {
        if is_over.load(Ordering::SeqCst) {
            return;
        }
        let pool = &mut pools[n as usize % plan.targets.len()];
        let input = pool.input(&mut dice, &mut mutator);
        *current.lock().expect("no worker panics") = Some(Attempt::new(pool.target, &input));
        let outcome = attempt(pool.target, &input);
        *current.lock().expect("no worker panics") = None;
        let kept = match &outcome {
            Ok(signs) => pool.keep(&input, signs),
            Err(_) => false,
        };
        let is_new = {
            let mut report = report.lock().expect("no worker panics while it reports");
            *report.runs.entry(format!("{:?}", pool.target)).or_default() += 1;
            report.kept += usize::from(kept);
            outcome
                .as_ref()
                .is_err_and(|why| report.findings.iter().all(|known| kind(&known.why) != kind(why)))
        };
        if let Err(why) = outcome
            && is_new
        {
            let input = smaller(pool.target, &input, &why);
            let finding = Finding { target: pool.target, why, input };
            report.lock().expect("no worker panics while it reports").findings.push(finding);
        }
    }
}

/// The inputs of a target that have led to something new, the seeds first.
struct Pool {
    target: Target,
    inputs: Vec<Vec<u8>>,
    seen: Signs,
}

impl Pool {
    fn new(target: Target, texts: &[String]) -> Pool {
        Pool { target, inputs: target.seeds(texts), seen: Signs::new() }
    }

    fn input(&self, dice: &mut Dice, mutator: &mut Mutator<'_>) -> Vec<u8> {
        let Some(input) = dice.one(&self.inputs) else { return Vec::new() };
        match std::str::from_utf8(input) {
            Ok(text) if self.target.takes_text() => mutator.mutant(text).into_bytes(),
            _ => damaged(input, dice),
        }
    }

    /// Keeps an input that has led to something new; false if it has not.
    fn keep(&mut self, input: &[u8], signs: &Signs) -> bool {
        let before = self.seen.len();
        self.seen.extend(signs.iter().cloned());
        let is_new = self.seen.len() > before;
        if is_new {
            self.inputs.push(input.to_vec());
        }
        is_new
    }
}

/// Bytes of which some were changed, removed or added.
fn damaged(input: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=dice.below(4) {
        // What is furthest from a header is the least likely to be refused at once.
        let first = [0, bytes.len() / 2, bytes.len() / 4 * 3][dice.below(3)];
        let at = first + dice.below(bytes.len() - first);
        match dice.below(6) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, dice.number() as u8),
            2 if !bytes.is_empty() => drop(bytes.remove(at)),
            3 if !bytes.is_empty() => bytes[at] ^= 1 << dice.below(8),
            4 if !bytes.is_empty() => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][dice.below(5)],
            _ => {
                let piece: Vec<u8> = bytes.iter().skip(at).take(dice.below(9)).copied().collect();
                let to = dice.below(bytes.len());
                bytes.splice(to..to, piece);
            }
        }
    }
    bytes
}

impl Attempt {
    fn new(target: Target, input: &[u8]) -> Attempt {
        Attempt { since: Instant::now(), used: None, target, input: input.to_vec() }
    }

    /// The process counts its time as a whole, so that what the other workers may have used is left out.
    fn is_slow(&mut self, jobs: usize) -> bool {
        let (elapsed, used) = (self.since.elapsed(), *self.used.get_or_insert_with(cpu_time));
        elapsed > STUCK || elapsed > SLOW && cpu_time() - used > SLOW * jobs as u32
    }
}

/// The time of processors that this process has used; zero where the system has no such file.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in parentheses, may hold spaces. Times are in hundredths of a second.
    let behind_name = stat.rsplit(") ").next().unwrap_or_default();
    let ticks = behind_name.split(' ').skip(11).take(2).filter_map(|field| field.parse::<u64>().ok());
    Duration::from_millis(10 * ticks.sum::<u64>())
}

fn end_if_slow(plan: &Plan, current: &Current) {
    let slow = current.lock().expect("no worker panics").take_if(|attempt| attempt.is_slow(plan.jobs));
    if let Some(Attempt { target, input, .. }) = slow {
        let why = format!("it takes longer than {} s of a processor", SLOW.as_secs());
        write(plan, &Finding { target, why: why.clone(), input });
        eprintln!("{target:?}: {why}; see {}", plan.findings.display());
        std::process::exit(1);
    }
}

/// Writes a finding: the input, and beside it what is wrong with it.
fn write(plan: &Plan, finding: &Finding) {
    let extension = if finding.target.takes_text() { "csl" } else { "bin" };
    let name = format!("{:?}-{:08x}", finding.target, crc32fast::hash(kind(&finding.why).as_bytes()));
    let path = plan.findings.join(name);
    let written = std::fs::create_dir_all(&plan.findings)
        .and_then(|()| std::fs::write(path.with_extension(extension), &finding.input))
        .and_then(|()| std::fs::write(path.with_extension("txt"), format!("{}\n", finding.why)));
    if let Err(why) = written {
        eprintln!("{}: {why}", path.display());
    }
}
