"""Levels of rules: whether a diagnostic is ignored, a warning or an error."""

from __future__ import annotations

from collections.abc import Iterable

#: The name of a rule or a group, or several of them.
Names = str | Iterable[str]


def choices(allow: Names, warn: Names, deny: Names) -> list[tuple[str, str]]:
    """Returns pairs of a level and the name of a rule or group for the three arguments; a string is
    one name."""
    chosen: dict[str, str] = {}
    for level, names in (("allow", allow), ("warn", warn), ("deny", deny)):
        for name in [names] if isinstance(names, str) else names:
            other = chosen.setdefault(name, level)
            if other != level:
                raise ValueError(f"{name} is in `{other}` and in `{level}`; remove it from one of them")
    return [(level, name) for name, level in chosen.items()]
