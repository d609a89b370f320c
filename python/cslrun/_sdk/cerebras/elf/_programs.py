"""Programs of scripts that name ELF files, and the memory of their PEs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from cerebras.sdk.runtime import _program

import cslrun
from cslrun import _values
from cslrun._frames import HIDDEN as __tracebackhide__


def of_elf_files(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> tuple[Path, cslrun.Program]:
    """The output folder of cslc in which ELF files would lie, and its program. cslc writes all of it into one file, so
    the names of the ELF files do not matter."""
    listed = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    if not listed:
        raise RuntimeError("the list of ELF files is empty: compile the program first, and look for them in its bin folder")
    # Host scripts change the working directory before they run the program.
    folders = [Path(os.fspath(path)).absolute().parent.parent for path in listed]
    compiled = [folder for folder in folders if (folder / "bin" / "program.cslrun").is_file()]
    folder = compiled[0] if compiled else folders[0]
    return folder, _program.load(folder)


def write(runner: cslrun.Runner, x: int, y: int, name: str, array: npt.NDArray[Any]) -> None:
    """Writes the bits of an array to a variable of a PE, from its start."""
    scalar, sizes, _ = runner._peek(x, y, name)
    size = _values.dtype(name, scalar).itemsize
    room = size * int(np.prod(sizes, dtype=np.intp))
    if array.nbytes > room or array.nbytes % size:
        raise RuntimeError(f"'{name}' of PE({x},{y}) has {room} bytes, but the array has {array.nbytes}")
    bits = np.ascontiguousarray(array).reshape(-1).view(f"u{size}")
    runner._native.poke(x, y, name, [int(word) for word in bits])
