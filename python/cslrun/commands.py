"""The commands `cslrun`, `cslc` and `cs_python`, and others of the vendor."""

from __future__ import annotations

import itertools
import os
import sys

from cslrun import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

#: The folder with the modules that host scripts import.
SDK_MODULES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_sdk")

_CONTAINER_PREFIXES = ("SINGULARITYENV_", "APPTAINERENV_")

#: Options of `cs_python` and the variables that they set.
_OPTIONS = {
    "--cslrun-trace": "CSLRUN_TRACE",
    "--cslrun-report": "CSLRUN_REPORT",
    "--cslrun-profile": "CSLRUN_PROFILE",
    "--cslrun-seed": "CSLRUN_SEED",
    "--cslrun-threads": "CSLRUN_THREADS",
    "--cslrun-max-cycles": "CSLRUN_MAX_CYCLES",
    "--cslrun-flags": "CSLRUN_FLAGS",
    "--cslrun-debug": "CSLRUN_DEBUGGER",
}

#: Variables that name files: the script may change its folder before it runs the program.
_FILES = ("CSLRUN_TRACE", "CSLRUN_REPORT", "CSLRUN_PROFILE")

#: The variable that names the process whose files have the names that were asked for; those of its children have their
#: process numbers in them.
FIRST_PROCESS = "CSLRUN_FIRST_PROCESS"

#: Options of Python whose value is the next word.
_PYTHON_VALUES = ("-W", "-X", "--check-hash-based-pycs")

_HELP = """\
Usage: cs_python [options] [python options] SCRIPT [arguments]

Runs a host script with cslrun's version of the cerebras.sdk.* modules on its path.

Options, and the variables of the environment that do the same:
  --cslrun-trace FILE.json     CSLRUN_TRACE       write a trace of the run: .json for
                                                  https://ui.perfetto.dev, .txt for a list
  --cslrun-report FILE.html    CSLRUN_REPORT      write a page that shows the run
  --cslrun-profile FILE.html   CSLRUN_PROFILE     write a page that shows where the cycles went
                                                  (or .json, .speedscope.json, .pb, .txt)
  --cslrun-seed N              CSLRUN_SEED        vary what the machine leaves undefined, such as the
                                                  order of tasks that are ready at the same time
  --cslrun-threads N           CSLRUN_THREADS     threads for a large wafer
  --cslrun-max-cycles N        CSLRUN_MAX_CYCLES  stop with an error after this many cycles
  --cslrun-flags "-W overlap"  CSLRUN_FLAGS       levels of diagnostics (docs/levels.md)
  --cslrun-debug prompt        CSLRUN_DEBUGGER    debug the run at this terminal, or with the number
                                                  of a port in an editor (docs/debug.md)
CSLRUN_DEBUG=1 shows the frames of cslrun in tracebacks.

The second run of a script writes FILE-2.json, and so on; another process that it starts writes
FILE-p<process>.json. The script sees SINGULARITYENV_NAME=value
and APPTAINERENV_NAME=value as NAME=value.
"""


def cslrun() -> NoReturn:
    """The command `cslrun`."""
    sys.exit(_native.cslrun_command(sys.argv[1:]))


def cslc() -> NoReturn:
    """The command `cslc`."""
    sys.exit(_native.cslc(sys.argv[1:]))


def cs_python() -> NoReturn:
    """Runs a Python script as the SDK's interpreter would."""
    if sys.argv[1:2] in ([], ["-h"], ["--help"]):
        print(_HELP, end="")
        sys.exit(0 if sys.argv[1:] else 2)
    words, chosen = _options(sys.argv[1:])
    inside = environment(os.environ) | chosen
    asked = [name for name in _FILES if inside.get(name)]
    for name in asked:
        inside[name] = os.path.abspath(inside[name])
    if any(name in chosen for name in asked):
        inside[FIRST_PROCESS] = str(os.getpid())
    _check(inside)
    # The interpreter takes the place of this process: the script sees the arguments, traceback
    # and exit status that it would have under `python`.
    os.execve(sys.executable, [sys.executable, *words], inside)


def mark_first_process() -> None:
    """Processes that this one starts shall not write into the files that it is asked for."""
    if any(os.environ.get(name) for name in _FILES):
        os.environ.setdefault(FIRST_PROCESS, str(os.getpid()))


def sdk_debug_shell() -> NoReturn:
    """The vendor's wrapper around its tools; cslrun has only the compiler."""
    if sys.argv[1:2] == ["compile"]:
        sys.exit(_native.cslc(sys.argv[2:]))
    _refuse(" ".join(["sdk_debug_shell", *sys.argv[1:2]]), "`cslrun run --report FILE.html` and `--trace` show a run")


def csdb() -> NoReturn:
    """The vendor's debugger."""
    _refuse("csdb", "`cslrun debug FILE.csl` debugs a program, `cs_python --cslrun-debug prompt` a host script")


def cs_readelf() -> NoReturn:
    """The vendor's reader of ELF files."""
    _refuse("cs_readelf", "programs are not ELF files here; `cslrun dump` shows one")


def _refuse(command: str, instead: str) -> NoReturn:
    print(f"{command} is not supported by cslrun: {instead}", file=sys.stderr)
    sys.exit(5)


def _options(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """Takes the options of cs_python out of the words before the script; returns the words that are left, and the
    variables that the options set."""
    left: list[str] = []
    chosen: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name in _OPTIONS:
            value = value if equals else next(rest, "")
            if not value:
                _complain(f"{name} needs a value")
            chosen[_OPTIONS[name]] = value
        elif name.startswith("--cslrun-"):
            _complain(f"there is no option {name}; there are {', '.join(_OPTIONS)}")
        else:
            left.append(word)
            if word in _PYTHON_VALUES:
                left.extend(itertools.islice(rest, 1))
            elif not word.startswith("-") or word in ("-", "-c", "-m"):
                # The script, and what follows is for it.
                left.extend(rest)
    return left, chosen


def _check(inside: Mapping[str, str]) -> None:
    """Exits if a variable of cslrun is not valid; otherwise the script would fail much later."""
    for name in _OPTIONS.values():
        if name in inside:
            os.environ[name] = inside[name]
    try:
        _native.check_environment()
    except ValueError as error:
        _complain(str(error))


def _complain(text: str) -> NoReturn:
    print(f"cs_python: {text}", file=sys.stderr)
    sys.exit(2)


def environment(outside: Mapping[str, str]) -> dict[str, str]:
    """The environment inside `cs_python`."""
    inside = dict(outside)
    for name, value in outside.items():
        for prefix in _CONTAINER_PREFIXES:
            if name.startswith(prefix):
                inside[name.removeprefix(prefix)] = value
    inside["PYTHONPATH"] = _joined(SDK_MODULES, inside.get("PYTHONPATH"))
    # Scripts call cslc and cs_python themselves: they shall find those of this installation.
    import sysconfig  # the compiler starts sooner without

    inside["PATH"] = _joined(sysconfig.get_path("scripts"), inside.get("PATH"))
    return inside


def _joined(first: str, rest: str | None) -> str:
    return first + os.pathsep + rest if rest else first
