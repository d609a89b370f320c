"""`SdkRuntime` of the client: the local one, started and stopped by a `with` statement."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy.typing as npt
from cerebras.sdk.client import _artifact, _launcher, _settings
from cerebras.sdk.runtime import sdkruntimepybind

_OF_A_COPY = ("streaming", "data_type", "order", "nonblock")


class Task:
    """A command that the host has issued."""

    def __init__(self, runtime: sdkruntimepybind.SdkRuntime, task: sdkruntimepybind.Task) -> None:
        self._runtime = runtime
        self._task = task

    def done(self) -> bool:
        """Whether the command is done."""
        return self._runtime.is_task_done(self._task)

    def wait(self) -> None:
        """Waits for the command."""
        self._runtime.task_wait(self._task)


class SdkRuntime:
    """Runs the program of an artifact."""

    def __init__(self, artifact_path: Any, simulator: bool = False, **kwargs: object) -> None:
        _settings.check("SdkRuntime", kwargs)
        if not simulator:
            _settings.tell_that_there_is_no_system("SdkRuntime")
        # It goes with this object, so that memory can be read after the run.
        self._folder = tempfile.TemporaryDirectory(prefix="cslrun-")
        artifact = _artifact.find(artifact_path)
        is_folder = artifact.is_dir()
        self._root = Path(self._folder.name) if is_folder else _artifact.unpack(artifact, self._folder.name)
        #: The output folder of cslc.
        self.output_folder = artifact if is_folder else _artifact.output_of(self._root)
        self._runtime = sdkruntimepybind.SdkRuntime(self.output_folder)
        self._started = self._stopped = False

    def __enter__(self) -> SdkRuntime:
        if not self._started:
            self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_exception: object) -> None:
        if kind is not None:
            # The program may never end now, and the exception says enough.
            self._runtime._abandon()
        elif not self._stopped:
            self.stop()

    def start(self) -> None:
        """Loads and starts the program."""
        if self._started:
            raise RuntimeError("SdkRuntime can be started only once")
        self._started = True
        # The run leaves its log beside the artifact, where `download_artifact` finds it.
        before = os.getcwd()
        os.chdir(self._root)
        try:
            self._runtime.load()
            self._runtime.run()
        finally:
            os.chdir(before)

    def load(self) -> None:
        """Does nothing: scripts for both runtimes call it before `run`."""

    def run(self) -> None:
        """As `start`."""
        self.start()

    def stop(self) -> None:
        """Waits for all commands, then ends the program."""
        self._stopped = True
        self._runtime.stop()

    def is_simulator(self) -> bool:
        """Always true."""
        return True

    def get_id(self, name: str) -> int | None:
        """The number of an exported name; None if there is no such name."""
        return self._runtime.get_id(name)

    def memcpy_h2d(
        self,
        dest: int,
        src: npt.NDArray[Any],
        px: int,
        py: int,
        w: int,
        h: int,
        elem_per_pe: int,
        **kwargs: Any,
    ) -> Task | None:
        """Copies a tensor A[h][w][elem_per_pe] to the PEs of a rectangle."""
        _need(kwargs, _OF_A_COPY)
        return self._given(self._runtime.memcpy_h2d(dest, src, px, py, w, h, elem_per_pe, **kwargs), kwargs)

    def memcpy_d2h(
        self,
        dest: npt.NDArray[Any],
        src: int,
        px: int,
        py: int,
        w: int,
        h: int,
        elem_per_pe: int,
        **kwargs: Any,
    ) -> Task | None:
        """Copies the elements of the PEs of a rectangle into the tensor A[h][w][elem_per_pe]."""
        _need(kwargs, _OF_A_COPY)
        return self._given(self._runtime.memcpy_d2h(dest, src, px, py, w, h, elem_per_pe, **kwargs), kwargs)

    def launch(self, function: str | int, *args: Any, **kwargs: Any) -> Task | None:
        """Calls an exported function on every PE."""
        _need_only_nonblock("launch", kwargs)
        return self._given(self._runtime.launch(function, *args, **kwargs), kwargs)

    def call(self, function: str | int, args: npt.ArrayLike = (), **kwargs: Any) -> Task | None:
        """Calls an exported function on every PE, with arguments that are already words."""
        _need_only_nonblock("call", kwargs)
        return self._given(self._runtime.call(function, args, **kwargs), kwargs)

    def task_wait(self, task: Task) -> None:
        """Waits for a command."""
        _task(task).wait()

    def is_task_done(self, task: Task) -> bool:
        """Whether a command is done."""
        return _task(task).done()

    def download_artifact(self, name: str, out_path: str | os.PathLike[str]) -> None:
        """Copies a file or folder of the artifact or of the run to `out_path`."""
        is_with_root = not (self._root / name).exists() and (self._root.parent / name).exists()
        _launcher.fetch(self._root.parent if is_with_root else self._root, name, out_path)

    def _given(self, task: sdkruntimepybind.Task, kwargs: Mapping[str, object]) -> Task | None:
        return Task(self._runtime, task) if kwargs["nonblock"] else None


def _task(task: Task) -> Task:
    if not isinstance(task, Task):
        raise TypeError(
            "a task is what memcpy_h2d, memcpy_d2h and launch return with nonblock=True; "
            f"this is a {type(task).__name__}"
        )
    return task


def _need(kwargs: Mapping[str, object], names: Sequence[str]) -> None:
    for name in names:
        if name not in kwargs:
            raise RuntimeError(f"Must specify {name} in kwargs")


def _need_only_nonblock(function: str, kwargs: Mapping[str, object]) -> None:
    for name in _OF_A_COPY[:-1]:
        if name in kwargs:
            raise RuntimeError(f"{function} does not take {name}: it is an option of memcpy_h2d and memcpy_d2h")
    _need(kwargs, ("nonblock",))
