import json
import os

import numpy as np
import pytest
from cerebras.geometry.geometry import IntRectangle, IntVector
from cerebras.sdk.runtime.sdkruntimepybind import (
    FP16TYPE,
    Color,
    Edge,
    Route,
    RoutingPosition,
    SdkLayout,
    SdkTarget,
    get_edge_routing,
)
from layouts import FROM_RAMP, TO_RAMP, adder, collector, compiled, finished, got, region, running, sender

import cslrun

# Parameters and initial data


def test_parameters_are_set_on_all_pes_on_one_and_on_rectangles_and_the_last_wins(layout):
    code = region(layout, "settings", "settings", 3, 2, number=-7, count=40000, flag=1)
    code.set_param(IntVector(1, 0), "count", 3)
    code.set_param_range(IntRectangle(IntVector(0, 1), IntVector(2, 2)), "number", 5)
    own, special = code.color("own"), Color("special", 9)
    code.set_param_all(own)
    code.set_param(IntVector(0, 0), "own", special)
    code.set_param_range(IntRectangle(IntVector(2, 0), IntVector(3, 2)), "other", special)
    code.set_param(IntVector(2, 1), "other", 4)
    runtime = finished(layout)
    numbers = {(x, y): runtime.read_symbol(x, y, "numbers", dtype="int16").tolist() for x in range(3) for y in range(2)}
    large = 40000 - 65536
    assert numbers == {
        (0, 0): [-7, large, 1, 99],
        (1, 0): [-7, 3, 1, 99],
        (2, 0): [-7, large, 1, 9],
        (0, 1): [5, large, 1, 99],
        (1, 1): [5, large, 1, 99],
        (2, 1): [-7, large, 1, 4],
    }


@pytest.mark.parametrize("value", [True, np.True_, np.False_])
def test_a_parameter_may_be_a_bool(layout, value):
    code = region(layout, "settings", "one", own=1, flag=value)
    code.set_param(IntVector(0, 0), "other", value)
    assert finished(layout).read_symbol(0, 0, "numbers", dtype="int16").tolist()[2:] == [value, value]


@pytest.mark.parametrize("value", [0, 2**63 - 1, 2**63, 2**64 - 1])
def test_a_parameter_may_have_64_bits(layout, tmp_path, value):
    (tmp_path / "wide.csl").write_text("param value: u64;\nexport var there = [1]u64{ value };\n")
    layout.create_code_region("wide.csl", "wide", 1, 1).set_param_all("value", value)
    assert finished(layout).read_symbol(0, 0, "there", dtype="uint64").tolist() == [value]


def test_a_matrix_is_divided_among_the_pes(layout):
    region(layout, "blocks", "blocks", 3, 2, at=(1, 2)).set_symbol_all(
        "matrix", np.arange(4 * 9, dtype=np.float32), 9, 4
    )
    runtime = finished(layout)
    whole = np.arange(36, dtype=np.float32).reshape(4, 9)
    for x in range(3):
        for y in range(2):
            block = whole[2 * y : 2 * y + 2, 3 * x : 3 * x + 3]
            np.testing.assert_array_equal(
                runtime.read_symbol(1 + x, 2 + y, "matrix", dtype="float32").reshape(2, 3), block
            )
            assert runtime.read_symbol(1 + x, 2 + y, "few", dtype="uint16").tolist() == [7, 8]


@pytest.mark.parametrize("dtype", [np.int16, np.uint16, np.float16])
def test_data_of_16_bits_are_divided_too(layout, dtype):
    data = np.array([[1, 2], [3, 4]], dtype=dtype)
    region(layout, "blocks", "blocks", 1, 2).set_symbol_all("few", data, 2, 2)
    runtime = finished(layout)
    assert [runtime.read_symbol(0, y, "few", dtype=dtype).tolist() for y in range(2)] == data.tolist()


# Routes that the program paints


def test_painted_routes_and_edges_lead_a_row_and_colors_get_numbers(layout):
    words = np.array([[3, 1, 4]], dtype=np.uint32)
    source = region(layout, "send", "source", count=3)
    source.set_symbol_all("data", words, 3, 1)
    row = region(layout, "collect", "row", 4, 1, count=3)
    assert layout.hstack([source, row]) == 5
    shared = Color("shared")
    source.set_param_all("tx", shared)
    row.set_param_all("rx", shared)
    source.paint_all(shared, [RoutingPosition().set_input([Route.RAMP]).set_output([Route.EAST])])
    onward = RoutingPosition().add_input(Route.WEST).add_output(Route.RAMP).add_output(Route.EAST)
    last = RoutingPosition().set_input([Route.WEST]).set_output([Route.RAMP])
    row.paint_all(shared, [onward], [get_edge_routing(Edge.RIGHT, [last])])
    runtime = finished(layout)
    assert [got(runtime, x, 0).tolist() for x in range(1, 5)] == [[3, 1, 4]] * 4
    assert json.loads((runtime._folder / "colors.json").read_text()) == {"shared": shared.get_value()}


def test_colors_that_meet_get_different_numbers_and_others_may_be_equal(layout):
    code = region(layout, "settings", "one", at=(0, 0))
    first, second, far = code.color("own"), Color("other"), Color("own")
    asked = Color("asked", 0)
    for color in (first, second):
        code.set_param_all(color)
    code.set_param_all("count", asked)
    region(layout, "settings", "two", at=(4, 0)).set_param_all(far)
    compiled(layout)
    assert asked.get_value() == 0
    assert len({first.get_value(), second.get_value(), 0}) == 3
    assert far.get_value() == 0


def test_a_color_is_the_same_wherever_its_name_is(layout):
    code = region(layout, "settings", "one", 2, 1)
    code.set_param(IntVector(0, 0), "own", Color("x"))
    code.set_param(IntVector(1, 0), "own", Color("x"))
    code.set_param_all("other", Color("y", 3))
    compiled(layout)
    assert (code.color("a").get_global_name(), code.color("a").get_local_param_name()) == ("one_a", "a")
    assert json.loads(open("out/colors.json").read()) == {"x": 0, "y": 3}


# Connections


@pytest.mark.parametrize("at, to", [((0, 0), (1, 0)), ((5, 5), (1, 1)), ((0, 3), (9, 3)), ((4, 0), (0, 6))])
@pytest.mark.parametrize("edges", [(Edge.RIGHT, Edge.LEFT), (Edge.TOP, Edge.TOP), (Edge.LEFT, Edge.BOTTOM)])
def test_a_connection_finds_its_way(layout, at, to, edges):
    words = np.arange(1, 41, dtype=np.uint32).reshape(1, 40)
    tx = sender(layout, "source", words, at, edges[0])
    layout.connect(tx, collector(layout, "target", 40, to, edges[1]))
    np.testing.assert_array_equal(got(finished(layout), *to), words[0])


def test_ports_of_several_pes_are_connected_pe_by_pe(layout):
    words = np.arange(12, dtype=np.uint32).reshape(4, 3)
    tx = sender(layout, "column", words, (0, 0), height=4)
    layout.connect(tx, collector(layout, "row", 3, (7, 6), Edge.TOP, width=4))
    runtime = finished(layout)
    assert [got(runtime, 7 + n, 6).tolist() for n in range(4)] == words.tolist()


def test_parallel_paths_find_their_ways_around_each_other_and_around_regions(layout):
    words = np.arange(9, dtype=np.uint32).reshape(3, 3)
    tx = sender(layout, "low", words, (3, 5), Edge.BOTTOM, width=3)
    layout.connect(tx, collector(layout, "column", 3, (8, 0), Edge.LEFT, height=3))
    region(layout, "blocks", "wall", 1, 6, at=(7, 1))
    runtime = finished(layout)
    assert [got(runtime, 8, n).tolist() for n in range(3)] == words.tolist()


def test_a_region_that_is_walled_in_is_reached_through_its_neighbours(layout):
    words = np.array([[5, 6]], dtype=np.uint32)
    tx = sender(layout, "inner", words, (0, 0))
    region(layout, "blocks", "right", 2, 1, at=(1, 0))
    region(layout, "blocks", "below", 1, 1, at=(0, 1))
    layout.connect(tx, collector(layout, "outer", 2, (6, 3)))
    assert got(finished(layout), 6, 3).tolist() == [5, 6]


def test_an_output_port_may_lead_to_several_regions(layout):
    words = np.array([[1, 2, 3]], dtype=np.uint32)
    tx = sender(layout, "source", words, (4, 4))
    places = [(0, 0), (8, 4), (4, 9)]
    for place in places:
        layout.connect(tx, collector(layout, f"at_{place[0]}_{place[1]}", 3, place))
    runtime = finished(layout)
    assert [got(runtime, *place).tolist() for place in places] == [[1, 2, 3]] * 3


def test_a_chain_of_regions_passes_words_on(layout):
    words = np.arange(30, dtype=np.uint32).reshape(1, 30)
    tx = sender(layout, "source", words, (0, 0))
    for n in range(3):
        into, out = adder(layout, f"add_{n}", (2 + 2 * n, n), 10**n, 30)
        layout.connect(tx, into)
        tx = out
    layout.connect(tx, collector(layout, "target", 30, (9, 1)))
    np.testing.assert_array_equal(got(finished(layout), 9, 1), words[0] + 111)


def test_a_relay_stands_between_ports_whose_colors_cannot_be_one(layout):
    # Every region has both colors, so that neither connection can make them one.
    rx, tx = Color("rx"), Color("tx")
    words = np.arange(20, dtype=np.uint32).reshape(1, 20)
    first_in, first_out = adder(layout, "first", (3, 0), 1, 20, colors=(rx, tx))
    second_in, second_out = adder(layout, "second", (6, 0), 1, 20, colors=(rx, tx))
    layout.connect(sender(layout, "source", words, (0, 0)), first_in)
    layout.connect(first_out, second_in)
    layout.connect(second_out, collector(layout, "target", 20, (9, 0)))
    np.testing.assert_array_equal(got(finished(layout), 9, 0), words[0] + 2)
    assert rx.get_value() != tx.get_value()


def test_ports_with_values_of_their_own_are_connected(layout):
    words = np.array([[8, 9]], dtype=np.uint32)
    source = region(layout, "send", "source", at=(0, 0), count=2)
    source.set_symbol_all("data", words, 2, 1)
    target = region(layout, "collect", "target", at=(5, 2), count=2)
    tx, rx = source.color("tx", 4), target.color("rx", 11)
    source.set_param_all(tx)
    target.set_param_all(rx)
    layout.connect(
        source.create_output_port(tx, Edge.TOP, [FROM_RAMP], 2), target.create_input_port(rx, Edge.TOP, [TO_RAMP], 2)
    )
    assert got(finished(layout), 5, 2).tolist() == [8, 9]


def test_a_region_may_be_connected_with_itself(layout):
    # What leaves on the right comes back on the left, and goes to the next PE of the row.
    code = region(layout, "add", "ring", 2, 1, at=(2, 2), step=5)
    rx, tx = code.color("rx"), code.color("tx")
    code.set_param_all(rx)
    code.set_param_all(tx)
    start = region(layout, "collect", "end", at=(8, 2), count=2)
    start.set_param_all("rx", start.color("rx"))
    code.set_param(IntVector(1, 0), "rx", Color("host"))
    from_host = code.create_input_port(Color("host"), Edge.RIGHT, [TO_RAMP], 2)
    back = code.create_input_port(rx, Edge.LEFT, [TO_RAMP], 2)
    layout.connect(code.create_output_port(tx, Edge.RIGHT, [FROM_RAMP], 2), back)
    code.set_param(IntVector(0, 0), "tx", Color("result"))
    result = code.create_output_port(Color("result"), Edge.LEFT, [FROM_RAMP], 2)
    layout.connect(result, start.create_input_port(start.color("rx"), Edge.LEFT, [TO_RAMP], 2))
    stream = layout.create_input_stream(from_host)
    runtime = running(layout)
    runtime.send(stream, np.array([1, 2], dtype=np.uint32), nonblock=True)
    runtime.stop()
    assert got(runtime, 8, 2).tolist() == [11, 12]


# Switches


def test_a_switch_deals_words_to_a_row_and_another_gathers_them(layout):
    batch, width = 3, 4
    size = batch * width
    dealer = region(layout, "deal", "dealer", at=(1, 0), batch=batch, batches=width)
    row = region(layout, "add", "row", width, 1, at=(4, 0), step=100)
    column = region(layout, "gather", "column", 1, width, at=(10, 3), batch=batch)
    colors = {}
    for code in (dealer, row, column):
        colors[code] = (code.color("rx"), code.color("tx"))
        for color in colors[code]:
            code.set_param_all(color)
    here = RoutingPosition().set_input([Route.WEST]).set_output([Route.RAMP])
    on = RoutingPosition().set_input([Route.WEST]).set_output([Route.EAST])
    row.paint_all(colors[row][0], [here, on], [get_edge_routing(Edge.RIGHT, [here])])
    row_in = row.create_input_port(
        colors[row][0], Edge.LEFT, [TO_RAMP, RoutingPosition().set_output([Route.EAST])], size
    )
    own = RoutingPosition().set_input([Route.RAMP]).set_output([Route.NORTH])
    below = RoutingPosition().set_input([Route.SOUTH]).set_output([Route.NORTH])
    column.paint_all(colors[column][1], [own, below])
    column_out = column.create_output_port(
        colors[column][1], Edge.TOP, [FROM_RAMP, RoutingPosition().set_input([Route.SOUTH])], size
    )
    dealer_in = dealer.create_input_port(colors[dealer][0], Edge.LEFT, [TO_RAMP], size)
    dealer_out = dealer.create_output_port(colors[dealer][1], Edge.RIGHT, [FROM_RAMP], size)
    layout.connect(dealer_out, row_in)
    layout.connect(
        row.create_output_port(colors[row][1], Edge.BOTTOM, [FROM_RAMP], size),
        column.create_input_port(colors[column][0], Edge.LEFT, [TO_RAMP], size),
    )
    into, out = layout.create_input_stream(dealer_in), layout.create_output_stream(column_out)
    runtime = running(layout)
    words, back = np.arange(size, dtype=np.uint32), np.zeros(size, dtype=np.uint32)
    runtime.send(into, words, nonblock=True)
    runtime.receive(out, back, size, nonblock=True)
    runtime.stop()
    np.testing.assert_array_equal(back, words + 100)


def test_colors_with_switches_get_numbers_that_have_switches(layout):
    # On WSE-3 16 of the 24 colors have switches: of 12 painted colors those with switches get these.
    code = region(layout, "blocks", "blocks")
    plain = RoutingPosition().set_input([Route.WEST]).set_output([Route.RAMP])
    turned = RoutingPosition().set_input([Route.WEST]).set_output([Route.EAST])
    colors = [code.color(f"c{n}") for n in range(22)]
    for n, color in enumerate(colors):
        code.paint_all(color, [plain, turned] if n < 14 else [plain])
    compiled(layout)
    numbers = [color.get_value() for color in colors]
    assert len(set(numbers)) == 22
    if layout._target == SdkTarget.WSE3:
        assert set(numbers[:14]) <= {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 20, 21}


# Placing, compiling, running


def test_stacks_place_regions_relative_to_the_first_or_to_an_origin(layout):
    first, second, third = (region(layout, "blocks", name, w, h) for name, w, h in (("a", 2, 1), ("b", 3, 2), ("c", 1, 4)))
    first.place(5, 6)
    assert layout.hstack([first, second, third]) == 6
    assert [code.origin for code in (first, second, third)] == [(5, 6), (7, 6), (10, 6)]
    assert layout.vstack([third, first, second], IntVector(1, 2)) == 7
    assert [code.origin for code in (third, first, second)] == [(1, 2), (1, 6), (1, 7)]
    compiled(layout)


def test_a_layout_is_compiled_from_another_folder(layout, tmp_path, monkeypatch):
    text = 'const extra = @import_module("extra.csl");\nexport var there = [1]u16{ extra.number };\n'
    (tmp_path / "own.csl").write_text(text)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "extra.csl").write_text("const number: u16 = 5;\n")
    layout.create_code_region("own.csl", "own", 1, 1)
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    artifacts = layout.compile("deep/out", libs=[str(tmp_path / "lib")], cslc_prefix="", save_port_map=True)
    assert os.path.isdir(tmp_path / "sub" / "deep" / "out")
    runtime = running(layout, artifacts)
    monkeypatch.chdir(tmp_path)
    runtime.stop()
    assert runtime.read_symbol(0, 0, "there", dtype="uint16").tolist() == [5]


def test_a_variable_is_looked_for_on_other_pes(layout, tmp_path):
    for x, name in ((0, "left"), (2, "right")):
        (tmp_path / f"{name}.csl").write_text(f"export var {name} = [1]u16{{ 1 }};\n")
        layout.create_code_region(f"{name}.csl", name, 1, 1).place(x, 0)
    runtime = running(layout, compiled(layout))
    runtime.stop()
    for place, name, told in (
        ((0, 0), "right", r"PE\(0,0\) has no variable `right`.*read it from PE\(2,0\)"),
        ((0, 0), "lfet", "did you mean `left`"),
        ((0, 0), "other", "its variables are `left`"),
        ((1, 0), "left", r"there is no code on PE\(1,0\).*read it from PE\(0,0\)"),
        ((1, 0), "other", r"there is no code on PE\(1,0\)"),
    ):
        with pytest.raises(cslrun.RunError, match=f"(?s){told}") as caught:
            runtime.read_symbol(*place, name)
        assert "symbol-absent" in str(caught.value)


def test_a_variable_of_a_module_is_looked_for(layout, tmp_path):
    (tmp_path / "part.csl").write_text("var inner = [1]u16{ 1 };\n")
    (tmp_path / "own.csl").write_text(
        'const part = @import_module("part.csl");\n'
        "const main_id = @get_local_task_id(8);\n"
        "task main() void { part.inner[0] += 1; }\n"
        "comptime { @bind_local_task(main, main_id); @activate(main_id); }\n"
    )
    layout.create_code_region("own.csl", "own", 1, 1)
    runtime = finished(layout)
    with pytest.raises(cslrun.RunError, match="no variable `inner`(?s:.*)name the module as well: `part.inner`"):
        runtime.read_symbol(0, 0, "inner")
    assert runtime.read_symbol(0, 0, "part.inner", dtype="uint16").tolist() == [2]


def test_a_program_that_has_not_run_is_told(layout, tmp_path):
    (tmp_path / "own.csl").write_text("export var there = [1]u16{ 5 };\n")
    layout.create_code_region("own.csl", "own", 1, 1)
    runtime = running(layout, compiled(layout))
    with pytest.warns(UserWarning, match="has not run yet"):
        runtime.read_symbol(0, 0, "there", dtype="uint16")
    runtime.stop()


def test_the_16_bit_float_format_is_chosen(layout, tmp_path):
    (tmp_path / "half.csl").write_text(
        "export var one = [1]u16{ 1 };\ncomptime { @comptime_assert(@is_same_type(@fp16(), bf16), \"not bf16\"); }\n"
    )
    layout.create_code_region("half.csl", "half", 1, 1)
    layout.compile("out", f16_type=FP16TYPE.BF16)
    with pytest.raises(cslrun.CompileError, match="not bf16"):
        layout.compile("out")


def test_targets_and_fabric_files_stand_for_platforms(tmp_path):
    assert SdkLayout(SdkTarget.WSE2)._wafer == (757, 996)
    (tmp_path / "fabric.json").write_text('{"target": "wse2", "width": 20, "height": 10}')
    layout = SdkLayout(tmp_path / "fabric.json", msg_level="ERROR")
    assert (layout._target, layout._wafer) == (SdkTarget.WSE2, (20, 10))
    with pytest.raises(RuntimeError, match="is not a fabric file"):
        SdkLayout(str(tmp_path / "none.json"))


def test_routing_positions_can_be_read():
    position = RoutingPosition().set_input([Route.WEST]).add_output(Route.RAMP).add_output(Route.EAST)
    assert (position.get_input(), position.get_output()) == ([Route.WEST], [Route.RAMP, Route.EAST])
    assert Color("x").get_value() is None
    assert FP16TYPE.CB16.value == 2
