"""`%%csl`, a cell of CSL in a notebook; `%load_ext cslrun` brings it."""

from __future__ import annotations

import argparse
import shlex
from typing import Any, NoReturn

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.display import HTML, display

import cslrun


class CellError(Exception):
    """The cell does not compile, or its run fails; the cell shows why, so that nothing is left to say."""

    def _render_traceback_(self) -> list[str]:
        return [f"CellError: {self}"]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"%%csl: {message}")


def _options() -> argparse.ArgumentParser:
    parser = _Parser(prog="%%csl", add_help=False, allow_abbrev=False)
    parser.add_argument("file", nargs="?", help="keep the cell as a file with this name, for other cells")
    parser.add_argument("--arch", default="wse2", choices=["wse2", "wse3"], help="the machine")
    parser.add_argument("--param", action="append", default=[], metavar="NAME=VALUE", help="the value of a param")
    parser.add_argument("--to", default="program", metavar="NAME", help="the variable for the program")
    parser.add_argument("--runner", default="runner", metavar="NAME", help="the variable for the run")
    parser.add_argument("--no-run", action="store_true", help="compile only")
    parser.add_argument("--max-cycles", type=int, metavar="N", help="the cycle limit")
    parser.add_argument("--dsd", metavar="NAME", help="draw this DSD of the cell, or the one that a line builds")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--report", action="store_true", help="show the run as a page")
    shown.add_argument("--profile", action="store_true", help="show where the cycles went")
    return parser


@magics_class
class CslMagics(Magics):
    """The magics of cslrun, with the files of this notebook."""

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell)
        #: The texts of cells by the names that they were given.
        self.files: dict[str, str] = {}

    @cell_magic
    def csl(self, line: str, cell: str) -> None:
        """Compiles and runs the cell as CSL.

        `%%csl pe.csl` keeps the cell as a file, which a layout in a later cell can name, and does nothing else.
        Without a name the cell is compiled, and run unless its host must launch functions; the program is in
        `program`, the run in `runner`.

        Options: `--arch wse3`, `--param N=4` (again for more), `--to NAME` and `--runner NAME` for other variables,
        `--no-run`, `--max-cycles N`, `--report`, `--profile`, `--dsd NAME`.
        """
        try:
            chosen = _options().parse_args(shlex.split(line))
        except ValueError as error:
            raise UsageError(f"%%csl: {error}") from None
        if chosen.file is not None:
            self.files[chosen.file] = cell
            return
        params = dict(_param(text) for text in chosen.param)
        try:
            if chosen.dsd is not None:
                self._draw(chosen, cell, params)
                return
            self._compile_and_run(chosen, cell, params)
        except cslrun.CslError as error:
            display(HTML("".join(diagnostic._repr_html_() for diagnostic in error.diagnostics)))
            first = next(iter(error.diagnostics), None)
            raise CellError(first.message if first else "internal error") from None

    def _draw(self, chosen: argparse.Namespace, cell: str, params: dict[str, Any]) -> None:
        try:
            display(cslrun.dsd(which=chosen.dsd, source_text=cell, files=self.files, arch=chosen.arch, params=params))
        except ValueError as error:
            raise UsageError(f"%%csl: {error}") from None

    def _compile_and_run(self, chosen: argparse.Namespace, cell: str, params: dict[str, Any]) -> None:
        assert self.shell is not None
        program = cslrun.compile(source_text=cell, files=self.files, arch=chosen.arch, params=params)
        self.shell.user_ns[chosen.to] = program
        if chosen.no_run:
            display(program)
            return
        runner = cslrun.Runner(program, max_cycles=chosen.max_cycles, report=chosen.report, profile=chosen.profile)
        self.shell.user_ns[chosen.runner] = runner
        if not program.functions:
            runner.finish()
        if chosen.report:
            display(runner.report())
        elif chosen.profile:
            display(runner.profile())
        else:
            display(runner)


def _param(text: str) -> tuple[str, bool | int | float]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"%%csl: --param {text}: write NAME=VALUE")
    if value in ("true", "false"):
        return name, value == "true"
    for kind in (lambda: int(value, 0), lambda: float(value)):
        try:
            return name, kind()
        except ValueError:
            continue
    raise UsageError(f"%%csl: --param {text}: the value must be a number, true or false")


def load_ipython_extension(shell: InteractiveShell) -> None:
    """What `%load_ext cslrun` calls."""
    shell.register_magics(CslMagics)
