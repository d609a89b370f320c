"""Copies of whole variables of the program of the fixture `runtime`, and their options."""

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder
from conftest import COUNT, HEIGHT, WIDTH

ROWS = {
    "streaming": False,
    "order": MemcpyOrder.ROW_MAJOR,
    "data_type": MemcpyDataType.MEMCPY_32BIT,
    "nonblock": False,
}
LATER = {**ROWS, "nonblock": True}
HALVES = {**ROWS, "data_type": MemcpyDataType.MEMCPY_16BIT}
SIZE = HEIGHT * WIDTH * COUNT
REGION = (0, 0, WIDTH, HEIGHT)


def read(runtime, name, count=COUNT, region=REGION, **changes):
    """The words of a variable on the PEs of a region."""
    array = np.zeros(region[2] * region[3] * count, dtype=np.uint32)
    runtime.memcpy_d2h(array, runtime.get_id(name), *region, count, **{**ROWS, **changes})
    return array
