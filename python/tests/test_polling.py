import pytest
from conftest import ROOT

import cslrun


@pytest.fixture
def polling():
    runner = cslrun.Runner(cslrun.compile(ROOT / "python" / "tests" / "programs" / "poll.csl"))
    runner.launch("start")
    return runner


def test_a_task_that_polls_sees_what_the_host_copies(polling):
    polling.copy_in("flag", [7])
    rounds, seen = polling.copy_out("seen", 2)[0, 1].tolist()
    assert seen == 7
    assert rounds > 10


def test_a_task_that_polls_sees_what_a_launch_does(polling):
    polling.launch("set", 9)
    assert polling.copy_out("seen", 2)[0, :, 1].tolist() == [9, 9]


def test_the_host_reads_from_pes_that_poll(polling):
    first = polling.copy_out("seen", 1)[0, 0, 0]
    second = polling.copy_out("seen", 1)[0, 0, 0]
    assert 0 < first < second


def test_a_program_that_goes_on_for_ever_ends_with_a_warning(polling):
    with pytest.warns(cslrun.CslWarning, match="still runs"):
        polling.finish()
