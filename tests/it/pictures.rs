//! What `cslrun dsd` draws: vectors of every shape, streams, FIFOs, and DSDs that a run sets.

use crate::cli::Folder;
use cslrun::MemoryLoader;
use cslrun::cli::{Exit, perform_words};

const PROGRAM: &str = r#"
var line = @zeros([10]u16);
var plane = @zeros([4, 5]f32);
var space = @zeros([2, 3, 4]i16);
var buffer = @zeros([4]u16);
const fifo = @allocate_fifo(buffer, .{ .activate_push = main_id });
const all = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{10} -> line[i] });
const block = @get_dsd(mem4d_dsd, .{ .tensor_access = |i, j|{2, 3} -> plane[i + 1, 2 * j] });
const corner = @get_dsd(mem4d_dsd, .{ .tensor_access = |i, j, k|{2, 2, 2} -> space[i, j, k] });
const from = @get_dsd(fabin_dsd, .{ .extent = 8, .fabric_color = @get_color(3), .input_queue = @get_input_queue(2) });
const to = @get_dsd(fabout_dsd, .{
  .extent = 1, .fabric_color = @get_color(4), .output_queue = @get_output_queue(3), .control = true
});
var n: u16 = 4;
task main() void {
  var p: [*]u16 = &line;
  const shorter = @set_dsd_length(all, n);
  const later = @increment_dsd_offset(all, 3, u16);
  const moved = @increment_dsd_offset(all, @as(i16, n), u16);
  const elsewhere = @set_dsd_base_addr(all, p);
  const apart = @set_dsd_stride(all, @as(i8, n));
  const as_many = @set_dsd_length(from, n);
}
const main_id = @get_local_task_id(8);
comptime {
  @bind_local_task(main, main_id);
}
"#;

/// The lines about one DSD.
fn drawn(name: &str) -> Vec<String> {
    let mut loader = MemoryLoader::default();
    loader.add("pe.csl", PROGRAM);
    let outcome = perform_words(&["cslrun", "dsd", &format!("pe.csl:{name}")], &loader).expect("right words");
    assert_eq!(outcome.exit, Exit::Fine, "{}", outcome.stderr_text(false));
    outcome.printed.lines().map(|line| line.trim().to_string()).collect()
}

fn says(name: &str, facts: &[&str]) {
    let lines = drawn(name);
    for fact in facts {
        let squeezed = |line: &String| line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(lines.iter().any(|line| squeezed(line) == *fact), "{name}: no `{fact}` in {lines:#?}");
    }
}

#[test]
fn a_stream_tells_its_queue_color_and_kind_of_wavelets() {
    says(
        "from",
        &[
            "receives 8 elements",
            "color 3",
            "queue input queue 2, 4 deep",
            "ends when that many elements have arrived",
            "cycles at least 9 (estimate): 1 to start, then one wavelet per cycle",
            "[fabric, color 3] -> [input queue 2, 4 deep] -> [8 elements] -> [operation]",
        ],
    );
    says(
        "to",
        &[
            "sends 1 element",
            "wavelets control wavelets, which routers and tasks act on",
            "[operation] -> [1 element] -> [output queue 3, 6 deep] -> [fabric, color 4]",
        ],
    );
}

#[test]
fn a_fifo_tells_its_room_its_tasks_and_its_registers() {
    says(
        "fifo",
        &[
            "holds 4 elements of 16 bits",
            "activate_push activates task 8 when an element arrives after a read found the FIFO empty",
            "when full an asynchronous write waits; a synchronous one ends and returns false",
            "[writing operation] -> [fifo: room for 4] -> [reading operation]",
        ],
    );
}

#[test]
fn steps_of_several_dimensions_are_explained() {
    says(
        "block",
        &[
            "dimensions extent 3, stride 2 (fastest)",
            "extent 2, stride 5 (slowest); step +1, because the faster dimensions have already moved 4",
            "registers 1 DSR, 1 XDSR, 1 SR: the fastest dimension needs no SR",
            "bounds all elements are inside the array",
        ],
    );
}

#[test]
fn what_only_the_run_knows_is_not_guessed() {
    let unknown = "bounds unknown; each element is checked at run time";
    says("shorter", &["elements set at run time, 16 bits each", "dimensions extent ?, stride 1"]);
    says("moved", &["starts at line[0], plus an offset set at run time", "elements 10, 16 bits each"]);
    says("elsewhere", &["not known yet base address: set at run time", "dimensions extent 10, stride 1"]);
    says("apart", &["dimensions extent 10, stride ?", "starts at line[0]"]);
    for name in ["shorter", "moved", "elsewhere", "apart"] {
        says(name, &[unknown]);
        assert!(
            !drawn(name).iter().any(|line| line.contains("visits") || line.contains("give the order")),
            "{name}"
        );
    }
    says("as_many", &["receives set at run time", "color 3", "cycles set at run time"]);
    // What is added at comptime is known.
    says("later", &["starts at line[3]"]);
}

#[test]
fn every_picture_is_well_formed_svg_with_all_that_it_shows() {
    let folder = Folder::new("svg");
    std::fs::write(folder.0.join("pe.csl"), PROGRAM).expect("a writable folder");
    // Rectangles: the background and a cell for each element or station; visits as points of a line.
    let shapes = [
        ("all", 1 + 10, 10),
        ("block", 1 + 20, 6),
        ("corner", 1 + 24, 8),
        ("from", 1 + 4, 0),
        ("to", 1 + 4, 0),
        ("fifo", 1 + 3, 0),
        ("shorter", 1, 0),
    ];
    for (name, rectangles, visits) in shapes {
        let output = folder.cslrun(&format!("dsd pe.csl:{name} --svg {name}.svg"));
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let text = std::fs::read_to_string(folder.0.join(format!("{name}.svg"))).expect("a picture");
        let picture = roxmltree::Document::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
        let named = |tag: &'static str| picture.descendants().filter(move |n| n.tag_name().name() == tag);
        assert_eq!(picture.root_element().tag_name().name(), "svg");
        assert_eq!(named("rect").count(), rectangles, "{name}: {text}");
        let lines = named("polyline").filter_map(|line| line.attribute("points"));
        let points: usize = lines.map(|points| points.split_whitespace().count()).sum();
        assert_eq!(points, visits, "{name}: {text}");
        let title = named("text").next().and_then(|title| title.text());
        assert!(
            title.is_some_and(|title| title.starts_with(&format!("{name}, pe.csl:"))),
            "{name}: {title:?}"
        );
    }
}
