"""Sweeps: rows, failures, what is kept in a file, processes and Dask workers that die."""

import json
import os
import signal
import time

import pytest
from distributed import Client, LocalCluster

import cslrun

PROGRAM = """
param n: u16;
export var y = @zeros([n]u16);
const start_id = @get_local_task_id(9);
task start() void {
  for (@range(u16, n)) |i| {
    y[i] = i;
  }
  @assert(n != 3);
}
comptime {
  @bind_local_task(start, start_id);
  @activate(start_id);
}
"""
FILES = {"program.csl": PROGRAM}


def sums(run, config):
    """What most of these sweeps measure."""
    return {"sum": run["y"].sum(), "double": 2 * config.get("factor", 0)}


def dies_once(run, config):
    """Kills its process at the first try of one configuration; notes each that it begins."""
    with open(config["log"], "a") as log:
        log.write(f"{config['n']}\n")
    if config["n"] == config["deadly"] and not os.path.exists(config["log"] + ".died"):
        open(config["log"] + ".died", "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.1)
    return sums(run, config)


def dies(run, config):
    """Kills its process whenever it tries one configuration."""
    if config["n"] == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return sums(run, config)


def swept(params, host=sums, **options):
    return cslrun.sweep("program.csl", params, host, files=FILES, progress=False, **{"scheduler": "serial", **options})


def test_rows_in_order():
    table = swept({"n": [2, 1]}, inputs={"factor": [10, 20]}, seeds=[7])
    assert list(table.columns) == ["n", "factor", "seed", "status", "cycles", "sum", "double", "warnings", "error", "report"]
    assert table[["n", "factor", "seed", "sum", "double"]].values.tolist() == [
        [2, 10, 7, 1, 20],
        [2, 20, 7, 1, 40],
        [1, 10, 7, 0, 20],
        [1, 20, 7, 0, 40],
    ]
    assert set(table.status) == {"ok"}
    assert (table.cycles > 0).all()


def test_configurations_one_by_one_and_a_single_result():
    table = swept([{"n": 4}, {"n": 1}], lambda run, config: run["y"].max())
    assert table["result"].tolist() == [3, 0]


def test_failures_are_kept_with_their_reports(tmp_path):
    table = swept({"n": [2, 3, 0x10000]}, reports=tmp_path / "reports")
    assert table.status.tolist() == ["ok", "failed", "failed"]
    assert table.error[1] == "assertion-failed: assertion failed: n != 3"
    assert "program.csl:9:3" in table.report[1]
    assert table.cycles.isna().tolist() == [False, False, True]
    assert "assertion failed" in (tmp_path / "reports" / "1.html").read_text()
    assert [path.name for path in (tmp_path / "reports").iterdir()] == ["1.html"]


def test_what_a_host_does_wrong_is_a_failure_of_its_run():
    table = swept({"n": [1]}, lambda run, config: {"y": run["y"]})
    assert table.error[0] == "TypeError: the host gives y as ndarray; a result is a number or a text"
    assert swept({"n": [1]}, lambda run, config: {"n": 1}).error[0].startswith("ValueError: the host gives a result 'n'")
    assert swept({"n": [1]}, lambda run, config: run["z"]).error[0].startswith("SymbolError: error[unknown-export]")


def test_a_sweep_goes_on_where_it_was(tmp_path):
    kept, log = tmp_path / "kept.jsonl", tmp_path / "log"

    def host(run, config):
        with log.open("a") as file:
            file.write(f"{config['n']}\n")
        return sums(run, config)

    whole = swept({"n": [1, 2, 3, 4]}, host, results=kept)
    lines = kept.read_text().splitlines(keepends=True)
    # Killed in the middle of a line.
    kept.write_text("".join(lines[:3]) + lines[3][:10])
    log.unlink()
    again = swept({"n": [1, 2, 3, 4]}, host, results=kept)
    assert log.read_text().split() == ["3", "4"]
    assert again.equals(whole)
    log.unlink()
    more = swept({"n": [4, 5]}, host, results=kept)
    assert (log.read_text().split(), more["sum"].tolist()) == (["5"], [6, 10])
    with pytest.raises(ValueError, match="belongs to another sweep, program or version"):
        swept({"n": [1]}, host, results=kept, max_cycles=1000)


def test_processes_give_the_same(tmp_path):
    assert swept({"n": [1, 2, 3]}, scheduler="processes", workers=2).equals(swept({"n": [1, 2, 3]}))
    # A function of no module reaches the processes, too.
    assert swept({"n": [5]}, lambda run, config: 1, scheduler="processes")["result"].tolist() == [1]


def test_a_process_that_is_killed_costs_only_its_own_run():
    table = swept({"n": [1, 2, 4]}, dies, scheduler="processes", workers=2)
    assert table.error.tolist() == ["", "its process was killed, or ran out of memory", ""]


def test_a_dask_worker_that_is_killed_loses_nothing(tmp_path):
    log = str(tmp_path / "log")
    params = {"n": [1, 2, 4, 5, 6, 7]}
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        table = swept(params, dies_once, inputs={"log": [log], "deadly": [4]}, scheduler=client)
    assert os.path.exists(log + ".died")
    assert table["n"].tolist() == params["n"]
    assert table.status.tolist() == ["ok"] * 6
    assert table["sum"].tolist() == [0, 1, 6, 10, 15, 21]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"params": {"n": []}}, "'n' has no values"),
        ({"params": {"n": [1, 1]}}, "is there twice"),
        ({"params": {"cycles": [1]}}, "'cycles' cannot be the name"),
        ({"params": {"n": [1]}, "inputs": {"n": [1]}}, "'n' cannot be the name"),
        ({"params": {"n": [1]}, "scheduler": "cluster"}, "the scheduler must be"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, why):
    with pytest.raises(ValueError, match=why):
        swept(**arguments)


def test_a_compiled_program_takes_inputs_only(program):
    table = cslrun.sweep(program, inputs={"factor": [1, 2]}, host=lambda run, config: config["factor"], workers=1, progress=False)
    assert table["result"].tolist() == [1, 2]
    with pytest.raises(ValueError, match="a compiled program has its params"):
        cslrun.sweep(program, {"n": [1]}, progress=False)


def test_what_is_kept_is_json(tmp_path):
    swept({"n": [1]}, results=tmp_path / "kept.jsonl")
    head, record = map(json.loads, (tmp_path / "kept.jsonl").read_text().splitlines())
    assert head["sweep"] == 1
    assert record["record"]["status"] == "ok"
