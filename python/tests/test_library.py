"""What the library offers beyond copies and launches."""

import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import COUNT, HEIGHT, WIDTH

import cslrun

PE = """\
export var x: u16 = 3;
var grid = [2, 3]i16{ 1, 2, 3, 4, 5, 6 };
var half: f16 = 0.5;
var bytes = [5]u8{ 1, 2, 3, 4, 5 };
var turns: u32 = 0;
const id: local_task_id = @get_local_task_id(8);
task again() void {
    turns += @as(u32, grid[0, 0]) * @as(u32, bytes[0]);
    half += 0.5;
    if (turns < 1000) @activate(id);
}
comptime { @bind_local_task(again, id); @activate(id); }
"""

LAYOUT = """\
layout {
    @set_rectangle(2, 1);
    @set_tile_code(0, 0, "left.csl");
    @set_tile_code(1, 0, "right.csl");
    @export_name("a", [*]i32, true);
}
"""


def tile(count, more=""):
    return f"""\
{more}
var numbers = @constants([{count}]i32, {count});
var a: [*]i32 = &numbers;
comptime {{ @export_symbol(a, "a"); }}
"""


def test_a_text_is_a_program_and_files_can_import_each_other():
    assert cslrun.compile(source_text=PE).size == (1, 1)
    files = {"layout.csl": LAYOUT, "left.csl": tile(2), "right.csl": tile(2)}
    program = cslrun.compile("layout.csl", files=files, arch="wse3")
    assert (program.size, program.arch) == ((2, 1), "wse3")
    main = 'const other = @import_module("other.csl"); var x: u16 = other.y;'
    assert cslrun.compile(source_text=main, files={"other.csl": "const y: u16 = 4;"}).size == (1, 1)
    with pytest.raises(KeyError, match=r"there is no 'top.csl' in files; there are layout.csl, left.csl"):
        cslrun.compile("top.csl", files=files)
    with pytest.raises(TypeError, match="either a path or source_text"):
        cslrun.compile()


def test_errors_carry_diagnostics_as_data():
    with pytest.raises(cslrun.CompileError) as raised:
        cslrun.compile(source_text="export var x: u16 = 3;\nexport var y: u16 = z;\n")
    [found] = raised.value.diagnostics
    assert (found.rule, found.level, found.file, found.line, found.column) == ("unknown-name", "error", "program.csl", 2, 21)
    assert found.pe is None and found.cycle is None and found.labels[0].line == 2
    assert found.rendered in str(raised.value) and str(found) == found.rendered
    assert "unknown-name" in found._repr_html_()
    assert type(raised.value).__module__ == "cslrun"


def test_errors_of_a_run_carry_the_pe_and_the_cycle():
    text = """\
var a = [2]u16{ 1, 2 };
var i: u16 = 5;
task main() void { a[i] = 1; }
comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }
"""
    runner = cslrun.Runner(cslrun.compile(source_text=text))
    with pytest.raises(cslrun.RunError) as raised:
        runner.finish()
    [found] = raised.value.diagnostics
    assert (found.rule, found.pe, found.line) == ("index-out-of-bounds", (0, 0), 3) and found.cycle >= 0
    assert cslrun.CslError("nothing").diagnostics == ()


def test_warnings_are_warnings_of_python_at_the_line_of_the_user(program):
    runner = cslrun.Runner(program)
    runner.copy_out("words", COUNT + 1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        runner.finish()
    [warning] = [w for w in caught if w.category is cslrun.CslWarning]
    assert warning.message.diagnostic.rule == "copy-out-of-bounds" and warning.filename == __file__
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program = cslrun.compile(source_text="param c: color;\ntask t() void {}\ncomptime { @bind_task(t, c); }",
                                 params={"c": cslrun.Color(3)})
    assert [w.message.diagnostic for w in caught] == list(program.diagnostics)


def test_a_variable_is_read_from_all_pes_with_its_own_type(runner):
    values = np.arange(HEIGHT * WIDTH * COUNT, dtype=np.float32).reshape(HEIGHT, WIDTH, COUNT)
    runner.copy_in("floats", values)
    for found in (runner.read("floats"), runner["floats"]):
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, values)
    assert runner.read("shorts").shape == (HEIGHT, WIDTH, COUNT) and runner.read("shorts").dtype == np.int16


def test_pes_without_a_variable_are_masked():
    only = "export var only: u16 = 7;"
    files = {"layout.csl": LAYOUT, "left.csl": tile(2), "right.csl": tile(3, only)}
    runner = cslrun.Runner(cslrun.compile("layout.csl", files=files))
    found = runner.read("a")
    assert found.tolist() == [[[2, 2, None], [3, 3, 3]]]
    assert runner.read("only").tolist() == [[[None], [7]]]


def test_one_pe_can_be_looked_at_and_changed():
    runner = cslrun.Runner(cslrun.compile(source_text=PE))
    assert runner.peek(0, 0, "grid").tolist() == [[1, 2, 3], [4, 5, 6]]
    assert runner.peek(0, 0, "grid").dtype == np.int16
    assert runner.peek(0, 0, "half") == np.float16(0.5) and runner.peek(0, 0, "half").shape == ()
    assert runner.peek(0, 0, "bytes").tolist() == [1, 2, 3, 4, 5]
    runner.poke(0, 0, "grid", [[6, 5, 4], [3, 2, -1]])
    runner.poke(0, 0, "half", 2)
    runner.poke(0, 0, "bytes", 9)
    assert runner.peek(0, 0, "grid").tolist() == [[6, 5, 4], [3, 2, -1]]
    assert runner.peek(0, 0, "half") == 2 and runner.peek(0, 0, "bytes").tolist() == [9] * 5


def test_wrong_names_shapes_and_types_say_what_there_is(runner):
    for look in (lambda: runner.read("wordz"), lambda: runner.peek(0, 0, "wordz"), lambda: runner.poke(0, 0, "wordz", 1)):
        with pytest.raises(KeyError, match="did you mean `words`(?s:.*)exported variables: words, "):
            look()
    with pytest.raises(KeyError, match="the program exports no 'wordz'; it exports words, "):
        runner.copy_out("wordz", 1)
    with pytest.raises(TypeError, match="`say` is a function"):
        runner.read("say")
    with pytest.raises(TypeError, match="does not fit uint32"):
        runner.poke(0, 0, "words", 0.5)
    with pytest.raises(ValueError, match=r"values for words have the shape \(3,\); it has \(4,\)"):
        runner.poke(0, 0, "words", [1, 2, 3])
    with pytest.raises(ValueError, match=r"PE\(3,0\) lies outside the program rectangle of 3 x 2 PEs"):
        runner.peek(3, 0, "words")


def test_a_run_goes_on_by_cycles_or_until_something_holds():
    runner = cslrun.Runner(cslrun.compile(source_text=PE))
    assert runner.step(100) and 100 <= runner.cycles < 130
    assert runner.run_until(500) and 500 <= runner.cycles < 530
    before = int(runner.peek(0, 0, "turns"))
    assert runner.run_until(lambda r: r.peek(0, 0, "turns") > before + 3)
    assert runner.peek(0, 0, "turns") > before + 3
    assert not runner.run_until(lambda r: False, every=10_000)
    with pytest.raises(ValueError, match="every must be a whole number of at least 1"):
        runner.run_until(lambda r: False, every=0)
    assert runner.peek(0, 0, "turns") == 1000
    assert not runner.step()
    with pytest.raises(ValueError, match="cycles must be a whole number of at least 0, not -1"):
        runner.step(-1)


def test_notebooks_show_programs_runs_and_reports(program):
    runner = cslrun.Runner(program, report=True)
    runner.launch("say", 5)
    runner.finish()
    assert "<code>words</code>" in program._repr_html_() and "3 × 2 PEs" in program._repr_html_()
    assert "PE 0 heard 5" in runner._repr_html_()
    report = runner.report()
    assert report._repr_html_().startswith("<iframe srcdoc=") and "the launch of `say`" in report.page
    with pytest.raises(ValueError, match="report=True"):
        cslrun.Runner(program).report()


def test_dsds_are_pictures(tmp_path):
    text = """\
var a = @zeros([4]i16);
const every_other = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> a[2 * i] });
task main() void { @mov16(every_other, 1); }
comptime { @bind_local_task(main, @get_local_task_id(8)); }
"""
    (tmp_path / "pe.csl").write_text(text)
    picture = cslrun.dsd(tmp_path / "pe.csl", "every_other")
    assert picture._repr_svg_().startswith("<svg") and "every_other" in str(picture)
    assert cslrun.dsd(tmp_path / "pe.csl", 2).text == picture.text and "dsd.svg" not in picture.text
    assert picture.text.endswith("\n") and "the picture of" not in picture.text
    with pytest.raises(ValueError, match="^the program does not build a DSD `every`; it builds"):
        cslrun.dsd(tmp_path / "pe.csl", "every")
    with pytest.raises(cslrun.CompileError, match="unknown-name"):
        cslrun.dsd(source_text=text.replace("a[2 * i]", "b[2 * i]"))


def test_a_second_thread_in_a_run_is_told_so():
    runner = cslrun.Runner(cslrun.compile(source_text=PE.replace("turns < 1000", "true")), max_cycles=3_000_000)
    started = threading.Event()

    def run():
        started.set()
        with pytest.raises(cslrun.RunError, match="cycle-limit"):
            runner.finish()

    thread = threading.Thread(target=run)
    thread.start()
    started.wait()
    told = 0
    while thread.is_alive() and not told:
        try:
            runner.cycles
        except RuntimeError as error:
            assert str(error).startswith("another thread is using this run; give each thread a run of its own")
            told += 1
    thread.join()
    assert told


def test_runs_in_parallel_threads_do_not_wait_for_each_other():
    program = cslrun.compile(source_text=PE.replace("turns < 1000", "true"))
    going = threading.Barrier(3)
    ended = []

    def run():
        runner = cslrun.Runner(program, max_cycles=2_000_000)
        going.wait()
        with pytest.raises(cslrun.RunError):
            runner.finish()
        ended.append(runner.cycles)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    going.wait()
    # Without the lock of the interpreter this thread goes on while they run.
    turns = 0
    while any(thread.is_alive() for thread in threads):
        turns += 1
    assert turns > 10 and len(ended) == 2


def test_the_package_is_typed():
    package = Path(cslrun.__file__).parent
    assert (package / "py.typed").exists()
    words = [sys.executable, "-m", "mypy", "--config-file", str(package.parent / "pyproject.toml")]
    done = subprocess.run(words, cwd=package.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


STOPPED = """
const simprint = @import_module("<simprint>");
var sum: u16 = 0;
task main() void {
  simprint.print_string("begins\\n");
  for (@range(u16, 1000)) |i| { sum += i; }
  simprint.print_string("comes after the limit\\n");
}
const main_id = @get_local_task_id(8);
comptime {
  @bind_local_task(main, main_id);
  @activate(main_id);
}
"""


def test_a_stopped_run_has_printed_nothing_of_later_cycles():
    # Nothing else happens, so the PE runs ahead of the clock.
    runner = cslrun.Runner(cslrun.compile(source_text=STOPPED), max_cycles=100)
    with pytest.raises(cslrun.RunError, match="cycle-limit"):
        runner.finish()
    assert [line.text for line in runner.printed] == ["begins"]
    runner = cslrun.Runner(cslrun.compile(source_text=STOPPED))
    runner.finish()
    assert [line.text for line in runner.printed] == ["begins", "comes after the limit"]
