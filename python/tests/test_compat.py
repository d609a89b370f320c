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


def test_a_failure_shows_its_first_error(checkout, capsys, tmp_path):
    assert run(checkout, "--arch=wse2", "--filter=good,bad", "--json", str(tmp_path / "o.json")) == 1
    assert "ValueError: three is not four" in capsys.readouterr().out
    outcomes = json.loads((tmp_path / "o.json").read_text())
    assert [(o["example"], o["result"]) for o in outcomes] == [("good", "pass"), ("bad", "fail")]


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
    assert "is no checkout of csl-examples" in run(tmp_path)
