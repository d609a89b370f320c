import numpy as np
import pytest
from conftest import COUNT, HEIGHT, ROOT, WIDTH

import cslrun


@pytest.mark.parametrize("name", ["words", "floats", "shorts", "halves"])
def test_what_goes_in_comes_out(runner, name):
    dtype = runner.program.export(name).dtype
    values = np.arange(HEIGHT * WIDTH * COUNT).reshape(HEIGHT, WIDTH, COUNT).astype(dtype)
    runner.copy_in(name, values)
    back = runner.copy_out(name, COUNT)
    assert back.dtype == dtype
    np.testing.assert_array_equal(back, values)


def test_one_row_of_values_goes_to_every_pe_of_a_region(runner):
    runner.copy_in("words", [7, 8], region=(1, 0, 2, 2))
    back = runner.copy_out("words", 2)
    assert back[:, 0].tolist() == [[0, 0], [0, 0]]
    assert back[:, 1:].tolist() == [[[7, 8], [7, 8]], [[7, 8], [7, 8]]]


def test_a_launched_function_changes_memory(runner):
    runner.copy_in("floats", [1.5, 2.0, 3.0, 4.0])
    runner.launch("double_all")
    assert runner.copy_out("floats", COUNT)[1, 2].tolist() == [3.0, 4.0, 6.0, 8.0]


def test_arguments_arrive_with_their_values(runner):
    runner.launch("combine", -3, 40000, -70000, 4_000_000_000, 0.25)
    assert runner.copy_out("shorts", 2)[0, 0].tolist() == [-3, 40000 - 65536]
    assert runner.copy_out("words", 2)[0, 0].tolist() == [2**32 - 70000, 4_000_000_000]
    assert runner.copy_out("floats", 1)[0, 0].tolist() == [0.25]


def test_printed_lines_name_their_pe_and_cycle(runner):
    runner.launch("say", 5)
    runner.finish()
    lines = runner.printed
    assert sorted(line.text for line in lines) == [f"PE {n} heard 5" for n in range(6)]
    assert {(line.x, line.y) for line in lines} == {(x, y) for x in range(3) for y in range(2)}
    assert all(0 < line.cycle <= runner.cycles for line in lines)


def test_the_last_wavelet_of_a_reduction_comes_just_before_its_end():
    runner = cslrun.Runner(cslrun.compile(ROOT / "examples" / "05-reduction" / "layout.csl"))
    assert runner.last_arrival == 0
    runner.finish()
    assert runner.cycles - 5 < runner.last_arrival < runner.cycles


def test_a_trace_holds_what_was_recorded(runner):
    runner.copy_in("floats", [1.25, 0, 0, 0])
    runner.launch("double_all")
    runner.finish()
    assert runner.trace(2, 1, "calls") == ["double_all", 5, 2.5]
    assert runner.trace(2, 1, "nothing") == []


LAYOUT = """\
const memcpy = @import_module("<memcpy/get_params>", .{ .width = 1, .height = 1 });
layout {
    @set_rectangle(1, 1);
    @set_tile_code(0, 0, "pe.csl", .{ .memcpy_params = memcpy.get_params(0) });
    @export_name("choose", fn(bool) void);
    @export_name("shift", fn(i8) void);
}
"""
PE = """\
param memcpy_params: comptime_struct;
const memcpy = @import_module("<memcpy/memcpy>", memcpy_params);
var chosen: u16 = 7;
fn choose(it: bool) void {
    chosen = if (it) 1 else 0;
    memcpy.unblock_cmd_stream();
}
fn shift(by: i8) void {
    memcpy.unblock_cmd_stream();
}
comptime {
    @export_symbol(choose);
    @export_symbol(shift);
}
"""


def test_launches_pass_booleans_and_no_bytes():
    runner = cslrun.Runner(cslrun.compile("layout.csl", files={"layout.csl": LAYOUT, "pe.csl": PE}))
    for given in (True, False, np.True_):
        runner.launch("choose", given)
        assert runner.read("chosen") == given
    with pytest.raises(TypeError, match="does not fit bool"):
        runner.launch("choose", 2)
    with pytest.raises(TypeError, match="shift takes a i8, which the host cannot pass"):
        runner.launch("shift", 1)


def test_any_global_can_be_read_by_its_name(runner):
    runner.copy_in("shorts", [1, -1, 2, -2])
    runner.finish()
    assert np.frombuffer(runner.symbol(0, 0, "shorts"), np.int16).tolist() == [1, -1, 2, -2]
    with pytest.raises(ValueError, match="outside the program rectangle of 3 x 2 PEs"):
        runner.symbol(3, 0, "shorts")
    with pytest.raises(cslrun.SymbolError, match="no variable `shortz`"):
        runner.symbol(0, 0, "shortz")
    for look in (runner.symbol, runner.trace):
        with pytest.raises(ValueError, match="outside the program rectangle of 3 x 2 PEs"):
            look(-1, 0, "shorts")


def test_a_program_that_never_lets_the_host_in_is_reported(runner):
    runner.launch("stay_busy")
    with pytest.raises(cslrun.RunError, match="stay_busy"):
        runner.copy_out("words", 1)


def test_wrong_use_says_what_is_wanted(runner):
    with pytest.raises(TypeError, match="combine takes 5 arguments"):
        runner.launch("combine", 1)
    with pytest.raises(TypeError, match="70000 does not fit uint16"):
        runner.launch("say", 70000)
    with pytest.raises(TypeError, match="words is a variable"):
        runner.launch("words")
    with pytest.raises(TypeError, match="say is a function"):
        runner.copy_out("say", 1)
    with pytest.raises(ValueError, match=r"takes \(height 2, width 3, count\)"):
        runner.copy_in("words", np.zeros((3, 2, 4), dtype=np.uint32))
    with pytest.raises(TypeError, match="does not fit uint32"):
        runner.copy_in("words", [0.5])
    with pytest.raises(cslrun.RunError):
        runner.copy_out("words", 1, region=(2, 0, 2, 1))
    with pytest.raises(cslrun.RunError):
        runner.copy_in("words", np.zeros(COUNT + 1, dtype=np.uint32))


def test_reading_past_the_end_of_a_variable_is_a_warning(runner):
    runner.copy_out("words", COUNT + 1)
    assert "warning[copy-out-of-bounds]" in runner.finish()


def test_a_thread_has_at_least_one_row(program):
    runner = cslrun.Runner(program, threads=HEIGHT)
    runner.launch("double_all")
    runner.finish()
    for threads in (0, HEIGHT + 1):
        with pytest.raises(ValueError, match=f"threads={threads}: a wafer with {HEIGHT} rows"):
            cslrun.Runner(program, threads=threads)
