"""Helpers of the runner of releases before 1.0."""

from cerebras.elf.cs_elf_runner.cs_elf_runner import CSELFRunner


def read_trace(runner: CSELFRunner, col: int, row: int, name: str) -> list[bool | int | float | str]:
    """The values that a PE recorded under a name, in order; coordinates are those of the fabric."""
    return runner._read_trace(col, row, name)
