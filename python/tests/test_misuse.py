"""Random calls of a host script, most of them wrong, give exceptions that `except Exception` catches.

`MISUSE=2000 pytest python/tests/test_misuse.py` makes that many scripts instead of 60.
"""

import os
import random

import numpy as np
import pytest
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
from conftest import COUNT, HEIGHT, WIDTH

import cslrun

SCRIPTS = int(os.environ.get("MISUSE", "60"))
CALLS = 12
NUMBERS = [-1, 0, 1, 2, COUNT, 7, 1 << 15, 1 << 31, 1 << 40, 1.5, "1", None, True, float("nan")]
# What a wrong call may raise: the errors of Python for values, types and names, and those of the package.
ALLOWED = (ValueError, TypeError, cslrun.SymbolError, IndexError, OverflowError, AttributeError, RuntimeError, BufferError)


def mostly(dice, right, others):
    """The right value in most calls, so that some get far."""
    return right if dice.random() < 0.7 else dice.choice(others)


def array(dice, count):
    """An array that is perhaps too small, of another type, or not contiguous."""
    size = mostly(dice, count, [0, 1, count - 1, count + 1, 2 * count])
    kind = mostly(dice, "<f4", ["<u4", "<i2", ">f4", "<f8", "<c8", "<u2", "O", "?", "S3"])
    values = np.zeros(max(size, 0), dtype=kind)
    return mostly(dice, values, [values[::-1], values[::2], values.reshape(1, -1), list(values), None, b"", values[:0]])


def copy(dice, runtime, symbols):
    way = dice.choice([runtime.memcpy_h2d, runtime.memcpy_d2h])
    symbol = mostly(dice, dice.choice(symbols), [*NUMBERS, 9999])
    tensor = array(dice, WIDTH * HEIGHT * COUNT)
    region = [mostly(dice, right, NUMBERS) for right in (0, 0, WIDTH, HEIGHT, COUNT)]
    options = {
        "streaming": mostly(dice, False, [True, None, 3]),
        "order": mostly(dice, MemcpyOrder.ROW_MAJOR, [MemcpyOrder.COL_MAJOR, None, 7]),
        "data_type": mostly(dice, MemcpyDataType.MEMCPY_32BIT, [MemcpyDataType.MEMCPY_16BIT, None, "32"]),
        "nonblock": mostly(dice, False, [True, None]),
    }
    if dice.random() < 0.1:
        del options[dice.choice(sorted(options))]
    pair = (tensor, symbol) if way == runtime.memcpy_d2h else (symbol, tensor)
    return way(*pair, *region, **options)


def calls(dice, runtime, tasks):
    """Something that a script may do, with its arguments."""
    names = mostly(dice, "floats", ["", "no such name", "\0", "f" * 10_000, None, 3])
    symbols = []
    for name in ("floats", names):
        try:
            symbols.append(runtime.get_id(name))
        except ALLOWED:
            symbols.append(0)
    return dice.choice(
        [
            lambda: runtime.load(),
            lambda: runtime.run(),
            lambda: runtime.stop(),
            lambda: runtime.get_id(names),
            lambda: tasks.append(copy(dice, runtime, symbols)),
            lambda: tasks.append(copy(dice, runtime, symbols)),
            lambda: tasks.append(copy(dice, runtime, symbols)),
            lambda: runtime.launch(
                mostly(dice, dice.choice(["double_all", "say", "combine"]), ["", "nothing", None, 5]),
                *dice.sample(NUMBERS, dice.randrange(3)),
                nonblock=mostly(dice, False, [True, None]),
            ),
            lambda: runtime.call(names, dice.sample(NUMBERS, 2), nonblock=False),
            lambda: runtime.task_wait(mostly(dice, tasks[-1] if tasks else None, NUMBERS)),
            lambda: runtime.is_task_done(mostly(dice, tasks[-1] if tasks else None, NUMBERS)),
            lambda: runtime.read_symbol(dice.choice(NUMBERS), dice.choice(NUMBERS), names),
            lambda: runtime.send(names, array(dice, 4)),
            lambda: runtime.receive(names, array(dice, 4), dice.choice(NUMBERS)),
            lambda: runtime.coord_logical_to_physical(dice.choice([(0, 0), (9, 9), (-1, 0), 3, None, ("a", 1)])),
        ]
    )


def misuse(dice, folder):
    """A script: how many of its calls were right. What is not allowed leaves this function."""
    runtime, tasks = SdkRuntime(folder), []
    if dice.random() < 0.8:
        runtime.load()
        runtime.run()
    right = 0
    for _ in range(CALLS):
        call = calls(dice, runtime, tasks)
        try:
            call()
            right += 1
        except ALLOWED:
            pass
    try:
        runtime.stop()
    except ALLOWED:
        pass
    return right


@pytest.mark.filterwarnings("ignore")
def test_wrong_calls_of_the_runtime_are_exceptions(compiled):
    right = 0
    for seed in range(SCRIPTS):
        try:
            right += misuse(random.Random(seed), compiled)
        except BaseException as caught:  # noqa: BLE001
            pytest.fail(f"script {seed}: {type(caught).__name__}: {caught}")
    # A script whose calls are all wrong tests little.
    assert right > SCRIPTS


def test_wrong_calls_of_a_runner_are_exceptions(program):
    for seed in range(SCRIPTS):
        dice = random.Random(seed)
        runner = cslrun.Runner(program, max_cycles=100_000)
        for _ in range(CALLS):
            name = mostly(dice, "floats", ["", "none", None, 4, "\0"])
            region = mostly(dice, None, [(0, 0, 1, 1), (0, 0, 99, 1), (-1, 0, 1, 1), (0,), 5, (0, 0, 1.5, 1)])
            call = dice.choice(
                [
                    lambda: runner.copy_in(name, array(dice, WIDTH * HEIGHT * COUNT), region=region),
                    lambda: runner.copy_out(name, dice.choice(NUMBERS), region=region),
                    lambda: runner.launch(mostly(dice, "double_all", [name]), *dice.sample(NUMBERS, dice.randrange(3))),
                    lambda: runner.finish(),
                    lambda: runner.symbol(dice.choice(NUMBERS), dice.choice(NUMBERS), name),
                    lambda: runner.trace(dice.choice(NUMBERS), 0, name),
                ]
            )
            try:
                call()
            except ALLOWED:
                pass
            except BaseException as caught:  # noqa: BLE001
                pytest.fail(f"script {seed}: {type(caught).__name__}: {caught}")
