"""Sweeps: products, resuming, the same results whatever was interrupted."""

import json
from pathlib import Path

import pytest

from securenb.experiments.checked import checked
from securenb.experiments.rounds import Sweep, measure_round
from securenb.experiments.sweep import Progress, product, run_cells, sweep_folder

CELLS = [{"x": x, "y": y} for x in range(4) for y in ("a", "b")]


def square(cell):
    return [{**cell, "square": cell["x"] ** 2, "nothing": float("nan")}]


def test_lists_make_a_product_and_the_rest_is_the_same_everywhere():
    assert product({"a": [1, 2], "b": "x", "c": [None, 3]}) == [
        {"a": 1, "b": "x", "c": None},
        {"a": 1, "b": "x", "c": 3},
        {"a": 2, "b": "x", "c": None},
        {"a": 2, "b": "x", "c": 3},
    ]


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_the_order_of_cells_whatever_runs_when(tmp_path, jobs):
    table = run_cells(CELLS, square, Progress(tmp_path / "p", "s"), jobs=jobs, backend="threading")
    assert list(table["square"]) == [x**2 for x in range(4) for _ in "ab"]


def test_an_interrupted_sweep_goes_on_where_it_was_and_ends_the_same(tmp_path):
    whole = run_cells(CELLS, square, Progress(tmp_path / "whole", "s"), backend="sequential")
    measured = []

    def until_tired(cell):
        if len(measured) == 3:
            raise KeyboardInterrupt
        measured.append(cell)
        return square(cell)

    with pytest.raises(KeyboardInterrupt):
        run_cells(CELLS, until_tired, Progress(tmp_path / "p", "s"), backend="sequential")
    with (tmp_path / "p").open("a") as file:
        file.write('{"cell": "half a li')  # a crash while writing
    again = []

    def counted(cell):
        again.append(cell)
        return square(cell)

    table = run_cells(CELLS, counted, Progress(tmp_path / "p", "s"), backend="sequential")
    assert len(measured) + len(again) == len(CELLS)
    assert table.to_csv() == whole.to_csv()


def test_unfinished_work_of_another_sweep_is_not_mixed_in(tmp_path):
    Progress(tmp_path / "p", "one")
    with pytest.raises(ValueError, match="belongs to another sweep"):
        Progress(tmp_path / "p", "another")


def test_unfinished_work_is_kept_beside_the_folder_and_removed_when_it_is_complete(tmp_path):
    grid = checked(Sweep, choices={"dataset": "phishing", "nodes": 4, "protocol": "plain", "epsilon": "1"})
    out = tmp_path / "out"

    def attempt(fail):
        with sweep_folder(out, grid) as (folder, progress):
            run_cells([{"x": 1}], square, progress, backend="sequential")
            if fail:
                raise KeyboardInterrupt
            (folder / "results.csv").write_text("done")

    with pytest.raises(KeyboardInterrupt):
        attempt(fail=True)
    assert not out.exists()
    assert len(list(tmp_path.glob("*.unfinished.jsonl"))) == 1
    attempt(fail=False)
    assert [path.name for path in Path(out).iterdir()] == ["results.csv"]
    assert not list(tmp_path.glob("*.unfinished.jsonl"))


def test_a_sweep_of_rounds_checks_every_combination_before_it_starts_and_runs_real_rounds():
    choices = {"dataset": "phishing", "nodes": [4, 6], "protocol": ["plain", "masking"], "epsilon": "none"}
    with pytest.raises(ValueError, match="unknown protocol 'plane'"):
        checked(Sweep, choices=choices | {"protocol": ["plain", "plane"]})
    with pytest.raises(ValueError, match="rules"):
        checked(Sweep, choices=choices | {"rules": "sum"})
    with pytest.raises(ValueError, match="seed of a sweep stands outside"):
        checked(Sweep, choices=choices | {"seed": 1})
    grid = checked(Sweep, choices=choices, trials=2, seed=5)
    cells = grid.cells()
    assert len(cells) == 8
    by_protocol = [measure_round(cell)[0] for cell in cells[:4] if cell["seed"] == 5]
    assert json.dumps(by_protocol[0]["model"]) == json.dumps(by_protocol[1]["model"])
