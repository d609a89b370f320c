"""Tensors at the edges of the program rectangle: over which link, and in which order, their elements come and go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from cerebras.sdk.runtime import _port_maps

from cslrun import _native, tensors
from cslrun._frames import HIDDEN as __tracebackhide__

_SIDES = {"N": "NORTH", "S": "SOUTH", "E": "EAST", "W": "WEST"}

#: Where a tensor comes and goes: a port map, or a side and a row or column.
Place = str | tuple[str, int]


@dataclass(frozen=True)
class Port:
    """A link at the edge, with the elements of a tensor that cross it."""

    #: The PE inside the rectangle.
    pe: tuple[int, int]
    #: The side of the PE; None if only the routes of the color say it.
    side: str | None
    #: The places of the elements in the flat tensor, in the order of their wavelets.
    elements: npt.NDArray[np.intp]
    #: The index of each on its PE, which an element of 16 bits has in the upper half of its wavelet.
    indices: npt.NDArray[np.intp]


@dataclass(frozen=True)
class EdgeTensor:
    """A tensor that the host sends or receives."""

    name: str
    color: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    ports: list[Port]
    #: Its elements; None if the host receives them.
    values: npt.NDArray[Any] | None = None
    #: The number of the control task that a wavelet behind the elements of each port activates.
    sentinel: int | None = None

    def stream(self, runner: _native.Runner, port: Port) -> int:
        """Connects a port to the edge of the wafer; returns the number of its stream."""
        x, y = port.pe
        to_wafer = self.values is not None
        accepted, left = runner.edge_sides(x, y, self.color)
        sides = accepted if to_wafer else left
        if port.side not in sides if port.side else len(sides) != 1:
            raise RuntimeError(f"{self._called}: {_refusal(self.color, port, sides, to_wafer=to_wafer)}")
        name = self.name if len(self.ports) == 1 else f"{self.name} at PE({x},{y})"
        return runner.add_edge_stream(name, to_wafer, port.pe, port.side or sides[0], self.color)

    def words(self, port: Port) -> npt.NDArray[np.uint32]:
        """The words of the wavelets of a port that the host sends."""
        assert self.values is not None, "the host sends inputs only"
        words = tensors.widen(self.values)[port.elements]
        if self.dtype.itemsize == 2:
            words |= (port.indices & 0xFFFF).astype(np.uint32) << np.uint32(16)
        return words

    @property
    def _called(self) -> str:
        return f"the {'output' if self.values is None else 'input'} tensor '{self.name}'"


def _refusal(color: int, port: Port, sides: list[str], *, to_wafer: bool) -> str:
    """Why a port does not fit the routes of its PE."""
    place = f"PE({port.pe[0]},{port.pe[1]})"
    field, verb = ("rx", "accepts") if to_wafer else ("tx", "sends")
    if port.side:
        way = "from" if to_wafer else "to the"
        return (
            f"no route of color {color} on {place} {verb} wavelets {way} {port.side}; set one with "
            f".{field} = .{{ {port.side} }}, or check the color and the port map"
        )
    if not sides:
        return (
            f"the port map names {place}, which lies in the program rectangle, and color {color} has no route over the "
            "edge there; name the PE next to the rectangle, such as PE[-1, 0]"
        )
    return (
        f"the port map names {place}, which lies in the program rectangle, and color {color} has routes over its edges "
        f"{' and '.join(sides)}; name the PE next to the rectangle, such as PE[-1, 0]"
    )


def checked_color(color: Any) -> int:
    """The number of a color."""
    if isinstance(color, bool) or not isinstance(color, (int, np.integer)):
        raise TypeError(f"a color is a whole number, not {color!r}")
    if not 0 <= color <= 23:
        raise RuntimeError(f"there is no color {color}; colors have the numbers 0 to 23")
    return int(color)


def checked_dtype(name: str, dtype: npt.DTypeLike) -> np.dtype[Any]:
    """A type whose elements fit into wavelets."""
    checked = np.dtype(dtype)
    if checked.kind not in "iuf" or checked.itemsize not in (2, 4):
        raise RuntimeError(
            f"the tensor '{name}' has elements of {checked}; a wavelet holds an integer or float of 16 or 32 bits"
        )
    return checked


def checked_sentinel(sentinel: Any) -> int | None:
    """The number of a control task, or None."""
    if sentinel is None:
        return None
    if isinstance(sentinel, bool) or not isinstance(sentinel, (int, np.integer)):
        raise TypeError(f"a sentinel is the number of a task, not {sentinel!r}")
    if not 0 <= sentinel <= 63:
        raise RuntimeError(f"the sentinel {sentinel} is no number of a task; these are 0 to 63")
    return int(sentinel)


def mapped(portmap: str, size: tuple[int, int]) -> tuple[str, tuple[int, ...], list[Port]]:
    """Name, extents and ports of the tensor of a port map, for a rectangle of this width and height."""
    read = _port_maps.relation(portmap)
    keys = [read.y, read.x, *read.element]
    flat = np.array([key.ravel() for key in keys])
    # The elements of a PE come in the order of their indices, the last index fastest.
    order = np.lexsort(flat[::-1])
    same = (np.diff(flat[:, order], axis=1) == 0).all(axis=0)
    if same.any():
        one, other = (tuple(int(i) for i in np.unravel_index(order[n + at], read.shape)) for at in (0, 1) for n in [same.argmax()])
        raise RuntimeError(f"two elements, {one} and {other}, have the same place: {portmap!r}")
    starts = np.flatnonzero((np.diff(flat[:2, order], axis=1) != 0).any(axis=0)) + 1
    ports = []
    for elements in np.split(order, starts):
        y, x = (int(c) for c in flat[:2, elements[0]])
        pe, side = _link(x, y, size, portmap)
        # Of several indices nothing is known but their order.
        indices = flat[2, elements] if len(read.element) == 1 else np.arange(elements.size)
        ports.append(Port(pe, side, elements, indices))
    return read.name, read.shape, ports


def _link(x: int, y: int, size: tuple[int, int], portmap: str) -> tuple[tuple[int, int], str | None]:
    """The PE inside the rectangle and its side, for the PE of a port map."""
    width, height = size
    if 0 <= x < width and 0 <= y < height:
        return (x, y), None
    if 0 <= y < height and x in (-1, width):
        return ((0, y), "WEST") if x < 0 else ((width - 1, y), "EAST")
    if 0 <= x < width and y in (-1, height):
        return ((x, 0), "NORTH") if y < 0 else ((x, height - 1), "SOUTH")
    raise RuntimeError(
        f"PE[{x},{y}] does not lie next to the program rectangle of {width} x {height} PEs, whose first PE is PE[0,0]: "
        f"{portmap!r}"
    )


def along(side: str, offset: int, shape: tuple[int, ...], size: tuple[int, int]) -> list[Port]:
    """The ports of an array on a side: its first index counts the PEs from an offset on."""
    count = shape[0] if shape else 1
    each = int(np.prod(shape, dtype=np.intp)) // max(count, 1)
    parts = np.arange(count * each).reshape(count, each)
    return [Port(*_on_side(side, offset + n, size), part, np.arange(each)) for n, part in enumerate(parts)]


def at_one(side: str, offset: int, count: int, size: tuple[int, int]) -> list[Port]:
    """The port of a tensor all of whose elements come to one PE of a side."""
    return [Port(*_on_side(side, offset, size), np.arange(count), np.arange(count))]


def _on_side(side: str, at: int, size: tuple[int, int]) -> tuple[tuple[int, int], str]:
    name = _SIDES.get(str(side).upper(), str(side).upper())
    if name not in _SIDES.values():
        raise RuntimeError(f"a side is 'N', 'S', 'E' or 'W', not {side!r}")
    width, height = size
    is_row = name in ("EAST", "WEST")
    if not 0 <= at < (height if is_row else width):
        what = f"{height} rows" if is_row else f"{width} columns"
        raise RuntimeError(f"{'row' if is_row else 'column'} {at} does not exist: the program rectangle has {what}")
    return {
        "WEST": (0, at),
        "EAST": (width - 1, at),
        "NORTH": (at, 0),
        "SOUTH": (at, height - 1),
    }[name], name
