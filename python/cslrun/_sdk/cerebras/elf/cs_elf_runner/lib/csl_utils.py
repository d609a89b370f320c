"""Helpers of the runner of releases before 1.0."""

from typing import NoReturn


def read_trace(*_args: object, **_kwargs: object) -> NoReturn:
    """Raises a RuntimeError that names the replacement."""
    raise RuntimeError(
        "csl_utils.read_trace reads a CSELFRunner, which was removed in release 1.0; "
        "use cerebras.sdk.debug.debug_util after SdkRuntime.stop()"
    )
