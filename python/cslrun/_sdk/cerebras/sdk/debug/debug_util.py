"""Reads memory and traces after a run."""

import os

import numpy as np
from cerebras.sdk.runtime._platform import refuse_system

from cslrun import snapshot


class debug_util:
    """What a stopped run has left. Coordinates are those of the fabric: the program rectangle
    begins at the offsets that were given to cslc."""

    def __init__(self, bindir, cmaddr=None):
        refuse_system(cmaddr)
        self._program, self._snapshot = snapshot.load(os.fspath(bindir))

    def get_symbol(self, col, row, symbol, dtype):
        """The memory of a variable of one PE."""
        return np.frombuffer(self._snapshot.symbol(*self._place(col, row), symbol), dtype=dtype).copy()

    def get_symbol_rect(self, rectangle, symbol, dtype):
        """The memory of a variable of a rectangle ((column, row), (width, height)), by column and row."""
        (col, row), (width, height) = rectangle
        return np.array(
            [[self.get_symbol(col + i, row + j, symbol, dtype) for j in range(height)] for i in range(width)]
        )

    def read_trace(self, col, row, name):
        """The values that a PE has recorded under a name, in order."""
        return self._snapshot.trace(*self._place(col, row), name)

    def _place(self, col, row):
        (dx, dy), (width, height) = self._program.offset, self._program.size
        x, y = col - dx, row - dy
        if not (0 <= x < width and 0 <= y < height):
            raise RuntimeError(
                f"({col}, {row}) is no PE of the program: in the fabric it lies at columns {dx} to "
                f"{dx + width - 1} and rows {dy} to {dy + height - 1}"
            )
        return x, y
