use super::data::{ReportData, data};
use super::{MOST_WORDS, page};
use crate::cli::Exit;
use crate::cli::args::{self, Command};
use crate::cli::outcome::Outcome;
use crate::diagnostics::render::MessageFormat;
use crate::host::{RunOptions, Runner};
use crate::source::MemoryLoader;
use crate::trace::TraceFilter;
use std::sync::Arc;

const LAYOUT: &str = r#"
const stream: color = @get_color(4);
layout {
  @set_rectangle(2, 1);
  @set_tile_code(0, 0, "send.csl", .{ .out = stream });
  @set_tile_code(1, 0, "take.csl", .{ .in = stream });
  @set_color_config(0, 0, stream, .{ .routes = .{ .rx = .{RAMP}, .tx = .{EAST} } });
  @set_color_config(1, 0, stream, .{ .routes = .{ .rx = .{WEST}, .tx = .{RAMP} } });
}
"#;

const SEND: &str = r#"
param out: color;
// </script><b>not the end of the page</b>
var words = [4]u32{ 10, 20, 30, 40 };
const from = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> words[i] });
const to = @get_dsd(fabout_dsd, .{ .extent = 4, .fabric_color = out, .output_queue = @get_output_queue(2) });
task main() void { @mov32(to, from); }
comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }
"#;

const TAKE: &str = r#"
param in: color;
const queue = @get_input_queue(2);
var words = @zeros([5]u32);
const from = @get_dsd(fabin_dsd, .{ .extent = COUNT, .fabric_color = in, .input_queue = queue });
const to = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{COUNT} -> words[i] });
task main() void { @mov32(to, from); }
comptime {
  @bind_local_task(main, @get_local_task_id(8));
  @initialize_queue(queue, .{ .color = in });
  @activate(@get_local_task_id(8));
}
"#;

/// The report of a PE that sends four words to one that takes so many.
fn report(taken: usize, most_events: usize) -> ReportData {
    report_of(SEND, taken, most_events)
}

fn report_of(send: &str, taken: usize, most_events: usize) -> ReportData {
    let mut loader = MemoryLoader::default();
    loader.add("layout.csl", LAYOUT);
    loader.add("send.csl", send);
    loader.add("take.csl", TAKE.replace("COUNT", &taken.to_string()));
    let Ok(Command::Run(args)) = args::parse(["cslrun", "layout.csl"].map(Into::into), Default::default())
    else {
        panic!("these arguments are valid")
    };
    let mut outcome = Outcome::new(MessageFormat::Plain);
    let program = outcome.compile(&args.compile, &loader).expect("a valid program");
    let mut runner = Runner::new(Arc::new(program), RunOptions::default());
    runner.record(TraceFilter { limit: most_events, ..TraceFilter::default() });
    runner.follow_memory(MOST_WORDS);
    if let Err(failure) = runner.run_until_idle() {
        outcome.diagnostics.extend(failure.diagnostics(&outcome.sources));
        outcome.exit = Exit::Stuck;
    }
    data(&mut runner, &outcome)
}

#[test]
fn equal_runs_give_equal_pages() {
    assert_eq!(page(&report(4, 1000)), page(&report(4, 1000)));
}

#[test]
fn text_of_the_program_cannot_end_the_data() {
    let page = page(&report(4, 1000));
    assert_eq!(page.matches("</script>").count(), 2);
    let escaped = SEND.lines().nth(2).expect("a line that would end the data");
    assert!(escaped.contains("</script>") && !page.contains(escaped));
}

#[test]
fn a_page_asks_for_nothing_outside() {
    let page = page(&report(4, 1000));
    let (head, rest) = page.split_once(r#"<script id="data""#).unwrap();
    let (_, scripts) = rest.split_once("</script>").unwrap();
    for part in [head, scripts] {
        for word in ["http:", "https:", "@import", "fetch(", "XMLHttpRequest", " src="] {
            assert!(!part.contains(word), "{word}");
        }
    }
    assert!(head.contains("default-src 'none'"));
}

#[test]
fn memory_leads_from_the_first_to_the_last_values() {
    let data = report(4, 1000);
    let take = data.place.tile[1] as usize;
    let words = &data.tiles.shapes[data.tiles.shape[take] as usize][0];
    assert_eq!((words.name.as_str(), words.element), ("words", "u32"));
    let mut words = data.tiles.starts[data.tiles.start[take] as usize].clone();
    let (mut next, mut cycles) = (0, Vec::new());
    for (i, count) in data.memory.count.iter().map(|n| usize::from(*n)).enumerate() {
        assert_eq!(data.memory.pe[i], 1);
        let at = usize::from(data.memory.at[i]);
        words[at..at + count].copy_from_slice(&data.memory.words[next..next + count]);
        next += count;
        cycles.push(data.memory.cycle[i]);
    }
    assert_eq!(words, [10, 0, 20, 0, 30, 0, 40, 0, 0, 0]);
    // A word comes with each wavelet.
    assert_eq!(cycles.len(), 4);
    assert!(cycles.is_sorted_by(|a, b| a < b), "{cycles:?}");
}

#[test]
fn a_run_that_fits_is_shown_to_its_end() {
    let data = report(4, 1000);
    assert_eq!((data.cut, data.failed, data.diagnostics.len()), (None, false, 0));
    assert_eq!(data.verdict, format!("ended after about {} cycles (estimate)", data.last));
    assert_eq!(data.moves.what.iter().filter(|what| **what == 2).count(), 4);
}

#[test]
fn too_many_events_are_cut_at_a_cycle() {
    let (all, some) = (report(4, 1000), report(4, 12));
    let last = some.cut.expect("it is cut");
    assert_eq!(some.last, last);
    assert!(last < all.last);
    let rows = some.threads.cycle.len();
    assert_eq!(some.threads.cycle, all.threads.cycle[..rows]);
    assert!(some.memory.cycle.iter().all(|cycle| *cycle <= last));
}

#[test]
fn a_deadlock_shows_who_still_waits() {
    let data = report(5, 1000);
    assert!(data.failed);
    assert!(data.verdict.starts_with("deadlock after about "), "{}", data.verdict);
    let diag = &data.diagnostics[0];
    let label = &diag.labels[0];
    assert_eq!((diag.severity, diag.pe, label.line, label.is_primary), ("error", Some(1), 7, true));
    assert_eq!(data.files[label.file as usize].name, "take.csl");
    assert!(diag.text.contains("stopped after 4 of 5"), "{}", diag.text);
    let last = data.threads.pe.iter().rposition(|pe| *pe == 1).unwrap();
    assert_eq!(data.threads.what[last], 3);
    assert_eq!(data.texts[data.threads.text[last] as usize], "input queue 2 (color 4) is empty");
    assert_eq!(data.threads.on[last], 1 + 4);
}

#[test]
fn wavelets_that_nobody_takes_are_shown_in_the_router_that_holds_them() {
    let many = SEND.replace("{4} -> words[i]", "{16} -> words[0]").replace(".extent = 4", ".extent = 16");
    let data = report_of(&many, 1, 1000);
    let held = &data.held;
    let at_the_end = (0..held.pe.len()).filter(|i| held.cycle[*i] + held.until[*i] == data.last);
    let at_the_end: Vec<_> = at_the_end.map(|i| (held.pe[i], held.side[i], held.color[i])).collect();
    // The western side of the receiver, and behind that the ramp of the sender.
    assert!(at_the_end.contains(&(1, 3, 4)), "{at_the_end:?}");
    assert!(at_the_end.contains(&(0, 4, 4)), "{at_the_end:?}");
    assert_eq!(report(4, 1000).held.pe.len(), 0);
}

#[test]
fn routes_say_where_a_color_comes_from_and_goes() {
    let data = report(4, 1000);
    let gates = |row: usize| data.gates[data.routes.config[row] as usize].positions.clone();
    assert_eq!((&data.routes.pe[..], &data.routes.color[..]), (&[0, 1][..], &[4, 4][..]));
    // From the ramp (4) to the east (2); from the west (3) to the ramp.
    assert_eq!((gates(0), gates(1)), (vec![(1 << 4, 1 << 2)], vec![(1 << 3, 1 << 4)]));
}

#[test]
fn operations_and_tasks_say_what_wavelets_hold() {
    assert_eq!(report(4, 1000).payloads, ["", "", "", "", "u32"]);
}
