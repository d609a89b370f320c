"""cslrun: compile CSL programs and run them on a simulated wafer.

    import cslrun

    program = cslrun.compile("layout.csl", params={"M": 4})
    runner = cslrun.Runner(program)
    runner.copy_in("A", matrix)
    runner.launch("compute")
    result = runner.copy_out("y", 4)
"""

from cslrun._native import CompileError, CslError, InternalError, RunError, __version__
from cslrun.program import Color, Export, Program, compile
from cslrun.runner import Printed, Runner

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
