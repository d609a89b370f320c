"""`<kernels/tally/pe>` on kernels of many shapes."""

import numpy as np
import pytest
from conftest import PROGRAMS

import cslrun


@pytest.mark.parametrize("arch", ["wse2", "wse3"])
@pytest.mark.parametrize("width, height", [(1, 1), (1, 2), (1, 5), (2, 1), (6, 1), (2, 2), (3, 4), (4, 3), (7, 6)])
def test_the_last_pe_learns_the_total_once(arch, width, height):
    random = np.random.default_rng(width * 10 + height)
    counts = random.integers(0, 1000, (height, width, 5)).astype(np.uint32)
    params = {"width": width, "height": height, "goal": int(counts.sum())}
    runner = cslrun.Runner(cslrun.compile(PROGRAMS / "tally.csl", arch=arch, params=params))
    runner.copy_in("counts", counts)
    runner.launch("start")
    results = runner.copy_out("results", 2)
    wanted = np.zeros_like(results)
    wanted[0, width - 1] = (counts.sum(), 1)
    np.testing.assert_array_equal(results, wanted)
    assert runner.finish() == ""


def test_a_goal_that_is_never_reached_is_a_deadlock():
    params = {"width": 2, "height": 2, "goal": 21}
    runner = cslrun.Runner(cslrun.compile(PROGRAMS / "tally.csl", params=params))
    runner.copy_in("counts", [1, 1, 1, 1, 1])
    runner.launch("start")
    with pytest.raises(cslrun.RunError, match=r"`unblock_cmd_stream` must be called .*PE\(1,0\)"):
        runner.copy_out("results", 2)
