"""Streams between the host and a layout of regions."""

import json

import numpy as np
import pytest
from cerebras.geometry.geometry import IntVector
from cerebras.sdk.runtime.sdkruntimepybind import Edge, Route, RoutingPosition, SdkCompileArtifacts
from layouts import FROM_RAMP, TO_RAMP, adder, answering, compiled, region, running


@pytest.fixture
def streamed(layout):
    """The streams of a region that adds 1."""
    into, out = adder(layout, "add", (2, 1))
    return layout, layout.create_input_stream(into), layout.create_output_stream(out)


@pytest.mark.parametrize("count", [1, 64, 1500])
def test_words_are_sent_and_received(streamed, count):
    layout, into, out = streamed
    runtime = running(layout)
    words, back = np.arange(count, dtype=np.uint32), np.zeros(count, dtype=np.uint32)
    runtime.send(into, words, nonblock=False)
    runtime.receive(out, back, count, nonblock=False)
    np.testing.assert_array_equal(back, words + 1)
    runtime.stop()


def test_a_task_that_waits_for_more_words_may_wait_at_the_end(layout, capfd):
    into, out = answering(region(layout, "serve", "serve", at=(2, 1)))
    into, out = layout.create_input_stream(into), layout.create_output_stream(out)
    runtime = running(layout)
    words, back = np.arange(6, dtype=np.uint32), np.zeros(6, dtype=np.uint32)
    runtime.send(into, words, nonblock=True)
    runtime.receive(out, back, 6)
    np.testing.assert_array_equal(back, words)
    runtime.stop()
    assert "note[deadlock]: the host is done after" in capfd.readouterr().err


def test_words_that_the_host_has_not_received_are_told_at_the_end(streamed, capfd):
    layout, into, out = streamed
    runtime = running(layout)
    words = np.zeros(6, dtype=np.uint32)
    runtime.send(into, np.arange(8, dtype=np.uint32))
    runtime.receive(out, words, 6)
    runtime.stop()
    told = capfd.readouterr().err
    assert "warning[leftover-wavelets]" in told
    assert f"words received from the stream '{out}': 6; words left: 2" in told
    assert "receive all 8 words, or send fewer" in told


def test_words_that_went_to_a_file_are_not_left(streamed, tmp_path, capfd):
    layout, into, out = streamed
    runtime = running(layout)
    runtime.send(into, np.arange(8, dtype=np.uint32))
    runtime.receive_tofile(out, tmp_path / "words.bin", nonblock=True)
    runtime.stop()
    assert "leftover" not in capfd.readouterr().err


def test_streams_have_names_and_numbers(streamed, capsys):
    layout, into, out = streamed
    runtime = running(layout)
    assert (runtime.get_port_id(into), runtime.get_port_id(out), runtime.get_port_id("none")) == (0, 1, None)
    words, back = np.arange(4, dtype=np.int32), np.zeros(4, dtype=np.int32)
    runtime.send(0, words, 4, nonblock=True)
    runtime.task_wait(runtime.receive(1, back, 4, nonblock=True))
    assert back.tolist() == [1, 2, 3, 4]
    runtime.report_port_infos()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines] == [f"0 {into}: to the wafer", f"1 {out}: from the wafer"]
    runtime.stop()


def test_a_port_map_lists_the_streams(streamed):
    layout, into, out = streamed
    compiled(layout)
    buses = json.loads(open("out/out_port_map.json").read())["buses"]
    assert [(bus["port_name"], bus["direction"]) for bus in buses] == [(into, "input"), (out, "output")]
    assert SdkCompileArtifacts("out").add_port_mapping("out/out_port_map.json").path == "out"


def test_parts_of_a_stream_come_in_order(streamed):
    layout, into, out = streamed
    runtime = running(layout)
    parts = [np.zeros(n, dtype=np.uint32) for n in (3, 1, 5)]
    tasks = [runtime.receive(out, part, part.size, nonblock=True) for part in parts]
    assert not runtime.is_task_done(tasks[0])
    runtime.send(into, np.arange(4, dtype=np.uint32), nonblock=True)
    assert [runtime.is_task_done(task) for task in tasks] == [True, True, False]
    runtime.send(into, np.arange(4, 9, dtype=np.uint32))
    runtime.stop()
    assert [part.tolist() for part in parts] == [[1, 2, 3], [4], [5, 6, 7, 8, 9]]


def test_arrays_of_other_types_are_words_by_their_bytes(streamed):
    layout, into, out = streamed
    runtime = running(layout)
    runtime.send(into, np.array([1, 2, 3, 4], dtype=np.uint16), 2, nonblock=True)
    back = np.zeros(4, dtype=np.uint16)
    runtime.receive(out, back, 2, nonblock=True)
    runtime.stop()
    assert back.tolist() == [2, 2, 4, 4]


@pytest.mark.parametrize("nonblock", [False, True])
def test_a_stream_may_go_to_a_file(streamed, tmp_path, nonblock):
    layout, into, out = streamed
    runtime = running(layout)
    runtime.send(into, np.arange(3000, dtype=np.uint32), nonblock=True)
    task = runtime.receive_tofile(out, "words.bin", nonblock=nonblock)
    assert runtime.is_task_done(task) != nonblock
    runtime.stop()
    np.testing.assert_array_equal(np.fromfile(tmp_path / "words.bin", dtype="<u4"), np.arange(1, 3001))


def test_the_place_and_the_buffer_of_a_stream_may_be_chosen(layout):
    into, out = adder(layout, "add", (2, 1), size=2000)
    source = layout.create_input_stream(into, io_loc=IntVector(9, 7), io_buffer_size=4)
    target = layout.create_output_stream(out, IntVector(0, 8), 2)
    compiled(layout)
    buses = {bus["port_name"]: bus for bus in json.loads(open("out/out_port_map.json").read())["buses"]}
    assert [(buses[name]["x"], buses[name]["y"]) for name in (source, target)] == [(9, 7), (0, 8)]
    assert [buses[name]["buffer_size"] for name in (source, target)] == [4, 2]
    runtime = running(layout, SdkCompileArtifacts("out"))
    back = np.zeros(200, dtype=np.uint32)
    runtime.send(source, np.arange(200, dtype=np.uint32), nonblock=True)
    runtime.receive(target, back, 200)
    assert back.tolist() == list(range(1, 201))
    runtime.stop()


def test_streams_begin_and_end_at_painted_routes(layout):
    code = region(layout, "add", "edge", at=(0, 3), step=2)
    rx, tx = code.color("rx"), code.color("tx")
    code.set_param_all(rx)
    code.set_param_all(tx)
    code.paint_all(rx, [RoutingPosition().set_input([Route.WEST]).set_output([Route.RAMP])])
    code.paint_all(tx, [RoutingPosition().set_input([Route.RAMP]).set_output([Route.EAST])])
    into = layout.create_input_stream_from_loc(IntVector(0, 3), rx, prefix="h2d_")
    out = layout.create_output_stream_from_loc(IntVector(0, 3), tx, prefix="d2h_")
    assert (into, out) == ("h2d_edge_rx", "d2h_edge_tx")
    runtime = running(layout)
    back = np.zeros(3, dtype=np.uint32)
    runtime.send(into, np.array([1, 2, 3], dtype=np.uint32))
    runtime.receive(out, back, 3)
    assert back.tolist() == [3, 4, 5]
    runtime.stop()


def test_a_stream_from_a_place_takes_the_port_that_is_there(layout):
    code = region(layout, "add", "edge", at=(4, 4), step=3)
    rx, tx = code.color("rx"), code.color("tx")
    code.set_param_all(rx)
    code.set_param_all(tx)
    code.create_input_port(rx, Edge.TOP, [TO_RAMP], 2)
    code.create_output_port(tx, Edge.TOP, [FROM_RAMP], 2)
    into = layout.create_input_stream_from_loc(IntVector(4, 4), rx)
    out = layout.create_output_stream_from_loc(IntVector(4, 4), tx)
    runtime = running(layout)
    back = np.zeros(2, dtype=np.uint32)
    runtime.send(into, np.array([1, 2], dtype=np.uint32), nonblock=True)
    runtime.receive(out, back, 2, nonblock=True)
    runtime.stop()
    assert back.tolist() == [4, 5]


def test_many_streams_find_places(layout):
    pairs = []
    for n in range(6):
        into, out = adder(layout, f"add_{n}", (3 + 2 * n, 5), n)
        pairs.append((layout.create_input_stream(into), layout.create_output_stream(out)))
    runtime = running(layout)
    backs = [np.zeros(50, dtype=np.uint32) for _ in pairs]
    for (into, out), back in zip(pairs, backs):
        runtime.send(into, np.arange(50, dtype=np.uint32), nonblock=True)
        runtime.receive(out, back, 50, nonblock=True)
    runtime.stop()
    assert [back.tolist() for back in backs] == [list(range(n, n + 50)) for n in range(6)]
