"""The tables of the host API in `docs/compatibility.md` are what the modules have; `DOCS=write` writes them."""

import enum
import importlib
import inspect
import os
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "compatibility.md"
BEGIN, END = "<!-- begin: host api -->\n", "<!-- end: host api -->"

MODULES = [
    "cerebras.sdk.runtime.sdkruntimepybind",
    "cerebras.sdk.sdk_utils",
    "cerebras.sdk.runtime.runtime_utils",
    "cerebras.sdk.debug.debug_util",
    "cerebras.geometry.geometry",
    "cerebras.sdk.client",
    "cerebras.sdk.client.debug_util",
    "cerebras.appliance.errors",
    "cerebras.appliance.pb.sdk.sdk_common_pb2",
    "cerebras.elf.cs_elf_runner",
    "cerebras.elf.cs_elf_runner.lib.csl_utils",
    "cerebras.elf.cself",
    "cerebras.sdk.debug.lib.symbol.csldebugpybind",
    "cerebras.sdk.debug.lib.instruction_trace.sdkinstrtracepybind",
    "cerebras.sdk.debug.lib.rectangleopspybind",
    "cerebras.sdk.debug.lib.wavelet_trace.wavelettracepybind",
]


def test_the_tables_of_the_host_api_are_what_the_modules_have():
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    shown, after = rest.split(END)
    tables = "\n".join(table(importlib.import_module(name)) for name in MODULES)
    if os.environ.get("DOCS") == "write":
        PAGE.write_text(before + BEGIN + tables + END + after, encoding="utf-8")
    else:
        assert shown == tables, f"DOCS=write pytest {__file__} writes the tables of {PAGE}"


def table(module):
    """The part of the page about one module."""
    rows = [row for name, thing in public(module) for row in rows_of(name, thing)]
    aliases = [f"`{name}`" for name, thing in public(module) if isinstance(thing, enum.Enum)]
    if aliases:
        rows.append((", ".join(aliases), "the members of the enums"))
    lines = [f"| {name} | {what.replace('|', chr(92) + '|')} |" for name, what in grouped(rows)]
    return "\n".join([f"### `{module.__name__}`", "", "| name | in cslrun |", "|---|---|", *lines, ""])


def grouped(rows):
    """The rows, with one for all names that get the same message."""
    refused = {}
    for name, what in rows:
        if what.startswith("not supported"):
            name = name.split("(")[0].strip("`")
            refused.setdefault(what.replace(name, "NAME"), []).append((name, what))
    first = {names[0]: (names, alike) for alike, names in refused.items()}
    for name, what in rows:
        if not what.startswith("not supported"):
            yield name, what
            continue
        names, alike = first.get((name.split("(")[0].strip("`"), what), ([], ""))
        if names:
            yield ", ".join(f"`{name}`" for name, _ in names), alike if len(names) > 1 else what


def public(module):
    """Names and values that a script may import."""
    own = [name for name, thing in vars(module).items() if getattr(thing, "__module__", None) == module.__name__]
    names = getattr(module, "__all__", None) or own
    if module.__name__.endswith("runtime_utils"):
        names = ["convert_input_tensor", "format_output_tensor", "output_array_from_u32", "prepare_output_tensor"]
    return [(name, getattr(module, name)) for name in sorted(names) if not name.startswith("_")]


def rows_of(name, thing):
    """The rows of a class or function."""
    if isinstance(thing, type) and issubclass(thing, enum.Enum):
        members = ", ".join(f"`{member.name}`" for member in thing)
        return [(f"`{name}`", f"{summary(thing)}: {members}")]
    if isinstance(thing, enum.Enum) or not (inspect.isclass(thing) or inspect.isfunction(thing)):
        return []
    if inspect.isclass(thing) and issubclass(thing, Exception):
        return [(f"`{name}`", summary(thing))]
    rows = [(f"`{name}{signature(thing)}`", state(thing))]
    if inspect.isclass(thing) and refusal(thing) is None:
        for member, method in sorted(vars(thing).items()):
            if member.startswith("_"):
                continue
            if isinstance(method, property):
                rows.append((f"`{name}.{member}`", summary(method)))
            elif inspect.isfunction(method):
                rows.append((f"`{name}.{member}{signature(method, 1)}`", state(method)))
    return rows


def signature(thing, skip=0):
    """The parameters, without types."""
    found = inspect.signature(thing)
    parameters = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values()][skip:]
    text = str(found.replace(parameters=parameters, return_annotation=inspect.Signature.empty))
    # A default that is a member of an enum.
    return re.sub(r"<(\w+\.\w+): \d+>", r"\1", text)


def state(thing):
    """What it does, or that it is not supported."""
    message = refusal(thing)
    return summary(thing) if message is None else f'not supported: "{message}"'


def summary(thing):
    """The first sentence of its documentation."""
    return inspect.getdoc(thing).split("\n\n")[0].replace("\n", " ").rstrip(".")


def refusal(thing):
    """The exception of something that says in its documentation or by its base that it refuses."""
    bases = {base.__name__ for base in getattr(thing, "__mro__", ())}
    if not inspect.getdoc(thing).startswith("Refuses") and not bases & {"Refused", "_Unsupported"}:
        return None
    try:
        thing(*([None] if inspect.isfunction(thing) else []))
    except RuntimeError as error:
        return str(error)
    raise AssertionError(f"{thing} does not refuse")
