import numpy as np
import pytest
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder
from conftest import PROGRAMS, call, command, started

WIDTH, IN, OUT = 3, 4, 5
STREAM = {"streaming": True, "data_type": MemcpyDataType.MEMCPY_32BIT}


@pytest.fixture(params=[(arch, layout) for arch in ("wse2", "wse3") for layout in ("stream.csl", "stream_ids.csl", "old_stream.csl")])
def runtime(tmp_path, monkeypatch, request):
    monkeypatch.chdir(tmp_path)
    arch, layout = request.param
    params = f"--params=width:{WIDTH},in_id:{IN},out_id:{OUT}"
    done = call([command("cslc"), f"--arch={arch}", str(PROGRAMS / layout), params, "--memcpy"])
    assert done.returncode == 0, done.stderr
    yield from started("out")


@pytest.mark.parametrize("order", list(MemcpyOrder))
@pytest.mark.parametrize("count", [1, 14])
def test_words_go_to_their_pe_and_come_back_in_order(runtime, order, count):
    words = np.arange(WIDTH * count, dtype=np.uint32)
    back = np.zeros_like(words)
    runtime.memcpy_h2d(IN, words, 0, 0, WIDTH, 1, count, order=order, nonblock=True, **STREAM)
    runtime.memcpy_d2h(back, OUT, 0, 0, WIDTH, 1, count, order=order, nonblock=False, **STREAM)
    runtime.stop()
    np.testing.assert_array_equal(back, 2 * words)


def test_a_stream_that_nobody_sends_is_reported(runtime):
    back = np.zeros(1, dtype=np.uint32)
    with pytest.raises(RuntimeError, match=r"deadlock(?s:.*)the host is blocked on the stream of color 5 from 1 x 1 PEs at \(0,0\), 1 word each"):
        runtime.memcpy_d2h(back, OUT, 0, 0, 1, 1, 1, order=MemcpyOrder.ROW_MAJOR, nonblock=False, **STREAM)


def test_answers_that_are_missing_are_blamed_on_the_words_that_the_host_has_not_sent(runtime):
    words, back = np.zeros(WIDTH * 3, dtype=np.uint32), np.zeros(WIDTH * 4, dtype=np.uint32)
    options = {"order": MemcpyOrder.ROW_MAJOR, **STREAM}
    runtime.memcpy_h2d(IN, words, 0, 0, WIDTH, 1, 3, nonblock=True, **options)
    text = (
        r"PE\(0,0\) has sent 3 wavelets of color 5 to the host here, in a task that runs once for each wavelet of color 4"
        r"(?s:.*)send more wavelets of color 4 to PE\(0,0\), or let the host ask for fewer words"
    )
    with pytest.raises(RuntimeError, match=text):
        runtime.memcpy_d2h(back, OUT, 0, 0, WIDTH, 1, 4, nonblock=False, **options)


def test_a_stream_that_nobody_takes_is_reported(runtime):
    # Every PE answers each word, and nobody takes the answers.
    words = np.zeros(WIDTH * 1000, dtype=np.uint32)
    with pytest.raises(RuntimeError, match=r"deadlock(?s:.*)the host is blocked on the stream of color 4 to 3 x 1 PEs at \(0,0\), 1,000 words each"):
        runtime.memcpy_h2d(IN, words, 0, 0, WIDTH, 1, 1000, order=MemcpyOrder.ROW_MAJOR, nonblock=False, **STREAM)


@pytest.mark.parametrize("given", [WIDTH * 4 - 1, 0])
def test_streams_of_another_size_are_refused_before_they_hang(runtime, given):
    words = np.zeros(given, dtype=np.uint32)
    text = f"the array has {given} elements, but {WIDTH} x 1 PEs of 4 elements make {WIDTH * 4}"
    options = {"order": MemcpyOrder.ROW_MAJOR, "nonblock": False, **STREAM}
    with pytest.raises(RuntimeError, match=text):
        runtime.memcpy_h2d(IN, words, 0, 0, WIDTH, 1, 4, **options)
    with pytest.raises(RuntimeError, match=text):
        runtime.memcpy_d2h(words, OUT, 0, 0, WIDTH, 1, 4, **options)


@pytest.mark.parametrize("color, text", [(OUT, "color"), (9, "color"), ("x", "needs a color, 0 to 23; 'x' is not one")])
def test_only_colors_of_the_program_can_be_streamed(runtime, color, text):
    one = np.zeros(1, dtype=np.uint32)
    with pytest.raises(RuntimeError, match=text):
        runtime.memcpy_h2d(color, one, 0, 0, 1, 1, 1, order=MemcpyOrder.ROW_MAJOR, nonblock=False, **STREAM)


def test_only_colors_of_the_program_can_be_read(runtime):
    one = np.zeros(1, dtype=np.uint32)
    with pytest.raises(RuntimeError, match="color"):
        runtime.memcpy_d2h(one, IN, 0, 0, 1, 1, 1, order=MemcpyOrder.ROW_MAJOR, nonblock=False, **STREAM)
