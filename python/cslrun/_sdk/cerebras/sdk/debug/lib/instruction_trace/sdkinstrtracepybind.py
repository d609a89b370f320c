"""Instructions of a run."""

from cerebras.sdk.debug.lib._refused import Refused


class SimfabInstructionTrace(Refused):
    """The instructions of a run."""


class InstructionTrace(Refused):
    """The instructions of a run."""


class Trace(Refused):
    """A part of them."""


class Instruction(Refused):
    """One of them."""


class SourceLine(Refused):
    """The line that one belongs to."""
