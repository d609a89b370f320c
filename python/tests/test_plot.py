"""Pictures of runs: what they show, and what they refuse."""

import matplotlib
import numpy as np
import pytest

import cslrun

matplotlib.use("agg")
plot = pytest.importorskip("cslrun.plot")

PROGRAM = """
layout {
  @set_rectangle(3, 2);
  for (@range(u16, 2)) |y| {
    for (@range(u16, 2)) |x| {
      @set_tile_code(x, y, "pe.csl", .{ .rounds = 1 + x + 2 * y });
    }
    @set_tile_code(2, y, "pe.csl", .{ .rounds = 0 });
  }
}
"""
PE = """
param rounds: u16;
export var y: u16 = rounds;
const main_id = @get_local_task_id(8);
task main() void {
  for (@range(u16, rounds)) |i| {
    y += i;
  }
}
comptime {
  @bind_local_task(main, main_id);
  @activate(main_id);
}
"""


@pytest.fixture(autouse=True)
def no_figures():
    """Closes what a test has drawn."""
    yield
    plot.pyplot.close("all")


@pytest.fixture(scope="module")
def profile():
    program = cslrun.compile(source_text=PROGRAM, files={"pe.csl": PE})
    runner = cslrun.Runner(program, profile=True)
    runner.finish()
    return runner.profile()


def test_a_heat_map_has_a_number_per_pe():
    values = np.ma.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], mask=[[0, 0, 0], [0, 0, 1]])
    ax = plot.heat_map(values[:, :, np.newaxis], label="y")
    assert ax.images[0].get_array().shape == (2, 3)
    assert [text.get_text() for text in ax.texts] == ["1", "2", "3", "4", "5"]
    assert [text.get_position() for text in ax.texts][3] == (0, 1)


def test_a_heat_map_of_a_profile(profile):
    busy = plot.heat_map(profile).images[0].get_array()
    assert busy.shape == (2, 3)
    assert busy[0, 0] < busy[0, 1] < busy[1, 0] < busy[1, 1]
    ax = plot.heat_map(profile, "memory", cmap="magma")
    assert ax.figure.axes[1].get_ylabel() == "memory (words)"


def test_many_pes_have_no_numbers():
    assert len(plot.heat_map(np.zeros((2, 40))).texts) == 0


def test_a_time_line_has_a_row_per_thread(profile):
    ax = plot.time_line(profile)
    assert [label.get_text() for label in ax.get_yticklabels()][:2] == ["PE(0,0)", "PE(1,0)"]
    assert ax.get_xlim() == (0, profile.cycles)
    own = plot.pyplot.subplots()[1]
    assert plot.time_line(profile, pes=[(1, 1), (0, 0)], ax=own) is own
    assert [label.get_text() for label in own.get_yticklabels()] == ["PE(1,1)", "PE(0,0)"]


def test_lines_are_the_busiest(profile):
    ax = plot.lines(profile, 2)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels[0].startswith(f"pe.csl:{profile.lines[0]['line']}")
    assert len(labels) == 2


@pytest.mark.parametrize("shape", [(3,), (2, 3, 4)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(ValueError, match="one number per PE"):
        plot.heat_map(np.zeros(shape))


def test_what_a_profile_does_not_have(profile):
    with pytest.raises(ValueError, match="no 'speed' of a PE; it has busy, delivered"):
        plot.heat_map(profile, "speed")
    with pytest.raises(ValueError, match=r"PE\(9,9\): the profile has no such PE"):
        plot.time_line(profile, pes=[(9, 9)])
