"""Levels of rules: keyword arguments, and the environment variable `CSLRUN_FLAGS`."""

import os

import pytest
from conftest import COUNT, PROGRAMS, call, command

import cslrun

STYLE, BOUNDS = "old-color-config", "index-out-of-bounds"


def compile_it(limit=9, **choices):
    return cslrun.compile(PROGRAMS / "levels.csl", params={"limit": limit}, **choices)


def test_a_compilation_has_levels():
    assert f"warning[{STYLE}]" in compile_it().warnings
    assert compile_it(allow=[STYLE]).warnings == ""
    with pytest.raises(cslrun.CompileError, match=rf"error\[{STYLE}\]"):
        compile_it(deny=["style"])


def test_a_run_has_levels():
    program = compile_it(allow=STYLE)
    with pytest.raises(cslrun.RunError, match=rf"error\[{BOUNDS}\](?s:.*)-W {BOUNDS}"):
        cslrun.Runner(program).finish()
    assert f"warning[{BOUNDS}]" in cslrun.Runner(program, warn=[BOUNDS]).finish()
    assert cslrun.Runner(program, allow="undefined").finish() == ""


def test_the_host_has_levels(program):
    runner = cslrun.Runner(program, warn="copy-out-of-bounds")
    runner.copy_in("words", range(1, COUNT + 2))
    assert runner.copy_out("words", COUNT)[0, 0].tolist() == [1, 2, 3, 4]
    assert "warning[copy-out-of-bounds]" in runner.finish()


def test_a_rule_counts_more_than_its_group():
    assert compile_it(deny=["all", "style"], allow=[STYLE]).warnings == ""
    with pytest.raises(cslrun.CompileError):
        compile_it(deny=[STYLE], allow=["style", "all"])


def test_what_was_suspicious_is_told_with_the_error():
    runner = cslrun.Runner(compile_it(limit=0, allow=STYLE), warn=[BOUNDS])
    with pytest.raises(cslrun.RunError, match=rf"warning\[{BOUNDS}\](?s:.*)error\[assertion-failed\]"):
        runner.finish()


@pytest.mark.parametrize("choices, text", [
    ({"allow": ["old-color-confg"]}, "did you mean `old-color-config`"),
    ({"warn": ["syntax-error"]}, "an error in every program"),
    ({"allow": STYLE, "deny": [STYLE]}, f"{STYLE} is in `allow` and in `deny`"),
])
def test_names_are_checked(choices, text, program):
    with pytest.raises(ValueError, match=text):
        compile_it(**choices)
    with pytest.raises(ValueError, match=text):
        cslrun.Runner(program, **choices)


def test_the_environment_chooses_and_arguments_change_that(monkeypatch):
    monkeypatch.setenv("CSLRUN_FLAGS", f"-A {STYLE} -W undefined")
    program = compile_it()
    assert program.warnings == ""
    assert f"warning[{BOUNDS}]" in cslrun.Runner(program).finish()
    with pytest.raises(cslrun.CompileError):
        compile_it(deny="style")
    monkeypatch.setenv("CSLRUN_FLAGS", "-W nothing-like-this")
    with pytest.raises(ValueError, match="CSLRUN_FLAGS: there is no rule or group"):
        cslrun.Runner(program)


SCRIPT = """
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder

runner = SdkRuntime("out")
runner.load()
runner.run()
runner.memcpy_h2d(runner.get_id("words"), np.ones(5, np.uint32), 0, 0, 1, 1, 5, streaming=False, nonblock=False,
                  order=MemcpyOrder.ROW_MAJOR, data_type=MemcpyDataType.MEMCPY_32BIT)
runner.stop()
print("done")
"""


@pytest.mark.parametrize("variable", ["CSLRUN_FLAGS", "SINGULARITYENV_CSLRUN_FLAGS"])
def test_host_scripts_have_the_levels_of_the_environment(compiled, tmp_path, variable):
    (tmp_path / "run.py").write_text(SCRIPT)
    strict = call([command("cs_python"), "run.py"], cwd=tmp_path)
    assert strict.returncode == 1 and "error[copy-out-of-bounds]" in strict.stderr
    mild = call([command("cs_python"), "run.py"], cwd=tmp_path, env={**os.environ, variable: "-Wcopy-out-of-bounds"})
    assert (mild.stdout, mild.returncode) == ("done\n", 0) and "warning[copy-out-of-bounds]" in mild.stderr


@pytest.mark.parametrize("variable", ["CSLRUN_FLAGS", "APPTAINERENV_CSLRUN_FLAGS"])
def test_cs_python_refuses_flags_that_make_no_sense(tmp_path, variable):
    (tmp_path / "run.py").write_text("print('begun')\n")
    done = call([command("cs_python"), "run.py"], cwd=tmp_path, env={**os.environ, variable: "-W overlop"})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("cs_python: CSLRUN_FLAGS: ") and "`overlap`" in done.stderr
