import argparse

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name", help="the output folder of cslc")
args = parser.parse_args()

width, height, n = 3, 2, 4
blocks = np.arange(24, dtype=np.float32).reshape(height, width, n)
factors = np.full(width * height, 3.0, dtype=np.float32)

runner = SdkRuntime(args.name)
block, factor = runner.get_id("block"), runner.get_id("factor")
runner.load()
runner.run()

copy = dict(
    streaming=False,
    order=MemcpyOrder.COL_MAJOR,
    data_type=MemcpyDataType.MEMCPY_32BIT,
    nonblock=False,
)
# The first elements of all PEs, column by column, then the second ones, ..
flat = blocks.ravel(order="F")
print(flat[:7])
runner.memcpy_h2d(block, flat, 0, 0, width, height, n, **copy)
runner.memcpy_h2d(factor, factors, 0, 0, width, height, 1, **copy)
runner.launch("compute", nonblock=False)

result = np.zeros(width * height * n, dtype=np.float32)
runner.memcpy_d2h(result, block, 0, 0, width, height, n, **copy)
runner.stop()

result = result.reshape((height, width, n), order="F")
print(result[1, 2])
np.testing.assert_allclose(result, 3.0 * blocks)
print("SUCCESS")
