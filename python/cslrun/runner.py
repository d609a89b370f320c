"""A program on a simulated wafer."""

from dataclasses import dataclass

import numpy as np

from cslrun import _native, levels, tensors


@dataclass(frozen=True)
class Printed:
    """A line that a PE printed."""

    cycle: int
    x: int
    y: int
    text: str


class Runner:
    """One run of a program.

    Regions are `(x, y, width, height)` in PEs of the program rectangle and default to all of it.
    An error on the wafer raises a RunError with the simulator's report as its text, and so does a wafer that does
    not fit into memory. `threads` is the number of threads that simulate the PEs of a large wafer; by default a
    wafer of 4,096 PEs or more runs on all cores. The results do not depend on it. `allow`, `warn` and `deny` name
    rules and groups, as for [compile].
    """

    def __init__(self, program, *, checked=True, max_cycles=None, threads=None, allow=(), warn=(), deny=()):
        _, rows = program.size
        if threads is not None and not 1 <= threads <= rows:
            raise ValueError(f"threads={threads}: a wafer with {rows} rows can use 1 to {rows} threads")
        self.program = program
        chosen = levels.choices(allow, warn, deny)
        self._native = _native.Runner(program._native, checked, max_cycles, threads, chosen)

    def copy_in(self, name, values, *, region=None):
        """Writes an exported variable: `values` has the shape (height, width, count), or
        (count,) for the same values on every PE."""
        export = self._variable(name)
        region = self._region(region)
        _, _, w, h = region
        elements = tensors.converted(values, export.dtype)
        if elements.ndim == 1:
            elements = np.broadcast_to(elements, (h, w, elements.size))
        if elements.ndim != 3 or elements.shape[:2] != (h, w):
            raise ValueError(
                f"values for {name} have the shape {elements.shape}; a region of {w} x {h} PEs takes "
                f"(height {h}, width {w}, count), or (count,) for the same on every PE"
            )
        self.wait(self.queue_copy_in(name, tensors.widen(elements), region, _bits(export)))

    def copy_out(self, name, count, *, region=None):
        """Reads `count` elements of an exported variable: an array (height, width, count)."""
        export = self._variable(name)
        region = self._region(region)
        ticket = self.queue_copy_out(name, count, region, _bits(export))
        self.wait(ticket)
        _, _, w, h = region
        return tensors.narrow(self.take_words(ticket, h * w * count), export.dtype).reshape(h, w, count)

    def launch(self, name, *args):
        """Calls an exported function on every PE. It returns as soon as the launch is
        issued; the next command, or [finish], waits for the function to end."""
        inputs = self.program.export(name).inputs
        if inputs is None:
            raise TypeError(f"{name} is a variable; functions can be launched")
        if len(args) != len(inputs):
            raise TypeError(f"{name} takes {len(inputs)} arguments ({', '.join(inputs)}), not {len(args)}")
        self.wait(self.queue_launch(name, [_argument(name, ty, arg) for ty, arg in zip(inputs, args)]))

    def finish(self):
        """Runs until every command is done and nothing moves any more; returns warnings about
        whatever is left unfinished, as text."""
        return self._native.finish()

    @property
    def cycles(self):
        """The estimated number of cycles since the start."""
        return self._native.cycles()

    @property
    def printed(self):
        """The lines that PEs have printed so far, in order."""
        return self.printed_after(0)

    def printed_after(self, count):
        """The lines that PEs have printed so far, without the first `count`."""
        return [Printed(*line) for line in self._native.printed(count)]

    def symbol(self, x, y, name):
        """The memory of any variable of a PE, exported or not, as bytes."""
        return self._native.symbol(x, y, name)

    def trace(self, x, y, name):
        """The values that a PE recorded in a `<debug>` trace."""
        return self._native.trace(x, y, name)

    def snapshot_bytes(self):
        """The memory and the traces of all PEs, in cslrun's own format."""
        return self._native.snapshot().to_bytes()

    # The command queue: copies and launches run in the order in which they were queued.

    def queue_copy_in(self, name, words, region, bits):
        """Queues a copy of A[height][width][count] with one element of 16 or 32 bits in each
        32-bit word; returns a ticket."""
        return self._native.queue_copy_in(name, region, tensors.words(words).reshape(-1), bits)

    def queue_copy_out(self, name, count, region, bits):
        """Queues a copy of `count` elements from each PE; returns a ticket for [take_words]."""
        return self._native.queue_copy_out(name, region, count, bits)

    def queue_stream_in(self, color, words, region, *, pe_by_pe):
        """Queues words that reach the PEs as wavelets of a color; returns a ticket. With `pe_by_pe`, each
        PE of a row gets all its words before the next PE; otherwise the PEs take turns, word by word."""
        return self._native.queue_stream_in(color, region, tensors.words(words).reshape(-1), pe_by_pe)

    def queue_stream_out(self, color, count, region, *, pe_by_pe):
        """Queues a copy of `count` wavelets of a color from each PE; returns a ticket for
        [take_words]."""
        return self._native.queue_stream_out(color, region, count, pe_by_pe)

    def queue_launch(self, name, words):
        """Queues a launch of a function with one word per argument; returns a ticket."""
        return self._native.queue_launch(name, words)

    # Host streams of a layout, by their index in the program's list.

    def queue_send(self, stream, words):
        """Sends words on a stream to the wafer; returns a ticket."""
        return self._native.queue_send(stream, tensors.words(words).reshape(-1))

    def queue_receive(self, stream, count):
        """Requests words of a stream from the wafer; returns a ticket for [take_words]."""
        return self._native.queue_receive(stream, count)

    def run_until(self, ticket):
        """Runs until a transfer is done; returns False if it cannot finish before the host acts."""
        return self._native.run_until(ticket)

    def run_until_quiet(self):
        """Runs until nothing can happen before the host acts."""
        self._native.run_until_quiet()

    def drain(self, stream):
        """Starts to collect everything that arrives on a stream from the wafer."""
        self._native.drain(stream)

    def end_drain(self, stream):
        """Returns everything that has arrived since [drain], as little-endian bytes."""
        return self._native.end_drain(stream)

    def describe_wait(self, ticket):
        """A sentence that says what an unfinished transfer waits for."""
        return self._native.describe_wait(ticket)

    def wait(self, ticket):
        """Runs until a command is done; a launch is done once the function has started."""
        self._native.wait(ticket)

    def is_done(self, ticket):
        """Whether a command is done."""
        return self._native.is_done(ticket)

    def take_words(self, ticket, size):
        """The words of a finished copy, which can be taken only once; None if the copy failed."""
        words = np.empty(size, dtype=np.uint32)
        return words if self._native.take_words(ticket, words) else None

    def _variable(self, name):
        export = self.program.export(name)
        if export.is_function:
            raise TypeError(f"{name} is a function; variables can be copied")
        return export

    def _region(self, region):
        return region if region is not None else (0, 0, *self.program.size)


def _bits(export):
    return 8 * export.dtype.itemsize


_ARGUMENTS = {
    "f32": np.float32,
    "f16": np.float16,
    "i32": np.int32,
    "u32": np.uint32,
    "i16": np.int16,
    "u16": np.uint16,
}


def _argument(function, ty, value):
    """The bits of an argument as one word."""
    if np.ndim(value) != 0:
        raise TypeError(f"{function} takes a number here, not {value!r}")
    return int(tensors.widen(tensors.converted(value, _ARGUMENTS[ty]).reshape(1))[0])
