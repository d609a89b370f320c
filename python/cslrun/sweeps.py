"""Many runs of a program: other params, other inputs, other seeds, on all cores or on a Dask cluster.

The packages for it come with `pip install 'cslrun[sweep]'`, and Dask with `pip install 'cslrun[dask]'`.
"""

from __future__ import annotations

import hashlib
import inspect
import itertools
import json
import os
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cslrun._frames import HIDDEN as __tracebackhide__
from cslrun._native import CslError, __version__
from cslrun.program import Program, compile
from cslrun.runner import Runner

try:
    import loky
    import pandas
    from tqdm import tqdm
except ImportError as error:
    raise ImportError(f"cslrun.sweep needs {error.name}: pip install 'cslrun[sweep]'") from error

#: Values of params, inputs and the seed, by name.
Configuration = dict[str, Any]
Host = Callable[[Runner, Configuration], Any]

#: Columns that a sweep fills; no param, input or result can have these names.
COLUMNS = ("status", "cycles", "warnings", "error", "report")


def sweep(
    program: str | os.PathLike[str] | Program,
    params: Mapping[str, Iterable[Any]] | Iterable[Mapping[str, Any]] = (),
    host: Host | None = None,
    *,
    inputs: Mapping[str, Iterable[Any]] | None = None,
    seeds: Iterable[int] | None = None,
    arch: str = "wse2",
    files: Mapping[str, str] | None = None,
    max_cycles: int | None = None,
    scheduler: Any = "processes",
    workers: int | None = None,
    results: str | os.PathLike[str] | None = None,
    reports: str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> pandas.DataFrame:
    """Runs a program once for each configuration.

    Parameters
    ----------
    program
        A CSL file, which is compiled for each configuration, or a compiled program, for which only inputs and seeds
        can vary.
    params
        Values of each param, all of which are combined; or the configurations one by one, each with a value for every
        param.
    host
        A function of the run and its configuration, with what the host script does: copies, launches, reads. It
        gives the results: a dict, or one value for the column `result`. Without it the program just runs.
    inputs
        Values that only the host sees; they are combined with the params.
    seeds
        Seeds for what the machine leaves undefined, such as the order of tasks that are ready at the same time; the
        host finds the seed as `seed`.
    arch, files
        As for [compile].
    max_cycles
        As for [Runner].
    scheduler
        `processes` of this machine, `serial` for none, a `distributed.Client` of Dask, or any
        `concurrent.futures.Executor`.
    workers
        The number of processes; by default that of the cores.
    results
        A file that keeps each result as soon as it is there. A sweep that was interrupted goes on where it was: what
        the file holds is not run again. Failures are kept, too.
    reports
        A folder for a report page of each run that fails; it runs again for that.
    progress
        Whether to show a bar.

    Returns
    -------
    pandas.DataFrame
        A row for each configuration, in their order: the configuration; `status`, which is `ok` or `failed`; `cycles`
        (estimate); the results; `warnings`, the rules of the run's warnings; `error`, why it failed, in one line, and
        `report`, the same at length.

    Raises
    ------
    ValueError
        A configuration is there twice or has no values, names collide, or `results` belongs to another sweep.

    Examples
    --------
    >>> table = cslrun.sweep("layout.csl", {"n": [4, 8, 16]}, lambda run, config: run["y"].sum())
    """
    if isinstance(program, Program) and params:
        raise ValueError("a compiled program has its params: give the file of the program, or use inputs")
    task = _Task(program, arch, None if files is None else dict(files), host, _names(params), max_cycles, None, reports)
    configurations = _combined(params, inputs or {}, seeds)
    task.threads = None if scheduler == "serial" or len(configurations) == 1 else 1
    log = _Log(results, task, configurations)
    left = {number: each for number, each in enumerate(configurations) if number not in log.records}
    with tqdm(total=len(configurations), initial=len(log.records), unit="run", disable=not progress) as bar:
        for number, record in _records(scheduler, task, left, workers):
            log.note(number, record)
            bar.update()
    rows = [{**configuration, **log.records[number]} for number, configuration in enumerate(configurations)]
    return _table(rows, configurations)


def _names(params: Any) -> tuple[str, ...]:
    if isinstance(params, Mapping):
        return tuple(params)
    return tuple(dict.fromkeys(name for configuration in params for name in configuration))


def _combined(params: Any, inputs: Mapping[str, Iterable[Any]], seeds: Iterable[int] | None) -> list[Configuration]:
    """All configurations, in order."""
    axes = {**inputs, **({} if seeds is None else {"seed": seeds})}
    ones: list[Mapping[str, Any]] = [{}]
    if isinstance(params, Mapping):
        axes = {**params, **axes}
    elif params:
        ones = list(params)
    names = [*_names(params), *inputs, *([] if seeds is None else ["seed"])]
    for name in names:
        if names.count(name) > 1 or name in COLUMNS:
            raise ValueError(f"{name!r} cannot be the name of a param or an input here: it is there already")
    choices = {name: list(values) for name, values in axes.items()}
    for name, values in choices.items():
        if not values:
            raise ValueError(f"{name!r} has no values")
    combined = [
        {**one, **dict(zip(choices, chosen))} for one in ones for chosen in itertools.product(*choices.values())
    ]
    plain = [{name: _plain(value) for name, value in configuration.items()} for configuration in combined]
    seen: set[str] = set()
    for configuration in plain:
        if (key := _key(configuration)) in seen:
            raise ValueError(f"the configuration {configuration} is there twice")
        seen.add(key)
    return plain


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _key(configuration: Configuration) -> str:
    return json.dumps({name: repr(value) for name, value in configuration.items()})


@dataclass
class _Task:
    """What all runs of a sweep have in common."""

    program: str | os.PathLike[str] | Program
    arch: str
    files: dict[str, str] | None
    host: Host | None
    params: tuple[str, ...]
    max_cycles: int | None
    threads: int | None
    reports: str | os.PathLike[str] | None

    def compiled(self, configuration: Configuration) -> Program:
        """The program of a configuration."""
        if isinstance(self.program, Program):
            return self.program
        params = {name: value for name, value in configuration.items() if name in self.params}
        return compile(self.program, arch=self.arch, params=params, files=self.files)

    def runner(self, program: Program, configuration: Configuration, report: str | None = None) -> Runner:
        """A run for a configuration that has not begun."""
        seed = configuration.get("seed") if "seed" not in self.params else None
        return Runner(program, seed=seed, max_cycles=self.max_cycles, threads=self.threads, report=report)

    def fingerprint(self, configurations: list[Configuration]) -> str:
        """The same for two sweeps whose results are comparable: the texts of program and host, and this version.

        Of the program it has the files that the first configuration needs.
        """
        digest = hashlib.sha256()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                texts = [text for each in configurations[:1] for text in self.compiled(each)._native.sources()]
            except CslError as error:
                texts = [("", str(error))]
        digest.update(repr((__version__, texts)).encode())
        try:
            digest.update(inspect.getsource(self.host).encode() if self.host else b"")
        except (OSError, TypeError):
            digest.update(repr(getattr(self.host, "__qualname__", "")).encode())
        digest.update(repr((self.arch, self.max_cycles)).encode())
        return digest.hexdigest()


def _run(task: _Task, number: int, configuration: Configuration) -> dict[str, Any]:
    """Runs one configuration, here or in another process."""
    runner = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = task.compiled(configuration)
            runner = task.runner(program, configuration)
            results = _results(task.host(runner, dict(configuration)) if task.host else None, configuration)
            _, found = runner._end()
    except CslError as error:
        if runner is not None and task.reports is not None:
            _write_report(task, number, configuration)
        first = next(iter(error.diagnostics), None)
        line = f"{first.rule}: {first.message}" if first else str(error).partition("\n")[0]
        return _failure(line, str(error), runner.cycles if runner else None)
    except Exception as error:
        line = next(iter(str(error).splitlines()), "")
        return _failure(f"{type(error).__name__}: {line}", traceback.format_exc(), runner.cycles if runner else None)
    rules = dict.fromkeys(diagnostic.rule for diagnostic in [*program.diagnostics, *found])
    return {"status": "ok", "cycles": runner.cycles, **results, "warnings": ", ".join(rules), "error": "", "report": ""}


def _failure(error: str, report: str, cycles: int | None) -> dict[str, Any]:
    return {"status": "failed", "cycles": cycles, "warnings": "", "error": error, "report": report}


def _results(given: Any, configuration: Configuration) -> dict[str, Any]:
    """The columns of what a host function gives."""
    if given is None:
        return {}
    named = given if isinstance(given, Mapping) else {"result": given}
    results = {str(name): value.item() if np.ndim(value) == 0 and hasattr(value, "item") else value for name, value in named.items()}
    for name, value in results.items():
        if not isinstance(value, (bool, int, float, str, type(None))):
            raise TypeError(f"the host gives {name} as {type(value).__name__}; a result is a number or a text")
        if name in COLUMNS or name in configuration:
            raise ValueError(f"the host gives a result {name!r}: a column of the sweep has this name")
    return results


def _write_report(task: _Task, number: int, configuration: Configuration) -> None:
    """Runs a configuration that fails again, for its report page."""
    assert task.reports is not None
    folder = Path(task.reports)
    folder.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            runner = task.runner(task.compiled(configuration), configuration, str(folder / f"{number}.html"))
            if task.host:
                task.host(runner, dict(configuration))
            runner._end()
        except CslError:
            pass


def _records(
    scheduler: Any, task: _Task, left: dict[int, Configuration], workers: int | None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of configurations, as they come."""
    if scheduler == "serial":
        return ((number, _run(task, number, configuration)) for number, configuration in left.items())
    if scheduler == "processes":
        return _of_processes(task, dict(left), workers or os.cpu_count() or 1)
    # A client of Dask gives its cluster as an executor.
    executor = scheduler.get_executor(pure=False) if hasattr(scheduler, "get_executor") else scheduler
    if not hasattr(executor, "submit"):
        raise ValueError(f"the scheduler must be 'processes', 'serial', a Dask client or an executor, not {scheduler!r}")
    return _of_executor(executor, task, left, len(left), {})


def _of_executor(
    executor: Executor,
    task: _Task,
    left: dict[int, Configuration],
    at_once: int,
    running: dict[Future[dict[str, Any]], int],
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of configurations, of which so many are given to the executor at once.

    BrokenExecutor passes, with those that were running in `running`.
    """
    coming = iter(left.items())
    while True:
        for number, configuration in itertools.islice(coming, at_once - len(running)):
            running[executor.submit(_run, task, number, configuration)] = number
        if not running:
            return
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in sorted(done, key=lambda future: isinstance(future.exception(), BrokenExecutor)):
            try:
                record = future.result()
            except BrokenExecutor:
                raise
            except Exception as error:
                record = _failure(f"{type(error).__name__}: {error}", "".join(traceback.format_exception(error)), None)
            yield running.pop(future), record


def _of_processes(task: _Task, left: dict[int, Configuration], workers: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of configurations that run in processes. If a process dies, those that ran then run again, each
    alone."""
    while left:
        running: dict[Future[dict[str, Any]], int] = {}
        try:
            with loky.ProcessPoolExecutor(max_workers=min(workers, len(left))) as executor:
                for number, record in _of_executor(executor, task, dict(left), workers, running):
                    del left[number]
                    yield number, record
        except BrokenExecutor:
            for number in sorted(running.values()):
                yield number, _alone(task, number, left.pop(number))


def _alone(task: _Task, number: int, configuration: Configuration) -> dict[str, Any]:
    try:
        with loky.ProcessPoolExecutor(max_workers=1) as executor:
            record: dict[str, Any] = executor.submit(_run, task, number, configuration).result()
            return record
    except BrokenExecutor as error:
        return _failure("its process was killed, or ran out of memory", str(error), None)


class _Log:
    """The records that there are, and the file that keeps them."""

    def __init__(self, path: str | os.PathLike[str] | None, task: _Task, configurations: list[Configuration]) -> None:
        self.records: dict[int, dict[str, Any]] = {}
        self._path = None if path is None else Path(path)
        self._configurations = configurations
        if self._path is None:
            return
        head = {"sweep": 1, "of": task.fingerprint(configurations)}
        kept = self._path.read_text(encoding="utf-8").splitlines() if self._path.exists() else []
        if kept and json.loads(kept[0]) != head:
            raise ValueError(f"{self._path} belongs to another sweep, program or version of cslrun: name another file")
        numbers = {_key(configuration): number for number, configuration in enumerate(configurations)}
        for line in kept[1:]:
            # The sweep may have been killed while it wrote the last line.
            try:
                kept_one = json.loads(line)
            except ValueError:
                continue
            if kept_one["of"] in numbers:
                self.records[numbers[kept_one["of"]]] = kept_one["record"]
        if not kept:
            self._write(head, "w")
        elif not self._path.read_text(encoding="utf-8").endswith("\n"):
            with self._path.open("a", encoding="utf-8") as file:
                file.write("\n")

    def note(self, number: int, record: dict[str, Any]) -> None:
        """Keeps a record."""
        self.records[number] = record
        if self._path is not None:
            self._write({"of": _key(self._configurations[number]), "record": record}, "a")

    def _write(self, line: dict[str, Any], mode: str) -> None:
        assert self._path is not None
        with self._path.open(mode, encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def _table(rows: list[dict[str, Any]], configurations: list[Configuration]) -> pandas.DataFrame:
    """All rows, with the columns of the sweep around the results."""
    table = pandas.DataFrame.from_records(rows)
    names = list(dict.fromkeys(name for configuration in configurations for name in configuration))
    results = [name for name in table.columns if name not in names and name not in COLUMNS]
    table = table[[*names, "status", "cycles", *results, "warnings", "error", "report"]]
    return table.astype({"cycles": "Int64"})
