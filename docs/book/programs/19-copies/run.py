import argparse

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
from cerebras.sdk.sdk_utils import memcpy_view

parser = argparse.ArgumentParser()
parser.add_argument("--name", help="the output folder of cslc")
args = parser.parse_args()

width, height = 3, 2  # PEs
rows, columns = 2, 2  # of the block of one PE
matrix = np.arange(24, dtype=np.float32).reshape(height * rows, width * columns)
factors = np.array([2.0, 0.5], dtype=np.float32)  # one for each row of PEs

runner = SdkRuntime(args.name)
block, factor, change = (runner.get_id(name) for name in ("block", "factor", "change"))
runner.load()
runner.run()

copy = dict(streaming=False, order=MemcpyOrder.ROW_MAJOR, nonblock=False)
single = dict(copy, data_type=MemcpyDataType.MEMCPY_32BIT)
half = dict(copy, data_type=MemcpyDataType.MEMCPY_16BIT)

# A[h][w][l]: for each PE, its block row by row.
blocks = matrix.reshape(height, rows, width, columns).transpose(0, 2, 1, 3)
runner.memcpy_h2d(block, blocks.ravel(), 0, 0, width, height, rows * columns, **single)
runner.memcpy_h2d_rowbcast(factor, factors, 0, 0, width, height, 1, **single)
runner.launch("compute", nonblock=False)

# One 32-bit word on the host for each element of 16 bits.
words = np.zeros(width * height, dtype=np.uint32)
runner.memcpy_d2h(words, change, 0, 0, width, height, 1, **half)
changes = memcpy_view(words, np.dtype(np.int16)).reshape(height, width)
print(changes)

# Only the second row of PEs.
lower = np.zeros(width * rows * columns, dtype=np.float32)
runner.memcpy_d2h(lower, block, 0, 1, width, 1, rows * columns, **single)
runner.stop()

lower = lower.reshape(width, rows, columns).transpose(1, 0, 2).reshape(rows, width * columns)
print(lower)
np.testing.assert_allclose(lower, 0.5 * matrix[2:])
assert changes.tolist() == [[7, 9, 11], [-9, -10, -11]]
print("SUCCESS")
