"""Ctrl-C in a host script."""

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


def test_ctrl_c_stops_a_run_at_once_and_reports_it(tmp_path):
    shutil.copy(PROGRAMS / "endless.csl", tmp_path)
    script = subprocess.Popen(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert script.stdout.readline() == "ready\n"
    time.sleep(0.3)
    script.send_signal(signal.SIGINT)
    out, err = script.communicate(timeout=20)
    assert "KeyboardInterrupt" in err
    assert "error[interrupted]" in err and "endless.csl:" in err
    assert out == "the run was interrupted and cannot go on; load the program again\n"
    assert script.returncode != 0
