"""Runs a checkout of the public SDK examples, unmodified, and reports which work.

    python -m cslrun.compat DIR [--arch wse2|wse3] [--filter GLOB,..] [--json OUT] [--jobs N]

Every folder with a `commands.sh`, `commands_wse2.sh` or `commands_wse3.sh` is an example, of any
version. The tool copies it, with the libraries next to it, and runs its scripts with the `cslc`
and `cs_python` of this installation. An example passes when its script ends with status 0 and does
not itself print that it failed. Warnings of cslrun are counted by rule.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import NoReturn

ARCHITECTURES = ("wse2", "wse3")

_SCRIPTS = {"commands.sh": None, "commands_wse2.sh": "wse2", "commands_wse3.sh": "wse3"}

_ARCH_OPTION = re.compile(r"(?<!\S)--?arch[= ](wse[23])\b")

# The scripts of SDK 2.10 were published with this word not replaced; those of 1.4 have the commands.
_PLACEHOLDER = re.compile(r"^%python_sdk_paint(?!\S)", re.MULTILINE)
_REPLACEMENT = "cs_python run.py"

# Some scripts end with status 0 and print their verdict as a word.
_BAD_VERDICT = re.compile(r"\b(FAIL|FAILED|FAILURE)\b")

_ERROR = re.compile(r"^(error|unsupported)(\[|:)|^\S+: error:|^[\w.]*(Error|Exception|Exit)\b|internal error")

_WARNING = re.compile(r"^warning\[([\w-]+)\]", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """One commands script."""

    #: The folder that holds its folder, within the checkout; None if the checkout itself is the example.
    group: str | None
    name: str
    script: str
    arch: str


@dataclass
class Outcome:
    """How one script ended."""

    example: str
    arch: str
    result: str
    seconds: float
    error: str
    output: str
    #: How often each rule warned.
    warnings: dict[str, int] = field(default_factory=dict)
    #: Whether the placeholder of the published scripts was replaced.
    replaced: bool = False


def find(checkout: Path, architectures: Collection[str], patterns: Collection[str]) -> list[Example]:
    """The examples of a checkout, in the order of their paths."""
    checkout = checkout.resolve()
    found = []
    for script in sorted(checkout.rglob("commands*.sh")):
        if script.name not in _SCRIPTS:
            continue
        folder = script.parent
        arch = _SCRIPTS[script.name] or _arch(script)
        if arch not in architectures or (patterns and not any(fnmatch(folder.name, p) for p in patterns)):
            continue
        group = None if folder == checkout else str(folder.parent.relative_to(checkout))
        found.append(Example(group, folder.name, script.name, arch))
    return found


def _arch(script: Path) -> str:
    """The machine of a script whose name does not say it: SDK 1.0 has only WSE-2, and its scripts do not name it."""
    option = _ARCH_OPTION.search(script.read_text(encoding="utf-8", errors="replace"))
    return option[1] if option else "wse2"


def run(checkout: Path, example: Example, limit: float) -> Outcome:
    """Runs one example in a copy of its folder."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="csl-example-") as place:
        folder = _copy(checkout, example, Path(place) / "examples")
        replaced = _replace_placeholder(folder / example.script)
        status, output = _run_script(folder, example.script, limit, _commands(Path(place)))
    result, error = judge(status, output, limit)
    warnings = dict(Counter(_WARNING.findall(output)).most_common())
    seconds = time.monotonic() - started
    return Outcome(example.name, example.arch, result, seconds, error, output, warnings, replaced)


def judge(status: int | None, output: str, limit: float) -> tuple[str, str]:
    """The verdict on a script, and the line that explains a failure; a status of None is a timeout."""
    if status is None:
        return "time", f"not done after {limit:g} s"
    lines = output.splitlines()
    if status != 0:
        errors = (line.strip() for line in lines if _ERROR.search(line))
        last = lines[-1].strip() if lines else ""
        return "fail", next(errors, last) or f"exit status {status}"
    verdict = next((line.strip() for line in lines if _BAD_VERDICT.search(line)), None)
    return ("fail", verdict) if verdict else ("pass", "")


def _copy(checkout: Path, example: Example, examples: Path) -> Path:
    """Copies an example and the libraries next to it, which it imports by relative path."""
    if example.group is None:
        return Path(shutil.copytree(checkout, examples / example.name, ignore=shutil.ignore_patterns(".git")))
    group, target = checkout / example.group, examples / example.group
    libraries = (p for p in group.iterdir() if p.is_dir() and not any(p.rglob("commands*.sh")))
    for folder in [group / example.name, *libraries]:
        shutil.copytree(folder, target / folder.name, dirs_exist_ok=True)
    return target / example.name


def _replace_placeholder(script: Path) -> bool:
    text, count = _PLACEHOLDER.subn(_REPLACEMENT, script.read_text(encoding="utf-8", errors="surrogateescape"))
    if count:
        script.write_text(text, encoding="utf-8", errors="surrogateescape")
    return count > 0


def _commands(place: Path) -> Path:
    """Makes a folder with the commands of this installation, wherever they are installed."""
    folder = place / "bin"
    folder.mkdir()
    for name in ("cslc", "cs_python"):
        command = folder / name
        command.write_text(f"#!{sys.executable}\nfrom cslrun.commands import {name}\n{name}()\n", encoding="utf-8")
        command.chmod(0o755)
    return folder


def _run_script(folder: Path, script: str, limit: float, commands: Path) -> tuple[int | None, str]:
    environment = dict(os.environ, MPLBACKEND="Agg", PYTHONUNBUFFERED="1")
    environment["PATH"] = str(commands) + os.pathsep + environment.get("PATH", os.defpath)
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


def report(outcomes: Sequence[Outcome]) -> str:
    """The outcomes as text, with totals below."""
    return "\n".join([table(outcomes), "", totals(outcomes), *_remarks(outcomes)])


def table(outcomes: Sequence[Outcome]) -> str:
    """One line for each script; its last column is the first error, or the warnings."""
    rows = [("example", "arch", "result", "seconds", "first error, or warnings")]
    rows += [(o.example, o.arch, o.result, f"{o.seconds:.1f}", _last_cell(o)) for o in outcomes]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = ["  ".join([*(cell.ljust(w) for cell, w in zip(row, widths)), row[4]]).rstrip() for row in rows]
    lines.insert(1, "  ".join("-" * w for w in widths))
    return "\n".join(lines)


def _last_cell(outcome: Outcome) -> str:
    return outcome.error[:100] or _counted(outcome.warnings)


def _counted(warnings: Mapping[str, int]) -> str:
    return ", ".join(name if n == 1 else f"{name} x {n}" for name, n in warnings.items())


def totals(outcomes: Sequence[Outcome]) -> str:
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


def _remarks(outcomes: Sequence[Outcome]) -> Iterator[str]:
    warned = [o for o in outcomes if o.result == "pass" and o.warnings]
    if warned:
        names: Counter[str] = sum((Counter(o.warnings) for o in warned), Counter())
        yield f"{len(warned)} of them with warnings: {_counted(dict(names.most_common()))}"
    replaced = [o for o in outcomes if o.replaced]
    if replaced:
        yield f"%python_sdk_paint was read as `{_REPLACEMENT}` in {len(replaced)} scripts"


def main(words: list[str] | None = None) -> NoReturn:
    """The command; its status is 0 when everything passes."""
    options = _parser().parse_args(words)
    checkout = Path(options.checkout)
    if not any(path.name in _SCRIPTS for path in checkout.rglob("commands*.sh")):
        sys.exit(f"{checkout} holds none of {', '.join(_SCRIPTS)}: it is no checkout of the SDK examples")
    examples = find(checkout, options.arch or ARCHITECTURES, _patterns(options.filter))
    if not examples:
        sys.exit("no example matches")
    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(lambda e: _reported(run(checkout, e, options.limit)), examples))
    print(report(outcomes))
    if options.json:
        Path(options.json).write_text(json.dumps([asdict(o) for o in outcomes], indent=1), encoding="utf-8")
    sys.exit(any(o.result != "pass" for o in outcomes))


def _reported(outcome: Outcome) -> Outcome:
    print(f"{outcome.example} {outcome.arch}: {outcome.result}", file=sys.stderr, flush=True)
    return outcome


def _patterns(filters: list[str]) -> list[str]:
    return [pattern for text in filters for pattern in text.split(",") if pattern]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m cslrun.compat", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkout", metavar="DIR", help="a checkout of the SDK examples, of any version")
    parser.add_argument("--arch", action="append", choices=ARCHITECTURES, help="one machine instead of both")
    parser.add_argument("--filter", action="append", default=[], metavar="GLOB,..", help="examples by name")
    parser.add_argument("--json", metavar="OUT", help="write all outcomes, with the scripts' output")
    parser.add_argument("--jobs", type=int, default=1, help="scripts at a time")
    parser.add_argument("--limit", type=float, default=600, metavar="SECONDS", help="for one script")
    return parser


if __name__ == "__main__":
    main()
