"""The files that a simulation writes into the current folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cslrun.runner import Runner


def traces_folder(folder: Path) -> Path:
    """The folder `simfab_traces`, which it makes if there is none."""
    traces = folder / "simfab_traces"
    traces.mkdir(exist_ok=True)
    return traces


class SimLog:
    """`sim.log`, with a line `@<cycle> <text>` for each line that a PE prints and a summary at the end, and the folder
    `simfab_traces`. Host scripts move both, so both always exist."""

    def __init__(self, folder: Path, runner: Runner) -> None:
        self._path = folder / "sim.log"
        self._path.write_text("", encoding="utf-8")
        self._runner = runner
        # Lines are written while native code runs the program, so that the file can be watched.
        runner._native.log_lines(self._path)
        traces_folder(folder)

    @contextmanager
    def complete(self) -> Iterator[None]:
        """At its end, everything printed inside the block is in the file, even if the block raises."""
        try:
            yield
        finally:
            lost = self._runner._native.end_lines()
            if lost:
                raise OSError(f"{self._path} cannot be written: {lost} lines are missing")

    def end(self) -> None:
        """Adds the summary of a run that is over. Scripts look for `cycles=` and for the idle cycles at the end."""
        cycles = self._runner.cycles
        idle = cycles - min(self._runner.last_arrival, cycles)
        with self._path.open("a", encoding="utf-8") as log:
            log.write(f"@{cycles} {idle} cycles since a wavelet landed\n@{cycles} End of the simulation, cycles={cycles}\n")
