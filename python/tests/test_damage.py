"""Damaged output folders give exceptions that `except Exception` catches."""

import zlib

import numpy as np
import pytest
from cerebras.sdk.debug.debug_util import debug_util
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
from conftest import COUNT, HEIGHT, WIDTH

import cslrun

OPTIONS = {
    "streaming": False,
    "order": MemcpyOrder.ROW_MAJOR,
    "data_type": MemcpyDataType.MEMCPY_32BIT,
    "nonblock": False,
}


def places(size, count=400):
    """Places all over a file, those of its header among them."""
    return sorted({*range(min(size, 64)), *np.linspace(0, size - 1, count, dtype=int).tolist()})


def refused(folder):
    """Whether a host script learns that the folder is damaged."""
    with pytest.raises(Exception) as caught:
        SdkRuntime(folder)
    return isinstance(caught.value, RuntimeError)


def test_every_changed_byte_of_a_program_is_an_exception(compiled):
    path = compiled / "bin" / "program.cslrun"
    whole = path.read_bytes()
    for at in places(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :])
        assert refused(compiled), f"byte {at}"


def test_every_cut_program_is_an_exception(compiled):
    path = compiled / "bin" / "program.cslrun"
    whole = path.read_bytes()
    for at in places(len(whole)):
        path.write_bytes(whole[:at])
        assert refused(compiled), f"cut behind {at} bytes"
    path.write_bytes(whole + b"\0")
    assert refused(compiled)


def test_every_changed_byte_of_a_snapshot_is_an_exception(runtime, compiled):
    runtime.stop()
    path = compiled / "bin" / "snapshot.cslrun"
    whole = path.read_bytes()
    assert debug_util(compiled).get_symbol(4, 1, "floats", np.float32).tolist() == [0.0] * COUNT
    for at in places(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(RuntimeError, match="not a snapshot of this program"):
            debug_util(compiled).get_symbol(4, 1, "floats", np.float32)


def test_a_snapshot_of_another_program_is_an_exception(runner, tmp_path):
    other = tmp_path / "one.csl"
    other.write_text("var x = @zeros([2]u32); export var y = @zeros([2]u32);")
    (tmp_path / "snapshot").write_bytes(runner.snapshot_bytes())
    with pytest.raises(cslrun.CslError, match="not a snapshot of this program"):
        cslrun._native.Snapshot.load(cslrun.compile(other)._native, str(tmp_path / "snapshot"))


def with_its_checksum(whole, at, change):
    """A program that was changed by somebody who knows the checksum."""
    start = 9 + whole[8]
    body = bytearray(whole[start + 4 :])
    body[at] ^= change
    return whole[:start] + zlib.crc32(body).to_bytes(4, "little") + bytes(body)


def run_all(path):
    program = cslrun.Program.load(path)
    runner = cslrun.Runner(program, max_cycles=20_000)
    runner.copy_in("words", np.zeros((HEIGHT, WIDTH, COUNT), np.uint32))
    runner.launch("double_all")
    runner.copy_out("floats", COUNT)
    runner.finish()
    runner.snapshot_bytes()


def test_a_fault_of_ours_is_an_exception_too(program, tmp_path):
    assert issubclass(cslrun.InternalError, cslrun.CslError) and issubclass(cslrun.InternalError, RuntimeError)
    program.save(tmp_path / "whole")
    whole, path = (tmp_path / "whole").read_bytes(), tmp_path / "changed"
    run_all(tmp_path / "whole")
    kinds = set()
    for at in places(len(whole) - 13 - whole[8], 700):
        path.write_bytes(with_its_checksum(whole, at, 0x40))
        try:
            run_all(path)
        except Exception as e:  # a PanicException is none
            kinds.add(type(e))
    assert cslrun.CslError in kinds
