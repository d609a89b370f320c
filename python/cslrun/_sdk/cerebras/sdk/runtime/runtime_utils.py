"""The helpers of releases before 1.0: those now in `cerebras.sdk.sdk_utils`, and port maps."""

from cerebras.sdk.runtime._port_maps import (  # noqa: F401
    convert_input_tensor,
    format_output_tensor,
    prepare_output_tensor,
)
from cerebras.sdk.sdk_utils import *  # noqa: F403
