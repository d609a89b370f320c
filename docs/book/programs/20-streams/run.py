import argparse

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name", help="the output folder of cslc")
args = parser.parse_args()

n = 16
from_host, to_host = 1, 2  # the colors of the layout
x = np.arange(n, dtype=np.float32)
y = np.zeros(n, dtype=np.float32)

runner = SdkRuntime(args.name)
runner.load()
runner.run()

stream = dict(streaming=True, order=MemcpyOrder.ROW_MAJOR, data_type=MemcpyDataType.MEMCPY_32BIT)
sent = runner.memcpy_h2d(from_host, x, 0, 0, 1, 1, n, nonblock=True, **stream)
runner.memcpy_d2h(y, to_host, 1, 0, 1, 1, n, nonblock=False, **stream)
runner.task_wait(sent)
runner.stop()

print(y)
np.testing.assert_allclose(y, 2.0 * x + 1.0)
print("SUCCESS")
