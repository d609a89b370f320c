"""`SdkCompiler`: cslc, called from Python."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from cerebras.appliance.errors import ApplianceUnknownError
from cerebras.sdk.client import _artifact, _settings
from cerebras.sdk.sdk_utils import getOutputNameFromCompileOptions

from cslrun.commands import environment


class SdkCompiler:
    """Compiles programs into artifacts; it also works as a context manager."""

    def __init__(self, **kwargs: object) -> None:
        _settings.check("SdkCompiler", kwargs)

    def __enter__(self) -> SdkCompiler:
        return self

    def __exit__(self, *_exception: object) -> None:
        pass

    def compile(
        self,
        app_path: str | os.PathLike[str],
        csl_main: str | os.PathLike[str],
        options: str = "",
        out_path: str | os.PathLike[str] | None = None,
    ) -> str:
        """Compiles the file `csl_main` of the folder `app_path` with options of cslc.

        Returns the path of the archive in the folder `out_path`. Without `out_path`, the archive goes into
        the current folder, and the result is its name without `.tar.gz`.
        """
        application = Path(app_path)
        if not application.is_dir():
            raise RuntimeError(f"SdkCompiler: there is no folder {os.fspath(app_path)!r} to compile in")
        words = _words(options)
        name = _output_name(options)
        with tempfile.TemporaryDirectory() as scratch:
            output = Path(scratch) / "out"
            _cslc(application, [os.fspath(csl_main), *words, "-o", os.fspath(output)])
            folder, file = _place(out_path)
            path = _artifact.write(application, output, name, folder, file)
        return str(path) if out_path is not None else path.name.removesuffix(".tar.gz")


def _cslc(folder: Path, words: list[str]) -> None:
    """Runs cslc in a folder and forwards its output."""
    command = ["cslc", *words]
    done = subprocess.run(command, cwd=folder, env=environment(os.environ), capture_output=True, text=True)
    if done.returncode != 0:
        text = (done.stderr + done.stdout).strip()
        raise ApplianceUnknownError(f"cslc could not compile {words[0]} (exit status {done.returncode}):\n{text}")
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr)


def _words(options: object) -> list[str]:
    """The options of cslc, one by one."""
    if not isinstance(options, str):
        raise TypeError(f"SdkCompiler: the options of cslc are one string, as on a command line, not {options!r}")
    try:
        return shlex.split(options)
    except ValueError as error:
        raise RuntimeError(f"SdkCompiler: the options {options!r} cannot be read: {error}") from None


def _output_name(options: str) -> str:
    """The output folder that the options of cslc name, as a path below the archive's folder."""
    path = Path(getOutputNameFromCompileOptions(options))
    return path.name if path.is_absolute() or ".." in path.parts or not path.parts else path.as_posix()


def _place(out_path: str | os.PathLike[str] | None) -> tuple[Path, str | None]:
    """The folder of the archive, and its name if the script gives one."""
    if out_path is None:
        return Path.cwd(), None
    path = Path(out_path)
    if path.suffix in (".gz", ".tgz") and not path.is_dir():
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.parent, path.name
    path.mkdir(parents=True, exist_ok=True)
    return path, None
