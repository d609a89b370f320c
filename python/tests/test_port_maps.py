"""Port maps of releases before 1.0."""

import numpy as np
import pytest
from cerebras.sdk.runtime import runtime_utils
from cerebras.sdk.runtime.runtime_utils import convert_input_tensor, format_output_tensor, prepare_output_tensor

from cslrun import tensors


def test_a_tensor_is_spread_over_pes():
    tensor = np.arange(24, dtype=np.float32).reshape(6, 4)
    portmap = "{ A[i=0:5][j=0:3] -> [PE[i // 3, 2] -> index[i % 3, j]] }"
    *region, data = convert_input_tensor(portmap, tensor)
    assert region == [0, 2, 2, 1, 12]
    by_pe = tensors.by_pe(data.view(np.float32), *region[2:], column_major=False)
    np.testing.assert_array_equal(by_pe[0], tensor.reshape(2, 12))


def test_columns_and_rows_are_expressions():
    tensor = np.arange(12, dtype=np.uint32).reshape(4, 3)
    *region, data = convert_input_tensor("{A[i = 0:3][j = 0:2] -> [PE[4 + i % 2, -(i // 2) + 2*3 - 4] -> idx[2 - j]]}", tensor)
    assert region == [4, 1, 2, 2, 3]
    assert data.reshape(2, 2, 3).tolist() == [[[8, 7, 6], [11, 10, 9]], [[2, 1, 0], [5, 4, 3]]]


@pytest.mark.parametrize("dtype", [np.float16, np.int16, np.float32])
def test_what_goes_in_comes_out(dtype):
    tensor = np.arange(-6, 6).astype(dtype).reshape(3, 4)
    portmap = "{ A[i=0:2][j=0:3] -> [PE[j, i] -> index[0]] }"
    *region, data = convert_input_tensor(portmap, tensor)
    *same, room = prepare_output_tensor(portmap, dtype)
    assert same == region and room.shape == data.shape and room.dtype == np.uint32
    back = format_output_tensor(portmap, dtype, data)
    assert back.dtype == dtype
    np.testing.assert_array_equal(back, tensor)


def test_an_index_can_begin_anywhere():
    portmap = "{ A[i=2:4] -> [PE[i, 0] -> index[0]] }"
    assert prepare_output_tensor(portmap, np.float32)[:5] == (2, 0, 3, 1, 1)


def test_a_second_brace_at_the_end_is_no_mistake():
    portmap = "{ A[i=0:2] -> [PE[i, 0] -> index[0]]}}"
    assert prepare_output_tensor(portmap, np.float32)[:5] == (0, 0, 3, 1, 1)


def test_an_index_without_an_end_has_one_value():
    tensor = np.arange(4, dtype=np.float32).reshape(4, 1)
    portmaps = [f"{{ x[i=0:3][j={j}] -> [PE[i // 2, j] -> index[i % 2]] }}" for j in ("0", " 0 : 0 ")]
    one, other = [convert_input_tensor(portmap, tensor) for portmap in portmaps]
    assert one[:5] == other[:5] == (0, 0, 2, 1, 2)
    assert one[5].view(np.float32).tolist() == other[5].view(np.float32).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("portmap, text", [
    ("A -> B", "not 'A -> B'"),
    ("{ A[i] -> [PE[i, 0] -> index[0]] }", "a port map looks like { A"),
    ("{ A[i=0:3][j] -> [PE[i, 0] -> index[0]] }", "a port map looks like { A"),
    ("{ A[i=0:3] -> [PE[i] -> index[0]] }", "the column and the row"),
    ("{ A[i=0:3] -> [PE[k, 0] -> index[0]] }", "may contain i, numbers.*not 'k'"),
    ("{ A[i=0:3] -> [PE[i / 2, 0] -> index[0]] }", "not 'i / 2'"),
    ("{ A[i=0:3] -> [PE[__import__('os').getpid(), 0] -> index[0]] }", "not "),
    ("{ A[i=0:2] -> [PE[i, 0] -> index[0]] }", r"the shape \(4,\), but the port map has \(3,\)"),
])
def test_other_texts_are_refused(portmap, text):
    with pytest.raises(RuntimeError, match=text):
        convert_input_tensor(portmap, np.zeros(4, np.float32))


def test_the_old_module_has_the_new_helpers():
    assert runtime_utils.memcpy_view(np.zeros(1, np.uint32), np.int16).dtype == np.int16


def test_the_low_halves_of_words_are_an_array_of_their_own():
    words = np.array([0x10007, 0x2FFFF], np.uint32)
    low = runtime_utils.output_array_from_u32(words, np.int16)
    low[0] = 9
    assert low.tolist() == [9, -1] and words[0] == 0x10007
