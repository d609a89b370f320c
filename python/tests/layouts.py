"""Layouts of code regions from the programs in `programs/regions`."""

import re

import pytest
from cerebras.sdk.runtime.sdkruntimepybind import Edge, Route, RoutingPosition, SdkRuntime, get_platform
from conftest import PROGRAMS

REGIONS = PROGRAMS / "regions"
TO_RAMP = RoutingPosition().set_output([Route.RAMP])
FROM_RAMP = RoutingPosition().set_input([Route.RAMP])


def region(layout, file, name, width=1, height=1, at=None, **params):
    """A code region with parameters that are the same on all PEs."""
    made = layout.create_code_region(str(REGIONS / f"{file}.csl"), name, width, height)
    for param, value in params.items():
        made.set_param_all(param, value)
    if at is not None:
        made.place(*at)
    return made


def compiled(layout):
    """The layout, compiled into the folder `out`."""
    return layout.compile(out_prefix="out")


def refuses(layout, text):
    """Checks that compiling raises a RuntimeError with this text in it."""
    with pytest.raises(RuntimeError, match=re.escape(text)):
        compiled(layout)


def running(layout, artifacts=None):
    """A run of the layout that has begun."""
    runtime = SdkRuntime(artifacts or compiled(layout), get_platform(target=layout._target), memcpy_required=False)
    runtime.load()
    runtime.run()
    return runtime


def finished(layout):
    """A run of the layout that has ended."""
    runtime = running(layout)
    runtime.stop()
    return runtime


def sender(layout, name, words, at, edge=Edge.RIGHT, width=1, height=1):
    """A region that sends `words`, a row for each PE, and its port."""
    count = words.shape[-1]
    made = region(layout, "send", name, width, height, at, count=count)
    # The words of a PE lie beside each other, and below each other if the region is a column.
    made.set_symbol_all("data", words, *((count * width, 1) if height == 1 else (count, height)))
    tx = made.color("tx")
    made.set_param_all(tx)
    return made.create_output_port(tx, edge, [FROM_RAMP], count)


def collector(layout, name, count, at, edge=Edge.LEFT, width=1, height=1):
    """A region that keeps the words that come, and its port."""
    made = region(layout, "collect", name, width, height, at, count=count)
    rx = made.color("rx")
    made.set_param_all(rx)
    return made.create_input_port(rx, edge, [TO_RAMP], count)


def adder(layout, name, at, step=1, size=8, edges=(Edge.LEFT, Edge.RIGHT), colors=None):
    """A region that adds a number to every word; its input and output port."""
    return answering(region(layout, "add", name, at=at, step=step), size, edges, colors)


def answering(made, size=8, edges=(Edge.LEFT, Edge.RIGHT), colors=None):
    """The input and the output port of a region that answers what it receives."""
    rx, tx = colors or (made.color("rx"), made.color("tx"))
    made.set_param_all("rx", rx)
    made.set_param_all("tx", tx)
    into = made.create_input_port(rx, edges[0], [TO_RAMP], size)
    return into, made.create_output_port(tx, edges[1], [FROM_RAMP], size)


def got(runtime, x, y):
    """The words that a PE of a collector has kept."""
    return runtime.read_symbol(x, y, "got", dtype="uint32")
