import re
import shutil

import numpy as np
import pytest
from cerebras.sdk.runtime import _launch
from cerebras.sdk.runtime.sdkruntimepybind import (
    MemcpyDataType,
    MemcpyOrder,
    SdkLayout,
    SdkRuntime,
    SdkTarget,
    SimfabConfig,
    get_platform,
    get_simulator,
)
from conftest import COUNT
from copies import HALVES, LATER, REGION, ROWS, SIZE, read


def test_a_nonblocking_read_is_there_after_stop(runtime):
    runtime.memcpy_h2d(runtime.get_id("words"), np.full(SIZE, 3, np.uint32), *REGION, COUNT, **LATER)
    back = np.zeros(SIZE, dtype=np.uint32)
    runtime.memcpy_d2h(back, runtime.get_id("words"), *REGION, COUNT, **LATER)
    runtime.stop()
    assert back.tolist() == [3] * SIZE


@pytest.mark.parametrize("ends", ["stop", "task_wait", "is_task_done"])
def test_a_finished_read_is_there_if_the_run_fails_after_it(runtime, ends):
    runtime.memcpy_h2d(runtime.get_id("words"), np.full(SIZE, 3, np.uint32), *REGION, COUNT, **LATER)
    back, never = np.zeros(SIZE, dtype=np.uint32), np.zeros(SIZE, dtype=np.uint32)
    runtime.memcpy_d2h(back, runtime.get_id("words"), *REGION, COUNT, **LATER)
    runtime.launch("stay_busy", nonblock=True)
    task = runtime.memcpy_d2h(never, runtime.get_id("words"), *REGION, COUNT, **LATER)
    with pytest.raises(RuntimeError, match="stay_busy"):
        runtime.stop() if ends == "stop" else getattr(runtime, ends)(task)
    assert back.tolist() == [3] * SIZE
    assert never.tolist() == [0] * SIZE


def test_asking_whether_a_task_is_done_lets_it_finish(runtime):
    back = np.zeros(SIZE, dtype=np.uint32)
    task = runtime.memcpy_d2h(back, runtime.get_id("words"), *REGION, COUNT, **LATER)
    assert runtime.is_task_done(task)


def test_launch_passes_typed_arguments(runtime):
    runtime.launch("combine", np.int16(-3), np.uint16(40000), -70000, np.uint32(4_000_000_000), 0.25, nonblock=False)
    one = (2, 1, 1, 1)
    assert read(runtime, "words", 2, one).tolist() == [2**32 - 70000, 4_000_000_000]
    assert read(runtime, "floats", 1, one).view(np.float32).tolist() == [0.25]
    shorts = read(runtime, "shorts", 2, one, **HALVES)
    assert shorts.astype(np.uint16).view(np.int16).tolist() == [-3, 40000 - 65536]


def test_call_passes_words(runtime):
    runtime.call("combine", [0xFFFD, 1, 2, 3, 0x3E800000], nonblock=True)
    assert read(runtime, "floats", 1, (0, 0, 1, 1)).view(np.float32).tolist() == [0.25]


def test_call_passes_the_bits_of_negative_numbers(runtime):
    runtime.call("combine", np.array([-3, 1, -2, 3, 0x3E800000], np.int32), nonblock=False)
    assert read(runtime, "words", 1, (0, 0, 1, 1)).tolist() == [2**32 - 2]
    runtime.call("double_all", nonblock=False)


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        ([1.5], TypeError, "takes integers as the arguments of say, not float64; sdk_utils.cast_uint32 gives"),
        (np.array([1.5], np.float32), TypeError, "not float32"),
        (["1"], TypeError, "not <U1"),
        ([2**32], RuntimeError, "takes words of 32 bits as the arguments of say, not 4294967296"),
        ([-(2**31) - 1], RuntimeError, "words of 32 bits"),
        ([1, 2], RuntimeError, r"different number of arguments \(1\)"),
    ],
)
def test_call_takes_words(runtime, arguments, error, text):
    with pytest.raises(error, match=text):
        runtime.call("say", arguments, nonblock=False)


def test_a_task_belongs_to_the_runtime_that_returned_it(runtime, compiled):
    other = SdkRuntime(compiled)
    other.load()
    other.run()
    task = other.memcpy_d2h(np.zeros(1, np.uint32), 1, 0, 0, 1, 1, 1, **LATER)
    for ask in (runtime.task_wait, runtime.is_task_done):
        with pytest.raises(RuntimeError, match="the task belongs to another SdkRuntime: ask the one whose call"):
            ask(task)
    assert other.is_task_done(task)
    other.stop()


@pytest.mark.parametrize(
    "arguments, text",
    [
        ((), r"different number of arguments \(5\) from what has been provided \(0\)"),
        ((1, 2, 3, 4, 0.5), "argument 0 of combine is a i16, for which the host must pass np.int16; got int"),
        ((np.int16(1), np.uint16(1), 2**31, 1, 0.5), "argument 2 of combine is a i32, and 2147483648 does not fit"),
        ((np.int16(1), np.uint16(1), 1, 1, 1), "argument 4 of combine is a f32"),
    ],
)
def test_launch_checks_arguments(runtime, arguments, text):
    with pytest.raises(RuntimeError, match=text):
        runtime.launch("combine", *arguments, nonblock=False)


@pytest.mark.parametrize("ty", ["u8", "i8", "u64", "i64"])
def test_types_that_the_host_cannot_pass_are_named(ty):
    text = f"argument 1 of f is a {ty}, which the host cannot pass: declare the parameter as one of f32, f16, i16"
    with pytest.raises(RuntimeError, match=text):
        _launch.words("f", ("u16", ty), (np.uint16(1), 1))


def test_names_are_numbers_for_memcpy(runtime):
    assert [runtime.get_id(name) for name in ("words", "floats", "no such")] == [1, 2, None]
    with pytest.raises(RuntimeError, match="Cannot find exported function with name words; .*combine"):
        runtime.launch("words", nonblock=False)
    with pytest.raises(RuntimeError, match="not the id of an exported variable; .*words, floats"):
        runtime.memcpy_h2d(99, np.zeros(1, np.uint32), 0, 0, 1, 1, 1, **ROWS)
    with pytest.raises(RuntimeError, match="get_id.'no such'. has returned None"):
        runtime.memcpy_h2d(runtime.get_id("no such"), np.zeros(1, np.uint32), 0, 0, 1, 1, 1, **ROWS)
    with pytest.raises(TypeError, match=r"the id of a variable, then the array; an array of shape \(4,\) stands"):
        runtime.memcpy_h2d(np.zeros(4, np.uint32), 1, 0, 0, 1, 1, 1, **ROWS)
    with pytest.raises(TypeError, match="memcpy_d2h takes the array, then the id of a variable"):
        runtime.memcpy_d2h(1, np.zeros(4, np.uint32), 0, 0, 1, 1, 1, **ROWS)


def test_helps_name_the_options_of_cs_python(runtime, compiled, monkeypatch):
    with pytest.raises(RuntimeError, match="`--cslrun-flags='-W copy-out-of-bounds'` makes this a warning") as caught:
        words = np.zeros(COUNT + 1, np.uint32)
        runtime.memcpy_h2d(runtime.get_id("words"), words, 0, 0, 1, 1, COUNT + 1, **ROWS)
    assert "`-W copy" not in str(caught.value)
    monkeypatch.setenv("CSLRUN_MAX_CYCLES", "3")
    limited = SdkRuntime(compiled)
    limited.load()
    limited.run()
    with pytest.raises(RuntimeError, match="raise the limit with --cslrun-max-cycles"):
        limited.launch("double_all", nonblock=False)
        limited.stop()


def test_a_source_file_is_no_compiled_program():
    with pytest.raises(RuntimeError, match=r"layout\.csl is a source file: give the folder"):
        SdkRuntime("layout.csl")


def test_the_life_of_a_runtime_has_an_order(compiled):
    runtime = SdkRuntime(str(compiled), cmaddr="")
    words = runtime.get_id("words")
    with pytest.raises(RuntimeError, match="must be running to accept memcpy commands"):
        runtime.memcpy_h2d(words, np.zeros(1, np.uint32), 0, 0, 1, 1, 1, **ROWS)
    with pytest.raises(RuntimeError, match="call run\\(\\) if load\\(\\) has not been called"):
        runtime.run()
    runtime.load()
    with pytest.raises(RuntimeError, match="load"):
        runtime.load()
    runtime.run()
    runtime.stop()
    with pytest.raises(RuntimeError, match="Cannot call stop\\(\\) multiple times"):
        runtime.stop()
    with pytest.raises(RuntimeError, match="must be running"):
        runtime.launch("double_all", nonblock=False)


def test_a_call_out_of_order_says_what_comes_first(compiled):
    runtime = SdkRuntime(compiled)
    with pytest.raises(RuntimeError, match="memcpy commands: call load\\(\\) and run\\(\\) first"):
        runtime.launch("double_all", nonblock=False)
    with pytest.raises(RuntimeError, match="has not been called: call load\\(\\) first"):
        runtime.run()
    runtime.load()
    with pytest.raises(RuntimeError, match="has not been called: call run\\(\\) first"):
        runtime.stop()
    runtime.run()
    with pytest.raises(RuntimeError, match="make another SdkRuntime for another run"):
        runtime.run()
    runtime.stop()
    with pytest.raises(RuntimeError, match="the command must come before it"):
        read(runtime, "words")
    with pytest.raises(RuntimeError, match="has not been called: remove this call"):
        runtime.stop()


def test_an_id_that_is_none_leads_to_the_name_that_was_asked_for(runtime):
    with pytest.raises(RuntimeError, match=r"get_id\('Words'\) has returned None.*its variables are words, floats"):
        runtime.memcpy_h2d(runtime.get_id("Words"), np.zeros(24, np.uint32), 0, 0, 3, 2, 4, **ROWS)
    with pytest.raises(RuntimeError, match=r"get_id\('double'\) has returned None.*its functions are combine, double_all"):
        runtime.launch(runtime.get_id("double"), nonblock=False)


def test_variables_and_functions_are_told_apart(runtime):
    with pytest.raises(RuntimeError, match="is the id of the function `say`: launch.. calls it"):
        runtime.memcpy_h2d(runtime.get_id("say"), np.zeros(24, np.uint32), 0, 0, 3, 2, 4, **ROWS)
    with pytest.raises(RuntimeError, match="with name words; `words` is a variable"):
        runtime.launch("words", nonblock=False)


def test_a_runtime_needs_a_folder_or_what_compile_returns():
    with pytest.raises(TypeError, match="what SdkLayout.compile.. has returned; this is a SdkLayout"):
        SdkRuntime(SdkLayout(SdkTarget.WSE3))


def test_a_program_that_never_lets_the_host_in_does_not_hang(runtime):
    runtime.launch("stay_busy", nonblock=False)
    with pytest.raises(RuntimeError, match="stay_busy"):
        read(runtime, "words")


def test_a_run_leaves_the_log_and_the_trace_folder(runtime, tmp_path):
    runtime.launch("say", np.uint16(3), nonblock=False)
    runtime.stop()
    *lines, idle, end = (tmp_path / "sim.log").read_text().splitlines()
    assert len(lines) == 6 and all(line.startswith("@") and line.endswith(" heard 3") for line in lines)
    ends = re.fullmatch(r"@(\d+) End of the simulation, cycles=(\d+)", end)
    assert ends and ends[1] == ends[2]
    assert re.fullmatch(rf"@{ends[1]} \d+ cycles since a wavelet landed", idle)
    assert (tmp_path / "simfab_traces").is_dir()


def test_memory_can_be_read_after_stop(runtime):
    values = np.array([1, 2, 3, 4], np.uint32)
    runtime.memcpy_h2d(runtime.get_id("shorts"), values, 0, 0, 1, 1, COUNT, **HALVES)
    runtime.stop()
    assert runtime.read_symbol(0, 0, "shorts", dtype="int16").tolist() == [1, 2, 3, 4]
    assert runtime.coord_logical_to_physical((1, 1)) == (5, 2)


def test_a_core_is_written_where_it_is_wanted(compiled, tmp_path):
    runtime = SdkRuntime(compiled)
    with pytest.raises(RuntimeError, match="dump_core"):
        runtime.dump_core()
    with pytest.raises(RuntimeError, match="call load"):
        runtime.read_symbol(0, 0, "shorts")
    runtime.load()
    runtime.run()
    runtime.stop()
    runtime.dump_core(str(tmp_path / "corefile.cs1"))
    runtime.dump_core()
    assert (tmp_path / "corefile.cs1").stat().st_size > 0
    assert (tmp_path / "out.core").read_bytes() == (tmp_path / "corefile.cs1").read_bytes()


@pytest.mark.parametrize("options", [{"suppress_simfab_trace": True}, {"simfab_numthreads": 64}, {"msg_level": "INFO"}])
def test_settings_of_the_simulator_are_accepted(compiled, tmp_path, options, recwarn):
    runtime = SdkRuntime(compiled, **options)
    runtime.load()
    runtime.run()
    runtime.launch("say", np.uint16(3), nonblock=False)
    runtime.stop()
    # Scripts move both, also when they have asked for no traces.
    shutil.move(tmp_path / "sim.log", tmp_path / "old.log")
    shutil.move(tmp_path / "simfab_traces", tmp_path / "old_traces")
    assert not list(recwarn)


@pytest.mark.parametrize("count", [0, -1, 1.5, True, "2"])
def test_a_number_of_threads_is_a_number(compiled, count):
    with pytest.raises(ValueError, match="simfab_numthreads must be a whole number of at least 1"):
        SdkRuntime(compiled, simfab_numthreads=count)


def test_a_program_runs_on_the_machine_for_which_it_is_compiled(compiled):
    text = "compiled for WSE2, but the platform is a WSE3: please use the correct compilation flag --arch=wse3, or"
    with pytest.raises(RuntimeError, match=text):
        SdkRuntime(compiled, get_platform())
    SdkRuntime(compiled, get_platform(target=SdkTarget.WSE2))
    SdkRuntime(compiled)
    for wrong in ("wse2", 0, None):
        with pytest.raises(TypeError, match=f"target must be SdkTarget.WSE2 or SdkTarget.WSE3, not {wrong!r}"):
            get_platform(target=wrong)


def test_there_is_no_system(compiled):
    with pytest.raises(RuntimeError, match="there is no system at '10.0.0.1:9000'"):
        SdkRuntime(compiled, cmaddr="10.0.0.1:9000")
    with pytest.raises(RuntimeError, match="only simulates"):
        get_platform("10.0.0.1:9000")


def test_a_core_is_written_at_the_end_if_the_platform_says_so(compiled, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    for config, path in [
        (SimfabConfig(dump_core=True), "out.core"),
        (SimfabConfig(dump_core=True, core_path=tmp_path / "my.core"), "my.core"),
    ]:
        runtime = SdkRuntime(compiled, get_simulator(config, SdkTarget.WSE2))
        runtime.load()
        runtime.run()
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert not (tmp_path / path).exists()
        runtime.stop()
        monkeypatch.chdir(tmp_path)
        assert (tmp_path / path).stat().st_size > 0
    runtime.dump_elf_core("elf.core")
    runtime.dump("old.core")
    assert (tmp_path / "elf.core").read_bytes() == (tmp_path / "old.core").read_bytes()


def test_the_numbers_of_a_copy_have_names(runtime):
    place = {"px": 1, "py": 0, "w": 1, "h": 2, "elem_per_pe": 1}
    words = runtime.get_symbol("words")
    runtime.memcpy_h2d(dest=words, src=np.array([7, 8], np.uint32), **place, **ROWS)
    back = np.zeros(2, np.uint32)
    runtime.memcpy_d2h(dest=back, src=words, **place, **ROWS)
    assert back.tolist() == [7, 8]


def test_functions_have_numbers(runtime):
    runtime.memcpy_h2d(runtime.get_id("words"), np.full(SIZE, 3, np.uint32), *REGION, COUNT, **ROWS)
    runtime.launch(runtime.get_id("double_all"), nonblock=False)
    runtime.call("double_all", nonblock=False)
    assert read(runtime, "words").tolist() == [12] * SIZE


def test_a_script_can_run_a_program_several_times(compiled, tmp_path):
    def started():
        runtime = SdkRuntime(compiled)
        runtime.load()
        runtime.run()
        return runtime

    first = started()
    first.launch("say", np.uint16(1), nonblock=False)
    first.stop()
    second, third = started(), started()
    second.memcpy_h2d(second.get_id("words"), np.full(SIZE, 5, np.uint32), *REGION, COUNT, **ROWS)
    assert read(third, "words").tolist() == [0] * SIZE
    third.stop()
    assert read(second, "words").tolist() == [5] * SIZE
    second.stop()
    assert first.read_symbol(0, 0, "numbers", "uint32").tolist() == [0]


def test_a_platform_can_be_named(compiled):
    platform = get_platform(config=SimfabConfig(num_threads=2), target=SdkTarget.WSE2)
    assert platform.is_simulation()
    assert SdkRuntime(compiled, platform).get_id("words") == 1


def test_a_folder_without_a_program_says_how_to_make_one(tmp_path):
    with pytest.raises(RuntimeError, match="compile one with cslc -o"):
        SdkRuntime(tmp_path)


def test_enums_have_names_and_values():
    assert (MemcpyOrder.COL_MAJOR.name, MemcpyOrder.COL_MAJOR.value) == ("COL_MAJOR", 1)
    assert MemcpyDataType(1) is MemcpyDataType.MEMCPY_16BIT


def test_a_script_may_go_elsewhere_after_it_has_made_the_runtime(compiled, tmp_path, monkeypatch):
    runtime = SdkRuntime("out")
    place = tmp_path / "elsewhere"
    place.mkdir()
    monkeypatch.chdir(place)
    runtime.load()
    runtime.run()
    runtime.stop()
    assert (compiled / "bin/snapshot.cslrun").is_file() and (place / "sim.log").is_file()
