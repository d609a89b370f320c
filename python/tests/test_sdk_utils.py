import numpy as np
import pytest
from cerebras.sdk import sdk_utils


def test_a_view_shows_and_changes_the_low_bytes():
    words = np.array([[0x11112222, 0x33334444]], dtype=np.uint32)
    view = sdk_utils.memcpy_view(words, np.dtype(np.uint16))
    assert view.shape == (1, 2) and view.tolist() == [[0x2222, 0x4444]]
    view[0, 1] = 7
    assert words[0, 1] == 0x33330007


def test_a_view_of_a_part_is_a_view():
    words = np.arange(12, dtype=np.uint32).reshape(3, 4)
    for part in (words.T, words[:, ::2], words[1:, 3]):
        assert sdk_utils.memcpy_view(part, np.int16).tolist() == part.tolist()
    sdk_utils.memcpy_view(words[:, ::2], np.float16)[0, 1] = 1.5
    assert words[0, 2] == 0x3E00


def test_options_of_the_compiler_name_its_output():
    for options, name in [("--memcpy -o here", "here"), ("-o=x/y", "x/y"), ("--arch wse3", "out")]:
        assert sdk_utils.getOutputNameFromCompileOptions(options) == name


def test_a_view_of_other_sizes_is_refused():
    with pytest.raises(RuntimeError, match="4 bytes per element; this one has 2"):
        sdk_utils.memcpy_view(np.zeros(1, np.uint16), np.uint16)
    with pytest.raises(RuntimeError, match="1, 2 or 4 bytes; float64 has 8"):
        sdk_utils.memcpy_view(np.zeros(1, np.uint32), np.float64)


def test_halves_become_words_with_their_index_above():
    halves = np.array([1, -1, 2, -2], dtype=np.int16)
    assert sdk_utils.input_array_to_u32(halves, None, 2).tolist() == [1, 0xFFFF, 2, 0xFFFE]
    assert sdk_utils.input_array_to_u32(halves, 0, 2).tolist() == [1, 0x1FFFF, 2, 0x1FFFE]


def test_words_stay_as_they_are():
    floats = np.array([1.0], dtype=np.float32)
    assert sdk_utils.input_array_to_u32(floats, None, 1).tolist() == [0x3F800000]


@pytest.mark.parametrize(
    "value, word",
    [
        (np.float16(1.5), 0x3E00),
        (np.int16(-1), 0xFFFF),
        (np.float32(1.0), 0x3F800000),
        (np.int32(-1), 0xFFFFFFFF),
        (7, 7),
        (1.0, 0x3F800000),
    ],
)
def test_numbers_become_words(value, word):
    assert sdk_utils.cast_uint32(value) == word


def test_other_things_have_no_word():
    with pytest.raises(RuntimeError, match="convert a str to a 32-bit word"):
        sdk_utils.cast_uint32("7")


def test_cycles_lie_between_two_48_bit_stamps():
    start, end = [0xFFFF, 0, 1], [1, 1, 1]
    packed = np.array(start + end, dtype=np.uint16).view(np.float32)
    assert sdk_utils.sub_ts(start + end) == 2
    assert sdk_utils.calculate_cycles(packed) == 2


def test_functions_are_listed_with_their_parameters(compiled):
    api = sdk_utils.get_api_info_dict(compiled)
    assert api["combine"][1] == ["i16", "u16", "i32", "u32", "f32"]
    assert api["double_all"] == ([], [])
