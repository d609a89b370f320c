//! `cslrun explore` on the programs of `tests/cases/orders`: for each kind of mistake in the order of events one that has
//! it, and one of the same shape that has not. In the usual order, all of them do what they should.

use crate::case_file::{Case, all_cases};
use crate::{files_below, root};
use cslrun::cli::{Exit, Outcome, perform_words};
use cslrun::{
    Arch, CompileOptions, Deviation, MemoryLoader, Program, RunOptions, Runner, VisitedStates, compile,
};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// A program with a mistake, and what its report and its schedule say.
struct Mistake {
    name: &'static str,
    /// What decides in the schedule that is found.
    decides: &'static [&'static str],
    /// A variable, and its values usually and in the schedule that is found, as `--get` prints them. The host reads
    /// nothing in a deadlock.
    variable: &'static str,
    values: [&'static str; 2],
    /// The run that finds it, and all runs of the program without the mistake.
    runs: [u64; 2],
}

#[rustfmt::skip]
const MISTAKES: [Mistake; 13] = [
    Mistake { name: "blocked-too-early", decides: &["task close instead of task start"],
        variable: "worked", values: ["1", "0"], runs: [2, 3] },
    Mistake { name: "data-before-local", decides: &["wait instead of task set"],
        variable: "product", values: ["21", "0"], runs: [3, 3] },
    Mistake { name: "deadlock-in-one-order", decides: &["task receive instead of task send"],
        variable: "answer", values: ["6", ""], runs: [2, 2] },
    Mistake { name: "equal-completions", decides: &["wait instead of task one"],
        variable: "last", values: ["2", "1"], runs: [3, 3] },
    Mistake { name: "fifo-of-two", decides: &["microthread 3 instead of turns"],
        variable: "x", values: ["[1, 1]", "[1, 2]"], runs: [8, 3] },
    Mistake { name: "flag-read-early", decides: &["wait instead of task hear"],
        variable: "seen", values: ["4", "0"], runs: [3, 3] },
    Mistake { name: "launch-overtaken", decides: &["wait instead of launch of work"],
        variable: "sum", values: ["12", "7"], runs: [2, 2] },
    Mistake { name: "lost-activation", decides: &["wait instead of task count"],
        variable: "received", values: ["2", "1"], runs: [3, 3] },
    Mistake { name: "queue-of-two", decides: &["microthread 1 instead of turns"],
        variable: "result", values: ["11", "12"], runs: [4, 4] },
    Mistake { name: "race-in-one-order", decides: &["wait instead of task done"],
        variable: "seen", values: ["1", "1"], runs: [3, 3] },
    Mistake { name: "two-neighbours", decides: &["wait instead of task from_west"],
        variable: "total", values: ["11", "12"], runs: [2, 2] },
    Mistake { name: "two-writers", decides: &["task two instead of task one"],
        variable: "result", values: ["2", "1"], runs: [2, 2] },
    Mistake { name: "unblocked-before-the-receive",
        decides: &["task open instead of task post", "task hear instead of task post"],
        variable: "head", values: ["[1, 2]", "[2, 3]"], runs: [6, 4] },
];

fn case(name: &str) -> Case {
    let path = root().join(format!("tests/cases/orders/{name}.csl"));
    Case::read(&path).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn loader(case: &Case) -> MemoryLoader {
    let mut loader = MemoryLoader::default();
    case.files.iter().for_each(|file| loader.add(&file.name, file.text.as_str()));
    loader
}

/// Performs `cslrun COMMAND PROGRAM ARGS OPTIONS`; the file `order.txt` holds a schedule.
fn perform(case: &Case, command: &str, schedule: &str, options: &[&str]) -> Outcome {
    let mut loader = loader(case);
    loader.add("order.txt", schedule);
    let mut words = vec!["cslrun", command, case.files[0].name.as_str()];
    words.extend(case.args.iter().map(String::as_str));
    words.extend(options);
    perform_words(&words, &loader).expect("the arguments are right")
}

/// The number that stands before a word.
fn count(text: &str, word: &str) -> u64 {
    let before = text.split(word).next().unwrap_or_default();
    let number = before.split(|c: char| !c.is_ascii_digit() && c != ',').rfind(|part| !part.is_empty());
    number.and_then(|number| number.replace(',', "").parse().ok()).unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn each_mistake_is_found_and_the_schedule_repeats_it() {
    for Mistake { name, decides, variable, values: [usual, other], runs } in MISTAKES {
        let case = case(name);
        let found = perform(&case, "explore", "", &[]);
        assert_eq!(found.exit, Exit::WentWrong, "{name}");
        let lines: Vec<&str> = found.printed.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(lines.len(), decides.len(), "{name}: {}", found.printed);
        for (line, decides) in lines.iter().zip(decides) {
            assert!(line.contains(decides), "{name}: {line}");
        }
        assert_eq!(count(&found.printed, " ends differently"), runs[0], "{name}: {}", found.printed);
        let report = found.stderr_text(false);
        let is_reported =
            ["error[order-dependent]", "warning[data-race]"].iter().any(|word| report.contains(word));
        assert!(is_reported, "{name}: {report}");

        let get = ["--get", variable, "--schedule", "order.txt"];
        let runs = [perform(&case, "run", "", &get[..2]), perform(&case, "run", &found.printed, &get)];
        let rules =
            |outcome: &Outcome| outcome.diagnostics.iter().map(|d| d.rule.to_string()).collect::<Vec<_>>();
        assert!(
            rules(&runs[0]).is_empty() && runs[0].exit == Exit::Fine,
            "{name}: {}",
            runs[0].stderr_text(false)
        );
        assert!(runs[0].printed.contains(usual), "{name}: {}", runs[0].printed);
        assert!(
            runs[1].printed.contains(other),
            "{name}: {}\n{}",
            runs[1].printed,
            runs[1].stderr_text(false)
        );
        let of_the_run: Vec<String> =
            rules(&found).into_iter().filter(|rule| rule != "order-dependent").collect();
        assert_eq!(rules(&runs[1]), of_the_run, "{name}");
    }
}

#[test]
fn the_programs_without_a_mistake_end_alike_under_all_schedules() {
    for Mistake { name, runs, .. } in MISTAKES {
        let outcome = perform(&case(&format!("{name}-clean")), "explore", "", &[]);
        assert_eq!((outcome.exit, outcome.stderr_text(false).as_str()), (Exit::Fine, ""), "{name}");
        let is_complete =
            outcome.printed.starts_with("all ") || outcome.printed.starts_with("the only schedule");
        assert!(is_complete, "{name}: {}", outcome.printed);
        assert_eq!(count(&outcome.printed, " run"), runs[1], "{name}: {}", outcome.printed);
    }
}

#[test]
fn every_program_of_the_folder_is_tested() {
    let programs = files_below(&root().join("tests/cases/orders"), "csl").len();
    assert_eq!(programs, 2 * MISTAKES.len());
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    for name in ["queue-of-two-clean", "unblocked-before-the-receive", "fifo-of-two"] {
        let case = case(name);
        let told = |threads: &str| {
            let outcome = perform(&case, "explore", "", &["--threads", threads]);
            format!("{}{}", outcome.printed, outcome.stderr_text(false))
        };
        let one = told("1");
        assert!(["2", "5"].iter().all(|threads| told(threads) == one), "{name}");
    }
}

#[test]
fn a_budget_that_ends_first_is_told() {
    let outcome = perform(&case("queue-of-two-clean"), "explore", "", &["--budget", "2"]);
    assert_eq!(outcome.exit, Exit::Fine);
    assert!(outcome.printed.contains("not all of them were tried"), "{}", outcome.printed);
    assert!(outcome.printed.contains("2 runs, of at most 2"), "{}", outcome.printed);
}

#[test]
fn a_schedule_that_does_not_fit_is_refused_with_its_line() {
    let case = case("two-writers");
    for (schedule, expected) in [
        (
            "PE 0,0 decision 9: wait instead of task one",
            "order.txt:1: the schedule does not fit the program: PE(0,0) makes 3 decisions",
        ),
        (
            "PE 7,0 decision 1: wait instead of task one",
            "order.txt:1: the schedule does not fit the program: PE(7,0) makes 0 decisions",
        ),
        (
            "PE 0,0 decision 2: candidate 3 of 3, task x instead of task one",
            "decision 2 PE(0,0) has these candidates: task one, task two",
        ),
        (
            "PE 0,0 decision 2: candidate 2 of 2, task x instead of task one",
            "decision 2 PE(0,0) has these candidates: task one, task two",
        ),
        ("\n\nPE 0,0: hello", "order.txt:3: expected `PE X,Y decision N"),
        ("\u{0}\u{ffff} 99999999999999999999", "order.txt:1: expected"),
    ] {
        let outcome = perform(&case, "run", schedule, &["--schedule", "order.txt"]);
        let words = outcome.stderr_text(false);
        assert!(outcome.exit == Exit::Usage && words.contains(expected), "{schedule}: {words}");
    }
    let outcome = perform(&case, "run", "", &["--schedule", "none.txt"]);
    assert!(outcome.exit == Exit::Usage && outcome.stderr_text(false).contains("there is no file none.txt"));
}

/// An order that a seed shows is one of all orders: whatever differs between two seeds differs for `explore`, too.
#[test]
fn what_seeds_find_is_found() {
    let (mut found, mut missed) = (0, Vec::new());
    let is_one_run = |case: &&Case| {
        let path = case.path.to_string_lossy();
        (path.contains("cases/tasks/") || path.contains("cases/fabric/"))
            && case.run
            && !case.args.iter().any(|arg| ["--seed", "--max-cycles"].contains(&arg.as_str()))
    };
    for case in all_cases().iter().filter(is_one_run) {
        let seeds = match case.args.iter().any(|word| word == "--seeds") {
            true => perform_words(&words(case), &loader(case)).expect("the arguments of a case"),
            false => {
                perform(case, "run", "", &["--seeds", "1..6", "--threads", "1", "--max-cycles", "20000"])
            }
        };
        if !seeds.diagnostics.iter().any(|d| d.rule == "order-dependent") {
            continue;
        }
        let mut same = Case::read(&case.path).expect("a case");
        if let Some(at) = same.args.iter().position(|word| word == "--seeds") {
            same.args.drain(at..at + 2);
        }
        let explored = perform(&same, "explore", "", &["--budget", "100", "--max-cycles", "20000"]);
        // Both tell of a race; the search does not vary what happens between two elements of an operation.
        if explored.diagnostics.iter().any(|d| d.rule == "data-race") {
            continue;
        }
        let is_complete = explored.printed.starts_with("all ") || explored.printed.starts_with("the only");
        found += 1;
        if is_complete {
            missed.push(format!("{}: {}", case.path.display(), explored.printed));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    assert!(found >= 5, "{found} cases");
}

fn words(case: &Case) -> Vec<&str> {
    let words = ["cslrun", "run", case.files[0].name.as_str()].into_iter();
    words.chain(case.args.iter().map(String::as_str)).collect()
}

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

/// A program of one PE whose tasks change two variables, activate each other and send to themselves.
fn random_program(seed: u64) -> String {
    let mut dice = Dice(seed);
    let mut statement = || {
        let (task, k) = (dice.below(4), 1 + dice.below(3));
        match dice.below(7) {
            0 => format!("a = {k};"),
            1 | 2 => format!("b += {k};"),
            3 => "b = a;".to_string(),
            4 => format!("a = 2 * a + {k};"),
            5 => format!("if (left > 0) {{ left -= 1; @activate(t{task}_id); }}"),
            _ => format!("if (!sent) {{ sent = true; @mov16(out, {k}, .{{ .async = true }}); }}"),
        }
    };
    let mut text = String::from(
        "const color_a = @get_color(3);\nconst color_b = @get_color(4);\nconst main_id = @get_local_task_id(8);
const out = @get_dsd(fabout_dsd, .{ .extent = 1, .fabric_color = color_a, .output_queue = @get_output_queue(5) });
const to = @get_dsd(fabout_dsd, .{ .extent = 2, .fabric_color = color_b, .output_queue = @get_output_queue(2) });
const from = @get_dsd(fabin_dsd, .{ .extent = 2, .fabric_color = color_b, .input_queue = @get_input_queue(4) });
var words = @zeros([2]i16);
const all_words = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> words[i] });
var a: i16 = 0;\nvar b: i16 = 0;\nvar left: i16 = 2;\nvar sent = false;\n",
    );
    for task in 0..4 {
        text += &format!("const t{task}_id = @get_local_task_id({});\n", 9 + task);
        text += &format!("task t{task}() void {{ {} {} }}\n", statement(), statement());
    }
    text += &format!("task hear(value: i16) void {{ {} a += value; }}\n", statement());
    text +=
        &format!("task main() void {{\n  @activate(t{}_id);\n  @activate(t{}_id);\n", seed % 4, seed / 4 % 4);
    if seed.is_multiple_of(3) {
        text += "  @mov16(all_words, from, .{ .async = true, .activate = t3_id });\n";
        text += "  @mov16(to, 1, .{ .async = true });\n";
    }
    text += "}\ncomptime {\n  @bind_local_task(main, main_id);\n  @activate(main_id);\n";
    (0..4).for_each(|task| text += &format!("  @bind_local_task(t{task}, t{task}_id);\n"));
    text += "  @bind_data_task(hear, @get_data_task_id(color_a));\n";
    for color in ["color_a", "color_b"] {
        text += &format!(
            "  @set_local_color_config({color}, .{{ .routes = .{{ .rx = .{{ RAMP }}, .tx = .{{ RAMP }} }} }});\n"
        );
    }
    text + "}\n"
}

/// The ends of all runs, each schedule tried to its end; `None` if there are too many. Runs in which a PE waits for
/// something that never comes have none.
fn all_ends(program: &Arc<Program>) -> Option<BTreeSet<(u64, Vec<String>)>> {
    let (mut ends, mut left, mut runs) = (BTreeSet::new(), vec![Vec::<Deviation>::new()], 0);
    while let Some(deviations) = left.pop() {
        runs += 1;
        if runs > 1500 {
            return None;
        }
        let options = RunOptions { max_cycles: Some(50_000), ..RunOptions::default() };
        let mut runner = Runner::new(Arc::clone(program), options);
        runner.follow(&deviations, Some(VisitedStates::default()));
        let ended = runner.run_until_idle();
        if runner.script_end().is_none() {
            let failed = ended.err().map_or(Vec::new(), |failure| failure.diagnostics(program.sources()));
            let errors = failed.iter().filter(|d| d.severity.is_error()).map(|d| d.rule.to_string());
            ends.insert((runner.final_hash(), errors.collect()));
        }
        let decisions = runner.decisions();
        let own = |pe, number| deviations.iter().any(|d| (d.pe, d.number) == (pe, number));
        let after = decisions.iter().rposition(|seen| own(seen.pe, seen.number)).map_or(0, |last| last + 1);
        for seen in &decisions[after..] {
            let others = (1..seen.decision.candidates.len()).map(|n| Some(n as u8));
            for alternative in others.chain(seen.decision.may_wait().then_some(None)) {
                let new = Deviation { pe: seen.pe, number: seen.number, alternative };
                left.push(deviations.iter().copied().chain([new]).collect());
            }
        }
    }
    Some(ends)
}

#[test]
fn the_search_tells_the_same_as_trying_everything() {
    let (mut alike, mut different) = (0, 0);
    for seed in 0..150 {
        let text = random_program(seed);
        let mut loader = MemoryLoader::default();
        loader.add("random.csl", text.as_str());
        let compiled = compile(Path::new("random.csl"), &loader, &CompileOptions::new(Arch::Wse2));
        let program = Arc::new(compiled.into_program().unwrap_or_else(|e| panic!("{e}\n{text}")));
        let Some(ends) = all_ends(&program) else { continue };
        let words = ["cslrun", "explore", "random.csl", "--threads", "2", "-A", "data-race"];
        let explored = perform_words(&words, &loader).expect("the arguments are right");
        if explored.printed.starts_with("the usual schedule fails") {
            continue;
        }
        let expected = if ends.len() > 1 { Exit::WentWrong } else { Exit::Fine };
        assert_eq!(explored.exit, expected, "seed {seed}: {ends:?}\n{}\n{text}", explored.printed);
        assert!(!explored.printed.contains("not all"), "seed {seed}: {}", explored.printed);
        if ends.len() > 1 { different += 1 } else { alike += 1 }
    }
    assert!(alike >= 10 && different >= 10, "{alike} alike, {different} different");
}
