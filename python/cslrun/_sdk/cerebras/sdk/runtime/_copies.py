"""The description of a copy, and the checks of its arguments."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
from cerebras.sdk.runtime._platform import MemcpyDataType, MemcpyOrder
from cerebras.sdk.runtime._routes import LAST_COLOR

from cslrun import Runner, tensors
from cslrun._frames import HIDDEN as __tracebackhide__
from cslrun._native import Ticket
from cslrun.program import DTYPES


@dataclass(frozen=True)
class Copy:
    """A copy between host and memory, its arguments checked."""

    name: str
    region: tuple[int, int, int, int]
    column_major: bool
    bits: int
    #: The scalar type of an element of the variable.
    element: str | None

    def queue_in(self, runner: Runner, tensor: npt.NDArray[Any]) -> Ticket:
        return runner.queue_copy_in(self.name, tensor, self.region, self.bits)

    def queue_out(self, runner: Runner, count: int) -> Ticket:
        return runner.queue_copy_out(self.name, count, self.region, self.bits)


@dataclass(frozen=True)
class Stream:
    """A copy between host and fabric, its arguments checked; each word is a wavelet."""

    color: int
    region: tuple[int, int, int, int]
    column_major: bool

    def queue_in(self, runner: Runner, tensor: npt.NDArray[Any]) -> Ticket:
        return runner.queue_stream_in(self.color, tensor, self.region, pe_by_pe=not self.column_major)

    def queue_out(self, runner: Runner, count: int) -> Ticket:
        return runner.queue_stream_out(self.color, count, self.region, pe_by_pe=not self.column_major)


def check_numbers(call: str, **numbers: object) -> None:
    """Raises an error unless all arguments are integers."""
    for name, value in numbers.items():
        if not isinstance(value, (int, np.integer)):
            is_float = isinstance(value, (float, np.floating))
            advice = "; divide with // to get an integer" if is_float else ""
            raise TypeError(f"{call}: {name} must be an integer, not {value!r}{advice}")


def check_flags(call: str, **flags: object) -> None:
    """Raises an error unless all arguments are bools, or 0 or 1."""
    for name, value in flags.items():
        is_number = isinstance(value, (int, np.integer)) and not isinstance(value, Enum) and value in (0, 1)
        if not is_number and not isinstance(value, np.bool_):
            raise TypeError(f"{call}: {name} must be True or False, not {value!r}")


def _refuse_other_enum(name: str, value: object, kind: type[IntEnum]) -> None:
    # Members of both enums are the numbers 0 and 1.
    if isinstance(value, Enum) and not isinstance(value, kind):
        given = f"{type(value).__name__}.{value.name}"
        raise TypeError(f"memcpy: {name} must be a {kind.__name__}, not {given}")


def is_column_major(order: MemcpyOrder) -> bool:
    """Whether an order is column-major."""
    _refuse_other_enum("order", order, MemcpyOrder)
    if order not in tuple(MemcpyOrder):
        raise RuntimeError("Illegal order option for memcpy: use MemcpyOrder.ROW_MAJOR or MemcpyOrder.COL_MAJOR")
    return order == MemcpyOrder.COL_MAJOR


def bits(data_type: MemcpyDataType) -> int:
    """The size of an element."""
    _refuse_other_enum("data_type", data_type, MemcpyDataType)
    if data_type not in tuple(MemcpyDataType):
        raise RuntimeError("Illegal data type option for memcpy: use MemcpyDataType.MEMCPY_32BIT or MEMCPY_16BIT")
    return 16 if data_type == MemcpyDataType.MEMCPY_16BIT else 32


def stream_color(color: int) -> int:
    """The number of a color."""
    if not isinstance(color, (int, np.integer)) or not 0 <= color <= LAST_COLOR:
        raise RuntimeError(f"a streaming copy needs a color, 0 to {LAST_COLOR}; {color!r} is not one")
    return int(color)


def source(array: npt.NDArray[Any], size: int, what: str, copy: Copy | Stream) -> npt.NDArray[np.uint32]:
    """The words of the first `size` elements of an array, which may be larger: public scripts pass larger ones."""
    _check_array(array)
    _warn_of_other_types("memcpy_h2d", array, copy)
    if array.size < size:
        _refuse_size(array, size, what)
    if array.size > size:
        warnings.warn(
            f"memcpy_h2d: the array has {array.size} elements, but {what} make {size}: only the first {size} are copied",
            stacklevel=3,
        )
    return tensors.words(array).reshape(-1)[:size]


def destination(array: npt.NDArray[Any], size: int, what: str, copy: Copy | Stream) -> npt.NDArray[np.uint32]:
    """The words of an array of `size` elements that is written in place."""
    _check_array(array)
    _warn_of_other_types("memcpy_d2h", array, copy)
    if array.size != size:
        _refuse_size(array, size, what)
    if not array.flags.writeable or not array.flags.c_contiguous:
        raise RuntimeError("memcpy_d2h writes in place: the array must be writable and contiguous")
    return array.reshape(-1).view(np.uint32)


def _references(array: npt.NDArray[Any]) -> int:
    return sys.getrefcount(array)


def _unheld() -> int | None:
    held = np.empty(0)
    count = _references(np.empty(0))
    return count if _references(held) > count else None


#: How many references a function sees to an array that nothing but its parameter holds; None if this Python does not tell
#: such an array from one that its caller has.
_UNHELD = _unheld()


def warn_if_unheld(references: int, array: object) -> None:
    """Warns if nobody will be able to read an array that is written: it is a copy, such as `y.flatten()`."""
    if _UNHELD is not None and references <= _UNHELD and isinstance(array, np.ndarray) and array.base is None:
        warnings.warn(
            "memcpy_d2h: the result goes into a temporary array and is lost: pass an array that the script keeps "
            "(`y.flatten()` is a copy, `y.ravel()` of a contiguous array is not)",
            stacklevel=3,
        )


def _warn_of_other_types(call: str, array: npt.NDArray[Any], copy: Copy | Stream) -> None:
    """Warns if the elements of an array and of a variable are probably not of one type."""
    if isinstance(copy, Stream) or copy.element not in DTYPES:
        return
    dtype = np.dtype(DTYPES[copy.element])
    if dtype.itemsize not in (2, 4):
        return
    bits = 8 * dtype.itemsize
    if copy.bits != bits:
        what = f"MEMCPY_{copy.bits}BIT copies elements of {copy.bits} bits"
        advice = f"pass MEMCPY_{bits}BIT"
    elif tensors.is_misread(array, dtype):
        what = f"the array is {array.dtype}"
        copied = "the bits are copied as they are" if bits == 32 else "the lower half of each word is copied as it is"
        advice = f"{copied}; {_CONVERSIONS[call, bits].format(dtype=dtype.name)}"
    else:
        return
    warnings.warn(f"{call}: {what}, and `{copy.name}` is of {copy.element}: {advice}", stacklevel=4)


#: How the numbers of an array become those of a variable, by call and bits of an element.
_CONVERSIONS = {
    ("memcpy_h2d", 32): "`.astype(np.{dtype})` converts the numbers",
    ("memcpy_h2d", 16): "`sdk_utils.input_array_to_u32(array.astype(np.{dtype}), None, 1)` makes the words",
    ("memcpy_d2h", 32): "pass an array of np.{dtype}",
    ("memcpy_d2h", 16): "pass an array of np.uint32, and view it with sdk_utils.memcpy_view",
}


def _check_array(array: npt.NDArray[Any]) -> None:
    if not isinstance(array, np.ndarray):
        raise TypeError(f"memcpy takes a numpy array, not a {type(array).__name__}")
    if array.itemsize != 4:
        # numpy makes these where nobody says otherwise.
        usual = {
            "float64": "`.astype(np.float32)` converts it",
            "float16": "for an f32 `.astype(np.float32)` converts it, for an f16 sdk_utils.input_array_to_u32",
            "int64": "make it what the variable is: `.astype(np.float32)` or `.astype(np.int32)`",
        }
        advice = usual.get(array.dtype.name, "sdk_utils.input_array_to_u32 and memcpy_view convert")
        raise RuntimeError(
            f"memcpy takes 4 bytes per element, also for MEMCPY_16BIT; {array.dtype} has {array.itemsize} ({advice})"
        )


def _refuse_size(array: npt.NDArray[Any], size: int, what: str) -> NoReturn:
    raise RuntimeError(f"the array has {array.size} elements, but {what} make {size}")
