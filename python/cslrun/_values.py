"""Checks and conversions of what scripts give to a run."""

from __future__ import annotations

import os
import reprlib
from typing import Any

import numpy as np
import numpy.typing as npt

from cslrun import tensors
from cslrun._native import RunError
from cslrun.program import DTYPES, Export, Program, SymbolError


def shown(value: Any) -> str:
    """A value in a message: of an array only its shape."""
    return f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else reprlib.repr(value)


def at_least(name: str, value: int | None, least: int) -> int | None:
    """A whole number, or None as it is; ValueError for anything else."""
    return None if value is None else whole(name, value, least)


def whole(name: str, value: Any, least: int = 0) -> int:
    """A whole number of at least `least`; ValueError for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {shown(value)}")
    return int(value)


def file(name: str | os.PathLike[str] | bool | None) -> str | None:
    """The whole path of a file that somebody names; None for anything else."""
    return None if name is None or isinstance(name, bool) else os.path.abspath(name)


def bits(export: Export) -> int:
    """Bits of an element."""
    return 8 * export.dtype.itemsize


def dtype(name: str, scalar: str) -> np.dtype[Any]:
    """The type of numpy for a scalar of CSL; TypeError if there is none."""
    if scalar not in DTYPES:
        raise TypeError(f"{name} has elements of {scalar}, for which numpy has no type")
    return np.dtype(DTYPES[scalar])


def of_bits(numbers: npt.NDArray[np.uint64], kind: np.dtype[Any]) -> npt.NDArray[Any]:
    """Elements of the type `kind` from the low bits of 64-bit numbers."""
    return numbers.astype(f"u{kind.itemsize}").view(kind)


#: The types of parameters that the host can pass, which are those of one word, with their types of numpy.
ARGUMENTS: dict[str, type[np.generic]] = {
    ty: np.dtype(DTYPES[ty]).type for ty in ("f32", "f16", "i16", "u16", "i32", "u32", "bool")
}


def argument(function: str, ty: str, value: Any) -> int:
    """The bits of an argument as one word; TypeError if it does not fit, or if the host cannot pass the type."""
    if ty not in ARGUMENTS:
        raise TypeError(f"{function} takes a {ty}, which the host cannot pass")
    if np.ndim(value) != 0:
        raise TypeError(f"{function} takes a number here, not {shown(value)}")
    return int(tensors.widen(tensors.converted(value, ARGUMENTS[ty]).reshape(1))[0])


def variable(program: Program, name: str) -> Export:
    """The export of a variable; TypeError for a function."""
    export = program.export(name)
    if export.is_function:
        raise TypeError(f"{name} is a function; variables can be copied")
    return export


def misuse(error: RunError, program: Program) -> Exception:
    """What Python calls an error about a name."""
    rule = error.diagnostics[0].rule if error.diagnostics else ""
    if rule == "symbol-absent":
        return SymbolError(str(error).rstrip())
    if rule in ("export-misused", "no-element-type"):
        return TypeError(str(error))
    if rule in ("unknown-export", "export-absent"):
        names = ", ".join(export.name for export in program.exports.values() if not export.is_function)
        return SymbolError(str(error).rstrip() + (f"\nexported variables: {names}" if names else ""))
    return error


def check_place(program: Program, x: int, y: int) -> None:
    """ValueError if a PE lies outside the program rectangle."""
    width, height = program.size
    if not (0 <= x < width and 0 <= y < height):
        raise ValueError(f"PE({x},{y}) lies outside the program rectangle of {width} x {height} PEs")


def region(program: Program, chosen: tuple[int, int, int, int] | None) -> tuple[int, int, int, int]:
    """The chosen region, or the whole program rectangle."""
    return chosen if chosen is not None else (0, 0, *program.size)


def of_region(name: str, elements: npt.NDArray[Any], region: tuple[int, int, int, int]) -> npt.NDArray[Any]:
    """Values for the PEs of a region, in the shape (height, width, count); ValueError for any shape but this one and
    (count,), which is the same for every PE."""
    _, _, w, h = region
    if elements.ndim == 1:
        elements = np.broadcast_to(elements, (h, w, elements.size))
    if elements.ndim != 3 or elements.shape[:2] != (h, w):
        raise ValueError(
            f"values for {name} have the shape {elements.shape}; a region of {w} x {h} PEs takes "
            f"(height {h}, width {w}, count), or (count,) for the same on every PE"
        )
    return elements


def on_wafer(
    size: tuple[int, int], places: list[tuple[int, int]], counts: list[int], values: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    """Values of PEs, one PE after the other, in the shape (height, width, elements); a masked array if some PEs have
    fewer elements than others, or none."""
    width, height = size
    most = max(counts)
    shape = (height, width, most)
    if len(places) == width * height and min(counts) == most:
        return values.reshape(shape)
    array: np.ma.MaskedArray[Any, Any] = np.ma.masked_array(np.zeros(shape, values.dtype), mask=np.ones(shape, bool))
    start = 0
    for (x, y), count in zip(places, counts):
        array[y, x, :count] = values[start : start + count]
        start += count
    return array
