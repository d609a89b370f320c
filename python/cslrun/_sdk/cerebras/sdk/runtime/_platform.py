"""Execution platforms, and the constants of memcpy."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import IntEnum


class SdkTarget(IntEnum):
    """A machine."""

    WSE2 = 0
    WSE3 = 1


class MemcpyDataType(IntEnum):
    """The size of an element on the wafer."""

    MEMCPY_32BIT = 0
    MEMCPY_16BIT = 1


class MemcpyOrder(IntEnum):
    """How a host array lists the elements of the PEs."""

    ROW_MAJOR = 0
    COL_MAJOR = 1


@dataclass
class SimfabConfig:
    """Settings of the simulator. Without `num_threads` it uses as many threads as suit the wafer; it writes a trace
    into `simfab_traces` only if `suppress_trace` is False, not if it is missing."""

    num_threads: int | None = None
    suppress_trace: bool | None = None
    dump_core: bool = False
    core_path: os.PathLike[str] | str | None = None

    def _core_file(self) -> str | None:
        """Absolute path of the file that receives the memory of all PEs after the run, or None."""
        return os.path.abspath(self.core_path or "out.core") if self.dump_core else None


class SdkExecutionPlatform:
    """The simulator, the only platform that cslrun has."""

    def __init__(self, target: SdkTarget, config: SimfabConfig) -> None:
        self.target = target
        self.config = config

    def is_simulation(self) -> bool:
        """Always true."""
        return True

    def is_system(self) -> bool:
        """Always false."""
        return False


class SdkCompileArtifacts:
    """The output folder of a compilation."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)

    def add_port_mapping(self, file: str | os.PathLike[str]) -> SdkCompileArtifacts:
        """Checks only that the file exists: a compiled layout already contains its ports."""
        if not os.path.isfile(file):
            raise RuntimeError(f"there is no port map {os.fspath(file)}")
        return self


#: The address that the appliance client gives to scripts for `%CMADDR%`.
THIS_MACHINE = "cslrun.localhost:9000"


def refuse_system(address: str | None) -> None:
    """Raises an error unless the address means the simulator."""
    if address and address != THIS_MACHINE:
        raise RuntimeError(f"there is no system at {address!r}: cslrun only simulates; remove the address")


def get_simulator(config: SimfabConfig | None = None, target: SdkTarget = SdkTarget.WSE3) -> SdkExecutionPlatform:
    """The simulator."""
    if not isinstance(target, SdkTarget):
        raise TypeError(f"target must be SdkTarget.WSE2 or SdkTarget.WSE3, not {target!r}")
    return SdkExecutionPlatform(target, config or SimfabConfig())


def get_platform(
    addr: str | None = None,
    config: SimfabConfig | None = None,
    target: SdkTarget = SdkTarget.WSE3,
    *,
    cmaddr: str | None = None,
) -> SdkExecutionPlatform:
    """Returns the simulator if no address is given."""
    refuse_system(addr or cmaddr)
    return get_simulator(config, target)


def get_system(addr: str | None) -> None:
    """Raises an error: cslrun has no real system."""
    refuse_system(addr or "the given address")
