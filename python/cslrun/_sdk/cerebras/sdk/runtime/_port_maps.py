"""Port maps: strings that say which element of a tensor belongs to which PE.

`{ A[i=0:3][j=0:7] -> [PE[i % 2, i // 2] -> index[j]] }` says that A[i][j] is the element j of the PE
in column i % 2 and row i // 2.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cslrun import tensors

# A script of SDK 0.6 ends its port maps with two braces.
_FORM = re.compile(
    r"\{\s*(?P<name>\w+)\s*(?P<domain>(\[[^\]]*\]\s*)+)->\s*"
    r"\[\s*PE\s*\[(?P<place>[^\]]*)\]\s*->\s*\w+\s*\[(?P<element>[^\]]*)\]\s*\]\s*;?\s*\}+"
)
_INDEX = re.compile(r"\s*((?P<name>[A-Za-z_]\w*)\s*=)?(?P<first>[^:=A-Za-z_]+)(:(?P<last>[^:=A-Za-z_]+))?")
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


@dataclass(frozen=True)
class Relation:
    """A parsed port map: for each element of the tensor, its PE and its index there."""

    #: The name of the tensor.
    name: str
    #: The extents of the tensor.
    shape: tuple[int, ...]
    #: Column and row of the PE of each element.
    x: npt.NDArray[np.intp]
    y: npt.NDArray[np.intp]
    #: The indices of each element on its PE.
    element: list[npt.NDArray[np.intp]]


@dataclass(frozen=True)
class PortMap:
    """A parsed port map, all of whose expressions are numbers."""

    #: The extents of the tensor.
    shape: tuple[int, ...]
    #: Column, row, width and height of the PEs, and elements of each.
    region: tuple[int, int, int, int, int]
    #: For each element of the tensor its place in the flat array by rows.
    places: npt.NDArray[np.intp]


def convert_input_tensor(
    portmap: str, tensor: npt.ArrayLike
) -> tuple[int, int, int, int, int, npt.NDArray[np.uint32]]:
    """The arguments of `memcpy_h2d`: px, py, w, h, l and the flat array by rows."""
    read = _read(portmap)
    tensor = np.asarray(tensor)
    if tensor.shape != read.shape:
        raise RuntimeError(f"the tensor has the shape {tensor.shape}, but the port map has {read.shape}: {portmap}")
    data = np.zeros(_size(read), np.uint32)
    data[read.places] = tensors.widen(tensor)
    return *read.region, data


def prepare_output_tensor(
    portmap: str, _dtype: npt.DTypeLike
) -> tuple[int, int, int, int, int, npt.NDArray[np.uint32]]:
    """The arguments of `memcpy_d2h`: px, py, w, h, l and an array to fill."""
    read = _read(portmap)
    return *read.region, np.zeros(_size(read), np.uint32)


def format_output_tensor(portmap: str, dtype: npt.DTypeLike, data: npt.ArrayLike) -> npt.NDArray[Any]:
    """The tensor of a port map from the array that `memcpy_d2h` filled."""
    return tensors.narrow(np.asarray(data).ravel().view(np.uint32)[_read(portmap).places], dtype)


def _size(read: PortMap) -> int:
    _, _, w, h, elements = read.region
    return w * h * elements


def relation(portmap: str) -> Relation:
    """Parses a port map."""
    form = _FORM.fullmatch(portmap.strip())
    domain = ",".join(re.findall(r"\[([^\]]*)\]", form["domain"])).split(",") if form else []
    indices = [match for match in map(_INDEX.fullmatch, domain) if match]
    if form is None or len(indices) < len(domain):
        raise RuntimeError(f"a port map looks like {{ A[i=0:3][j=0] -> [PE[i, 0] -> index[j]] }}, not {portmap!r}")
    starts = [_number(match["first"]) for match in indices]
    # An index without an end has one value.
    ends = [_number(match["last"] or match["first"]) for match in indices]
    shape = tuple(last + 1 - low for low, last in zip(starts, ends))
    if min(shape) < 1:
        raise RuntimeError(f"an index of this port map has no values: {portmap!r}")
    counted = zip(indices, np.indices(shape), starts)
    named = {match["name"]: index + low for match, index, low in counted if match["name"]}
    place = [_value(text, named, shape) for text in form["place"].split(",")]
    if len(place) != 2:
        raise RuntimeError(f"a port map must give the column and the row of a PE: {portmap!r}")
    element = [_value(text, named, shape) for text in form["element"].split(",")]
    return Relation(form["name"], shape, place[0], place[1], element)


def _read(portmap: str) -> PortMap:
    read = relation(portmap)
    x, y = read.x, read.y
    element, elements = _flat(read.element)
    px, py = int(x.min()), int(y.min())
    w, h = int(x.max()) + 1 - px, int(y.max()) + 1 - py
    return PortMap(read.shape, (px, py, w, h, elements), ((y - py) * w + (x - px)) * elements + element)


def _number(text: str) -> int:
    """Evaluates an expression without names."""
    return int(_value(text, {}, ()))


def _flat(indices: list[npt.NDArray[np.intp]]) -> tuple[npt.NDArray[np.intp], int]:
    """Flattens several indices into one, the last one fastest; also returns the number of its values."""
    flat, size = indices[0], int(indices[0].max()) + 1
    for index in indices[1:]:
        extent = int(index.max()) + 1
        flat, size = flat * extent + index, size * extent
    return flat, size


def _value(text: str, names: Mapping[str, npt.NDArray[np.intp]], shape: tuple[int, ...]) -> npt.NDArray[np.intp]:
    """Evaluates an expression over the index names of a tensor, for all its elements."""
    try:
        value = _evaluate(ast.parse(re.sub(r"\bmod\b", "%", text.strip()), mode="eval").body, names)
    except (SyntaxError, KeyError, TypeError, ZeroDivisionError) as error:
        raise RuntimeError(
            f"an index of a port map may contain {', '.join([*names, 'numbers'])}, +, -, *, // and %; not "
            f"{text.strip()!r}"
        ) from error
    return np.broadcast_to(value, shape)


def _evaluate(node: ast.expr, names: Mapping[str, npt.NDArray[np.intp]]) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluate(node.operand, names)
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_evaluate(node.left, names), _evaluate(node.right, names))
    raise TypeError(type(node).__name__)
