"""Arguments of launched functions: which Python types stand for which CSL types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from cerebras.sdk.sdk_utils import cast_uint32

from cslrun._frames import HIDDEN as __tracebackhide__
from cslrun._values import ARGUMENTS

# What a parameter takes besides its own type of numpy.
_ALSO: dict[str, tuple[type[Any], ...]] = {
    "bool": (bool,),
    "f32": (float,),
    "i32": (int, np.int64),
    "u32": (int, np.uint64),
}

_RANGES = {"i32": (-(2**31), 2**31 - 1), "u32": (0, 2**32 - 1)}


def words(function: str, types: Sequence[str], args: Sequence[Any]) -> list[int]:
    """The arguments as words, one each, after a check of their number and types."""
    if len(types) != len(args):
        raise RuntimeError(
            f"API call requires a different number of arguments ({len(types)}) "
            f"from what has been provided ({len(args)}): {function}({', '.join(types)})"
        )
    return [_word(function, i, ty, arg) for i, (ty, arg) in enumerate(zip(types, args))]


def raw_words(function: str, args: npt.ArrayLike) -> list[int]:
    """Arguments that are already words."""
    given = np.asarray(args)
    if given.size and given.dtype.kind not in "iu":
        raise TypeError(
            f"call() takes integers as the arguments of {function}, not {given.dtype}; "
            "sdk_utils.cast_uint32 gives the bits of a float"
        )
    words = [int(word) for word in given.ravel()]
    for word in words:
        if not -(2**31) <= word < 2**32:
            raise RuntimeError(f"call() takes words of 32 bits as the arguments of {function}, not {word}")
    return [word & 0xFFFF_FFFF for word in words]


def _word(function: str, index: int, ty: str, arg: Any) -> int:
    if ty not in ARGUMENTS:
        raise RuntimeError(
            f"argument {index} of {function} is a {ty}, which the host cannot pass: declare the parameter as one of "
            f"{', '.join(name for name in ARGUMENTS if name != 'bool')}"
        )
    accepted = (*_ALSO.get(ty, ()), ARGUMENTS[ty])
    if ty == "bool" and isinstance(arg, accepted):
        return int(arg)
    # bool is an int in Python, but none in CSL.
    if not isinstance(arg, accepted) or isinstance(arg, bool):
        names = " or ".join(_name(kind) for kind in accepted)
        raise RuntimeError(
            f"functional protype does not match what is defined in the kernel: argument {index} of "
            f"{function} is a {ty}, for which the host must pass {names}; got {_name(type(arg))}"
        )
    low, high = _RANGES.get(ty, (None, None))
    if low is not None and not low <= arg <= high:
        raise RuntimeError(f"argument {index} of {function} is a {ty}, and {arg} does not fit")
    return int(cast_uint32(arg))


def _name(kind: type[Any]) -> str:
    return f"np.{kind.__name__}" if issubclass(kind, np.generic) else kind.__name__
