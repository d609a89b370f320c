"""`CSELFRunner`: runs a program whose tensors come and go over the edges of the program rectangle, or by `<memcpy>`."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
from cerebras.elf import _programs
from cerebras.elf.cs_elf_runner import _batches, _edges
from cerebras.sdk.runtime._platform import refuse_system

import cslrun
from cslrun import simlog, snapshot, tensors
from cslrun._frames import HIDDEN as __tracebackhide__
from cslrun._native import Ticket

#: Arguments that change nothing on a simulated wafer.
_WITHOUT_EFFECT = {"debug_mode", "need_teardown", "rpc_hostname", "rpc_port", "rpc_protocol"}

#: Arguments for programs with `<memcpy>`.
_OF_MEMCPY = {"height", "input_colors", "output_colors", "width"}


class _Results(dict[str, npt.NDArray[Any]]):
    """The received tensors by name."""

    def __missing__(self, name: str) -> NoReturn:
        known = ", ".join(self) or "none; connect_and_run() receives them"
        raise KeyError(f"no output tensor '{name}' was received; there is {known}")


class CSELFRunner:
    """Runs a program compiled by cslc. Coordinates of symbols are those of the fabric, those of port maps count from the
    first PE of the program rectangle. The tensors of a program with `<memcpy>` stream to and from its PEs."""

    def __init__(
        self, elf_list: Sequence[str | os.PathLike[str]], cmaddr: str | None = None, **kwargs: Any
    ) -> None:
        refuse_system(cmaddr)
        self._folder, self._program = _programs.of_elf_files(elf_list)
        asked = sorted(kwargs.keys() & _OF_MEMCPY)
        if asked and not self._program.uses_memcpy:
            raise RuntimeError(
                f"unsupported: CSELFRunner with {', '.join(asked)} for a program that does not import <memcpy>"
            )
        for name in sorted(kwargs.keys() - _WITHOUT_EFFECT - _OF_MEMCPY):
            warnings.warn(f"CSELFRunner: cslrun does not support {name}; it has no effect", stacklevel=2)
        #: The received tensors by name.
        self.out_tensor_dict: dict[str, npt.NDArray[Any]] = _Results()
        self._tensors: list[_edges.EdgeTensor] = []
        #: The tensors of a program with `<memcpy>`, which do not cross the edges.
        self._batches = _batches.Batches(self._program.size) if self._program.uses_memcpy else None
        self._has_run = False
        snapshot.forget(self._folder)
        self._runner = cslrun.Runner(self._program)
        self._log: simlog.SimLog | None = None
        self._runner._native.belongs_to_script()
        if self._batches is None:
            self._runner._native.serve_edges()

    # Tensors

    def add_input_tensor(
        self, color: int, iportmap: _edges.Place, np_array: npt.NDArray[Any], sentinel: int | None = None, **kwargs: Any
    ) -> None:
        """Sends a tensor over the edges, one wavelet for each element, and then a control wavelet over each link if there
        is a sentinel. The place is a port map, or a side and a row or column."""
        if self._batches is not None and isinstance(iportmap, str):
            _refuse("add_input_tensor of a program with <memcpy>", {"sentinel": sentinel}, kwargs, "reusable")
            return self._batches.add_input(color, iportmap, np_array)
        _refuse("add_input_tensor", kwargs)
        if np_array is None:
            raise RuntimeError(f"the input tensor {iportmap} needs an array: without <memcpy> there is one batch")
        array = np.asarray(np_array)
        if isinstance(iportmap, str):
            name, shape, ports = _edges.mapped(iportmap, self._program.size)
            if _without_ones(shape) != _without_ones(array.shape):
                raise RuntimeError(
                    f"the input tensor '{name}' has the shape {array.shape}, but its port map has {shape}: {iportmap}"
                )
        else:
            side, offset = _side(iportmap)
            name, shape = f"{side} {offset}", array.shape
            ports = _edges.at_one(side, offset, array.size, self._program.size)
        self._add(name, color, shape, ports, array, sentinel)

    def add_output_tensor(self, color: int, oportmap: str, dtype: npt.DTypeLike, **kwargs: Any) -> None:
        """Receives a tensor over the edges: its elements are the data wavelets in the order of their arrival."""
        if self._batches is not None:
            _refuse("add_output_tensor of a program with <memcpy>", kwargs, {}, "reusable")
            return self._batches.add_output(color, oportmap, dtype)
        _refuse("add_output_tensor", kwargs)
        if not isinstance(oportmap, str):
            raise TypeError(f"an output tensor needs a port map, which names it; this is {oportmap!r}")
        name, shape, ports = _edges.mapped(oportmap, self._program.size)
        dtype = _edges.checked_dtype(name, dtype)
        self._keep(_edges.EdgeTensor(name, _edges.checked_color(color), shape, dtype, ports))

    def add_input_array(
        self,
        name: str,
        color: int,
        side: str,
        np_array: npt.NDArray[Any],
        offset: int = 0,
        sentinel: int | None = None,
        **kwargs: Any,
    ) -> None:
        """Sends an array over one side: its first index counts the PEs of the side."""
        if self._batches is not None:
            _refuse("add_input_array of a program with <memcpy>", {"sentinel": sentinel}, kwargs, "reusable")
            return self._batches.add_input(color, name, np_array)
        _refuse("add_input_array", kwargs)
        if np_array is None:
            raise RuntimeError(f"the input array '{name}' needs values: without <memcpy> there is one batch")
        array = np.asarray(np_array)
        ports = _edges.along(side, offset, array.shape, self._program.size)
        self._add(name, color, array.shape, ports, array, sentinel)

    def add_output_array(
        self, name: str, color: int, side: str, np_array: npt.NDArray[Any], offset: int = 0, **kwargs: Any
    ) -> None:
        """Receives an array of this shape and type over one side: its first index counts the PEs of the side."""
        array = np.asarray(np_array)
        if self._batches is not None:
            _refuse("add_output_array of a program with <memcpy>", kwargs, {}, "reusable")
            return self._batches.add_output_array(name, color, array)
        _refuse("add_output_array", kwargs)
        ports = _edges.along(side, offset, array.shape, self._program.size)
        dtype = _edges.checked_dtype(name, array.dtype)
        self._keep(_edges.EdgeTensor(name, _edges.checked_color(color), array.shape, dtype, ports))

    def _add(
        self,
        name: str,
        color: int,
        shape: tuple[int, ...],
        ports: list[_edges.Port],
        array: npt.NDArray[Any],
        sentinel: int | None,
    ) -> None:
        dtype = _edges.checked_dtype(name, array.dtype)
        number, values = _edges.checked_sentinel(sentinel), array.copy().ravel()
        self._keep(_edges.EdgeTensor(name, _edges.checked_color(color), shape, dtype, ports, values, number))

    def _keep(self, tensor: _edges.EdgeTensor) -> None:
        if self._has_run:
            raise RuntimeError(f"the tensor '{tensor.name}' comes too late: connect_and_run() has ended")
        is_input = tensor.values is not None
        for other in self._tensors:
            if (other.values is not None) != is_input:
                continue
            if not is_input and other.name == tensor.name:
                raise RuntimeError(f"there are two output tensors with the name '{tensor.name}'")
            shared = {(p.pe, p.side) for p in other.ports} & {(p.pe, p.side) for p in tensor.ports}
            if other.color == tensor.color and shared and not is_input:
                raise RuntimeError(
                    f"the output tensors '{other.name}' and '{tensor.name}' share color {tensor.color} at the same PE"
                )
        self._tensors.append(tensor)

    # The run

    def connect_and_run(self, core_file: str | os.PathLike[str] | None = None, **kwargs: Any) -> None:
        """Runs the program until all tensors have passed and nothing moves any more. The file gets the memory of all
        PEs."""
        _refuse("connect_and_run", kwargs)
        if self._has_run:
            raise RuntimeError("Cannot call connect_and_run() multiple times; make another CSELFRunner")
        self._has_run = True
        native = self._runner._native
        streams = [[tensor.stream(native, port) for port in tensor.ports] for tensor in self._tensors]
        try:
            with self._following.complete():
                if self._batches is None:
                    self._transfer(streams)
                else:
                    self.out_tensor_dict.update(self._batches.run(self._runner, self._batches.colors))
            self._finish()
        finally:
            snapshot.save(self._runner, self._folder)
            if core_file is not None:
                snapshot.write(self._runner, Path(core_file))

    #: An older name.
    run_on_simfabric = connect_and_run

    @property
    def _following(self) -> simlog.SimLog:
        """The log of what the program prints."""
        if self._log is None:
            self._log = simlog.SimLog(Path.cwd(), self._runner)
        return self._log

    def _finish(self) -> None:
        """Runs until nothing moves any more."""
        with self._following.complete():
            left, _ = self._runner._end()
        self._following.end()
        if left:
            print(left, end="", file=sys.stderr)

    # Several batches, of a program with `<memcpy>`.

    def load(self) -> None:
        """Loads a program that is given several batches."""
        self._of_memcpy("load")

    def start(self) -> None:
        """Starts it."""
        self._of_memcpy("start")

    def prepare_input_tensor(self, color: int, iportmap: str, np_array: npt.NDArray[Any]) -> None:
        """Gives the input of a color its values for the next batch."""
        self._of_memcpy("prepare_input_tensor").add_input(color, iportmap, np_array)

    def prepare_input_array(self, color: int, offset: int, np_array: npt.NDArray[Any]) -> None:
        """Gives the array of a color its values for the next batch."""
        self._of_memcpy("prepare_input_array").set_input(color, np_array)

    def run_batch(self, colors: Sequence[int]) -> None:
        """Sends the inputs of these colors, then receives the outputs of these colors."""
        batches = self._of_memcpy("run_batch")
        self._has_run = True
        with self._following.complete():
            self.out_tensor_dict.update(batches.run(self._runner, colors))

    def stop(self) -> None:
        """Ends a program that was given several batches."""
        self._of_memcpy("stop")
        self._has_run = True
        try:
            self._finish()
        finally:
            snapshot.save(self._runner, self._folder)

    def _of_memcpy(self, method: str) -> _batches.Batches:
        if self._batches is None:
            raise RuntimeError(f"unsupported: {method} of CSELFRunner for a program without <memcpy>; use connect_and_run()")
        return self._batches

    def _transfer(self, streams: list[list[int]]) -> None:
        """Sends and receives all tensors."""
        pairs = list(zip(self._tensors, streams))
        sent = [ticket for tensor, numbers in pairs for ticket in self._send(tensor, numbers)]
        received = [
            (tensor, [self._runner.queue_receive(n, p.elements.size) for n, p in zip(numbers, tensor.ports)])
            for tensor, numbers in pairs
            if tensor.values is None
        ]
        for tensor, tickets in received:
            flat = np.zeros(tensor.shape, np.uint32).ravel()
            for port, ticket in zip(tensor.ports, tickets):
                self._runner.wait(ticket)
                words = self._runner.take_words(ticket, port.elements.size)
                assert words is not None, "a transfer that is done has words"
                flat[port.elements] = words
            self.out_tensor_dict[tensor.name] = tensors.narrow(flat, tensor.dtype).reshape(tensor.shape)
        for ticket in sent:
            self._runner.wait(ticket)

    def _send(self, tensor: _edges.EdgeTensor, numbers: list[int]) -> list[Ticket]:
        if tensor.values is None:
            return []
        tickets = []
        for number, port in zip(numbers, tensor.ports):
            tickets.append(self._runner.queue_send(number, tensor.words(port)))
            if tensor.sentinel is not None:
                # The number of the control task lies in bits 16 to 21; routers do nothing.
                tickets.append(self._runner._native.queue_send_control(number, tensor.sentinel << 16))
        return tickets

    # Memory

    def set_symbol(self, col: int, row: int, symbol: str, np_array: npt.NDArray[Any]) -> None:
        """Sets a variable of one PE before the run, as bits."""
        if self._has_run:
            raise RuntimeError(f"set_symbol('{symbol}') comes too late: connect_and_run() has ended")
        x, y = snapshot.place(self._program, col, row)
        _programs.write(self._runner, x, y, symbol, np.asarray(np_array))

    def set_symbol_rect(self, symbol: str, np_array: npt.NDArray[Any], offset: tuple[int, int] = (0, 0)) -> None:
        """Sets a variable of a rectangle of PEs: the first index of the array counts columns, the second one rows."""
        array, (col, row) = np.asarray(np_array), offset
        if array.ndim < 2:
            raise RuntimeError(
                f"set_symbol_rect('{symbol}') takes an array by column and row of the PE, not one of shape {array.shape}"
            )
        for i in range(array.shape[0]):
            for j in range(array.shape[1]):
                self.set_symbol(col + i, row + j, symbol, array[i, j])

    def get_symbol(self, col: int, row: int, symbol: str, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """The memory of a variable of one PE."""
        x, y = snapshot.place(self._program, col, row)
        return np.frombuffer(self._runner.symbol(x, y, symbol), dtype=dtype).copy()

    def get_symbol_rect(
        self, rectangle: tuple[tuple[int, int], tuple[int, int]], symbol: str, dtype: npt.DTypeLike
    ) -> npt.NDArray[Any]:
        """The memory of a variable of a rectangle ((column, row), (width, height)), by column and row."""
        return snapshot.rectangle(rectangle, lambda col, row: self.get_symbol(col, row, symbol, dtype))

    def _read_trace(self, col: int, row: int, name: str) -> list[bool | int | float | str]:
        """The values that a PE recorded under a name."""
        x, y = snapshot.place(self._program, col, row)
        return self._runner.trace(x, y, name)


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(extent for extent in shape if extent != 1)


def _side(place: Any) -> tuple[str, int]:
    try:
        side, offset = place
        return str(side), int(offset)
    except (TypeError, ValueError):
        raise TypeError(f"the place of a tensor is a port map or a side with a number, not {place!r}") from None


def _refuse(method: str, kwargs: dict[str, Any], more: dict[str, Any] | None = None, known: str = "") -> None:
    for name, value in sorted((kwargs | (more or {})).items()):
        # What is off asks for nothing, and no value is one.
        if value and name != known:
            raise RuntimeError(f"unsupported: {name} of CSELFRunner.{method}")
