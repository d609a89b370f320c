"""Reads memory and traces after a run."""

from cerebras.sdk.client.debug_util import debug_util

__all__ = ["debug_util"]
