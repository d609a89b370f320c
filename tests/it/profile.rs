//! Profiles: a profiled run is the same run, every cycle of a PE is counted once, and small programs have the profile that
//! one expects of them.

use crate::case_file::{Case, all_cases};
use crate::root;
use crate::story::first_difference;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use cslrun::cli::{Exit, Outcome, perform_words};
use cslrun::{DiskLoader, MemoryLoader};
use flate2::read::ZlibDecoder;
use serde_json::Value;
use std::collections::BTreeMap;

fn number(value: &Value, name: &str) -> u64 {
    value[name].as_u64().unwrap_or_else(|| panic!("{name} of {value}"))
}

fn list<'v>(value: &'v Value, name: &str) -> &'v Vec<Value> {
    value[name].as_array().unwrap_or_else(|| panic!("{name} is no list"))
}

fn sum(rows: &[Value], name: &str) -> u64 {
    rows.iter().map(|row| number(row, name)).sum()
}

fn total(times: &Value) -> u64 {
    ["busy", "wavelet", "room", "fifo", "task", "idle"].iter().map(|class| number(times, class)).sum()
}

/// Whether all sums of a profile agree.
fn check(profile: &Value) -> Result<(), String> {
    let until = number(profile, "until");
    let equal = |what: &str, one: u64, other: u64| match one == other {
        true => Ok(()),
        false => Err(format!("{what}: {one} and {other}")),
    };
    let (pes, lines) = (list(profile, "pes"), list(profile, "lines"));
    for pe in pes {
        equal(&format!("cycles of PE ({},{})", pe["x"], pe["y"]), total(&pe["times"]), until)?;
    }
    let busy: u64 = pes.iter().map(|pe| number(&pe["times"], "busy")).sum();
    equal("busy of all PEs", busy, number(&profile["times"], "busy"))?;
    equal("busy of lines", sum(lines, "busy"), busy)?;
    equal("busy of functions", sum(list(profile, "functions"), "busy"), busy)?;
    equal("busy of slices", sum(list(profile, "slices"), "busy"), busy)?;
    equal("hidden", sum(lines, "hidden"), sum(pes, "hidden"))?;
    equal("elements", sum(lines, "elements"), sum(list(profile, "functions"), "elements"))?;
    let phases: u64 = list(profile, "phases").iter().map(|phase| total(&phase["times"])).sum();
    equal("phases", phases, total(&profile["times"]))?;
    let colors = list(profile, "colors");
    equal("hops", sum(colors, "hops"), sum(list(profile, "links"), "words"))?;
    equal("sent", sum(colors, "sent"), sum(pes, "sent"))?;
    for line in lines {
        let (best, cycles) = (number(line, "best_cycles"), number(line, "element_cycles"));
        if best > cycles {
            return Err(format!("{line} is faster than the machine"));
        }
    }
    if !profile["cut"].is_null() {
        return Ok(());
    }
    let path = &profile["path"];
    let mut reached = 0;
    for part in list(path, "parts") {
        equal("the path has no gap", number(part, "from"), reached)?;
        reached = number(part, "until");
    }
    equal("the path", reached, until)?;
    let kinds = ["work", "wavelet", "room", "host", "other"];
    equal("kinds of the path", kinds.iter().map(|kind| number(path, kind)).sum(), until)?;
    equal("the path by line", sum(lines, "path"), number(path, "work"))?;
    for free in list(path, "free") {
        if number(free, "cycles") > until {
            return Err(format!("without a line it takes longer: {free}"));
        }
    }
    Ok(())
}

fn loader(case: &Case) -> MemoryLoader {
    let mut loader = MemoryLoader::default();
    case.files.iter().for_each(|file| loader.add(&file.name, file.text.as_str()));
    loader
}

fn perform(case: &Case, profiled: bool, options: &[&str]) -> Outcome {
    let mut words = vec!["cslrun"];
    words.extend(profiled.then_some("profile"));
    words.push(case.files[0].name.as_str());
    words.extend(case.args.iter().map(String::as_str));
    words.extend(options);
    words.extend(profiled.then_some(["--format", "json"]).into_iter().flatten());
    perform_words(&words, &loader(case)).expect("the arguments of a case")
}

/// The tables that do not depend on how far PEs run ahead of the clock, as text.
fn tables(profile: &Value) -> String {
    let pes = list(profile, "pes").iter().map(|pe| {
        let facts = ["x", "y", "hidden", "tasks", "elements", "sent", "delivered", "hops"];
        format!("{} {:?}", pe["times"], facts.map(|name| number(pe, name)))
    });
    let line = |line: &Value| {
        let facts = ["line", "busy", "hidden", "wavelet", "room", "fifo", "elements", "best_cycles"];
        format!("{} {:?}", line["text"], facts.map(|name| number(line, name)))
    };
    let mut lines: Vec<String> = list(profile, "lines").iter().map(line).collect();
    lines.sort();
    pes.chain(lines).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_profiled_run_is_the_same_run_and_its_sums_agree() {
    let is_other =
        |word: &str| ["--seeds", "--trace", "--report"].iter().any(|other| word.starts_with(other));
    let is_plain = |case: &&Case| case.run && !case.args.iter().any(|word| is_other(word));
    let (mut profiled, mut wrong) = (0, Vec::new());
    for case in all_cases().iter().filter(is_plain) {
        let (plain, with) = (perform(case, false, &[]), perform(case, true, &[]));
        let name = case.path.display();
        assert_eq!(plain.exit, with.exit, "{name}");
        assert_eq!(plain.stderr_text(false), with.stderr_text(false), "{name}");
        assert_eq!(plain.asserts_held, with.asserts_held, "{name}");
        // A program that does not compile has no profile; one that goes wrong does.
        let Ok(file) = serde_json::from_str::<Value>(&with.printed) else {
            assert_ne!(plain.exit, Exit::Fine, "{name}: {}", with.printed);
            continue;
        };
        if let Err(why) = check(&file["profile"]) {
            wrong.push(format!("{name}: {why}"));
        }
        // The plain engine does nothing ahead of the clock, like a run with a trace. Failed fast runs are further.
        for other in [["--engine", "plain"], ["--trace", "--trace-limit=100000"]] {
            if plain.exit != Exit::Fine {
                break;
            }
            let slow: Value = serde_json::from_str(&perform(case, true, &other).printed).expect("a profile");
            let (fast, slow) = (tables(&file["profile"]), tables(&slow["profile"]));
            if fast != slow {
                wrong.push(format!("{name} {other:?}:\n{}", first_difference(&fast, &slow)));
            }
        }
        profiled += 1;
    }
    assert!(wrong.is_empty(), "{} of {profiled}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(profiled > 400, "only {profiled} programs were profiled");
}

/// Three PEs in a row: the first computes and sends, the second passes on what comes, the third receives.
const CHAIN: &str = r#"
const one: color = @get_color(1);
const two: color = @get_color(2);
layout {
  @set_rectangle(3, 1);
  @set_tile_code(0, 0, "send.csl", .{ .out = one });
  @set_tile_code(1, 0, "pass.csl", .{ .in = one, .out = two });
  @set_tile_code(2, 0, "take.csl", .{ .in = two });
  @set_color_config(0, 0, one, .{ .routes = .{ .rx = .{RAMP}, .tx = .{EAST} } });
  @set_color_config(1, 0, one, .{ .routes = .{ .rx = .{WEST}, .tx = .{RAMP} } });
  @set_color_config(1, 0, two, .{ .routes = .{ .rx = .{RAMP}, .tx = .{EAST} } });
  @set_color_config(2, 0, two, .{ .routes = .{ .rx = .{WEST}, .tx = .{RAMP} } });
}
"#;

const SEND: &str = r#"
param out: color;
var words = @zeros([8]u32);
const from = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> words[i] });
const to = @get_dsd(fabout_dsd, .{ .extent = 8, .fabric_color = out, .output_queue = @get_output_queue(2) });
task main() void {
  for (@range(u32, 100)) |i| { words[i % 8] += i; }
  @mov32(to, from);
}
comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }
"#;

const PASS: &str = r#"
param in: color;
param out: color;
const queue = @get_input_queue(2);
const from = @get_dsd(fabin_dsd, .{ .extent = 8, .fabric_color = in, .input_queue = queue });
const to = @get_dsd(fabout_dsd, .{ .extent = 8, .fabric_color = out, .output_queue = @get_output_queue(3) });
task main() void { @mov32(to, from, .{ .async = true }); }
comptime {
  @bind_local_task(main, @get_local_task_id(8));
  @initialize_queue(queue, .{ .color = in });
  @activate(@get_local_task_id(8));
}
"#;

const TAKE: &str = r#"
param in: color;
const queue = @get_input_queue(2);
var words = @zeros([8]u32);
const from = @get_dsd(fabin_dsd, .{ .extent = 8, .fabric_color = in, .input_queue = queue });
const to = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> words[i] });
task main() void { @mov32(to, from); }
comptime {
  @bind_local_task(main, @get_local_task_id(8));
  @initialize_queue(queue, .{ .color = in });
  @activate(@get_local_task_id(8));
}
"#;

fn chain() -> MemoryLoader {
    let mut loader = MemoryLoader::default();
    [("layout.csl", CHAIN), ("send.csl", SEND), ("pass.csl", PASS), ("take.csl", TAKE)]
        .into_iter()
        .for_each(|(name, text)| loader.add(name, text));
    loader
}

fn profile_of(loader: &MemoryLoader, words: &[&str]) -> Value {
    let words = [&["cslrun", "profile", "layout.csl", "--format", "json"], words].concat();
    let outcome = perform_words(&words, loader).expect("valid arguments");
    let file: Value = serde_json::from_str(&outcome.printed).expect("a profile");
    check(&file["profile"]).unwrap_or_else(|why| panic!("{why}"));
    file["profile"].clone()
}

/// The line of a profile with a text.
fn line<'p>(profile: &'p Value, text: &str) -> &'p Value {
    let found = list(profile, "lines").iter().find(|line| line["text"].as_str().unwrap_or("").contains(text));
    found.unwrap_or_else(|| panic!("no line holds {text}"))
}

#[test]
fn the_path_of_a_chain_leads_from_the_first_pe_to_the_last() {
    let profile = profile_of(&chain(), &[]);
    let mut pes: Vec<u64> = Vec::new();
    for part in list(&profile["path"], "parts") {
        let pe = if part["what"] == "wavelet" { &part["before"] } else { &part["pe"] };
        pes.extend(pe.as_u64());
    }
    pes.dedup();
    let columns: Vec<u64> = pes.iter().map(|pe| number(&profile["pes"][*pe as usize], "x")).collect();
    assert_eq!(columns, [0, 1, 2], "{}", profile["path"]);
    let loops = line(&profile, "for (@range(u32, 100))");
    // Most of the run is the loop of the first PE; without it the run takes as long as the rest of the path.
    assert!(2 * number(loops, "path") > number(&profile, "cycles"), "{loops}");
    assert_eq!(number(loops, "path"), number(loops, "busy"));
    let index = list(&profile, "lines").iter().position(|line| line == loops).expect("it is there") as u64;
    let free = list(&profile["path"], "free").iter().find(|free| number(free, "line") == index);
    let without = number(free.expect("it is the longest line"), "cycles");
    assert_eq!(without, number(&profile, "cycles") - number(loops, "path"));
}

#[test]
fn a_line_that_nothing_waits_for_would_save_nothing() {
    let mut loader = chain();
    // The last PE counts while the wavelets are on their way, and has finished long before they come.
    let slower = TAKE.replace("task main() void {", "var n: u32 = 0;\ntask main() void {\nn += 7;\n");
    loader.add("take.csl", slower);
    let profile = profile_of(&loader, &[]);
    let counts = line(&profile, "n += 7");
    assert!(number(counts, "busy") > 0);
    assert_eq!(number(counts, "path"), 0);
}

#[test]
fn waits_are_those_for_wavelets_and_for_room() {
    let profile = profile_of(&chain(), &[]);
    let receives = line(&profile, "task main() void { @mov32(to, from); }");
    assert!(number(receives, "wavelet") > number(&profile, "cycles") / 2, "{receives}");
    assert_eq!(number(receives, "elements"), 8);
    let last = &list(&profile, "pes")[2];
    assert_eq!(number(&last["times"], "wavelet"), number(receives, "wavelet"));
    assert_eq!(number(&last["times"], "room"), 0);

    // The last PE first counts, so that the others have no room for what they send.
    let mut loader = chain();
    let sends =
        SEND.replace("@range(u32, 100)", "@range(u32, 1)").replace("[8]", "[64]").replace("{8}", "{64}");
    loader.add("send.csl", sends.replace(".extent = 8", ".extent = 64"));
    loader.add("pass.csl", PASS.replace(".extent = 8", ".extent = 64"));
    let takes = TAKE.replace("[8]", "[64]").replace("{8}", "{64}").replace(".extent = 8", ".extent = 64");
    let takes = takes.replace(
        "task main() void {",
        "var n: u32 = 0;\ntask main() void {\nfor (@range(u32, 200)) |i| { n += i; }\n",
    );
    loader.add("take.csl", takes);
    let profile = profile_of(&loader, &[]);
    let sends = line(&profile, "@mov32(to, from);");
    assert!(number(sends, "room") > 100, "{sends}");
    let first = &list(&profile, "pes")[0];
    assert!(number(&first["times"], "room") > 100, "{first}");
    let two = list(&profile, "colors").iter().find(|color| color["color"] == 2).expect("it is used");
    assert!(
        number(two, "room") > 100 && number(two, "sent") == 64 && number(two, "delivered") == 64,
        "{two}"
    );
    // The loop of the last PE is what everything waits for.
    assert!(number(line(&profile, "for (@range(u32, 200))"), "path") > number(&profile, "cycles") / 2);
    let full = list(&profile, "queues").iter().filter(|queue| queue["most"] == queue["depth"]);
    assert!(full.count() > 0);
}

#[test]
fn links_and_queues_count_what_has_crossed_them() {
    let profile = profile_of(&chain(), &[]);
    let words = |x: u64, to: &str| {
        let found = list(&profile, "links").iter().find(|link| number(link, "x") == x && link["to"] == to);
        found.map_or(0, |link| number(link, "words"))
    };
    assert_eq!((words(0, "EAST"), words(1, "RAMP"), words(1, "EAST"), words(2, "RAMP")), (8, 8, 8, 8));
    let sent: Vec<u64> = list(&profile, "pes").iter().map(|pe| number(pe, "sent")).collect();
    assert_eq!(sent, [8, 8, 0]);
}

#[test]
fn commands_of_the_host_divide_a_run_into_phases() {
    let mut loader = MemoryLoader::default();
    loader.add(
        "layout.csl",
        r#"
var total: u32 = 0;
fn add(n: u16) void { for (@range(u16, 50)) |i| { total += n; } }
fn clear() void { total = 0; }
comptime { @export_symbol(add); @export_symbol(clear); @export_symbol(total); }
"#,
    );
    let steps = ["--launch", "add:3", "--launch", "clear", "--launch", "add:4"];
    let profile = profile_of(&loader, &steps);
    let phases = list(&profile, "phases");
    let names: Vec<_> = phases.iter().map(|phase| phase["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["the launch of `add`", "the launch of `clear`", "the launch of `add`"]);
    let busy: Vec<u64> = phases.iter().map(|phase| number(&phase["times"], "busy")).collect();
    assert!(busy[0] == busy[2] && busy[0] > 10 * busy[1] && busy[1] > 0, "{busy:?}");
    let adds = list(&profile, "functions").iter().find(|function| function["name"] == "add").expect("it ran");
    assert_eq!((number(adds, "starts"), number(adds, "busy")), (2, busy[0] + busy[2]));
}

#[test]
fn a_run_that_fails_has_a_profile_up_to_its_failure() {
    let mut loader = chain();
    loader.add("take.csl", TAKE.replace("8", "9").replace("get_local_task_id(9)", "get_local_task_id(8)"));
    let words = ["cslrun", "profile", "layout.csl"];
    let outcome = perform_words(&words, &loader).expect("valid arguments");
    assert_eq!(outcome.exit, Exit::Stuck);
    assert!(outcome.printed.contains("profile: about "), "{}", outcome.printed);
    let profile = profile_of(&loader, &[]);
    let receives = line(&profile, "task main() void { @mov32(to, from); }");
    assert_eq!(number(receives, "elements"), 8);
}

#[test]
fn the_summary_has_some_twenty_lines() {
    let outcome = perform_words(&["cslrun", "profile", "layout.csl"], &chain()).expect("valid arguments");
    insta::assert_snapshot!(outcome.printed);
    assert!(outcome.printed.lines().count() < 25);
}

#[test]
fn equal_runs_have_equal_profiles() {
    let words = ["cslrun", "profile", "layout.csl", "--format", "json"];
    let printed = || perform_words(&words, &chain()).expect("valid arguments").printed;
    assert_eq!(printed(), printed());
}

#[test]
fn speedscope_gets_frames_samples_and_weights() {
    let words = ["cslrun", "profile", "layout.csl", "--format", "speedscope"];
    let printed = perform_words(&words, &chain()).expect("valid arguments").printed;
    let file: Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
    let frames = list(&file["shared"], "frames");
    assert!(frames.iter().all(|frame| frame["name"].is_string()));
    let busy = number(&profile_of(&chain(), &[])["times"], "busy");
    let profiles = list(&file, "profiles");
    assert_eq!(profiles.len(), 4);
    for profile in profiles {
        let (samples, weights) = (list(profile, "samples"), list(profile, "weights"));
        assert_eq!((&profile["type"], samples.len()), (&Value::from("sampled"), weights.len()));
        let sum: u64 = weights.iter().map(|weight| weight.as_u64().expect("a number")).sum();
        assert_eq!((number(profile, "startValue"), number(profile, "endValue")), (0, sum));
        let stacks = samples.iter().flat_map(|stack| stack.as_array().expect("a stack"));
        assert!(stacks.clone().all(|frame| (frame.as_u64().expect("a number") as usize) < frames.len()));
    }
    assert_eq!(number(&profiles[0], "endValue"), busy);
}

/// The fields of a message of Protocol Buffers: number, and value or bytes.
fn fields(bytes: &[u8]) -> Vec<(u64, u64, &[u8])> {
    let mut rest = bytes;
    let varint = |rest: &mut &[u8]| {
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let byte = rest[0];
            *rest = &rest[1..];
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    };
    let mut all = Vec::new();
    while !rest.is_empty() {
        let key = varint(&mut rest);
        match key & 7 {
            0 => all.push((key >> 3, varint(&mut rest), &rest[..0])),
            2 => {
                let length = varint(&mut rest) as usize;
                let (inside, behind) = rest.split_at(length);
                all.push((key >> 3, 0, inside));
                rest = behind;
            }
            other => panic!("wire type {other}"),
        }
    }
    all
}

fn numbers(bytes: &[u8]) -> Vec<u64> {
    // A list of numbers is a message without keys.
    let (mut all, mut value, mut shift) = (Vec::new(), 0u64, 0);
    for byte in bytes {
        value |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if *byte < 0x80 {
            all.push(value);
            (value, shift) = (0, 0);
        }
    }
    all
}

#[test]
fn pprof_gets_samples_locations_functions_and_strings() {
    let path = std::env::temp_dir().join(format!("cslrun-profile-{}.pb", std::process::id()));
    let name = path.to_string_lossy().into_owned();
    let words = ["cslrun", "profile", "layout.csl", "--output", &name];
    let outcome = perform_words(&words, &chain()).expect("valid arguments");
    assert!(outcome.printed.contains("the profile of the run is in "), "{}", outcome.printed);
    let bytes = std::fs::read(&path).expect("the file");
    std::fs::remove_file(&path).expect("it was there");
    let all = fields(&bytes);
    let of = |number: u64| all.iter().filter(move |(field, ..)| *field == number).map(|(_, _, bytes)| *bytes);
    let strings: Vec<&str> = of(6).map(|bytes| std::str::from_utf8(bytes).expect("UTF-8")).collect();
    assert_eq!(strings[0], "");
    let field = |message: &[u8], n: u64| fields(message).iter().find(|f| f.0 == n).map_or(0, |f| f.1);
    let kind = of(1).next().expect("a sample type");
    assert_eq!(strings[field(kind, 1) as usize], "cycles");
    let functions: BTreeMap<u64, &str> =
        of(5).map(|function| (field(function, 1), strings[field(function, 2) as usize])).collect();
    let locations: Vec<u64> = of(4).map(|location| field(location, 1)).collect();
    let mut busy = 0;
    for sample in of(2) {
        let inside = fields(sample);
        let stack = numbers(inside.iter().find(|f| f.0 == 1).expect("locations").2);
        assert!(stack.iter().all(|place| locations.contains(place)), "{stack:?}");
        assert!(functions[&stack[0]].starts_with("line "));
        busy += numbers(inside.iter().find(|f| f.0 == 2).expect("a value").2).iter().sum::<u64>();
    }
    assert_eq!(busy, number(&profile_of(&chain(), &[])["times"], "busy"));
    assert!(functions.values().any(|name| *name == "main"));
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    for words in [&["--seeds", "1..4"][..], &["--format", "pprof"], &["--output", "x.csv"]] {
        let words = [&["cslrun", "profile", "layout.csl"], words].concat();
        assert!(perform_words(&words, &chain()).is_none(), "{words:?}");
    }
}

#[test]
fn the_examples_have_profiles() {
    let example = root().join("examples/03-two-pes/layout.csl");
    let words = ["cslrun", "profile", &example.to_string_lossy(), "--format", "json"];
    let outcome = perform_words(&words, &DiskLoader).expect("valid arguments");
    let file: Value = serde_json::from_str(&outcome.printed).expect("a profile");
    check(&file["profile"]).unwrap_or_else(|why| panic!("{why}"));
}

#[test]
fn the_page_is_one_file_with_the_numbers_of_the_profile() {
    let mut loader = chain();
    loader.add("send.csl", SEND.replace("var words", "// </script><b>not the end</b>\nvar words"));
    let words = ["cslrun", "profile", "layout.csl", "--format", "html"];
    let page = perform_words(&words, &loader).expect("valid arguments").printed;
    assert!(page.starts_with("<!doctype html>") && page.contains("default-src 'none'"));
    assert_eq!(page.matches("</script>").count(), 2);
    for word in ["http:", "https:", "@import", "fetch(", "XMLHttpRequest", " src="] {
        assert!(!page.contains(word), "{word}");
    }
    let (_, rest) = page.split_once(r#"<script id="data" type="application/json">"#).expect("data");
    let (json, _) = rest.split_once("</script>").expect("an end");
    let packed: Value = serde_json::from_str(json).expect("JSON");
    let bytes = BASE64_STANDARD.decode(packed["json"].as_str().expect("a text")).expect("base64");
    let data: Value = serde_json::from_reader(ZlibDecoder::new(&bytes[..])).expect("JSON");
    check(&data["profile"]).unwrap_or_else(|why| panic!("{why}"));
    let bars = &data["bars"];
    let lengths = ["row", "from", "until", "what", "line"].map(|name| list(bars, name).len());
    assert!(lengths.iter().all(|length| *length == lengths[0] && *length > 5), "{lengths:?}");
    assert!(list(bars, "row").is_sorted_by_key(|row| row.as_u64()));
    let texts = list(&data, "texts");
    assert_eq!(texts.len(), list(&data["profile"], "files").len());
    assert!(texts.iter().any(|text| text.as_str().expect("a text").contains("</script><b>")));
}
