"""Positions and rectangles of PEs."""

from __future__ import annotations

import operator
from dataclasses import dataclass


@dataclass(frozen=True)
class IntVector:
    """A column and a row."""

    x: int
    y: int

    def __post_init__(self) -> None:
        for name in ("x", "y"):
            value = getattr(self, name)
            try:
                # Integers of numpy become those of Python.
                object.__setattr__(self, name, operator.index(value))
            except TypeError:
                raise TypeError(f"IntVector: {name} must be an integer, not {value!r}") from None


@dataclass(frozen=True)
class IntRectangle:
    """A rectangle: its upper left corner (inclusive) and its lower right corner (exclusive)."""

    origin: IntVector
    end: IntVector

    def __post_init__(self) -> None:
        for name in ("origin", "end"):
            value = getattr(self, name)
            if not isinstance(value, IntVector):
                raise TypeError(f"IntRectangle: {name} must be an IntVector, not {value!r}")

    @property
    def width(self) -> int:
        """Columns."""
        return self.end.x - self.origin.x

    @property
    def height(self) -> int:
        """Rows."""
        return self.end.y - self.origin.y
