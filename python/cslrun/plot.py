"""Pictures of runs with matplotlib: the wafer as a heat map, what each PE did over time, the busiest lines.

Each function draws into `ax`, or into a new figure, and returns the axes, so that a script can go on with them::

    import cslrun.plot

    cslrun.plot.heat_map(runner["y"][:, :, 0], label="y[0]")
    cslrun.plot.time_line(runner.profile())

matplotlib comes with `pip install 'cslrun[plot]'`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from cslrun.outcomes import Profile

try:
    from matplotlib import pyplot
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch
    from matplotlib.ticker import MaxNLocator
except ImportError as error:
    raise ImportError("cslrun.plot needs matplotlib: pip install 'cslrun[plot]'") from error

#: What a thread does in a cycle, as the profile numbers it, with colors that color-blind people can tell apart.
WHAT = (
    ("busy", "#0072b2"),
    ("waits for a wavelet", "#e69f00"),
    ("waits for room", "#d55e00"),
    ("waits for a FIFO", "#cc79a7"),
    ("waits for a task", "#bbbbbb"),
)

#: From so many PEs in a row or column on, numbers in the fields are too small to read.
_READABLE = 16


def heat_map(
    values: npt.ArrayLike | Profile,
    measure: str = "busy",
    *,
    label: str | None = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """Draws one number per PE, as the wafer lies: PE(0,0) in the north-west.

    Parameters
    ----------
    values
        An array of shape (height, width) or (height, width, 1), or a profile.
    measure
        What to draw of a profile: cycles in which a PE is `busy`, waits for a `wavelet`, for `room`, for a `fifo`, for a
        `task` or is `idle`; or its `elements`, `sent`, `delivered`, `hops`, `tasks`, `memory` (words) or cycles on the
        critical `path`.
    label
        The text beside the scale; by default the measure.
    ax
        Where to draw; by default a new figure.
    **options
        For `matplotlib.axes.Axes.imshow`.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on.

    Raises
    ------
    ValueError
        The array has another shape, or a profile has no such measure.
    """
    if isinstance(values, Profile):
        label = label or f"{measure} ({'words' if measure == 'memory' else _UNITS.get(measure, 'cycles')})"
        values = _measured(values, measure)
    field: npt.NDArray[Any] = np.ma.asanyarray(values)
    if field.ndim == 3 and field.shape[2] == 1:
        field = field[:, :, 0]
    if field.ndim != 2:
        raise ValueError(f"a heat map takes one number per PE, an array (height, width), not one of shape {field.shape}")
    ax = ax if ax is not None else pyplot.subplots()[1]
    image = ax.imshow(field, **options)
    ax.figure.colorbar(image, ax=ax, label=label or "")
    ax.set(xlabel="x", ylabel="y")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    if max(field.shape) <= _READABLE:
        _write_numbers(ax, field, image)
    return ax


_UNITS = {"elements": "elements", "sent": "wavelets", "delivered": "wavelets", "hops": "links", "tasks": "tasks"}


def _measured(profile: Profile, measure: str) -> npt.NDArray[Any]:
    tables = profile.data["profile"]
    field: npt.NDArray[Any] = np.ma.array(np.zeros((tables["height"], tables["width"]), np.int64), mask=True)
    for pe in tables["pes"]:
        amounts = {**pe, **pe["times"]}
        if measure not in amounts or measure in ("x", "y", "times"):
            names = sorted(amounts.keys() - {"x", "y", "times"})
            raise ValueError(f"a profile has no {measure!r} of a PE; it has {', '.join(names)}")
        field[pe["y"], pe["x"]] = amounts[measure]
    return field


def _write_numbers(ax: Axes, field: npt.NDArray[Any], image: Any) -> None:
    numbers: npt.NDArray[np.float64] = np.ma.filled(np.ma.asarray(field, dtype=float), np.nan)
    for (y, x), value in np.ndenumerate(numbers):
        if np.isnan(value):
            continue
        red, green, blue, _ = image.cmap(image.norm(value))
        is_dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
        ax.text(x, y, f"{value:.4g}", ha="center", va="center", color="white" if is_dark else "black", fontsize="small")


def time_line(profile: Profile, *, pes: Iterable[tuple[int, int]] | None = None, ax: Axes | None = None) -> Axes:
    """Draws what the threads of PEs did over the cycles of the run, a row for each thread.

    Parameters
    ----------
    profile
        The profile of a run.
    pes
        Columns and rows of PEs, in the order of their rows from the top; by default the 16 PEs that are on the critical
        path for the longest time.
    ax
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on.

    Raises
    ------
    ValueError
        The profile has no such PE, or no time line of it: of many PEs it keeps those on the critical path and the
        busiest.
    """
    tables, bars = profile.data["profile"], profile.data["bars"]
    places = [(pe["x"], pe["y"]) for pe in tables["pes"]]
    if pes is None:
        kept = sorted({row["pe"] for row in bars["rows"]}, key=lambda pe: (-tables["pes"][pe]["path"], pe))
        pes = [places[pe] for pe in sorted(kept[:16])]
    rows = [row for x, y in pes for row in _rows_of(bars, places, (int(x), int(y)))]
    if ax is None:
        ax = pyplot.subplots(figsize=(10, 1.2 + 0.3 * len(rows)))[1]
    heights = {row: height for height, row in enumerate(rows)}
    spans: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for row, begin, end, what in zip(bars["row"], bars["from"], bars["until"], bars["what"]):
        if row in heights:
            spans.setdefault((heights[row], what), []).append((begin, end - begin))
    for (height, what), stretches in spans.items():
        ax.broken_barh(stretches, (height - 0.4, 0.8), facecolors=WHAT[what][1])
    ax.set_yticks(range(len(rows)), [_name(bars["rows"][row], places) for row in rows])
    ax.set(xlabel="cycle (estimate)", xlim=(0, max(tables["cycles"], 1)), ylim=(len(rows) - 0.5, -0.5))
    used = sorted({what for _, what in spans})
    ax.legend(handles=[Patch(color=WHAT[what][1], label=WHAT[what][0]) for what in used], loc="upper left", bbox_to_anchor=(1, 1))
    return ax


def _rows_of(bars: dict[str, Any], places: list[tuple[int, int]], place: tuple[int, int]) -> list[int]:
    rows = [number for number, row in enumerate(bars["rows"]) if places[row["pe"]] == place]
    if not rows:
        has_code = "keeps no time line of it" if place in places else "has no such PE with code"
        raise ValueError(f"PE({place[0]},{place[1]}): the profile {has_code}")
    return rows


def _name(row: dict[str, int], places: list[tuple[int, int]]) -> str:
    x, y = places[row["pe"]]
    return f"PE({x},{y})" if row["thread"] == 8 else f"microthread {row['thread']}"


def lines(profile: Profile, most: int = 10, *, ax: Axes | None = None) -> Axes:
    """Draws the busiest lines of the program as bars: busy cycles, and cycles in which an operation of the line waits.

    Parameters
    ----------
    profile
        The profile of a run.
    most
        How many lines, at most.
    ax
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on.
    """
    shown = profile.lines[:most]
    files = profile.data["profile"]["files"]
    if ax is None:
        ax = pyplot.subplots(figsize=(10, 1 + 0.35 * len(shown)))[1]
    heights = range(len(shown))
    busy = [line["busy"] for line in shown]
    waits = [line["wavelet"] + line["room"] + line["fifo"] for line in shown]
    ax.barh(heights, busy, color=WHAT[0][1], label="busy")
    ax.barh(heights, waits, left=busy, color=WHAT[1][1], label="waits")
    names = [f"{files[line['file']].rpartition('/')[2]}:{line['line']}  {line['text'].strip()[:48]}" for line in shown]
    # A dollar would begin a formula.
    ax.set_yticks(heights, [name.replace("$", r"\$") for name in names], family="monospace")
    ax.set(xlabel="cycles of all PEs (estimate)")
    ax.invert_yaxis()
    ax.legend()
    return ax
