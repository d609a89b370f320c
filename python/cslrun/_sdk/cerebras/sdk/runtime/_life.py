"""The life of a runtime, from its constructor to stop(): errors about calls out of order."""

from __future__ import annotations

#: What to do about a command in a state in which the runtime takes none.
_FIRST = {
    "constructed": "call load() and run() first",
    "loaded": "call run() first",
    "stopped": "stop() has ended the program, so the command must come before it",
}


def no_command(state: str) -> RuntimeError:
    """A command outside of the time between run() and stop()."""
    return RuntimeError(f"SdkRuntime must be running to accept memcpy commands: {_FIRST[state]}")


def no_run(state: str) -> RuntimeError:
    """run() before load(), or once more."""
    advice = "call load() first" if state == "constructed" else "make another SdkRuntime for another run"
    return RuntimeError(f"Cannot call run() multiple times, or call run() if load() has not been called: {advice}")


def no_stop(state: str) -> RuntimeError:
    """stop() before run(), or once more."""
    advice = "remove this call" if state == "stopped" else _FIRST[state]
    return RuntimeError(f"Cannot call stop() multiple times, or call stop() if run() has not been called: {advice}")
