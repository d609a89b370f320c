"""cslrun: compile CSL programs and run them on a simulated wafer.

    import cslrun

    program = cslrun.compile("layout.csl", params={"M": 4})
    runner = cslrun.Runner(program)
    runner.copy_in("A", matrix)
    runner.launch("compute")
    result = runner.read("y")
"""

from __future__ import annotations

from cslrun import _frames, commands
from cslrun._native import CompileError, CslError, InternalError, RunError, __version__

# The module `typing` takes longer to import than the native module.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cslrun.diagnostics import CslWarning, Diagnostic, Label
    from cslrun.outcomes import Printed, Profile, Report
    from cslrun.pictures import Picture, dsd
    from cslrun.program import Color, Export, Program, SymbolError, compile
    from cslrun.runner import Runner
    from cslrun.sweeps import sweep

# These modules import numpy, which takes longer than the commands that need none of them.
_HOMES = {
    "Color": "cslrun.program",
    "CslWarning": "cslrun.diagnostics",
    "Diagnostic": "cslrun.diagnostics",
    "Export": "cslrun.program",
    "Label": "cslrun.diagnostics",
    "Picture": "cslrun.pictures",
    "Printed": "cslrun.outcomes",
    "Profile": "cslrun.outcomes",
    "Program": "cslrun.program",
    "Report": "cslrun.outcomes",
    "Runner": "cslrun.runner",
    "SymbolError": "cslrun.program",
    "compile": "cslrun.program",
    "dsd": "cslrun.pictures",
    # What `%load_ext cslrun` looks for.
    "load_ipython_extension": "cslrun.magic",
    "sweep": "cslrun.sweeps",
}

__all__ = [
    "Color",
    "CompileError",
    "CslError",
    "CslWarning",
    "Diagnostic",
    "Export",
    "InternalError",
    "Label",
    "Picture",
    "Printed",
    "Profile",
    "Program",
    "Report",
    "RunError",
    "Runner",
    "SymbolError",
    "__version__",
    "compile",
    "dsd",
    "sweep",
]

_frames.hide()
commands.mark_first_process()


def __getattr__(name: str) -> Any:
    """Imports the module that a name of the package belongs to when somebody first uses the name."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The names that the package offers, and those of its modules."""
    return sorted(globals().keys() | _HOMES.keys())
