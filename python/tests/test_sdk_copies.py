import numpy as np
import pytest
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkTarget
from conftest import COUNT, HEIGHT, WIDTH
from copies import HALVES, REGION, ROWS, SIZE, read


@pytest.mark.parametrize("nonblock", [False, True])
@pytest.mark.parametrize("order_out", list(MemcpyOrder))
@pytest.mark.parametrize("order_in", list(MemcpyOrder))
@pytest.mark.parametrize("name, data_type", [("words", "MEMCPY_32BIT"), ("shorts", "MEMCPY_16BIT")])
def test_every_order_and_width_finds_each_pe(runtime, name, data_type, order_in, order_out, nonblock):
    options = {"streaming": False, "data_type": MemcpyDataType[data_type], "nonblock": nonblock}
    tensor = np.arange(SIZE, dtype=np.uint32).reshape(HEIGHT, WIDTH, COUNT)
    flat = {MemcpyOrder.ROW_MAJOR: tensor.ravel(), MemcpyOrder.COL_MAJOR: tensor.ravel(order="F")}
    runtime.memcpy_h2d(runtime.get_id(name), flat[order_in], *REGION, COUNT, order=order_in, **options)
    back = np.zeros(SIZE, dtype=np.uint32)
    task = runtime.memcpy_d2h(back, runtime.get_id(name), *REGION, COUNT, order=order_out, **options)
    runtime.task_wait(task)
    np.testing.assert_array_equal(back, flat[order_out])


def test_sixteen_bit_copies_take_the_low_half_and_bring_zeros_above(runtime):
    source = np.full(COUNT, 0xABCD8001, dtype=np.uint32)
    runtime.memcpy_h2d(runtime.get_id("shorts"), source, 0, 0, 1, 1, COUNT, **HALVES)
    assert read(runtime, "shorts", region=(0, 0, 1, 1), **HALVES).tolist() == [0x8001] * COUNT


def test_bits_are_copied_without_conversion(runtime):
    floats = np.array([1.0, -2.5, 0.0, 3.0], dtype=np.float32)
    runtime.memcpy_h2d(runtime.get_id("words"), floats, 1, 1, 1, 1, COUNT, **ROWS)
    assert read(runtime, "words", region=(1, 1, 1, 1)).view(np.float32).tolist() == floats.tolist()


def test_a_part_of_the_rectangle_leaves_the_rest_alone(runtime):
    runtime.memcpy_h2d(runtime.get_id("words"), np.array([9, 8], dtype=np.uint32), 2, 0, 1, 2, 1, **ROWS)
    assert read(runtime, "words", 1).reshape(HEIGHT, WIDTH).tolist() == [[0, 0, 9], [0, 0, 8]]


@pytest.mark.parametrize("order", list(MemcpyOrder))
def test_row_broadcasts_repeat_a_row(runtime, order):
    rows = np.arange(HEIGHT * COUNT, dtype=np.uint32).reshape(HEIGHT, 1, COUNT)
    flat = rows.ravel(order="F" if order == MemcpyOrder.COL_MAJOR else "C")
    runtime.memcpy_h2d_rowbcast(runtime.get_id("words"), flat, *REGION, COUNT, **{**ROWS, "order": order})
    back = read(runtime, "words").reshape(HEIGHT, WIDTH, COUNT)
    np.testing.assert_array_equal(back, np.broadcast_to(rows, back.shape))


@pytest.mark.parametrize("order", list(MemcpyOrder))
def test_column_broadcasts_repeat_a_column(runtime, order):
    columns = np.arange(WIDTH * COUNT, dtype=np.uint32).reshape(1, WIDTH, COUNT)
    flat = columns.ravel(order="F" if order == MemcpyOrder.COL_MAJOR else "C")
    runtime.memcpy_h2d_colbcast(runtime.get_id("words"), flat, *REGION, COUNT, **{**ROWS, "order": order})
    back = read(runtime, "words").reshape(HEIGHT, WIDTH, COUNT)
    np.testing.assert_array_equal(back, np.broadcast_to(columns, back.shape))


def test_strides_skip_pes(runtime):
    values = np.array([5, 6], dtype=np.uint32)
    runtime.memcpy_h2d_stride(runtime.get_id("words"), values, *REGION, 1, 2, 2, **ROWS)
    assert read(runtime, "words", 1).reshape(HEIGHT, WIDTH).tolist() == [[5, 0, 6], [0, 0, 0]]
    with pytest.raises(RuntimeError, match="row_stride or col_stride must be positive"):
        runtime.memcpy_h2d_stride(runtime.get_id("words"), values, *REGION, 1, 0, 2, **ROWS)


def test_arrays_of_more_dimensions_are_taken_as_flat(runtime):
    runtime.memcpy_h2d(runtime.get_id("words"), np.ones((SIZE, 1), dtype=np.uint32), *REGION, COUNT, **ROWS)
    back = np.zeros((SIZE, 1), dtype=np.uint32)
    runtime.memcpy_d2h(back, runtime.get_id("words"), *REGION, COUNT, **ROWS)
    assert back.sum() == SIZE


@pytest.mark.parametrize(
    "array, region, options, text",
    [
        (np.zeros(1, np.uint32), (2, 0, 2, 1), {}, "h2d subrectangle must be inside the core rectangle"),
        (np.zeros(1, np.uint32), (0, 0, 2, 1), {}, "the array has 1 elements, but 2 x 1 PEs of 1 elements make 2"),
        (np.zeros(1, np.uint16), (0, 0, 1, 1), {}, "4 bytes per element, also for MEMCPY_16BIT; uint16 has 2"),
        (np.zeros(1), (0, 0, 1, 1), {}, r"float64 has 8 \(`.astype\(np.float32\)` converts it\)"),
        (np.zeros(1, np.uint32), (0, 0, 1, 1), {"order": 7}, "Illegal order option for memcpy"),
        (np.zeros(1, np.uint32), (0, 0, 1, 1), {"data_type": 7}, "Illegal data type option for memcpy"),
    ],
)
def test_copies_are_checked(runtime, array, region, options, text):
    with pytest.raises(RuntimeError, match=text):
        runtime.memcpy_h2d(runtime.get_id("words"), array, *region, 1, **{**ROWS, **options})


@pytest.mark.parametrize("call", ["memcpy_h2d", "memcpy_h2d_rowbcast", "memcpy_h2d_colbcast", "memcpy_d2h"])
@pytest.mark.parametrize(
    "place, wrong, error, text",
    [
        (0, 0.0, TypeError, "px must be an integer, not 0.0; divide with //"),
        (2, 2 / 2, TypeError, "w must be an integer, not 1.0; divide with //"),
        (4, 8 / 2, TypeError, "elem_per_pe must be an integer, not 4.0; divide with // to get an integer"),
        (4, "4", TypeError, "elem_per_pe must be an integer, not '4'$"),
        (4, -1, RuntimeError, "elem_per_pe must be at least 0, not -1"),
    ],
)
def test_numbers_of_a_copy_are_integers(runtime, call, place, wrong, error, text):
    numbers = [0, 0, 1, 1, 4]
    numbers[place] = wrong
    pair = [runtime.get_id("words"), np.zeros(4, np.uint32)]
    with pytest.raises(error, match=f"memcpy_.2.: {text}"):
        getattr(runtime, call)(*(reversed(pair) if call == "memcpy_d2h" else pair), *numbers, **ROWS)


def test_strides_are_integers(runtime):
    with pytest.raises(TypeError, match="memcpy_h2d_stride: col_stride must be an integer, not 2.0"):
        runtime.memcpy_h2d_stride(runtime.get_id("words"), np.zeros(4, np.uint32), 0, 0, 1, 1, 4, 1, 2.0, **ROWS)


@pytest.mark.parametrize(
    "options, text",
    [
        ({"order": MemcpyDataType.MEMCPY_16BIT}, "order must be a MemcpyOrder, not MemcpyDataType.MEMCPY_16BIT"),
        ({"data_type": MemcpyOrder.ROW_MAJOR}, "data_type must be a MemcpyDataType, not MemcpyOrder.ROW_MAJOR"),
        ({"order": SdkTarget.WSE3}, "order must be a MemcpyOrder"),
        ({"nonblock": MemcpyOrder.ROW_MAJOR}, "memcpy_h2d: nonblock must be True or False, not "),
        ({"streaming": "no"}, "memcpy_h2d: streaming must be True or False, not 'no'"),
        ({"streaming": None}, "streaming must be True or False, not None"),
        ({"nonblock": 2}, "nonblock must be True or False, not 2"),
    ],
)
def test_options_of_a_copy_have_their_types(runtime, options, text):
    with pytest.raises(TypeError, match=text):
        put(runtime, "words", np.zeros(1, np.uint32), **options)


def test_options_may_be_numbers(runtime):
    for options in ({"streaming": 0, "order": 1}, {"nonblock": np.True_, "data_type": 0}, {"nonblock": 1}):
        put(runtime, "words", np.zeros(1, np.uint32), **options)


def test_nonblock_is_true_or_false(runtime):
    with pytest.raises(TypeError, match="launch: nonblock must be True or False, not 'yes'"):
        runtime.launch("double_all", nonblock="yes")
    with pytest.raises(TypeError, match="call: nonblock must be True or False, not None"):
        runtime.call("double_all", [], nonblock=None)


def put(runtime, name, array, count=1, **options):
    runtime.memcpy_h2d(runtime.get_id(name), array, 0, 0, 1, 1, count, **{**ROWS, **options})


def get(runtime, name, array, **options):
    runtime.memcpy_d2h(array, runtime.get_id(name), 0, 0, 1, 1, 1, **{**ROWS, **options})


@pytest.mark.parametrize(
    "way, name, dtype, data_type, text",
    [
        (put, "floats", "int32", 32, "the array is int32, and `floats` is of f32: the bits .*`.astype.np.float32.`"),
        (put, "halves", "float32", 16, "`halves` is of f16: the lower half .*input_array_to_u32.array.astype.np.float16"),
        (put, "shorts", "float32", 16, "`shorts` is of i16: the lower half .*input_array_to_u32.array.astype.np.int16"),
        (put, "floats", "uint32", 16, "MEMCPY_16BIT copies elements of 16 bits, and `floats` is of f32: pass MEMCPY_32BIT"),
        (get, "floats", "int32", 32, "memcpy_d2h: the array is int32, and `floats` .*pass an array of np.float32"),
        (get, "halves", "float32", 16, "memcpy_d2h: .*`halves` is of f16: .*np.uint32, and view it with sdk_utils.memcpy_view"),
        (get, "words", "uint32", 16, "memcpy_d2h: MEMCPY_16BIT copies .*`words` is of u32: pass MEMCPY_32BIT"),
        (get, "shorts", "uint32", 32, "memcpy_d2h: MEMCPY_32BIT copies .*`shorts` is of i16: pass MEMCPY_16BIT"),
    ],
)
def test_arrays_that_do_not_fit_a_variable_are_warned_about(runtime, way, name, dtype, data_type, text):
    with pytest.warns(UserWarning, match=text) as caught:
        way(runtime, name, np.ones(1, dtype), data_type=MemcpyDataType[f"MEMCPY_{data_type}BIT"])
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.filterwarnings("error")
def test_arrays_that_fit_a_variable_are_not_warned_about(runtime):
    for way in (put, get):
        for name, dtype, options in (
            ("floats", "float32", ROWS),
            ("words", "int32", ROWS),
            ("words", "float32", ROWS),
            ("shorts", "int32", HALVES),
            ("halves", "int32", HALVES),
        ):
            way(runtime, name, np.ones(1, dtype), **options)
            # Unsigned words and variables, and views of numbers of another type, hold bits.
            way(runtime, name, np.ones(1, np.uint32), **options)
        way(runtime, "floats", np.ones(1, np.float32).view(np.int32))
        way(runtime, "halves", np.ones((2, 1), np.uint32).view(np.float32)[1], **HALVES)


def test_a_larger_array_is_copied_from_its_start(runtime):
    words = np.arange(100, dtype=np.uint32)
    text = "the array has 98 elements, but 1 x 1 PEs of 4 elements make 4: only the first 4 are copied"
    with pytest.warns(UserWarning, match=text) as caught:
        runtime.memcpy_h2d(runtime.get_id("words"), words[2:], 0, 0, 1, 1, 4, **ROWS)
    assert caught[0].filename == __file__
    assert read(runtime, "words", region=(0, 0, 1, 1)).tolist() == [2, 3, 4, 5]
    with pytest.raises(RuntimeError, match="the array has 5 elements, but 1 x 1 PEs of 4 elements make 4"):
        runtime.memcpy_d2h(np.zeros(5, np.uint32), runtime.get_id("words"), 0, 0, 1, 1, 4, **ROWS)


def test_every_option_of_a_copy_is_needed(runtime):
    some = {name: value for name, value in ROWS.items() if name != "nonblock"}
    with pytest.raises(TypeError, match="nonblock"):
        runtime.memcpy_h2d(runtime.get_id("words"), np.zeros(1, np.uint32), 0, 0, 1, 1, 1, **some)


def test_results_need_an_array_that_can_be_written_in_place(runtime):
    with pytest.raises(RuntimeError, match="writable and contiguous"):
        runtime.memcpy_d2h(np.zeros(4, np.uint32)[::2], runtime.get_id("words"), 0, 0, 1, 1, 2, **ROWS)
    with pytest.raises(TypeError, match="a numpy array, not a list"):
        runtime.memcpy_d2h([0], runtime.get_id("words"), 0, 0, 1, 1, 1, **ROWS)


def test_a_copy_beyond_the_end_of_a_variable_names_the_pe(runtime):
    with pytest.raises(RuntimeError, match=r"PE\(1,0\)"):
        words = np.zeros(COUNT + 1, np.uint32)
        runtime.memcpy_h2d(runtime.get_id("words"), words, 1, 0, 1, 1, COUNT + 1, **ROWS)


@pytest.mark.filterwarnings("ignore:.*MEMCPY_32BIT copies")
def test_a_copy_of_32_bits_into_16_names_the_type_of_copy(runtime):
    with pytest.raises(RuntimeError, match="if the elements of `shorts` have 16 bits, copy with MEMCPY_16BIT"):
        runtime.memcpy_h2d(runtime.get_id("shorts"), np.zeros(COUNT, np.uint32), 0, 0, 1, 1, COUNT, **ROWS)


def test_reading_past_the_end_of_a_variable_is_a_warning(runtime, capfd):
    read(runtime, "words", COUNT + 1, (1, 0, 1, 1))
    runtime.stop()
    assert "warning[copy-out-of-bounds]" in capfd.readouterr().err


def test_a_result_that_nobody_keeps_is_a_warning(runtime, recwarn):
    words, kept = runtime.get_id("words"), np.zeros((HEIGHT, WIDTH, COUNT), dtype=np.uint32)
    order, data_type = MemcpyOrder.ROW_MAJOR, MemcpyDataType.MEMCPY_32BIT

    def into(array):
        runtime.memcpy_d2h(array, words, *REGION, COUNT, **ROWS)

    into(kept.flatten())
    listed = [kept]
    runtime.memcpy_d2h(kept, words, 0, 0, WIDTH, HEIGHT, COUNT, streaming=False, order=order, data_type=data_type, nonblock=False)
    runtime.memcpy_d2h(listed[0], words, 0, 0, WIDTH, HEIGHT, COUNT, streaming=False, order=order, data_type=data_type, nonblock=False)
    runtime.memcpy_d2h(kept.ravel(), words, 0, 0, WIDTH, HEIGHT, COUNT, streaming=False, order=order, data_type=data_type, nonblock=False)
    assert not recwarn.list
    with pytest.warns(UserWarning, match="goes into a temporary array and is lost: pass an array that the script keeps"):
        runtime.memcpy_d2h(kept.flatten(), words, 0, 0, WIDTH, HEIGHT, COUNT, streaming=False, order=order, data_type=data_type, nonblock=False)
