"""What a run leaves: printed lines, the report page and the profile."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cslrun._native import Runner


@dataclass(frozen=True)
class Printed:
    """A line that a PE printed."""

    cycle: int
    x: int
    y: int
    text: str


@dataclass(frozen=True)
class Report:
    """A run as an HTML page, the same as that of `cslrun --report`; a notebook shows it."""

    page: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file.

        Parameters
        ----------
        path
            The file, which is replaced if it is there.
        """
        Path(path).write_text(self.page, encoding="utf-8")

    def _repr_html_(self) -> str:
        return _frame(self.page)


@dataclass(frozen=True)
class Profile:
    """Where the cycles of a run went, the same as `cslrun profile` tells; a notebook shows the page.

    Attributes
    ----------
    data
        All tables, as `--format json` writes them (docs/profile.md).
    summary
        About 20 lines for people.
    page
        The HTML page.
    """

    data: dict[str, Any]
    summary: str
    page: str

    @classmethod
    def of(cls, run: Runner) -> Profile:
        """The profile of a run up to now; ValueError if it has none."""
        data, summary, page = (run.profile_as(ending) for ending in ("json", "txt", "html"))
        if data is None or summary is None or page is None:
            raise ValueError("this run has no profile; start it with Runner(program, profile=True)")
        return cls(json.loads(data), summary.decode(), page.decode())

    def __str__(self) -> str:
        return self.summary

    @property
    def cycles(self) -> int:
        """The estimated number of cycles of the run."""
        return int(self.data["profile"]["cycles"])

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Lines of the program with their cycles, the busiest first."""
        return list(self.data["profile"]["lines"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the HTML page to a file.

        Parameters
        ----------
        path
            The file, which is replaced if it is there.
        """
        Path(path).write_text(self.page, encoding="utf-8")

    def _repr_html_(self) -> str:
        return _frame(self.page)


def _frame(page: str) -> str:
    """A page of its own within a notebook."""
    import html  # host scripts start sooner without

    return f'<iframe srcdoc="{html.escape(page)}" width="100%" height="720" style="border: 0"></iframe>'


def table_of(lines: list[Printed]) -> str:
    """The lines as an HTML table; nothing if there are none."""
    import html  # host scripts start sooner without

    rows = "".join(
        f"<tr><td>{line.cycle:,}</td><td>PE({line.x},{line.y})</td><td>{html.escape(line.text)}</td></tr>" for line in lines
    )
    return f"<table><tr><th>cycle</th><th>PE</th><th>printed</th></tr>{rows}</table>" if rows else ""
