"""The action for GitHub and its example are valid by the schemas that check-jsonschema brings along."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]


def validate(schema: str, file: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(file)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize(
    "schema, file",
    [("vendor.github-actions", "action.yml"), ("vendor.github-workflows", "examples/ci/cslrun.yml")],
)
def test_action_and_workflow_are_valid(schema: str, file: str) -> None:
    done = validate(schema, ROOT / file)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_step_that_is_none_is_refused(tmp_path: Path) -> None:
    wrong = tmp_path / "action.yml"
    wrong.write_text((ROOT / "action.yml").read_text().replace("using: composite", "using: nothing"))
    assert validate("vendor.github-actions", wrong).returncode != 0


def test_the_workflow_gives_only_inputs_that_the_action_has() -> None:
    yaml = YAML(typ="safe")
    inputs = yaml.load(ROOT / "action.yml")["inputs"]
    steps = yaml.load(ROOT / "examples/ci/cslrun.yml")["jobs"]["check"]["steps"]
    uses = [step["with"] for step in steps if step["uses"] == "./.cslrun"]
    assert len(uses) == 2
    for given in uses:
        assert set(given) <= set(inputs)
        assert "paths" in given
