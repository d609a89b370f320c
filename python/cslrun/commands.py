"""The commands `cslc` and `cs_python`, and others of the vendor."""

import os
import sys
from pathlib import Path

from cslrun import _native

#: The folder with the modules that host scripts import.
SDK_MODULES = Path(__file__).parent / "_sdk"

_CONTAINER_PREFIXES = ("SINGULARITYENV_", "APPTAINERENV_")

_HELP = """\
Usage: cs_python [python options] SCRIPT [arguments]

Runs a host script with cslrun's version of the cerebras.sdk.* modules on its path.
CSLRUN_FLAGS sets levels of diagnostics, such as "-W overlap -A style" (docs/levels.md).
The script sees SINGULARITYENV_NAME=value and APPTAINERENV_NAME=value as NAME=value.
"""


def cslc():
    """The command `cslc`."""
    sys.exit(_native.cslc(sys.argv[1:]))


def cs_python():
    """Runs a Python script as the SDK's interpreter would."""
    if sys.argv[1:2] in ([], ["-h"], ["--help"]):
        print(_HELP, end="")
        sys.exit(0 if sys.argv[1:] else 2)
    inside = environment(os.environ)
    _check_levels(inside)
    # The interpreter takes the place of this process: the script sees the arguments, traceback
    # and exit status that it would have under `python`.
    os.execve(sys.executable, [sys.executable, *sys.argv[1:]], inside)


def sdk_debug_shell():
    """The vendor's wrapper around its tools; cslrun has only the compiler."""
    if sys.argv[1:2] == ["compile"]:
        sys.exit(_native.cslc(sys.argv[2:]))
    _refuse(" ".join(["sdk_debug_shell", *sys.argv[1:2]]), "`cslrun run --report FILE.html` and `--trace` show a run")


def csdb():
    """The vendor's debugger."""
    _refuse("csdb", "`cslrun run --report FILE.html` shows a run, and SdkRuntime.read_symbol reads memory")


def cs_readelf():
    """The vendor's reader of ELF files."""
    _refuse("cs_readelf", "programs are not ELF files here; `cslrun dump` shows one")


def _refuse(command, instead):
    print(f"{command} is not supported by cslrun: {instead}", file=sys.stderr)
    sys.exit(5)


def _check_levels(inside):
    """Exits if CSLRUN_FLAGS is not valid; otherwise the script would fail much later."""
    if "CSLRUN_FLAGS" in inside:
        os.environ["CSLRUN_FLAGS"] = inside["CSLRUN_FLAGS"]
    try:
        _native.check_environment()
    except ValueError as error:
        print(f"cs_python: {error}", file=sys.stderr)
        sys.exit(2)


def environment(outside):
    """The environment inside `cs_python`."""
    inside = dict(outside)
    for name, value in outside.items():
        for prefix in _CONTAINER_PREFIXES:
            if name.startswith(prefix):
                inside[name.removeprefix(prefix)] = value
    inside["PYTHONPATH"] = _joined(str(SDK_MODULES), inside.get("PYTHONPATH"))
    # Scripts call cslc and cs_python themselves: they shall find those of this installation.
    import sysconfig  # the compiler starts sooner without

    inside["PATH"] = _joined(sysconfig.get_path("scripts"), inside.get("PATH"))
    return inside


def _joined(first, rest):
    return first + os.pathsep + rest if rest else first
