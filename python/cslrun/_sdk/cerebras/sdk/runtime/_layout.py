"""Layouts built from Python: their names, which refuse to work and say so."""

from enum import IntEnum


class Edge(IntEnum):
    """A side of a code region."""

    TOP = 0
    BOTTOM = 1
    LEFT = 2
    RIGHT = 3


class Route(IntEnum):
    """A port of a router."""

    RAMP = 0
    EAST = 1
    WEST = 2
    NORTH = 3
    SOUTH = 4


class FP16TYPE(IntEnum):
    """A format of 16-bit floats."""

    F16 = 0
    BF16 = 1
    CB16 = 2


def _refuse():
    raise RuntimeError(
        "SdkLayout is not supported by cslrun yet; write the layout as a `layout` block in CSL and compile it with cslc"
    )


class _Unsupported:
    def __init__(self, *_args, **_kwargs):
        _refuse()


class SdkLayout(_Unsupported):
    """A layout built from Python."""


class CodeRegion(_Unsupported):
    """A rectangle of PEs with the same code."""


class Color(_Unsupported):
    """A color of such a layout."""


class RoutingPosition(_Unsupported):
    """A route of such a layout."""


class EdgeRouteInfo(_Unsupported):
    """Routes along an edge."""


def get_edge_routing(*_args, **_kwargs):
    """Routes along an edge."""
    _refuse()
