"""Colors and routes of layouts built in Python."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any, TypeGuard

import numpy as np

#: The initial route and three switch positions.
MOST_POSITIONS = 4
#: The highest color.
LAST_COLOR = 23

#: A routing position in the form that the compiler takes: names of inputs and outputs.
Position = dict[str, list[str]]


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


class Color:
    """A color. The compiler chooses its number unless the program requests one.

    Two colors with the same global name are the same color.
    """

    def __init__(self, name: str, value: int | None = None) -> None:
        self._name = _text(name, "the name of a color")
        self._region: str | None = None
        #: The number that the program asks for.
        self.wanted = None if value is None else _color_number(name, value)
        self._chosen: int | None = None

    @classmethod
    def of_region(cls, region: str, name: str, value: int | None = None) -> Color:
        """Makes a color of a code region; the name of the region becomes its prefix."""
        color = cls(name, value)
        color._region = region
        return color

    def get_global_name(self) -> str:
        """The name of the color in the whole layout."""
        return self._name if self._region is None else f"{self._region}_{self._name}"

    def get_local_param_name(self) -> str:
        """The name of the parameter that takes the color."""
        return self._name

    def get_value(self) -> int | None:
        """The number that the program requests or, after compile(), the number that was chosen."""
        return self._chosen if self.wanted is None else self.wanted

    def assign(self, number: int) -> None:
        """Stores the number that the compiler has chosen."""
        self._chosen = number

    def __repr__(self) -> str:
        return f"Color({self.get_global_name()!r}, {self.get_value()})"


class RoutingPosition:
    """A route: where wavelets come from, and where they go."""

    def __init__(self) -> None:
        self._inputs: list[Route] = []
        self._outputs: list[Route] = []

    def set_input(self, routes: Iterable[Route]) -> RoutingPosition:
        """Sets the sides that wavelets come from."""
        self._inputs = _listed(routes, "set_input")
        return self

    def set_output(self, routes: Iterable[Route]) -> RoutingPosition:
        """Sets the sides that wavelets go to."""
        self._outputs = _listed(routes, "set_output")
        return self

    def add_input(self, route: Route) -> RoutingPosition:
        """Adds a side that wavelets come from."""
        self._inputs.append(_route(route))
        return self

    def add_output(self, route: Route) -> RoutingPosition:
        """Adds a side that wavelets go to."""
        self._outputs.append(_route(route))
        return self

    def get_input(self) -> list[Route]:
        """Where wavelets come from."""
        return list(self._inputs)

    def get_output(self) -> list[Route]:
        """Where wavelets go."""
        return list(self._outputs)

    def __repr__(self) -> str:
        return f"RoutingPosition({_names(self._inputs)} to {_names(self._outputs)})"


class EdgeRouteInfo:
    """Routes along an edge; [get_edge_routing] makes one."""

    def __init__(self, edge: Edge, positions: list[Position]) -> None:
        self.edge = edge
        self.positions = positions


def get_edge_routing(edge: Edge, routes: Iterable[RoutingPosition]) -> EdgeRouteInfo:
    """Routes for the PEs along one edge of a code region."""
    return EdgeRouteInfo(checked_edge(edge), positions(routes, "get_edge_routing"))


def checked_edge(edge: Edge) -> Edge:
    """Returns `edge`; raises a TypeError if it is not an Edge."""
    if not isinstance(edge, Edge):
        raise TypeError(f"an edge must be Edge.TOP, BOTTOM, LEFT or RIGHT, not {edge!r}")
    return edge


def checked_color(color: Color) -> Color:
    """Returns `color`; raises a TypeError if it is not a Color."""
    if not isinstance(color, Color):
        raise TypeError(f"a color comes from Color(name) or CodeRegion.color(name), not {color!r}")
    return color


def positions(routes: Iterable[RoutingPosition], what: str) -> list[Position]:
    """A list of routing positions in the form that the compiler takes."""
    if isinstance(routes, RoutingPosition):
        raise TypeError(f"{what} takes a list of RoutingPosition: put it into brackets")
    if not isinstance(routes, Iterable):
        raise TypeError(f"{what} takes a list of RoutingPosition, not {routes!r}")
    routes = list(routes)
    for route in routes:
        if not isinstance(route, RoutingPosition):
            raise TypeError(f"{what} takes a list of RoutingPosition; {route!r} is not one")
    if not 1 <= len(routes) <= MOST_POSITIONS:
        raise RuntimeError(
            f"{what} takes the initial route and up to 3 switch positions, not {len(routes)} positions"
        )
    return [{"inputs": _names(p.get_input()), "outputs": _names(p.get_output())} for p in routes]


def is_integer(value: object) -> TypeGuard[int | np.integer[Any]]:
    """Whether a value is a Python or numpy integer."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _names(routes: list[Route]) -> list[str]:
    return [route.name for route in dict.fromkeys(routes)]


def _listed(routes: Iterable[Route], what: str) -> list[Route]:
    if isinstance(routes, Route):
        raise TypeError(f"{what}() takes a list of routes: {what}([Route.{routes.name}])")
    if not isinstance(routes, Iterable):
        raise TypeError(f"{what}() takes a list of routes, not {routes!r}")
    return [_route(route) for route in routes]


def _route(route: Route) -> Route:
    if not isinstance(route, Route):
        raise TypeError(f"a route must be Route.RAMP, EAST, WEST, NORTH or SOUTH, not {route!r}")
    return route


def _text(name: str, what: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{what} must be a string, not {name!r}")
    return name


def _color_number(name: str, value: int) -> int:
    if not is_integer(value):
        raise TypeError(f"the value of color '{name}' must be an integer, not {value!r}")
    if not 0 <= value <= LAST_COLOR:
        raise RuntimeError(f"color '{name}' has the value {value}; colors go from 0 to {LAST_COLOR}")
    return int(value)
