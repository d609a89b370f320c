"""Compiled programs."""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from cslrun import _native, levels

_DTYPES = {
    "bool": np.bool_,
    "i8": np.int8,
    "u8": np.uint8,
    "i16": np.int16,
    "u16": np.uint16,
    "f16": np.float16,
    "i32": np.int32,
    "u32": np.uint32,
    "f32": np.float32,
}


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
    def is_function(self):
        """Whether the host can launch it."""
        return self.inputs is not None

    @property
    def dtype(self):
        """The numpy type of an element."""
        try:
            return np.dtype(_DTYPES[self.element])
        except KeyError:
            raise TypeError(f"{self.name} ({self.type}) has no elements that numpy supports") from None


class Program:
    """A compiled program, made by [compile] or read from a file by [load]."""

    def __init__(self, native, warnings=""):
        self._native = native
        #: What the compiler has warned about, as text.
        self.warnings = warnings

    @classmethod
    def load(cls, path):
        """Reads a program that [save] or `cslc` has written."""
        return cls(_native.Program.load(os.fspath(path)))

    def save(self, path):
        """Writes the program to a file."""
        Path(path).write_bytes(self._native.to_bytes())

    @property
    def arch(self):
        """The machine: `wse2` or `wse3`."""
        return self._native.arch

    @property
    def size(self):
        """Columns and rows of the program rectangle."""
        return self._native.size

    @property
    def offset(self):
        """Column and row of the rectangle's north-west PE in the fabric."""
        return self._native.offset

    @property
    def fabric_size(self):
        """Columns and rows of the fabric."""
        return self._native.fabric_size

    @property
    def automatic_threads(self):
        """How many threads simulate the wafer unless the host says otherwise: more than 1 from 4,096 PEs on."""
        return self._native.automatic_threads

    @property
    def uses_memcpy(self):
        """Whether the program talks to the host through `<memcpy>`."""
        return self._native.uses_memcpy

    @property
    def is_layout(self):
        """Whether it was laid out in Python, as code regions."""
        return self._native.is_layout

    @property
    def streams(self):
        """The host streams of a layout, in order: name, whether the host sends, color, column and row of the
        PE that the host replaces, and how many words its buffer holds."""
        return self._native.streams()

    @cached_property
    def exports(self):
        """The exports that the host can use, by name, in the order of the layout."""
        exports = {}
        for name, ty, element, mutable, inputs in self._native.exports():
            inputs = None if inputs is None else tuple(inputs)
            exports[name] = Export(name, len(exports) + 1, ty, element, mutable, inputs)
        return exports

    def export(self, name):
        """The export with this name; a KeyError lists the names there are."""
        try:
            return self.exports[name]
        except KeyError:
            names = ", ".join(self.exports) or "nothing"
            raise KeyError(f"the program exports no {name!r}; it exports {names}") from None


def compile(path, *, arch="wse2", params=None, import_paths=(), allow=(), warn=(), deny=()):
    """Compiles a CSL file: a layout, or the program of a single PE.

    `params` gives values to the params of the file: ints, floats, bools or [Color]s. A program that is
    not valid CSL raises a CompileError with the compiler's report as its text.

    `allow`, `warn` and `deny` name rules and groups of rules, as `-A`, `-W` and `-D` do on the command
    line; they override the environment variable CSLRUN_FLAGS. The name of a rule takes precedence over that
    of its group.
    """
    values = [(name, _param(name, value)) for name, value in (params or {}).items()]
    paths = [os.fspath(p) for p in import_paths]
    native, warnings = _native.compile(os.fspath(path), arch, values, paths, levels.choices(allow, warn, deny))
    return Program(native, warnings)


def _param(name, value):
    """A value in the form that the native module takes: a plain number, or ("color", number)."""
    if isinstance(value, Color):
        return ("color", value.number)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (bool, int, float)):
        return (type(value).__name__, value)
    raise TypeError(f"param {name} is a {type(value).__name__}; it must be an int, a float, a bool or a Color")
