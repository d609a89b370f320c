"""The queue of commands of a run, and its host streams: what the modules of the SDK use."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cslrun import _frames, _native, tensors
from cslrun._frames import HIDDEN as __tracebackhide__
from cslrun._native import Ticket

#: Column, row, width and height in PEs of the program rectangle.
Region = tuple[int, int, int, int]


class CommandQueue:
    """Commands that a run executes one after the other, each with a ticket."""

    _native: _native.Runner
    _is_recorded: bool

    # The command queue: copies and launches run in the order in which they were queued.

    def queue_copy_in(self, name: str, words: npt.NDArray[Any], region: Region, bits: int) -> Ticket:
        """Queues a copy of A[height][width][count] with one element of 16 or 32 bits in each
        32-bit word; returns a ticket."""
        self._note_line()
        return self._native.queue_copy_in(name, region, tensors.words(words).tobytes(), bits)

    def queue_copy_out(self, name: str, count: int, region: Region, bits: int) -> Ticket:
        """Queues a copy of `count` elements from each PE; returns a ticket for [take_words]."""
        self._note_line()
        return self._native.queue_copy_out(name, region, count, bits)

    def queue_stream_in(self, color: int, words: npt.NDArray[Any], region: Region, *, pe_by_pe: bool) -> Ticket:
        """Queues words that reach the PEs as wavelets of a color; returns a ticket. With `pe_by_pe`, each
        PE of a row gets all its words before the next PE; otherwise the PEs take turns, word by word."""
        self._note_line()
        return self._native.queue_stream_in(color, region, tensors.words(words).tobytes(), pe_by_pe)

    def queue_stream_out(self, color: int, count: int, region: Region, *, pe_by_pe: bool) -> Ticket:
        """Queues a copy of `count` wavelets of a color from each PE; returns a ticket for
        [take_words]."""
        self._note_line()
        return self._native.queue_stream_out(color, region, count, pe_by_pe)

    def queue_launch(self, name: str, words: list[int]) -> Ticket:
        """Queues a launch of a function with one word per argument; returns a ticket."""
        self._note_line()
        return self._native.queue_launch(name, words)

    # Host streams of a layout, by their index in the program's list.

    def queue_send(self, stream: int, words: npt.NDArray[Any]) -> Ticket:
        """Sends words on a stream to the wafer; returns a ticket."""
        self._note_line()
        return self._native.queue_send(stream, tensors.words(words).tobytes())

    def queue_receive(self, stream: int, count: int) -> Ticket:
        """Requests words of a stream from the wafer; returns a ticket for [take_words]."""
        self._note_line()
        return self._native.queue_receive(stream, count)

    def wait_if_possible(self, ticket: Ticket) -> bool:
        """Runs until a transfer is done; returns False if it cannot finish before the host acts."""
        self._note_line()
        return self._native.run_until(ticket)

    def run_until_quiet(self) -> None:
        """Runs until nothing can happen before the host acts."""
        self._note_line()
        self._native.run_until_quiet()

    def drain(self, stream: int) -> None:
        """Starts to collect everything that arrives on a stream from the wafer."""
        self._native.drain(stream)

    def end_drain(self, stream: int) -> bytes:
        """Returns everything that has arrived since [drain], as little-endian bytes."""
        return self._native.end_drain(stream)

    def describe_wait(self, ticket: Ticket) -> str | None:
        """A sentence that says what an unfinished transfer waits for."""
        return self._native.describe_wait(ticket)

    def wait(self, ticket: Ticket) -> None:
        """Runs until a command is done; a launch is done once the function has started."""
        self._note_line()
        self._native.wait(ticket)

    def is_done(self, ticket: Ticket) -> bool:
        """Whether a command is done."""
        return self._native.is_done(ticket)

    def take_words(self, ticket: Ticket, size: int) -> npt.NDArray[np.uint32] | None:
        """The words of a finished copy, which can be taken only once; None if the copy failed."""
        words = self._native.take_words(ticket)
        return None if words is None else np.frombuffer(words, dtype="<u4", count=size).astype(np.uint32)

    def _note_line(self) -> None:
        """Tells a recording which line of the script the next command comes from."""
        if self._is_recorded:
            self._native.issued_at(_frames.caller())
