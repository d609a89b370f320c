import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import (
    Edge,
    Route,
    RoutingPosition,
    SdkLayout,
    SdkRuntime,
    SdkTarget,
    SimfabConfig,
    get_platform,
)

n = 16
platform = get_platform(None, SimfabConfig(), SdkTarget.WSE2)
layout = SdkLayout(platform)

region = layout.create_code_region("region.csl", "double", 1, 1)
region.place(4, 4)
rx, tx = region.color("rx"), region.color("tx")
region.set_param_all("n", n)
region.set_param_all(rx)
region.set_param_all(tx)

to_ramp = RoutingPosition().set_output([Route.RAMP])
from_ramp = RoutingPosition().set_input([Route.RAMP])
input_port = region.create_input_port(rx, Edge.LEFT, [to_ramp], n)
output_port = region.create_output_port(tx, Edge.RIGHT, [from_ramp], n)
to_wafer = layout.create_input_stream(input_port)
from_wafer = layout.create_output_stream(output_port)

artifacts = layout.compile(out_prefix="out")
runtime = SdkRuntime(artifacts, platform, memcpy_required=False)
runtime.load()
runtime.run()

x = np.arange(n, dtype=np.float32)
y = np.zeros(n, dtype=np.float32)
runtime.send(to_wafer, x, nonblock=True)
runtime.receive(from_wafer, y, n, nonblock=False)
runtime.stop()

print(y)
np.testing.assert_allclose(y, 2.0 * x + 1.0)
print("SUCCESS")
