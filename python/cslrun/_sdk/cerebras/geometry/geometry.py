"""Places and rectangles of PEs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class IntVector:
    """A column and a row."""

    x: int
    y: int


@dataclass(frozen=True)
class IntRectangle:
    """From the upper left corner to the lower right one, which does not belong to it."""

    origin: IntVector
    end: IntVector

    @property
    def width(self):
        """Columns."""
        return self.end.x - self.origin.x

    @property
    def height(self):
        """Rows."""
        return self.end.y - self.origin.y
