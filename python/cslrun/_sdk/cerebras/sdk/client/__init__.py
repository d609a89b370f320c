"""The appliance client. Its cluster is this machine: cslrun compiles and simulates here what a script
sends to a cluster."""

from cerebras.sdk.client._compiler import SdkCompiler
from cerebras.sdk.client._launcher import SdkLauncher
from cerebras.sdk.client._runtime import SdkRuntime

__all__ = ["SdkCompiler", "SdkLauncher", "SdkRuntime"]
