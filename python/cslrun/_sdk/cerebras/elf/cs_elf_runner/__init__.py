"""The runner of releases before 1.0."""


class CSELFRunner:
    """Raises a RuntimeError that names the replacement."""

    def __init__(self, *_args: object, **_kwargs: object) -> None:
        raise RuntimeError(
            "CSELFRunner was removed in release 1.0; port the script to "
            "cerebras.sdk.runtime.sdkruntimepybind.SdkRuntime and compile with --memcpy --channels=1"
        )
