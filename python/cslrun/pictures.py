"""Pictures of DSDs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from cslrun import _native
from cslrun._frames import HIDDEN as __tracebackhide__
from cslrun.program import sources


@dataclass(frozen=True)
class Picture:
    """The elements that DSDs visit, in order; a notebook shows the first.

    Attributes
    ----------
    text
        All DSDs, as `cslrun dsd` prints them.
    svg
        The first DSD.
    """

    text: str
    svg: str

    def __str__(self) -> str:
        return self.text

    def _repr_svg_(self) -> str:
        return self.svg


def dsd(
    path: str | os.PathLike[str] | None = None,
    which: str | int | None = None,
    *,
    source_text: str | None = None,
    files: Mapping[str, str] | None = None,
    arch: str = "wse2",
    params: Mapping[str, bool | int | float] | None = None,
) -> Picture:
    """Draws the DSDs that a program builds.

    Parameters
    ----------
    path
        The file of the program, as for [compile].
    which
        The name of a DSD, or the line that builds it; by default all DSDs.
    source_text, files
        Its texts, as for [compile].
    arch
        The machine: `wse2` or `wse3`.
    params
        Values of the params of the file.

    Returns
    -------
    Picture
        The DSDs as text, and the first one as SVG.

    Raises
    ------
    CompileError
        The program is not valid CSL.
    ValueError
        The program builds no such DSD; the text says which ones it builds.
    """
    name, texts = sources(path, source_text, files)
    place = name if which is None else f"{name}:{which}"
    words = ["cslrun", "dsd", place, "--arch", arch]
    for param, value in (params or {}).items():
        words += ["--param", f"{param}={str(value).lower()}"]
    drawn = _native.draw_dsds(words, texts)
    if drawn is None:
        raise ValueError(f"there is no machine {arch}, or a param has no valid value")
    return Picture(*drawn)
