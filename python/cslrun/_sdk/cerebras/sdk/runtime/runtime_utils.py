"""The name that `cerebras.sdk.sdk_utils` had before release 1.0."""

from cerebras.sdk.sdk_utils import *  # noqa: F403
