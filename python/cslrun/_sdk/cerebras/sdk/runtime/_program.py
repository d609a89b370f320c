"""The compiled program of a runtime: where it is, and whether it fits machine and platform."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from cerebras.sdk.runtime._platform import SdkCompileArtifacts, SdkExecutionPlatform

import cslrun
from cslrun._frames import HIDDEN as __tracebackhide__


def folder(artifacts: str | os.PathLike[str] | SdkCompileArtifacts) -> Path:
    """The output folder of a compilation, as an absolute path: host scripts change the working directory before they run
    the program."""
    given = artifacts.path if isinstance(artifacts, SdkCompileArtifacts) else artifacts
    if not isinstance(given, (str, os.PathLike)):
        raise TypeError(
            "SdkRuntime takes the folder that cslc has written, or what SdkLayout.compile() has returned; this is a "
            f"{type(given).__name__}"
        )
    return Path(given).absolute()


def threads(wanted: int | None, program: cslrun.Program) -> int | None:
    """How many threads simulate the wafer: as many as the script wants, if the machine and the wafer have room for
    them; None if it does not say."""
    if wanted is None:
        return None
    if isinstance(wanted, bool) or not isinstance(wanted, (int, np.integer)) or wanted < 1:
        raise ValueError(f"simfab_numthreads must be a whole number of at least 1, not {wanted!r}")
    _, rows = program.size
    return min(int(wanted), rows, os.cpu_count() or 1)


def check_machine(program: cslrun.Program, platform: SdkExecutionPlatform) -> None:
    """Raises an error if a program is compiled for another machine than that of the platform."""
    machine, own = platform.target.name, program.arch.upper()
    if machine == own:
        return
    needed = f"please use the correct compilation flag --arch={machine.lower()}"
    if program.is_layout:
        needed = "give this platform to SdkLayout"
    raise RuntimeError(
        f"the program is compiled for {own}, but the platform is a {machine}: {needed}, or run on "
        f"get_platform(target=SdkTarget.{own})"
    )


def load(folder: Path) -> cslrun.Program:
    """The program that `cslc` has written into a folder."""
    path = folder / "bin" / "program.cslrun"
    if folder.suffix == ".csl":
        raise RuntimeError(f"{folder} is a source file: give the folder that cslc has written with -o")
    if not path.is_file():
        raise RuntimeError(f"there is no compiled program in {folder}: compile one with cslc -o {folder}")
    return cslrun.Program.load(path)
