"""The appliance client."""

from cerebras.sdk.client import SdkCompiler, SdkLauncher, SdkRuntime

__all__ = ["SdkCompiler", "SdkLauncher", "SdkRuntime"]
