"""The files that a simulation writes into the current folder."""

from contextlib import contextmanager


class SimLog:
    """`sim.log`, with a line `@<cycle> <text>` for each line that a PE prints, and the folder
    `simfab_traces`. Host scripts move both, so both always exist."""

    def __init__(self, folder):
        self._path = folder / "sim.log"
        self._path.write_text("", encoding="utf-8")
        self._lines = 0
        (folder / "simfab_traces").mkdir(exist_ok=True)

    @contextmanager
    def follow(self, runner):
        """Logs everything printed inside the block, even if the block raises."""
        try:
            yield
        finally:
            self._append(runner.printed_after(self._lines))

    def _append(self, fresh):
        if fresh:
            with self._path.open("a", encoding="utf-8") as log:
                log.writelines(f"@{line.cycle} {line.text}\n" for line in fresh)
            self._lines += len(fresh)
