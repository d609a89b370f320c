"""The runner of releases before 1.0: tensors come and go over the edges of the program rectangle."""

import numpy as np
import pytest
from cerebras.elf.cs_elf_runner import CSELFRunner
from cerebras.elf.cs_elf_runner.lib import csl_utils
from cerebras.elf.cself import ELFLoader, ELFMemory
from conftest import PROGRAMS, call, command

import cslrun

HEIGHT = 3
WORDS, DOUBLED, HALVES, SUMS = 1, 2, 4, 5
SENTINEL = 40

COMING = "{ in[row=0:2, k=0:3] -> [PE[-1, row] -> index[k]] }"
GOING = "{ out[row=0:2, k=0:3] -> [PE[2, row] -> index[k]] }"
SHORT = np.array([0.5, 1.25, -4.0], np.float16)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The output folder of cslc; the current folder is its parent."""
    monkeypatch.chdir(tmp_path)
    place = ["--fabric-dims=6,7", "--fabric-offsets=3,2", f"--params=height:{HEIGHT}"]
    done = call([command("cslc"), "--arch=wse2", str(PROGRAMS / "edges" / "layout.csl"), *place, "-o", "out"])
    assert done.returncode == 0, done.stderr
    return tmp_path / "out"


@pytest.fixture
def runner(folder):
    return CSELFRunner([f"{folder}/bin/out_0_0.elf"], cmaddr=None)


def numbers():
    return np.arange(12, dtype=np.int32).reshape(3, 4)


def refused(text, error=RuntimeError):
    return pytest.raises(error, match=text)


def test_tensors_come_and_go_over_the_edges(runner):
    runner.add_input_tensor(WORDS, COMING, numbers())
    runner.add_output_tensor(DOUBLED, GOING, np.int32)
    runner.connect_and_run()
    result = runner.out_tensor_dict["out"]
    assert result.dtype == np.int32
    np.testing.assert_array_equal(result, 2 * numbers())


def test_short_elements_are_the_low_half_of_a_wavelet(runner):
    runner.add_input_tensor(HALVES, "{ halves[i=0:2] -> [PE[1, 3] -> index[i]] }", SHORT)
    runner.add_output_tensor(SUMS, "{ sums[i=0:3-1] -> [PE[1, 3] -> index[i]]; }", np.float16)
    runner.connect_and_run()
    np.testing.assert_array_equal(runner.out_tensor_dict["sums"], np.cumsum(SHORT))


@pytest.mark.parametrize("index, indices", [("i + 5", [5, 6, 7]), ("i // 2, i % 2", [0, 1, 2])])
def test_a_short_element_carries_its_index(runner, index, indices):
    runner.add_input_tensor(HALVES, f"{{ halves[i=0:2] -> [PE[1, 3] -> index[{index}]] }}", SHORT)
    runner.connect_and_run()
    assert runner.get_symbol(4, 4, "indices", np.uint16).tolist() == indices


def test_several_tensors_pass_at_the_same_time(runner):
    runner.add_input_tensor(WORDS, COMING, numbers())
    runner.add_input_tensor(HALVES, "{ halves[i=0:2] -> [PE[1, 3] -> index[i]] }", SHORT)
    runner.add_output_tensor(SUMS, "{ sums[i=0:2] -> [PE[1, 3] -> index[i]] }", np.float16)
    runner.add_output_tensor(DOUBLED, GOING, np.int32)
    runner.connect_and_run()
    assert set(runner.out_tensor_dict) == {"out", "sums"}
    np.testing.assert_array_equal(runner.out_tensor_dict["out"], 2 * numbers())


def test_the_indices_on_a_pe_are_the_order_of_its_wavelets(runner):
    backwards = COMING.replace("index[k]", "index[0, 3 - k]")
    runner.add_input_tensor(WORDS, backwards, numbers())
    runner.add_output_tensor(DOUBLED, GOING, np.int32)
    runner.connect_and_run()
    np.testing.assert_array_equal(runner.out_tensor_dict["out"], 2 * numbers()[:, ::-1])


def test_one_dimension_can_be_divided_among_pes(runner):
    runner.add_input_tensor(WORDS, "{ in[i=0:11][j=0] -> [PE[-1, i // 4] -> index[i mod 4]] }", numbers().reshape(12, 1))
    runner.add_output_tensor(DOUBLED, "{ out[i=0:11, 0] -> [PE[2, i // 4] -> index[i % 4]] }", np.int32)
    runner.connect_and_run()
    np.testing.assert_array_equal(runner.out_tensor_dict["out"], 2 * numbers().reshape(12, 1))


def test_arrays_go_along_a_side(runner):
    runner.add_input_array("in", WORDS, "W", numbers())
    runner.add_output_array("out", DOUBLED, "EAST", np.zeros((2, 4), np.int32), 1)
    runner.connect_and_run()
    np.testing.assert_array_equal(runner.out_tensor_dict["out"], 2 * numbers()[1:])


def test_a_tensor_can_come_to_one_row(runner):
    runner.add_input_tensor(WORDS, ("WEST", 2), np.array([7, 8], np.uint32))
    runner.connect_and_run()
    assert runner.get_symbol(3, 4, "count", np.uint16).tolist() == [2]
    assert runner.get_symbol(3, 3, "count", np.uint16).tolist() == [0]


def test_a_pe_in_the_rectangle_stands_for_its_only_edge_with_a_route(runner):
    runner.add_input_tensor(WORDS, COMING.replace("-1", "0"), numbers())
    runner.add_output_tensor(DOUBLED, GOING.replace("2, row", "1, row"), np.int32)
    runner.connect_and_run()
    np.testing.assert_array_equal(runner.out_tensor_dict["out"], 2 * numbers())


def test_a_sentinel_follows_the_elements_of_each_pe(runner):
    runner.add_input_tensor(WORDS, COMING, numbers(), sentinel=SENTINEL)
    runner.connect_and_run()
    assert runner.get_symbol_rect(((3, 2), (1, 3)), "ends", np.uint16).tolist() == [[[1], [1], [1]]]
    assert runner.get_symbol(3, 2, "count", np.uint16).tolist() == [4]


def test_memory_is_set_before_the_run_and_read_after_it(runner):
    runner.set_symbol(3, 2, "added", np.array([100, 0], np.int32))
    runner.set_symbol_rect("added", np.array([[[1000], [2000]]], np.uint32), offset=(3, 3))
    runner.add_input_tensor(WORDS, COMING, numbers())
    runner.add_output_tensor(DOUBLED, GOING, np.int32)
    runner.connect_and_run()
    added = np.array([[100], [1000], [2000]])
    np.testing.assert_array_equal(runner.out_tensor_dict["out"], 2 * numbers() + added)
    assert runner.get_symbol(3, 4, "added", np.int32).tolist() == [2000, 0]


def test_traces_are_read_by_fabric_coordinates(runner):
    runner.add_input_tensor(WORDS, COMING, numbers())
    runner.connect_and_run()
    assert csl_utils.read_trace(runner, 3, 3, "calls") == [4, 5, 6, 7]


def test_readers_of_elf_files_look_into_the_program_and_its_memory(folder, tmp_path):
    elf = [f"{folder}/bin/out_0_0.elf"]
    memory = ELFMemory(*elf)
    assert memory.get_fabric_dimensions() == (6, 7)
    assert list(memory.iter_coordinates()) == [(3, 2), (4, 2), (3, 3), (4, 3), (3, 4), (4, 4)]
    runner = CSELFRunner(elf)
    runner.add_input_tensor(WORDS, COMING, numbers())
    runner.connect_and_run(tmp_path / "core.out")
    loader = ELFLoader(elf[0], tmp_path / "core.out")
    assert loader.get_as_array_from(3, 4, "count", np.uint16).tolist() == [4]
    with refused("unsupported: ELFMemory.get"):
        memory.get(0)


def test_threads_do_not_change_the_result(folder, monkeypatch):
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("CSLRUN_THREADS", threads)
        runner = CSELFRunner([f"{folder}/bin/out_0_0.elf"])
        runner.add_input_tensor(WORDS, COMING, numbers())
        runner.add_output_tensor(DOUBLED, GOING, np.int32)
        runner.connect_and_run()
        found.append((runner.out_tensor_dict["out"].tolist(), runner._runner.cycles))
    assert found[0] == found[1]


def test_a_run_can_be_recorded(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("CSLRUN_TRACE", str(tmp_path / "trace.txt"))
    runner = CSELFRunner([f"{folder}/bin/out_0_0.elf"])
    runner.add_input_tensor(WORDS, COMING, numbers(), sentinel=SENTINEL)
    runner.add_output_tensor(DOUBLED, GOING, np.int32)
    runner.connect_and_run()
    assert "from the host" in (tmp_path / "trace.txt").read_text()


# What users get wrong.


def test_an_output_that_never_gets_complete_is_a_hang(runner):
    runner.add_input_tensor(WORDS, COMING, numbers())
    runner.add_output_tensor(DOUBLED, GOING.replace("k=0:3", "k=0:4"), np.int32)
    with pytest.raises(cslrun.RunError) as error:
        runner.connect_and_run()
    assert "the stream 'out at PE(1,0)' from the wafer (color 2, EAST of PE(1,0))" in str(error.value)
    assert "after 4 of 5 words the program must send more" in str(error.value)


def test_a_tensor_that_nobody_takes_is_a_hang(folder, tmp_path):
    (tmp_path / "idle.csl").write_text(
        "layout {\n"
        "  @set_rectangle(1, 1);\n"
        '  @set_tile_code(0, 0, "pe.csl");\n'
        "  @set_color_config(0, 0, @get_color(1), .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } } });\n"
        '  @export_name("f", fn()void);\n'
        "}\n"
    )
    (tmp_path / "pe.csl").write_text("var x: u16 = 0;\nfn f() void { x = 1; }\ncomptime { @export_symbol(f); }\n")
    assert call([command("cslc"), "idle.csl", "-o", "idle"]).returncode == 0
    runner = CSELFRunner(["idle/bin/out_0_0.elf"])
    runner.add_input_tensor(1, "{ in[i=0:99] -> [PE[-1, 0] -> index[i]] }", np.zeros(100, np.int16))
    with pytest.raises(cslrun.RunError) as error:
        runner.connect_and_run()
    assert "the stream 'in' to the wafer (color 1, WEST of PE(0,0))" in str(error.value)


def test_a_program_that_waits_for_more_words_is_a_warning(folder, tmp_path, capsys):
    (tmp_path / "more.csl").write_text(
        "const words = @get_color(1);\n"
        "layout {\n"
        "  @set_rectangle(1, 1);\n"
        '  @set_tile_code(0, 0, "pe.csl");\n'
        "  @set_color_config(0, 0, words, .{ .routes = .{ .rx = .{ NORTH }, .tx = .{ RAMP } } });\n"
        "}\n"
    )
    (tmp_path / "pe.csl").write_text(
        "var taken = @zeros([4]u32);\n"
        "const from = @get_dsd(fabin_dsd, .{ .extent = 4, .fabric_color = @get_color(1), .input_queue = @get_input_queue(2) });\n"
        "const to = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> taken[i] });\n"
        "task main() void { @mov32(to, from, .{ .async = true }); }\n"
        "comptime { @bind_local_task(main, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }\n"
    )
    assert call([command("cslc"), "more.csl", "-o", "more"]).returncode == 0
    runner = CSELFRunner(["more/bin/out_0_0.elf"])
    runner.add_input_tensor(1, "{ in[i=0:2] -> [PE[0, -1] -> index[i]] }", np.zeros(3, np.uint32))
    runner.connect_and_run()
    assert "color 1 comes from the host, which has sent PE(0,0) 3 words of it" in capsys.readouterr().err


def test_more_words_than_the_host_asks_for_are_a_warning(runner, capsys):
    runner.add_input_tensor(WORDS, COMING, numbers())
    runner.add_output_tensor(DOUBLED, GOING.replace("k=0:3", "k=0:2"), np.int32)
    runner.connect_and_run()
    assert "words received from the stream 'out at PE(1,0)': 3; words left: 1" in capsys.readouterr().err


@pytest.mark.parametrize("color, text", [
    (31, "there is no color 31"),
    (3, "the input tensor 'in': no route of color 3 on PE\\(0,0\\) accepts wavelets from WEST"),
])
def test_colors_must_have_a_route(runner, color, text):
    with refused(text):
        runner.add_input_tensor(color, COMING, numbers())
        runner.connect_and_run()


@pytest.mark.parametrize("portmap, text", [
    (COMING.replace("k=0:3", "k=0:4"), "'in' has the shape \\(3, 4\\), but its port map has \\(3, 5\\)"),
    (COMING.replace("-1", "-2"), "PE\\[-2,0\\] does not lie next to the program rectangle of 2 x 3 PEs"),
    (COMING.replace("index[k]", "index[0]"), "two elements, \\(0, 0\\) and \\(0, 1\\), have the same place"),
    (COMING.replace("index", ""), "a port map looks like"),
    ("{ in[i=0:2][k=0:3] -> [PE[1, i] -> index[k]] }", "PE\\(1,0\\), which lies in the program rectangle"),
])
def test_port_maps_must_fit_tensor_and_rectangle(runner, portmap, text):
    with refused(text):
        runner.add_input_tensor(WORDS, portmap, numbers())
        runner.connect_and_run()


def test_elements_must_fit_into_wavelets(runner):
    with refused("'in' has elements of int64; a wavelet holds"):
        runner.add_input_tensor(WORDS, COMING, numbers().astype(np.int64))
    with refused("'out' has elements of float64"):
        runner.add_output_tensor(DOUBLED, GOING, np.float64)


def test_outputs_have_names_and_links_of_their_own(runner):
    runner.add_output_tensor(DOUBLED, GOING, np.int32)
    with refused("two output tensors with the name 'out'"):
        runner.add_output_tensor(SUMS, GOING, np.int32)
    with refused("'out' and 'other' share color 2 at the same PE"):
        runner.add_output_tensor(DOUBLED, GOING.replace("out", "other"), np.int32)
    with refused("no output tensor 'out' was received", KeyError):
        runner.out_tensor_dict["out"]


def test_sides_have_names_and_lengths(runner):
    with refused("a side is 'N', 'S', 'E' or 'W', not 'LEFT'"):
        runner.add_input_array("in", WORDS, "LEFT", numbers())
    with refused("row 3 does not exist"):
        runner.add_input_array("in", WORDS, "W", numbers(), 1)
    with refused("the place of a tensor", TypeError):
        runner.add_input_tensor(WORDS, ("WEST",), numbers())


def test_symbols_must_exist_and_have_room(runner):
    with refused("\\(0, 0\\) is not a PE of the program.*columns 3 to 4 and rows 2 to 4"):
        runner.set_symbol(0, 0, "added", np.zeros(1, np.int32))
    with refused("'added' of PE\\(0,0\\) has 8 bytes, but the array has 12"):
        runner.set_symbol(3, 2, "added", np.zeros(3, np.int32))
    with refused("no symbol|has no|adder", cslrun.SymbolError):
        runner.set_symbol(3, 2, "adder", np.zeros(1, np.int32))
    with refused("takes an array by column and row"):
        runner.set_symbol_rect("added", np.zeros(2, np.int32))


def test_it_runs_once(runner):
    runner.connect_and_run()
    with refused("multiple times"):
        runner.connect_and_run()
    with refused("too late"):
        runner.add_output_tensor(DOUBLED, GOING, np.int32)
    with refused("too late"):
        runner.set_symbol(3, 2, "added", np.zeros(1, np.int32))


def test_what_is_unsupported_says_so(runner, folder):
    elf = [f"{folder}/bin/out_0_0.elf"]
    with refused("unsupported: CSELFRunner with height, width for a program that does not import"):
        CSELFRunner(elf, height=3, width=2)
    with refused("unsupported: reusable of CSELFRunner.add_output_tensor"):
        runner.add_output_tensor(DOUBLED, GOING, np.int32, reusable=True)
    with refused("unsupported: run_batch of CSELFRunner for a program without <memcpy>"):
        runner.run_batch([WORDS])
    with refused("without <memcpy> there is one batch"):
        runner.add_input_tensor(WORDS, COMING, None)
    with refused("without <memcpy> there is one batch"):
        runner.add_input_array("in", WORDS, "W", None)
    with pytest.warns(UserWarning, match="does not support speed"):
        CSELFRunner(elf, speed=3)


def test_it_needs_a_program(tmp_path):
    with refused("there is no compiled program in"):
        CSELFRunner([f"{tmp_path}/nowhere/bin/out_0_0.elf"])
    with refused("the list of ELF files is empty"):
        CSELFRunner([])
