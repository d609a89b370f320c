"""The names of `sdkruntimepybind`, for scripts written for the appliance."""

from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder

__all__ = ["MemcpyDataType", "MemcpyOrder"]
