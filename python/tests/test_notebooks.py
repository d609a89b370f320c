"""The notebooks of `examples/notebooks`, from their first cell to the last, and `%%csl` in a real kernel."""

import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook

NOTEBOOKS = ROOT / "examples" / "notebooks"
PROGRAM = "export var x: u16 = 3;"


def run(notebook, folder):
    """The outputs of each cell."""
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}})
    client.execute()
    return [cell.get("outputs", []) for cell in notebook.cells]


def texts(outputs, kind="text/plain"):
    return "".join(output["data"].get(kind, "") for output in outputs if "data" in output)


def printed(outputs):
    return "".join(output.get("text", "") for output in outputs)


def notebook_of(*cells):
    return new_notebook(cells=[new_code_cell(cell) for cell in ("%load_ext cslrun", *cells)])


def test_first_steps():
    cells = run(nbformat.read(NOTEBOOKS / "01-first-steps.ipynb", 4), NOTEBOOKS)
    assert "about" in texts(cells[3], "text/html")
    assert "100. ,   0.5, 101. ,   1.5" in texts(cells[5])
    assert "<svg" in texts(cells[7], "image/svg+xml")
    assert "image/png" in cells[11][-1]["data"]
    # The mistake at its end is one on purpose.
    assert "there is no builtin" in texts(cells[-1], "text/html")
    assert [output["ename"] for output in cells[-1] if output.output_type == "error"] == ["CellError"]


def test_where_the_cycles_go():
    cells = run(nbformat.read(NOTEBOOKS / "02-where-the-cycles-go.ipynb", 4), NOTEBOOKS)
    assert "critical path" in printed(cells[3])
    assert all("image/png" in cells[number][-1]["data"] for number in (4, 5, 8))
    assert "times as fast" in printed(cells[9])
    assert "iframe" in texts(cells[11], "text/html")


def test_sweep():
    cells = run(nbformat.read(NOTEBOOKS / "03-sweep.ipynb", 4), NOTEBOOKS)
    assert "depth  status" in texts(cells[4])
    assert "memory" in printed(cells[6])
    assert "image/png" in cells[10][-1]["data"]


def test_options_of_a_cell(tmp_path):
    cells = run(
        notebook_of(
            f"%%csl --to mine --no-run\n{PROGRAM}",
            "(mine.arch, 'runner' in globals())",
            "n = 4",
            "%%csl --arch wse3 --param n={n} --param deep=true --runner again\n"
            "param n: u16;\nparam deep: bool;\nexport var x = @as(u32, if (deep) n else 0);",
            'int(again["x"][0, 0, 0])',
            f"%%csl --report\n{PROGRAM}",
            f"%%csl --profile\n{PROGRAM}",
        ),
        tmp_path,
    )
    assert texts(cells[2]) == "('wse2', False)"
    assert texts(cells[5]) == "4"
    assert "iframe" in texts(cells[6], "text/html")
    assert "iframe" in texts(cells[7], "text/html")


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("%%csl\nexport var x: u16 = ;", "CellError"),
        (f"%%csl --arch wse9\n{PROGRAM}", "invalid choice"),
        (f"%%csl --param n\n{PROGRAM}", "write NAME=VALUE"),
        (f"%%csl --param n=x\n{PROGRAM}", "a number, true or false"),
        (f"%%csl --dsd none\n{PROGRAM}", "UsageError"),
        (f'%%csl --to "\n{PROGRAM}', "No closing quotation"),
    ],
)
def test_what_is_wrong_with_a_cell_ends_it(shell, cell, why):
    line, _, text = cell.partition("\n")
    with pytest.raises(Exception) as caught:
        shell.run_cell_magic("csl", line.removeprefix("%%csl"), text)
    assert why in f"{type(caught.value).__name__}: {caught.value}"


@pytest.fixture(scope="module")
def shell():
    """A shell of IPython in this process, where an error costs no kernel."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "cslrun")
    yield shell
    InteractiveShell.clear_instance()


def test_an_error_stops_a_notebook(tmp_path):
    with pytest.raises(CellExecutionError, match="CellError"):
        run(notebook_of("%%csl\nexport var x: u16 = ;", "1"), tmp_path)
