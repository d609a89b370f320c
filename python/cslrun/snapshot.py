"""Snapshots: the memory and traces of a run that has ended, stored next to its program for debugging."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cslrun import _native
from cslrun.program import Program
from cslrun.runner import Runner

# A snapshot of more PEs would fill disks and take longer than most runs.
_MOST_PES = 4096


def save(runner: Runner, folder: str | os.PathLike[str]) -> None:
    """Writes the snapshot of a run that has ended, also of one that has failed, into the output folder of cslc.

    Nothing is written for very large programs, or if the folder is read-only: a missing snapshot
    must not make a run fail.
    """
    forget(folder)
    with suppress(OSError):
        if math.prod(runner.program.size) <= _MOST_PES:
            write(runner, _path(folder))


def forget(folder: str | os.PathLike[str]) -> None:
    """Removes the snapshot of an earlier run from the output folder of cslc, unless the folder is read-only."""
    with suppress(OSError):
        _path(folder).unlink(missing_ok=True)


def write(runner: Runner, path: str | os.PathLike[str]) -> None:
    """Writes a snapshot to a file."""
    Path(path).write_bytes(runner.snapshot_bytes())


def load(folder: str | os.PathLike[str]) -> tuple[Program, _native.Snapshot]:
    """Returns the snapshot that [save] has written, and its program."""
    path = _path(folder)
    if not path.is_file():
        raise RuntimeError(
            f"there is no snapshot in {folder}: run the program to stop() first "
            f"(programs of more than {_MOST_PES} PEs leave none)"
        )
    program = Program.load(Path(folder) / "bin" / "program.cslrun")
    return program, _native.Snapshot.load(program._native, str(path))


def _path(folder: str | os.PathLike[str]) -> Path:
    return Path(folder) / "bin" / "snapshot.cslrun"


def elements(memory: bytes, dtype: npt.DTypeLike, name: str) -> npt.NDArray[Any]:
    """The memory of a variable as an array."""
    wanted = np.dtype(dtype)
    if wanted.itemsize == 0 or len(memory) % wanted.itemsize:
        raise ValueError(
            f"`{name}` has {len(memory)} bytes, which are no whole number of elements of {wanted} "
            f"({wanted.itemsize} bytes each): pass the dtype that it has in the program"
        )
    return np.frombuffer(memory, dtype=wanted).copy()


def place(program: Program, col: int, row: int) -> tuple[int, int]:
    """The place in the program rectangle of a PE with fabric coordinates."""
    (dx, dy), (width, height) = program.offset, program.size
    x, y = int(col) - dx, int(row) - dy
    if not (0 <= x < width and 0 <= y < height):
        raise RuntimeError(
            f"({col}, {row}) is not a PE of the program: in the fabric the program occupies columns {dx} to "
            f"{dx + width - 1} and rows {dy} to {dy + height - 1}"
        )
    return x, y


def rectangle(
    of: tuple[tuple[int, int], tuple[int, int]], read: Callable[[int, int], npt.NDArray[Any]]
) -> npt.NDArray[Any]:
    """What the PEs of a rectangle ((column, row), (width, height)) give, by column and row."""
    (col, row), (width, height) = of
    return np.array([[read(col + i, row + j) for j in range(height)] for i in range(width)])
