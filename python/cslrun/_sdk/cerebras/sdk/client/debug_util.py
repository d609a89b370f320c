"""Reads memory and traces after a run of the client's `SdkRuntime`."""

from __future__ import annotations

from typing import Any

from cerebras.sdk.client._runtime import SdkRuntime
from cerebras.sdk.debug import debug_util as local


class debug_util(local.debug_util):
    """The memory and traces of a stopped run of an artifact; `runtime` is the one that ran it."""

    def __init__(self, artifact_path: Any, runtime: SdkRuntime | None = None) -> None:
        if runtime is None:
            raise RuntimeError(f"the SdkRuntime keeps the data of its run: debug_util({str(artifact_path)!r}, runtime)")
        super().__init__(runtime.output_folder)
