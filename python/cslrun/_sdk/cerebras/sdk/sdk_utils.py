"""Helpers of host scripts: views of memcpy arrays, bits as words, time stamps."""

from __future__ import annotations

import json
import os
import shlex
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

_PRIMITIVE_TYPES = ("f32", "f16", "i32", "u32", "i16", "u16")


def memcpy_view(arr: npt.NDArray[Any], datatype: npt.DTypeLike) -> npt.NDArray[Any]:
    """The low bytes of each 4-byte element of `arr`, as `datatype`; writes go through to `arr`."""
    dtype = np.dtype(datatype)
    if arr.itemsize != 4:
        raise RuntimeError(f"memcpy arrays have 4 bytes per element; this one has {arr.itemsize} ({arr.dtype})")
    if dtype.itemsize not in (1, 2, 4):
        raise RuntimeError(f"an element of a memcpy array holds 1, 2 or 4 bytes; {dtype} has {dtype.itemsize}")
    # The machine and the arrays are little-endian, so the low bytes come first.
    return arr.view(np.dtype({"names": ["low"], "formats": [dtype], "itemsize": 4}))["low"]


def input_array_to_u32(
    np_arr: npt.NDArray[Any], sentinel: int | None, fast_dim_sz: int
) -> npt.NDArray[np.uint32]:
    """One word per element. The upper half of the word of a 16-bit element is its index in a row of
    `fast_dim_sz`, unless `sentinel` is None."""
    assert np_arr.ndim == 1, f"the array must have one dimension; it has {np_arr.ndim}"
    if np_arr.itemsize == 4:
        return np_arr.view(np.uint32)
    if np_arr.itemsize != 2:
        raise RuntimeError(f"elements have 2 or 4 bytes; {np_arr.dtype} has {np_arr.itemsize}")
    words = np_arr.view(np.uint16).astype(np.uint32)
    if sentinel is None:
        return words
    index = np.arange(np_arr.size, dtype=np.uint32) % np.uint32(fast_dim_sz)
    return words | (index << np.uint32(16))


def cast_uint32(x: Any) -> np.uint32:
    """The bits of a number as one word; 16-bit numbers are in the low half."""
    bits = 8 * x.dtype.itemsize if isinstance(x, np.generic) and x.dtype.kind in "fiu" else 0
    if bits == 16:
        return np.uint32(x.view(np.uint16))
    if bits == 32:
        return np.uint32(x.view(np.uint32))
    if isinstance(x, (int, np.integer)):
        return np.uint32(int(x) & 0xFFFF_FFFF)
    if isinstance(x, float):
        return np.float32(x).view(np.uint32)
    raise RuntimeError(f"cannot convert a {type(x).__name__} to a 32-bit word")


def float_to_hex(f: float) -> str:
    """The bits of an f32 as a hexadecimal string."""
    return hex(struct.unpack("<I", struct.pack("<f", f))[0])


def make_u48(words: npt.NDArray[Any]) -> int:
    """A 48-bit number from its three 16-bit words, the lowest first."""
    return sum(int(word) << (16 * i) for i, word in enumerate(words[:3]))


def sub_ts(words: npt.NDArray[Any]) -> int:
    """Cycles between two time stamps: words 0 to 2 are the start, 3 to 5 the end."""
    return make_u48(words[3:]) - make_u48(words[:3])


def calculate_cycles(timestamp_buf: npt.ArrayLike) -> np.int64:
    """Cycles between the two time stamps that a program packed into three f32."""
    bits = np.ascontiguousarray(timestamp_buf)
    if bits.itemsize != 4 or bits.size < 3:
        raise RuntimeError("two time stamps take three 32-bit elements")
    return np.int64(sub_ts(bits.ravel()[:3].view(np.uint16)))


def is_valid_primitive_type(name: str) -> bool:
    """Whether a parameter of a launched function can have this type."""
    return name in _PRIMITIVE_TYPES


def parse_host_callable_api(rpc_symbols: Iterable[dict[str, Any]]) -> dict[str, tuple[list[str], list[str]]]:
    """Maps each function in the entries of `out_rpc.json` to its parameter names and types."""
    api = {}
    for entry in rpc_symbols:
        if entry["kind"] == "Func":
            inputs = entry.get("inputs", [])
            api[entry["name"]] = ([i["name"] for i in inputs], [i["type"] for i in inputs])
    return api


def getOutputNameFromCompileOptions(options: str) -> str:
    """The output folder in a string of cslc options."""
    words = shlex.split(options)
    name = "out"
    for word, after in zip(words, [*words[1:], None]):
        if word == "-o" and after is not None:
            name = after
        elif word.startswith("-o="):
            name = word.removeprefix("-o=")
    return name


def get_api_info_dict_from_json(path: str | os.PathLike[str]) -> dict[str, tuple[list[str], list[str]]]:
    """The functions of one `out_rpc.json`."""
    with open(path, encoding="utf-8") as file:
        return parse_host_callable_api(json.load(file)["rpc_symbols"])


def get_api_info_dict(bindir: str | os.PathLike[str]) -> dict[str, tuple[list[str], list[str]]]:
    """The functions that the program in an output folder of cslc exports."""
    return get_api_info_dict_from_json(Path(bindir) / "bin" / "out_rpc.json")
