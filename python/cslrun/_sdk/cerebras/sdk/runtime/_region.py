"""Code regions and their ports."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from cerebras.geometry.geometry import IntRectangle, IntVector
from cerebras.sdk.runtime._routes import (
    Color,
    Edge,
    EdgeRouteInfo,
    RoutingPosition,
    checked_color,
    checked_edge,
    is_integer,
    positions,
)

from cslrun import tensors

if TYPE_CHECKING:
    from cerebras.sdk.runtime._layout import SdkLayout

#: Column, row, width and height in PEs of a code region.
_Area = tuple[int, int, int, int]

#: Types of the data that a variable can be given.
_SYMBOL_TYPES = (np.int16, np.uint16, np.float16, np.int32, np.uint32, np.float32)

#: What the compiler computes with.
_LARGEST_PARAM = 2**127 - 1

#: Columns and rows are counted in 16 bits.
_LAST_COORDINATE = 0xFFFF


@dataclass(frozen=True, eq=False)
class PortHandle:
    """A port of a code region."""

    region: CodeRegion
    index: int
    name: str
    is_input: bool
    #: PEs along the edge.
    pes: int
    #: Wavelets that pass through it.
    size: int

    def __str__(self) -> str:
        kind = "input" if self.is_input else "output"
        return f"{kind} port '{self.name}' of code region '{self.region.name}'"


class CodeRegion:
    """A rectangle of PEs that run one CSL file; create_code_region() makes one."""

    def __init__(self, layout: SdkLayout, source: str, name: str, width: int, height: int) -> None:
        self.layout = layout
        self.source = source
        self.name = name
        self.width = width
        self.height = height
        self.origin: tuple[int, int] | None = None
        self.params: list[dict[str, Any]] = []
        self.paints: list[dict[str, Any]] = []
        self.ports: list[dict[str, Any]] = []
        self.symbols: list[tuple[str, str | None, bytes]] = []
        self._port_names: dict[str, str] = {}

    def color(self, name: str, value: int | None = None) -> Color:
        """Creates a color that belongs to this region alone."""
        return Color.of_region(self.name, name, value)

    def place(self, x: int, y: int) -> None:
        """Puts the north-west PE of the region at a position on the wafer."""
        for what, value in (("column", x), ("row", y)):
            if not is_integer(value):
                raise TypeError(f"place() takes a column and a row as integers, not {value!r}")
            if not 0 <= value <= _LAST_COORDINATE:
                raise RuntimeError(f"code region '{self.name}' cannot be placed at {what} {value}: there is none")
        self.origin = (int(x), int(y))

    # Parameters

    def set_param(self, coord: IntVector, *setting: str | int | bool | Color) -> None:
        """Sets a parameter on one PE: set_param(coord, name, value) or set_param(coord, color)."""
        self._set_param("set_param", self._area_of_pe("set_param", coord), setting)

    def set_param_range(self, rect: IntRectangle, *setting: str | int | bool | Color) -> None:
        """Sets a parameter on a rectangle of PEs."""
        self._set_param("set_param_range", self._area_of_rectangle("set_param_range", rect), setting)

    def set_param_all(self, *setting: str | int | bool | Color) -> None:
        """Sets a parameter on all PEs: set_param_all(name, value) or set_param_all(color)."""
        self._set_param("set_param_all", self._whole(), setting)

    def _set_param(self, what: str, area: _Area, setting: tuple[str | int | bool | Color, ...]) -> None:
        match setting:
            case (Color() as color,):
                name, value = color.get_local_param_name(), color
            case (str() as name, value):
                pass
            case _:
                raise TypeError(f"{what} takes a name and a value, or a color, not {setting!r}")
        if isinstance(value, Color):
            self.params.append({"area": area, "name": name, "value": {"color": value}})
            return
        if not is_integer(value) and not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"param '{name}' takes an integer, a bool or a Color, not {value!r}")
        number = int(value)
        if not -_LARGEST_PARAM <= number <= _LARGEST_PARAM:
            raise RuntimeError(f"param '{name}' cannot be {number}: no type of CSL has such a number")
        self.params.append({"area": area, "name": name, "value": {"int": number}})

    def set_symbol_all(self, symbol: str, data: npt.NDArray[Any], width: int, height: int) -> None:
        """Divides a matrix among the PEs; each stores its block in a variable."""
        if not isinstance(symbol, str) or not isinstance(data, np.ndarray):
            raise TypeError("set_symbol_all takes the name of a variable, a numpy array, its width and its height")
        what = f"set_symbol_all('{symbol}') of code region '{self.name}'"
        if not is_integer(width) or not is_integer(height):
            raise TypeError(f"{what}: width and height must be integers, not {width!r} and {height!r}")
        if data.dtype not in _SYMBOL_TYPES:
            raise TypeError(f"{what}: the elements must be {', '.join(t.__name__ for t in _SYMBOL_TYPES)}, not {data.dtype}")
        if width < 1 or height < 1 or data.size != width * height:
            raise RuntimeError(f"{what}: the array has {data.size} elements, not {width} x {height}")
        is_matrix = data.ndim == 2 and min(*data.shape, width, height) > 1
        if is_matrix and data.shape != (height, width):
            warnings.warn(
                f"{what}: the array has {data.shape[0]} rows and {data.shape[1]} columns, and is divided as {height} rows "
                f"and {width} columns; width is the number of columns, so pass {data.shape[1]}, {data.shape[0]}",
                stacklevel=2,
            )
        if width % self.width or height % self.height:
            raise RuntimeError(
                f"{what}: {width} x {height} elements cannot be divided among {self.width} x {self.height} PEs; "
                "make width and height multiples of those of the region"
            )
        rows, columns = height // self.height, width // self.width
        blocks = data.reshape(self.height, rows, self.width, columns).transpose(0, 2, 1, 3)
        little = np.ascontiguousarray(blocks, dtype=blocks.dtype.newbyteorder("<"))
        dtype = None if tensors.is_bit_view(data) else data.dtype.name
        self.symbols.append((symbol, dtype, little.tobytes()))

    # Routes

    def paint(self, coord: IntVector, color: Color, routes: Iterable[RoutingPosition]) -> None:
        """Sets the route of a color on one PE."""
        self._paint("paint", self._area_of_pe("paint", coord), color, routes)

    def paint_range(self, rect: IntRectangle, color: Color, routes: Iterable[RoutingPosition]) -> None:
        """Sets the route of a color on a rectangle of PEs."""
        self._paint("paint_range", self._area_of_rectangle("paint_range", rect), color, routes)

    def paint_all(
        self, color: Color, routes: Iterable[RoutingPosition], edge_routes: Iterable[EdgeRouteInfo] = ()
    ) -> None:
        """Sets the route of a color on all PEs, with different routes along edges."""
        edge_routes = list(edge_routes)
        for info in edge_routes:
            if not isinstance(info, EdgeRouteInfo):
                raise TypeError(f"routes along an edge come from get_edge_routing(), not {info!r}")
        self._paint("paint_all", self._whole(), color, routes)
        for info in edge_routes:
            self.paints.append({"area": self._area_of_edge(info.edge), "color": color, "positions": info.positions})

    def _paint(self, what: str, area: _Area, color: Color, routes: Iterable[RoutingPosition]) -> None:
        listed = positions(routes, f"{what}() of code region '{self.name}'")
        self.paints.append({"area": area, "color": checked_color(color), "positions": listed})

    # Ports

    def create_input_port(
        self, color: Color, edge: Edge, routes: Iterable[RoutingPosition], data_size: int, prefix: str = ""
    ) -> PortHandle:
        """Creates a port through which wavelets enter the region; the routes say where they go."""
        return self._create_port(True, color, edge, routes, data_size, prefix)

    def create_output_port(
        self, color: Color, edge: Edge, routes: Iterable[RoutingPosition], data_size: int, prefix: str = ""
    ) -> PortHandle:
        """Creates a port through which wavelets leave the region; the routes say where they come from."""
        return self._create_port(False, color, edge, routes, data_size, prefix)

    def _create_port(
        self,
        is_input: bool,
        color: Color,
        edge: Edge,
        routes: Iterable[RoutingPosition],
        data_size: int,
        prefix: str,
    ) -> PortHandle:
        kind, side = ("input", "inputs") if is_input else ("output", "outputs")
        name = prefix + checked_color(color).get_global_name()
        what = f"{kind} port '{name}' of code region '{self.name}'"
        listed = positions(routes, what)
        checked_edge(edge)
        if not is_integer(data_size):
            raise TypeError(f"the data size of {what} must be an integer, not {data_size!r}")
        if any(position[side] for position in listed):
            other = "set_output" if is_input else "set_input"
            raise RuntimeError(
                f"{kind} port cannot have {kind} route. The compiler chooses it for {what}: use {other}() alone"
            )
        if name in self._port_names:
            raise RuntimeError(
                f"{what} already exists, as {self._port_names[name]}; give one of them its own prefix"
            )
        self._port_names[name] = f"{kind} port at the {edge.name.lower()} edge"
        port = {"name": name, "input": is_input, "color": color, "edge": edge.name}
        self.ports.append({**port, "positions": listed, "size": int(data_size)})
        pes = self.width if edge in (Edge.TOP, Edge.BOTTOM) else self.height
        return PortHandle(self, len(self.ports) - 1, name, is_input, pes, int(data_size))

    # Rectangles of PEs within the region

    def _whole(self) -> _Area:
        return (0, 0, self.width, self.height)

    def _area_of_pe(self, what: str, coord: IntVector) -> _Area:
        if not isinstance(coord, IntVector):
            raise TypeError(f"{what}() takes an IntVector, not {coord!r}")
        return self._area(what, coord.x, coord.y, 1, 1)

    def _area_of_rectangle(self, what: str, rect: IntRectangle) -> _Area:
        if not isinstance(rect, IntRectangle):
            raise TypeError(f"{what}() takes an IntRectangle, not {rect!r}")
        return self._area(what, rect.origin.x, rect.origin.y, rect.width, rect.height)

    def _area_of_edge(self, edge: Edge) -> _Area:
        last_column, last_row = self.width - 1, self.height - 1
        return {
            Edge.TOP: (0, 0, self.width, 1),
            Edge.BOTTOM: (0, last_row, self.width, 1),
            Edge.LEFT: (0, 0, 1, self.height),
            Edge.RIGHT: (last_column, 0, 1, self.height),
        }[edge]

    def _area(self, what: str, x: int, y: int, w: int, h: int) -> _Area:
        if min(x, y) < 0 or min(w, h) < 1 or x + w > self.width or y + h > self.height:
            raise RuntimeError(
                f"{what}() gives {w} x {h} PEs at ({x}, {y}), but code region '{self.name}' has "
                f"{self.width} x {self.height} PEs, counted from (0, 0)"
            )
        return (int(x), int(y), int(w), int(h))
