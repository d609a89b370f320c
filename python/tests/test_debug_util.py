import numpy as np
import pytest
from cerebras.sdk.debug.debug_util import debug_util
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
from layouts import compiled as compiled_layout
from layouts import finished, region

OPTIONS = {
    "streaming": False,
    "order": MemcpyOrder.ROW_MAJOR,
    "data_type": MemcpyDataType.MEMCPY_32BIT,
    "nonblock": False,
}


@pytest.fixture
def stopped(runtime, compiled):
    floats = np.array([0.5, 1.0, 2.0, 4.0] * 6, dtype=np.float32)
    runtime.memcpy_h2d(runtime.get_id("floats"), floats, 0, 0, 3, 2, 4, **OPTIONS)
    runtime.launch("double_all", nonblock=False)
    runtime.stop()
    return debug_util(str(compiled), cmaddr=None)


def test_traces_are_read_by_fabric_coordinates(stopped):
    assert stopped.read_trace(4 + 1, 1 + 1, "calls") == ["double_all", 4, 1.0]


def test_symbols_are_read_without_an_export(stopped):
    assert stopped.get_symbol(4, 1, "floats", np.float32).tolist() == [1.0, 2.0, 4.0, 8.0]


def test_rectangles_are_indexed_by_column_and_row(stopped):
    assert stopped.get_symbol_rect(((4, 1), (3, 2)), "floats", np.float32).shape == (3, 2, 4)


def test_a_dtype_that_does_not_divide_the_variable_is_refused(stopped):
    with pytest.raises(ValueError, match=r"`numbers` has 4 bytes, which are no whole number of elements of float64"):
        stopped.get_symbol(4, 1, "numbers", np.float64)


def test_wrong_names_and_places_are_refused(stopped):
    with pytest.raises(RuntimeError, match="no symbol float; it has .*floats"):
        stopped.get_symbol(4, 1, "float", np.float32)
    with pytest.raises(RuntimeError, match="columns 4 to 6 and rows 1 to 2"):
        stopped.get_symbol(0, 0, "floats", np.float32)


def test_without_a_run_there_is_nothing_to_read(compiled):
    with pytest.raises(RuntimeError, match="run the program to stop\\(\\) first"):
        debug_util(compiled).get_symbol(4, 1, "floats", np.float32)


def test_it_can_be_made_before_the_run(compiled, tmp_path, monkeypatch):
    early = debug_util("out")
    runtime = SdkRuntime(compiled)
    runtime.load()
    runtime.run()
    runtime.launch("say", np.uint16(3), nonblock=False)
    runtime.stop()
    monkeypatch.chdir("/")
    assert early.get_symbol(6, 2, "numbers", np.uint32).tolist() == [5]


def stuck(folder, value):
    """Writes the variable `words` and launches a function after which no copy can finish; a runtime whose stop() fails."""
    runtime = SdkRuntime(folder)
    runtime.load()
    runtime.run()
    later = {**OPTIONS, "nonblock": True}
    runtime.memcpy_h2d(runtime.get_id("words"), np.full(24, value, np.uint32), 0, 0, 3, 2, 4, **later)
    runtime.launch("stay_busy", nonblock=True)
    runtime.memcpy_d2h(np.zeros(24, np.uint32), runtime.get_id("words"), 0, 0, 3, 2, 4, **later)
    return runtime


def test_a_run_that_fails_leaves_its_own_memory(stopped, compiled):
    runtime = stuck(compiled, 7)
    with pytest.raises(RuntimeError, match="stay_busy"):
        runtime.stop()
    assert debug_util(compiled).get_symbol(4, 1, "words", np.uint32).tolist() == [7] * 4


def test_the_memory_of_an_earlier_run_goes_when_another_is_loaded(stopped, compiled):
    assert debug_util(compiled).get_symbol(4, 1, "words", np.uint32).tolist() == [0] * 4
    stuck(compiled, 7)._abandon()
    with pytest.raises(RuntimeError, match="run the program to stop\\(\\) first"):
        debug_util(compiled).get_symbol(4, 1, "words", np.uint32)


def test_the_memory_of_a_run_goes_when_a_layout_is_compiled_into_its_folder(layout):
    region(layout, "blocks", "blocks", at=(2, 2))
    finished(layout)
    assert debug_util("out").get_symbol(2, 2, "few", np.uint16).tolist() == [7, 8]
    compiled_layout(layout)
    with pytest.raises(RuntimeError, match="run the program to stop\\(\\) first"):
        debug_util("out").get_symbol(2, 2, "few", np.uint16)
