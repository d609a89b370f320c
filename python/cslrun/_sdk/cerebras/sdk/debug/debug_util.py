"""Reads memory and traces after a run."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any

import numpy.typing as npt
from cerebras.sdk.runtime._platform import refuse_system

from cslrun import Program, _native, snapshot


class debug_util:
    """The memory and traces of a stopped run. Coordinates are those of the fabric: the program rectangle
    starts at the offsets given to cslc."""

    def __init__(self, bindir: str | os.PathLike[str], cmaddr: str | None = None) -> None:
        refuse_system(cmaddr)
        self._folder = os.path.abspath(bindir)

    @cached_property
    def _left(self) -> tuple[Program, _native.Snapshot]:
        # Scripts make a debug_util before the run whose results they read.
        return snapshot.load(self._folder)

    def get_symbol(self, col: int, row: int, symbol: str, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """The memory of a variable of one PE."""
        _, left = self._left
        return snapshot.elements(left.symbol(*self._place(col, row), symbol), dtype, symbol)

    def get_symbol_rect(
        self, rectangle: tuple[tuple[int, int], tuple[int, int]], symbol: str, dtype: npt.DTypeLike
    ) -> npt.NDArray[Any]:
        """The memory of a variable of a rectangle ((column, row), (width, height)), by column and row."""
        return snapshot.rectangle(rectangle, lambda col, row: self.get_symbol(col, row, symbol, dtype))

    def read_trace(self, col: int, row: int, name: str) -> list[bool | int | float | str]:
        """The values that a PE recorded under a name, in order."""
        _, left = self._left
        return left.trace(*self._place(col, row), name)

    def _place(self, col: int, row: int) -> tuple[int, int]:
        program, _ = self._left
        return snapshot.place(program, col, row)
