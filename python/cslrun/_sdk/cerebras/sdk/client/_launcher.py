"""`SdkLauncher`: runs commands in the folder of an unpacked artifact."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from cerebras.appliance.errors import ApplianceUnknownError
from cerebras.sdk.client import _artifact, _settings
from cerebras.sdk.runtime._platform import THIS_MACHINE

from cslrun.commands import environment

_ADDRESS = "%CMADDR%"


class SdkLauncher:
    """Runs commands in a folder with an unpacked artifact."""

    def __init__(self, artifact_path: Any, simulator: bool = False, **kwargs: object) -> None:
        _settings.check("SdkLauncher", kwargs)
        self._artifact = _artifact.find(artifact_path)
        self._simulator = simulator
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._root: Path | None = None

    def __enter__(self) -> SdkLauncher:
        if not self._simulator:
            _settings.tell_that_there_is_no_system("SdkLauncher")
        self._folder = tempfile.TemporaryDirectory(prefix="cslrun-")
        self._root = _artifact.unpack(self._artifact, self._folder.name)
        # Scripts move this file when they are done.
        Path("run_meta.json").write_text(
            json.dumps({"artifact": str(self._artifact), "simulator": self._simulator}) + "\n", encoding="utf-8"
        )
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()
        self._root = None

    def stage(self, path: str | os.PathLike[str]) -> None:
        """Copies a file into the folder of the commands. A folder arrives unchanged, and also as
        `<name>.tar.gz`."""
        root, source = self._entered(), Path(path).resolve()
        if source.is_dir():
            shutil.copytree(source, root / source.name, dirs_exist_ok=True)
            with tarfile.open(root / f"{source.name}.tar.gz", "w:gz") as archive:
                archive.add(source, source.name)
        elif source.is_file():
            shutil.copy2(source, root)
        else:
            raise RuntimeError(f"SdkLauncher.stage: there is no file or folder {os.fspath(path)!r}")

    def run(self, *commands: str) -> str:
        """Runs shell commands one after the other; returns what they printed."""
        root = self._entered()
        return "".join(self._run(root, command) for command in commands)

    def download_artifact(self, name: str, out_path: str | os.PathLike[str]) -> None:
        """Copies a file or folder that the commands wrote to `out_path`."""
        fetch(self._entered(), name, out_path)

    def _run(self, root: Path, command: str) -> str:
        if not isinstance(command, str):
            raise RuntimeError(f"SdkLauncher.run takes commands as strings, not a {type(command).__name__}")
        if _ADDRESS in command and self._simulator:
            raise RuntimeError(f"there is no {_ADDRESS} with simulator=True; remove it from the command: {command}")
        done = subprocess.run(
            command.replace(_ADDRESS, THIS_MACHINE),
            shell=True,
            cwd=root,
            env=environment(os.environ),
            capture_output=True,
            text=True,
            errors="replace",
        )
        if done.returncode != 0:
            raise ApplianceUnknownError(
                f"the command failed with exit status {done.returncode}: {command}\n{done.stdout}{done.stderr}".rstrip()
            )
        print(done.stderr, end="", file=sys.stderr)
        return done.stdout

    def _entered(self) -> Path:
        if self._root is None:
            raise RuntimeError("SdkLauncher must run inside a `with` statement: with SdkLauncher(..) as launcher:")
        return self._root


def fetch(root: Path, name: str, out_path: str | os.PathLike[str]) -> None:
    """Copies a file or folder below `root` to a path of the script."""
    source, target = root / name, Path(out_path)
    if target.is_dir():
        target = target / source.name
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    elif source.is_file():
        shutil.copy2(source, target)
    else:
        there = ", ".join(sorted(entry.name for entry in root.iterdir()))
        raise RuntimeError(f"download_artifact: the run wrote no {name!r}; it wrote: {there}")
