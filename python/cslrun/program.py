"""Compiled programs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cslrun import _native, diagnostics, levels
from cslrun._frames import HIDDEN as __tracebackhide__
from cslrun.diagnostics import Diagnostic
from cslrun.levels import Names

#: The numpy type of each scalar type of CSL that has one.
DTYPES: dict[str, type[np.generic]] = {
    "bool": np.bool_,
    "i8": np.int8,
    "u8": np.uint8,
    "i16": np.int16,
    "u16": np.uint16,
    "f16": np.float16,
    "i32": np.int32,
    "u32": np.uint32,
    "f32": np.float32,
    "i64": np.int64,
    "u64": np.uint64,
}

#: The name of a program that is compiled from a text.
_TEXT = "program.csl"


class SymbolError(KeyError):
    """A program has no symbol with this name; the text says which ones it has."""

    # A traceback shows the name that scripts use.
    __module__ = "cslrun"

    def __str__(self) -> str:
        # A KeyError shows its text as a literal.
        return str(self.args[0])


@dataclass(frozen=True)
class Color:
    """A color as the value of a `param`."""

    number: int


@dataclass(frozen=True)
class Export:
    """A name that the layout advertises with `@export_name`."""

    #: The name.
    name: str
    #: Its number, counted from 1 in the order of the layout.
    id: int
    #: The type as written in CSL, such as `[*]f32`; `fn` of a function.
    type: str
    #: The scalar type of an element of a variable, such as `f32`; None of a function.
    element: str | None
    #: Whether the host may write the variable.
    mutable: bool
    #: The scalar types of a function's parameters; None of a variable.
    inputs: tuple[str, ...] | None

    @property
    def is_function(self) -> bool:
        """Whether the host can launch it."""
        return self.inputs is not None

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy type of an element."""
        try:
            return np.dtype(DTYPES[self.element or ""])
        except KeyError:
            raise TypeError(f"{self.name} ({self.type}) has no elements that numpy supports") from None


class Program:
    """A compiled program, made by [compile] or read from a file by [load]."""

    def __init__(self, native: _native.Program, warnings: str = "", diagnostics: Iterable[Diagnostic] = ()) -> None:
        self._native = native
        #: What the compiler has warned about, as text.
        self.warnings = warnings
        #: The same as data.
        self.diagnostics = tuple(diagnostics)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Program:
        """Reads a program that [save] or `cslc` has written.

        Raises
        ------
        OSError
            The file cannot be read.
        CslError
            The file is damaged, or comes from another build of cslrun.
        """
        return cls(_native.Program.load(os.fspath(path)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._native.to_bytes(), self.warnings, self.diagnostics)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the program to a file.

        Parameters
        ----------
        path
            The file, which is replaced if it is there.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        Path(path).write_bytes(self._native.to_bytes())

    @property
    def arch(self) -> str:
        """The machine: `wse2` or `wse3`."""
        return self._native.arch

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows of the program rectangle."""
        return self._native.size

    @property
    def offset(self) -> tuple[int, int]:
        """Column and row of the rectangle's north-west PE in the fabric."""
        return self._native.offset

    @property
    def fabric_size(self) -> tuple[int, int]:
        """Columns and rows of the fabric."""
        return self._native.fabric_size

    @property
    def automatic_threads(self) -> int:
        """How many threads simulate the wafer unless the host says otherwise: one for every 256 PEs, at least 1
        and at most one for each core."""
        return self._native.automatic_threads

    @property
    def uses_memcpy(self) -> bool:
        """Whether the program talks to the host through `<memcpy>`."""
        return self._native.uses_memcpy

    @property
    def is_layout(self) -> bool:
        """Whether it was laid out in Python, as code regions."""
        return self._native.is_layout

    @property
    def streams(self) -> list[tuple[str, bool, int, int, int, int]]:
        """The host streams of a layout, in order: name, whether the host sends, color, column and row of the
        PE that the host replaces, and how many words its buffer holds."""
        return self._native.streams()

    @property
    def functions(self) -> list[str]:
        """The functions that the host can launch: those that the layout advertises, and those that the code of a
        program without a layout block exports."""
        return self._native.functions()

    @cached_property
    def exports(self) -> dict[str, Export]:
        """The exports that the host can use, by name, in the order of the layout."""
        exports: dict[str, Export] = {}
        for name, ty, element, mutable, inputs in self._native.exports():
            types = None if inputs is None else tuple(inputs)
            exports[name] = Export(name, len(exports) + 1, ty, element, mutable, types)
        return exports

    def export(self, name: str) -> Export:
        """The export with this name.

        Parameters
        ----------
        name
            As the layout exports it.

        Returns
        -------
        Export
            The variable or function.

        Raises
        ------
        SymbolError
            The program exports no such name. It is a KeyError, and its text lists the names there are.
        """
        try:
            return self.exports[name]
        except KeyError:
            names = ", ".join(self.exports) or "nothing"
            raise SymbolError(f"the program exports no {name!r}; it exports {names}") from None

    def __repr__(self) -> str:
        width, height = self.size
        return f"<cslrun.Program for {self.arch}: {width} x {height} PEs, exports {', '.join(self.exports) or 'nothing'}>"

    def _repr_html_(self) -> str:
        import html  # host scripts start sooner without

        width, height = self.size
        rows = "".join(
            f"<tr><td><code>{html.escape(e.name)}</code></td><td><code>{html.escape(_signature(e))}</code></td></tr>"
            for e in self.exports.values()
        )
        table = f"<table><tr><th>export</th><th>type</th></tr>{rows}</table>" if rows else ""
        warned = "".join(d._repr_html_() for d in self.diagnostics)
        return f"<p><b>Program for {self.arch}</b>: {width} × {height} PEs</p>{table}{warned}"


def _restored(content: bytes, warnings: str, diagnostics: tuple[Diagnostic, ...]) -> Program:
    """A program that another process has pickled."""
    import tempfile  # host scripts start sooner without

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program"
        path.write_bytes(content)
        return Program(_native.Program.load(os.fspath(path)), warnings, diagnostics)


def _signature(export: Export) -> str:
    if export.inputs is not None:
        return f"fn({', '.join(export.inputs)}) void"
    return export.type if export.mutable else f"{export.type}, read only"


def compile(
    path: str | os.PathLike[str] | None = None,
    *,
    source_text: str | None = None,
    files: Mapping[str, str] | None = None,
    arch: str = "wse2",
    params: Mapping[str, Any] | None = None,
    import_paths: Iterable[str | os.PathLike[str]] = (),
    import_root: str | os.PathLike[str] | None = None,
    allow: Names = (),
    warn: Names = (),
    deny: Names = (),
) -> Program:
    """Compiles a CSL file: a layout, or the program of a single PE.

    Parameters
    ----------
    path
        The file: on disk, or one of `files`.
    source_text
        The text of the program, instead of `path`.
    files
        The texts of files by name. With it, or with `source_text`, nothing is read from disk: the program can
        import these files and the library.
    arch
        The machine: `wse2` or `wse3`.
    params
        Values of the params of the file: ints, floats, bools or [Color]s.
    import_paths
        More folders to search for imported files.
    import_root
        A folder that imports must not leave, for programs that you do not trust. By default there is no limit.
    allow, warn, deny
        Rules and groups of rules, as `-A`, `-W` and `-D` name them on the command line; they override the
        environment variable CSLRUN_FLAGS. The name of a rule takes precedence over that of its group.

    Returns
    -------
    Program
        The program. What the compiler warns about is in its `diagnostics`, and is a Python warning,
        [CslWarning].

    Raises
    ------
    CompileError
        The program is not valid CSL. The text is the report of the compiler; `diagnostics` is the same as data.
    FileNotFoundError, NotADirectoryError
        A folder to import from does not exist, or is a file.

    Examples
    --------
    >>> program = compile(source_text="export var x: u16 = 3;")
    >>> program.size
    (1, 1)
    """
    path, texts = sources(path, source_text, files)
    if not isinstance(params or {}, Mapping):
        raise TypeError(f"params are a dict from names to values, such as {{'n': 4}}, not {params!r}")
    values = [(name, _param(name, value)) for name, value in (params or {}).items()]
    root = None if import_root is None else os.fspath(import_root)
    imports = ([os.fspath(p) for p in import_paths], root)
    if texts is None:
        _check_folders(*imports)
    chosen = levels.choices(allow, warn, deny)
    native, report, found = _native.compile(path, arch, values, imports, chosen, texts)
    diagnostics.warn(found)
    return Program(native, report, found)


def _check_folders(import_paths: list[str], import_root: str | None) -> None:
    """Raises an error if there is no such folder to import from."""
    roots = [] if import_root is None else [import_root]
    for option, folders in [("import_paths", import_paths), ("import_root", roots)]:
        for folder in folders:
            if not os.path.exists(folder):
                raise FileNotFoundError(f"{option}: there is no folder {folder}")
            if not os.path.isdir(folder):
                raise NotADirectoryError(f"{option}: {folder} is not a folder")


def sources(
    path: str | os.PathLike[str] | None, source_text: str | None, files: Mapping[str, str] | None
) -> tuple[str, list[tuple[str, str]] | None]:
    """The path of a program, and the texts that are there; None if programs are read from disk."""
    if (path is None) == (source_text is None):
        raise TypeError("it takes either a path or source_text")
    if source_text is not None:
        return _TEXT, [(_TEXT, source_text), *(files or {}).items()]
    assert path is not None
    place = os.fspath(path)
    if files is None:
        return place, None
    if place not in files:
        raise SymbolError(f"there is no {place!r} in files; there are {', '.join(files) or 'none'}")
    return place, list(files.items())


def _param(name: str, value: Any) -> tuple[str, bool | int | float]:
    """A value in the form that the native module takes: the name of its type, such as "color", and the number;
    TypeError for anything else."""
    if isinstance(value, Color):
        return ("color", value.number)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (bool, int, float)):
        return (type(value).__name__, value)
    raise TypeError(f"param {name} is a {type(value).__name__}; it must be an int, a float, a bool or a Color")


def checked_program(program: object) -> Program:
    """Returns a program; raises a TypeError if it is none."""
    if not isinstance(program, Program):
        raise TypeError(f"a run needs a Program, which cslrun.compile() returns, not {program!r}")
    return program
