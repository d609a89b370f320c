"""Errors about names and ids that are not those of a variable, or of a function."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cslrun.program import Export


def no_variable(symbol: object, export: Export | None, unknown: object, exports: Iterable[Export]) -> RuntimeError:
    """`symbol` stands where the id of a variable should; `unknown` is the last name that get_id did not find."""
    names = ", ".join(e.name for e in exports if not e.is_function) or "no variable"
    if export is not None:
        return RuntimeError(
            f"{symbol!r} is the id of the function `{export.name}`: launch() calls it; the variables are {names}"
        )
    if symbol is None and unknown is not None:
        return RuntimeError(f"{_missing(unknown)}; its variables are {names}")
    stream = "; the color of a stream needs streaming=True" if isinstance(symbol, (int, np.integer)) else ""
    return RuntimeError(
        f"{symbol!r} is not the id of an exported variable; get_id(name) gives it, with a name of: {names}{stream}"
    )


def no_function(function: object, export: Export | None, unknown: object, exports: Iterable[Export]) -> RuntimeError:
    """`function` stands where the name or id of a function should."""
    names = ", ".join(e.name for e in exports if e.is_function) or "no function"
    if export is not None:
        return RuntimeError(
            f"Cannot find exported function with name {function}; `{export.name}` is a variable, which memcpy_h2d and "
            f"memcpy_d2h copy; the program exports: {names}"
        )
    if function is None and unknown is not None:
        return RuntimeError(f"Cannot find exported function: {_missing(unknown)}; its functions are {names}")
    return RuntimeError(f"Cannot find exported function with name {function}; the program exports: {names}")


def _missing(name: object) -> str:
    return f"get_id({name!r}) has returned None, because the program exports no such name"
