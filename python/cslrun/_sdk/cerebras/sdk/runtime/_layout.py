"""Layouts built in Python: code regions, connections, host streams."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cerebras.geometry.geometry import IntVector
from cerebras.sdk.runtime._platform import SdkCompileArtifacts, SdkExecutionPlatform, SdkTarget
from cerebras.sdk.runtime._region import CodeRegion, PortHandle
from cerebras.sdk.runtime._routes import FP16TYPE, Color, checked_color, is_integer

from cslrun import _native, snapshot
from cslrun.program import Program

#: Columns and rows of the machines, as the fabrics of public programs have them.
_WAFERS = {SdkTarget.WSE2: (757, 996), SdkTarget.WSE3: (762, 1172)}

_LARGEST_BUFFER = 0xFFFF


class SdkLayout:
    """A program assembled from code regions."""

    def __init__(self, platform: SdkExecutionPlatform | SdkTarget | str | os.PathLike[str], **kwargs: object) -> None:
        for name in sorted(kwargs.keys() - {"msg_level"}):
            warnings.warn(f"SdkLayout: cslrun does not support {name}; it has no effect", stacklevel=2)
        self._target, self._wafer = _machine(platform)
        self._regions: list[CodeRegion] = []
        self._connections: list[dict[str, Any]] = []
        self._streams: list[dict[str, Any]] = []

    # Regions

    def create_code_region(self, source: str | os.PathLike[str], name: str, width: int, height: int) -> CodeRegion:
        """Creates a rectangle of PEs that run the CSL file `source`."""
        if not isinstance(name, str):
            raise TypeError(f"the name of a code region must be a string, not {name!r}")
        for size in (width, height):
            if not is_integer(size):
                raise TypeError(f"the width and height of code region '{name}' must be integers, not {size!r}")
        if any(region.name == name for region in self._regions):
            raise RuntimeError(f"there is a code region '{name}' already; give this one another name")
        columns, rows = self._wafer
        if not 1 <= width <= columns or not 1 <= height <= rows:
            raise RuntimeError(
                f"code region '{name}' cannot have {width} x {height} PEs: the wafer has {columns} x {rows}"
            )
        # The script may go to another folder before it compiles.
        region = CodeRegion(self, os.path.abspath(source), name, int(width), int(height))
        self._regions.append(region)
        return region

    def hstack(self, children: Iterable[CodeRegion], origin: IntVector | None = None) -> int:
        """Places regions side by side from west to east; returns their total width."""
        return self._stack("hstack", children, origin, across=True)

    def vstack(self, children: Iterable[CodeRegion], origin: IntVector | None = None) -> int:
        """Places regions one below the other; returns their total height."""
        return self._stack("vstack", children, origin, across=False)

    def _stack(self, what: str, children: Iterable[CodeRegion], origin: IntVector | None, across: bool) -> int:
        children = [self._own_region(child, what) for child in children]
        if not children:
            raise RuntimeError(f"'{what}' requires at least one child.")
        if origin is not None and not isinstance(origin, IntVector):
            raise TypeError(f"the origin of {what}() must be an IntVector, not {origin!r}")
        x, y = children[0].origin or (0, 0) if origin is None else (origin.x, origin.y)
        length = 0
        for child in children:
            child.place(x + length if across else x, y if across else y + length)
            length += child.width if across else child.height
        return length

    # Connections

    def connect(self, tx: PortHandle, rx: PortHandle) -> None:
        """Connects an output port to an input port."""
        tx, rx = self._own_port(tx, "connect"), self._own_port(rx, "connect")
        if tx.is_input or not rx.is_input:
            raise RuntimeError(f"connect() connects an output port to an input port, not {tx} to {rx}")
        if tx.pes != rx.pes:
            raise RuntimeError(
                f"cannot connect ports with incompatible number of PEs: {tx} has {tx.pes}, but {rx} has {rx.pes}; "
                "make both edges the same length"
            )
        if tx.size != rx.size:
            raise RuntimeError(
                f"cannot connect ports with incompatible data sizes: {tx} has {tx.size} wavelets, but {rx} has "
                f"{rx.size}; give both the same data_size"
            )
        self._connections.append({"from": self._port(tx), "to": self._port(rx)})

    # Host streams

    def create_input_stream(
        self, port: PortHandle, io_loc: IntVector | None = None, io_buffer_size: int = 1024
    ) -> str:
        """Creates a stream from the host to an input port; returns the name for SdkRuntime.send()."""
        return self._create_stream(True, port, io_loc, io_buffer_size)

    def create_output_stream(
        self, port: PortHandle, io_loc: IntVector | None = None, io_buffer_size: int = 1024
    ) -> str:
        """Creates a stream from an output port to the host; returns the name for SdkRuntime.receive()."""
        return self._create_stream(False, port, io_loc, io_buffer_size)

    def create_input_stream_from_loc(self, loc: IntVector, color: Color, prefix: str = "") -> str:
        """Creates a stream from the host to a PE that receives a color from a neighbour."""
        return self._create_stream_at(True, loc, color, prefix)

    def create_output_stream_from_loc(self, loc: IntVector, color: Color, prefix: str = "") -> str:
        """Creates a stream to the host from a PE that sends a color to a neighbour."""
        return self._create_stream_at(False, loc, color, prefix)

    def _create_stream(self, is_input: bool, port: PortHandle, io_loc: IntVector | None, io_buffer_size: int) -> str:
        what = "create_input_stream" if is_input else "create_output_stream"
        port = self._own_port(port, what)
        if port.is_input != is_input:
            raise RuntimeError(f"{what}() takes an {'input' if is_input else 'output'} port; this is {port}")
        if port.pes != 1:
            raise RuntimeError(
                f"{what}() takes a port of 1 PE, but {port} has {port.pes}; put a code region between them that "
                f"{'distributes' if is_input else 'collects'} the words"
            )
        if not is_integer(io_buffer_size) or not 1 <= io_buffer_size <= _LARGEST_BUFFER:
            raise RuntimeError(f"the buffer of a stream has 1 to {_LARGEST_BUFFER} words, not {io_buffer_size!r}")
        if not is_input and port.size % 2:
            warnings.warn(
                f"{port} has {port.size} wavelets: for a stream to the host the vendor's runtime requires an even number",
                stacklevel=3,
            )
        place = None if io_loc is None else _place(io_loc, what)
        return self._add_stream(is_input, port.name, {"port": self._port(port)}, place, int(io_buffer_size))

    def _create_stream_at(self, is_input: bool, loc: IntVector, color: Color, prefix: str) -> str:
        what = f"create_{'input' if is_input else 'output'}_stream_from_loc"
        place = _place(loc, what)
        name = prefix + checked_color(color).get_global_name()
        return self._add_stream(is_input, name, {"at": (place, color)}, None, 1024)

    def _add_stream(
        self, is_input: bool, name: str, end: dict[str, Any], place: dict[str, int] | None, buffer: int
    ) -> str:
        taken = {stream["name"] for stream in self._streams}
        candidates = (name if n == 0 else f"{name}_{n}" for n in range(len(taken) + 1))
        name = next(candidate for candidate in candidates if candidate not in taken)
        stream = {"name": name, "input": is_input, "end": end, "io_loc": place, "buffer": buffer}
        self._streams.append(stream)
        return name

    # Compilation

    def compile(
        self,
        out_prefix: str | os.PathLike[str],
        libs: Iterable[str | os.PathLike[str]] = (),
        cslc_prefix: str = "",
        save_port_map: bool = False,
        f16_type: FP16TYPE = FP16TYPE.F16,
    ) -> SdkCompileArtifacts:
        """Compiles everything into the folder `out_prefix`. `cslc_prefix` and `save_port_map` have no effect:
        the compiler is built in, and the port map is always written."""
        del cslc_prefix, save_port_map
        if not self._regions:
            raise RuntimeError("the layout has no code region; make one with create_code_region()")
        colors = _Colors()
        description = self._description(colors)
        data = [words for region in self._regions for *_, words in region.symbols]
        description["colors"] = colors.specs()
        native, numbers, cautions, report = _native.compile_layout(
            json.dumps(description, default=colors.number),
            data,
            self._target.name.lower(),
            [os.path.abspath(lib) for lib in libs],
            FP16TYPE(f16_type).name,
        )
        for caution in cautions:
            warnings.warn(caution, stacklevel=2)
        if report:
            print(report, end="", file=sys.stderr)
        colors.choose(numbers)
        _write(Path(out_prefix), Program(native, report), colors.numbers(numbers))
        return SdkCompileArtifacts(os.path.abspath(out_prefix))

    def _description(self, colors: _Colors) -> dict[str, Any]:
        description = {
            "wafer": self._wafer,
            "regions": [_region(region) for region in self._regions],
            "connections": self._connections,
            "streams": self._streams,
        }
        # Every color that is named anywhere gets a place in the list.
        json.dumps(description, default=colors.number)
        return description

    def _own_region(self, region: CodeRegion, what: str) -> CodeRegion:
        if not isinstance(region, CodeRegion):
            raise TypeError(f"{what}() takes code regions, not {region!r}")
        if region.layout is not self:
            raise RuntimeError(f"code region '{region.name}' belongs to another layout")
        return region

    def _own_port(self, port: PortHandle, what: str) -> PortHandle:
        if not isinstance(port, PortHandle):
            raise TypeError(f"{what}() takes ports, which create_input_port() and create_output_port() make; not {port!r}")
        self._own_region(port.region, what)
        return port

    def _port(self, port: PortHandle) -> dict[str, int]:
        return {"region": self._regions.index(port.region), "port": port.index}


class _Colors:
    """The colors of a layout, one for each name."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, list[Color]]] = {}

    def number(self, color: Color) -> int:
        """The index of a color in the list."""
        name = checked_color(color).get_global_name()
        index, colors = self._known.setdefault(name, (len(self._known), []))
        if not any(color is other for other in colors):
            colors.append(color)
        wanted = {other.wanted for other in colors if other.wanted is not None}
        if len(wanted) > 1:
            raise RuntimeError(
                f"color '{name}' has the values {' and '.join(map(str, sorted(wanted)))}; colors with the same name "
                "are the same color: give it one value, or use another name"
            )
        return index

    def specs(self) -> list[dict[str, Any]]:
        """The name of each color and the number that the program requests."""
        wanted = {name: {color.wanted for color in colors} - {None} for name, (_, colors) in self._known.items()}
        return [{"name": name, "value": next(iter(values), None)} for name, values in wanted.items()]

    def choose(self, numbers: bytes) -> None:
        """Stores in each color the number that was chosen for it."""
        for (_, colors), number in zip(self._known.values(), numbers):
            for color in colors:
                color.assign(number)

    def numbers(self, numbers: bytes) -> dict[str, int]:
        """The number of each color by name."""
        return dict(zip(self._known, numbers))


def _region(region: CodeRegion) -> dict[str, Any]:
    x, y = region.origin or (0, 0)
    return {
        "name": region.name,
        "source": region.source,
        "area": (x, y, region.width, region.height),
        "placed": region.origin is not None,
        "params": region.params,
        "paints": region.paints,
        "ports": region.ports,
        "symbols": [{"name": name, "dtype": dtype} for name, dtype, _ in region.symbols],
    }


def _machine(
    platform: SdkExecutionPlatform | SdkTarget | str | os.PathLike[str],
) -> tuple[SdkTarget, tuple[int, int]]:
    """Returns the machine of a layout and the size of its wafer."""
    if isinstance(platform, SdkTarget):
        return platform, _WAFERS[platform]
    if isinstance(platform, SdkExecutionPlatform):
        return platform.target, _WAFERS[platform.target]
    if isinstance(platform, (str, os.PathLike)):
        return _fabric_file(Path(platform))
    raise TypeError(f"SdkLayout takes a platform, a target or the path of a fabric file, not {platform!r}")


def _fabric_file(path: Path) -> tuple[SdkTarget, tuple[int, int]]:
    """Reads a fabric file: JSON with the optional members `target`, `width` and `height`."""
    try:
        fabric = json.loads(path.read_text(encoding="utf-8"))
        target = SdkTarget[str(fabric.get("target", "WSE3")).upper()]
        width, height = _WAFERS[target]
        return target, (int(fabric.get("width", width)), int(fabric.get("height", height)))
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise RuntimeError(
            f"{path} is not a fabric file: cslrun reads a JSON object with target (WSE2 or WSE3), width and height ({error})"
        ) from None


def _place(loc: IntVector, what: str) -> dict[str, int]:
    if not isinstance(loc, IntVector):
        raise TypeError(f"{what}() takes a position as an IntVector, not {loc!r}")
    if not 0 <= loc.x <= 0xFFFF or not 0 <= loc.y <= 0xFFFF:
        raise RuntimeError(f"the place ({loc.x}, {loc.y}) of {what}() is not valid: it is not on the wafer")
    return {"x": int(loc.x), "y": int(loc.y)}


def _write(folder: Path, program: Program, colors: dict[str, int]) -> None:
    """Writes the files that SdkRuntime and host scripts read."""
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    # It belongs to the program that the folder held before.
    snapshot.forget(folder)
    program.save(folder / "bin" / "program.cslrun")
    buses = [
        {
            "port_name": name,
            "port_id": number,
            "direction": "input" if to_wafer else "output",
            "color": color,
            "x": x,
            "y": y,
            "buffer_size": buffer,
        }
        for number, (name, to_wafer, color, x, y, buffer) in enumerate(program.streams)
    ]
    files = {
        "out.json": {"params": {}, "colors": {name: str(number) for name, number in colors.items()}},
        "colors.json": colors,
        f"{folder.name}_port_map.json": {"buses": buses},
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
