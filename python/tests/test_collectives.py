"""The collective operations of `<collectives_2d/pe>` against numpy: sizes of the rectangle, every
root, several counts, rows and columns, both widths of floats."""

import numpy as np
import pytest
from conftest import PROGRAMS

import cslrun

ROOM = 80
BROADCAST, SCATTER, GATHER, REDUCE_FADDS, REDUCE_FADDH = range(5)


@pytest.fixture(params=[("wse2", 1, 1), ("wse2", 2, 3), ("wse2", 5, 4), ("wse3", 3, 2), ("wse3", 7, 1), ("wse3", 4, 6)])
def grid(request):
    """A runner, and the number of columns and rows."""
    arch, width, height = request.param
    program = cslrun.compile(PROGRAMS / "collectives.csl", arch=arch, params={"width": width, "height": height})
    return cslrun.Runner(program), width, height


def expected(kind, mine, result, root, count):
    """What the lines along the first axis of `mine` and `result` hold after an operation."""
    mine, result, size = mine.copy(), result.copy(), mine.shape[0]
    match kind:
        case 0:
            mine[:, :, :count] = mine[root, :, :count]
        case 1:
            for place in range(size):
                result[place, :, :count] = mine[root, :, place * count : (place + 1) * count]
        case 2:
            blocks = mine[:, :, :count].transpose(1, 0, 2)
            result[root, :, : size * count] = blocks.reshape(blocks.shape[0], -1)
        case _:
            result[root, :, :count] = mine[:, :, :count].sum(axis=0)
    return mine, result


def perform(runner, kind, function, root, count, values):
    """Runs an operation on the rows or columns of `values`; what it leaves in both buffers."""
    source, target = ("my_halves", "half_result") if kind == REDUCE_FADDH else ("mine", "result")
    bits = values.view(np.uint32) if values.dtype == np.float32 else values
    runner.copy_in(source, bits)
    runner.copy_in(target, np.zeros_like(bits))
    runner.launch(function, kind, root, count)
    return tuple(runner.copy_out(name, ROOM).view(values.dtype) for name in (source, target))


@pytest.mark.parametrize("kind", [BROADCAST, SCATTER, GATHER, REDUCE_FADDS, REDUCE_FADDH])
@pytest.mark.parametrize("function", ["row_operation", "column_operation"])
def test_collectives_do_what_numpy_does(grid, kind, function):
    runner, width, height = grid
    is_row = function == "row_operation"
    random = np.random.default_rng(width * 100 + height * 10 + kind)
    dtype = {REDUCE_FADDS: np.float32, REDUCE_FADDH: np.float16}.get(kind, np.uint32)
    # Small integers are exact in both widths, in whatever order they are added.
    top = 16 if kind in (REDUCE_FADDS, REDUCE_FADDH) else 2**32
    for root in range(width if is_row else height):
        for count in (0, 1, 2, 5, 11):
            values = random.integers(0, top, (height, width, ROOM)).astype(dtype)
            # Lines along the first axis: the place in the line, then which line.
            lines = values.swapaxes(0, 1) if is_row else values
            wanted = expected(kind, lines, np.zeros_like(lines), root, count)
            found = perform(runner, kind, function, root, count, values)
            for want, have in zip(wanted, found, strict=True):
                np.testing.assert_array_equal(have.swapaxes(0, 1) if is_row else have, want)
