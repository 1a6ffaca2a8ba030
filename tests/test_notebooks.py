"""The notebooks of the documentation are kept as they were written; `python3 run.py docs` executes them."""

import json
import re
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "docs" / "notebooks").glob("*.ipynb"))
BAR = """
from securenb.experiments.progress import batches, rows, steps

for bar in (steps(2), batches(2)):
    with bar as done:
        done("first")
        done("second")
with rows() as read:
    read(7)
"""


def test_there_are_notebooks():
    assert {path.stem for path in NOTEBOOKS} == {"compare-plain-and-secure", "break-and-defend"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs_and_compiles(path):
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    assert cells
    for cell in cells:
        assert cell["outputs"] == []
        assert cell["execution_count"] is None
        compile(re.sub(r"^%.*$", "", "".join(cell["source"]), flags=re.M), path.name, "exec")


@pytest.mark.slow
def test_progress_is_shown_in_a_notebook_by_widgets_and_without_a_warning():
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(BAR)])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = notebook.cells[0].outputs
    widgets = [each for each in outputs if "application/vnd.jupyter.widget-view+json" in each.get("data", {})]
    assert len(widgets) == 3
    assert [each for each in outputs if each.output_type == "stream"] == []


def test_progress_is_silent_where_there_is_neither_a_terminal_nor_a_notebook(capsys):
    exec(compile(BAR, "bar", "exec", dont_inherit=True), {})
    assert capsys.readouterr() == ("", "")
