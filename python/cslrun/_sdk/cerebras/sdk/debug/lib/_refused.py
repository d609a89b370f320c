"""Readers of the vendor's trace and core files, which cslrun does not write."""

from typing import NoReturn


class Refused:
    """Raises a RuntimeError that names the replacement."""

    def __init__(self, *_args: object, **_kwargs: object) -> None:
        refuse(type(self).__name__)


def refuse(name: str) -> NoReturn:
    """Says what to use."""
    raise NotImplementedError(
        f"{name} reads files of the vendor's simulator, which cslrun does not write; "
        "`cslrun run --trace` and `--report` show instructions and wavelets of each cycle, and "
        "SdkRuntime.read_symbol and cerebras.sdk.debug.debug_util read memory"
    )
