import atexit
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import cslrun

# Fixtures of all tests that open pages.
from browser import cslrun_command, driver, open_page, reports  # noqa: F401
from cslrun.commands import SDK_MODULES

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"
WIDTH, HEIGHT, COUNT = 3, 2, 4

# The tests of these modules run in this process; scripts get them through cs_python alone.
sys.path.append(str(SDK_MODULES))


def command(name):
    """The path of a command of this installation."""
    return str(Path(sysconfig.get_path("scripts")) / name)


def call(words, **options):
    """Runs a command to its end."""
    return subprocess.run(words, capture_output=True, text=True, timeout=120, **options)


@pytest.fixture
def program():
    """The test program, compiled through the package."""
    params = {"width": WIDTH, "height": HEIGHT, "count": COUNT}
    return cslrun.compile(PROGRAMS / "grid.csl", params=params)


@pytest.fixture
def runner(program):
    """A run of the test program."""
    return cslrun.Runner(program)


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """The output folder of cslc for the test program; the current folder is its parent."""
    monkeypatch.chdir(tmp_path)
    params = f"--params=width:{WIDTH},height:{HEIGHT},count:{COUNT}"
    place = [f"--fabric-dims={WIDTH + 7},{HEIGHT + 2}", "--fabric-offsets=4,1", "--memcpy", "--channels=1"]
    done = call([command("cslc"), "--arch=wse2", str(PROGRAMS / "grid.csl"), params, *place, "-o", "out"])
    assert done.returncode == 0, done.stderr
    return tmp_path / "out"


def started(folder):
    """A running SdkRuntime; for use as a fixture."""
    from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime

    runtime = SdkRuntime(folder)
    runtime.load()
    runtime.run()
    yield runtime
    # A test may leave its program stuck or running; that is no news at the end of all tests.
    atexit.unregister(runtime._complain_unless_stopped)


@pytest.fixture
def runtime(compiled):
    """A running SdkRuntime of the test program."""
    yield from started(compiled)


@pytest.fixture(params=["wse2", "wse3"])
def layout(request, tmp_path, monkeypatch):
    """An empty layout for each machine; the current folder is a new one."""
    from cerebras.sdk.runtime.sdkruntimepybind import SdkLayout, SdkTarget, get_platform

    monkeypatch.chdir(tmp_path)
    return SdkLayout(get_platform(None, target=SdkTarget[request.param.upper()]))
