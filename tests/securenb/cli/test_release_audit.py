"""`securenb audit` on what is no round of ours: verdicts, exit codes, and what it refuses in one line."""

import json
import sys

import numpy as np
import pytest

from securenb.cli.main import MISTAKE, main

RELEASES = '''
import os, time
import numpy as np

def noise(rng, epsilon):
    stop = 1 - np.exp(-epsilon)
    return int(rng.geometric(stop)) - int(rng.geometric(stop))

def right(data, rng): return int(np.ceil(data).sum()) + noise(rng, 1)
def half(data, rng):
    print("noise on standard output" * 100)
    return int(np.ceil(data).sum()) + noise(rng, 2)
def rows(table, rng): return len(table) + noise(rng, 1)
def exact_oldest(table, rng): return [len(table) + noise(rng, 0.5), int(table["age"].max())]
def hangs(data, rng):
    while True: time.sleep(1)
def raises(data, rng): raise KeyError("gone")
def leaks_refusal(data, rng):
    if len(data) < 1: raise ValueError("no data")
    return len(data) + noise(rng, 1)
def other_shapes(data, rng): return [noise(rng, 1)] * len(data)
def odd(data, rng): return object()
def dies(data, rng): os._exit(7)
def imports(data): import nothing_like_that

class Counts:
    """Class counts with noise, or without."""
    def __init__(self, epsilon=1.0, exact=False):
        self.epsilon, self.exact = epsilon, exact
        self.rng = np.random.default_rng()
    def fit(self, X, y):
        counts = [int((y == label).sum()) for label in range(3)]
        self.counts_ = [n + (0 if self.exact else noise(self.rng, self.epsilon)) for n in counts]
        return self

class Unfitted:
    def fit(self, X, y): return self

not_callable = 3
'''

PAIRS = """
def pairs():
    return [([1.0] * 3, [1.0] * 4, "three, and four")]
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(RELEASES)
    (tmp_path / "pairs.py").write_text(PAIRS)
    (tmp_path / "wrong.py").write_text("x = 1")
    (tmp_path / "people.csv").write_text(
        "age,sex\n" + "".join(f"{20 + n},{'fm'[n % 2]}\n" for n in range(30))
    )
    (tmp_path / "one.csv").write_text("age,sex\n1,f\n")
    return tmp_path


FAST = ["--epsilon", "1", "--trials", "4000"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["mine:right", "--neighbours", "pairs.py"], 0),
        (["mine.py:right", "--neighbours", "pairs.py"], 0),
        (["mine:half"], 1),
        (["mine:other_shapes"], 1),
        (["mine:leaks_refusal"], 1),
        (["mine:rows", "--data", "people.csv", "--trials", "800"], 0),
        (["mine:exact_oldest", "--data", "people.csv", "--trials", "800"], 1),
        (["--estimator", "mine:Counts"], 0),
        (["--estimator", "mine:Counts", "--arguments", '{"exact": true}'], 1),
    ],
)
def test_the_verdict_is_the_exit_code(here, capsys, arguments, code):
    assert main(["audit", *FAST, *arguments]) == code
    printed = capsys.readouterr().out
    assert printed.startswith("May this be published at epsilon 1? " + ("No: " if code else "Nothing found"))
    assert "Not looked at: " in printed.splitlines()[0]
    assert "noise on standard output" not in printed


def test_all_ways_in_give_the_same_document(here, capsys):
    rng = np.random.default_rng(0)
    for name, shift in (("a.csv", 0), ("b.csv", 1)):
        values = shift + rng.geometric(0.5, 3000) - rng.geometric(0.5, 3000)
        (here / name).write_text("count\n" + "".join(f"{value}\n" for value in values))
    keys = []
    for arguments in (
        ["mine:right", "--neighbours", "pairs.py"],
        ["--released", "a.csv", "b.csv"],
        ["--estimator", "mine:Counts"],
        ["phishing", "--nodes", "12", "--level", "L0"],
    ):
        assert main(["audit", *FAST, *arguments, "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        keys.append(sorted(document))
        assert document["verdict"] == "PASS"
        assert document["findings"]
    assert keys.count(keys[0]) == len(keys)
    assert main(["audit", "--released", "a.csv", "b.csv", "--epsilon", "0.4"]) == 1


def test_findings_are_written_with_a_page(here):
    assert main(["audit", *FAST, "mine:half", "--out", "run"]) == 1
    assert {path.name for path in (here / "run").iterdir()} == {
        "audit.json",
        "manifest.json",
        "report.html",
        "results.csv",
    }
    page = (here / "run" / "report.html").read_text()
    assert "May this be published at epsilon 1? No: " in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mine:hangs", "--longest", "1"], "no answer within 1 seconds"),
        (["mine:raises"], "the release raises KeyError in every run: 'gone'"),
        (["mine:odd"], "a run returned object; an audit reads numbers"),
        (["mine:dies"], "the interpreter ended with exit code 7"),
        (["mine:imports"], "raises ModuleNotFoundError in every run: No module named 'nothing_like_that'"),
        (["mine:nothing"], "mine has no 'nothing'"),
        (["mine:not_callable"], "'not_callable' in mine is not callable"),
        (["nowhere:right"], "No module named 'nowhere'"),
        (["nowhere.py:right"], "there is no file nowhere.py"),
        (["mine:right", "--neighbours", "nowhere.py"], "there is no file nowhere.py"),
        (["mine:right", "--neighbours", "wrong.py"], "wrong.py does not define pairs()"),
        (["mine:right", "--data", "one.csv"], "has 1 rows; neighbours need at least two"),
        (["mine:right", "--data", "one.csv", "--neighbours", "pairs.py"], "--neighbours or --data, not both"),
        (["mine:right", "--python", "nowhere"], "cannot run the interpreter nowhere"),
        (["--estimator", "mine:Unfitted"], "Unfitted has no fitted attributes"),
        (["--estimator", "mine:Counts", "--arguments", "{"], "JSONDecodeError"),
        (["mine:right", "--estimator", "mine:Counts"], "audit one thing"),
        (["mine:right", "--epsilon", "0"], "epsilon must be a positive number, got 0"),
        (["mine:right", "--epsilon", "many"], "epsilon must be a positive number, got many"),
        (["mine:right", "--gaussian"], "only up to a delta"),
        (["mine:right", "--confidence", "2"], "confidence must be between 0 and 1"),
    ],
)
def test_mistakes_are_refused_in_one_line(here, capsys, arguments, message):
    assert main(["audit", *FAST, *arguments]) == MISTAKE
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""


TABLES = {
    "unequal": ("1,2\n" * 500, "1\n" * 500, "a.csv has 2 columns, b.csv has 1"),
    "ragged": ("1,2\n" * 500 + "1\n", "1,2\n" * 500, "line 501 of a.csv has 1 columns, the first row has 2"),
    "three rows": ("1\n2\n3\n", "1\n2\n3\n", "a.csv has 3 rows; fewer than 400 runs show nothing"),
    "text": ("1\n" * 500 + "many\n", "1\n" * 500, "line 501, column 1 of a.csv: 'many' is no number"),
    "empty": ("", "1\n" * 500, "a.csv has no rows"),
    "header only": ("count\n", "1\n" * 500, "a.csv has no rows"),
    "bytes": ("\xff\xfe", "1\n" * 500, "a.csv is no CSV file"),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_that_are_none_are_refused_in_one_line(here, capsys, name):
    first, second, message = TABLES[name]
    (here / "a.csv").write_bytes(first.encode("latin-1"))
    (here / "b.csv").write_bytes(second.encode("latin-1"))
    assert main(["audit", "--released", "a.csv", "b.csv", "--epsilon", "1"]) == MISTAKE
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.count("\n") == 1


def test_a_table_is_not_compared_with_itself(here, capsys):
    (here / "a.csv").write_text("1\n" * 500)
    assert main(["audit", "--released", "a.csv", "./a.csv", "--epsilon", "1"]) == MISTAKE
    assert "a.csv and a.csv are one file" in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["--released", "--neighbours", "--delta", "--out"])
def test_an_option_is_no_value_of_another(here, capsys, missing):
    given = ["a.csv"] if missing == "--released" else []
    assert main(["audit", missing, *given, "--epsilon", "1"]) == MISTAKE
    many = "2 values" if given else "a value"
    assert f"{missing} needs {many}, got the option --epsilon in place of one\n" in capsys.readouterr().err
    assert not (here / "--epsilon").exists()


def test_a_claim_is_not_made_up(here, capsys):
    assert main(["audit", "mine:right"]) == MISTAKE
    assert "say with --epsilon what the release claims" in capsys.readouterr().err


def test_another_interpreter_runs_it(here, capsys):
    assert main(["audit", *FAST, "mine:half", "--python", sys.executable]) == 1
    assert "not (1, 0)-DP" in capsys.readouterr().out
