"""Tensors of programs with `<memcpy>`: they stream to and from the PEs of the rectangle, in one batch or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from cerebras.elf.cs_elf_runner import _edges
from cerebras.sdk.runtime import _port_maps

import cslrun
from cslrun import tensors
from cslrun._frames import HIDDEN as __tracebackhide__
from cslrun._native import Ticket

#: Column, row, width and height of the PEs, elements of each, and the words by rows.
_Spread = tuple[int, int, int, int, int, npt.NDArray[np.uint32]]


@dataclass
class _Stream:
    """A tensor on a color."""

    name: str
    spread: _Spread | None
    #: The tensor from the words that have come; None for an input.
    formed: Callable[[npt.NDArray[np.uint32]], npt.NDArray[Any]] | None = None


class Batches:
    """The tensors of a program, by color."""

    def __init__(self, size: tuple[int, int]) -> None:
        self._size = size
        self._streams: dict[int, _Stream] = {}

    @property
    def colors(self) -> list[int]:
        """The colors of all tensors, in the order of the script."""
        return list(self._streams)

    def add_input(self, color: int, place: str, tensor: npt.ArrayLike | None) -> None:
        """Adds an input, or gives it other values. The place is a port map, or the name of an array by row and column."""
        is_map = isinstance(place, str) and place.lstrip().startswith("{")
        name = _port_maps.relation(place).name if is_map else place
        spread = None
        if tensor is not None:
            values = np.asarray(tensor)
            _edges.checked_dtype(name, values.dtype)
            spread = _port_maps.convert_input_tensor(place, values) if is_map else self._by_rows(name, values)
        self._streams[_edges.checked_color(color)] = _Stream(name, spread)

    def set_input(self, color: int, values: npt.ArrayLike) -> None:
        """Gives an array that is known other values."""
        self.add_input(color, self._known(color).name, values)

    def add_output(self, color: int, portmap: str, dtype: npt.DTypeLike) -> None:
        """Adds an output."""
        checked = _edges.checked_dtype(_port_maps.relation(portmap).name, dtype)
        spread = _port_maps.prepare_output_tensor(portmap, checked)

        def formed(words: npt.NDArray[np.uint32]) -> npt.NDArray[Any]:
            return _port_maps.format_output_tensor(portmap, checked, words)

        self._streams[_edges.checked_color(color)] = _Stream(_port_maps.relation(portmap).name, spread, formed)

    def add_output_array(self, name: str, color: int, array: npt.NDArray[Any]) -> None:
        """Adds an output by row and column."""
        dtype, shape = _edges.checked_dtype(name, array.dtype), array.shape

        def formed(words: npt.NDArray[np.uint32]) -> npt.NDArray[Any]:
            return tensors.narrow(words, dtype).reshape(shape)

        self._streams[_edges.checked_color(color)] = _Stream(name, self._by_rows(name, array), formed)

    def run(self, runner: cslrun.Runner, colors: Iterable[int]) -> dict[str, npt.NDArray[Any]]:
        """Sends the inputs among the colors, then receives the outputs among them."""
        streams = [(color, self._known(color)) for color in colors]
        sent: list[Ticket] = []
        for color, stream in streams:
            if stream.formed is None:
                if stream.spread is None:
                    raise RuntimeError(f"the input '{stream.name}' of color {color} has no values")
                x, y, w, h, _, words = stream.spread
                sent.append(runner.queue_stream_in(color, words, (x, y, w, h), pe_by_pe=False))
        asked: list[tuple[_Stream, Ticket, int]] = []
        for color, stream in streams:
            if stream.formed is not None and stream.spread is not None:
                x, y, w, h, count, words = stream.spread
                asked.append((stream, runner.queue_stream_out(color, count, (x, y, w, h), pe_by_pe=False), words.size))
        received = {}
        for stream, ticket, size in asked:
            runner.wait(ticket)
            taken = runner.take_words(ticket, size)
            assert taken is not None and stream.formed is not None, "a copy that is done has words"
            received[stream.name] = stream.formed(taken)
        for ticket in sent:
            runner.wait(ticket)
        return received

    def _known(self, color: int) -> _Stream:
        stream = self._streams.get(int(color))
        if stream is None:
            known = ", ".join(map(str, self._streams)) or "none"
            raise RuntimeError(f"no tensor has color {color}; there are tensors of {known}")
        return stream

    def _by_rows(self, name: str, array: npt.NDArray[Any]) -> _Spread:
        width, height = self._size
        if array.shape[:2] != (height, width):
            raise RuntimeError(
                f"the array '{name}' has the shape {array.shape}; its first two indices must be those of the {height} rows "
                f"and {width} columns of the program"
            )
        words = tensors.widen(array).reshape(-1)
        return 0, 0, width, height, words.size // (width * height), words
