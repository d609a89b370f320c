"""Helpers of host scripts."""

from cerebras.sdk.sdk_utils import *  # noqa: F403
