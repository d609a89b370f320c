"""A plugin of pytest: fixtures that compile and run CSL, and tests that are written in CSL.

Files called `test_*.csl` are collected. Each function of such a program that it exports and whose name starts with
`test_` is a test: it runs on a wafer of its own, on every PE, and fails if an `@assert` fails or the run does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import cslrun

#: How names of files and functions of tests start.
_PREFIX = "test_"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options that choose the machine of tests in CSL."""
    parser.getgroup("cslrun").addoption(
        "--csl-arch", choices=("wse2", "wse3"), default="wse2", help="the machine of test_*.csl (default: wse2)"
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collects files with tests in CSL."""
    if file_path.suffix == ".csl" and file_path.name.startswith(_PREFIX):
        return CslFile.from_parent(parent, path=file_path)
    return None


class CslFile(pytest.File):
    """A file with tests in CSL."""

    def collect(self) -> Iterable[CslTest]:
        """A test for each exported function."""
        arch = str(self.config.getoption("--csl-arch"))
        program = cslrun.compile(self.path, arch=arch)
        for name in program.functions:
            if name.startswith(_PREFIX):
                yield CslTest.from_parent(self, name=name, program=program)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The report of the compiler alone."""
        error = excinfo.value
        return str(error) if isinstance(error, cslrun.CslError) else super().repr_failure(excinfo)


class CslTest(pytest.Item):
    """An exported function of a program."""

    def __init__(self, *, program: cslrun.Program, **rest: Any) -> None:
        super().__init__(**rest)
        self.program = program

    def runtest(self) -> None:
        """Runs the function on every PE."""
        runner = cslrun.Runner(self.program)
        try:
            runner.launch(self.name)
            runner.finish()
        finally:
            printed = "\n".join(f"PE({line.x},{line.y}): {line.text}" for line in runner.printed)
            self.add_report_section("call", "stdout", printed)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The report of the run alone."""
        error = excinfo.value
        return str(error) if isinstance(error, cslrun.CslError) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the test is, and its name."""
        return self.path, None, self.name


@pytest.fixture
def csl_program(request: pytest.FixtureRequest) -> Callable[..., cslrun.Program]:
    """A function that compiles like `cslrun.compile`; a relative path starts at the folder of the test."""

    def compiled(path: str | Path | None = None, **options: Any) -> cslrun.Program:
        if path is not None and "files" not in options:
            path = request.path.parent / path
        return cslrun.compile(path, **options)

    return compiled


@pytest.fixture
def csl_run(csl_program: Callable[..., cslrun.Program]) -> Callable[..., cslrun.Runner]:
    """A function that compiles like [csl_program], launches a function if it is named, and runs the program to its
    end; it returns the run."""

    def ran(path: str | Path | None = None, *, launch: str | None = None, **options: Any) -> cslrun.Runner:
        runner = cslrun.Runner(csl_program(path, **options))
        if launch is not None:
            runner.launch(launch)
        runner.finish()
        return runner

    return ran
