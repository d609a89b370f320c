"""The runner of releases before 1.0, with programs that import `<memcpy>`: tensors stream to and from the PEs."""

import numpy as np
import pytest
from cerebras.elf.cs_elf_runner import CSELFRunner
from conftest import PROGRAMS, call, command

IN, OUT = 4, 5
WIDTH = 3

COMING = "{ a[x=0:2, k=0:3] -> [PE[x, 0] -> index[k]] }"
GOING = COMING.replace("a[", "doubled[")


# Programs for SDK 0.6 do not import <memcpy/get_params>: each PE tells its own colors.
OLD_LAYOUT = """
const in = @get_color(4);
const out = @get_color(5);
layout {
  @set_rectangle(3, 1);
  for (@range(u16, 3)) |x| {
    @set_tile_code(x, 0, "pe.csl", .{ .in = in, .out = out, .first_pe = x == 0, .last_pe = x == 2 });
  }
}
"""

OLD_PE = """
param in: color;
param out: color;
param first_pe: bool;
param last_pe: bool;
const sys_mod = @import_module("<memcpy/memcpy>", .{
  .MEMCPYH2D_1 = in, .MEMCPYD2H_1 = out, .first_pe = first_pe, .last_pe = last_pe });
const back = @get_dsd(fabout_dsd, .{ .extent = 1, .fabric_color = out });
task double(x: u32) void { @mov32(back, 2 * x); }
comptime { @bind_task(double, in); }
"""


@pytest.fixture
def runner(tmp_path, monkeypatch):
    """A runner of a row of PEs that double each word."""
    monkeypatch.chdir(tmp_path)
    params = f"--params=width:{WIDTH},in_id:{IN},out_id:{OUT}"
    place = ["--fabric-dims=10,3", "--fabric-offsets=4,1", "--memcpy", "--channels=1"]
    done = call([command("cslc"), "--arch=wse2", str(PROGRAMS / "stream.csl"), params, *place, "-o", "out"])
    assert done.returncode == 0, done.stderr
    colors = {"input_colors": {IN}, "output_colors": {OUT}}
    return CSELFRunner(["out/bin/out_0_0.elf"], height=1, width=WIDTH, **colors)


def words(start=0):
    return np.arange(start, start + 12, dtype=np.uint32).reshape(3, 4)


def test_one_batch_needs_no_more_than_the_tensors(runner):
    runner.add_input_tensor(IN, COMING, words())
    runner.add_output_tensor(OUT, GOING, np.uint32)
    runner.connect_and_run()
    np.testing.assert_array_equal(runner.out_tensor_dict["doubled"], 2 * words())


def test_batches_follow_each_other(runner):
    runner.add_input_tensor(IN, COMING, None, reusable=True)
    runner.add_output_tensor(OUT, GOING, np.uint32)
    runner.load()
    runner.start()
    for start in (5, 50):
        runner.prepare_input_tensor(IN, COMING, words(start))
        runner.run_batch([IN, OUT])
        np.testing.assert_array_equal(runner.out_tensor_dict["doubled"], 2 * words(start))
    runner.stop()


def test_inputs_and_outputs_can_be_batches_of_their_own(runner):
    runner.add_input_array("a", IN, "W", None, reusable=True)
    runner.add_output_array("doubled", OUT, "W", np.zeros((1, 3, 1), np.uint32), offset=0, reusable=True)
    runner.prepare_input_array(IN, 0, np.array([[[7], [8], [9]]], np.uint32))
    runner.run_batch([IN])
    assert not runner.out_tensor_dict
    runner.run_batch([OUT])
    assert runner.out_tensor_dict["doubled"].tolist() == [[[14], [16], [18]]]


def test_the_layout_need_not_import_the_library(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "layout.csl").write_text(OLD_LAYOUT)
    (tmp_path / "pe.csl").write_text(OLD_PE)
    place = ["--fabric-dims=10,3", "--fabric-offsets=4,1", "--memcpy"]
    done = call([command("cslc"), "--arch=wse2", "layout.csl", *place, "-o", "out"])
    assert done.returncode == 0, done.stderr
    runner = CSELFRunner(["out/bin/out_0_0.elf"], height=1, width=WIDTH, input_colors={IN}, output_colors={OUT})
    runner.add_input_tensor(IN, COMING, words())
    runner.add_output_tensor(OUT, GOING, np.uint32)
    runner.connect_and_run()
    np.testing.assert_array_equal(runner.out_tensor_dict["doubled"], 2 * words())


def test_what_does_not_fit_is_refused(runner):
    def refused(text):
        return pytest.raises(RuntimeError, match=text)

    with refused("no tensor has color 4; there are tensors of none"):
        runner.run_batch([IN])
    with refused("'a' has the shape \\(3, 1\\).*the 1 rows and 3 columns"):
        runner.add_input_array("a", IN, "W", np.zeros((3, 1), np.uint32))
    with refused("the shape \\(12,\\), but the port map has \\(3, 4\\)"):
        runner.add_input_tensor(IN, COMING, words().ravel())
    with refused("unsupported: sentinel of CSELFRunner.add_input_tensor of a program with <memcpy>"):
        runner.add_input_tensor(IN, COMING, words(), sentinel=43)
    runner.add_input_tensor(IN, COMING, None, reusable=True)
    with refused("the input 'a' of color 4 has no values"):
        runner.run_batch([IN])
    runner.add_input_tensor(OUT, COMING, words())
    with refused("color 5"):
        runner.run_batch([OUT])
