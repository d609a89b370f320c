"""The helpers of `cerebras.sdk.sdk_utils` under the client's name."""

from cerebras.sdk.sdk_utils import *  # noqa: F403
