"""`<kernels/fft/fft3d>` against numpy."""

import numpy as np
import pytest
from conftest import PROGRAMS

import cslrun

NORMS = ["backward", "ortho", "forward"]


def blocks(values, width):
    """What each PE holds of A[y][x][z]: an array [py][px] of real and imaginary parts by z, y, x."""
    pencils = values.shape[0] // width
    parts = np.stack([values.real, values.imag], axis=-1)
    split = parts.reshape(width, pencils, width, pencils, -1, 2)
    return split.transpose(0, 2, 4, 1, 3, 5).reshape(width, width, -1)


def whole(held, size):
    """The inverse of [blocks]."""
    width = held.shape[0]
    pencils = size // width
    split = held.astype(np.float64).reshape(width, width, size, pencils, pencils, 2)
    parts = split.transpose(0, 3, 1, 4, 2, 5).reshape(size, size, size, 2)
    return parts[..., 0] + 1j * parts[..., 1]


@pytest.mark.parametrize("norm", [0, 1, 2])
@pytest.mark.parametrize("arch, size, width, dtype", [
    ("wse2", 4, 2, np.float32),
    ("wse3", 8, 2, np.float32),
    ("wse3", 4, 4, np.float16),
    ("wse2", 2, 1, np.float16),
])
def test_transforms_are_those_of_numpy(arch, size, width, dtype, norm):
    params = {"N": size, "width": width, "is_wide": dtype == np.float32}
    runner = cslrun.Runner(cslrun.compile(PROGRAMS / "fft.csl", arch=arch, params=params))
    angles = 2 * np.pi * np.arange(size // 2) / size
    runner.copy_in("twiddle_array", np.stack([np.cos(angles), np.sin(angles)], axis=-1).ravel().astype(dtype))
    random = np.random.default_rng(size + norm)
    values = random.random((size, size, size)) + 1j * random.random((size, size, size))
    close = {"rtol": 1e-4, "atol": 1e-4} if dtype == np.float32 else {"rtol": 0.02, "atol": 0.1}

    def transformed(name, arguments, values):
        runner.copy_in("X", blocks(values, width).astype(dtype))
        runner.launch(name, *arguments)
        return whole(runner.copy_out("X", 2 * size * (size // width) ** 2), size)

    there = np.fft.fftn(values, norm=NORMS[norm])
    np.testing.assert_allclose(transformed("csfftExecC2C", (norm, 0), values), there, **close)
    back = np.fft.ifftn(values, norm=NORMS[norm])
    np.testing.assert_allclose(transformed("csfftExecC2C", (norm, 1), values), back, **close)
    of_reals = np.fft.fftn(values.real, norm=NORMS[norm])
    np.testing.assert_allclose(transformed("csfftExecR2C", (norm,), values.real + 0j), of_reals, **close)
    np.testing.assert_allclose(transformed("csfftExecC2R", (norm,), of_reals), values.real, **close)
    assert runner.copy_out("fft_time", 2).reshape(-1, 2)[:, 0].min() > 0
