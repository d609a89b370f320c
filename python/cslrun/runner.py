"""A program on a simulated wafer."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from cslrun import _native, _values, diagnostics, levels, tensors
from cslrun._frames import HIDDEN as __tracebackhide__
from cslrun._native import RunError
from cslrun._queue import CommandQueue, Region
from cslrun._recorded import RECORDED
from cslrun.levels import Names
from cslrun.outcomes import Printed, Profile, Report, table_of
from cslrun.program import Program, checked_program


class Runner(CommandQueue):
    """One run of a program.

    A region is `(x, y, width, height)` in PEs of the program rectangle and defaults to all of it. One thread at a
    time can use a run; several runs can go on in parallel threads.

    Parameters
    ----------
    program
        The program.
    checked
        Whether to look for undefined behaviour.
    max_cycles
        The cycle limit of the run; by default 1,000,000,000, or that of CSLRUN_MAX_CYCLES.
    threads
        The number of threads that simulate the PEs of a large wafer, 1 to its number of rows. By default that of
        CSLRUN_THREADS, or all cores if the wafer has 256 PEs for each. The results do not depend on it.
    seed
        Varies what the machine leaves undefined, such as the order of tasks that are ready at the same time; by default
        that of CSLRUN_SEED.
    trace
        A file for the events of the run: `.json` for https://ui.perfetto.dev, `.txt` for a list. By default that
        of CSLRUN_TRACE.
    report
        A file for a page that shows the run, or True to keep it for [report]. By default that of CSLRUN_REPORT.
    profile
        A file for the profile of the run: `.html` for a page, `.json`, `.speedscope.json`, `.pb` or `.txt`; True keeps
        it for [profile]. By default that of CSLRUN_PROFILE.
    allow, warn, deny
        Rules and groups, as for [compile].

    Raises
    ------
    RunError
        The wafer does not fit into memory.
    ValueError
        An argument or a variable of the environment is not valid.

    Notes
    -----
    Trace, report and profile are written when the run ends ([finish]), fails or is interrupted, or when the script
    drops the run.
    """

    def __init__(
        self,
        program: Program,
        *,
        checked: bool = True,
        max_cycles: int | None = None,
        threads: int | None = None,
        seed: int | None = None,
        trace: str | os.PathLike[str] | None = None,
        report: str | os.PathLike[str] | bool | None = None,
        profile: str | os.PathLike[str] | bool | None = None,
        allow: Names = (),
        warn: Names = (),
        deny: Names = (),
    ) -> None:
        _, rows = checked_program(program).size
        if threads is not None and not 1 <= threads <= rows:
            has = "a wafer with 1 row can use 1 thread" if rows == 1 else f"a wafer with {rows} rows can use 1 to {rows} threads"
            raise ValueError(f"threads={threads}: {has}")
        #: The program.
        self.program = program
        self._native = _native.Runner(
            program._native,
            checked,
            _values.at_least("max_cycles", max_cycles, 1),
            threads,
            _values.at_least("seed", seed, 0),
            _values.file(trace),
            _values.file(report),
            report is True,
            _values.file(profile),
            profile is True,
            levels.choices(allow, warn, deny),
        )
        self._is_recorded = self._native.is_recorded
        if self._is_recorded:
            RECORDED.add(self)

    # Copies and launches.

    def copy_in(self, name: str, values: npt.ArrayLike, *, region: Region | None = None) -> None:
        """Copies values to an exported variable.

        Parameters
        ----------
        name
            An exported variable.
        values
            An array of shape (height, width, count), or (count,) for the same values on every PE. Floats are
            rounded to the type of the variable; integers must fit.
        region
            The PEs; by default all.

        Raises
        ------
        SymbolError
            The program exports no such name.
        TypeError
            The name is a function, or a value does not fit the type of the variable.
        ValueError
            The array does not have a shape that fits the region.
        RunError
            The program fails before the copy is done, or the region or the count does not fit the program.
        """
        export = _values.variable(self.program, name)
        region = _values.region(self.program, region)
        elements = _values.of_region(name, tensors.converted(values, export.dtype), region)
        self.wait(self.queue_copy_in(name, tensors.widen(elements), region, _values.bits(export)))

    def copy_out(self, name: str, count: int, *, region: Region | None = None) -> npt.NDArray[Any]:
        """Copies the first `count` elements of an exported variable from each PE, as a host command that
        takes simulated time.

        Parameters
        ----------
        name
            An exported variable.
        count
            Elements per PE.
        region
            The PEs; by default all.

        Returns
        -------
        numpy.ndarray
            Of shape (height, width, count), and the type of the variable.

        Raises
        ------
        SymbolError, TypeError, RunError
            As for [copy_in].
        """
        export = _values.variable(self.program, name)
        region = _values.region(self.program, region)
        ticket = self.queue_copy_out(name, count, region, _values.bits(export))
        self.wait(ticket)
        _, _, w, h = region
        words = self.take_words(ticket, h * w * count)
        assert words is not None, "a copy that is done has words"
        return tensors.narrow(words, export.dtype).reshape(h, w, count)

    def launch(self, name: str, *args: Any) -> None:
        """Calls an exported function on every PE. It returns as soon as the launch is
        issued; the next command, or [finish], waits for the function to end.

        Parameters
        ----------
        name
            An exported function.
        *args
            Its arguments, the same for all PEs; integers must fit their types.

        Raises
        ------
        SymbolError
            The program exports no such name.
        TypeError
            The name is a variable, the arguments do not fit, or the host cannot pass a parameter, such as an i8.
        """
        if name not in self.program.exports and name in self.program.functions:
            # Without a layout block nothing says what its parameters are.
            self.wait(self.queue_launch(name, [_values.argument(name, "u32", arg) for arg in args]))
            return
        inputs = self.program.export(name).inputs
        if inputs is None:
            raise TypeError(f"{name} is a variable; functions can be launched")
        if len(args) != len(inputs):
            raise TypeError(f"{name} takes {len(inputs)} arguments ({', '.join(inputs)}), not {len(args)}")
        self.wait(self.queue_launch(name, [_values.argument(name, ty, arg) for ty, arg in zip(inputs, args)]))

    # The course of the run.

    def finish(self) -> str:
        """Runs until every command is done and nothing moves any more.

        Returns
        -------
        str
            Warnings about the run and about whatever is left unfinished, as text. Each is also a Python
            warning, [CslWarning].

        Raises
        ------
        RunError
            The program fails, hangs, or reaches its cycle limit.
        """
        text, found = self._end()
        diagnostics.warn(found)
        return text

    def _end(self) -> tuple[str, list[diagnostics.Diagnostic]]:
        """As [finish], without Python warnings."""
        self._note_line()
        return self._native.finish()

    def step(self, cycles: int = 1) -> bool:
        """Lets a number of cycles pass; queued commands run meanwhile.

        Parameters
        ----------
        cycles
            How many, an estimate of those of the machine.

        Returns
        -------
        bool
            False if nothing can happen any more before the host acts.

        Raises
        ------
        ValueError
            `cycles` is no whole number, or negative.
        RunError
            The program fails, or reaches its cycle limit.
        """
        return self._run_to(self.cycles + _values.whole("cycles", cycles))

    def run_until(self, until: int | Callable[[Runner], bool], *, every: int = 1) -> bool:
        """Runs until a cycle, or until a function of the run says so.

        Parameters
        ----------
        until
            A cycle since the start, or a function that takes the run; it is called before the first and after
            every `every` cycles.
        every
            The number of cycles between two calls of the function, at least 1.

        Returns
        -------
        bool
            False if nothing can happen any more although `until` has not come.

        Raises
        ------
        RunError
            The program fails, or reaches its cycle limit.

        Notes
        -----
        A PE runs code without outside effects ahead of the clock, so its memory can be that of a later cycle.
        """
        if not callable(until):
            return self._run_to(_values.whole("until", until))
        every = _values.whole("every", every, 1)
        while not until(self):
            if not self.step(every):
                return bool(until(self))
        return True

    def _run_to(self, cycle: int) -> bool:
        self._note_line()
        return self._native.run_to(cycle)

    @property
    def cycles(self) -> int:
        """The estimated number of cycles since the start."""
        return self._native.cycles()

    @property
    def last_arrival(self) -> int:
        """The last cycle in which a wavelet came to a PE; 0 if none did."""
        return self._native.last_arrival()

    @property
    def printed(self) -> list[Printed]:
        """The lines that PEs have printed so far, in order."""
        return [Printed(*line) for line in self._native.printed()]

    # Memory.

    def read(self, name: str) -> npt.NDArray[Any]:
        """Reads a variable, exported or not, from all PEs, once the program lets the host in.

        Parameters
        ----------
        name
            The variable.

        Returns
        -------
        numpy.ndarray
            Of shape (height, width, elements), and the type of the variable. If some PEs do not have the
            variable, or have fewer elements, it is a masked array.

        Raises
        ------
        SymbolError
            No PE has such a variable.
        TypeError
            The name is a function, or numpy has no type for its elements.
        RunError
            The program fails before the host can read.
        """
        self._note_line()
        try:
            scalar, _, places, counts, bits = self._native.read_variable(name)
        except RunError as error:
            raise _values.misuse(error, self.program) from None
        values = _values.of_bits(np.frombuffer(bits, dtype="<u8"), _values.dtype(name, scalar))
        return _values.on_wafer(self.program.size, places, counts, values)

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """As [read]."""
        return self.read(name)

    def peek(self, x: int, y: int, name: str) -> npt.NDArray[Any]:
        """Reads a variable of one PE, exported or not, as it is now; nothing runs meanwhile.

        Parameters
        ----------
        x, y
            Column and row of the PE in the program rectangle.
        name
            The variable.

        Returns
        -------
        numpy.ndarray
            Of the shape of the variable, () for a single value, and its type.

        Raises
        ------
        SymbolError
            The PE has no such variable.
        TypeError
            The name is a function, or numpy has no type for its elements.
        ValueError
            The PE lies outside the program rectangle.
        """
        scalar, sizes, bits = self._peek(x, y, name)
        values = _values.of_bits(np.array(bits, dtype=np.uint64), _values.dtype(name, scalar))
        return values.reshape(sizes)

    def poke(self, x: int, y: int, name: str, values: npt.ArrayLike) -> None:
        """Writes a variable of one PE, exported or not, at once; nothing runs meanwhile.

        Parameters
        ----------
        x, y
            Column and row of the PE in the program rectangle.
        name
            The variable.
        values
            One value for all elements, or an array with the shape of the variable.

        Raises
        ------
        SymbolError
            The PE has no such variable.
        TypeError
            A value does not fit the type of the variable.
        ValueError
            The array has another shape than the variable, or the PE lies outside the program rectangle.
        """
        scalar, sizes, _ = self._peek(x, y, name)
        elements = tensors.converted(values, _values.dtype(name, scalar))
        if elements.ndim == 0:
            elements = np.full(sizes, elements)
        if elements.shape != tuple(sizes) and elements.shape != (math.prod(sizes),):
            raise ValueError(f"values for {name} have the shape {elements.shape}; it has {tuple(sizes)}")
        bits = np.ascontiguousarray(elements).reshape(-1).view(f"u{elements.itemsize}")
        self._native.poke(x, y, name, [int(word) for word in bits])

    def _peek(self, x: int, y: int, name: str) -> tuple[str, list[int], list[int]]:
        _values.check_place(self.program, x, y)
        try:
            return self._native.peek(x, y, name)
        except RunError as error:
            raise _values.misuse(error, self.program) from None

    def symbol(self, x: int, y: int, name: str) -> bytes:
        """The memory of any variable of a PE, exported or not.

        Parameters
        ----------
        x, y
            Column and row of the PE in the program rectangle.
        name
            The variable.

        Returns
        -------
        bytes
            Words of 16 bits, the low byte of each first.

        Raises
        ------
        SymbolError
            The PE has no such variable.
        ValueError
            The PE lies outside the program rectangle.
        """
        _values.check_place(self.program, x, y)
        try:
            return self._native.symbol(x, y, name)
        except RunError as error:
            raise _values.misuse(error, self.program) from None

    def trace(self, x: int, y: int, name: str) -> list[bool | int | float | str]:
        """The values that a PE recorded in a `<debug>` trace.

        Parameters
        ----------
        x, y
            Column and row of the PE in the program rectangle.
        name
            The variable that holds the trace.

        Returns
        -------
        list
            Booleans, numbers and strings, in the order in which they were recorded.

        Raises
        ------
        ValueError
            The PE lies outside the program rectangle.
        """
        _values.check_place(self.program, x, y)
        return self._native.trace(x, y, name)

    def snapshot_bytes(self) -> bytes:
        """The memory and the traces of all PEs.

        Returns
        -------
        bytes
            In cslrun's own format.
        """
        return self._native.snapshot().to_bytes()

    # Recordings.

    def report(self) -> Report:
        """The run up to now as a page.

        Returns
        -------
        Report
            The page, which a notebook shows.

        Raises
        ------
        ValueError
            The run was not started with `report`.
        """
        page = self._native.report_page()
        if page is None:
            raise ValueError("this run keeps no report; start it with Runner(program, report=True)")
        return Report(page)

    def profile(self) -> Profile:
        """Where the cycles of the run have gone up to now.

        Returns
        -------
        Profile
            All its cycles are estimates.

        Raises
        ------
        ValueError
            The run was not started with `profile`.
        """
        return Profile.of(self._native)

    def write_recordings(self) -> None:
        """Writes the trace, the report and the profile of the run up to now, those that it has."""
        self._native.write_recordings()

    def _repr_html_(self) -> str:
        about = f"<p><b>Run</b>: about {self.cycles:,} cycles (estimate)</p>"
        return f"{about}{table_of(self.printed[:20])}{self.program._repr_html_()}"
