"""A host script as the vendor's examples are written: it doubles words on every PE of grid.csl."""

import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name", help="the output folder of cslc")
parser.add_argument("--cmaddr", help="IP:port of a real machine")
args = parser.parse_args()

with open(f"{args.name}/out.json", encoding="utf-8") as file:
    params = {name: int(value) for name, value in json.load(file)["params"].items()}
width, height, count = params["width"], params["height"], params["count"]

runner = SdkRuntime(args.name, cmaddr=args.cmaddr)
runner.load()
runner.run()
words = runner.get_id("words")
options = dict(streaming=False, order=MemcpyOrder.ROW_MAJOR, data_type=MemcpyDataType.MEMCPY_32BIT, nonblock=False)
sent = np.arange(height * width * count, dtype=np.uint32)
runner.memcpy_h2d(words, sent, 0, 0, width, height, count, **options)
runner.launch("double_all", nonblock=False)
back = np.zeros_like(sent)
runner.memcpy_d2h(back, words, 0, 0, width, height, count, **options)
runner.stop()
np.testing.assert_array_equal(back, 2 * sent)
print("SUCCESS!")
