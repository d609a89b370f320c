import numpy as np
import pytest
from cerebras.geometry.geometry import IntRectangle, IntVector
from cerebras.sdk.runtime.sdkruntimepybind import (
    Color,
    Edge,
    Route,
    RoutingPosition,
    SdkLayout,
    SdkTarget,
    get_edge_routing,
)
from layouts import FROM_RAMP, TO_RAMP, collector, compiled, refuses, region, sender

import cslrun

WORDS = np.array([[1, 2, 3]], dtype=np.uint32)
EASTWARD = RoutingPosition().set_input([Route.RAMP]).set_output([Route.EAST])


# Regions


def test_regions_that_overlap_are_both_named(layout):
    region(layout, "blocks", "first", 3, 2, at=(2, 2))
    region(layout, "blocks", "second", 2, 2, at=(4, 3))
    refuses(
        layout,
        "code regions 'first' (3 x 2 PEs at (2, 2)) and 'second' (2 x 2 PEs at (4, 3)) overlap at PE(4,3); place one",
    )


def test_regions_without_a_place_lie_at_the_origin(layout):
    region(layout, "blocks", "first")
    region(layout, "blocks", "second")
    refuses(layout, "'second' (1 x 1 PEs at (0, 0), where regions go that place() was not called for) overlap at PE(0,0)")


def test_a_region_lies_on_the_wafer(layout):
    width, height = layout._wafer
    region(layout, "blocks", "far", 2, 1, at=(width - 1, 0))
    refuses(layout, f"code region 'far' has 2 x 1 PEs at ({width - 1}, 0) and does not fit on the wafer")
    with pytest.raises(RuntimeError, match=f"cannot have 1 x {height + 1} PEs: the wafer has {width} x {height}"):
        region(layout, "blocks", "tall", 1, height + 1)
    with pytest.raises(RuntimeError, match="cannot be placed at column -1"):
        region(layout, "blocks", "left", at=(-1, 0))


def test_names_of_regions_are_unique(layout):
    region(layout, "blocks", "one")
    with pytest.raises(RuntimeError, match="there is a code region 'one' already"):
        region(layout, "blocks", "one")


def test_a_layout_needs_a_region(layout):
    refuses(layout, "the layout has no code region")


def test_stacks_need_regions_of_their_own_layout(layout):
    other = region(SdkLayout(SdkTarget.WSE2), "blocks", "other")
    for stack in (layout.hstack, layout.vstack):
        with pytest.raises(RuntimeError, match=f"'{stack.__name__}' requires at least one child"):
            stack([])
        with pytest.raises(RuntimeError, match="code region 'other' belongs to another layout"):
            stack([other])
        with pytest.raises(TypeError, match="takes code regions"):
            stack(["x"])


def test_a_missing_file_and_wrong_code_are_reported(layout, tmp_path):
    layout.create_code_region("none.csl", "none", 1, 1)
    with pytest.raises(cslrun.CompileError, match="none.csl"):
        compiled(layout)


def test_wrong_code_is_reported_with_its_line(layout, tmp_path):
    (tmp_path / "wrong.csl").write_text("param p: u16;\nvar x: u16 = true;\nexport var y: u16 = x;\n")
    layout.create_code_region("wrong.csl", "wrong", 2, 1).set_param(IntVector(0, 0), "p", 1)
    with pytest.raises(cslrun.CompileError, match=r"wrong.csl:2:\d+"):
        compiled(layout)


def test_helps_about_wrong_code_name_the_options_of_cs_python(layout, tmp_path):
    (tmp_path / "wrong.csl").write_text(
        "task other() void {}\n"
        "task main() void { other(); }\n"
        "comptime { @bind_local_task(main, @get_local_task_id(8)); }\n"
    )
    layout.create_code_region("wrong.csl", "wrong", 1, 1)
    refuses(layout, "`--cslrun-flags='-W task-call'` makes this a warning")


def test_memcpy_does_not_work_in_a_region(layout, tmp_path):
    (tmp_path / "copies.csl").write_text('const m = @import_module("<memcpy/memcpy>", .{});\ncomptime { _ = m; }\n')
    layout.create_code_region("copies.csl", "copies", 1, 1)
    with pytest.raises(RuntimeError):
        compiled(layout)


def test_a_layout_block_has_no_effect(layout, tmp_path):
    (tmp_path / "both.csl").write_text(
        'layout {\n  @set_rectangle(1, 1);\n  @set_tile_code(0, 0, "both.csl", .{});\n}\nexport var x = [1]u16{ 1 };\n'
    )
    layout.create_code_region("both.csl", "both", 1, 1)
    with pytest.warns(UserWarning, match="the layout block of .*both.csl has no effect"):
        compiled(layout)


# Parameters and data


def test_parameters_are_integers_and_colors(layout):
    code = region(layout, "settings", "one", 2, 1)
    for wrong in ((1,), ("a", "b"), ("a", 1.5), (), ("a", np.float32(1))):
        with pytest.raises(TypeError):
            code.set_param_all(*wrong)
    with pytest.raises(TypeError, match="takes an IntVector"):
        code.set_param((0, 0), "number", 1)
    with pytest.raises(RuntimeError, match=r"gives 1 x 1 PEs at \(2, 0\), but code region 'one' has 2 x 1 PEs"):
        code.set_param(IntVector(2, 0), "number", 1)
    with pytest.raises(RuntimeError, match=r"set_param_range\(\) gives 2 x 2 PEs at \(0, 0\)"):
        code.set_param_range(IntRectangle(IntVector(0, 0), IntVector(2, 2)), "number", 1)


def test_places_are_integers(layout):
    for wrong, shown in ((1.5, "1.5"), (np.float32(2), "np.float32.2.0."), ("1", "'1'"), (None, "None")):
        with pytest.raises(TypeError, match=f"IntVector: y must be an integer, not ({shown}|{wrong})$"):
            IntVector(0, wrong)
    with pytest.raises(TypeError, match=r"IntRectangle: end must be an IntVector, not \(1, 1\)"):
        IntRectangle(IntVector(0, 0), (1, 1))
    assert repr(IntVector(np.int64(1), np.uint8(2))) == "IntVector(x=1, y=2)"


def test_no_parameter_is_larger_than_all_types(layout):
    for wrong in (2**127, -(2**127)):
        with pytest.raises(RuntimeError, match=f"param 'a' cannot be {wrong}: no type of CSL has such a number"):
            region(layout, "settings", f"one{wrong}").set_param_all("a", wrong)


def test_a_parameter_without_a_value_is_named(layout):
    region(layout, "send", "one", count=3)
    with pytest.raises(cslrun.CompileError, match="tx"):
        compiled(layout)


def test_a_value_that_does_not_fit_is_reported(layout):
    region(layout, "settings", "one", own=3, count=-1)
    with pytest.raises(cslrun.CompileError, match="count"):
        compiled(layout)


def test_data_must_be_divisible_and_fit(layout):
    code = region(layout, "blocks", "blocks", 2, 2)
    with pytest.raises(RuntimeError, match="3 x 2 elements cannot be divided among 2 x 2 PEs"):
        code.set_symbol_all("matrix", np.zeros(6, dtype=np.float32), 3, 2)
    with pytest.raises(RuntimeError, match="the array has 6 elements, not 2 x 2"):
        code.set_symbol_all("matrix", np.zeros(6, dtype=np.float32), 2, 2)
    with pytest.raises(TypeError, match="elements must be int16, .*not float64"):
        code.set_symbol_all("matrix", np.zeros(4), 2, 2)
    code.set_symbol_all("matrix", np.zeros(64, dtype=np.float32), 8, 8)
    refuses(layout, "gives each PE 64 bytes, and the variable ([2, 3]f32) has 24")


def test_data_for_an_unknown_variable_list_those_there_are(layout):
    region(layout, "blocks", "blocks").set_symbol_all("matric", np.zeros(6, dtype=np.float32), 3, 2)
    refuses(layout, "the code of region 'blocks' has no such variable in memory on PE(0,0); it has matrix, few")


def test_rows_that_are_taken_for_columns_are_worth_a_warning(layout):
    code = region(layout, "blocks", "blocks", 2, 1)
    data = np.ones((2, 6), dtype=np.float32)
    with pytest.warns(UserWarning, match="has 2 rows and 6 columns, and is divided as 6 rows and 2 columns; .*pass 6, 2"):
        code.set_symbol_all("matrix", data, 2, 6)
    with pytest.raises(TypeError, match="width and height must be integers, not 6.0 and 2"):
        code.set_symbol_all("matrix", data, 12 / 2, 2)


@pytest.mark.filterwarnings("error")
def test_vectors_and_flat_arrays_have_any_shape(layout):
    code = region(layout, "blocks", "blocks", 2, 1)
    for shape, size in (((2, 6), (6, 2)), ((12,), (4, 3)), ((12, 1), (4, 3)), ((2, 6), (12, 1)), ((1, 12), (6, 2))):
        code.set_symbol_all("matrix", np.ones(shape, dtype=np.float32), *size)


def test_data_that_are_too_few_are_worth_a_warning(layout):
    region(layout, "blocks", "blocks").set_symbol_all("matrix", np.ones(3, dtype=np.float32), 3, 1)
    with pytest.warns(UserWarning, match="gives each PE 12 bytes, and the variable .* has 24: the rest keeps"):
        compiled(layout)


@pytest.mark.parametrize(
    "variable, dtype", [("i32", np.float32), ("i16", np.float16), ("f16", np.float32), ("f32", np.float16), ("f32", np.int32)]
)
def test_data_of_another_type_than_the_variable_are_worth_a_warning(layout, tmp_path, variable, dtype):
    (tmp_path / "own.csl").write_text(f"export var data = @zeros([4]{variable});\n")
    data = np.ones(2, dtype=dtype)
    layout.create_code_region("own.csl", "own", 1, 1).set_symbol_all("data", data, 2, 1)
    text = f"has data of {data.dtype}, and the variable is a .4.{variable}: the bits are copied"
    with pytest.warns(UserWarning, match=text):
        compiled(layout)


@pytest.mark.filterwarnings("error:.*the bits are copied")
def test_unsigned_data_and_views_hold_the_bits_of_any_type(layout):
    code = region(layout, "blocks", "blocks")
    code.set_symbol_all("matrix", np.ones(6, dtype=np.uint32), 3, 2)
    code.set_symbol_all("matrix", np.ones(6, dtype=np.float32).view(np.int32), 3, 2)
    code.set_symbol_all("few", np.ones(1, dtype=np.float32), 1, 1)
    compiled(layout)


# Colors


def test_values_of_colors_are_checked(layout):
    with pytest.raises(RuntimeError, match="color 'x' has the value 24; colors go from 0 to 23"):
        Color("x", 24)
    with pytest.raises(TypeError):
        Color(3)
    with pytest.raises(TypeError, match="a color comes from"):
        region(layout, "blocks", "blocks").paint_all("x", [EASTWARD])


def test_a_name_has_one_value(layout):
    code = region(layout, "blocks", "blocks", 2, 1)
    code.paint(IntVector(0, 0), Color("x", 3), [EASTWARD])
    code.paint(IntVector(1, 0), Color("x", 4), [EASTWARD])
    refuses(layout, "color 'x' has the values 3 and 4; colors with the same name are the same color")


def test_a_value_is_not_given_twice_on_one_pe(layout):
    code = region(layout, "blocks", "blocks", 2, 1)
    code.paint_all(Color("x", 3), [EASTWARD])
    code.paint(IntVector(1, 0), Color("y", 3), [EASTWARD])
    refuses(layout, "colors 'x' and 'y' both have the value 3, and both have a route on PE(1,0)")


def test_colors_run_out(layout):
    code = region(layout, "blocks", "blocks")
    for n in range(25):
        code.paint_all(code.color(f"c{n}"), [EASTWARD])
    refuses(layout, "there is no free color for 'blocks_c")


def test_switches_need_colors_that_have_them(layout):
    code = region(layout, "blocks", "blocks")
    turned = RoutingPosition().set_input([Route.WEST])
    code.paint_all(code.color("turns", 10), [EASTWARD, turned])
    if layout._target == SdkTarget.WSE2:
        compiled(layout)
    else:
        refuses(layout, "color 'blocks_turns' has switch positions and the value 10, and on wse3 only 0, 1, 2")


def test_a_position_that_turns_both_sides_is_worth_a_warning(layout):
    code = region(layout, "blocks", "blocks")
    turned = RoutingPosition().set_input([Route.WEST]).set_output([Route.NORTH])
    code.paint_all(code.color("turns"), [EASTWARD, turned])
    with pytest.warns(UserWarning, match=r"color 'blocks_turns' on PE\(0,0\) changes both input and output"):
        compiled(layout)


# Routes and ports


def test_routes_have_one_to_four_positions_of_directions(layout):
    code = region(layout, "blocks", "blocks")
    for count in (0, 5):
        with pytest.raises(RuntimeError, match=f"paint_all.. of code region 'blocks' takes .* not {count} positions"):
            code.paint_all(Color("x"), [EASTWARD] * count)
    with pytest.raises(TypeError, match="takes a list of RoutingPosition"):
        code.paint_all(Color("x"), [Route.EAST])
    with pytest.raises(TypeError, match="a route must be"):
        RoutingPosition().set_input([Edge.TOP])
    with pytest.raises(TypeError, match="an edge must be"):
        get_edge_routing(Route.EAST, [EASTWARD])
    with pytest.raises(TypeError, match="routes along an edge come from get_edge_routing"):
        code.paint_all(Color("x"), [EASTWARD], [EASTWARD])
    with pytest.raises(RuntimeError, match=r"paint\(\) gives"):
        code.paint(IntVector(0, 1), Color("x"), [EASTWARD])


def test_the_compiler_chooses_the_open_side_of_a_port(layout):
    code = region(layout, "blocks", "blocks")
    with pytest.raises(RuntimeError, match="input port cannot have input route.*input port 'x' of code region 'blocks'"):
        code.create_input_port(Color("x"), Edge.LEFT, [EASTWARD], 1)
    with pytest.raises(RuntimeError, match="output port cannot have output route.*output port 'x' of code region"):
        code.create_output_port(Color("x"), Edge.LEFT, [EASTWARD], 1)


def test_names_of_ports_are_unique_in_a_region(layout):
    code = region(layout, "blocks", "blocks", 2, 1)
    x = Color("x")
    code.create_input_port(x, Edge.LEFT, [TO_RAMP], 1)
    with pytest.raises(RuntimeError, match="input port 'x' of code region 'blocks' already exists, as input port at the left"):
        code.create_input_port(x, Edge.RIGHT, [TO_RAMP], 1)
    assert code.create_input_port(x, Edge.RIGHT, [TO_RAMP], 1, prefix="right_").name == "right_x"


def test_ports_may_not_contradict_each_other_on_a_pe(layout):
    code = region(layout, "blocks", "blocks")
    code.create_input_port(Color("x"), Edge.LEFT, [TO_RAMP], 1)
    code.create_output_port(Color("x"), Edge.RIGHT, [FROM_RAMP], 1, "out_")
    refuses(layout, "ports 'x' and 'out_x' of code region 'blocks' set different routes for color 'x' on PE(0,0)")


def test_a_port_that_nothing_is_connected_to_is_worth_a_warning(layout):
    sender(layout, "source", WORDS, (3, 0))
    with pytest.warns(UserWarning, match=r"output port 'source_tx' of code region 'source' \(PE\(3,0\)\) is not connected"):
        compiled(layout)


# Connections


def test_connections_lead_from_output_to_input(layout):
    tx, rx = sender(layout, "source", WORDS, (0, 0)), collector(layout, "target", 3, (3, 0))
    text = "connect.. connects an output port to an input port, not input port 'target_rx' of code region 'target' to"
    with pytest.raises(RuntimeError, match=text):
        layout.connect(rx, tx)
    with pytest.raises(TypeError, match="connect.. takes ports"):
        layout.connect(tx, "rx")
    other = collector(SdkLayout(SdkTarget.WSE2), "other", 3, (0, 0))
    with pytest.raises(RuntimeError, match="code region 'other' belongs to another layout"):
        layout.connect(tx, other)


def test_connected_ports_have_as_many_pes_and_as_many_wavelets(layout):
    tx = sender(layout, "source", WORDS, (0, 0))
    wide, long = collector(layout, "wide", 3, (3, 0), height=2), collector(layout, "long", 4, (3, 4))
    with pytest.raises(RuntimeError, match="incompatible number of PEs: output port 'source_tx' .* has 1, but input port 'wide_rx'"):
        layout.connect(tx, wide)
    with pytest.raises(RuntimeError, match="incompatible data sizes: output port 'source_tx' .* has 3 .* 'long_rx' .* has 4"):
        layout.connect(tx, long)


def test_a_route_that_cannot_be_found_names_both_ports(layout):
    # The same color lies on all PEs around the port.
    shared = Color("shared")
    around = region(layout, "blocks", "around", 3, 1, at=(0, 1))
    around.paint_all(shared, [EASTWARD])
    region(layout, "blocks", "right", 2, 1, at=(1, 0)).paint_all(shared, [EASTWARD])
    source = region(layout, "send", "source", at=(0, 0), count=3, tx=shared)
    target = region(layout, "collect", "target", at=(6, 3), count=3, rx=shared)
    layout.connect(
        source.create_output_port(shared, Edge.RIGHT, [FROM_RAMP], 3),
        target.create_input_port(shared, Edge.LEFT, [TO_RAMP], 3),
    )
    refuses(
        layout,
        "cannot find a route for the connection from output port 'shared' of code region 'source' (PE(0,0)) at PE(0,0) "
        "to input port 'shared' of code region 'target' (PE(6,3)) at PE(6,3)",
    )


def test_routes_come_in_lists(layout):
    code = region(layout, "blocks", "code")
    with pytest.raises(TypeError, match=r"set_output\(\) takes a list of routes: set_output\(\[Route.RAMP\]\)"):
        RoutingPosition().set_output(Route.RAMP)
    with pytest.raises(TypeError, match="set_input.. takes a list of routes, not 3"):
        RoutingPosition().set_input(3)
    with pytest.raises(TypeError, match="takes a list of RoutingPosition: put it into brackets"):
        code.paint_all(Color("c"), EASTWARD)
    with pytest.raises(TypeError, match="takes a list of RoutingPosition, not None"):
        code.paint_all(Color("c"), None)
