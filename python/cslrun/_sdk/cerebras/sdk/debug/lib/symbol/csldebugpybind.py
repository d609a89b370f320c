"""Symbols and traces of a run."""

from typing import NoReturn

from cerebras.sdk.debug.lib._refused import Refused, refuse


class CSLELFSymbol(Refused):
    """The symbols of one ELF file."""


class CSLSymbolTable(Refused):
    """The symbols of a fabric."""


class SimfabInstructionTraceCtf(Refused):
    """The instructions of a run."""


class SimfabWaveletTraceCtf(Refused):
    """The wavelets of a run."""


def get_instruction_timeline(*_args: object, **_kwargs: object) -> NoReturn:
    """Refuses: there are other ways to see the instructions of a PE."""
    refuse("get_instruction_timeline")
