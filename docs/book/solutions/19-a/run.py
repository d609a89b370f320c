import argparse

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name", help="the output folder of cslc")
args = parser.parse_args()

width, height = 3, 2  # PEs
rows, columns = 2, 2  # of the block of one PE
matrix = np.ones((height * rows, width * columns), dtype=np.float32)
factors = np.array([1.0, 10.0, 100.0], dtype=np.float32)  # one for each column of PEs

runner = SdkRuntime(args.name)
block, factor = runner.get_id("block"), runner.get_id("factor")
runner.load()
runner.run()

copy = dict(
    streaming=False,
    order=MemcpyOrder.ROW_MAJOR,
    data_type=MemcpyDataType.MEMCPY_32BIT,
    nonblock=False,
)
blocks = matrix.reshape(height, rows, width, columns).transpose(0, 2, 1, 3)
runner.memcpy_h2d(block, blocks.ravel(), 0, 0, width, height, rows * columns, **copy)
runner.memcpy_h2d_colbcast(factor, factors, 0, 0, width, height, 1, **copy)
runner.launch("compute", nonblock=False)

result = np.zeros(matrix.size, dtype=np.float32)
runner.memcpy_d2h(result, block, 0, 0, width, height, rows * columns, **copy)
runner.stop()

result = result.reshape(height, width, rows, columns).transpose(0, 2, 1, 3).reshape(matrix.shape)
print(result)
assert np.allclose(result[0], [1, 1, 10, 10, 100, 100])
assert np.allclose(result[3], [1, 1, 10, 10, 100, 100])
print("SUCCESS")
