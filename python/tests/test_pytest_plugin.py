"""Tests that are written in CSL, and the fixtures."""

from conftest import call, command

SUM = """\
var total: u16 = 0;
fn add(n: u16) void { total += n; }
fn test_adds() void {
    add(3);
    add(4);
    @assert(total == 7);
}
fn test_is_wrong() void {
    add(3);
    @assert(total == 4);
}
comptime {
    @export_symbol(test_adds);
    @export_symbol(test_is_wrong);
}
"""

FIXTURES = """\
import pytest

def test_runs(csl_run, csl_program):
    assert csl_run("pe.csl", launch="go").read("x").tolist() == [[[5]]]
    assert csl_program(source_text="export var x: u16 = 1;").size == (1, 1)
"""

PE = """\
var x: u16 = 3;
fn go() void { x += 2; }
comptime { @export_symbol(go); @export_symbol(x); }
"""


def test_files_with_tests_in_csl_are_collected(tmp_path):
    (tmp_path / "test_sum.csl").write_text(SUM)
    (tmp_path / "other.csl").write_text("this is no test")
    done = call([command("pytest"), "-v", "-p", "no:cacheprovider"], cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "test_sum.csl::test_adds PASSED" in done.stdout
    assert "test_sum.csl::test_is_wrong FAILED" in done.stdout
    assert "error[assertion-failed]" in done.stdout and "test_sum.csl:10:5" in done.stdout
    assert "Traceback" not in done.stdout and "1 failed, 1 passed" in done.stdout
    done = call([command("pytest"), "-q", "-p", "no:cacheprovider", "--csl-arch=wse3", "-k", "adds"], cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_file_that_does_not_compile_is_an_error_of_its_own(tmp_path):
    (tmp_path / "test_bad.csl").write_text("export var x: u16 = y;")
    done = call([command("pytest"), "-p", "no:cacheprovider"], cwd=tmp_path)
    assert done.returncode == 2 and "error[unknown-name]" in done.stdout


def test_fixtures_compile_and_run_next_to_the_test(tmp_path):
    folder = tmp_path / "deep"
    folder.mkdir()
    (folder / "test_it.py").write_text(FIXTURES)
    (folder / "pe.csl").write_text(PE)
    done = call([command("pytest"), "-p", "no:cacheprovider"], cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_the_command_runs_the_same_tests(tmp_path):
    (tmp_path / "test_sum.csl").write_text(SUM)
    done = call([command("cslrun"), "test", "."], cwd=tmp_path)
    assert done.returncode == 3 and "1 passed, 1 failed" in done.stdout
