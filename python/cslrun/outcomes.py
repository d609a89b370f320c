"""What a run leaves: printed lines and the report page."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass
from pathlib import Path


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
        """Writes the page to a file."""
        Path(path).write_text(self.page, encoding="utf-8")

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.page)}" width="100%" height="720" style="border: 0"></iframe>'


def table_of(lines: list[Printed]) -> str:
    """The lines as an HTML table; nothing if there are none."""
    rows = "".join(
        f"<tr><td>{line.cycle:,}</td><td>PE({line.x},{line.y})</td><td>{html.escape(line.text)}</td></tr>" for line in lines
    )
    return f"<table><tr><th>cycle</th><th>PE</th><th>printed</th></tr>{rows}</table>" if rows else ""
