import numpy as np
import pytest
from cslrun import tensors

W, H, L = 3, 2, 4


def test_by_rows_the_elements_of_a_pe_are_neighbours():
    tensor = tensors.by_pe(np.arange(W * H * L), W, H, L, column_major=False)
    assert tensor[1, 2].tolist() == [20, 21, 22, 23]


def test_by_columns_the_first_elements_of_all_pes_come_first():
    flat = np.zeros(W * H * L, dtype=int)
    for y in range(H):
        for x in range(W):
            for k in range(L):
                flat[(k * W + x) * H + y] = 100 * y + 10 * x + k
    tensor = tensors.by_pe(flat, W, H, L, column_major=True)
    assert tensor[1, 2].tolist() == [120, 121, 122, 123]


def test_flat_is_the_inverse_of_by_pe():
    flat = np.arange(W * H * L)
    for column_major in (False, True):
        tensor = tensors.by_pe(flat, W, H, L, column_major=column_major)
        assert tensors.flat(tensor, column_major=column_major).tolist() == flat.tolist()


def test_words_keep_the_bits_of_narrow_elements():
    halves = np.array([1.5, -2.0], dtype=np.float16)
    words = tensors.widen(halves)
    assert words.dtype == np.uint32 and words.tolist() == [0x3E00, 0xC000]
    assert tensors.narrow(words, np.float16).tolist() == [1.5, -2.0]


def test_narrowing_drops_the_upper_half():
    assert tensors.narrow(np.array([0xABCDFFFF], dtype=np.uint32), np.int16).tolist() == [-1]


def test_complex_numbers_fit_no_type():
    with pytest.raises(TypeError, match="complex numbers do not fit float32: copy their real and imaginary parts"):
        tensors.converted(np.ones(2) * 1j, np.float32)
