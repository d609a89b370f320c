"""The appliance client. Its cluster is this machine: what a script compiles and runs there,
cslrun compiles and runs here."""

from cerebras.sdk.client._compiler import SdkCompiler
from cerebras.sdk.client._launcher import SdkLauncher
from cerebras.sdk.client._runtime import SdkRuntime

__all__ = ["SdkCompiler", "SdkLauncher", "SdkRuntime"]
