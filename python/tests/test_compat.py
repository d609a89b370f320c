import json

import pytest
from cslrun import compat


@pytest.fixture
def checkout(tmp_path):
    """A checkout with an example that uses a library beside it, one that fails, one that hangs."""
    root = tmp_path / "examples"
    scripts = {
        "tutorials/good/commands_wse2.sh": "set -e\ncommand -v cslc cs_python\ntest -f ../shared/lib.csl\ntouch made\n",
        "tutorials/good/commands_wse3.sh": "exit 0\n",
        "tutorials/shared/lib.csl": "",
        "benchmarks/bad/commands_wse2.sh": "echo start\necho 'ValueError: three is not four'\nexit 1\n",
        "benchmarks/slow/commands_wse2.sh": "sleep 60 & wait\n",
    }
    for name, text in scripts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def run(checkout, *words):
    with pytest.raises(SystemExit) as ended:
        compat.main([str(checkout), *words])
    return ended.value.code


def test_examples_run_in_a_copy_with_their_libraries(checkout, capsys):
    assert run(checkout, "--filter", "good") == 0
    printed = capsys.readouterr().out
    assert "2 of 2 scripts pass; 1 of 1 folders pass on every architecture" in printed
    assert not (checkout / "tutorials/good/made").exists()


def test_a_program_with_its_script_in_the_first_folder_is_an_example(tmp_path, capsys):
    program = tmp_path / "stencil"
    (program / "src").mkdir(parents=True)
    (program / "src/layout.csl").write_text("")
    (program / "commands.sh").write_text("test -f src/layout.csl && touch made\n")
    assert run(program) == 0
    assert "stencil" in capsys.readouterr().out
    assert not (program / "made").exists()


def test_a_failure_shows_its_first_error(checkout, capsys, tmp_path):
    assert run(checkout, "--arch=wse2", "--filter=good,bad", "--json", str(tmp_path / "o.json")) == 1
    assert "ValueError: three is not four" in capsys.readouterr().out
    outcomes = json.loads((tmp_path / "o.json").read_text())
    assert [(o["example"], o["result"]) for o in outcomes] == [("bad", "fail"), ("good", "pass")]


def test_a_script_that_hangs_is_ended_with_its_children(checkout, capsys):
    assert run(checkout, "--filter=slow", "--limit=1") == 1
    assert "not done after 1 s" in capsys.readouterr().out


def test_a_printed_verdict_counts_more_than_the_status():
    assert compat.judge(0, "compare\nResult: FAIL\n", 1) == ("fail", "Result: FAIL")
    assert compat.judge(0, "SUCCESS!\n", 1) == ("pass", "")
    assert compat.judge(1, "error[unknown-name]: nothing is called x\n  here\n", 1) == (
        "fail",
        "error[unknown-name]: nothing is called x",
    )


def test_something_else_than_a_checkout_is_refused(tmp_path):
    assert "is no checkout of the SDK examples" in run(tmp_path)


def script(folder, name, text):
    """Writes a commands script."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def test_scripts_of_old_versions_tell_their_machine_by_their_options(tmp_path, capsys):
    script(tmp_path / "tutorials/plain", "commands.sh", "echo cslc layout.csl\n")
    script(tmp_path / "tutorials/joined", "commands.sh", "echo cslc --arch=wse3 layout.csl\n")
    script(tmp_path / "more/groups/apart", "commands.sh", "echo cslc -arch wse3 layout.csl\n")
    assert run(tmp_path) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sorted(line.split()[:3] for line in lines[2:5]) == [
        ["apart", "wse3", "pass"],
        ["joined", "wse3", "pass"],
        ["plain", "wse2", "pass"],
    ]
    assert run(tmp_path, "--arch=wse2") == 0
    assert "1 of 1 scripts pass" in capsys.readouterr().out


def test_warnings_are_counted_by_rule(tmp_path, capsys):
    warning = "echo 'warning[{}]: a title' >&2\n"
    text = warning.format("old-form") * 2 + warning.format("late") + "echo 'no warning[x]'\n"
    script(tmp_path / "a/warned", "commands.sh", text)
    script(tmp_path / "a/clean", "commands.sh", "true\n")
    assert run(tmp_path) == 0
    printed = capsys.readouterr().out
    assert "old-form x 2, late" in next(line for line in printed.splitlines() if line.startswith("warned"))
    assert printed.endswith("1 of them with warnings: old-form x 2, late\n")


def test_the_placeholder_of_published_scripts_is_read_as_the_command(tmp_path, capsys):
    place = tmp_path / "tutorials/painted"
    script(place, "commands_wse3.sh", "set -e\n%python_sdk_paint --arch=wse3\necho %python_sdk_paint\n")
    (place / "run.py").write_text("import sys\nassert sys.argv[1:] == ['--arch=wse3']\n")
    assert run(tmp_path) == 0
    assert "%python_sdk_paint was read as `cs_python run.py` in 1 scripts" in capsys.readouterr().out
    assert (place / "commands_wse3.sh").read_text().startswith("set -e\n%python")


def test_commands_are_found_without_a_path(checkout, capsys, monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    script(checkout / "tutorials/helped", "commands.sh", "cslc --help\ncs_python --help\n")
    assert run(checkout, "--filter=helped") == 0
