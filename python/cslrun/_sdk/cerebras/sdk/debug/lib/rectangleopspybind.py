"""Memory of a rectangle of PEs."""

from typing import NoReturn

from cerebras.sdk.debug.lib._refused import Refused, refuse


class RectangleDebugger(Refused):
    """Memory of a rectangle of PEs."""


class RectangleDebuggerSim(Refused):
    """Memory of a rectangle of simulated PEs."""


class RectangleDebuggerCM(Refused):
    """Memory of a rectangle of a system."""


def get_debugger(*_args: object, **_kwargs: object) -> NoReturn:
    """Refuses: there are other ways to read the memory of a rectangle of PEs."""
    refuse("get_debugger")
