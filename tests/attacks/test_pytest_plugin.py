"""The plug-in of pytest: a file of methods becomes tests, and a broken promise one line with its case."""

import tomllib
from pathlib import Path

import pytest

from attacks import pytest_plugin
from protocols.catalogue import CATALOGUES

METHODS = '''
from dataclasses import dataclass

from attacks.poisons.label_flip import LabelFlip
from securenb.robust.rules.median import Median


class MyMedian(Median):
    """Keeps its contract."""


@dataclass(frozen=True)
class NoAim(LabelFlip):
    """Breaks one promise."""

    aim = "fun"
'''


class Results:
    def __init__(self):
        self.passed, self.failed, self.errors = [], {}, []

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self.passed.append(report.nodeid)
        elif report.failed:
            self.failed[report.nodeid] = report.longreprtext

    def pytest_collectreport(self, report):
        if report.failed:
            self.errors.append(report.longreprtext)


def run(folder, *arguments):
    results = Results()
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir", str(folder), "-c", "/dev/null"]
    chosen = [*options, *arguments, "--methods", str(folder / "my_methods.py")]
    code = pytest.main(chosen, plugins=[results, pytest_plugin])
    return code, results


@pytest.fixture(autouse=True)
def not_installed_twice(monkeypatch):
    """The entry point of an installed package is the same module as the one given here."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)


def test_each_promise_of_each_method_is_a_test_and_a_broken_one_shows_its_case(tmp_path):
    (tmp_path / "my_methods.py").write_text(METHODS)
    code, results = run(tmp_path)
    assert code == pytest.ExitCode.TESTS_FAILED
    ((test, case),) = results.failed.items()
    assert "no_aim::Its aim is one of four" in test
    assert case.endswith("the aim 'fun' is none of accuracy, target, backdoor, denial")
    promises = len(pytest_plugin.contracts()["rule"][1]) + len(pytest_plugin.contracts()["poison"][1])
    assert len(results.passed) == promises - 1
    assert any("my_median::" in test for test in results.passed)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("x = 1\n", "has no public class that is one of"),
        ("import nowhere\n", "cannot be loaded: ModuleNotFound"),
    ],
)
def test_a_file_without_a_method_is_refused_with_the_reason(tmp_path, source, said):
    (tmp_path / "my_methods.py").write_text(source)
    code, results = run(tmp_path)
    assert code == pytest.ExitCode.INTERRUPTED
    assert said in results.errors[0]


def test_other_tests_run_beside_it(tmp_path):
    (tmp_path / "my_methods.py").write_text(METHODS.replace('aim = "fun"', ""))
    (tmp_path / "test_other.py").write_text("def test_it():\n    pass\n")
    code, results = run(tmp_path, str(tmp_path / "test_other.py"))
    assert code == pytest.ExitCode.OK
    assert any("test_other.py::test_it" in test for test in results.passed)
    assert any("no_aim::" in test for test in results.passed)


NOT_FOR_USERS = ("mechanism of the zoo", "section", "check")
"""Catalogues of ours that no plug-in adds to; they are there once other tests have loaded them."""


def test_every_contract_with_a_check_is_known():
    known = pytest_plugin.contracts()
    ours = [each for package, each in CATALOGUES.items() if not package.startswith("test_")]
    without = {catalogue.noun for catalogue in ours} - known.keys()
    assert without <= {"kind of feature", "pre-aggregation", "claim", *NOT_FOR_USERS}


def test_it_is_installed_with_the_package():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"securenb": pytest_plugin.__name__}
