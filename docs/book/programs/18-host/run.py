import argparse

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name", help="the output folder of cslc")
args = parser.parse_args()

width, n = 4, 3
x = np.arange(width * n, dtype=np.float32)
y = np.ones(width * n, dtype=np.float32)

runner = SdkRuntime(args.name)
x_id, y_id = runner.get_id("x"), runner.get_id("y")
runner.load()
runner.run()

copy = dict(
    streaming=False,
    order=MemcpyOrder.ROW_MAJOR,
    data_type=MemcpyDataType.MEMCPY_32BIT,
    nonblock=False,
)
runner.memcpy_h2d(x_id, x, 0, 0, width, 1, n, **copy)
runner.memcpy_h2d(y_id, y, 0, 0, width, 1, n, **copy)
runner.launch("compute", np.float32(2.0), nonblock=False)

result = np.zeros(width * n, dtype=np.float32)
runner.memcpy_d2h(result, y_id, 0, 0, width, 1, n, **copy)
runner.stop()

print(result.reshape(width, n))
np.testing.assert_allclose(result, 2.0 * x + y)
print("SUCCESS")
