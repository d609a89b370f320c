//! Traces: a recorded run is the same run, and the file for Perfetto is sound.

use crate::case_file::{Case, all_cases};
use crate::root;
use cslrun::cli::{Exit, Outcome, perform_words};
use cslrun::{DiskLoader, MemoryLoader};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A slice of the picture, by its process and thread: begin and end.
type Slices = BTreeMap<(u64, u64), Vec<(u64, u64)>>;

#[test]
fn a_recorded_run_is_the_same_run_and_its_file_is_sound() {
    let folders = ["fabric", "tasks", "hangs", "stdlib"].map(|f| root().join("tests/cases").join(f));
    let mut ran = 0;
    // With `--seeds` there are many runs.
    let is_one_run = |c: &&Case| c.run && !c.args.iter().any(|word| word == "--seeds");
    let all = all_cases();
    for case in all.iter().filter(is_one_run).filter(|c| folders.iter().any(|f| c.path.starts_with(f))) {
        let file = scratch("case.json");
        let option = format!("--trace={}", file.display());
        let _ = std::fs::remove_file(&file);
        let (plain, traced) = (perform(case, &[]), perform(case, &[&option, "--trace-limit", "20000"]));
        let name = case.path.display();
        assert_eq!(plain.exit, traced.exit, "{name}");
        assert_eq!(plain.stderr_text(false), traced.stderr_text(false), "{name}");
        assert_eq!(plain.asserts_held, traced.asserts_held, "{name}");
        // A program that does not compile leaves no trace; one that goes wrong does.
        if plain.exit == Exit::Rejected && !file.exists() {
            continue;
        }
        let shown = traced.printed.strip_prefix(&format!("{}: ", file.display())).expect("a summary");
        assert!(shown.ends_with(&plain.printed), "{name}: {shown}");
        check(&read(&file)).unwrap_or_else(|e| panic!("{name}: {e}"));
        ran += 1;
    }
    assert!(ran > 100, "only {ran} programs were recorded");
}

#[test]
fn arrows_lead_each_wavelet_from_its_sender_to_its_receiver() {
    let picture = traced("examples/03-two-pes/layout.csl", "pair.json", &[]);
    let mut flows: BTreeMap<u64, Vec<(String, u64)>> = BTreeMap::new();
    for event in events(&picture).iter().filter(|e| e["cat"] == "wavelet") {
        let point = (text(event, "ph").to_string(), number(event, "pid"));
        flows.entry(number(event, "id")).or_default().push(point);
    }
    let way = [("s", 1000), ("t", 1000), ("t", 1001), ("f", 1001)].map(|(phase, pe)| (phase.to_string(), pe));
    assert_eq!(flows.len(), 5);
    assert!(flows.values().all(|flow| *flow == way), "{flows:?}");
}

#[test]
fn a_wavelet_that_many_receive_has_an_arrow_to_each() {
    let picture = traced("examples/04-multicast/layout.csl", "many.json", &[]);
    let count = |phase: &str| events(&picture).iter().filter(|e| e["ph"] == phase).count();
    let arrivals = |e: &&Value| e["ph"] == "X" && text(e, "name").contains("arrives");
    let arrivals = events(&picture).iter().filter(arrivals).count();
    assert!(arrivals > 1);
    assert_eq!((count("s"), count("f")), (arrivals, arrivals));
}

#[test]
fn slices_show_operations_with_their_stalls_inside() {
    let picture = traced("examples/03-two-pes/layout.csl", "slices.json", &["--trace-pe", "1,0"]);
    let named = |name: &str| {
        let slice = events(&picture).iter().find(|e| e["ph"] == "X" && text(e, "name") == name);
        let slice = slice.unwrap_or_else(|| panic!("no slice is called {name}"));
        (number(slice, "tid"), number(slice, "ts"), number(slice, "dur"))
    };
    assert_eq!(named("@fadds"), (12, 1, 14));
    assert_eq!(named("input queue 2 (color 4) is empty"), (12, 8, 3));
    assert_eq!(named("done"), (1, 15, 18));
    assert!(events(&picture).iter().all(|e| number(e, "pid") == 1001));
}

#[test]
fn a_color_leaves_the_operations_that_it_concerns() {
    let picture = traced("examples/03-two-pes/layout.csl", "color.json", &["--trace-color", "4"]);
    let slices = |picture: &Value, tid: u64| {
        let slices = events(picture).iter().filter(|e| e["ph"] == "X" && e["tid"] == tid);
        slices.map(|e| text(e, "name").to_string()).collect::<Vec<_>>()
    };
    assert_eq!(slices(&picture, 12), ["@fmovs", "@fadds", "input queue 2 (color 4) is empty"]);
    assert!(slices(&picture, 1).is_empty());
    let other = traced("examples/03-two-pes/layout.csl", "other.json", &["--trace-color", "5"]);
    assert!(events(&other).is_empty());
}

#[test]
fn filters_of_one_kind_add_up() {
    let program = "examples/03-two-pes/layout.csl";
    let all = traced(program, "all.json", &[]);
    let blocks = [&["--trace-pe", "0,0", "--trace-pe", "1,0"][..], &["--trace-pe", "0..1,0"]];
    for more in blocks {
        assert_eq!(traced(program, "some.json", more), all);
    }
    let tasks = traced(program, "tasks.json", &["--trace-task", "main", "--trace-task", "done"]);
    let names = events(&tasks).iter().filter(|e| e["ph"] == "X" && e["tid"] == 1);
    let names: Vec<&str> = names.map(|e| text(e, "name")).collect();
    assert_eq!(names, ["main", "main", "done", "@fadds"]);
    let routers = events(&tasks).iter().filter(|e| e["ph"] != "M" && e["tid"].as_u64() >= Some(100));
    assert_eq!(routers.count(), 0);
}

#[test]
fn a_trace_that_is_cut_says_so_in_its_file() {
    let picture = traced("examples/03-two-pes/layout.csl", "cut.json", &["--trace-limit", "7"]);
    assert_eq!(
        picture["otherData"]["cut"],
        "the trace ends here, in cycle 7 of 33: it has 7 events (--trace-limit)"
    );
    assert_eq!(picture["otherData"]["note"], "1 microsecond in this file is 1 cycle");
    check(&picture).unwrap();
}

#[test]
fn what_begins_before_or_ends_behind_the_cycles_of_a_trace_is_drawn_as_far_as_it_is_known() {
    let slices = |file: &str, cycles: &str| {
        let picture = traced("examples/03-two-pes/layout.csl", file, &["--trace-cycles", cycles]);
        check(&picture).unwrap();
        let receiver =
            events(&picture).iter().filter(|e| e["ph"] == "X" && e["tid"] == 12 && e["pid"] == 1001);
        receiver.map(|e| (number(e, "ts"), number(e, "dur"))).collect::<Vec<_>>()
    };
    // The receiver adds in cycles 1 to 15, and stalls in cycles 8 to 11.
    assert_eq!(slices("late.json", "10.."), [(1, 14), (8, 3)]);
    assert_eq!(slices("early.json", "..9"), [(1, 9), (8, 2)]);
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn perform(case: &Case, more: &[&str]) -> Outcome {
    let mut loader = MemoryLoader::default();
    case.files.iter().for_each(|file| loader.add(&file.name, file.text.as_str()));
    let mut words = vec!["cslrun", "run", case.files[0].name.as_str()];
    words.extend(case.args.iter().map(String::as_str));
    words.extend(more);
    perform_words(&words, &loader).unwrap_or_else(|| panic!("{}: wrong arguments", case.path.display()))
}

/// The picture of a program of the repository.
fn traced(program: &str, file: &str, more: &[&str]) -> Value {
    let (program, file) = (root().join(program).display().to_string(), scratch(file));
    let option = format!("--trace={}", file.display());
    let mut words = vec!["cslrun", "run", program.as_str(), option.as_str()];
    words.extend(more);
    perform_words(&words, &DiskLoader).expect("right arguments");
    read(&file)
}

fn read(file: &Path) -> Value {
    let text = std::fs::read_to_string(file).expect("the trace was written");
    serde_json::from_str(&text).expect("valid JSON")
}

fn events(picture: &Value) -> &Vec<Value> {
    picture["traceEvents"].as_array().expect("a list of events")
}

fn number(event: &Value, key: &str) -> u64 {
    event[key].as_u64().unwrap_or_else(|| panic!("no number `{key}` in {event}"))
}

fn text<'e>(event: &'e Value, key: &str) -> &'e str {
    event[key].as_str().unwrap_or_else(|| panic!("no text `{key}` in {event}"))
}

/// Time goes on, slices of a track lie beside or inside each other, arrows begin and end.
fn check(picture: &Value) -> Result<(), String> {
    let (mut now, mut slices, mut flows) = (0, Slices::new(), BTreeMap::<u64, String>::new());
    for event in events(picture) {
        let phase = text(event, "ph");
        if phase == "M" {
            continue;
        }
        let time = number(event, "ts");
        if time < now {
            return Err(format!("{event} comes after cycle {now}"));
        }
        now = time;
        match phase {
            "X" => {
                let track = (number(event, "pid"), number(event, "tid"));
                slices.entry(track).or_default().push((time, time + number(event, "dur")));
            }
            "s" | "t" | "f" => flows.entry(number(event, "id")).or_default().push_str(phase),
            "C" | "i" => {}
            other => return Err(format!("nobody writes `{other}`")),
        }
    }
    let whole = |flow: &&String| {
        let middle = flow.strip_prefix('s').and_then(|rest| rest.strip_suffix('f'));
        middle.is_none_or(|middle| middle.chars().any(|c| c != 't'))
    };
    if let Some(broken) = flows.values().find(whole) {
        return Err(format!("an arrow is {broken}"));
    }
    slices.into_iter().try_for_each(|(track, slices)| nested(&slices).map_err(|e| format!("{track:?}: {e}")))
}

/// Slices in the order of their beginnings.
fn nested(slices: &[(u64, u64)]) -> Result<(), String> {
    let mut open: Vec<u64> = Vec::new();
    for (begin, end) in slices {
        open.retain(|other| other > begin);
        if let Some(around) = open.last().filter(|around| *around < end) {
            return Err(format!("{begin}..{end} begins before {around} and ends behind it"));
        }
        open.push(*end);
    }
    Ok(())
}

#[test]
fn commands_of_the_host_are_a_process_of_their_own() {
    let launch = ["--launch", "multiply:1.0", "--get", "y"];
    let picture = traced("examples/06-host/layout.csl", "host.json", &launch);
    let host: Vec<_> = events(&picture).iter().filter(|e| number(e, "pid") == 999).collect();
    let titles = host.iter().filter(|e| e["ph"] == "M").filter_map(|e| e["args"]["name"].as_str());
    assert!(titles.eq(["host", "waits for", "commands"]), "{host:?}");
    let commands = host.iter().filter(|e| e["ph"] == "X" && e["tid"] == 2).map(|e| text(e, "name"));
    assert!(commands.eq(["the launch of `multiply`"]), "{host:?}");
    // A filter that selects PEs selects no command of the host.
    let picture =
        traced("examples/06-host/layout.csl", "host.json", &[&launch[..], &["--trace-pe", "0,0"]].concat());
    assert!(events(&picture).iter().all(|e| number(e, "pid") != 999));
}
