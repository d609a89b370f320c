"""Which lines of a traceback belong to the user, and which to this package."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType, TracebackType

#: Whether pytest, too, leaves out the frames of the modules that import this as `__tracebackhide__`.
HIDDEN = not os.environ.get("CSLRUN_DEBUG")

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def hide() -> None:
    """From now on the traceback of an uncaught exception has no frames of this package, unless the environment
    variable CSLRUN_DEBUG is set."""
    if not HIDDEN:
        return
    before = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        shown: BaseException | None = error
        while shown is not None:
            shown.__traceback__ = without_package(shown.__traceback__)
            shown = shown.__cause__ or (None if shown.__suppress_context__ else shown.__context__)
        before(kind, error, without_package(trace))

    sys.excepthook = hook


def without_package(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of this package; the whole, if there are no others."""
    from types import TracebackType  # most programs have no errors

    kept = []
    entry = trace
    while entry is not None:
        if not _is_ours(entry.tb_frame):
            kept.append(entry)
        entry = entry.tb_next
    shown: TracebackType | None = None
    for entry in reversed(kept):
        shown = TracebackType(shown, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return shown or trace


def caller() -> str:
    """The line that has called into this package, such as `run.py:12`."""
    frame, _ = _outside()
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}" if frame else "?"


def stacklevel() -> int:
    """The `stacklevel` with which the caller of this function warns about the line outside of the package."""
    return _outside()[1] - 1


def _outside() -> tuple[FrameType | None, int]:
    frame: FrameType | None = sys._getframe(1)
    depth = 1
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
        depth += 1
    return frame, depth


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_PACKAGE)
