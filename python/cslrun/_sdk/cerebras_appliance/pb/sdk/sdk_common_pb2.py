"""Constants of memcpy."""

from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder

__all__ = ["MemcpyDataType", "MemcpyOrder"]
