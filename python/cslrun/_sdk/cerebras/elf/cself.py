"""Readers of ELF files. cslrun writes none: the readers look into the program and the snapshot of its run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from cerebras.elf import _programs

from cslrun import _native, snapshot


class ELFMemory:
    """The PEs of a program."""

    def __init__(self, *elf_files: str | os.PathLike[str]) -> None:
        _, self._program = _programs.of_elf_files(elf_files)

    def get_fabric_dimensions(self) -> tuple[int, int]:
        """Columns and rows of the fabric."""
        return self._program.fabric_size

    def iter_coordinates(self) -> Iterator[tuple[int, int]]:
        """Column and row of each PE in the fabric."""
        (dx, dy), (width, height) = self._program.offset, self._program.size
        return ((dx + x, dy + y) for y in range(height) for x in range(width))

    def get(self, *_args: object, **_kwargs: object) -> Any:
        """Refuses: there are no segments."""
        raise RuntimeError("unsupported: ELFMemory.get; CSELFRunner.get_symbol reads a variable")


class ELFLoader:
    """The memory of a run, which `CSELFRunner.connect_and_run(core_file)` has written."""

    def __init__(
        self, elf_file: str | os.PathLike[str] | None = None, core_file: str | os.PathLike[str] | None = None
    ) -> None:
        self._elf, self._core = elf_file, core_file

    def set_elf(self, elf_file: str | os.PathLike[str]) -> None:
        """Names the program."""
        self._elf = elf_file

    def set_core(self, core_file: str | os.PathLike[str]) -> None:
        """Names the file with the memory."""
        self._core = core_file

    def get_as_array_from(self, column: int, row: int, sym_name: str, sym_type: npt.DTypeLike) -> npt.NDArray[Any]:
        """The variable of one PE, with fabric coordinates."""
        if self._elf is None or self._core is None:
            raise RuntimeError("ELFLoader needs an ELF file and the file that connect_and_run(core_file) has written")
        _, program = _programs.of_elf_files([self._elf])
        left = _native.Snapshot.load(program._native, str(self._core))
        x, y = snapshot.place(program, column, row)
        return np.frombuffer(left.symbol(x, y, sym_name), dtype=sym_type).copy()

    def get_as_array(
        self, sym_name: str, local_shape: int | list[int], sym_type: npt.DTypeLike
    ) -> npt.NDArray[Any]:
        """The variable of all PEs by column and row of the fabric; zeros where the program has no PE."""
        if self._elf is None:
            raise RuntimeError("ELFLoader needs an ELF file")
        memory = ELFMemory(self._elf)
        local = [local_shape] if isinstance(local_shape, (int, np.integer)) else list(local_shape)
        found = np.zeros([*memory.get_fabric_dimensions(), *local], sym_type)
        for column, row in memory.iter_coordinates():
            found[column, row] = self.get_as_array_from(column, row, sym_name, sym_type).reshape(local)
        return found
