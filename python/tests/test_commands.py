import importlib
import json
import os
import re

import pytest
from conftest import PROGRAMS, call, command


def test_the_output_folder_holds_what_scripts_open(compiled):
    settings = json.loads((compiled / "out.json").read_text())
    assert settings == {"params": {"width": "3", "height": "2", "count": "4"}, "colors": {}}
    symbols = json.loads((compiled / "bin" / "out_rpc.json").read_text())["rpc_symbols"]
    assert symbols[0] == {
        "id": 1, "immutable": 0, "kind": "Var", "name": "words", "sym_name": "words_ptr", "type": "[*]u32"
    }
    assert [s["type"] for s in symbols[5]["inputs"]] == ["i16", "u16", "i32", "u32", "f32"]
    assert "inputs" not in symbols[6]
    assert list((compiled / "bin").glob("out_[0-9]*.elf"))


@pytest.mark.parametrize("option, file", [("--output-json", "made.json"), ("--output-json=params.json", "params.json")])
def test_the_settings_can_be_written_to_one_more_file(tmp_path, option, file):
    words = [option, str(PROGRAMS / "levels.csl"), "--arch=wse2", "--params=limit:9", "-o", "made"]
    done = call([command("cslc"), *words], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / file).read_text())["params"] == {"limit": "9"}


def test_a_failed_compilation_leaves_no_program_behind(compiled, tmp_path):
    (tmp_path / "bad.csl").write_text("layout { @set_rectangle(1; }\n")
    done = call([command("cslc"), "bad.csl", "--arch=wse2", "-o=out"], cwd=tmp_path)
    assert done.returncode == 1 and "bad.csl:1:" in done.stderr
    assert not (compiled / "bin" / "program.cslrun").exists()


def test_a_fabric_that_is_too_small_says_what_would_do(tmp_path):
    place = ["--fabric-dims=9,4", "--fabric-offsets=4,1", "--memcpy", "--channels=1"]
    params = "--params=width:3,height:2,count:4"
    done = call([command("cslc"), str(PROGRAMS / "grid.csl"), "--arch=wse3", params, *place], cwd=tmp_path)
    assert done.returncode == 1 and "--fabric-dims must be at least 10,4" in done.stderr


SCRIPT = """
import sys
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder
from cerebras.sdk.sdk_utils import memcpy_view

runner = SdkRuntime(sys.argv[1])
runner.load()
runner.run()
options = dict(streaming=False, order=MemcpyOrder.ROW_MAJOR, data_type=MemcpyDataType.MEMCPY_32BIT, nonblock=False)
runner.memcpy_h2d(runner.get_id("words"), np.arange(24, dtype=np.uint32), 0, 0, 3, 2, 4, **options)
runner.launch("double_all", nonblock=False)
words = np.zeros(24, dtype=np.uint32)
runner.memcpy_d2h(words, runner.get_id("words"), 0, 0, 3, 2, 4, **options)
runner.stop()
print(words.tolist() == [2 * i for i in range(24)])
"""


def test_cs_python_runs_a_host_script(compiled, tmp_path):
    (tmp_path / "run.py").write_text(SCRIPT)
    done = call([command("cs_python"), "run.py", "out"], cwd=tmp_path)
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr


LOST_LAYOUT = """
const memcpy = @import_module("<memcpy/get_params>", .{ .width = 1, .height = 1 });
layout {
  @set_rectangle(1, 1);
  @set_tile_code(0, 0, "pe.csl", .{ .memcpy_params = memcpy.get_params(0) });
  @export_name("next", fn () void);
}
"""
LOST_PE = """
param memcpy_params: comptime_struct;
const sys = @import_module("<memcpy/memcpy>", memcpy_params);
var values = @zeros([4]u16);
var at: u16 = 4;
var value: u16 = 0;
fn next() void {
  value = values[at];
  sys.unblock_cmd_stream();
}
comptime { @export_symbol(next); }
"""
LOST_SCRIPT = """
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime

runner = SdkRuntime("out")
runner.load()
runner.run()
runner.launch("next", nonblock=False)
# The second one waits for the first.
runner.launch("next", nonblock=False)
END
"""


def run_lost(folder):
    """Compiles and runs the program and the script of a folder."""
    place = ["--arch=wse2", "--fabric-dims=8,3", "--fabric-offsets=4,1", "--memcpy", "--channels=1", "-o=out"]
    assert call([command("cslc"), "layout.csl", *place], cwd=folder).returncode == 0
    return call([command("cs_python"), "run.py"], cwd=folder)


@pytest.mark.parametrize("end", ["assert False, 'the sum is wrong'", "pass", "raise SystemExit(3)"])
def test_warnings_are_shown_if_the_script_ends_before_the_program(tmp_path, end):
    (tmp_path / "layout.csl").write_text(LOST_LAYOUT)
    (tmp_path / "pe.csl").write_text(LOST_PE)
    (tmp_path / "run.py").write_text(LOST_SCRIPT.replace("END", end))
    done = run_lost(tmp_path)
    assert done.stderr.count("warning[outside-array]") == 1, done.stderr


def test_warnings_are_shown_once_if_the_run_fails(tmp_path):
    (tmp_path / "layout.csl").write_text(LOST_LAYOUT)
    (tmp_path / "pe.csl").write_text(LOST_PE.replace("sys.unblock", "@assert(at == 3);\n  sys.unblock"))
    (tmp_path / "run.py").write_text(LOST_SCRIPT.replace("END", ""))
    done = run_lost(tmp_path)
    assert "error[assertion-failed]" in done.stderr and "`at` holds 4" in done.stderr
    assert done.stderr.count("warning[outside-array]") == 1, done.stderr


EARLY_SCRIPT = """
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

runner = SdkRuntime("out")
runner.load()
runner.run()
back = np.zeros(4, np.uint32)
options = dict(streaming=False, order=MemcpyOrder.ROW_MAJOR, data_type=MemcpyDataType.MEMCPY_32BIT)
task = runner.memcpy_d2h(back, runner.get_id("numbers"), 1, 0, 1, 1, 4, **options, nonblock=True)
WAIT
assert back.tolist() == [7], "not what was expected"
"""


@pytest.mark.parametrize("wait, is_told", [("", True), ("runner.task_wait(task)", False)])
def test_a_script_that_fails_with_an_array_that_is_not_filled_is_told_so(compiled, wait, is_told):
    (compiled.parent / "run.py").write_text(EARLY_SCRIPT.replace("WAIT", wait))
    done = call([command("cs_python"), "run.py"], cwd=compiled.parent)
    assert done.returncode == 1 and "not what was expected" in done.stderr
    assert ("1 array was not filled yet" in done.stderr) == is_told, done.stderr


def test_cs_python_passes_on_errors_and_statuses(tmp_path):
    (tmp_path / "run.py").write_text("raise SystemExit(7)\n")
    assert call([command("cs_python"), "run.py"], cwd=tmp_path).returncode == 7
    (tmp_path / "run.py").write_text("raise RuntimeError('no way')\n")
    done = call([command("cs_python"), "run.py"], cwd=tmp_path)
    assert done.returncode == 1 and "RuntimeError: no way" in done.stderr


def test_the_environment_of_the_container_is_forwarded(tmp_path):
    (tmp_path / "run.py").write_text("import os, helper\nprint(os.environ['A'], os.environ['B'], helper.X)\n")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "helper.py").write_text("X = 3\n")
    inside = {"SINGULARITYENV_A": "1", "APPTAINERENV_B": "2", "SINGULARITYENV_PYTHONPATH": str(tmp_path / "lib")}
    done = call([command("cs_python"), "run.py"], cwd=tmp_path, env={**os.environ, **inside})
    assert done.stdout == "1 2 3\n", done.stderr


def test_scripts_find_the_commands_of_this_installation(tmp_path):
    (tmp_path / "run.py").write_text("import shutil\nprint(shutil.which('cslc'))\n")
    done = call([command("cs_python"), "run.py"], cwd=tmp_path, env={"PATH": "/usr/bin:/bin"})
    assert done.stdout.strip() == command("cslc")


def test_the_sdk_modules_are_hidden_from_other_scripts(tmp_path):
    done = call([command("python"), "-c", "import cslrun, cerebras"], cwd=tmp_path)
    assert "No module named 'cerebras'" in done.stderr


@pytest.mark.parametrize("words, status", [([], 2), (["--help"], 0)])
def test_cs_python_explains_itself(words, status):
    done = call([command("cs_python"), *words])
    assert done.returncode == status and done.stdout.startswith("Usage: cs_python")


@pytest.mark.parametrize("words, instead", [
    (["csdb", "."], "csdb is not supported by cslrun: `cslrun debug"),
    (["cs_readelf", "--symbols", "out"], "cs_readelf is not supported by cslrun: .*`cslrun dump`"),
    (["sdk_debug_shell", "visualize"], "sdk_debug_shell visualize is not supported by cslrun"),
])
def test_other_tools_say_what_to_use(words, instead):
    done = call([command(words[0]), *words[1:]])
    assert done.returncode == 5 and re.match(instead, done.stderr)


def test_the_debug_shell_compiles(tmp_path):
    (tmp_path / "one.csl").write_text("layout { @set_rectangle(1, 1); @set_tile_code(0, 0, \"pe.csl\"); }\n")
    (tmp_path / "pe.csl").write_text("var x: u16 = 1;\n")
    words = ["compile", "one.csl", "--arch=wse3", "--fabric-dims=1,1", "-o=made"]
    done = call([command("sdk_debug_shell"), *words], cwd=tmp_path)
    assert done.returncode == 0 and (tmp_path / "made" / "out.json").is_file(), done.stderr


@pytest.mark.parametrize("module, name", [
    ("cerebras.sdk.debug.lib.symbol.csldebugpybind", "SimfabInstructionTraceCtf"),
    ("cerebras.sdk.debug.lib.instruction_trace.sdkinstrtracepybind", "SimfabInstructionTrace"),
    ("cerebras.sdk.debug.lib.rectangleopspybind", "get_debugger"),
    ("cerebras.sdk.debug.lib.wavelet_trace.wavelettracepybind", "WavletTrace"),
])
def test_readers_of_trace_files_say_what_to_use(module, name):
    reader = getattr(importlib.import_module(module), name)
    with pytest.raises(NotImplementedError, match=f"{name} reads files of the vendor's simulator.*cslrun run --trace"):
        reader("out/bin", "simfab_traces")
