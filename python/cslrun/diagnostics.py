"""Diagnostics of the compiler and of runs, as data."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from dataclasses import dataclass

from cslrun import _frames


@dataclass(frozen=True)
class Label:
    """A text that points at a place of a file; line and column count from 1."""

    file: str
    line: int
    column: int
    text: str


@dataclass(frozen=True)
class Diagnostic:
    """What is wrong with a program, or suspicious.

    Attributes
    ----------
    rule
        The name of the rule; `cslrun explain RULE` prints its page.
    level
        `error`, `warning`, `note`, or `unsupported` for valid CSL that cslrun does not run.
    message
        What is wrong, in one line.
    file, line, column
        The place that is to blame, counted from 1; None if there is none.
    pe
        Column and row of the PE in the program rectangle, for what happened during a run.
    cycle
        The estimated cycle since the start of the run.
    help
        One thing to do.
    notes
        Facts without a place.
    labels
        All places, the one to blame first.
    rendered
        The text as the command line shows it, with an excerpt of the source.
    """

    rule: str
    level: str
    message: str
    file: str | None
    line: int | None
    column: int | None
    pe: tuple[int, int] | None
    cycle: int | None
    help: str | None
    notes: tuple[str, ...]
    labels: tuple[Label, ...]
    rendered: str

    def __str__(self) -> str:
        return self.rendered

    def _repr_html_(self) -> str:
        import html  # host scripts start sooner without

        color = "#b58900" if self.level in ("warning", "note") else "#c0392b"
        return f'<pre style="border-left: 4px solid {color}; padding-left: 8px">{html.escape(self.rendered)}</pre>'


class CslWarning(UserWarning):
    """A warning about a program or a run.

    Attributes
    ----------
    diagnostic
        The warning as data.
    """

    __module__ = "cslrun"

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.rendered)
        self.diagnostic = diagnostic


def of_json(pairs: Iterable[tuple[str, str]]) -> list[Diagnostic]:
    """Diagnostics, each from its form as JSON and its text."""
    return [_of_json(json.loads(record), rendered) for record, rendered in pairs]


def _of_json(record: dict[str, object], rendered: str) -> Diagnostic:
    all_labels = record["labels"]
    assert isinstance(all_labels, list)
    in_order = sorted(all_labels, key=lambda label: not label["primary"])
    labels = tuple(Label(label["file"], label["line"], label["column"], label["text"]) for label in in_order)
    blamed = labels[0] if in_order and in_order[0]["primary"] else None
    pe, cycle, notes, help = record["pe"], record["cycle"], record["notes"], record["help"]
    assert isinstance(notes, list)
    return Diagnostic(
        rule=str(record["rule"]),
        level=str(record["severity"]),
        message=str(record["title"]),
        file=blamed.file if blamed else None,
        line=blamed.line if blamed else None,
        column=blamed.column if blamed else None,
        pe=(pe[0], pe[1]) if isinstance(pe, list) else None,
        cycle=cycle if isinstance(cycle, int) else None,
        help=help if isinstance(help, str) else None,
        notes=tuple(notes),
        labels=labels,
        rendered=rendered,
    )


def warn(diagnostics: Iterable[Diagnostic]) -> None:
    """Raises a Python warning for each, at the line of the user that has called into this package."""
    for diagnostic in diagnostics:
        warnings.warn(CslWarning(diagnostic), stacklevel=_frames.stacklevel())
