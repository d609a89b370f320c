"""`SdkRuntime`: the command stream between a host script and the wafer."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import warnings
import weakref
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
from cerebras.sdk.runtime import _copies, _launch, _life, _names, _program
from cerebras.sdk.runtime._platform import (
    MemcpyDataType,
    MemcpyOrder,
    SdkCompileArtifacts,
    SdkExecutionPlatform,
    refuse_system,
)
from cerebras.sdk.runtime._streams import Streams, Task

import cslrun
from cslrun import simlog, snapshot, tensors
from cslrun._frames import HIDDEN as __tracebackhide__
from cslrun.program import Export

_KEYWORDS = {
    "cmaddr",
    "memcpy_required",
    "msg_level",
    "run_phase_only",
    "setup_phase_only",
    "simfab_numthreads",
    "suppress_simfab_trace",
    "wio_flows",
    "worker",
}


class SdkRuntime:
    """Runs a program compiled by cslc."""

    def __init__(
        self,
        bindir: str | os.PathLike[str] | SdkCompileArtifacts,
        platform: SdkExecutionPlatform | None = None,
        **kwargs: Any,
    ) -> None:
        for name in sorted(kwargs.keys() - _KEYWORDS):
            warnings.warn(f"SdkRuntime: cslrun does not support {name}; it has no effect", stacklevel=2)
        if platform is not None and not isinstance(platform, SdkExecutionPlatform):
            raise TypeError(f"the platform must come from get_platform(); this is a {type(platform).__name__}")
        refuse_system(kwargs.get("cmaddr"))
        self._folder = _program.folder(bindir)
        self._program = _program.load(self._folder)
        if platform is not None:
            _program.check_machine(self._program, platform)
        #: Where the memory goes at the end; None if nobody wants it.
        self._core = platform.config._core_file() if platform is not None else None
        if kwargs.get("memcpy_required", True) and not self._program.uses_memcpy:
            help = "; pass memcpy_required=False" if self._program.is_layout else ""
            raise RuntimeError(f"SdkRuntime does not support programs without memcpy{help}")
        config = platform.config if platform is not None else None
        self._threads = _program.threads(kwargs.get("simfab_numthreads", config and config.num_threads), self._program)
        suppressed = kwargs.get("suppress_simfab_trace", config and config.suppress_trace)
        #: Whether the script wants a trace in `simfab_traces`; recording takes time, so it has to say so.
        self._wants_trace = suppressed is not None and not suppressed
        self._by_id = {export.id: export for export in self._program.exports.values()}
        self._streams = Streams(self._program)
        #: The last name that get_id did not find.
        self._unknown: object = None
        self._state = "constructed"
        self._runner: cslrun.Runner | None = None
        self._log: simlog.SimLog | None = None
        #: Whether a signal has ended the script during a run, which has been reported.
        self._is_terminated = False
        #: The tasks that the script holds.
        self._tasks: weakref.WeakSet[Task] = weakref.WeakSet()
        #: Copies from the wafer whose arrays are not filled yet, in the order of issue.
        self._receiving: list[Task] = []

    # Life cycle

    def load(self) -> None:
        """Loads the program onto the wafer."""
        if self._state != "constructed":
            raise RuntimeError("Cannot call load() multiple times")
        # Variables of the environment come from the user, who cannot change every script.
        threads = None if os.environ.get("CSLRUN_THREADS") else self._threads
        # What an earlier run has left must not be read as the result of this one.
        snapshot.forget(self._folder)
        self._runner = cslrun.Runner(self._program, threads=threads, trace=self._trace_file())
        self._runner._native.belongs_to_script()
        self._state = "loaded"

    def run(self) -> None:
        """Starts the program, which then waits for commands."""
        if self._state != "loaded":
            raise _life.no_run(self._state)
        self._log = simlog.SimLog(Path.cwd(), self._wafer)
        self._state = "running"
        atexit.register(self._complain_unless_stopped)

    def stop(self) -> None:
        """Waits for all commands, then ends the program."""
        if self._state != "running":
            raise _life.no_stop(self._state)
        self._state = "stopped"
        atexit.unregister(self._complain_unless_stopped)
        assert self._log is not None, "a program that stops has run"
        try:
            with self._following():
                left, _ = self._wafer._end()
            self._log.end()
            if left:
                print(left, end="", file=sys.stderr)
        finally:
            # A run that fails here leaves the results it had by then.
            self._fill_arrays()
            self._streams.close_files(self._wafer)
            snapshot.save(self._wafer, self._folder)
            if self._core is not None:
                self.dump_core(self._core)

    def _abandon(self) -> None:
        """Abandons a program that nobody will stop."""
        atexit.unregister(self._complain_unless_stopped)

    def _trace_file(self) -> Path | None:
        if not self._wants_trace or os.environ.get("CSLRUN_TRACE"):
            return None
        return simlog.traces_folder(Path.cwd()) / "trace.json"

    def _complain_unless_stopped(self) -> None:
        # A run that has failed has shown its warnings with the error. Another exception, such as that of a result that
        # the script has found wrong, may be due to what they say.
        error = getattr(sys, "last_value", None)
        if not isinstance(error, cslrun.RunError):
            with contextlib.suppress(RuntimeError):
                print(self._wafer._native.warnings_so_far(), end="", file=sys.stderr)
        if self._is_terminated:
            return
        if error is None:
            print("SdkRuntime: the script ended without stop(); some commands may not have finished", file=sys.stderr)
        elif self._receiving and not isinstance(error, cslrun.RunError):
            # The script may have found these arrays wrong. Otherwise the traceback says enough.
            what = "1 array was" if len(self._receiving) == 1 else f"{len(self._receiving)} arrays were"
            print(
                f"SdkRuntime: {what} not filled yet when the script ended: with nonblock=True, "
                "call task_wait(task) before you read the array",
                file=sys.stderr,
            )

    # Names and places

    def get_id(self, name: str) -> int | None:
        """The number of an exported name; None if there is no such name."""
        export = self._program.exports.get(name)
        if export is None:
            self._unknown = name
        return None if export is None else export.id

    get_symbol = get_id

    def coord_logical_to_physical(self, coord: tuple[int, int]) -> tuple[int, int]:
        """The fabric coordinates of a PE of the program rectangle."""
        (x, y), (dx, dy) = coord, self._program.offset
        return (x + dx, y + dy)

    # Copies

    def memcpy_h2d(
        self,
        dest: int,
        src: npt.NDArray[Any],
        px: int,
        py: int,
        w: int,
        h: int,
        elem_per_pe: int,
        *,
        streaming: bool,
        order: MemcpyOrder,
        data_type: MemcpyDataType,
        nonblock: bool,
    ) -> Task:
        """Copies a tensor A[h][w][elem_per_pe] to the PEs of a rectangle."""
        copy = self._copy("h2d", dest, (px, py, w, h), elem_per_pe, streaming, order, data_type, nonblock)
        words = _copies.source(src, w * h * elem_per_pe, f"{w} x {h} PEs of {elem_per_pe} elements", copy)
        return self._send(copy, tensors.by_pe(words, w, h, elem_per_pe, column_major=copy.column_major), nonblock)

    def memcpy_h2d_rowbcast(
        self,
        dest: int,
        src: npt.NDArray[Any],
        px: int,
        py: int,
        w: int,
        h: int,
        elem_per_pe: int,
        *,
        streaming: bool,
        order: MemcpyOrder,
        data_type: MemcpyDataType,
        nonblock: bool,
    ) -> Task:
        """Copies A[h][1][elem_per_pe]: all PEs of a row receive the same."""
        copy = self._copy("h2d", dest, (px, py, w, h), elem_per_pe, streaming, order, data_type, nonblock)
        words = _copies.source(src, h * elem_per_pe, f"{h} rows of {elem_per_pe} elements", copy)
        tensor = tensors.by_pe(words, 1, h, elem_per_pe, column_major=copy.column_major)
        return self._send(copy, np.broadcast_to(tensor, (h, w, elem_per_pe)), nonblock)

    def memcpy_h2d_colbcast(
        self,
        dest: int,
        src: npt.NDArray[Any],
        px: int,
        py: int,
        w: int,
        h: int,
        elem_per_pe: int,
        *,
        streaming: bool,
        order: MemcpyOrder,
        data_type: MemcpyDataType,
        nonblock: bool,
    ) -> Task:
        """Copies A[1][w][elem_per_pe]: all PEs of a column receive the same."""
        copy = self._copy("h2d", dest, (px, py, w, h), elem_per_pe, streaming, order, data_type, nonblock)
        words = _copies.source(src, w * elem_per_pe, f"{w} columns of {elem_per_pe} elements", copy)
        tensor = tensors.by_pe(words, w, 1, elem_per_pe, column_major=copy.column_major)
        return self._send(copy, np.broadcast_to(tensor, (h, w, elem_per_pe)), nonblock)

    def memcpy_h2d_stride(
        self,
        dest: int,
        src: npt.NDArray[Any],
        px: int,
        py: int,
        w: int,
        h: int,
        elem_per_pe: int,
        row_stride: int,
        col_stride: int,
        *,
        streaming: bool,
        order: MemcpyOrder,
        data_type: MemcpyDataType,
        nonblock: bool,
    ) -> Task:
        """Copies to every `row_stride`-th column and `col_stride`-th row of a rectangle."""
        _copies.check_numbers("memcpy_h2d_stride", row_stride=row_stride, col_stride=col_stride)
        if row_stride < 1 or col_stride < 1:
            raise RuntimeError("row_stride or col_stride must be positive")
        copy = self._copy("h2d", dest, (px, py, w, h), elem_per_pe, streaming, order, data_type, nonblock)
        columns = range(px, px + w, row_stride)
        rows = range(py, py + h, col_stride)
        what = f"{len(columns)} x {len(rows)} PEs of {elem_per_pe} elements"
        words = _copies.source(src, len(columns) * len(rows) * elem_per_pe, what, copy)
        tensor = tensors.by_pe(words, len(columns), len(rows), elem_per_pe, column_major=copy.column_major)
        places = [(i, j) for j in range(len(rows)) for i in range(len(columns))]
        tasks = [
            self._send(replace(copy, region=(columns[i], rows[j], 1, 1)), tensor[j : j + 1, i : i + 1], nonblock)
            for i, j in places
        ]
        return tasks[-1]

    def memcpy_d2h(
        self,
        dest: npt.NDArray[Any],
        src: int,
        px: int,
        py: int,
        w: int,
        h: int,
        elem_per_pe: int,
        *,
        streaming: bool,
        order: MemcpyOrder,
        data_type: MemcpyDataType,
        nonblock: bool,
    ) -> Task:
        """Copies the elements of the PEs of a rectangle into the tensor A[h][w][elem_per_pe]."""
        _copies.warn_if_unheld(sys.getrefcount(dest), dest)
        copy = self._copy("d2h", src, (px, py, w, h), elem_per_pe, streaming, order, data_type, nonblock)
        words = _copies.destination(dest, w * h * elem_per_pe, f"{w} x {h} PEs of {elem_per_pe} elements", copy)
        ticket = copy.queue_out(self._wafer, elem_per_pe)

        def receive() -> None:
            taken = self._wafer.take_words(ticket, words.size)
            if taken is not None:
                words[:] = tensors.flat(taken.reshape(h, w, elem_per_pe), column_major=copy.column_major)

        task = Task(ticket, receive)
        self._receiving.append(task)
        return self._issued(task, nonblock)

    # Host streams

    def send(
        self, port: str | int, src: npt.NDArray[Any], n_wavelets: int | None = None, *, nonblock: bool = False
    ) -> Task:
        """Sends words to the wafer."""
        self._must_run()
        _copies.check_flags("send", nonblock=nonblock)
        return self._issued(self._streams.send(self._wafer, port, src, n_wavelets), nonblock)

    def receive(self, port: str | int, dest: npt.NDArray[Any], n_wavelets: int, *, nonblock: bool = False) -> Task:
        """Fills an array with words from the wafer."""
        self._must_run()
        _copies.check_flags("receive", nonblock=nonblock)
        task = self._streams.receive(self._wafer, port, dest, n_wavelets)
        self._receiving.append(task)
        return self._issued(task, nonblock)

    def receive_tofile(self, port: str | int, outfile: str | os.PathLike[str], *, nonblock: bool = False) -> Task:
        """Writes the words that the wafer sends to a file: until nothing more can arrive, or with `nonblock`
        until the program ends."""
        self._must_run()
        _copies.check_flags("receive_tofile", nonblock=nonblock)
        return self._issued(self._streams.receive_tofile(self._wafer, port, outfile), nonblock)

    def get_port_id(self, name: str) -> int | None:
        """The number of a stream; None if there is no stream with this name."""
        return self._streams.number(name)

    def report_port_infos(self) -> None:
        """Prints name, color and position of every stream."""
        print(self._streams.report())

    # Functions

    def launch(self, function: str | int, /, *args: Any, nonblock: bool) -> Task:
        """Calls an exported function, by its name or number, on every PE."""
        export = self._function(function)
        _copies.check_flags("launch", nonblock=nonblock)
        return self._launch(export, _launch.words(export.name, export.inputs or (), args), nonblock)

    def call(self, function: str | int, args: npt.ArrayLike = (), /, *, nonblock: bool) -> Task:
        """Calls an exported function on every PE, with arguments that are already words."""
        export = self._function(function)
        _copies.check_flags("call", nonblock=nonblock)
        words = _launch.raw_words(export.name, args)
        inputs = export.inputs or ()
        if len(words) != len(inputs):
            raise RuntimeError(
                f"API call requires a different number of arguments ({len(inputs)}) "
                f"from what has been provided ({len(words)}): {export.name}"
            )
        return self._launch(export, words, nonblock)

    def memcpy_launch(self, *_args: object, **_kwargs: object) -> NoReturn:
        """Refuses: only releases before 1.0 could launch by color."""
        raise RuntimeError("memcpy_launch was removed in release 1.0; use launch(name, *args, nonblock=...)")

    def task_wait(self, task: Task) -> None:
        """Waits for a command."""
        self._check_task(task)
        try:
            if not task.is_done(self._wafer):
                with self._following():
                    task.wait(self._wafer)
        finally:
            self._fill_arrays()

    def is_task_done(self, task: Task) -> bool:
        """Whether a command is done. The call continues the simulation until the command is done; a transfer on
        a stream can stay unfinished, if it needs the host to do something first."""
        self._check_task(task)
        try:
            with self._following():
                return task.is_done(self._wafer) or task.poll(self._wafer)
        finally:
            self._fill_arrays()

    # Memory after the run

    def read_symbol(self, x: int, y: int, name: str, dtype: npt.DTypeLike = "uint8") -> npt.NDArray[Any]:
        """The memory of a variable of a PE of the program rectangle."""
        if self._runner is None:
            raise RuntimeError("read_symbol() needs a wafer; call load() and run() first")
        if self._state == "running" and self._runner.cycles == 0:
            warnings.warn(
                f"read_symbol: the program has not run yet, so `{name}` has its first value; call stop() before",
                stacklevel=2,
            )
        return snapshot.elements(self._runner._native.symbol(x, y, name), dtype, name)

    def dump_core(self, path: str | os.PathLike[str] = "out.core") -> None:
        """Writes the memory of all PEs to a file."""
        if self._runner is None:
            raise RuntimeError("Cannot call dump_core() if load() has not been called")
        snapshot.write(self._runner, Path(path))

    #: Other names, of other formats with the vendor; cslrun has one format.
    dump = dump_elf_core = dump_core

    # Helpers

    def _copy(
        self,
        way: str,
        symbol: int,
        region: tuple[int, int, int, int],
        elem_per_pe: int,
        streaming: bool,
        order: MemcpyOrder,
        data_type: MemcpyDataType,
        nonblock: bool,
    ) -> _copies.Copy | _copies.Stream:
        self._must_run()
        if self._program.is_layout:
            other, ports = ("send", "in") if way == "h2d" else ("receive", "out")
            raise RuntimeError(
                f"memcpy_{way} needs a program with <memcpy>, and this one is an SdkLayout: use {other}() with the name "
                f"that create_{ports}put_stream() has returned"
            )
        if isinstance(symbol, np.ndarray):
            places = "the id of a variable, then the array" if way == "h2d" else "the array, then the id of a variable"
            raise TypeError(f"memcpy_{way} takes {places}; an array of shape {symbol.shape} stands where the id should")
        width, height = self._program.size
        px, py, w, h = region
        _copies.check_numbers(f"memcpy_{way}", px=px, py=py, w=w, h=h, elem_per_pe=elem_per_pe)
        if elem_per_pe < 0:
            raise RuntimeError(f"memcpy_{way}: elem_per_pe must be at least 0, not {elem_per_pe}")
        if min(px, py) < 0 or min(w, h) < 1 or px + w > width or py + h > height:
            raise RuntimeError(
                f"{way} subrectangle must be inside the core rectangle: {w} x {h} PEs at ({px}, {py}) "
                f"are not inside {width} x {height} PEs"
            )
        _copies.check_flags(f"memcpy_{way}", streaming=streaming, nonblock=nonblock)
        column_major, bits = _copies.is_column_major(order), _copies.bits(data_type)
        if streaming:
            return _copies.Stream(_copies.stream_color(symbol), region, column_major)
        export = self._by_id.get(symbol) if isinstance(symbol, (int, np.integer)) else None
        if export is None or export.is_function:
            raise _names.no_variable(symbol, export, self._unknown, self._by_id.values())
        return _copies.Copy(export.name, region, column_major, bits, export.element)

    def _function(self, function: str | int) -> Export:
        self._must_run()
        if isinstance(function, (int, np.integer)):
            export = self._by_id.get(int(function))
        else:
            export = self._program.exports.get(function)
        if export is None or not export.is_function:
            raise _names.no_function(function, export, self._unknown, self._by_id.values())
        return export

    def _launch(self, export: Export, words: list[int], nonblock: bool) -> Task:
        return self._issued(Task(self._wafer.queue_launch(export.name, words)), nonblock)

    def _send(self, copy: _copies.Copy | _copies.Stream, tensor: npt.NDArray[Any], nonblock: bool) -> Task:
        return self._issued(Task(copy.queue_in(self._wafer, tensor)), nonblock)

    def _check_task(self, task: Task) -> None:
        if not isinstance(task, Task):
            raise TypeError(f"a task is what memcpy and launch return; this is a {type(task).__name__}")
        if task not in self._tasks:
            raise RuntimeError("the task belongs to another SdkRuntime: ask the one whose call has returned it")

    def _issued(self, task: Task, nonblock: bool) -> Task:
        self._tasks.add(task)
        if not nonblock:
            self.task_wait(task)
        return task

    def _fill_arrays(self) -> None:
        """Fills the arrays of finished copies from the wafer."""
        done = [task for task in self._receiving if task.is_done(self._wafer)]
        self._receiving = [task for task in self._receiving if task not in done]
        for task in done:
            task.finish()

    @property
    def _wafer(self) -> cslrun.Runner:
        assert self._runner is not None, "a program with commands is loaded"
        return self._runner

    @contextlib.contextmanager
    def _following(self) -> Iterator[None]:
        """While it lasts, what the program prints goes into the log."""
        assert self._log is not None, "a program with commands runs"
        try:
            with self._log.complete():
                yield
        except SystemExit:
            self._is_terminated = True
            raise

    def _must_run(self) -> None:
        if self._state != "running":
            raise _life.no_command(self._state)
