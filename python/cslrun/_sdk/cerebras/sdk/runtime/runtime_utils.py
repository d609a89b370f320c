"""The helpers of releases before 1.0: those now in `cerebras.sdk.sdk_utils`, and port maps."""

from typing import Any

import numpy as np
import numpy.typing as npt
from cerebras.sdk.runtime._port_maps import (  # noqa: F401
    convert_input_tensor,
    format_output_tensor,
    prepare_output_tensor,
)
from cerebras.sdk.sdk_utils import *  # noqa: F403
from cerebras.sdk.sdk_utils import memcpy_view


def output_array_from_u32(np_arr: npt.NDArray[Any], datatype: npt.DTypeLike) -> npt.NDArray[Any]:
    """A new array with the low bytes of each 4-byte element, as `datatype`."""
    return np.array(memcpy_view(np_arr, datatype))
