"""The appliance client, whose cluster is this machine."""

import json
import logging
import shutil
import tarfile
from pathlib import Path

import numpy as np
import pytest
from cerebras.appliance.errors import ApplianceUnknownError
from cerebras.appliance.pb.sdk.sdk_common_pb2 import MemcpyDataType, MemcpyOrder
from cerebras.sdk.client import SdkCompiler, SdkLauncher, SdkRuntime
from cerebras.sdk.client.debug_util import debug_util
from conftest import COUNT, HEIGHT, PROGRAMS, WIDTH, call, command

OPTIONS = (
    f"--arch=wse2 --fabric-dims={WIDTH + 7},{HEIGHT + 2} --fabric-offsets=4,1 --memcpy --channels=1 "
    f"--params=width:{WIDTH},height:{HEIGHT} --params=count:{COUNT} -o latest"
)
COPY = {
    "streaming": False,
    "order": MemcpyOrder.ROW_MAJOR,
    "data_type": MemcpyDataType.MEMCPY_32BIT,
    "nonblock": False,
}
REGION = (0, 0, WIDTH, HEIGHT, COUNT)
SIZE = WIDTH * HEIGHT * COUNT


@pytest.fixture
def application(tmp_path, monkeypatch):
    """A folder with an application in `src`, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    for file in PROGRAMS.glob("grid*.csl"):
        (tmp_path / "src").mkdir(exist_ok=True)
        shutil.copy(file, tmp_path / "src")
    return tmp_path


@pytest.fixture
def artifact(application):
    """The path of its artifact."""
    with SdkCompiler(resource_cpu=24000, disable_version_check=True) as compiler:
        return compiler.compile("src", "grid.csl", OPTIONS, "artifacts")


def names(path):
    """The members of an archive, without the folder that they are all in."""
    with tarfile.open(path) as archive:
        roots, members = zip(*(name.split("/", 1) for name in archive.getnames()))
    assert {f"{root}.tar.gz" for root in roots} == {Path(path).name}
    return set(members)


def test_an_artifact_holds_the_output_of_cslc_and_the_application(application):
    (application / "src" / "run.py").write_text("")
    (application / "src" / ".git").mkdir()
    (application / "src" / ".git" / "HEAD").write_text("")
    (application / "src" / "old.tar.gz").write_text("")
    found = names(SdkCompiler().compile("src", "grid.csl", OPTIONS, "."))
    assert {".csl_bin_name", "latest/out.json", "latest/bin/out_rpc.json", "grid_pe.csl", "run.py"} <= found
    assert not {".git/HEAD", "old.tar.gz"} & found


def test_the_same_program_has_the_same_artifact(artifact):
    first = Path(artifact).read_bytes()
    assert SdkCompiler().compile(app_path="src", csl_main="grid.csl", options=OPTIONS, out_path="artifacts") == artifact
    assert Path(artifact).read_bytes() == first
    other = SdkCompiler().compile("src", "./grid.csl", OPTIONS.replace("count:4", "count:5"), "artifacts")
    assert other != artifact


def test_without_a_folder_for_it_an_artifact_is_a_name(application):
    name = SdkCompiler().compile("./src", "grid.csl", OPTIONS)
    assert name.startswith("cs_") and (application / f"{name}.tar.gz").is_file()
    # Some scripts keep data of their own in a folder with that name.
    (application / name).mkdir()
    with SdkRuntime(name, simulator=True) as runtime:
        assert runtime.get_id("words") == 1


def test_an_archive_can_have_a_name(application):
    path = SdkCompiler().compile("src", "grid.csl", OPTIONS, "made/mine.tar.gz")
    assert path == str(application / "made" / "mine.tar.gz")
    with SdkRuntime(path, simulator=True) as runtime:
        assert runtime.get_id("no such") is None


def test_a_program_that_does_not_compile_raises_its_diagnostics(application):
    (application / "src" / "grid.csl").write_text("layout { @set_rectangle(1; }\n")
    with pytest.raises(ApplianceUnknownError, match=r"cslc could not compile grid.csl (?s:.*)grid.csl:1:"):
        SdkCompiler().compile("src", "grid.csl", OPTIONS, ".")
    with pytest.raises(RuntimeError, match="no folder 'sources'"):
        SdkCompiler().compile("sources", "grid.csl", OPTIONS, ".")
    assert not list(application.glob("*.tar.gz"))


def test_a_runtime_moves_data_and_launches(artifact):
    values = np.arange(SIZE, dtype=np.uint32)
    back = np.zeros(SIZE, np.uint32)
    with SdkRuntime(artifact, simulator=True) as runtime:
        words = runtime.get_id("words")
        assert runtime.is_simulator()
        assert runtime.memcpy_h2d(words, values, *REGION, **COPY) is None
        assert runtime.launch("double_all", nonblock=False) is None
        assert runtime.call("double_all", [], nonblock=False) is None
        assert runtime.memcpy_d2h(back, words, *REGION, **COPY) is None
    np.testing.assert_array_equal(back, 4 * values)


def test_commands_that_do_not_block_are_tasks(artifact):
    values = np.arange(SIZE, dtype=np.uint32)
    back = np.zeros(SIZE, np.uint32)
    later = {**COPY, "nonblock": True}
    with SdkRuntime(artifact, simulator=True) as runtime:
        words = runtime.get_id("words")
        sent = runtime.memcpy_h2d(words, values, *REGION, **later)
        launched = runtime.launch("double_all", nonblock=True)
        runtime.task_wait(sent)
        launched.wait()
        received = runtime.memcpy_d2h(back, words, *REGION, **later)
        assert runtime.is_task_done(received) and received.done()
        np.testing.assert_array_equal(back, 2 * values)
        with pytest.raises(TypeError, match="nonblock=True; this is a NoneType"):
            runtime.task_wait(None)


def test_a_runtime_can_do_without_a_with_statement(artifact):
    runtime = SdkRuntime(artifact, simulator=True)
    words = runtime.get_id("words")
    runtime.start()
    with pytest.raises(RuntimeError, match="started only once"):
        runtime.start()
    back = np.ones(SIZE, np.uint32)
    runtime.memcpy_d2h(back, words, *REGION, **COPY)
    runtime.stop()
    assert not back.any()


def test_a_script_for_both_runtimes_runs(artifact, recwarn):
    runtime = SdkRuntime(artifact, simulator=True, suppress_simfab_trace=True)
    runtime.load()
    runtime.run()
    back = np.ones(SIZE, np.uint32)
    runtime.memcpy_d2h(back, runtime.get_id("words"), *REGION, **COPY)
    runtime.stop()
    assert not back.any()
    assert not recwarn.list


def test_every_option_is_needed_and_no_other(artifact):
    with SdkRuntime(artifact, simulator=True) as runtime:
        words = runtime.get_id("words")
        for name in COPY:
            rest = {key: value for key, value in COPY.items() if key != name}
            with pytest.raises(RuntimeError, match=f"Must specify {name} in kwargs"):
                runtime.memcpy_h2d(words, np.zeros(SIZE, np.uint32), *REGION, **rest)
        with pytest.raises(RuntimeError, match="Must specify nonblock in kwargs"):
            runtime.launch("double_all")
        with pytest.raises(RuntimeError, match="launch does not take streaming"):
            runtime.launch("double_all", nonblock=False, streaming=False)
        with pytest.raises(RuntimeError, match="different number of arguments"):
            runtime.launch("say", nonblock=False)
        with pytest.raises(RuntimeError, match="4 bytes per element"):
            runtime.memcpy_h2d(words, np.zeros(SIZE, np.uint16), *REGION, **COPY)


def test_a_run_leaves_its_files_in_its_own_folder(artifact, tmp_path):
    with SdkRuntime(artifact, simulator=True) as runtime:
        runtime.launch("say", np.uint16(3), nonblock=False)
        runtime.task_wait(runtime.launch("say", np.uint16(4), nonblock=True))
        runtime.download_artifact("sim.log", "logs/sim.log")
        runtime.download_artifact(f"{Path(artifact).name.removesuffix('.tar.gz')}/latest/bin/out_rpc.json", "rpc.json")
        with pytest.raises(RuntimeError, match="wrote no 'no.log'; it wrote: .*sim.log"):
            runtime.download_artifact("no.log", "no.log")
    assert not (tmp_path / "sim.log").exists()
    assert " heard 3\n" in (tmp_path / "logs" / "sim.log").read_text()
    assert json.loads((tmp_path / "rpc.json").read_text())["rpc_symbols"][0]["name"] == "words"


def test_memory_can_be_read_after_the_run(artifact):
    with SdkRuntime(artifact, simulator=True) as runtime:
        reader = debug_util(artifact, runtime)
        runtime.launch("say", np.uint16(3), nonblock=False)
    assert reader.get_symbol(4 + 2, 1 + 1, "numbers", np.uint32).tolist() == [5]
    with pytest.raises(RuntimeError, match="debug_util\\(.*, runtime\\)"):
        debug_util(artifact)


def test_a_runtime_takes_an_output_folder_too(compiled):
    with SdkRuntime("out", simulator=True) as runtime:
        assert runtime.get_id("floats") == 2


def test_an_exception_is_not_hidden_by_the_end_of_the_run(artifact):
    with pytest.raises(ZeroDivisionError), SdkRuntime(artifact, simulator=True) as runtime:
        # A command after this one could never be done.
        runtime.launch("stay_busy", nonblock=False)
        raise ZeroDivisionError


@pytest.mark.parametrize("client", [SdkRuntime, SdkLauncher])
def test_a_system_is_simulated_and_the_client_says_so(artifact, client, caplog):
    with caplog.at_level(logging.WARNING), client(artifact):
        pass
    assert [f"{client.__name__}: this machine has no system" in caplog.text, len(caplog.records)] == [True, 1]


@pytest.mark.parametrize("client", [SdkRuntime, SdkLauncher])
def test_something_else_than_an_artifact_is_refused(application, client):
    with pytest.raises(RuntimeError, match="no artifact 'cs_12'"):
        client("cs_12", simulator=True)
    (application / "text.tar.gz").write_text("text")
    with tarfile.open(application / "other.tar.gz", "w:gz") as archive:
        archive.add("src")
    for name, problem in [("text.tar.gz", "not a gzip file|could not be opened"), ("other", "no folder with a file")]:
        with pytest.raises(RuntimeError, match=f"not an artifact of SdkCompiler: .*({problem})"):
            with client(name, simulator=True):
                pass


HOST = """
import argparse
import json
import os
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name")
parser.add_argument("--cmaddr")
args = parser.parse_args()
print(json.load(open(f"{args.name}/out.json"))["params"]["count"], bool(args.cmaddr), os.path.exists("src"))
runner = SdkRuntime(args.name, cmaddr=args.cmaddr)
runner.load()
runner.run()
runner.launch("say", np.uint16(7), nonblock=False)
runner.stop()
"""


def test_a_launcher_runs_the_host_script_beside_the_output(application, artifact):
    (application / "run.py").write_text(HOST)
    with SdkLauncher(artifact, simulator=False, disable_version_check=True) as launcher:
        launcher.stage("run.py")
        assert launcher.run("cs_python run.py --name latest --cmaddr %CMADDR% | tee run.log") == "4 True False\n"
        assert launcher.run("cat run.log", "python run.py --name latest") == "4 True False\n4 False False\n"
        launcher.download_artifact("sim.log", "./output_dir/sim.log")
        launcher.download_artifact("simfab_traces", ".")
    assert " heard 7\n" in (application / "output_dir" / "sim.log").read_text()
    assert (application / "simfab_traces").is_dir()
    assert json.loads((application / "run_meta.json").read_text())["simulator"] is False


def test_folders_are_staged_as_they_are_and_packed(application, artifact):
    with SdkLauncher(artifact, simulator=True) as launcher:
        launcher.stage("src/")
        assert launcher.run("ls src").split() == ["grid.csl", "grid_pe.csl"]
        assert "src/grid.csl" in launcher.run("rm -r src", "tar -xvf src.tar.gz")
        with pytest.raises(RuntimeError, match="no file or folder 'no.py'"):
            launcher.stage("no.py")


def test_a_command_that_fails_says_why(artifact):
    with SdkLauncher(artifact, simulator=True) as launcher:
        with pytest.raises(ApplianceUnknownError, match="exit status 3: echo a; echo b >&2; exit 3\na\nb"):
            launcher.run("echo a; echo b >&2; exit 3", "touch not-reached")
        assert "not-reached" not in launcher.run("ls")
        with pytest.raises(RuntimeError, match="no %CMADDR% with simulator=True"):
            launcher.run("cs_python run.py --cmaddr %CMADDR%")
        with pytest.raises(RuntimeError, match="as strings, not a list"):
            launcher.run(["ls"])
    with pytest.raises(RuntimeError, match="inside a `with` statement"):
        launcher.run("ls")


COMPILE = f"""
import json
from cerebras_appliance.sdk import SdkCompiler
compiler = SdkCompiler()
artifact = compiler.compile("src", "grid.csl", "{OPTIONS}", ".")
json.dump({{"artifact_path": artifact}}, open("artifact_path.json", "w"))
"""

RUN = """
import json
import logging
import numpy as np
from cerebras.appliance import logger
from cerebras.sdk.client import SdkRuntime, sdk_utils, _version
from cerebras_appliance.pb.sdk.sdk_common_pb2 import MemcpyDataType, MemcpyOrder
import cerebras.appliance.logger

logging.basicConfig(level=logging.INFO)
cerebras.appliance.logger.setLevel(logging.ERROR)
with SdkRuntime(json.load(open("artifact_path.json"))["artifact_path"], simulator=False) as runner:
    runner.launch("combine", np.int16(-3), np.uint16(4), 5, np.uint32(6), 0.25, nonblock=False)
    back = np.zeros(6, np.uint32)
    runner.memcpy_d2h(back, runner.get_id("shorts"), 0, 0, 3, 2, 1, streaming=False, nonblock=False,
                      order=MemcpyOrder.ROW_MAJOR, data_type=MemcpyDataType.MEMCPY_16BIT)
print(sdk_utils.memcpy_view(back, np.dtype(np.int16)).tolist(), _version.__version__.split(".")[0])
"""


def test_a_pair_of_scripts_compiles_and_runs(application):
    (application / "compile.py").write_text(COMPILE)
    (application / "run.py").write_text(RUN)
    compiled = call([command("cs_python"), "compile.py"], cwd=application)
    assert compiled.returncode == 0, compiled.stderr
    done = call([command("cs_python"), "run.py"], cwd=application)
    assert (done.stdout, done.stderr) == ("[-3, -3, -3, -3, -3, -3] 2\n", "")


def test_options_and_artifacts_of_another_kind_are_named(application):
    with SdkCompiler() as compiler:
        with pytest.raises(TypeError, match=r"options of cslc are one string, as on a command line, not \['--arch=wse2'\]"):
            compiler.compile("src", "grid.csl", ["--arch=wse2"], ".")
        with pytest.raises(RuntimeError, match="the options .* cannot be read: No closing quotation"):
            compiler.compile("src", "grid.csl", "--params='width:3", ".")
    with pytest.raises(TypeError, match="an artifact is the path that SdkCompiler.* has returned; this is a dict"):
        SdkLauncher({"artifact_path": "cs_0.tar.gz"}, simulator=True)
