"""The archive that the compiler passes to the launcher and the runtime.

`cs_<hash>.tar.gz` holds one folder `cs_<hash>`: the output folder of cslc, its name in
`.csl_bin_name`, and the files of the application.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

#: The file of an archive that names the output folder of cslc.
_BIN_NAME = ".csl_bin_name"
# Data of this size does not belong to a program; it can be staged.
_LARGEST_FILE = 16 << 20


def write(application: Path, output: Path, name: str, folder: Path, file: str | None = None) -> Path:
    """Writes an archive of an application and the output folder of cslc, which is called
    `name` in it; returns its path. `file` replaces the default name, which is a hash."""
    members = {f"{name}/{path}": data for path, data in _files(output)}
    members |= {path: data for path, data in _files(application, _is_source) if path not in members}
    members[_BIN_NAME] = f"{name}\n".encode()
    root = "cs_" + _hash(members)
    path = Path(folder) / (file or f"{root}.tar.gz")
    # Without times the same program gives the same bytes.
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 1, raw, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w") as archive:
            for member, data in sorted(members.items()):
                info = tarfile.TarInfo(f"{root}/{member}")
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    return path.resolve()


def find(artifact: Any) -> Path:
    """Returns the archive or folder that a script refers to: a path, or the result of `compile`."""
    path = getattr(artifact, "path", artifact)
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(
            f"an artifact is the path that SdkCompiler().compile(..) has returned; this is a {type(artifact).__name__}"
        )
    given = os.fspath(path)
    for place in (Path(given), Path(f"{given}.tar.gz")):
        if place.is_file():
            return place.resolve()
    if Path(given).is_dir():
        return Path(given).resolve()
    raise RuntimeError(f"there is no artifact {given!r}: SdkCompiler().compile(..) makes one and returns its path")


def unpack(path: Path, folder: str) -> Path:
    """Unpacks an archive into a folder; returns the folder with the application's files."""
    problem = "it is a folder"
    if path.is_file():
        try:
            with tarfile.open(path) as archive:
                archive.extractall(folder, filter="data")
            problem = f"it has no folder with a file {_BIN_NAME}"
        except (tarfile.TarError, EOFError, OSError) as error:
            problem = str(error)
    for entry in Path(folder).iterdir():
        if (entry / _BIN_NAME).is_file():
            return entry
    raise RuntimeError(f"{path} is not an artifact of SdkCompiler: {problem}")


def output_of(root: Path) -> Path:
    """The output folder of cslc in an unpacked artifact."""
    return root / (root / _BIN_NAME).read_text(encoding="utf-8").strip()


def _hash(members: dict[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, data in sorted(members.items()):
        digest.update(f"{name}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()


def _files(folder: Path, wanted: Callable[[Path], bool] = lambda _path: True) -> Iterator[tuple[str, bytes]]:
    """The files below a folder: relative path and content."""
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if wanted(Path(where, name)))
        for name in files:
            path = Path(where, name)
            if path.is_file() and wanted(path):
                yield path.relative_to(folder).as_posix(), path.read_bytes()


def _is_source(path: Path) -> bool:
    """Whether a file or folder of an application goes into its archive: files that tools, earlier
    compilations and runs left there do not."""
    if path.name.startswith(".") or path.name in ("__pycache__", "simfab_traces"):
        return False
    if path.is_dir():
        is_environment = (path / "pyvenv.cfg").is_file() or (path / "site-packages").is_dir()
        return not is_environment and not (path / "bin" / "program.cslrun").is_file()
    return not path.name.endswith(".tar.gz") and path.stat().st_size <= _LARGEST_FILE
