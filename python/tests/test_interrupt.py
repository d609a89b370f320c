"""Ctrl-C and SIGTERM in a host script."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from conftest import PROGRAMS, call, command

SCRIPT = """\
import cslrun

runner = cslrun.Runner(cslrun.compile("endless.csl"), max_cycles=10**15)
print("ready", flush=True)
try:
    runner.finish()
finally:
    try:
        runner.finish()
    except cslrun.RunError as error:
        print(error, flush=True)
"""


def send(tmp_path, text, number):
    """Runs a script, sends it a signal soon after it is ready, and gives its exit status and what it prints then."""
    shutil.copy(PROGRAMS / "endless.csl", tmp_path)
    script = subprocess.Popen(
        [sys.executable, "-c", text], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert script.stdout.readline() == "ready\n"
    time.sleep(0.3)
    script.send_signal(number)
    out, err = script.communicate(timeout=20)
    return script.returncode, out, err


def test_ctrl_c_stops_a_run_at_once_and_reports_it(tmp_path):
    status, out, err = send(tmp_path, SCRIPT, signal.SIGINT)
    assert "KeyboardInterrupt" in err
    assert "error[interrupted]" in err and "endless.csl:" in err
    assert out == "the run was interrupted and cannot go on; load the program again\n"
    assert status != 0


def test_sigterm_stops_a_run_with_its_report_and_the_script_cleans_up(tmp_path):
    status, out, err = send(tmp_path, SCRIPT, signal.SIGTERM)
    assert status == 143
    assert err.count("error[interrupted]") == 1 and "endless.csl:" in err and "Traceback" not in err
    assert out == "the run was interrupted and cannot go on; load the program again\n"


WITHOUT_CTRL_C = "import signal\nsignal.signal(signal.SIGINT, lambda *_: None)\n" + SCRIPT


def test_sigterm_stops_a_run_whose_script_handles_ctrl_c(tmp_path):
    status, _, err = send(tmp_path, WITHOUT_CTRL_C, signal.SIGTERM)
    assert status == 143 and "error[interrupted]" in err


def test_sigterm_ends_a_script_at_once_that_runs_nothing(tmp_path):
    idle = """\
import time
import cslrun

runner = cslrun.Runner(cslrun.compile("endless.csl"), max_cycles=100)
try:
    runner.finish()
except cslrun.RunError:
    pass
print("ready", flush=True)
time.sleep(15)
"""
    status, _, err = send(tmp_path, idle, signal.SIGTERM)
    assert status == -signal.SIGTERM and err == ""


LAYOUT = """\
const memcpy = @import_module("<memcpy/get_params>", .{ .width = 1, .height = 1 });
layout {
  @set_rectangle(1, 1);
  @set_tile_code(0, 0, "pe.csl", .{ .memcpy_params = memcpy.get_params(0) });
  @export_name("spin", fn()void);
}
"""

PE = """\
param memcpy_params: comptime_struct;
const sys_mod = @import_module("<memcpy/memcpy>", memcpy_params);
const simprint = @import_module("<simprint>");
var n: u32 = 0;
fn spin() void {
  simprint.print_string("begins\\n");
  while (true) { n += 1; }
}
comptime { @export_symbol(spin); }
"""

HOST = """\
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime

runner = SdkRuntime("out")
runner.load()
runner.run()
print("ready", flush=True)
runner.launch("spin", nonblock=False)
runner.stop()
"""


def test_sigterm_leaves_the_log_of_a_host_script_and_only_the_report(tmp_path):
    for name, text in (("layout.csl", LAYOUT), ("pe.csl", PE), ("run.py", HOST)):
        (tmp_path / name).write_text(text)
    place = ["--fabric-dims=8,3", "--fabric-offsets=4,1", "--memcpy", "--channels=1", "-o", "out"]
    done = call([command("cslc"), "--arch=wse2", "layout.csl", *place], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    words = {"cwd": tmp_path, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    script = subprocess.Popen([command("cs_python"), "run.py"], **words)
    assert script.stdout.readline() == "ready\n"
    # The log can be watched while native code runs the program.
    until = time.monotonic() + 20
    while not (tmp_path / "sim.log").read_text().endswith(" begins\n"):
        assert time.monotonic() < until and script.poll() is None
        time.sleep(0.05)
    script.send_signal(signal.SIGTERM)
    _, err = script.communicate(timeout=20)
    assert script.returncode == 143
    assert "error[interrupted]" in err and "without stop()" not in err and "Traceback" not in err
    assert (tmp_path / "sim.log").read_text().endswith(" begins\n")


@pytest.mark.skipif(sys.platform != "linux", reason="the terminal is one of Linux")
def test_a_long_launch_shows_its_progress_on_a_terminal(tmp_path):
    import pty

    for name, text in (("layout.csl", LAYOUT), ("pe.csl", PE), ("run.py", HOST)):
        (tmp_path / name).write_text(text)
    place = ["--fabric-dims=8,3", "--fabric-offsets=4,1", "--memcpy", "--channels=1", "-o", "out"]
    assert call([command("cslc"), "--arch=wse2", "layout.csl", *place], cwd=tmp_path).returncode == 0
    terminal, end = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    script = subprocess.Popen(
        [command("cs_python"), "run.py"], cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=end
    )
    os.close(end)
    shown = b""
    while b" per second, " not in shown:
        shown += os.read(terminal, 4096)
    script.send_signal(signal.SIGTERM)
    assert script.wait(timeout=20) == 143
    os.close(terminal)
    assert b"PE busy" in shown
