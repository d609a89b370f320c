import numpy as np
import pytest
from cerebras.geometry.geometry import IntVector
from cerebras.sdk.runtime.sdkruntimepybind import (
    Edge,
    MemcpyDataType,
    MemcpyOrder,
    Route,
    RoutingPosition,
    SdkLayout,
    SdkRuntime,
    SdkTarget,
    get_platform,
)
from layouts import TO_RAMP, adder, collector, compiled, refuses, region, running, sender

WORDS = np.array([[1, 2, 3]], dtype=np.uint32)


# Streams


def test_streams_take_ports_of_one_pe_and_of_the_right_kind(layout):
    wide, (into, out) = collector(layout, "wide", 4, (3, 0), height=2), adder(layout, "add", (1, 4))
    with pytest.raises(RuntimeError, match="takes a port of 1 PE, but input port 'wide_rx' of code region 'wide' has 2"):
        layout.create_input_stream(wide)
    with pytest.raises(RuntimeError, match="create_input_stream.. takes an input port; this is output port 'add_tx'"):
        layout.create_input_stream(out)
    with pytest.raises(RuntimeError, match="create_output_stream.. takes an output port; this is input port 'add_rx'"):
        layout.create_output_stream(into)
    with pytest.raises(RuntimeError, match="the buffer of a stream has 1 to 65535 words, not 0"):
        layout.create_input_stream(into, io_buffer_size=0)


def test_places_of_streams_are_checked(layout):
    into, out = adder(layout, "add", (1, 4))
    with pytest.raises(TypeError, match="as an IntVector"):
        layout.create_input_stream(into, (0, 0))
    with pytest.raises(RuntimeError, match="is not valid"):
        layout.create_input_stream(into, IntVector(-1, 0))
    layout.create_input_stream(into, IntVector(1, 4))
    refuses(layout, "the io_loc (1, 4) of stream 'add_rx' is in use by a code region or another stream")


def test_two_streams_do_not_share_a_place(layout):
    into, out = adder(layout, "add", (1, 4))
    layout.create_input_stream(into, IntVector(5, 5))
    layout.create_output_stream(out, IntVector(5, 5))
    refuses(layout, "the io_loc (5, 5) of stream 'add_tx' is in use by a code region or another stream")


def test_a_stream_from_a_place_needs_a_region_and_a_route(layout):
    code = region(layout, "add", "add", at=(1, 1))
    rx, tx = code.color("rx"), code.color("tx")
    code.set_param_all(rx)
    code.set_param_all(tx)
    layout.create_input_stream_from_loc(IntVector(1, 1), rx)
    refuses(layout, "stream 'add_rx' has no path into PE(1,1): no route of color 'add_rx' there receives it from a neighbour")
    code.paint_all(rx, [RoutingPosition().set_input([Route.WEST]).set_output([Route.RAMP])])
    layout.create_output_stream_from_loc(IntVector(9, 9), tx)
    refuses(layout, "the place (9, 9) of stream 'add_tx' is not valid: there is no code region")


def test_an_odd_number_of_words_to_the_host_is_worth_a_warning(layout):
    _, out = adder(layout, "add", (1, 4), size=3)
    with pytest.warns(UserWarning, match="output port 'add_tx' .* has 3 wavelets: .* even number"):
        layout.create_output_stream(out)


# Running


@pytest.fixture
def streamed(layout):
    into, out = adder(layout, "add", (2, 1))
    names = layout.create_input_stream(into, io_buffer_size=8), layout.create_output_stream(out, io_buffer_size=8)
    return running(layout), *names


def test_a_layout_runs_without_memcpy(layout):
    region(layout, "blocks", "blocks")
    with pytest.raises(RuntimeError, match="does not support programs without memcpy; pass memcpy_required=False"):
        SdkRuntime(compiled(layout), get_platform(target=layout._target))


def test_a_layout_runs_on_its_own_machine(layout):
    region(layout, "blocks", "blocks")
    (other,) = set(SdkTarget) - {layout._target}
    text = f"compiled for {layout._target.name}, but the platform is a {other.name}: give this platform to SdkLayout, or run on"
    with pytest.raises(RuntimeError, match=text):
        SdkRuntime(compiled(layout), get_platform(target=other), memcpy_required=False)


def test_copies_to_a_layout_are_told_to_use_streams(streamed):
    runtime, _, _ = streamed
    words = np.zeros(1, np.uint32)
    options = {
        "streaming": False,
        "order": MemcpyOrder.ROW_MAJOR,
        "data_type": MemcpyDataType.MEMCPY_32BIT,
        "nonblock": False,
    }
    with pytest.raises(RuntimeError, match=r"memcpy_h2d needs .* an SdkLayout: use send\(\) .* create_input_stream\(\)"):
        runtime.memcpy_h2d(1, words, 0, 0, 1, 1, 1, **options)
    with pytest.raises(RuntimeError, match=r"memcpy_d2h needs .* use receive\(\) .* create_output_stream\(\)"):
        runtime.memcpy_d2h(words, 1, 0, 0, 1, 1, 1, **options)
    runtime.stop()


def test_streams_go_one_way_and_have_names(streamed):
    runtime, into, out = streamed
    words = np.zeros(2, dtype=np.uint32)
    with pytest.raises(RuntimeError, match="there is no port 'x'; the program has add_rx, add_tx"):
        runtime.send("x", words)
    with pytest.raises(RuntimeError, match="there is no port 7"):
        runtime.receive(7, words, 2)
    with pytest.raises(RuntimeError, match=r"send\(\) on port 'add_tx', which carries words from the wafer; use receive"):
        runtime.send(out, words)
    with pytest.raises(RuntimeError, match=r"receive\(\) on port 'add_rx', which carries words to the wafer; use send"):
        runtime.receive(into, words, 2)
    runtime.stop()
    with pytest.raises(RuntimeError, match="must be running"):
        runtime.send(into, words)


def test_arrays_hold_as_many_wavelets_as_are_asked_for(streamed):
    runtime, into, out = streamed
    with pytest.raises(TypeError, match=r"an array of float64: convert it with `.astype\(np.float32\)`, or pass how many"):
        runtime.send(into, np.zeros(2))
    with pytest.raises(TypeError, match="an array of uint16: pass how many words of 32 bits its bytes are as n_wavelets"):
        runtime.send(into, np.zeros(2, dtype=np.uint16))
    with pytest.raises(RuntimeError, match="3 wavelets have 12 bytes, but the array has 8"):
        runtime.send(into, np.zeros(2, dtype=np.uint32), 3)
    with pytest.raises(RuntimeError, match="3 wavelets have 12 bytes, but the array has 4"):
        runtime.receive(out, np.zeros(2, dtype=np.uint16), 3)
    with pytest.raises(TypeError, match="takes a number of wavelets"):
        runtime.receive(out, np.zeros(2, dtype=np.uint32), -1)
    with pytest.raises(RuntimeError, match="must be writable and contiguous"):
        runtime.receive(out, np.zeros(4, dtype=np.uint32)[::2], 2)
    runtime.stop()


def test_a_port_is_no_stream(layout):
    into, out = adder(layout, "add", (1, 4))
    layout.create_input_stream(into)
    layout.create_output_stream(out)
    runtime = running(layout)
    with pytest.raises(TypeError, match="pass the name that create_input_stream.. has returned; the program has add_rx, add_tx"):
        runtime.send(into, np.zeros(2, dtype=np.uint32))
    runtime.stop()


def test_a_port_without_a_stream_is_told_where_the_words_end(layout):
    into, out = adder(layout, "add", (1, 4))
    name = layout.create_output_stream(out)
    with pytest.warns(UserWarning, match="input port 'add_rx' of code region 'add' .PE.1,4.. is not connected"):
        runtime = running(layout)
    with pytest.raises(RuntimeError, match="check the routes of color .: they must lead from a sender to PE.1,4."):
        runtime.receive(name, np.zeros(2, dtype=np.uint32), 2)


def test_words_that_never_come_are_a_deadlock(streamed):
    runtime, into, out = streamed
    runtime.send(into, np.zeros(2, dtype=np.uint32), nonblock=True)
    text = r"deadlock(?s:.*)the stream 'add_tx' from the wafer \(color \d, PE\(0,\d\)\)(?s:.*)after 2 of 3 words the program must send more"
    with pytest.raises(RuntimeError, match=text):
        runtime.receive(out, np.zeros(3, dtype=np.uint32), 3)
    with pytest.raises(RuntimeError, match="deadlock"):
        runtime.stop()


def test_words_that_nobody_takes_are_a_deadlock(streamed):
    # Every word is answered, and nobody asks for the answers.
    runtime, into, out = streamed
    runtime.send(into, np.zeros(500, dtype=np.uint32), nonblock=True)
    with pytest.raises(RuntimeError, match="(?s)deadlock.*the stream 'add_rx' to the wafer.* of 500 words the program must receive more"):
        runtime.stop()


def test_a_send_without_room_warns_and_goes_on(streamed):
    runtime, into, out = streamed
    back = np.zeros(500, dtype=np.uint32)
    with pytest.warns(UserWarning, match=r"send\(\) would not return: .* of 500 words the program must receive more"):
        runtime.send(into, np.zeros(500, dtype=np.uint32), nonblock=False)
    runtime.receive(out, back, 500)
    runtime.stop()
    assert back.tolist() == [1] * 500


def test_a_stream_that_goes_to_a_file_is_not_received(streamed, tmp_path):
    runtime, into, out = streamed
    runtime.receive_tofile(out, "words.bin", nonblock=True)
    with pytest.raises(RuntimeError, match="the data of port 'add_tx' go to a file"):
        runtime.receive(out, np.zeros(1, dtype=np.uint32), 1)
    runtime.stop()
    assert (tmp_path / "words.bin").read_bytes() == b""


def test_an_operation_that_cannot_end_is_told_at_the_end(layout, capfd):
    code = region(layout, "collect", "target", at=(3, 0), count=5)
    rx = code.color("rx")
    code.set_param_all(rx)
    layout.connect(sender(layout, "source", WORDS, (0, 0)), code.create_input_port(rx, Edge.LEFT, [TO_RAMP], 3))
    runtime = running(layout)
    runtime.stop()
    assert "stopped after 3 of 5" in capfd.readouterr().err
