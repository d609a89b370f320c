"""Host scripts of the book below docs/book: they print what the pages show, exercises fail, solutions do not.

`DOCS=write` writes what is printed into the pages, as for the other commands of the pages.
"""

import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

BOOK = Path(__file__).parents[2] / "docs" / "book"
#: A command of a page with its status and its output, up to the next one or the end of the block.
SHOWN = re.compile(r"^\$ (sh \.\./(\w+)/\S+)\n(?:\? (\d+)\n)?((?:(?!\$ |```).*\n)*)", re.MULTILINE)
COMMANDS = [
    pytest.param(page, *found.groups(), id=found[1])
    for page in sorted((BOOK / "src").glob("*.md"))
    for found in SHOWN.finditer(page.read_text())
]


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A copy of the book: scripts write files beside themselves."""
    folder = tmp_path_factory.mktemp("book")
    for name in ("programs", "exercises", "solutions"):
        shutil.copytree(BOOK / name, folder / name, ignore=shutil.ignore_patterns("out", "sim*"))
    (folder / "src").mkdir()
    return folder


def run(book, command):
    """Runs a command where the pages are; gives its status and what it prints."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "CSLRUN_FLAGS": ""}
    done = subprocess.run(
        command.split(), cwd=book / "src", env=environment, capture_output=True, text=True, timeout=120
    )
    # Paths in tracebacks are those of this machine, and whether they underline code is up to the version of Python.
    error = re.sub(r'File "[^"]*/([^/"]+)"', r'File "\1"', done.stderr)
    error = re.sub(r"^ +[~^]+\n", "", error, flags=re.MULTILINE)
    return done.returncode, done.stdout + error


def test_there_are_host_scripts():
    folders = [param.values[2] for param in COMMANDS]
    assert folders.count("programs") >= 3 and folders.count("exercises") >= 4


@pytest.mark.parametrize("page, command, folder, status, output", COMMANDS)
def test_a_command_prints_what_the_page_shows(book, page, command, folder, status, output):
    real_status, real = run(book, command)
    if os.environ.get("DOCS") == "write":
        shown = f"$ {command}\n" + (f"? {status}\n" if status else "") + output
        printed = f"$ {command}\n" + (f"? {real_status}\n" if real_status else "") + real
        page.write_text(page.read_text().replace(shown, printed, 1))
        return
    assert (real_status, real) == (int(status or 0), output)
    assert real_status == 0 or folder == "exercises"


@pytest.mark.parametrize(
    "page, command", [pytest.param(*p.values[:2], id=p.id) for p in COMMANDS if p.values[2] == "exercises"]
)
def test_an_exercise_fails_with_what_the_page_names_and_its_solution_does_not(book, page, command):
    status, output = run(book, command)
    assert status == 1
    error = output.strip().splitlines()
    named = re.search(r"^(?:\w+\.)*(\w+Error)\b", output, re.MULTILINE)
    assert named, error
    task = page.read_text().split(command)[0].rsplit("### ", 1)[1]
    assert f"`{named[1]}`" in task

    status, output = run(book, command.replace("/exercises/", "/solutions/"))
    assert (status, output.splitlines()[-1]) == (0, "SUCCESS"), output


def asserts(text):
    return [line.strip() for line in text.splitlines() if "assert" in line]


@pytest.mark.parametrize("script", sorted(BOOK.glob("exercises/*/run.py")), ids=lambda script: script.parent.name)
def test_a_solution_asserts_what_its_exercise_does(script):
    solution = BOOK / "solutions" / script.relative_to(BOOK / "exercises")
    assert asserts(script.read_text()) and asserts(solution.read_text()) == asserts(script.read_text())
