"""Trace, report, seed and limits of a host script that knows nothing of them."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from conftest import PROGRAMS, ROOT, call, command

import cslrun

SCRIPT = """\
import sys
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder

runner = SdkRuntime("out", **eval(sys.argv[1] if sys.argv[1:] else "{}"))
runner.load()
runner.run()
options = dict(streaming=False, order=MemcpyOrder.ROW_MAJOR, data_type=MemcpyDataType.MEMCPY_32BIT, nonblock=False)
words = runner.get_id("words")
runner.memcpy_h2d(words, np.arange(24, dtype=np.uint32), 0, 0, 3, 2, 4, **options)
runner.launch("double_all", nonblock=False)
back = np.zeros(24, dtype=np.uint32)
runner.memcpy_d2h(back, words, 0, 0, 3, 2, 4, **options)
runner.stop()
"""


@pytest.fixture
def script(compiled, tmp_path):
    """A host script, the folder of its program beside it."""
    (tmp_path / "run.py").write_text(SCRIPT)
    return tmp_path


def cs_python(folder, *words, **variables):
    return call([command("cs_python"), *words], cwd=folder, env={**os.environ, **variables})


def events(path):
    return json.loads(path.read_text())["traceEvents"]


def lanes(path):
    """The slices of each track of the host: name and line of the script, in order."""
    all = [e for e in events(path) if e["pid"] == 999]
    names = {e["tid"]: e["args"]["name"] for e in all if e["name"] == "thread_name"}
    found = {name: [] for name in names.values()}
    for e in all:
        if e["ph"] == "X":
            found[names[e["tid"]]].append((e["name"], e["args"]["place"]))
    return found


def data_of(page):
    text = page.read_text()
    return json.loads(text.split('<script id="data" type="application/json">')[1].split("</script>")[0])


def test_variables_write_the_trace_and_the_report_of_any_script(script):
    done = cs_python(script, "run.py", CSLRUN_TRACE="x.json", CSLRUN_REPORT="x.html")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^cslrun: \S*x.json: [\d,]+ events\ncslrun: the report of the run is in \S*x.html$", done.stderr, re.M)
    commands = [("the copy to `words`", "run.py:10"), ("the launch of `double_all`", "run.py:11")]
    commands += [("the copy from `words`", "run.py:13")]
    assert lanes(script / "x.json")["commands"] == commands
    waits = lanes(script / "x.json")["waits for"]
    assert waits == commands[1:]
    data = data_of(script / "x.html")
    assert [(e["what"], e["place"]) for e in data["host"] if not e["is_wait"]] == commands
    assert all(e["issued"] <= e["begun"] <= e["done"] for e in data["host"] if not e["is_wait"])
    assert data["verdict"].startswith("ended after about")


def test_options_do_the_same_and_stand_before_the_script(script):
    (script / "run.py").write_text(SCRIPT.replace("runner.load()", "import os; os.mkdir('sub'); runner.load()", 1))
    words = ["--cslrun-trace", "x.txt", "--cslrun-report=x.html", "-W", "ignore", "run.py", "{}"]
    done = cs_python(script, *words)
    assert done.returncode == 0, done.stderr
    text = (script / "x.txt").read_text()
    assert re.search(r"^ *0  - +host    issues the copy to `words`  run.py:10$", text, re.M)
    assert re.search(r"host    ends the copy from `words` after \d+ cycles$", text, re.M)
    assert re.search(r"host    waits for the copy from `words`  run.py:13$", text, re.M)
    assert (script / "x.html").exists()


def test_a_profile_of_any_script_has_its_commands_as_phases(script):
    done = cs_python(script, "--cslrun-profile", "x.json", "run.py")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^cslrun: the profile of the run is in \S*x.json$", done.stderr, re.M)
    profile = json.loads((script / "x.json").read_text())["profile"]
    phases = [(phase["name"], phase["place"]) for phase in profile["phases"]]
    # The copy back begins when everything is over.
    assert phases == [("the copy to `words`", "run.py:10"), ("the launch of `double_all`", "run.py:11")]
    for pe in profile["pes"]:
        assert sum(pe["times"].values()) == profile["cycles"]
    assert sum(line["busy"] for line in profile["lines"]) == profile["times"]["busy"] > 0
    parts = profile["path"]["parts"]
    assert sum(part["until"] - part["from"] for part in parts) == profile["cycles"]
    assert "double_all" in [function["name"] for function in profile["functions"]]


def test_a_variable_or_an_argument_writes_a_profile_too(script, program, tmp_path, monkeypatch):
    done = cs_python(script, "run.py", CSLRUN_PROFILE="x.html")
    assert done.returncode == 0, done.stderr
    assert (script / "x.html").read_text().startswith("<!doctype html>")
    runner = cslrun.Runner(program, profile=tmp_path / "y.txt")
    runner.launch("double_all")
    runner.finish()
    assert (tmp_path / "y.txt").read_text().startswith("profile: about ")


def test_a_profile_is_the_same_with_a_trace_and_a_report(program, tmp_path):
    def profile(**files):
        runner = cslrun.Runner(program, profile=True, **files)
        runner.copy_in("words", [1, 2, 3, 4])
        runner.launch("double_all")
        runner.finish()
        return runner.profile().data

    assert profile() == profile(trace=tmp_path / "x.txt", report=tmp_path / "x.html")
    assert "starts double_all" in (tmp_path / "x.txt").read_text()
    assert (tmp_path / "x.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize("words, variables, why", [
    (["run.py"], {"CSLRUN_PROFILE": "x.png"}, r"CSLRUN_PROFILE: `\S*x.png`: the name must end in .*"),
    (["run.py"], {"CSLRUN_TRACE": "x.png"}, r"CSLRUN_TRACE: `\S*x.png`: the name must end in .json or .txt"),
    (["run.py"], {"CSLRUN_REPORT": "no/x.html"}, r"CSLRUN_REPORT: there is no folder \S*no"),
    (["run.py"], {"CSLRUN_SEED": "x"}, "CSLRUN_SEED: `x` is not a whole number"),
    (["run.py"], {"CSLRUN_THREADS": "0"}, "CSLRUN_THREADS: the number of threads must be at least 1"),
    (["run.py"], {"CSLRUN_MAX_CYCLES": "1.5"}, "CSLRUN_MAX_CYCLES: `1.5` is not a whole number"),
    (["run.py"], {"SINGULARITYENV_CSLRUN_SEED": "x"}, "CSLRUN_SEED: `x` is not a whole number"),
    (["--cslrun-seed", "-1", "run.py"], {}, "CSLRUN_SEED: `-1` is not a whole number"),
    (["--cslrun-trace"], {}, "--cslrun-trace needs a value"),
    (["--cslrun-traces=x", "run.py"], {}, "there is no option --cslrun-traces; there are --cslrun-trace, .*"),
])
def test_a_wrong_value_is_one_line_before_the_script_starts(script, words, variables, why):
    (script / "run.py").write_text("print('started')\n")
    done = cs_python(script, *words, **variables)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(f"cs_python: {why}\n", done.stderr)


def test_a_wrong_value_is_a_value_error_in_the_library(program, monkeypatch):
    monkeypatch.setenv("CSLRUN_MAX_CYCLES", "many")
    with pytest.raises(ValueError, match="CSLRUN_MAX_CYCLES: `many` is not a whole number"):
        cslrun.Runner(program)
    monkeypatch.delenv("CSLRUN_MAX_CYCLES")
    with pytest.raises(ValueError, match="trace: .*must end in .json or .txt"):
        cslrun.Runner(program, trace="x.csv")
    with pytest.raises(ValueError, match="seed must be a whole number of at least 0, not -1"):
        cslrun.Runner(program, seed=-1)


def test_a_limit_of_cycles_from_outside_ends_the_run_and_leaves_the_recordings(script):
    done = cs_python(script, "run.py", CSLRUN_MAX_CYCLES="50", CSLRUN_TRACE="x.txt", CSLRUN_REPORT="x.html")
    assert done.returncode == 1 and "error[cycle-limit]" in done.stderr
    assert "issues the copy to `words`  run.py:10" in (script / "x.txt").read_text()
    data = data_of(script / "x.html")
    assert data["failed"] and data["verdict"].startswith("cycle-limit after")


def test_a_seed_and_threads_from_outside_change_no_result(script):
    done = cs_python(script, "run.py", CSLRUN_SEED="7", CSLRUN_THREADS="64")
    assert done.returncode == 0, done.stderr


def test_each_run_of_a_script_has_files_of_its_own(tmp_path, program, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CSLRUN_TRACE", str(tmp_path / "each.json"))
    for word in (5, 6):
        runner = cslrun.Runner(program)
        runner.launch("say", word)
        runner.finish()
    assert sorted(p.name for p in tmp_path.glob("each*")) == ["each-2.json", "each.json"]
    assert "each-2.json: " in capsys.readouterr().err


def test_processes_of_a_script_have_files_of_their_own(tmp_path):
    (tmp_path / "run.py").write_text(f"""\
import multiprocessing
import cslrun

def one(_):
    runner = cslrun.Runner(cslrun.compile({str(PROGRAMS / "grid.csl")!r}, params=dict(width=3, height=2, count=4)))
    runner.copy_in("words", [1, 2, 3, 4])
    runner.finish()

if __name__ == "__main__":
    one(0)
    for way in ("fork", "spawn"):
        process = multiprocessing.get_context(way).Process(target=one, args=(0,))
        process.start()
        process.join()
""")
    done = cs_python(tmp_path, "--cslrun-trace", "x.txt", "run.py")
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in tmp_path.glob("x*"))
    assert len(names) == 3 and names[-1] == "x.txt", names
    assert all(re.fullmatch(r"x-p\d+\.txt", name) for name in names[:-1])


def test_keyword_arguments_record_a_run_without_a_word(tmp_path, program, capsys):
    runner = cslrun.Runner(program, trace=tmp_path / "x.json", report=tmp_path / "x.html", seed=3, max_cycles=10**6)
    runner.copy_in("words", np.zeros(4, np.uint32))
    runner.launch("double_all")
    runner.finish()
    here = os.path.basename(__file__)
    assert [place.split(":")[0] for _, place in lanes(tmp_path / "x.json")["commands"]] == [here, here]
    assert data_of(tmp_path / "x.html")["host"]
    assert capsys.readouterr().err == ""


def test_a_run_that_is_dropped_or_left_at_the_end_is_written(tmp_path):
    code = f"""\
import cslrun
program = cslrun.compile({str(PROGRAMS / "grid.csl")!r}, params=dict(width=3, height=2, count=4))
def one():
    runner = cslrun.Runner(program, trace="dropped.json")
    runner.copy_in("words", [1, 2, 3, 4])
one()
left = cslrun.Runner(program, trace="left.json")
left.copy_in("words", [1, 2, 3, 4])
raise SystemExit(3)
"""
    done = call([sys.executable, "-c", code], cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    for name in ("dropped.json", "left.json"):
        assert lanes(tmp_path / name)["commands"][0][0] == "the copy to `words`"


def test_a_script_can_ask_for_the_traces_of_the_vendor(script):
    cs_python(script, "run.py", "{'suppress_simfab_trace': True}")
    assert not list((script / "simfab_traces").iterdir())
    cs_python(script, "run.py")
    assert not list((script / "simfab_traces").iterdir())
    done = cs_python(script, "run.py", "{'suppress_simfab_trace': False}")
    assert done.returncode == 0, done.stderr
    assert lanes(script / "simfab_traces" / "trace.json")["commands"]


def test_the_log_has_what_the_program_prints(script):
    text = SCRIPT.replace('runner.launch("double_all", nonblock=False)', 'runner.launch("say", np.uint16(5), nonblock=False)')
    (script / "run.py").write_text(text)
    done = cs_python(script, "run.py")
    assert done.returncode == 0, done.stderr
    lines = (script / "sim.log").read_text().splitlines()[:-2]
    assert len(lines) == 6 and all(re.fullmatch(r"@\d+ PE \d heard 5", line) for line in lines)


def test_ctrl_c_leaves_the_trace_and_the_report_up_to_then(tmp_path):
    shutil.copy(PROGRAMS / "endless.csl", tmp_path)
    code = """\
import cslrun
runner = cslrun.Runner(cslrun.compile("endless.csl"), max_cycles=10**15)
print("ready", flush=True)
try:
    runner.finish()
except KeyboardInterrupt:
    # Nobody holds the run when the process ends.
    del runner
    raise
"""
    words = {"cwd": tmp_path, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    for variables in ({"CSLRUN_REPORT": "x.html", "CSLRUN_TRACE": "x.json"}, {}):
        script = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, **variables}, **words)
        assert script.stdout.readline() == "ready\n"
        time.sleep(0.3)
        script.send_signal(signal.SIGINT)
        _, err = script.communicate(timeout=60)
        assert "error[interrupted]" in err and all(file in err for file in variables.values())
    assert data_of(tmp_path / "x.html")["verdict"].startswith("interrupted after")
    assert events(tmp_path / "x.json")


def test_a_traceback_shows_the_lines_of_the_user(script):
    (script / "run.py").write_text(SCRIPT.replace('"double_all"', '"double_some"'))
    done = cs_python(script, "run.py")
    places = re.findall(r'File "(.*)", line (\d+)', done.stderr)
    assert [(os.path.basename(file), line) for file, line in places] == [("run.py", "11")], done.stderr
    done = cs_python(script, "run.py", CSLRUN_DEBUG="1")
    assert "_runtime.py" in done.stderr


def test_pytest_shows_the_lines_of_the_user_too(tmp_path):
    (tmp_path / "test_it.py").write_text("""\
import cslrun

def test_it():
    runner = cslrun.Runner(cslrun.compile(source_text="export var x: u16 = 1;"))
    runner.read("y")
""")
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    done = call(words, cwd=tmp_path)
    assert "test_it.py:5: SymbolError" in done.stdout and "runner.py" not in done.stdout, done.stdout
    done = call(words, cwd=tmp_path, env={**os.environ, "CSLRUN_DEBUG": "1"})
    assert "runner.py" in done.stdout


def test_a_script_can_choose_the_number_of_threads(compiled, monkeypatch):
    from cerebras.sdk.runtime import sdkruntimepybind as sdk

    most = min(2, os.cpu_count())
    for count, used in [(1, 1), (2, most), (64, most)]:
        assert sdk.SdkRuntime(compiled, simfab_numthreads=count)._threads == used
        platform = sdk.get_platform(None, sdk.SimfabConfig(num_threads=count), sdk.SdkTarget.WSE2)
        assert sdk.SdkRuntime(compiled, platform)._threads == used
    assert sdk.SdkRuntime(compiled)._threads is None


def test_cslc_writes_the_routes(compiled, tmp_path):
    assert not (compiled / "bin" / "out_routes.txt").exists()
    words = ["--arch=wse2", str(ROOT / "examples" / "03-two-pes" / "layout.csl"), "--fabric-dims=2,1"]
    done = call([command("cslc"), *words, "--out-routes", "-o", "routed"], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "routed" / "bin" / "out_routes.txt").read_text()
    assert text == "routes\n  color  route         PEs\n      4  RAMP -> EAST  (0, 0)\n      4  WEST -> RAMP  (1, 0)\n"
