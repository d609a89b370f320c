"""The appliance client, which compiles and runs on a cluster: not part of cslrun yet."""

_HELP = (
    "{name} talks to a cluster with a real wafer, which cslrun does not have. "
    "Compile with cslc and use cerebras.sdk.runtime.sdkruntimepybind.SdkRuntime instead."
)


class _Appliance:
    def __init__(self, *_args, **_kwargs):
        raise RuntimeError(_HELP.format(name=type(self).__name__))


class SdkCompiler(_Appliance):
    """Refuses, and says what to use."""


class SdkLauncher(_Appliance):
    """Refuses, and says what to use."""


class SdkRuntime(_Appliance):
    """Refuses, and says what to use."""
