"""The runner of releases before 1.0."""

from cerebras.elf.cs_elf_runner.cs_elf_runner import CSELFRunner

__all__ = ["CSELFRunner"]
