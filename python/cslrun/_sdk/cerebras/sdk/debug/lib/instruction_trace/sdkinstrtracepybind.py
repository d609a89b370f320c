"""Instructions of a run."""

from cerebras.sdk.debug.lib._refused import Refused


class SimfabInstructionTrace(Refused):
    """The instructions of a run."""


class InstructionTrace(Refused):
    """The instructions of a run."""


class Trace(Refused):
    """A part of the instructions of a run."""


class Instruction(Refused):
    """One instruction of a run."""


class SourceLine(Refused):
    """The source line of an instruction."""
