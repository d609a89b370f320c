import argparse

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name", help="the output folder of cslc")
args = parser.parse_args()

width, height = 3, 2
start = np.arange(width * height, dtype=np.uint32)

runner = SdkRuntime(args.name)
depth = runner.get_id("depth")
runner.load()
runner.run()

copy = dict(
    streaming=False,
    order=MemcpyOrder.ROW_MAJOR,
    data_type=MemcpyDataType.MEMCPY_16BIT,
    nonblock=False,
)
runner.memcpy_h2d(depth, start, 0, 0, width, height, 1, **copy)
runner.launch("dive", np.int16(3), nonblock=False)

words = np.zeros(width * height, dtype=np.uint32)
runner.memcpy_d2h(words, depth, 0, 0, width, height, 1, **copy)
runner.stop()

depths = words
print(depths)
assert depths.tolist() == [-3, -2, -1, 0, 1, 2]
print("SUCCESS")
