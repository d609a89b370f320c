"""`SdkRuntime` of the client: the local one, started and stopped by a `with` statement."""

import os
import tempfile
from pathlib import Path

from cerebras.sdk.client import _artifact, _launcher, _settings
from cerebras.sdk.runtime import sdkruntimepybind

_OF_A_COPY = ("streaming", "data_type", "order", "nonblock")


class Task:
    """A command that the host has issued."""

    def __init__(self, runtime, task):
        self._runtime = runtime
        self._task = task

    def done(self):
        """Whether the command is done."""
        return self._runtime.is_task_done(self._task)

    def wait(self):
        """Waits for the command."""
        self._runtime.task_wait(self._task)


class SdkRuntime:
    """Runs the program of an artifact."""

    def __init__(self, artifact_path, simulator=False, **kwargs):
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

    def __enter__(self):
        if not self._started:
            self.start()
        return self

    def __exit__(self, kind, *_exception):
        if kind is not None:
            # The program may never end now, and the exception says enough.
            self._runtime._abandon()
        elif not self._stopped:
            self.stop()

    def start(self):
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

    def stop(self):
        """Waits for all commands, then ends the program."""
        self._stopped = True
        self._runtime.stop()

    def is_simulator(self):
        """Always true."""
        return True

    def get_id(self, name):
        """The number of an exported name; None if there is no such name."""
        return self._runtime.get_id(name)

    def memcpy_h2d(self, dest, src, px, py, w, h, elem_per_pe, **kwargs):
        """Copies a tensor A[h][w][elem_per_pe] to the PEs of a rectangle."""
        _need(kwargs, _OF_A_COPY)
        return self._given(self._runtime.memcpy_h2d(dest, src, px, py, w, h, elem_per_pe, **kwargs), kwargs)

    def memcpy_d2h(self, dest, src, px, py, w, h, elem_per_pe, **kwargs):
        """Copies the elements of the PEs of a rectangle into the tensor A[h][w][elem_per_pe]."""
        _need(kwargs, _OF_A_COPY)
        return self._given(self._runtime.memcpy_d2h(dest, src, px, py, w, h, elem_per_pe, **kwargs), kwargs)

    def launch(self, function, *args, **kwargs):
        """Calls an exported function on every PE."""
        _need_only_nonblock("launch", kwargs)
        return self._given(self._runtime.launch(function, *args, **kwargs), kwargs)

    def call(self, function, args=(), **kwargs):
        """Calls an exported function on every PE, with arguments that are already words."""
        _need_only_nonblock("call", kwargs)
        return self._given(self._runtime.call(function, args, **kwargs), kwargs)

    def task_wait(self, task):
        """Waits for a command."""
        _task(task).wait()

    def is_task_done(self, task):
        """Whether a command is done."""
        return _task(task).done()

    def download_artifact(self, name, out_path):
        """Copies a file or folder of the artifact or of the run to `out_path`."""
        is_with_root = not (self._root / name).exists() and (self._root.parent / name).exists()
        _launcher.fetch(self._root.parent if is_with_root else self._root, name, out_path)

    def _given(self, task, kwargs):
        return Task(self._runtime, task) if kwargs["nonblock"] else None


def _task(task):
    if not isinstance(task, Task):
        raise TypeError(
            "a task is what memcpy_h2d, memcpy_d2h and launch return with nonblock=True; "
            f"this is a {type(task).__name__}"
        )
    return task


def _need(kwargs, names):
    for name in names:
        if name not in kwargs:
            raise RuntimeError(f"Must specify {name} in kwargs")


def _need_only_nonblock(function, kwargs):
    for name in _OF_A_COPY[:-1]:
        if name in kwargs:
            raise RuntimeError(f"{function} does not take {name}: it is an option of memcpy_h2d and memcpy_d2h")
    _need(kwargs, ("nonblock",))
