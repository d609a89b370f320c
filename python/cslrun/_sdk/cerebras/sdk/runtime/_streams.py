"""`send` and `receive`: host streams of layouts built in Python."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from cerebras.sdk.runtime._region import PortHandle

from cslrun import Program, Runner
from cslrun._frames import HIDDEN as __tracebackhide__
from cslrun._native import Ticket

#: Arrays of which the number of wavelets is the number of elements.
_WAVELETS = (np.dtype(np.int32), np.dtype(np.uint32), np.dtype(np.float32))

_WORD = 4


def _needs_number(dtype: np.dtype[Any]) -> str:
    """What to do about an array whose elements are not wavelets."""
    usual = {"f": np.float32, "i": np.int32, "u": np.uint32}.get(dtype.kind)
    converted = f"convert it with `.astype(np.{usual.__name__})`, or " if usual and dtype.itemsize >= _WORD else ""
    return (
        f"send() needs the number of wavelets for an array of {dtype}: {converted}pass how many words of 32 bits its bytes "
        "are as n_wavelets"
    )


class Task:
    """A command that the host has issued."""

    def __init__(self, ticket: Ticket | None, receive: Callable[[], None] | None = None) -> None:
        self._ticket = ticket
        self._receive = receive

    def is_done(self, runner: Runner) -> bool:
        """Whether it is done."""
        return runner.is_done(self._issued)

    def wait(self, runner: Runner) -> None:
        """Runs until it is done."""
        runner.wait(self._issued)

    def poll(self, runner: Runner) -> bool:
        """Continues the simulation; returns whether it is done then."""
        self.wait(runner)
        return True

    def finish(self) -> None:
        """Delivers the data of the transfer."""
        if self._receive is not None:
            self._receive()

    @property
    def _issued(self) -> Ticket:
        assert self._ticket is not None, "what waits for no command has ways of its own to wait"
        return self._ticket


class Transfer(Task):
    """Words sent, or requested, on a stream."""

    def poll(self, runner: Runner) -> bool:
        """Runs until it is done, or until nothing can happen before the host acts."""
        return runner.wait_if_possible(self._issued)


class Sending(Transfer):
    """Words sent to the wafer."""

    def wait(self, runner: Runner) -> None:
        """Runs until the words have left the host. If there is no space for them, the host continues: how many
        words other systems would buffer is not known."""
        if not runner.wait_if_possible(self._issued):
            warnings.warn(
                f"on a machine with these buffers, send() would not return: {runner.describe_wait(self._issued)}; "
                "cslrun continues. Pass nonblock=True, or give the stream a larger io_buffer_size",
                stacklevel=4,
            )


class FileTask(Task):
    """A stream that is written to a file for as long as the program runs."""

    def __init__(self, stream: int, path: Path) -> None:
        super().__init__(None)
        self._stream = stream
        self._path = path
        self._is_written = False

    def is_done(self, runner: Runner | None) -> bool:
        """Whether the file is complete."""
        return self._is_written

    def wait(self, runner: Runner) -> None:
        """Runs until nothing more can arrive, and writes the file."""
        if not self._is_written:
            runner.run_until_quiet()
            self.write(runner)

    def poll(self, runner: Runner) -> bool:
        """Continues the simulation; only the end of the program completes the file."""
        if not self._is_written:
            runner.run_until_quiet()
        return self._is_written

    def write(self, runner: Runner) -> None:
        """Writes the words that have arrived."""
        if not self._is_written:
            self._path.write_bytes(runner.end_drain(self._stream))
            self._is_written = True


class Streams:
    """The host streams of a program."""

    def __init__(self, program: Program) -> None:
        self._streams = program.streams
        self._by_name = {stream[0]: number for number, stream in enumerate(self._streams)}
        #: Streams that go to files.
        self._files: dict[int, FileTask] = {}

    def number(self, port: str) -> int | None:
        """The number of a stream; None if there is no stream with this name."""
        return self._by_name.get(port)

    def report(self) -> str:
        """Name, direction, color and position of each stream, one per line."""
        lines = (
            f"{number} {name}: {'to' if to_wafer else 'from'} the wafer, color {color}, PE({x},{y})"
            for number, (name, to_wafer, color, x, y, _) in enumerate(self._streams)
        )
        return "\n".join(lines) or "the program has no ports"

    def send(self, runner: Runner, port: str | int, src: npt.NDArray[Any], n_wavelets: int | None) -> Sending:
        """Starts to send words."""
        stream = self._stream(port, to_wafer=True)
        if not isinstance(src, np.ndarray):
            raise TypeError(f"send() takes a numpy array, not a {type(src).__name__}")
        if n_wavelets is None:
            if src.dtype not in _WAVELETS:
                raise TypeError(_needs_number(src.dtype))
            n_wavelets = src.size
        data = np.ascontiguousarray(src).reshape(-1).view(np.uint8)
        self._check_size("send", port, data.size, n_wavelets)
        words = data[: n_wavelets * _WORD].view(np.uint32)
        return Sending(runner.queue_send(stream, words))

    def receive(self, runner: Runner, port: str | int, dest: npt.NDArray[Any], n_wavelets: int) -> Transfer:
        """Starts to receive words into an array."""
        stream = self._stream(port, to_wafer=False)
        if not isinstance(dest, np.ndarray):
            raise TypeError(f"receive() writes into a numpy array, not into a {type(dest).__name__}")
        if not dest.flags.writeable or not dest.flags.c_contiguous:
            raise RuntimeError("receive() writes in place: the array must be writable and contiguous")
        data = dest.reshape(-1).view(np.uint8)
        self._check_size("receive", port, data.size, n_wavelets)
        ticket = runner.queue_receive(stream, n_wavelets)

        def fill() -> None:
            words = runner.take_words(ticket, n_wavelets)
            if words is not None:
                data[: n_wavelets * _WORD] = words.view(np.uint8)

        return Transfer(ticket, fill)

    def receive_tofile(self, runner: Runner, port: str | int, outfile: str | os.PathLike[str]) -> FileTask:
        """Writes everything that arrives to a file."""
        stream = self._stream(port, to_wafer=False)
        task = FileTask(stream, Path(outfile).absolute())
        runner.drain(stream)
        self._files[stream] = task
        return task

    def close_files(self, runner: Runner) -> None:
        """Completes the files after the end of the program."""
        for task in self._files.values():
            task.write(runner)

    def _stream(self, port: str | int, to_wafer: bool) -> int:
        is_name = isinstance(port, str)
        number = port if isinstance(port, (int, np.integer)) else self._by_name.get(port) if is_name else None
        if number is None or not 0 <= number < len(self._streams):
            names = ", ".join(self._by_name) or "none"
            if isinstance(port, PortHandle):
                ports = "in" if port.is_input else "out"
                raise TypeError(
                    f"{port} is no stream: pass the name that create_{ports}put_stream() has returned; the program has {names}"
                )
            raise RuntimeError(f"there is no port {port!r}; the program has {names}")
        name, is_input, *_ = self._streams[number]
        if is_input != to_wafer:
            call, other = ("send", "receive") if to_wafer else ("receive", "send")
            way = "to" if is_input else "from"
            raise RuntimeError(f"{call}() on port '{name}', which carries words {way} the wafer; use {other}()")
        file = self._files.get(number)
        if file is not None and not file.is_done(None):
            raise RuntimeError(f"the data of port '{name}' go to a file; wait for receive_tofile() first")
        return number

    def _check_size(self, what: str, port: str | int, given: int, n_wavelets: int) -> None:
        if not isinstance(n_wavelets, (int, np.integer)) or n_wavelets < 0:
            raise TypeError(f"{what}() takes a number of wavelets, not {n_wavelets!r}")
        if given < n_wavelets * _WORD:
            raise RuntimeError(
                f"{what}() on port {port!r}: {n_wavelets} wavelets have {n_wavelets * _WORD} bytes, but the array has "
                f"{given}"
            )
