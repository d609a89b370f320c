"""Readers of ELF files, which cslrun does not write."""


class ELFMemory:
    """Raises a RuntimeError that names the replacement."""

    def __init__(self, *_args: object, **_kwargs: object) -> None:
        raise RuntimeError(
            "cslrun keeps programs in bin/program.cslrun, not in ELF files; "
            "use memcpy_d2h or cerebras.sdk.debug.debug_util to read memory"
        )
