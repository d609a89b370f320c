//! What a run says does not depend on what else it does.

use crate::cli::Folder;

/// A PE may run ahead of the clock, but not beyond a failure that the fabric finds.
#[test]
fn every_mode_blames_the_same_line() {
    let folder = Folder::new("modes");
    let program = "\
const c = @get_color(4);
const queue = @get_output_queue(2);
const two = @get_dsd(fabout_dsd, .{ .extent = 2, .fabric_color = c, .output_queue = queue });
const one = @get_dsd(fabout_dsd, .{ .extent = 1, .fabric_color = c, .output_queue = queue });
task main() void {
  @mov32(two, 5);
  @mov32(one, 9);
}
comptime { const id = @get_local_task_id(8); @bind_local_task(main, id); @activate(id); }
";
    std::fs::write(folder.0.join("p.csl"), program).expect("a writable folder");
    let told = |mode: &str| {
        let output = folder.cslrun(&format!("{mode} p.csl"));
        String::from_utf8(output.stderr).expect("messages are text")
    };
    let plainly = told("");
    assert!(plainly.contains("error[unrouted-color]") && plainly.contains("p.csl:6:3"), "{plainly}");
    for mode in ["--unchecked", "--trace", "--trace=t.json", "--report r.html", "--engine plain"] {
        assert_eq!(told(mode), plainly, "{mode}");
    }
}

#[test]
fn nothing_that_a_program_prints_commands_a_terminal() {
    let folder = Folder::new("printed");
    let program = "\
const print = @import_module(\"<simprint>\");
const id = @get_local_task_id(8);
task main() void { print.fmt(\"a\\x1b[2J\\x07 {d}\\n\", .{@as(u16, 1)}); }
comptime { @bind_local_task(main, id); @activate(id); }
";
    std::fs::write(folder.0.join("p.csl"), program).expect("a writable folder");
    for line in ["p.csl", "--trace p.csl", "dump p.csl"] {
        let output = folder.cslrun(line);
        let text = String::from_utf8(output.stdout).expect("output is text");
        assert!(output.status.success() && !text.is_empty());
        assert_eq!(
            text.chars().find(|c| c.is_control() && *c != '\n' && *c != '\t'),
            None,
            "{line}: {text:?}"
        );
    }
    let output = folder.cslrun("p.csl");
    assert!(String::from_utf8_lossy(&output.stdout).contains("a\\x1b[2J\\x07 1"));
}
