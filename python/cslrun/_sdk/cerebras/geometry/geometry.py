"""Positions and rectangles of PEs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class IntVector:
    """A column and a row."""

    x: int
    y: int


@dataclass(frozen=True)
class IntRectangle:
    """A rectangle: its upper left corner (inclusive) and its lower right corner (exclusive)."""

    origin: IntVector
    end: IntVector

    @property
    def width(self) -> int:
        """Columns."""
        return self.end.x - self.origin.x

    @property
    def height(self) -> int:
        """Rows."""
        return self.end.y - self.origin.y
