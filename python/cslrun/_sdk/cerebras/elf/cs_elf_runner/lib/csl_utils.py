"""Helpers of the runner of releases before 1.0."""


def read_trace(*_args, **_kwargs):
    """Raises a RuntimeError that names the replacement."""
    raise RuntimeError(
        "csl_utils.read_trace reads a CSELFRunner, which was removed in release 1.0; "
        "use cerebras.sdk.debug.debug_util after SdkRuntime.stop()"
    )
