"""Conversions between host arrays and the elements of PEs.

A host array stands for a tensor A[h][w][l]: h rows and w columns of PEs with l elements each.
Flattened by rows (C order), the elements of one PE are adjacent; flattened by columns (Fortran order),
the same elements of all PEs are adjacent. Everything below this module sees A[h][w][l] in C order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cslrun._frames import HIDDEN as __tracebackhide__


def by_pe(flat: npt.NDArray[Any], w: int, h: int, l: int, *, column_major: bool) -> npt.NDArray[Any]:
    """Returns A[h][w][l] from a flat array, as a view where the order allows it."""
    if column_major:
        return flat.reshape(l, w, h).transpose(2, 1, 0)
    return flat.reshape(h, w, l)


def flat(tensor: npt.NDArray[Any], *, column_major: bool) -> npt.NDArray[Any]:
    """The flat array of A[h][w][l]."""
    return tensor.ravel(order="F" if column_major else "C")


def converted(values: npt.ArrayLike, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """The values as elements of `dtype`. Floats are rounded; integers must fit, and fractions are
    not converted to integers."""
    array = np.asarray(values)
    dtype = np.dtype(dtype)
    if array.dtype == dtype:
        return array
    if array.dtype.kind == "c":
        raise TypeError(f"complex numbers do not fit {dtype}: copy their real and imaginary parts")
    with np.errstate(invalid="ignore", over="ignore"):
        elements = array.astype(dtype)
    if dtype.kind != "f" and (array.dtype.kind == "f" or not np.array_equal(elements, array)):
        raise TypeError(f"{values!r} does not fit {dtype}")
    return elements


def is_misread(array: npt.NDArray[Any], dtype: np.dtype[Any]) -> bool:
    """Whether the numbers of an array with 4 bytes per element are probably no bits of `dtype`. Unsigned words, and views
    that a script has made of numbers of another type, can hold the bits of any type."""
    if is_bit_view(array):
        return False
    if array.dtype.kind == "f":
        return array.dtype != dtype and (dtype.itemsize != array.itemsize or dtype.kind != "u")
    return array.dtype == np.int32 and dtype == np.float32


def is_bit_view(array: npt.NDArray[Any]) -> bool:
    """Whether an array shows the bits of an array of another type."""
    base = array.base
    return isinstance(base, np.ndarray) and base.dtype != array.dtype


def words(array: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """The bits of 4-byte elements as words, without conversion."""
    return np.ascontiguousarray(array).view(np.uint32)


def widen(array: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """The bits of 2-byte or 4-byte elements, one word each."""
    bits = np.ascontiguousarray(array).view(np.dtype(f"u{array.itemsize}"))
    return bits.astype(np.uint32)


def narrow(array: npt.NDArray[Any], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Elements of `dtype` from the low bits of words."""
    dtype = np.dtype(dtype)
    return array.astype(np.dtype(f"u{dtype.itemsize}")).view(dtype)
