"""Runs a checkout of the public csl-examples, unmodified, and says which work.

    python -m cslrun.compat DIR [--arch wse2|wse3] [--filter GLOB,..] [--json OUT] [--jobs N]

Each example folder with a `commands_<arch>.sh` is copied aside, with the libraries that lie
beside it, and its script runs with the `cslc` and `cs_python` of this installation. An example
passes when its script ends with status 0 and prints no verdict of its own that says otherwise.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from fnmatch import fnmatch
from pathlib import Path

ARCHITECTURES = ("wse2", "wse3")

_GROUPS = ("tutorials", "benchmarks")

# Some scripts end with status 0 and print their verdict as a word.
_BAD_VERDICT = re.compile(r"\b(FAIL|FAILED|FAILURE)\b")

_ERROR = re.compile(r"^(error|unsupported)(\[|:)|^\S+: error:|^[\w.]*(Error|Exception|Exit)\b|internal fault")


@dataclass(frozen=True)
class Example:
    """One commands script."""

    group: str
    name: str
    arch: str

    @property
    def script(self):
        """The file to run, relative to the example's folder."""
        return f"commands_{self.arch}.sh"


@dataclass
class Outcome:
    """How one script ended."""

    example: str
    arch: str
    result: str
    seconds: float
    error: str
    output: str


def find(checkout, architectures, patterns):
    """The examples of a checkout, in the order of their names."""
    found = []
    for group in _GROUPS:
        for folder in sorted(p for p in (checkout / group).glob("*") if p.is_dir()):
            if patterns and not any(fnmatch(folder.name, p) for p in patterns):
                continue
            examples = (Example(group, folder.name, arch) for arch in architectures)
            found += [e for e in examples if (folder / e.script).is_file()]
    return found


def run(checkout, example, limit):
    """Runs one example in a copy of its folder."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="csl-example-") as place:
        folder = _copy(checkout / example.group, example.name, Path(place) / example.group)
        status, output = _run_script(folder, example.script, limit)
    result, error = judge(status, output, limit)
    return Outcome(example.name, example.arch, result, time.monotonic() - started, error, output)


def judge(status, output, limit):
    """The verdict on a script, and the line that explains a bad one; no status is a time-out."""
    if status is None:
        return "time", f"not done after {limit:g} s"
    lines = output.splitlines()
    if status != 0:
        errors = (line.strip() for line in lines if _ERROR.search(line))
        last = lines[-1].strip() if lines else ""
        return "fail", next(errors, last) or f"exit status {status}"
    verdict = next((line.strip() for line in lines if _BAD_VERDICT.search(line)), None)
    return ("fail", verdict) if verdict else ("pass", "")


def _copy(group, name, target):
    """Copies an example and the libraries beside it, which it imports by relative path."""
    libraries = (p for p in group.iterdir() if p.is_dir() and not any(p.glob("commands_*.sh")))
    for folder in [group / name, *libraries]:
        shutil.copytree(folder, target / folder.name, dirs_exist_ok=True)
    return target / name


def _run_script(folder, script, limit):
    environment = dict(os.environ, MPLBACKEND="Agg", PYTHONUNBUFFERED="1")
    environment["PATH"] = sysconfig.get_path("scripts") + os.pathsep + environment.get("PATH", "")
    with subprocess.Popen(
        ["bash", script],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            # The script's children hold the pipe open: the whole session has to end.
            os.killpg(process.pid, signal.SIGKILL)
            return None, process.communicate()[0]
        return process.returncode, output


def table(outcomes):
    """The outcomes for people, with totals below."""
    rows = [("example", "arch", "result", "seconds", "first error")]
    rows += [(o.example, o.arch, o.result, f"{o.seconds:.1f}", o.error[:100]) for o in outcomes]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = ["  ".join([*(cell.ljust(w) for cell, w in zip(row, widths)), row[4]]).rstrip() for row in rows]
    lines.insert(1, "  ".join("-" * w for w in widths))
    return "\n".join([*lines, "", totals(outcomes)])


def totals(outcomes):
    """How many scripts passed, and how many folders on every architecture that was run."""
    passed = sum(o.result == "pass" for o in outcomes)
    folders = {o.example: True for o in outcomes}
    for outcome in outcomes:
        folders[outcome.example] &= outcome.result == "pass"
    seconds = sum(o.seconds for o in outcomes)
    return (
        f"{passed} of {len(outcomes)} scripts pass; "
        f"{sum(folders.values())} of {len(folders)} folders pass on every architecture; {seconds:.1f} s"
    )


def main(words=None):
    """The command; its status is 0 when everything passes."""
    options = _parser().parse_args(words)
    checkout = Path(options.checkout)
    if not any((checkout / group).is_dir() for group in _GROUPS):
        sys.exit(f"{checkout} has neither of the folders {' and '.join(_GROUPS)}: it is no checkout of csl-examples")
    examples = find(checkout, options.arch or ARCHITECTURES, _patterns(options.filter))
    if not examples:
        sys.exit("no example matches")
    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(lambda e: _reported(run(checkout, e, options.limit)), examples))
    print(table(outcomes))
    if options.json:
        Path(options.json).write_text(json.dumps([asdict(o) for o in outcomes], indent=1), encoding="utf-8")
    sys.exit(any(o.result != "pass" for o in outcomes))


def _reported(outcome):
    print(f"{outcome.example} {outcome.arch}: {outcome.result}", file=sys.stderr, flush=True)
    return outcome


def _patterns(filters):
    return [pattern for text in filters for pattern in text.split(",") if pattern]


def _parser():
    parser = argparse.ArgumentParser(prog="python -m cslrun.compat", description=__doc__.splitlines()[0])
    parser.add_argument("checkout", metavar="DIR", help="a checkout of csl-examples")
    parser.add_argument("--arch", action="append", choices=ARCHITECTURES, help="one machine instead of both")
    parser.add_argument("--filter", action="append", default=[], metavar="GLOB,..", help="examples by name")
    parser.add_argument("--json", metavar="OUT", help="write all outcomes, with the scripts' output")
    parser.add_argument("--jobs", type=int, default=1, help="scripts at a time")
    parser.add_argument("--limit", type=float, default=600, metavar="SECONDS", help="for one script")
    return parser


if __name__ == "__main__":
    main()
