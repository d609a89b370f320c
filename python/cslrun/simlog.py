"""The files that a simulation writes into the current folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cslrun.outcomes import Printed
from cslrun.runner import Runner


def traces_folder(folder: Path) -> Path:
    """The folder `simfab_traces`, which it makes if there is none."""
    traces = folder / "simfab_traces"
    traces.mkdir(exist_ok=True)
    return traces


class SimLog:
    """`sim.log`, with a line `@<cycle> <text>` for each line that a PE prints and a summary at the end, and the folder
    `simfab_traces`. Host scripts move both, so both always exist."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "sim.log"
        self._path.write_text("", encoding="utf-8")
        self._lines = 0
        traces_folder(folder)

    @contextmanager
    def follow(self, runner: Runner) -> Iterator[None]:
        """Logs everything printed inside the block, even if the block raises."""
        try:
            yield
        finally:
            self._append(runner.printed_after(self._lines))

    def _append(self, fresh: list[Printed]) -> None:
        if fresh:
            with self._path.open("a", encoding="utf-8") as log:
                log.writelines(f"@{line.cycle} {line.text}\n" for line in fresh)
            self._lines += len(fresh)

    def end(self, runner: Runner) -> None:
        """Adds the summary of a run that is over. Scripts look for `cycles=` and for the idle cycles at the end."""
        cycles = runner.cycles
        idle = cycles - min(runner.last_arrival, cycles)
        with self._path.open("a", encoding="utf-8") as log:
            log.write(f"@{cycles} {idle} cycles since a wavelet landed\n@{cycles} End of the simulation, cycles={cycles}\n")
