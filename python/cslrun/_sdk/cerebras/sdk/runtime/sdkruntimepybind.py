"""The host side of a program: loads it, moves data, launches functions."""

from cerebras.sdk.runtime._layout import SdkLayout
from cerebras.sdk.runtime._platform import (
    MemcpyDataType,
    MemcpyOrder,
    SdkCompileArtifacts,
    SdkExecutionPlatform,
    SdkTarget,
    SimfabConfig,
    get_platform,
    get_simulator,
    get_system,
)
from cerebras.sdk.runtime._region import CodeRegion, PortHandle
from cerebras.sdk.runtime._routes import (
    FP16TYPE,
    Color,
    Edge,
    EdgeRouteInfo,
    Route,
    RoutingPosition,
    get_edge_routing,
)
from cerebras.sdk.runtime._runtime import SdkRuntime
from cerebras.sdk.runtime._streams import Task

WSE2 = SdkTarget.WSE2
WSE3 = SdkTarget.WSE3
MEMCPY_32BIT = MemcpyDataType.MEMCPY_32BIT
MEMCPY_16BIT = MemcpyDataType.MEMCPY_16BIT
ROW_MAJOR = MemcpyOrder.ROW_MAJOR
COL_MAJOR = MemcpyOrder.COL_MAJOR

__all__ = [
    "COL_MAJOR",
    "CodeRegion",
    "Color",
    "Edge",
    "EdgeRouteInfo",
    "FP16TYPE",
    "MEMCPY_16BIT",
    "MEMCPY_32BIT",
    "MemcpyDataType",
    "MemcpyOrder",
    "PortHandle",
    "ROW_MAJOR",
    "Route",
    "RoutingPosition",
    "SdkCompileArtifacts",
    "SdkExecutionPlatform",
    "SdkLayout",
    "SdkRuntime",
    "SdkTarget",
    "SimfabConfig",
    "Task",
    "WSE2",
    "WSE3",
    "get_edge_routing",
    "get_platform",
    "get_simulator",
    "get_system",
]
