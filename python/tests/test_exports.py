"""What the layout advertises, and what the host may do with it."""

import numpy as np
import pytest
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder
from conftest import call, command, started

import cslrun

LAYOUT = """
const memcpy = @import_module("<memcpy/get_params>", .{ .width = 2, .height = 1 });
const Point = extern struct { i: u16, j: u16, x: f32 };
layout {
  @set_rectangle(2, 1);
  @set_tile_code(0, 0, "pe.csl", .{ .memcpy_params = memcpy.get_params(0), .first = true });
  @set_tile_code(1, 0, "pe.csl", .{ .memcpy_params = memcpy.get_params(1), .first = false });
  @export_name("go", fn()void);
  @export_name("unused", fn()void);
  @export_name("x", [*]u32, false);
  @export_name("y", [*]u32, true);
  @export_name("points", [*]Point, true);
}
"""

PE = """
param memcpy_params: comptime_struct;
param first: bool;
const memcpy = @import_module("<memcpy/memcpy>", memcpy_params);
const Point = extern struct { i: u16, j: u16, x: f32 };
var x = @zeros([2]u32);
const x_pointer: [*]u32 = &x;
var y = @zeros([2]u32);
var y_pointer: [*]u32 = &y;
var points: [2]Point;
var points_pointer: [*]Point = &points;
fn go() void {
  points[1].x = points[0].x + 1.0;
  memcpy.unblock_cmd_stream();
}
comptime {
  @export_symbol(go);
  @export_symbol(x_pointer, "x");
  @export_symbol(points_pointer, "points");
  if (first) { @export_symbol(y_pointer, "y"); }
}
"""

OPTIONS = {
    "streaming": False,
    "order": MemcpyOrder.ROW_MAJOR,
    "data_type": MemcpyDataType.MEMCPY_32BIT,
    "nonblock": False,
}


@pytest.fixture
def layout(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "layout.csl").write_text(LAYOUT)
    (tmp_path / "pe.csl").write_text(PE)
    return tmp_path / "layout.csl"


@pytest.fixture
def runtime(layout):
    place = ["--fabric-dims=9,3", "--fabric-offsets=4,1", "--memcpy", "--channels=1"]
    done = call([command("cslc"), "--arch=wse2", str(layout), *place, "-o", "out"])
    assert (done.returncode, done.stderr) == (0, "")
    yield from started("out")


def test_a_launch_of_a_name_without_a_symbol_names_the_pe(runtime):
    runtime.launch("go", nonblock=False)
    with pytest.raises(RuntimeError, match=r"(?s)PE\(0,0\) does not export `unused`.*@export_name\(\"unused\""):
        runtime.launch("unused", nonblock=False)


@pytest.mark.parametrize("nonblock", [False, True])
def test_a_copy_reaches_the_pes_that_export_the_name(runtime, nonblock):
    options = {**OPTIONS, "nonblock": nonblock}
    y = runtime.get_id("y")
    runtime.memcpy_h2d(y, np.array([3, 4], np.uint32), 0, 0, 1, 1, 2, **OPTIONS)
    with pytest.raises(RuntimeError, match=r"(?s)PE\(1,0\) does not export `y`.*@export_name\(\"y\""):
        runtime.memcpy_h2d(y, np.zeros(4, np.uint32), 0, 0, 2, 1, 2, **options)
    with pytest.raises(RuntimeError, match=r"PE\(1,0\) does not export `y`"):
        runtime.memcpy_d2h(np.zeros(4, np.uint32), y, 0, 0, 2, 1, 2, **options)


def test_the_host_writes_what_a_constant_pointer_leads_to(runtime, capfd):
    words, back = np.arange(4, dtype=np.uint32), np.zeros(4, np.uint32)
    runtime.memcpy_h2d(runtime.get_id("x"), words, 0, 0, 2, 1, 2, **OPTIONS)
    runtime.memcpy_d2h(back, runtime.get_id("x"), 0, 0, 2, 1, 2, **OPTIONS)
    runtime.stop()
    assert back.tolist() == words.tolist()
    assert capfd.readouterr().err == ""


def test_the_host_copies_the_words_of_structs(runtime):
    points, back = np.array([1 | 2 << 16, 0x3F800000] * 2, np.uint32), np.zeros(8, np.uint32)
    runtime.memcpy_h2d(runtime.get_id("points"), points, 1, 0, 1, 1, 4, **OPTIONS)
    runtime.launch("go", nonblock=False)
    runtime.memcpy_d2h(back, runtime.get_id("points"), 0, 0, 2, 1, 4, **OPTIONS)
    assert back.view(np.float32)[[1, 3, 5, 7]].tolist() == [0.0, 1.0, 1.0, 2.0]
    assert back[4] == 1 | 2 << 16


def test_structs_are_words_to_a_runner(layout):
    program = cslrun.compile(layout)
    assert (program.export("points").type, program.export("points").element) == ("[*]Point", "u32")
    runner = cslrun.Runner(program)
    runner.copy_in("points", np.array([7, 0, 8, 0], np.uint32))
    assert runner.copy_out("points", 4).tolist() == [[[7, 0, 8, 0]] * 2]
    with pytest.raises(cslrun.RunError, match=r"PE\(0,0\) does not export `unused`"):
        runner.launch("unused")
