"""Memory of a rectangle of PEs."""

from cerebras.sdk.debug.lib._refused import Refused, refuse


class RectangleDebugger(Refused):
    """Memory of a rectangle of PEs."""


class RectangleDebuggerSim(Refused):
    """Memory of a rectangle of simulated PEs."""


class RectangleDebuggerCM(Refused):
    """Memory of a rectangle of a system."""


def get_debugger(*_args, **_kwargs):
    """Refuses: memory of a rectangle of PEs can be seen otherwise."""
    refuse("get_debugger")
