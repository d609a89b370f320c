"""Ctrl-C and SIGTERM in a host script."""

import shutil
import signal
import subprocess
import sys
import time

from conftest import PROGRAMS

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
