"""The documentation of the Python package: docstrings, types, and the page that `scripts/api-page` makes."""

import inspect
import subprocess
import sys
from pathlib import Path

import numpydoc.validate
import pytest

import cslrun
from conftest import ROOT

#: What numpydoc must not find: missing docstrings, parameters and results that are not documented, unknown or in another
#: order, and sections that it does not know.
FAULTS = {"GL08", "PR01", "PR02", "PR03", "RT01", "YD01", "GL06", "GL07"}

#: Objects that only cslrun itself makes: their attributes are documented instead.
RECORDS = {"Color", "CslWarning", "Diagnostic", "Export", "Label", "Picture", "Printed", "Profile", "Program", "Report"}


def public():
    """The names of everything that the package offers."""
    import cslrun.plot

    for name in [*cslrun.__all__, *(f"plot.{name}" for name in ("heat_map", "time_line", "lines"))]:
        home, _, last = name.rpartition(".")
        thing = getattr(getattr(cslrun, home) if home else cslrun, last)
        if not inspect.isclass(thing) and not inspect.isfunction(thing):
            continue
        path = f"{thing.__module__}.{thing.__qualname__}"
        if name not in RECORDS:
            yield path
        if inspect.isclass(thing):
            own = vars(thing).items()
            yield from (f"{path}.{part}" for part, its in own if inspect.isfunction(its) and not part.startswith("_"))


@pytest.mark.parametrize("name", list(public()))
def test_a_docstring_says_what_goes_in_and_what_comes_out(name):
    found = numpydoc.validate.validate(name)["errors"]
    assert [fault for fault in found if fault[0] in FAULTS] == []


def test_types_are_right_for_pyright_too():
    """mypy checks them in test_library.py."""
    words = [sys.executable, "-m", "pyright", "--project", ROOT / "python", "--pythonpath", sys.executable]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_api_page_can_be_made(tmp_path):
    words = [ROOT / "scripts" / "api-page", tmp_path]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "pdoc warns about what it cannot show"
    page = (Path(tmp_path) / "cslrun.html").read_text()
    for name in ("Runner", "compile", "sweep", "Diagnostic"):
        assert f'id="{name}"' in page
    assert "shape (height, width, count)" in page
    assert 'id="heat_map"' in (Path(tmp_path) / "cslrun" / "plot.html").read_text()
