"""Runs whose recordings are written when the interpreter exits."""

from __future__ import annotations

import atexit
import contextlib
import weakref
from typing import TYPE_CHECKING

from cslrun import _native

if TYPE_CHECKING:
    from cslrun.runner import Runner

#: Runs whose traces, reports and profiles are written when the interpreter exits, unless that has been done before.
RECORDED: weakref.WeakSet[Runner] = weakref.WeakSet()


@atexit.register
def _write_what_is_left() -> None:
    """Writes the recordings of runs that the script has neither finished nor dropped."""
    for runner in list(RECORDED):
        # A thread that the interpreter does not wait for may still use it.
        with contextlib.suppress(RuntimeError):
            runner.write_recordings()
    _native.wait_for_writers()
