"""cslrun: compile CSL programs and run them on a simulated wafer.

    import cslrun

    program = cslrun.compile("layout.csl", params={"M": 4})
    runner = cslrun.Runner(program)
    runner.copy_in("A", matrix)
    runner.launch("compute")
    result = runner.copy_out("y", 4)
"""

import importlib

from cslrun._native import CompileError, CslError, InternalError, RunError, __version__

# These modules import numpy, which takes longer than the commands that need none of them.
_HOMES = {
    "Color": "cslrun.program",
    "Export": "cslrun.program",
    "Program": "cslrun.program",
    "compile": "cslrun.program",
    "Printed": "cslrun.runner",
    "Runner": "cslrun.runner",
}

__all__ = [
    "Color",
    "CompileError",
    "CslError",
    "Export",
    "InternalError",
    "Printed",
    "Program",
    "RunError",
    "Runner",
    "__version__",
    "compile",
]


def __getattr__(name):
    """Imports the module that a name of the package belongs to when somebody first uses the name."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__():
    """The names that the package offers, and those of its modules."""
    return sorted(globals().keys() | _HOMES.keys())
